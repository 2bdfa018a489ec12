package kg

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"trails/db"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/quote"
)

// keepClosed records the statements of a node that a closed base does not allow after the change: new ones with names
// under the base that the schema does not declare or does not allow for a node of these types, and, if the types of
// the node change, existing ones that were allowed before. Open types count in the default graph, which has the
// types. Existing statements that were not allowed before may stay. A change of the schema is checked by closeBase.
func (t *transaction) keepClosed(ctx context.Context, n node, deltas []change.Delta) error {
	s := t.schema.schema
	asks, retyped := false, false
	for _, d := range deltas {
		if isType(d.Quad) {
			retyped = retyped || len(n.before) > 0
		}
		asks = asks || d.Added && s.UsesBase(d.Quad)
	}
	if !asks && !retyped || t.job.action.EditsSchema() {
		return nil
	}
	declared := n.before
	if !n.whole {
		var err error
		if declared, err = collect(n.statements(ctx, t.w.Seen(), rdf.Type)); err != nil {
			return err
		}
	}
	had, types := typesAround(s, declared, deltas)
	open := s.IsOpen(types)
	var wrong []rdf.Quad
	if retyped && !open {
		var err error
		if wrong, err = t.wrongNow(ctx, n, deltas, had, types); err != nil {
			return err
		}
	}
	untyped := false
	for _, d := range deltas {
		q := d.Quad
		switch {
		case !d.Added, s.HasProperty(types, q):
		case s.Undeclared(q) && (q.Label != nil || !open), s.Misplaced(q, types):
			wrong = append(wrong, q)
		case q.Label == nil && q.Predicate != rdf.Type && len(types) == 0 && s.UsesBase(q):
			untyped = true
		}
	}
	if untyped {
		t.untyped.add(s, n.Subject)
	}
	for _, q := range wrong[:min(len(wrong), t.job.limit())] {
		t.undeclared = append(t.undeclared, undeclaredProblem(s, q, types, schema.DeclareWith))
	}
	if len(t.undeclared) >= t.job.limit() {
		return t.report(ctx, t.undeclared)
	}
	return nil
}

// untyped counts the nodes without a declared type to which a change gives properties of the schema.
type untyped struct {
	nodes int64
	first string
}

func (u *untyped) add(s *schema.Schema, node rdf.Term) {
	if u.nodes++; u.nodes == 1 {
		u.first = quote.Line(s.NodeName(node), maxSaid)
	}
}

// sentences say which nodes no constraint applies to.
func (u *untyped) list() []string {
	switch u.nodes {
	case 0:
		return nil
	case 1:
		return []string{u.first + " has properties of the schema and no type of it, so no list shows it and no constraint holds for it; give it one with rdf:type"}
	}
	return []string{fmt.Sprintf("%d nodes have properties of the schema and no type of it, such as %s, so no list shows them and no constraint holds for them; give them one with rdf:type", u.nodes, u.first)}
}

// typesAround returns the types of a node before and after a change; said are all type statements before it.
func typesAround(s *schema.Schema, declared []rdf.Quad, deltas []change.Delta) (before, after []*schema.Type) {
	var types []rdf.Quad
	for _, q := range declared {
		if isType(q) {
			types = append(types, q)
		}
	}
	before = s.TypesOf(types)
	for _, d := range deltas {
		switch {
		case !isType(d.Quad):
		case d.Added:
			types = append(types, d.Quad)
		default:
			types = slices.DeleteFunc(types, func(q rdf.Quad) bool { return q == d.Quad })
		}
	}
	return before, s.TypesOf(types)
}

// wrongNow returns the statements of a node in the default graph, before and after the change, that were allowed
// before it and are not allowed after it.
func (t *transaction) wrongNow(ctx context.Context, n node, deltas []change.Delta, had, has []*schema.Type) ([]rdf.Quad, error) {
	s := t.schema.schema
	closes := s.IsOpen(had)
	var out []rdf.Quad
	gone := map[rdf.Quad]bool{}
	for _, d := range deltas {
		gone[d.Quad] = !d.Added
	}
	for q, err := range n.statements(ctx, t.w.Seen(), nil) {
		if err != nil {
			return nil, err
		}
		if !gone[q] && (closes && s.Undeclared(q) || s.Misplaced(q, has) && !s.Misplaced(q, had)) {
			if out = append(out, q); len(out) >= t.job.limit() {
				break
			}
		}
	}
	return out, nil
}

