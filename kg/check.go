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

// defaultMaxErrors bounds the errors that are counted for a refused change.
const defaultMaxErrors = 10_000

// maxSeen bounds the nodes that a check remembers. It is a variable, so that a test can reach it with little data.
var maxSeen = 100_000

// errEnough stops a check that has found as much as will be reported.
var errEnough = errors.New("enough found")

// counted is the data for checking one node. The statements of the node are held in memory until it is checked, and
// are bounded.
type counted struct {
	validate.Data
	held int
}

// Match implements validate.Data.
func (d *counted) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	if pattern.Predicate != nil {
		return d.Data.Match(ctx, pattern) // not held in memory
	}
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range d.Data.Match(ctx, pattern) {
			if err == nil {
				if d.held += rdf.BytesOf(q); d.held > heldBytes {
					err = rdf.TooManyStatements(q, heldBytes)
				}
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// created is the data for a node that the change has just made: its statements are all in the change, and need not be
// read.
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
	path  rdf.IRI  // predicate that it is about, or ""
	value rdf.Term // value that it is about, or nil
	field fault.FieldError
}

// checking is one validation of many nodes in one state of the graph.
type checking struct {
	data   validate.Data
	shapes *validate.Shapes
	limit  int
	memo   *validate.Cache
	paths  map[rdf.Term]bool // predicates whose values must be of a class
	seen   map[rdf.Term]bool // some of the nodes that were checked because they refer to another one
	found  []problem
	report func(int64) // called for every node; may be nil
	// begun counts, by class, the nodes that the change made instances of it, each of which is checked as one that changed; may be
	// nil.
	begun map[rdf.Term]int64
	// gone reports that the change removes all of a node, which a dry run leaves in place; may be nil.
	gone func(context.Context, rdf.Term) (bool, error)
}

func newChecking(data validate.Data, shapes *validate.Shapes, limit int) *checking {
	c := &checking{data: data, shapes: shapes, limit: limit, memo: validate.NewCache(100_000), paths: map[rdf.Term]bool{}, seen: map[rdf.Term]bool{}}
	for _, p := range shapes.ReferencePaths() {
		c.paths[p] = true
	}
	return c
}

// node checks one node. errEnough means that enough errors were found.
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
			continue // the message says which value is required
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
// stricter, those of their subtypes included, but for types of which all are begun.
func (c *checking) schemaChange(ctx context.Context, before, after *schema.Schema) error {
	types, err := c.affected(ctx, before, after)
	if err != nil {
		return err
	}
	for _, t := range types {
		for _, sub := range after.Subtypes(t) {
			if begun, err := c.isBegun(ctx, sub); err != nil {
				return err
			} else if begun {
				continue
			}
			if err := eachInstance(ctx, c.data, sub, func(node rdf.Term) error { return c.node(ctx, node) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// isBegun reports whether the change made every instance of a type one.
func (c *checking) isBegun(ctx context.Context, t *schema.Type) (bool, error) {
	left := c.begun[t.IRI]
	if left == 0 {
		return false, nil
	}
	for _, err := range c.data.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: t.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return false, err
		}
		if left--; left < 0 {
			return false, nil // there were some before
		}
	}
	return left == 0, nil
}

// referrers checks the nodes that refer to a node that lost its type. The cost is that of reading the references to
// it.
func (c *checking) referrers(ctx context.Context, target rdf.Term) error {
	for q, err := range c.data.Match(ctx, rdf.Quad{Object: target, Label: rdf.DefaultGraph}) {
		if err != nil {
			return err
		}
		if !c.paths[q.Predicate] || c.seen[q.Subject] {
			continue
		}
		if len(c.seen) >= maxSeen { // they only save work
			clear(c.seen)
			for _, p := range c.found {
				c.seen[p.focus] = true // but errors are reported once
			}
		}
		c.seen[q.Subject] = true
		if c.gone != nil {
			if gone, err := c.gone(ctx, q.Subject); err != nil {
				return err
			} else if gone {
				continue
			}
		}
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
				_, none, err := rdf.Collect(c.data.Match(ctx, rdf.Quad{Predicate: p.IRI, Label: rdf.DefaultGraph}), 0, heldBytes)
				if err != nil {
					return nil, err
				}
				if none {
					continue // no node has a value of it
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

// refersToNarrowed reports whether a property of t itself has a class that has lost some of its instances.
func refersToNarrowed(before, after *schema.Schema, t *schema.Type) bool {
	for _, p := range t.Properties {
		if p.Class != "" && narrowed(before, after, p.Class) {
			return true
		}
	}
	return false
}

// narrowed reports whether a remaining type is no longer a subtype of the class.
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
