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

// renaming is what new names of types and properties do to statements of every graph but
// that of the schema: a type that is called otherwise, and predicates. The zero value
// changes nothing.
type renaming struct {
	head    *schema.Schema
	after   *schema.Schema               // which the change leads to
	types   map[rdf.IRI]rdf.IRI          // the classes that have another IRI after it
	moved   map[*schema.Property]rdf.IRI // the properties that have another predicate after it
	all     map[rdf.IRI]rdf.IRI          // the predicates of which every property moves, to one and the same
	renames []rename                     // the steps, in order
}

// rename is one step: the type of the head that it is about, and the property, if it is one.
type rename struct {
	typ      *schema.Type
	property *schema.Property
}

// newRenaming compares two schemas that have the same types and properties in the same
// places, on the way to a third one.
func newRenaming(before, named, after *schema.Schema) renaming {
	r := renaming{head: before, after: after, types: map[rdf.IRI]rdf.IRI{}, moved: map[*schema.Property]rdf.IRI{}, all: map[rdf.IRI]rdf.IRI{}}
	if before == named {
		return r
	}
	split := map[rdf.IRI]bool{} // the predicates that have several names after it
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

// images returns what becomes of a statement of a node that had these types, which the
// default graph or the statement's own says. A property that another of its types keeps under
// the old name stays, too. Where none of its types has the property, the statement moves when
// there is one name that it can get: otherwise it stays.
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

// imagesOf returns the images of a statement of any graph. One of a named graph stays rather
// than get a name that the change of schema takes away again.
func (r renaming) imagesOf(q rdf.Quad, had []*schema.Type) []rdf.Quad {
	images := r.images(q, had)
	if q.Label != nil && slices.ContainsFunc(images, r.after.Undeclared) {
		return []rdf.Quad{q}
	}
	return images
}

// of returns what becomes of all that the default graph says of a node.
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

// eachMoved visits what a step moves, and what becomes of it: of a node all that the default
// graph says, of other graphs one statement at a time. Of the statements that it is given,
// visit counts those that move: what a step before this one moves, too, counts there.
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
				images := r.images(q, had) // q is one of them where another type keeps the name
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

// eachElsewhere visits what a step moves beside the nodes of its type: what other graphs
// say, and the default graph of nodes none of whose types has the property.
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

// elsewhere does so for a batch: a node with many values is read once for all of them.
func (r renaming) elsewhere(ctx context.Context, src rdf.Source, step rename, batch []rdf.Quad, visit func(was, now []rdf.Quad, moves int64) error) error {
	classes := map[rdf.Term][]rdf.Quad{}
	var nodes []rdf.Term // that the default graph is about
	moves := map[rdf.Term]int64{}
	for _, q := range batch {
		said, known := classes[q.Subject]
		if !known {
			var err error
			if said, err = collect(src.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type})); err != nil {
				return err
			}
			classes[q.Subject] = said
		}
		had := r.had(q, said)
		if step.property != nil {
			ofType := r.first(step.property.IRI, had)
			if q.Label == nil && ofType != (rename{}) || cmp.Or(ofType, r.first(step.property.IRI, r.head.Types)) != step {
				continue // of a node of the type, or another step's
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

// had returns the types that a node had by the default graph, or by the graph of a statement
// about it; said has its classes in all of them.
func (r renaming) had(q rdf.Quad, said []rdf.Quad) []*schema.Type {
	return r.head.TypesOf(slices.DeleteFunc(slices.Clone(said), func(c rdf.Quad) bool { return c.Label != nil && c.Label != q.Label }))
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
