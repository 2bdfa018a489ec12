package db

import (
	"context"
	"slices"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
	"trails/sparql"
)

// How many links are read to find the predicates that refer to a node, and how many predicates of the file are then
// tried.
const (
	linksLooked     = 2000
	predicatesTried = 1000
)

// ReferringPredicates returns the predicates of statements of the default graph whose object is o. Its cost does not
// grow with the number of statements. In a file with more than a thousand predicates it may miss some for a node with
// thousands of links.
func (r *Reader) ReferringPredicates(ctx context.Context, o rdf.Term) ([]rdf.IRI, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "read", err)
	}
	answer, err := r.keptCount(countQuestion{kind: "referring"}, Selection{}, []rdf.Term{o}, func() (any, int, error) {
		list, looked, err := r.referringPredicates(ctx, o)
		if looked < linksLooked {
			return list, notKept, err
		}
		return list, len(list), err
	})
	return slices.Clone(answer.([]rdf.IRI)), err
}

// referringPredicates also returns how many links were read, at most linksLooked.
func (r *Reader) referringPredicates(ctx context.Context, o rdf.Term) (list []rdf.IRI, looked int64, err error) {
	links := countBy(slice(bgp(triplePattern(nil, nil, o)), linksLooked, 0), varP)
	err = r.ask(ctx, links, []sparql.Var{varP, varN}, func(a *answer) (bool, error) {
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
		return list, looked, err
	}
	// Reading all links would take long, so each predicate is looked up instead.
	all := slice(sparql.Distinct{Op: project(bgp(triplePattern(nil, nil, nil)), varP)}, predicatesTried, 0)
	tried, err := r.askIRIs(ctx, filtered(all, exists(bgp(triplePattern(nil, nil, o)))), varP)
	for _, p := range list {
		if !slices.Contains(tried, p) {
			tried = append(tried, p)
		}
	}
	return tried, looked, err
}

// referrers is the pattern for the subjects with o for p, in the order of their ids.
func referrers(p rdf.IRI, o rdf.Term, limit, offset int) sparql.Op {
	return project(slice(stored(bgp(triplePattern(nil, p, o)), false, varS), limit, offset), varS)
}

// Referrers returns up to limit subjects of the default graph that have o for p, in the order of their ids, from
// offset on.
func (r *Reader) Referrers(ctx context.Context, p rdf.IRI, o rdf.Term, limit, offset int) ([]rdf.Term, error) {
	return r.askTerms(ctx, referrers(p, o, limit, offset), varS)
}

// CountReferrers counts the results of [Reader.Referrers], up to most. The count of a node with thousands is kept for others
// who read the same commit.
func (r *Reader) CountReferrers(ctx context.Context, p rdf.IRI, o rdf.Term, most int) (int, error) {
	if err := r.ready(ctx); err != nil {
		return 0, r.fail(ctx, "count", err)
	}
	answer, err := r.keptCount(countQuestion{kind: "referrers", of: p, most: most}, Selection{}, []rdf.Term{o}, func() (any, int, error) {
		n, err := r.askCount(ctx, slice(bgp(triplePattern(nil, p, o)), most, 0))
		if n < linksLooked {
			return int(n), notKept, err
		}
		return int(n), 1, err
	})
	return answer.(int), err
}

// ReferrerTypes counts the first most referrers by rdf:type; the nil Object counts those without a type.
func (r *Reader) ReferrerTypes(ctx context.Context, p rdf.IRI, o rdf.Term, most int) ([]ObjectCount, error) {
	typed := sparql.LeftJoin{Left: referrers(p, o, most, 0), Right: bgp(triplePattern(nil, rdf.Type, nil))}
	return r.countByObject(ctx, typed)
}

// ReferrersOfType returns up to limit of the first most referrers that have this rdf:type; a nil class means those
// without a type.
func (r *Reader) ReferrersOfType(ctx context.Context, p rdf.IRI, o, class rdf.Term, most, limit int) ([]rdf.Term, error) {
	typed := exists(bgp(triplePattern(nil, rdf.Type, class)))
	if class == nil {
		typed = not(typed)
	}
	return r.askTerms(ctx, slice(stored(filtered(referrers(p, o, most, 0), typed), false, varS), limit, 0), varS)
}

// Link is a statement between two nodes.
type Link struct {
	From, To  rdf.Term
	Predicate rdf.IRI
}

// statementsOfNode reads what may be links of a node: inlined values are none, and their ids are below zero.
var statementsOfNode = leaf.Match("l.p, l.o", "", [4]bool{posS: true, posG: true}, leaf.SPO).Within("", " AND l.o > 0 LIMIT ?3 + 0")

// LinksBetween returns the statements of the default graph from some nodes to others, except those by rdf:type, in the order
// of the nodes. It reads up to each statements of a node, and most in all; whole is false if there are more, or may be.
func (r *Reader) LinksBetween(ctx context.Context, from, to []rdf.Term, each, most int) (links []Link, whole bool, err error) {
	if err = r.ready(ctx); err == nil {
		links, whole, err = r.linksBetween(ctx, from, to, each, most)
	}
	return links, whole, r.fail(ctx, "links", err)
}

func (r *Reader) linksBetween(ctx context.Context, from, to []rdf.Term, each, most int) (links []Link, whole bool, err error) {
	known := make(map[inline.TermID]rdf.Term, len(to))
	for _, node := range to {
		id, is, err := r.dict.Lookup(node)
		if err != nil {
			return nil, false, err
		}
		if is {
			known[id] = node
		}
	}
	typed, _, err := r.dict.Lookup(rdf.Type)
	if err != nil {
		return nil, false, err
	}
	cut := false
	for _, node := range from {
		id, is, err := r.dict.Lookup(node)
		if err != nil {
			return nil, false, err
		}
		if !is {
			continue
		}
		limit, n := min(each, most), 0
		err = r.rows(ctx, r.conn.text(statementsOfNode), func(s *stmt.Stmt) (bool, error) {
			n++
			other, is := known[s.ID(1)]
			if !is || s.ID(0) == typed {
				return true, nil
			}
			p, err := r.dict.Term(s.ID(0))
			iri, _ := p.(rdf.IRI)
			links = append(links, Link{node, other, iri})
			return true, err
		}, id, inline.TermID(defaultGraph), limit)
		if err != nil {
			return nil, false, err
		}
		if cut = cut || n == limit; cut && most == n {
			break
		}
		most -= n
	}
	return links, !cut, nil
}
