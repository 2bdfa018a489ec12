// Package rank searches tools by a request: BM25 over the words of their names, descriptions, tags, parameters and
// examples, in memory and without a model. An [Index] of ten thousand tools takes some 40 ms to build. Another
// ranking can be combined with it.
//
// Read [Index.Search] first.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Document is a tool's texts for ranking. All but the ID may be empty.
type Document struct {
	ID          string // unique; orders documents with equal scores
	Group       string // its namespace
	Name        string
	Description string
	Tags        []string
	Parameters  []string // the names of its arguments
	Examples    []string // example calls or requests
	Types       []string // the types that it reads or writes
}

// field is a part of a document, with its weight.
type field struct {
	texts  func(*Document) []string
	weight float64
	// length says how much long texts reduce the weight: from 0, not at all, to 1.
	length float64
}

// fields are the fields of a document, the most important first.
var fields = []field{
	{func(d *Document) []string { return []string{d.Name} }, 2, 0.4},
	{func(d *Document) []string { return []string{d.Description} }, 2, 0.5},
	{func(d *Document) []string { return d.Tags }, 1, 0.3},
	{func(d *Document) []string { return []string{d.Group, d.ID} }, 1, 0.3},
	{func(d *Document) []string { return d.Types }, 1, 0},
	{func(d *Document) []string { return d.Examples }, 0.7, 0.7},
	{func(d *Document) []string { return d.Parameters }, 0.5, 0.5},
}

// The indexes of two fields.
const (
	description = 1
	tags        = 2
)

// saturation limits the effect of repeated words, like k1 of BM25.
const saturation = 1.2

// Index ranks documents. It is immutable and safe for concurrent use.
type Index struct {
	documents []Document
	folds     [][]int32 // groups of versions of the same tool
	foldOf    []int32
	terms     map[string]int32
	postings  [][]posting
	weight    []float64 // of a term: higher if fewer folds have it
}

// posting is the score of a term in a document, between 0 and saturation + 1.
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

// New builds an index of documents, which it keeps.
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
	// Terms are weighted by the number of folds, because versions are the same tool.
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

// Hit is a document found by a search.
type Hit struct {
	Document int     // index of the document
	Score    float64 // only comparable within one search
	Alike    []int   // further versions of the same tool
}

// Search returns up to most documents, the best first, one for each fold. Equal scores are ordered by id. A request
// without known words has no hits.
func (x *Index) Search(request string, most int) []Hit {
	scores := x.score(x.expand(request))
	best := x.best(scores, most)
	hits := make([]Hit, 0, len(best))
	for _, d := range best {
		hits = append(hits, x.hit(d, scores[d]))
	}
	return hits
}

// best returns up to most documents with the highest positive scores, one for each fold.
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

// wanted is a word of a request, with the terms that it may match.
type wanted []way

// way is a term that a word may match, with a weight.
type way struct {
	term  int32
	share float64
}

// score computes the score of each document for the words of a request. If several terms match one word, only the
// best one counts.
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
