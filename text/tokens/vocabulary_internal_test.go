package tokens

import (
	"bytes"
	"compress/flate"
	"errors"
	"flag"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

// The file is packed again by zopfli --deflate, which makes it 5 % smaller.
var rewrite = flag.Bool("rewrite", false, "write cl100k_base.flate")

// The vocabulary is that of another library, which has it as source, many times as large in a
// program.
func TestTheVocabularyIsThatOfAnotherLibrary(t *testing.T) {
	other, want := codec.NewCl100kBase(), map[string]int{}
	var list []string
	for id := range uint(100_256) {
		token, err := other.Decode([]uint{id})
		if err != nil || token == "" {
			t.Fatalf("%d is %q: %v", id, token, err)
		}
		want[token], list = int(id), append(list, token)
	}
	if *rewrite {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(packed(t, list, want))
		if err = errors.Join(err, w.Close(), os.WriteFile("cl100k_base.flate", out.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		vocabulary = out.Bytes()
	}
	if got := ranks(); !maps.Equal(got, want) {
		t.Errorf("cl100k_base.flate has %d other tokens (-rewrite writes it)", len(got))
	}
}

// packed returns the text of [vocabulary]. Of the pairs that make a token, it takes the one whose first has the lowest
// rank: these repeat most.
func packed(t *testing.T, list []string, ranks map[string]int) []byte {
	text := []byte(strings.Join(list[:singles], ""))
	n := len(list) - singles
	pairs := make([]byte, 6*n)
	for i, token := range list[singles:] {
		first, second := len(list), 0
		for k := 1; k < len(token); k++ {
			a, isToken := ranks[token[:k]]
			if b, are := ranks[token[k:]]; isToken && are && max(a, b) < ranks[token] && a < first {
				first, second = a, b
			}
		}
		if first == len(list) {
			t.Fatalf("%q is no two tokens of lower rank", token)
		}
		for plane, b := range []int{first, first >> 8, first >> 16, second, second >> 8, second >> 16} {
			pairs[plane*n+i] = byte(b)
		}
	}
	return append(text, pairs...)
}

// blankLines are lines with nothing but space in them: the other library ends a piece at the
// first line break, where \s*[\r\n]+ goes on to the last.
var blankLines = regexp.MustCompile(`[\r\n][\s\pZ\v\x{85}]+[\r\n]`)

// Texts have as many tokens as another library counts. It counts none for U+007F, which is one.
func TestAnotherLibraryCountsTheSame(t *testing.T) {
	other := codec.NewCl100kBase()
	characters := rapid.RuneFrom([]rune("aB é'ts1 \n\t.{}\":,<|endoftext|>東😀\u00a0"))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.OneOf(rapid.String(), rapid.StringOfN(characters, 0, 200, -1)).Draw(t, "text"), "\x7f", "")
		text = strings.Repeat(text, rapid.SampledFrom([]int{1, 1, 1, 100}).Draw(t, "times"))
		text = blankLines.ReplaceAllString(text, "\n")
		want, err := other.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		if len(text) > 2_000 {
			parts = len(text) / 1_000
		}
		if got := Count(text); got < want-parts || got > want+parts {
			t.Fatalf("%q has %d tokens, want %d", text, got, want)
		}
	})
	words := strings.Repeat("Open a new GitHub issue, with a title. ", 1_000)
	if want, err := other.Count(words); err != nil || Count(words) != want {
		t.Errorf("%d tokens, want %d: %v", Count(words), want, err)
	}
}
