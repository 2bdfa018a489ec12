package db

import (
	"context"
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// How many links a read looks at to learn by which predicates a node is referred
// to, and how many predicates of the file it then tries.
const (
	linksLooked     = 2000
	predicatesTried = 1000
)

// ReferringPredicates returns the predicates by which nodes of the default graph
// refer to o. What it costs does not grow with the number of links. In a file of
// more than a thousand predicates it may miss some of a node with thousands of links.
func (r *Reader) ReferringPredicates(ctx context.Context, o rdf.Term) ([]rdf.IRI, error) {
	var list []rdf.IRI
	looked := int64(0)
	links := countBy(slice(bgp(said(nil, nil, o)), linksLooked, 0), varP)
	err := r.ask(ctx, links, []sparql.Var{varP, varN}, func(a *answer) (bool, error) {
		p, err := a.at(0)
		if err != nil {
			return false, err
		}
		n, err := a.count(1)
		iri, _ := p.(rdf.IRI)
		list, looked = append(list, iri), looked+n
		return true, err
	})
	if err != nil || looked < linksLooked {
		return list, err
	}
	// To look at all links would take long: each predicate is asked whether it has one.
	all := slice(sparql.Distinct{Op: project(bgp(said(nil, nil, nil)), varP)}, predicatesTried, 0)
	tried, err := r.askIRIs(ctx, that(all, exists(bgp(said(nil, nil, o)))), varP)
	for _, p := range list {
		if !slices.Contains(tried, p) {
			tried = append(tried, p)
		}
	}
	return tried, err
}

// referrers are the subjects with o for p in the order of their ids.
func referrers(p rdf.IRI, o rdf.Term, limit, offset int) sparql.Op {
	return project(slice(stored(bgp(said(nil, p, o)), false, varS), limit, offset), varS)
}

// Referrers returns the subjects of the default graph that have o for p, in the
// order of their ids, from offset on and limit at most.
func (r *Reader) Referrers(ctx context.Context, p rdf.IRI, o rdf.Term, limit, offset int) ([]rdf.Term, error) {
	return r.askTerms(ctx, referrers(p, o, limit, offset), varS)
}

// CountReferrers counts what [Reader.Referrers] lists, up to most.
func (r *Reader) CountReferrers(ctx context.Context, p rdf.IRI, o rdf.Term, most int) (int, error) {
	n, err := r.askCount(ctx, slice(bgp(said(nil, p, o)), most, 0))
	return int(n), err
}

// ReferrerTypes counts the first most referrers by rdf:type; those without a type
// are under the nil Object.
func (r *Reader) ReferrerTypes(ctx context.Context, p rdf.IRI, o rdf.Term, most int) ([]ObjectCount, error) {
	typed := sparql.LeftJoin{Left: referrers(p, o, most, 0), Right: bgp(said(nil, rdf.Type, nil))}
	return r.countByObject(ctx, typed)
}

// ReferrersOfType returns those of the first most referrers with this rdf:type, limit
// at most; a nil class means those without a type.
func (r *Reader) ReferrersOfType(ctx context.Context, p rdf.IRI, o, class rdf.Term, most, limit int) ([]rdf.Term, error) {
	typed := exists(bgp(said(nil, rdf.Type, class)))
	if class == nil {
		typed = not(typed)
	}
	return r.askTerms(ctx, slice(stored(that(referrers(p, o, most, 0), typed), false, varS), limit, 0), varS)
}
