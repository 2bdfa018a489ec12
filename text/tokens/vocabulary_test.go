package tokens_test

import (
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"

	"trails/text/tokens"
)

// The file is packed again by zopfli --deflate, which makes it 5 % smaller.
var rewrite = flag.Bool("rewrite", false, "write cl100k_base.flate")

// The vocabulary is that of another library, which has it as source, four times as large in a
// program.
func TestTheVocabularyIsThatOfAnotherLibrary(t *testing.T) {
	other, want := codec.NewCl100kBase(), []byte(nil)
	for id := range uint(100_256) {
		token, err := other.Decode([]uint{id})
		if err != nil || token == "" || len(token) > 255 {
			t.Fatalf("%d is %q: %v", id, token, err)
		}
		want = append(append(want, byte(len(token))), token...)
	}
	const name = "cl100k_base.flate"
	if *rewrite {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(want); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	if got, err := io.ReadAll(flate.NewReader(f)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is another one (-rewrite writes it): %v", name, err)
	}
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
		if got := tokens.Count(text); got < want-parts || got > want+parts {
			t.Fatalf("%q has %d tokens, want %d", text, got, want)
		}
	})
	words := strings.Repeat("Open a new GitHub issue, with a title. ", 1_000)
	if want, err := other.Count(words); err != nil || tokens.Count(words) != want {
		t.Errorf("%d tokens, want %d: %v", tokens.Count(words), want, err)
	}
}
