package xsd

import (
	"strings"

	"trails/rdf"
)

func isHex(s string) bool {
	for i := range len(s) {
		if _, ok := rdf.HexValue(s[i]); !ok {
			return false
		}
	}
	return len(s)%2 == 0
}

func canonicalHex(s string) (string, bool) { return strings.ToUpper(s), true }

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// isBase64 reports whether s is groups of four characters, with one space
// allowed between any two, whose padding leaves no bits over (section 3.3.16).
func isBase64(s string) bool {
	length, padding, last := 0, 0, 0
	for i := range len(s) {
		c := s[i]
		if c == ' ' {
			if i == 0 || i == len(s)-1 || s[i-1] == ' ' {
				return false
			}
			continue
		}
		length++
		if c == '=' {
			padding++
			continue
		}
		last = strings.IndexByte(base64Alphabet, c)
		if last < 0 || padding > 0 {
			return false
		}
	}
	unused := [3]int{0, 0b11, 0b1111}
	return length%4 == 0 && padding <= 2 && last&unused[padding] == 0
}

func canonicalBase64(s string) (string, bool) { return strings.ReplaceAll(s, " ", ""), true }
