package main

import (
	"fmt"
	"strings"
)

// didYouMean returns `; did you mean "x"?` for the candidate nearest to word, or ""
// when none is within a third of its letters.
func didYouMean(word string, candidates []string) string {
	best, distance := "", len(word)/3+2
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	if best == "" || distance >= len(word) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// maxCompared bounds the work on a hostile word; names that long are never near.
const maxCompared = 128

// editDistance is Levenshtein's, over bytes, with one row in memory.
func editDistance(a, b string) int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return maxCompared
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			substituted := diagonal
			if a[i-1] != b[j-1] {
				substituted++
			}
			diagonal = row[j]
			row[j] = min(substituted, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
