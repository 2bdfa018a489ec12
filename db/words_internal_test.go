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
	"trails/text/fulltext"
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
	index, err := wordindex.PagesOf(r.conn.Conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, begin := range []string{"", "a", "ab", "abc", "c", "com", "common", "commoner", "é", "東", "й", "0", "12", "~", "~a", "\U0010FFFF"} {
		var got, expected []string
		if err := index.Beginning(t.Context(), begin, 1_000_000, func(word []byte) bool {
			got = append(got, string(word))
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
	if err := index.Beginning(t.Context(), "a", 1_000_000, func([]byte) bool { n++; return n < 5 }); err != nil || n != 5 {
		t.Errorf("%d words are visited, want 5, error %v", n, err)
	}
}

// The places that are read from the pages of the index are those that FTS5 finds: of words on the same page and on
// others, in a few texts and in so many that they take pages, of several words together, and of none.
func TestPlacesOnThePagesAreThoseOfTheIndex(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	random := rand.New(rand.NewPCG(3, 4))
	for commit := range 4 {
		var quads []rdf.Quad
		for i := range 4500 {
			text := fmt.Sprintf("all w%d v%d é%d", random.IntN(3000), random.IntN(60), random.IntN(9))
			if i%40 == 0 {
				text += strings.Repeat(" long", 30) + strings.Repeat(".", 60*(i%80))
			}
			quads = append(quads, rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:s:%d:%d", commit, i)), Predicate: rdf.IRI("urn:p"), Object: rdf.String(text)})
		}
		commitQuads(t, f, quads, nil)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var words []string
	if err := r.conn.Exec("SELECT DISTINCT term FROM word_places", func(s *stmt.Stmt) error {
		words = append(words, s.ColumnText(0))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	index, err := wordindex.PagesOf(r.conn.Conn)
	if err != nil {
		t.Fatal(err)
	}
	many := 0
	check := func(words []string, most int) {
		t.Helper()
		s := textSearch{Reader: r, ctx: t.Context()}
		goal := fulltext.Goal{Ways: [][][]string{{words}}}
		want, err := s.places(goal.Match(), most)
		if err != nil {
			t.Fatal(err)
		}
		got, err := index.Places(t.Context(), words, most)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d places of %q, want %d, error %v", len(got), words, len(want), err)
		}
		if len(got) > 10_000 {
			many++
		}
	}
	for _, word := range []string{"all", "~al", "é1", "long", "nosuch", "0", "zzz", "~~"} {
		for _, most := range []int{1, 100, 5000, 1_000_000} {
			check([]string{word}, most)
		}
	}
	for range 80 {
		some := []string{words[random.IntN(len(words))], "w2nosuch"}
		from := random.IntN(len(words))
		for range random.IntN(100) {
			some = append(some, words[random.IntN(len(words))])
		}
		check(some, 1+random.IntN(20_000))
		check(words[from:min(len(words), from+random.IntN(100)+1)], 1+random.IntN(20_000))
	}
	// Texts with several words have the places that the lists of the words share.
	for _, text := range []string{"all ", "all w1 ", "w1 v1 ", "é1 v7", "all é", "w12 v1 é2 ", "long all", "w1 nosuch ", "é3 all v5 w"} {
		q, err := fulltext.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.FindTexts(t.Context(), TextSearch{Query: q, Classes: []rdf.IRI{"urn:c"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{1, 500, textsOfClasses} {
			want, err := found.search.places(found.search.match(), most)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := found.search.together(most); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d places of %q, want %d, error %v", len(got), text, len(want), err)
			}
		}
	}
	if segments, err := r.conn.Int64("SELECT count(DISTINCT segid) FROM words_idx"); err != nil || segments < 2 || many == 0 {
		t.Fatalf("%d segments, %d words in many texts, error %v", segments, many, err)
	}
}
