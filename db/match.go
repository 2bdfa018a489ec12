package db

import (
	"context"
	"iter"
	"strings"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

// defaultGraph is the g of quads in the default graph.
const defaultGraph = 0

// The positions of a quad, in the order of the primary key.
const (
	posS = iota
	posP
	posO
	posG
)

var columns = [4]string{"s", "p", "o", "g"}

// bound says which positions of a pattern are given, and whether its graph is a named one.
type bound struct {
	at    [4]bool
	named bool
}

// access is how one shape of pattern is read: by which statement, in which order.
type access struct {
	match        leaf.SQL
	bound        bound
	joinS, joinO int // the columns where the joined terms start, 0 for none
}

// accesses has one entry for each shape; see order for the choice.
var accesses = func() map[bound]*access {
	all := map[bound]*access{}
	for bits := range 32 {
		var b bound
		for i := range b.at {
			b.at[i] = bits>>i&1 == 1
		}
		b.named = bits >= 16 && b.at[posG]
		all[b] = newAccess(b)
	}
	return all
}()

// order returns the order whose leading columns are the pattern's.
//
//	s, sp, spo, s+g …   SPO
//	so, o               OSP
//	p, po               POS, or GPOS when the graph is named
//	g                   GPOS when it is named; the default graph is a scan
func (b bound) order() leaf.Order {
	s, p, o := b.at[posS], b.at[posP], b.at[posO]
	switch {
	case s && o && !p, !s && !p && o:
		return leaf.OSP
	case s:
		return leaf.SPO
	case b.named:
		return leaf.GPOS
	case p:
		return leaf.POS
	}
	return leaf.SPO
}

func newAccess(b bound) *access {
	a := &access{bound: b}
	fields, joins, column := "l.s, l.p, l.o, l.g", "", len(columns)
	join := func(alias, on string) int {
		at := column
		fields += strings.ReplaceAll(", T.kind, T.value, T.datatype, T.lang", "T", alias)
		joins += " LEFT JOIN terms " + alias + " ON " + alias + ".id = l." + on
		column += 4
		return at
	}
	// Many rows have many different subjects and objects, so the same statement reads these terms by a join.
	// Predicates and graphs are few, and cached.
	if !b.at[posS] {
		a.joinS = join("ts", "s")
	}
	if !b.at[posO] {
		a.joinO = join("ob", "o")
	}
	a.match = leaf.Match(fields, joins, b.at, b.order())
	return a
}

// pattern is a pattern with the ids of its terms.
type pattern struct {
	*access
	quad rdf.Quad
	ids  [4]inline.TermID
}

// resolve looks up the terms of a pattern; ok is false if nothing can match.
func (r *Reader) resolve(q rdf.Quad) (p pattern, ok bool, err error) {
	var b bound
	p.quad = q
	for i, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if t == nil {
			continue
		}
		b.at[i] = true
		if i == posG && t == rdf.DefaultGraph {
			continue // ids[posG] is defaultGraph
		}
		b.named = i == posG
		if p.ids[i], ok, err = r.dict.Lookup(t); err != nil || !ok {
			return p, false, err
		}
	}
	p.access = accesses[b]
	return p, true, nil
}

func (p pattern) bind(s *stmt.Stmt) {
	n := 0
	for i, given := range p.bound.at {
		if given {
			n++
			s.BindID(n, p.ids[i])
		}
	}
}

// Match returns the quads that match the pattern. A nil term matches everything; [rdf.DefaultGraph] as the label
// matches the default graph only. Virtual graphs are only read by name. The order is that of the index used: always
// the same, but not that of the texts. Rows are read as they are consumed.
func (r *Reader) Match(ctx context.Context, q rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		if err := r.match(ctx, q, yield); err != nil {
			yield(rdf.Quad{}, r.fail(ctx, "match", err))
		}
	}
}

func (r *Reader) match(ctx context.Context, q rdf.Quad, yield func(rdf.Quad, error) bool) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	if g := virtualGraphs[q.Label]; g != nil {
		return r.matchVirtual(ctx, g, q, yield)
	}
	if rdf.IsGraphAt(q.Label) {
		return r.matchAt(ctx, q, yield)
	}
	if rdf.IsOriginGraph(q.Label) {
		return r.matchOrigin(ctx, q, yield)
	}
	p, ok, err := r.resolve(q)
	if err != nil || !ok {
		return err
	}
	s, err := r.conn.Take(r.conn.text(p.match))
	if err != nil {
		return err
	}
	defer s.Release()
	p.bind(s)
	rows := quadRows{dict: &r.dict, pattern: p}
	return r.steps(ctx, s, func() (bool, error) {
		q, err := rows.quad(s)
		return err == nil && yield(q, nil), err
	})
}

// quadRows converts rows of ids to quads. It remembers the last term in each position, which is often that of the
// next row as well.
type quadRows struct {
	dict    *dictionary.Dictionary
	pattern pattern
	last    [4]inline.TermID
	terms   [4]rdf.Term
}

func (r *quadRows) quad(s *stmt.Stmt) (q rdf.Quad, err error) {
	if q.Subject, err = r.at(s, posS, r.pattern.quad.Subject, r.pattern.joinS); err != nil {
		return q, err
	}
	if q.Predicate, err = r.at(s, posP, r.pattern.quad.Predicate, 0); err != nil {
		return q, err
	}
	if q.Object, err = r.at(s, posO, r.pattern.quad.Object, r.pattern.joinO); err != nil {
		return q, err
	}
	if s.ID(posG) == defaultGraph {
		return q, nil
	}
	q.Label, err = r.at(s, posG, r.pattern.quad.Label, 0)
	return q, err
}

func (r *quadRows) at(s *stmt.Stmt, i int, given rdf.Term, join int) (t rdf.Term, err error) {
	if given != nil {
		return given, nil
	}
	id := s.ID(i)
	if id == r.last[i] && r.terms[i] != nil {
		return r.terms[i], nil
	}
	if join > 0 {
		t, err = r.dict.Joined(id, s, join)
	} else {
		t, err = r.dict.Term(id)
	}
	r.last[i], r.terms[i] = id, t
	return t, err
}
