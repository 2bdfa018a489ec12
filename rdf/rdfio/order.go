package rdfio

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"trails/rdf"
)

// bySubject groups quads by subject; each group is sorted by canonical text and has no repeats.
func bySubject(quads []rdf.Quad) map[rdf.Term][]rdf.Quad {
	groups := map[rdf.Term][]rdf.Quad{}
	for _, q := range quads {
		q.Label = nil
		groups[q.Subject] = append(groups[q.Subject], q)
	}
	for s, group := range groups {
		sort.SliceStable(group, func(i, j int) bool {
			a, b := group[i], group[j]
			if a.Predicate != b.Predicate {
				return compareTerms(a.Predicate, b.Predicate) < 0
			}
			return compareTerms(a.Object, b.Object) < 0
		})
		groups[s] = slices.Compact(group)
	}
	return groups
}

func compareTerms(a, b rdf.Term) int {
	return bytes.Compare(rdf.AppendTerm(nil, a), rdf.AppendTerm(nil, b))
}

// sortedTerms returns the keys: IRIs first, then blank nodes, each sorted by text.
func sortedTerms(groups map[rdf.Term][]rdf.Quad) []rdf.Term {
	return slices.SortedFunc(maps.Keys(groups), compareTerms)
}

// sortedQuads returns the quads in canonical order, without repeats.
func sortedQuads(quads []rdf.Quad) []rdf.Quad {
	byText := make(map[string]rdf.Quad, len(quads))
	for _, q := range quads {
		byText[string(rdf.AppendQuad(nil, q))] = q
	}
	out := make([]rdf.Quad, 0, len(byText))
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		out = append(out, byText[text])
	}
	return out
}
