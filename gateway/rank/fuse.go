package rank

import "trails/text/fulltext"

// Fuse is [Index.Search] with two rankings: by words, and by near, which has for each document another similarity to
// the request, such as the cosine of two vectors; values up to 0 are ignored. A document that is first in both has
// the score 1. Equal scores are ordered by words; see [fulltext.Fuse].
func (x *Index) Fuse(request string, near []float64, most int) []Hit {
	words, nearest := x.best(x.score(x.expand(request)), fulltext.Deepest), x.best(near, fulltext.Deepest)
	first := map[int32]int32{} // the document that stands for its fold
	folds := func(documents []int32) []int32 {
		list := make([]int32, len(documents))
		for i, d := range documents {
			list[i] = x.foldOf[d]
			if _, known := first[list[i]]; !known {
				first[list[i]] = d
			}
		}
		return list
	}
	all := fulltext.Fuse(folds(words), folds(nearest))
	hits := make([]Hit, 0, min(most, len(all)))
	for _, f := range all[:min(most, len(all))] {
		hits = append(hits, x.hit(first[f.Key], f.Score))
	}
	return hits
}
