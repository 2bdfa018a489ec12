package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// question begins what ends the text of a fault about an unknown name.
const question = "; did you mean "

// Add returns the text of a fault with more behind it, but before the question in which it may end ([DidYouMean]), because
// nothing is read behind a question.
func Add(text, more string) string {
	if at := strings.LastIndex(text, question); at >= 0 && strings.HasSuffix(text, "?") {
		return text[:at] + more + text[at:]
	}
	return text + more
}

// DidYouMean returns `; did you mean "x"?` for the candidate most similar to word, or "" if none is similar.
// Use it in errors about unknown names.
//
// Similar means at most one edit for up to five characters, two for up to eight, three beyond. An edit
// inserts, removes or replaces a character, or swaps two neighbours. Case is ignored. Of equally similar
// candidates the first is taken. A candidate is similar, too, if it is the only one with the most of the word's
// parts and no other part, as query is to run_query, or the other way round.
func DidYouMean(word string, candidates []string) string {
	if near := Meant(word, candidates); near != "" {
		return question + strconv.Quote(near) + "?"
	}
	return ""
}

// OrOf ends a sentence about an unknown name with the most similar known name, and the first of the others.
func OrOf(name, verb string, known []string) string {
	const most = 40
	list := strings.Join(known[:min(len(known), most)], ", ")
	if len(known) > most {
		list += fmt.Sprintf(" and %d more", len(known)-most)
	}
	hint := DidYouMean(name, known)
	switch {
	case len(known) == 0:
		return ""
	case hint != "":
		return hint + " It " + verb + " " + list
	}
	return "; it " + verb + " " + list
}

// Meant returns the candidate named by [DidYouMean], or "".
func Meant(word string, candidates []string) string {
	return cmp.Or(Nearest(word, candidates), nearestByParts(word, candidates))
}

// nearestByParts returns the candidate that shares the most parts with a word, and has no others or lacks no others;
// "" if several share as many.
func nearestByParts(word string, candidates []string) (best string) {
	parts, most := partsOf(word), 0
	for _, c := range candidates {
		own := partsOf(c)
		shared, letters := 0, 0
		for _, part := range own {
			if slices.ContainsFunc(parts, func(other string) bool { return part == other || plural(part, other) || plural(other, part) }) {
				shared, letters = shared+1, max(letters, len(part))
			}
		}
		switch {
		case shared < max(most, 1) || letters < 3 || shared < min(len(own), len(parts)):
		case shared > most:
			best, most = c, shared
		case c != best:
			best = ""
		}
	}
	return best
}

// plural reports whether a word is another one with an ending of several.
func plural(several, one string) bool { return several == one+"s" || several == one+"es" }

// partsOf splits a name such as run_query or runQuery.
func partsOf(name string) []string {
	var spaced strings.Builder
	last := ' '
	for _, r := range name[:min(len(name), maxCompared)] {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Nearest returns the candidate with the fewest edits, see [DidYouMean], or "".
func Nearest(word string, candidates []string) string {
	best, distance := "", maxEdits+1
	for _, c := range candidates {
		most := edits(min(utf8.RuneCountInString(word), utf8.RuneCountInString(c)))
		if d := editDistance(word, c); d <= most && d < distance {
			best, distance = c, d
		}
	}
	return best
}

// maxEdits is the largest number of edits, maxCompared the length in characters of the longest name compared.
const (
	maxEdits    = 3
	maxCompared = 128
)

// edits returns the allowed number of edits for a name's length. It is 0 for one or two characters, which
// would be similar to almost everything.
func edits(characters int) int {
	switch {
	case characters <= 2:
		return 0
	case characters <= 5:
		return 1
	case characters <= 8:
		return 2
	}
	return maxEdits
}

// editDistance returns the optimal string alignment distance of lower-case strings. If the lengths differ too
// much it returns more than maxEdits at once.
func editDistance(x, y string) int {
	if len(x) > 4*maxCompared || len(y) > 4*maxCompared {
		return maxEdits + 1
	}
	a, b := []rune(strings.ToLower(x)), []rune(strings.ToLower(y))
	if len(a) > maxCompared || len(b) > maxCompared || max(len(a), len(b))-min(len(a), len(b)) > maxEdits {
		return maxEdits + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Counted returns a number with an English noun: "1 field", "2 fields", "2 clashes", "2 replies". Names of types are no
// such nouns.
func Counted[N int | int64](n N, noun string) string {
	ends := func(list ...string) bool {
		return slices.ContainsFunc(list, func(end string) bool { return strings.HasSuffix(noun, end) })
	}
	switch {
	case n == 1:
		return "1 " + noun
	case ends("s", "x", "z", "ch", "sh"):
		noun += "e"
	case ends("y") && !ends("ay", "ey", "oy", "uy"):
		noun = strings.TrimSuffix(noun, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
