package schema

import (
	"fmt"
	"strings"
)

// didYouMean returns `; did you mean "x"?` for the nearest candidate within two
// edits, or the whole list when none is near.
func didYouMean(word string, candidates []string) string {
	best, distance := "", 3
	for _, c := range candidates {
		if len(c) > len(word)+2 || len(word) > len(c)+2 {
			continue
		}
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance && d < len(word) {
			best, distance = c, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; there is " + listed(candidates)
}

// listed joins up to twenty candidates for a message.
func listed(candidates []string) string {
	const most = 20
	switch {
	case len(candidates) == 0:
		return "none"
	case len(candidates) > most:
		return strings.Join(candidates[:most], ", ") + fmt.Sprintf(" and %d more", len(candidates)-most)
	}
	return strings.Join(candidates, ", ")
}

// editDistance is Levenshtein's, cut off at 64 bytes: names that long are never near.
func editDistance(a, b string) int {
	const most = 64
	if len(a) > most || len(b) > most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
