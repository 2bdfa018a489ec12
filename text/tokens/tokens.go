// Package tokens counts the tokens of a text as cl100k_base does. The vocabulary is embedded; nothing is read
// from a network.
package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
)

// vocabulary holds the tokens of cl100k_base by rank, each as a byte with its length and its bytes. A test
// compares it with another library, and writes it.
//
//go:embed cl100k_base.flate
var vocabulary []byte

// split is cl100k_base's regular expression, which splits a text into pieces of one or more tokens.
const split = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// encoding is made on first use, because its vocabulary takes 0.1 s and some megabytes.
var encoding = sync.OnceValue(func() *tiktoken.Tiktoken {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(vocabulary)))
	ranks := map[string]int{}
	for at := 0; at < len(text); {
		end := at + 1 + int(text[at])
		ranks[string(text[at+1:end])] = len(ranks)
		at = end
	}
	if err == nil {
		// Special tokens are not recognized, but the library requires one.
		var bpe *tiktoken.CoreBPE
		if bpe, err = tiktoken.NewCoreBPE(ranks, map[string]int{"<|endoftext|>": len(ranks) + 1}, split); err == nil {
			return tiktoken.NewTiktoken(bpe, nil, nil)
		}
	}
	panic(fmt.Sprintf("tokens: the vocabulary cannot be read: %v", err)) // the vocabulary is embedded
})

// Count returns the number of tokens. A text of more than 2,000 bytes without spaces is counted in parts, each
// of which can make the result wrong by one token.
func Count(text string) (n int) {
	for text != "" {
		part := begin(text)
		n += len(encoding().EncodeOrdinary(part))
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
		ids := encoding().EncodeOrdinary(part)
		if len(ids) > most {
			return text[:length] + whole(part[:len(encoding().Decode(ids[:most]))])
		}
		most -= len(ids)
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
