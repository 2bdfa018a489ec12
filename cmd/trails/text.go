package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// line makes s one line of printable text, so that data from outside cannot control a terminal.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// join puts sep between a and b unless one of them is empty.
func join(a, sep, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

// mentions reports whether name occurs in s as a whole word.
func mentions(s, name string) bool {
	isLetter := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for rest := s; ; {
		at := strings.Index(rest, name)
		if at < 0 || name == "" {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after, _ := utf8.DecodeRuneInString(rest[at+len(name):])
		if !isLetter(before) && !isLetter(after) {
			return true
		}
		rest = rest[at+len(name):]
	}
}

// count writes a number with its noun: "1 quad", "1,204 quads".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes n with a comma between its thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesOf writes a size for people, in binary units.
func bytesOf(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, i := float64(n), 0
	for size >= 1024 && i < len(units)-1 {
		size /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[i])
}
