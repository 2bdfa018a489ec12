package rdfio

import (
	"bytes"
	"maps"
	"slices"

	"trails/kg/rdf"
)

// bySubject groups quads, each group sorted and without repeats.
func bySubject(quads []rdf.Quad) map[rdf.Term][]rdf.Quad {
	groups := map[rdf.Term][]rdf.Quad{}
	for _, q := range quads {
		q.Label = nil
		groups[q.Subject] = append(groups[q.Subject], q)
	}
	for s, group := range groups {
		slices.SortFunc(group, compareQuads)
		groups[s] = slices.Compact(group)
	}
	return groups
}

// compareQuads orders quads of one subject by the canonical text of their terms.
func compareQuads(a, b rdf.Quad) int {
	if a.Predicate != b.Predicate {
		return compareTerms(a.Predicate, b.Predicate)
	}
	return compareTerms(a.Object, b.Object)
}

func compareTerms(a, b rdf.Term) int {
	return bytes.Compare(rdf.AppendTerm(nil, a), rdf.AppendTerm(nil, b))
}

// sortedTerms returns the keys in the order IRIs, then blank nodes, each by text.
func sortedTerms(groups map[rdf.Term][]rdf.Quad) []rdf.Term {
	return slices.SortedFunc(maps.Keys(groups), compareTerms)
}
