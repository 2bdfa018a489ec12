package rank

import (
	"cmp"
	"sort"
	"strings"
)

// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a fold scores 1/(reciprocal + rank) in each ranking.
const (
	reciprocal = 60
	deepest    = 100 // places of a ranking that count
)

// Fuse is [Index.Search] with two rankings: by words, and by near, which has for each document another similarity to
// the request, such as the cosine of two vectors; values up to 0 are ignored. A document that is first in both has
// the score 1. Equal scores are ordered by words and then by id.
func (x *Index) Fuse(request string, near []float64, most int) []Hit {
	type fused struct {
		document int32
		score    float64
		byWords  int // rank by words, deepest for none
	}
	var all []fused
	at := map[int32]int{} // by fold
	for i, d := range x.best(x.score(x.expand(request)), deepest) {
		at[x.foldOf[d]] = len(all)
		all = append(all, fused{d, worth(i), i})
	}
	for i, d := range x.best(near, deepest) {
		if both, found := at[x.foldOf[d]]; found {
			all[both].score += worth(i)
			continue
		}
		all = append(all, fused{d, worth(i), deepest})
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.byWords, b.byWords), strings.Compare(x.documents[a.document].ID, x.documents[b.document].ID)) < 0
	})
	hits := make([]Hit, 0, min(most, len(all)))
	for _, f := range all[:min(most, len(all))] {
		hits = append(hits, x.hit(f.document, f.score))
	}
	return hits
}

// worth is the score of a rank, half of 1 for the first.
func worth(place int) float64 { return (reciprocal + 1) / (2 * float64(reciprocal+1+place)) }
