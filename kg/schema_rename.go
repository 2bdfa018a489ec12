package kg

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// renaming is the effect of renamed types and properties on statements of all graphs except the schema graph. The
// zero value changes nothing.
type renaming struct {
	head    *schema.Schema
	after   *schema.Schema               // the schema after the change
	types   map[rdf.IRI]rdf.IRI          // classes with a new IRI
	moved   map[*schema.Property]rdf.IRI // properties with a new predicate
	all     map[rdf.IRI]rdf.IRI          // predicates all of whose properties get the same new predicate
	renames []rename                     // the steps in order
}

// rename is one step: a type of the old schema, and a property if it renames one.
type rename struct {
	typ      *schema.Type
	property *schema.Property
}

// newRenaming compares two schemas that have the same types and properties at the same indexes; after is the final
// schema.
func newRenaming(before, named, after *schema.Schema) renaming {
	r := renaming{head: before, after: after, types: map[rdf.IRI]rdf.IRI{}, moved: map[*schema.Property]rdf.IRI{}, all: map[rdf.IRI]rdf.IRI{}}
	if before == named {
		return r
	}
	split := map[rdf.IRI]bool{} // predicates with several new names
	for i, t := range before.Types {
		now := named.Types[i]
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
			if of, met := r.all[p.IRI]; met && of != now.Properties[j].IRI {
				split[p.IRI] = true
			}
			r.all[p.IRI] = now.Properties[j].IRI
		}
	}
	maps.DeleteFunc(r.all, func(was, now rdf.IRI) bool {
		return was == now || split[was] || after.Undeclared(rdf.Quad{Predicate: now})
	})
	return r
}

// images returns what becomes of a statement of a node with these types (in the default graph or in the statement's
// graph). If another of its types keeps the old name of the property, the old statement stays as well. If none of its
// types has the property, the statement is renamed if there is only one new name; otherwise it stays.
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
		if now, moves := r.all[predicate]; moves {
			q.Predicate = now
		}
		out = append(out, q)
	}
	return out
}

// imagesOf returns the images of a statement of any graph. In a named graph a statement keeps its name if the schema
// change removes the new name again.
func (r renaming) imagesOf(q rdf.Quad, had []*schema.Type) []rdf.Quad {
	images := r.images(q, had)
	if q.Label != nil && slices.ContainsFunc(images, r.after.Undeclared) {
		return []rdf.Quad{q}
	}
	return images
}

// of returns what becomes of all statements of a node in the default graph.
func (r renaming) of(quads []rdf.Quad) []rdf.Quad {
	had := r.head.TypesOf(quads)
	out, seen := make([]rdf.Quad, 0, len(quads)), make(map[rdf.Quad]bool, len(quads))
	for _, q := range quads {
		for _, image := range r.images(q, had) {
			if !seen[image] {
				out, seen[image] = append(out, image), true
			}
		}
	}
	return out
}

// eachMoved visits the statements that a step renames, with their images: for a node all of them in the default
// graph, for other graphs one at a time. visit counts those of its statements that are renamed; statements that an
// earlier step renames count there.
func (r renaming) eachMoved(ctx context.Context, src rdf.Source, step rename, visit func(was, now []rdf.Quad, moves int64) error) error {
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
				images := r.images(q, had) // q is also kept if another type keeps the name
				if changes = changes || !slices.Equal(images, []rdf.Quad{q}); !slices.Contains(images, q) {
					moves++
				}
			}
			if !changes {
				return nil
			}
			return visit(quads, r.of(quads), moves)
		}); err != nil {
			return err
		}
	}
	return r.eachElsewhere(ctx, src, step, visit)
}

// eachElsewhere visits what a step renames outside the nodes of its type: in other graphs, and in the default graph
// for nodes none of whose types has the property.
func (r renaming) eachElsewhere(ctx context.Context, src rdf.Source, step rename, visit func(was, now []rdf.Quad, moves int64) error) error {
	pattern := rdf.Quad{Predicate: rdf.Type, Object: step.typ.IRI}
	if step.property != nil {
		pattern = rdf.Quad{Predicate: step.property.IRI}
	}
	var batch []rdf.Quad
	for q, err := range src.Match(ctx, pattern) {
		if err != nil {
			return err
		}
		if q.Label == rdf.SchemaGraph || q.Label == nil && step.property == nil {
			continue
		}
		if batch = append(batch, q); len(batch) == batchSize {
			if err := r.elsewhere(ctx, src, step, batch, visit); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return r.elsewhere(ctx, src, step, batch, visit)
}

// elsewhere does this for a batch, so that a node with many values is read once.
func (r renaming) elsewhere(ctx context.Context, src rdf.Source, step rename, batch []rdf.Quad, visit func(was, now []rdf.Quad, moves int64) error) error {
	classes := map[rdf.Term][]rdf.Quad{}
	var nodes []rdf.Term // subjects in the default graph
	moves := map[rdf.Term]int64{}
	for _, q := range batch {
		declared, known := classes[q.Subject]
		if !known {
			var err error
			if declared, err = collect(src.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type})); err != nil {
				return err
			}
			classes[q.Subject] = declared
		}
		had := r.had(q, declared)
		if step.property != nil {
			ofType := r.first(step.property.IRI, had)
			if q.Label == nil && ofType != (rename{}) || cmp.Or(ofType, r.first(step.property.IRI, r.head.Types)) != step {
				continue // belongs to a node of the type, or to another step
			}
		}
		images := r.imagesOf(q, had)
		switch {
		case slices.Equal(images, []rdf.Quad{q}):
		case q.Label == nil:
			if moves[q.Subject]++; moves[q.Subject] == 1 {
				nodes = append(nodes, q.Subject)
			}
		default:
			var one int64
			if !slices.Contains(images, q) {
				one = 1
			}
			if err := visit([]rdf.Quad{q}, images, one); err != nil {
				return err
			}
		}
	}
	for _, node := range nodes {
		quads, err := collect(src.Match(ctx, rdf.Quad{Subject: node, Label: rdf.DefaultGraph}))
		if err != nil {
			return err
		}
		if err := visit(quads, r.of(quads), moves[node]); err != nil {
			return err
		}
	}
	return nil
}

// had returns the types of a node in the default graph or in the graph of a statement about it; said has its classes
// in all graphs.
func (r renaming) had(q rdf.Quad, declared []rdf.Quad) []*schema.Type {
	return r.head.TypesOf(slices.DeleteFunc(slices.Clone(declared), func(c rdf.Quad) bool { return c.Label != nil && c.Label != q.Label }))
}

// first is the first step that renames a predicate of nodes with these types.
func (r renaming) first(predicate rdf.IRI, had []*schema.Type) rename {
	for _, step := range r.renames {
		if step.property != nil && step.property.IRI == predicate &&
			slices.ContainsFunc(r.head.Subtypes(step.typ), func(t *schema.Type) bool { return slices.Contains(had, t) }) {
			return step
		}
	}
	return rename{}
}

// over returns data as it is after the renaming, without changing it.
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
				about, err := d.statements(ctx, q.Subject)
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

// sources are the current patterns for what matches a pattern after the renaming.
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

// statements returns the current statements of a node, and node those after the renaming.
func (d renamedData) statements(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	return collect(d.Data.Match(ctx, rdf.Quad{Subject: subject, Label: rdf.DefaultGraph}))
}

func (d renamedData) node(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	quads, err := d.statements(ctx, subject)
	return d.of(quads), err
}

// Having implements validate.Data. Each pair may have several sources before the renaming.
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
