package kg

import (
	"context"
	"iter"
	"maps"
	"slices"

	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// renaming is what new names of types and properties do to each node's own statements: a
// type that is called otherwise, and predicates. The zero value changes nothing.
type renaming struct {
	head    *schema.Schema
	types   map[rdf.IRI]rdf.IRI          // the classes that have another IRI after it
	moved   map[*schema.Property]rdf.IRI // the properties that have another predicate after it
	renames []rename                     // the steps, in order
}

// rename is one step: the type of the head that it is about, and the property, if it is one.
type rename struct {
	typ      *schema.Type
	property *schema.Property
}

// newRenaming compares two schemas that have the same types and properties in the same places.
func newRenaming(before, after *schema.Schema) renaming {
	r := renaming{head: before, types: map[rdf.IRI]rdf.IRI{}, moved: map[*schema.Property]rdf.IRI{}}
	if before == after {
		return r
	}
	for i, t := range before.Types {
		now := after.Types[i]
		if t.Name != now.Name {
			r.renames = append(r.renames, rename{typ: t})
		}
		if t.IRI != now.IRI {
			r.types[t.IRI] = now.IRI
		}
		for j, p := range t.Properties {
			if p.Name != now.Properties[j].Name {
				r.renames = append(r.renames, rename{t, p})
			}
			if p.IRI != now.Properties[j].IRI {
				r.moved[p] = now.Properties[j].IRI
			}
		}
	}
	return r
}

// images returns what becomes of a statement about a node that had these types. A property
// that another of its types keeps under the old name stays, too.
func (r renaming) images(q rdf.Quad, had []*schema.Type) []rdf.Quad {
	predicate, _ := q.Predicate.(rdf.IRI)
	if predicate == rdf.Type {
		class, _ := q.Object.(rdf.IRI)
		if now, renamed := r.types[class]; renamed {
			q.Object = now
		}
		return []rdf.Quad{q}
	}
	var out []rdf.Quad
	stays := true
	for _, t := range had {
		p := r.head.PropertyByIRI(t, predicate)
		now, renamed := r.moved[p]
		if p == nil {
			continue
		}
		if !renamed {
			now = predicate
		}
		stays = false
		image := q
		image.Predicate = now
		if !slices.Contains(out, image) {
			out = append(out, image)
		}
	}
	if stays {
		out = append(out, q)
	}
	return out
}

// of returns what becomes of all that is said of a node.
func (r renaming) of(quads []rdf.Quad) []rdf.Quad {
	had := r.head.TypesOf(quads)
	var out []rdf.Quad
	for _, q := range quads {
		for _, image := range r.images(q, had) {
			if !slices.Contains(out, image) {
				out = append(out, image)
			}
		}
	}
	return out
}

// each visits the nodes that a step is about, with all that is said of them, and how many
// of their statements it moves. What a step before it moves, too, counts there.
func (r renaming) each(ctx context.Context, src rdf.Source, step rename, visit func(quads []rdf.Quad, moves int64) error) error {
	family := []*schema.Type{step.typ}
	if step.property != nil {
		family = r.head.Subtypes(step.typ)
	}
	for _, typ := range family {
		if err := eachInstance(ctx, src, typ, func(node rdf.Term) error {
			quads, err := collect(src.Match(ctx, rdf.Quad{Subject: node, Label: rdf.DefaultGraph}))
			if err != nil {
				return err
			}
			had := r.head.TypesOf(quads)
			if first := slices.IndexFunc(had, func(t *schema.Type) bool { return slices.Contains(family, t) }); had[first] != typ {
				return nil // a node of several types is visited once
			}
			var moves int64
			changes := false
			for _, q := range quads {
				concerned := q.Predicate == rdf.Type && q.Object == typ.IRI
				if step.property != nil {
					concerned = q.Predicate == step.property.IRI && r.first(step.property.IRI, had) == step
				}
				if !concerned {
					continue
				}
				images := r.images(q, had) // q is one of them where another type keeps the name
				if changes = changes || !slices.Equal(images, []rdf.Quad{q}); !slices.Contains(images, q) {
					moves++
				}
			}
			if !changes {
				return nil
			}
			return visit(quads, moves)
		}); err != nil {
			return err
		}
	}
	return nil
}

// first is the first step that moves a predicate of nodes that had these types.
func (r renaming) first(predicate rdf.IRI, had []*schema.Type) rename {
	for _, step := range r.renames {
		if step.property != nil && step.property.IRI == predicate &&
			slices.ContainsFunc(r.head.Subtypes(step.typ), func(t *schema.Type) bool { return slices.Contains(had, t) }) {
			return step
		}
	}
	return rename{}
}

// over reads data as it is after the renaming, without changing it.
func (r renaming) over(data validate.Data) validate.Data {
	if len(r.types)+len(r.moved) == 0 {
		return data
	}
	return renamedData{data, r}
}

// renamedData is the default graph as it is after a renaming.
type renamedData struct {
	validate.Data // as it is now
	renaming
}

// Match implements validate.Data.
func (d renamedData) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	if pattern.Subject != nil {
		return fitting(ctx, d.node, pattern)
	}
	return func(yield func(rdf.Quad, error) bool) {
		for _, was := range d.sources(pattern) {
			for q, err := range d.Data.Match(ctx, was) {
				if err != nil {
					yield(q, err)
					return
				}
				about, err := d.said(ctx, q.Subject)
				if err != nil {
					yield(q, err)
					return
				}
				for _, image := range d.images(q, d.head.TypesOf(about)) {
					if image != q && slices.Contains(about, image) {
						continue // it is found as itself
					}
					if fits(image, pattern) && !yield(image, nil) {
						return
					}
				}
			}
		}
	}
}

