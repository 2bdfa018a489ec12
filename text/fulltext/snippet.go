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
	return func(yield func(start, end int) bool) {
		for m := range matches(text, q) {
			if !yield(m.start, m.end) {
				return
			}
		}
	}
}

// match is the place of a word that is looked for, with its stem or the beginning that it has.
type match struct {
	start, end int
	of         string
}

func matches(text string, q Query) func(yield func(match) bool) {
	stems := map[string]bool{}
	var open []string
	for _, t := range q.Terms {
		for i, part := range t.Parts {
			if t.Common {
				continue
			}
			stems[q.Stem(part)] = true
			if t.Open && i == len(t.Parts)-1 {
				open = append(open, part)
			}
		}
	}
	return func(yield func(match) bool) {
		end := 0
		Each(text, func(w Word) bool {
			of := q.Stem(w.Text)
			if !stems[of] {
				i := slices.IndexFunc(open, func(part string) bool { return strings.HasPrefix(w.Text, part) })
				if i < 0 {
					return true
				}
				of = open[i]
			}
			if w.Again && w.Start < end {
				return true // parts of it are matches
			}
			end = w.End
			return yield(match{w.Start, w.End, of})
		})
	}
}

// passageBytes is how much of a text after the first match is compared for the best passage.
const passageBytes = 64 << 10

// passage returns the first and the last match of some 160 characters of a text that say most of what a query looks
// for: the most different words, and of these the ones that the text has least often.
func passage(text string, q Query) (first, last match) {
	var all []match
	counts := map[string]float64{}
	for m := range matches(text, q) {
		if len(all) > 0 && m.start > all[0].start+passageBytes {
			break
		}
		all = append(all, m)
		counts[m.of]++
	}
	best, worth, from := 0.0, 0.0, 0
	inside := map[string]int{}
	for _, m := range all {
		if inside[m.of]++; inside[m.of] == 1 {
			worth += 1 + 1/counts[m.of]
		}
		for ; m.end-all[from].start > 2*around && all[from] != m; from++ {
			if of := all[from].of; inside[of] == 1 {
				worth -= 1 + 1/counts[of]
			}
			inside[all[from].of]--
		}
		if worth > best+1e-9 { // sums of the same numbers in another order differ in the last digits
			best, first, last = worth, all[from], m
		}
	}
	return first, last
}

// Snippet returns the part of a text that says most of what a query looks for, some 160 characters cut between words,
// with an ellipsis at each cut. Without a match it returns the first 160 characters.
func Snippet(text string, q Query) string {
	first, last := passage(text, q)
	beside := max(0, around-(last.start-first.start)/2)
	start, end := boundary(text, first.start-beside, first.start), boundary(text, last.end+beside, len(text))
	if first.start < beside {
		start, end = 0, boundary(text, max(last.end+beside, 2*around), len(text))
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
