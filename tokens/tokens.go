// Package tokens counts what a model reads, as cl100k_base does. The vocabulary is a part of
// the program; nothing is read from a network.
package tokens

import (
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// encoding is made at its first use: its vocabulary takes 0.1 s and some megabytes.
var encoding = sync.OnceValue(codec.NewCl100kBase)

// Count counts the tokens of a text.
func Count(text string) int {
	n, err := encoding().Count(text)
	if err != nil {
		return len(text) // it is no UTF-8, and no token is shorter than a byte
	}
	return n
}

// longest is the length in bytes of the longest token.
const longest = 128

// Begin returns what the first most tokens of a text stand for, without the bytes of a
// character that these end inside of. Of text that is no UTF-8 it is the first bytes.
func Begin(text string, most int) string {
	if most <= 0 {
		return ""
	}
	// What lies behind the most that these tokens can have changes none of them but the last.
	if reach := (most + 1) * longest; len(text) > reach {
		text = whole(text[:reach])
	}
	_, parts, err := encoding().Encode(text)
	if err != nil {
		return whole(text[:min(most, len(text))])
	}
	if len(parts) <= most {
		return text
	}
	length := 0
	for _, part := range parts[:most] {
		length += max(len(part), 1) // the vocabulary has no text for U+007F
	}
	return whole(text[:length])
}

// whole is a text without the beginning of a character at its end.
func whole(text string) string {
	for n := len(text); n > 0 && n > len(text)-utf8.UTFMax; n-- {
		if r, size := utf8.DecodeLastRuneInString(text[:n]); r != utf8.RuneError || size > 1 {
			return text[:n]
		}
	}
	return ""
}
