package fault

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DidYouMean returns `; did you mean "x"?` for the candidate that is nearest to word,
// or "" when none is near: for an error about a name that is not known.
//
// Near is one edit for a name of up to five characters, two for one of up to eight,
// three beyond; an edit inserts, removes or replaces a character or exchanges two
// neighbours. Case does not count. Of candidates that are equally near the first counts.
func DidYouMean(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Nearest returns the candidate that [DidYouMean] names, or "" when none is near.
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

// maxEdits is the most that still counts as near, maxCompared the characters of the
// longest name that is compared.
const (
	maxEdits    = 3
	maxCompared = 128
)

// edits is how far a name of so many characters may be from one that is near. A name of
// one or two characters is near to almost everything.
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

// editDistance is the optimal string alignment distance over lower-case characters.
// It returns more than maxEdits at once when the lengths say that much.
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

// Counted says how many of something there are: "1 field", "2 fields".
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
