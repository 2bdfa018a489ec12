package tokens_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"trails/text/tokens"
)

func TestTokensAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "hello world": 2, "Open a new GitHub issue with a title.": 9, "città 😀": 4, "…": 1,
	} {
		if got := tokens.Count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

// The beginning of a text is one of its beginnings, is UTF-8, and is the text itself when that
// has no more tokens.
func TestTheFirstTokensAreABeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(0, 12).Draw(t, "most")
		got := tokens.Begin(text, most)
		switch {
		case !strings.HasPrefix(text, got) || !utf8.ValidString(got):
			t.Fatalf("%q is no beginning of %q", got, text)
		case tokens.Count(text) <= most && got != text:
			t.Fatalf("%q has no more than %d tokens, and %q is left of it", text, most, got)
		}
	})
	long := strings.Repeat("a word ", 100_000)
	if got := tokens.Begin(long, 20); tokens.Count(got) != 20 {
		t.Errorf("%q has %d tokens, want 20", got, tokens.Count(got))
	}
}

func TestBytesThatAreNotUTF8AreCounted(t *testing.T) {
	for _, n := range []int{1, 3, 5_000} {
		if got, want := tokens.Count(strings.Repeat("\xff", n)), tokens.Count(strings.Repeat("\ufffd", n)); got != want {
			t.Errorf("%d bytes have %d tokens, want %d", n, got, want)
		}
	}
}
