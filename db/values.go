package db

import (
	"context"

	"trails/rdf"
	"trails/sparql"
)

// Values returns the objects that a subject of the default graph has for a predicate, in
// the order of their ids, from offset on and limit at most.
func (r *Reader) Values(ctx context.Context, s rdf.Term, p rdf.IRI, limit, offset int) ([]rdf.Term, error) {
	return r.askTerms(ctx, slice(stored(bgp(said(s, p, nil)), false, varO), limit, offset), varO)
}

// CountValues counts what [Reader.Values] lists, up to most.
func (r *Reader) CountValues(ctx context.Context, s rdf.Term, p rdf.IRI, most int) (int, error) {
	n, err := r.askCount(ctx, slice(bgp(said(s, p, nil)), most, 0))
	return int(n), err
}

// Predicates returns the predicates of a subject in the default graph, limit at most. How
// many values one has does not matter.
func (r *Reader) Predicates(ctx context.Context, s rdf.Term, limit int) ([]rdf.IRI, error) {
	return r.askIRIs(ctx, slice(sparql.Distinct{Op: project(bgp(said(s, nil, nil)), varP)}, limit, 0), varP)
}

// Exists reports whether anything is said of a subject in the default graph.
func (r *Reader) Exists(ctx context.Context, s rdf.Term) (found bool, err error) {
	err = r.askIDs(ctx, slice(bgp(said(s, nil, nil)), 1, 0), nil, func([]int64) bool {
		found = true
		return false
	})
	return found, err
}
