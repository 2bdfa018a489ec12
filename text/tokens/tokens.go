// Package tokens counts the tokens of a text as cl100k_base does. The vocabulary is embedded; nothing is read
// from a network.
package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// vocabulary holds the tokens of cl100k_base by rank. The first are single bytes. Each other one is two tokens of lower
// rank, one after the other: the file has the low, middle and high bytes of the ranks of all first ones, and then those
// of the second ones. A test compares the tokens with those of another library, and writes the file.
//
//go:embed cl100k_base.flate
var vocabulary []byte

// singles is the number of tokens of one byte.
const singles = 256

// ranks returns the rank of every token. It is made on first use, because it takes some megabytes.
var ranks = sync.OnceValue(func() map[string]int {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(vocabulary)))
	if err != nil {
		panic(fmt.Sprintf("tokens: the vocabulary cannot be read: %v", err)) // the vocabulary is embedded
	}
	pairs := text[singles:]
	n := len(pairs) / 6
	list := make([]string, 0, singles+n)
	for i := range singles {
		list = append(list, string(text[i:i+1]))
	}
	rank := func(at int) int { return int(pairs[at]) | int(pairs[at+n])<<8 | int(pairs[at+2*n])<<16 }
	for i := range n {
		list = append(list, list[rank(i)]+list[rank(i+3*n)])
	}
	all := make(map[string]int, len(list))
	for rank, token := range list {
		all[token] = rank
	}
	return all
})

// Count returns the number of tokens. A text of more than 2,000 bytes without spaces is counted in parts, each
// of which can make the result wrong by one token. A byte that is not UTF-8 counts as U+FFFD.
func Count(text string) (n int) {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	for text != "" {
		part := begin(text)
		n += len(lengths(part))
		text = text[len(part):]
	}
	return n
}

// mostAtOnce bounds the length counted at once: for text without spaces, time grows with its square.
const mostAtOnce = 2_000

// begin returns the first part of a text that can be counted separately: it ends before a single space between
// words, where no token continues.
func begin(text string) string {
	if len(text) <= mostAtOnce {
		return text
	}
	part := whole(text[:mostAtOnce])
	for at := len(part) - 2; at > mostAtOnce/2; at-- {
		if part[at] == ' ' && letter(part[at-1]) && letter(part[at+1]) {
			return part[:at]
		}
	}
	return part
}

func letter(b byte) bool { return strings.IndexByte("abcdefghijklmnopqrstuvwxyz", b|0x20) >= 0 }

// Begin returns the text of the first most tokens, without an incomplete character at its end. Of invalid UTF-8
// it returns the first bytes.
func Begin(text string, most int) string {
	if most <= 0 {
		return ""
	}
	if !utf8.ValidString(text) {
		return whole(text[:min(most, len(text))])
	}
	for length := 0; length < len(text); {
		part := begin(text[length:])
		tokens := lengths(part)
		if len(tokens) > most {
			end := length
			for _, n := range tokens[:most] {
				end += n
			}
			return text[:length] + whole(text[length:end])
		}
		most -= len(tokens)
		length += len(part)
	}
	return text
}

// whole returns a text without an incomplete character at its end.
func whole(text string) string {
	for n := len(text); n > 0 && n > len(text)-utf8.UTFMax; n-- {
		if r, size := utf8.DecodeLastRuneInString(text[:n]); r != utf8.RuneError || size > 1 {
			return text[:n]
		}
	}
	return ""
}

// lengths returns the length of each token of a text, in bytes.
func lengths(text string) (all []int) {
	for text != "" {
		n := piece(text)
		all = append(all, merge(text[:n])...)
		text = text[n:]
	}
	return all
}

// merge returns the lengths of the tokens of a piece: beginning with single bytes, the two neighbours that make the
// token of the lowest rank become one, until no two neighbours make a token.
func merge(piece string) []int {
	ranks := ranks()
	if _, known := ranks[piece]; known {
		return []int{len(piece)}
	}
	const none = 1 << 30
	sizes, pairs := make([]int, len(piece)), make([]int, len(piece)) // pairs: the rank of each part with the next one
	rank := func(part, at int) int {
		if part+1 < len(sizes) {
			if rank, known := ranks[piece[at:at+sizes[part]+sizes[part+1]]]; known {
				return rank
			}
		}
		return none
	}
	for i := range sizes {
		sizes[i] = 1
	}
	for i := range sizes {
		pairs[i] = rank(i, i)
	}
	for {
		least, begin := 0, 0
		for i, at := 1, sizes[0]; i < len(pairs); i++ {
			if pairs[i] < pairs[least] {
				least, begin = i, at
			}
			at += sizes[i]
		}
		if pairs[least] == none {
			return sizes
		}
		sizes[least] += sizes[least+1]
		sizes, pairs = slices.Delete(sizes, least+1, least+2), slices.Delete(pairs, least+1, least+2)
		pairs[least] = rank(least, begin)
		if least > 0 {
			pairs[least-1] = rank(least-1, begin-sizes[least-1])
		}
	}
}