func undeclaredProblem(s *schema.Schema, q rdf.Quad, types []*schema.Type, way string) problem {
	predicate, _ := q.Predicate.(rdf.IRI)
	return problem{focus: q.Subject, path: predicate, value: q.Object, field: s.ClosedError(q, types, way)}
}

// closeBase finds the statements that a change of the schema makes undeclared: their names under the base were
// declared before, or the base was open for them, and are not declared after it. If the change closes an open type,
// all undeclared statements count. It looks at what the change leaves of each statement that r has.
func (c *checking) closeBase(ctx context.Context, r *db.Reader, before, after *schema.Schema, leaves leaving) error {
	narrowed, closed := narrowsNames(before, after)
	if !narrowed && !closed {
		return nil
	}
	predicates, classes, err := r.NamesInUse(ctx)
	if err != nil {
		return err
	}
	var patterns []rdf.Quad
	for _, p := range predicates {
		patterns = append(patterns, rdf.Quad{Predicate: p})
	}
	for _, class := range classes {
		patterns = append(patterns, rdf.Quad{Predicate: rdf.Type, Object: class})
	}
	for _, pattern := range patterns {
		if !after.Undeclared(pattern) || before.Undeclared(pattern) && !closed {
			continue
		}
		var batch []rdf.Quad
		for q, err := range r.Match(ctx, pattern) {
			if err != nil {
				return err
			}
			if batch = append(batch, q); len(batch) == batchSize {
				if err := c.closeOut(ctx, r, after, batch, leaves); err != nil {
					return err
				}
				batch = batch[:0]
			}
		}
		if err := c.closeOut(ctx, r, after, batch, leaves); err != nil {
			return err
		}
	}
	return nil
}

// batchSize is how many statements closeOut checks at once.
const batchSize = 1000

// leaving returns what a change leaves of a statement.
type leaving func(context.Context, rdf.Quad) ([]rdf.Quad, error)

// closeOut finds the undeclared statements, except those of open types, in what the change leaves.
func (c *checking) closeOut(ctx context.Context, r *db.Reader, s *schema.Schema, statements []rdf.Quad, leaves leaving) error {
	types := map[rdf.Term][]rdf.Quad{}
	for _, q := range statements {
		types[q.Subject] = nil
	}
	classes, err := r.EachValues(ctx, slices.Collect(maps.Keys(types)), rdf.Type, typesJudged)
	if err != nil {
		return err
	}
	for subject, list := range classes {
		for _, class := range list {
			types[subject] = append(types[subject], rdf.Quad{Predicate: rdf.Type, Object: class})
		}
	}
	for _, q := range statements {
		of := s.TypesOf(types[q.Subject])
		if !s.Undeclared(q) || q.Label == nil && s.IsOpen(of) {
			continue
		}
		left, err := leaves(ctx, q)
		if err != nil {
			return err
		}
		for _, q := range left {
			if !s.Undeclared(q) {
				continue
			}
			if c.found = append(c.found, undeclaredProblem(s, q, of, schema.DeclareIn)); len(c.found) >= c.limit {
				return errEnough
			}
		}
	}
	return nil
}

// typesJudged bounds how many types of one node closeOut examines to find an open one.
const typesJudged = 1000

// narrowsNames reports whether some name under the base is no longer allowed, and whether an open type was closed.
func narrowsNames(before, after *schema.Schema) (narrowed, closed bool) {
	narrowed = len(before.Types) == 0
	for _, t := range before.Types {
		narrowed = narrowed || after.Undeclared(rdf.Quad{Predicate: rdf.Type, Object: t.IRI})
		for _, p := range t.Properties {
			narrowed = narrowed || after.Undeclared(rdf.Quad{Predicate: p.IRI})
		}
		closed = closed || before.IsOpen([]*schema.Type{t}) && !after.IsOpen([]*schema.Type{after.Type(t.Name)})
	}
	return narrowed, closed
}
