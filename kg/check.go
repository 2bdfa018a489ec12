package kg

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// defaultMaxErrors bounds the mistakes that a refused change counts.
const defaultMaxErrors = 10_000

// maxSeen bounds the nodes that a check remembers. A variable, so that a test reaches it
// with little data.
var maxSeen = 100_000

// errEnough stops a check that has found as much as will be reported.
var errEnough = errors.New("enough found")

// counted is the data that one node is checked with. All that is said of the node is held
// until it has been checked, and bounded.
type counted struct {
	validate.Data
	held int
}

// Match implements validate.Data.
func (d *counted) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	if pattern.Predicate != nil {
		return d.Data.Match(ctx, pattern) // it is not held
	}
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range d.Data.Match(ctx, pattern) {
			if err == nil {
				if d.held += bytesOf(q); d.held > heldBytes {
					err = tooManyStatements(q)
				}
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// created is the data where the change has just made a node: what it says of it is all that is
// said, and need not be read.
type created struct {
	validate.Data
	group *change.Group
}

// Match implements validate.Data.
func (d created) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	if pattern != (rdf.Quad{Subject: d.group.Subject, Label: rdf.DefaultGraph}) {
		return d.Data.Match(ctx, pattern)
	}
	return func(yield func(rdf.Quad, error) bool) {
		deltas, _ := d.group.Net(nil)
		for _, delta := range deltas {
			if delta.Quad.Label == nil && !yield(delta.Quad, nil) {
				return
			}
		}
	}
}

// problem is one thing that is wrong with a node.
type problem struct {
	focus rdf.Term
	path  rdf.IRI  // the predicate that it is about, or ""
	value rdf.Term // and the value, or nil
	field fault.FieldError
}

// checking is one validation of many nodes of one state.
type checking struct {
	data   validate.Data
	shapes *validate.Shapes
	limit  int
	memo   *validate.Cache
	paths  map[rdf.Term]bool // predicates whose values must be of a class
	seen   map[rdf.Term]bool // nodes that were checked because they refer to another, not all
	found  []problem
	report func(int64) // hears of every node; may be nil
}

func newChecking(data validate.Data, shapes *validate.Shapes, limit int) *checking {
	c := &checking{data: data, shapes: shapes, limit: limit, memo: validate.NewCache(100_000), paths: map[rdf.Term]bool{}, seen: map[rdf.Term]bool{}}
	for _, p := range shapes.ReferencePaths() {
		c.paths[p] = true
	}
	return c
}

// node checks one node; errEnough means that there is enough to report.
func (c *checking) node(ctx context.Context, focus rdf.Term) error {
	return c.nodeOf(ctx, c.data, focus)
}

// nodeOf checks a node whose statements are in some data.
func (c *checking) nodeOf(ctx context.Context, data validate.Data, focus rdf.Term) error {
	results, err := c.shapes.NodeCached(ctx, &counted{Data: data}, focus, c.memo)
	if err != nil {
		return fmt.Errorf("validate %s: %w", focus, err)
	}
	for _, r := range results {
		f := r.FieldError()
		if f.Code == fault.Required && slices.ContainsFunc(results, func(other validate.Result) bool {
			return other.Path == r.Path && other.FieldError().Code == fault.HasValue
		}) {
			continue // which value it must have is told
		}
		c.found = append(c.found, problem{focus: r.Focus, path: r.Path, value: r.Value, field: f})
	}
	if c.report != nil {
		c.report(1)
	}
	if len(c.found) >= c.limit {
		return errEnough
	}
	return nil
}

// schemaChange checks every instance of the types that a change of schema made
// stricter, those of their subtypes included.
func (c *checking) schemaChange(ctx context.Context, before, after *schema.Schema) error {
	types, err := c.affected(ctx, before, after)
	if err != nil {
		return err
	}
	for _, t := range types {
		for _, sub := range after.Subtypes(t) {
			if err := eachInstance(ctx, c.data, sub, func(node rdf.Term) error { return c.node(ctx, node) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// referrers checks the nodes that point to one that lost its type: whole-graph
// integrity at the cost of the references to it.
func (c *checking) referrers(ctx context.Context, target rdf.Term) error {
	for q, err := range c.data.Match(ctx, rdf.Quad{Object: target, Label: rdf.DefaultGraph}) {
		if err != nil {
			return err
		}
		if !c.paths[q.Predicate] || c.seen[q.Subject] {
			continue
		}
		if len(c.seen) >= maxSeen { // they are only there to save work
			clear(c.seen)
			for _, p := range c.found {
				c.seen[p.focus] = true // but an error is reported once
			}
		}
		c.seen[q.Subject] = true
		if err := c.node(ctx, q.Subject); err != nil {
			return err
		}
	}
	return nil
}

// affected returns the types whose instances a schema change must be checked against:
// those with a stricter step, and those that refer to a class which lost a subtype.
func (c *checking) affected(ctx context.Context, before, after *schema.Schema) ([]*schema.Type, error) {
	stricter := map[string]bool{}
	for _, step := range schema.Diff(before, after) {
		if !step.Checks || stricter[step.Type] {
			continue
		}
		if step.Kind == schema.AddProperty {
			p := after.Property(after.Type(step.Type), step.Property)
			if !p.Required() && p.HasValue == nil {
				_, none, err := collectFirst(c.data.Match(ctx, rdf.Quad{Predicate: p.IRI, Label: rdf.DefaultGraph}), 0)
				if err != nil {
					return nil, err
				}
				if none {
					continue // no node has a value
				}
			}
		}
		stricter[step.Type] = true
	}
	var out []*schema.Type
	for _, t := range after.Types {
		if stricter[t.Name] || refersToNarrowed(before, after, t) {
			out = append(out, t)
		}
	}
	return out, nil
}

// refersToNarrowed reports whether a property of t's own has a class whose instances
// are not all of it any more.
func refersToNarrowed(before, after *schema.Schema, t *schema.Type) bool {
	for _, p := range t.Properties {
		if p.Class != "" && narrowed(before, after, p.Class) {
			return true
		}
	}
	return false
}

// narrowed reports whether a type that stays is no subtype of the class any more.
func narrowed(before, after *schema.Schema, class string) bool {
	now := map[string]bool{}
	for _, sub := range after.Subtypes(after.Type(class)) {
		now[sub.Name] = true
	}
	for _, sub := range before.Subtypes(before.Type(class)) {
		if after.Type(sub.Name) != nil && !now[sub.Name] {
			return true
		}
	}
	return false
}
