package db

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/e2e/testrun"
	"trails/rdf"
)

// The words that are read from the pages of the index are those that FTS5 says it has, in
// one segment and in several, with lists of texts that take many pages and words that take
// much of one.
func TestWordsOnThePagesAreThoseOfTheIndex(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		letters := []rune("abcdeé東й0")
		var b strings.Builder
		for range 1 + random.IntN(random.IntN(30)+1) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for commit := range 5 {
		var quads []rdf.Quad
		for i := range 3000 {
			text := fmt.Sprint("common ", i, " ", word(), " ", word(), " ", word())
			quads = append(quads, rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:s:%d:%d", commit, i)), Predicate: rdf.IRI("urn:p"), Object: rdf.String(text)})
		}
		commitQuads(t, f, quads, nil)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var want []string
	if err := r.conn.Exec("SELECT DISTINCT term FROM word_places", func(s *stmt.Stmt) error {
		want = append(want, s.ColumnText(0))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	segments, err := r.conn.Int64("SELECT count(DISTINCT segid) FROM words_idx")
	if err != nil || segments < 2 || len(want) < 20_000 {
		t.Fatalf("%d segments, %d words, error %v", segments, len(want), err)
	}
	for _, begin := range []string{"", "a", "ab", "abc", "c", "com", "common", "commoner", "é", "東", "й", "0", "12", "~", "~a", "\U0010FFFF"} {
		var got, expected []string
		if err := wordindex.Beginning(t.Context(), r.conn.Conn, begin, 1_000_000, func(word string) bool {
			got = append(got, word)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		for _, word := range want {
			if strings.HasPrefix(word, begin) {
				expected = append(expected, word)
			}
		}
		slices.Sort(got)
		slices.Sort(expected)
		if got = slices.Compact(got); !slices.Equal(got, expected) {
			t.Errorf("%q: %d words, want %d", begin, len(got), len(expected))
		}
	}
	n := 0
	if err := wordindex.Beginning(t.Context(), r.conn.Conn, "a", 1_000_000, func(string) bool { n++; return n < 5 }); err != nil || n != 5 {
		t.Errorf("%d words are visited, want 5, error %v", n, err)
	}
}
