// Package rank says which of many tools a request means: BM25 over the words of their names,
// descriptions, tags, parameters and examples, in memory and without a model. It keeps
// nothing: an [Index] of ten thousand tools is made in some 40 ms. A ranking that somebody
// else has made may be fused with that by words.
//
// Read [Index.Search] first.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Document is a tool as far as it is ranked. All but the ID may be empty.
type Document struct {
	ID          string // orders those that are equally near; no two have the same
	Group       string // its namespace
	Name        string
	Description string
	Tags        []string
	Parameters  []string // the names of its arguments
	Examples    []string // how it is called, or asked for
	Types       []string // the types that it reads or writes
}

// field is a part of a document, and what a word in it counts for.
type field struct {
	texts  func(*Document) []string
	weight float64
	// length is how far a long text counts for less: from 0, not at all, to 1.
	length float64
}

// fields are those of a document, from what tells most of a tool to what tells least.
var fields = []field{
	{func(d *Document) []string { return []string{d.Name} }, 2, 0.4},
	{func(d *Document) []string { return []string{d.Description} }, 2, 0.5},
	{func(d *Document) []string { return d.Tags }, 1, 0.3},
	{func(d *Document) []string { return []string{d.Group, d.ID} }, 1, 0.3},
	{func(d *Document) []string { return d.Types }, 1, 0},
	{func(d *Document) []string { return d.Examples }, 0.7, 0.7},
	{func(d *Document) []string { return d.Parameters }, 0.5, 0.5},
}

// The places of two fields.
const (
	description = 1
	tags        = 2
)

// saturation says how soon more of one word adds little, as k1 of BM25.
const saturation = 1.2

// Index ranks the documents that it was made of. It never changes, and any number of
// goroutines may use it at a time.
type Index struct {
	documents []Document
	folds     [][]int32 // documents that are alike
	foldOf    []int32
	terms     map[string]int32
	postings  [][]posting
	weight    []float64 // of a term: more, the fewer folds have it
}

// posting is what a document says of a term, between 0 and saturation + 1.
type posting struct {
	document int32
	impact   float32
}

// count is how often a field of a document has a term.
type count struct {
	term  int32
	field uint8
	n     float32
}

// New makes an index of documents, which it keeps.
func New(documents []Document) *Index {
	x := &Index{documents: documents, terms: map[string]int32{}}
	number := func(stem string) int32 {
		term, known := x.terms[stem]
		if !known {
			term = int32(len(x.terms))
			x.terms[stem] = term
		}
		return term
	}
	var cutter cutter
	counts := make([][]count, len(documents))
	lengths := make([]float64, len(documents)*len(fields))
	average := make([]float64, len(fields))
	var found []count
	for i := range documents {
		found = found[:0]
		for f, of := range fields {
			length := &lengths[i*len(fields)+f]
			words := cutter.words
			if f == tags {
				words = cutter.tag
			}
			for _, text := range of.texts(&documents[i]) {
				for _, w := range words(text) {
					found = append(found, count{number(w.stem), uint8(f), w.share})
					if w.share == 1 {
						*length++
					}
				}
			}
			average[f] += *length / float64(len(documents))
		}
		counts[i] = slices.Clone(found)
	}
	x.fold(counts)

	x.postings = make([][]posting, len(x.terms))
	frequency := make([]float64, len(x.terms))
	for i, found := range counts {
		for _, c := range found {
			of, length := fields[c.field], lengths[i*len(fields)+int(c.field)]
			frequency[c.term] += of.weight * float64(c.n) / (1 - of.length + of.length*length/max(average[c.field], 1))
		}
		for _, c := range found {
			if n := frequency[c.term]; n > 0 {
				x.postings[c.term] = append(x.postings[c.term], posting{int32(i), float32(n * (saturation + 1) / (n + saturation))})
				frequency[c.term] = 0
			}
		}
	}
	// Each term is weighed by how many folds have it: what is there in ten versions is one tool.
	x.weight = make([]float64, len(x.postings))
	seen := make([]int, len(x.folds))
	for term, postings := range x.postings {
		having := 0
		for _, p := range postings {
			if fold := x.foldOf[p.document]; seen[fold] != term+1 {
				seen[fold] = term + 1
				having++
			}
		}
		x.weight[term] = math.Log(1 + (float64(len(x.folds)-having)+0.5)/(float64(having)+0.5))
	}
	return x
}

// Hit is a document that a request may mean.
type Hit struct {
	Document int     // its place among those of the index
	Score    float64 // only to be compared with others of the same search
	Alike    []int   // documents that are the same but for a version or a number, none before it
}

// Search returns at most most documents, the likeliest first, and of those that are alike one
// only. Those that are equally near stand in the order of their ids. A request without a word
// that the index has any use for has no hits.
func (x *Index) Search(request string, most int) []Hit {
	scores := x.score(x.expand(request))
	best := x.best(scores, most)
	hits := make([]Hit, 0, len(best))
	for _, d := range best {
		hits = append(hits, x.hit(d, scores[d]))
	}
	return hits
}

// best returns at most most documents with the highest scores above 0, of each fold one only.
func (x *Index) best(scores []float64, most int) []int32 {
	better := func(a, b int32) int {
		if by := cmp.Compare(scores[b], scores[a]); by != 0 {
			return by
		}
		return strings.Compare(x.documents[a].ID, x.documents[b].ID)
	}
	var best []int32
	for _, fold := range x.folds {
		d := fold[0]
		for _, other := range fold[1:] {
			if better(other, d) < 0 {
				d = other
			}
		}
		if scores[d] <= 0 || len(best) == most && (most == 0 || better(d, best[most-1]) > 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, d, better)
		best = slices.Insert(best[:min(len(best), most-1)], at, d)
	}
	return best
}

// hit is a document with those that are alike.
func (x *Index) hit(d int32, score float64) Hit {
	hit := Hit{Document: int(d), Score: score}
	for _, other := range x.folds[x.foldOf[d]] {
		if other != d {
			hit.Alike = append(hit.Alike, int(other))
		}
	}
	return hit
}

// wanted is a word of a request: the terms that may stand for it.
type wanted []way

// way is a term that may stand for a word, and for how much.
type way struct {
	term  int32
	share float64
}

// score adds up for each document what it has of the words of a request. Of the terms that
// may stand for one word the one that tells most counts, so that a document with three words
// for the same says no more than one with the best of them.
func (x *Index) score(words []wanted) []float64 {
	scores := make([]float64, len(x.documents))
	best := make([]float64, len(x.documents))
	var touched []int32
	for _, word := range words {
		touched = touched[:0]
		for _, way := range word {
			weight := way.share * x.weight[way.term]
			for _, p := range x.postings[way.term] {
				if best[p.document] == 0 {
					touched = append(touched, p.document)
				}
				best[p.document] = max(best[p.document], weight*float64(p.impact))
			}
		}
		for _, d := range touched {
			scores[d] += best[d]
			best[d] = 0
		}
	}
	return scores
}