// fits reports whether a quad has the predicate and the object of a pattern.
func fits(q, pattern rdf.Quad) bool {
	return (pattern.Predicate == nil || pattern.Predicate == q.Predicate) && (pattern.Object == nil || pattern.Object == q.Object)
}

// sources are the patterns now of what fits a pattern after the renaming.
func (d renamedData) sources(pattern rdf.Quad) []rdf.Quad {
	sources := []rdf.Quad{pattern}
	add := func(q rdf.Quad) {
		if !slices.Contains(sources, q) {
			sources = append(sources, q)
		}
	}
	if pattern.Predicate == rdf.Type {
		for was, now := range d.types {
			if pattern.Object == now {
				add(rdf.Quad{Predicate: rdf.Type, Object: was, Label: pattern.Label})
			}
		}
		return sources
	}
	for p, now := range d.moved {
		if pattern.Predicate == now {
			add(rdf.Quad{Predicate: p.IRI, Object: pattern.Object, Label: pattern.Label})
		}
	}
	return sources
}

// said is all that is said of a node now, and node what is after the renaming.
func (d renamedData) said(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	return collect(d.Data.Match(ctx, rdf.Quad{Subject: subject, Label: rdf.DefaultGraph}))
}

func (d renamedData) node(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	quads, err := d.said(ctx, subject)
	return d.of(quads), err
}

// Having implements validate.Data. Each pair may have been said in several ways before.
func (d renamedData) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	asks := [][]rdf.PredicateObject{{}}
	for _, pair := range pairs {
		var longer [][]rdf.PredicateObject
		for _, was := range d.sources(rdf.Quad{Predicate: pair.P, Object: pair.O}) {
			predicate, _ := was.Predicate.(rdf.IRI)
			for _, ask := range asks {
				longer = append(longer, append(slices.Clone(ask), rdf.PredicateObject{P: predicate, O: was.Object}))
			}
		}
		asks = longer
	}
	found := map[rdf.Term]bool{}
	for _, ask := range asks {
		terms, err := having(ctx, d.Data, d.node, ask, pairs, limit)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			found[term] = true
		}
	}
	all := slices.Collect(maps.Keys(found))
	return all[:min(len(all), limit)], nil
}
