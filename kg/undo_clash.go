package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/db"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// clashOf returns why the commit cannot be undone for one node; nil if it can.
func (u *undoing) clashOf(ctx context.Context, t *transaction, n node) (*Clash, error) {
	c := comparison{seen: t.w.Seen(), schema: t.schema, undo: u, node: n, there: map[rdf.Quad]bool{}, removed: map[rdf.Quad]bool{}}
	for _, q := range n.before {
		c.there[q] = true
	}
	for _, e := range n.Edits {
		if e.Op == change.Retract {
			c.removed[e.Quad] = true
		}
	}
	if err := c.findTypes(ctx); err != nil {
		return nil, err
	}
	for _, look := range []func(context.Context) (*Clash, error){c.removedSince, c.valuesSince, c.saidSince} {
		if clash, err := look(ctx); clash != nil || err != nil {
			return clash, err
		}
	}
	return nil, nil
}

// comparison is the undo of one node.
type comparison struct {
	seen   *db.Reader
	schema *compiled
	undo   *undoing
	node
	there, removed map[rdf.Quad]bool // its current statements; those to be removed
	types, lost    []rdf.Quad        // the types that it will have, and those that it loses
}

func isType(q rdf.Quad) bool { return q.Predicate == rdf.Type && q.Label == nil }

func (c *comparison) findTypes(ctx context.Context) error {
	for q, err := range c.statements(ctx, c.seen, rdf.Type) {
		if err != nil {
			return err
		}
		if c.removed[q] {
			c.lost = append(c.lost, q)
		} else {
			c.types = append(c.types, q)
		}
	}
	for _, e := range c.Edits {
		if e.Op == change.Assert && isType(e.Quad) {
			c.types = append(c.types, e.Quad)
		}
	}
	return nil
}

// removedSince finds a node that had a type at the first commit, has lost it since, and would get a value back without a
// type.
func (c *comparison) removedSince(ctx context.Context) (*Clash, error) {
	back := slices.ContainsFunc(c.Edits, func(e change.Edit) bool { return e.Op == change.Assert && e.Quad.Label == nil })
	if !back || len(c.types) > 0 {
		return nil, nil
	}
	if had, err := c.seen.HadValue(ctx, c.Subject, rdf.Type, c.undo.first); err != nil || !had {
		return nil, err
	}
	seq, err := c.seen.LastChange(ctx, c.Subject)
	if err != nil {
		return nil, err
	}
	return c.clash(ctx, seq, "it was removed since")
}

// valuesSince finds an added value that is gone, a removed value that exists again, or one that has been replaced by
// another.
func (c *comparison) valuesSince(ctx context.Context) (*Clash, error) {
	for _, e := range c.Edits {
		moved := c.there[e.Quad] != (e.Op == change.Retract)
		types := c.types
		if e.Op == change.Retract {
			types = append(slices.Clip(types), c.lost...)
		}
		other, err := c.another(ctx, e.Quad, types)
		switch {
		case err != nil:
			return nil, err
		case moved && isType(e.Quad) && e.Op == change.Retract:
			return c.clashAt(ctx, c.seen.Removed, e.Quad, "it is no "+c.schema.typeName(e.Quad.Object)+" any more")
		case moved && isType(e.Quad):
			return c.clashAt(ctx, c.seen.Added, e.Quad, "it is a "+c.schema.typeName(e.Quad.Object)+" again")
		case other != nil && (moved || e.Op == change.Assert):
			return c.clashAt(ctx, c.seen.Added, *other, c.name(*other)+" has another value now")
		case moved && e.Op == change.Retract:
			return c.clashAt(ctx, c.seen.Removed, e.Quad, c.name(e.Quad)+" has lost a value that the commit added")
		case moved:
			return c.clashAt(ctx, c.seen.Added, e.Quad, c.name(e.Quad)+" has a value again that the commit removed")
		}
	}
	return nil, nil
}

// another returns a value besides q, or in its place, of a property with a single value by these types; nil if there
// is none.
func (c *comparison) another(ctx context.Context, q rdf.Quad, types []rdf.Quad) (*rdf.Quad, error) {
	if p := c.property(q, c.schema.schema.TypesOf(types)); q.Label != nil || p == nil || p.Many() {
		return nil, nil
	}
	for other, err := range c.statements(ctx, c.seen, q.Predicate) {
		if err != nil {
			return nil, err
		}
		if other != q && !c.removed[other] {
			return &other, nil
		}
	}
	return nil, nil
}

// saidSince finds statements that later commits added to a node which the commit made: they would be left without a
// type.
func (c *comparison) saidSince(ctx context.Context) (*Clash, error) {
	if len(c.lost) == 0 || len(c.types) > 0 {
		return nil, nil
	}
	for q, err := range c.statements(ctx, c.seen, nil) {
		if err != nil {
			return nil, err
		}
		if c.removed[q] {
			continue
		}
		seq, err := c.seen.Added(ctx, q)
		if err != nil {
			return nil, err
		}
		if seq > c.undo.commit.Seq {
			return c.clashAt(ctx, c.seen.Added, q, c.name(q)+" was added since")
		}
	}
	return nil, nil
}

// property returns the property of a statement, by the types of its node.
func (c *comparison) property(q rdf.Quad, of []*schema.Type) *schema.Property {
	predicate, _ := q.Predicate.(rdf.IRI)
	for _, t := range of {
		if p := c.schema.schema.PropertyByIRI(t, predicate); p != nil {
			return p
		}
	}
	return nil
}

// name is what people call the property of a statement.
func (c *comparison) name(q rdf.Quad) string {
	name := rdf.Lexical(q.Predicate)
	if p := c.property(q, c.schema.schema.Types); p != nil {
		name = p.Name
	}
	if q.Label != nil {
		name += fmt.Sprintf(" in graph <%s>", rdf.Lexical(q.Label))
	}
	return name
}

// clashAt is a clash about a statement that was changed by the commit that find returns; commits are only known for
// the default graph.
func (c *comparison) clashAt(ctx context.Context, find func(context.Context, rdf.Quad) (Seq, error), q rdf.Quad, what string) (*Clash, error) {
	if q.Label != nil {
		return &Clash{What: what}, nil
	}
	seq, err := find(ctx, q)
	if err != nil {
		return nil, err
	}
	clash, err := c.clash(ctx, seq, what)
	if p := c.property(q, c.schema.schema.Types); p != nil && strings.HasPrefix(what, p.Name+" ") {
		clash.Property = p.Name
	}
	return clash, err
}

// clash is a clash with a commit; 0 is an unknown one.
func (c *comparison) clash(ctx context.Context, seq Seq, what string) (*Clash, error) {
	if seq == 0 {
		return &Clash{What: what}, nil
	}
	by, err := c.seen.CommitBySeq(ctx, seq)
	return &Clash{What: what, Commit: by.ID.String()}, err
}
