package fulltext

import (
	"cmp"
	"sort"
)

// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a document scores 1/(reciprocal + rank) in each ranking.
const reciprocal = 60

// Deepest is how many places of a ranking count when rankings are fused.
const Deepest = 100

// Fused is a document of two rankings.
type Fused[K comparable] struct {
	Key K
	// Score is 1 for what is first in both, and half of it for what is first in one.
	Score float64
	// Words and Near are its places in the rankings, from 0; [Deepest] for none.
	Words, Near int
}

// Fuse merges a ranking by words and one by nearness, the best first. Of each the first [Deepest] count, and the others are
// left out. Equal scores are ordered by words.
func Fuse[K comparable](words, near []K) []Fused[K] {
	var all []Fused[K]
	at := map[K]int{}
	for i, k := range words[:min(len(words), Deepest)] {
		at[k] = len(all)
		all = append(all, Fused[K]{k, Worth(i), i, Deepest})
	}
	for i, k := range near[:min(len(near), Deepest)] {
		if both, found := at[k]; found {
			all[both].Score += Worth(i)
			all[both].Near = i
			continue
		}
		all = append(all, Fused[K]{k, Worth(i), Deepest, i})
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Words, b.Words)) < 0
	})
	return all
}

// Worth is the score of a place from 0 in one ranking: half of 1 for the first.
func Worth(place int) float64 { return (reciprocal + 1) / (2 * float64(reciprocal+1+place)) }
