package fulltext

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// around is the approximate number of bytes before and after a match.
const around = 80

// Matches yields the places in a text, from start to before end in bytes, of the words that a query looks for in some
// form, except its common words.
func Matches(text string, q Query) func(yield func(start, end int) bool) {
	stems := map[string]bool{}
	var open []string
	for _, t := range q.Terms {
		for i, part := range t.Parts {
			if t.Common {
				continue
			}
			stems[Stem(part)] = true
			if t.Open && i == len(t.Parts)-1 {
				open = append(open, part)
			}
		}
	}
	return func(yield func(start, end int) bool) {
		for w := range Sequence(text) {
			hit := stems[Stem(w.Text)] || slices.ContainsFunc(open, func(part string) bool { return strings.HasPrefix(w.Text, part) })
			if hit && !yield(w.Start, w.End) {
				return
			}
		}
	}
}

// Snippet returns some 80 characters on each side of the first match in a text, cut between words, with an
// ellipsis at each cut. Without a match it returns the first 160 characters.
func Snippet(text string, q Query) string {
	first, last := 0, 0
	for start, end := range Matches(text, q) {
		first, last = start, end
		break
	}
	start, end := boundary(text, first-around, first), boundary(text, last+around, len(text))
	if first < around {
		start, end = 0, boundary(text, max(last+around, 2*around), len(text))
	}
	snippet := strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		snippet = "…" + snippet
	}
	if end < len(text) {
		snippet += "…"
	}
	return snippet
}

// boundary returns the end of the word at a position, but at most last, or the position itself if the word is
// long.
func boundary(text string, at, last int) int {
	if at <= 0 || at >= last {
		return min(max(at, 0), last)
	}
	for at > 0 && !utf8.RuneStart(text[at]) { // the text may be invalid UTF-8
		at--
	}
	if next := strings.IndexAny(text[at:min(at+around/2, last)], " \n\t"); next >= 0 {
		return at + next
	}
	return at
}
