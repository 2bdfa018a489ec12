// Package tokens counts what a model reads, as cl100k_base does. The vocabulary is a part of
// the program; nothing is read from a network.
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

// vocabulary has the tokens of cl100k_base by their ranks: of each its length, in a byte, and
// its bytes. A test holds it against another library, and writes it.
//
//go:embed cl100k_base.flate
var vocabulary []byte

// split divides a text into pieces, of which each is a token or several. It is that of
// cl100k_base.
const split = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// encoding is made at its first use: its vocabulary takes 0.1 s and some megabytes.
var encoding = sync.OnceValue(func() *tiktoken.Tiktoken {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(vocabulary)))
	ranks := map[string]int{}
	for at := 0; at < len(text); {
		end := at + 1 + int(text[at])
		ranks[string(text[at+1:end])] = len(ranks)
		at = end
	}
	if err == nil {
		// No text is looked through for special tokens, but the library wants one.
		var bpe *tiktoken.CoreBPE
		if bpe, err = tiktoken.NewCoreBPE(ranks, map[string]int{"<|endoftext|>": len(ranks) + 1}, split); err == nil {
			return tiktoken.NewTiktoken(bpe, nil, nil)
		}
	}
	panic(fmt.Sprintf("tokens: the vocabulary cannot be read: %v", err)) // it is a part of the program
})

// Count counts the tokens of a text. One with more than 2,000 bytes and no space between words
// is counted in parts, and may have a token more or less for each than it has as a whole.
func Count(text string) (n int) {
	for text != "" {
		part := begin(text)
		n += len(encoding().EncodeOrdinary(part))
		text = text[len(part):]
	}
	return n
}

// mostAtOnce bounds what is counted at once, for which the time grows with its square where it
// has no spaces.
const mostAtOnce = 2_000

// begin is the first part of a text that is counted by itself: up to a single space between
// words, where no token goes on.
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

// Begin returns what the first most tokens of a text stand for, without the bytes of a
// character that these end inside of. Of text that is no UTF-8 it is the first bytes.
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

// whole is a text without the beginning of a character at its end.
func whole(text string) string {
	for n := len(text); n > 0 && n > len(text)-utf8.UTFMax; n-- {
		if r, size := utf8.DecodeLastRuneInString(text[:n]); r != utf8.RuneError || size > 1 {
			return text[:n]
		}
	}
	return ""
}
