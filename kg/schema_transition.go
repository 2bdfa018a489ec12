package kg

import (
	"context"
	"slices"

	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// transition is the effect of a schema change on the statements of each node: it removes what the new schema has no
// place for, and adds defaults. The result for a node depends on that node only. Renaming comes before it. In other
// graphs it removes the names that go.
type transition struct {
	renaming
	before, after *schema.Schema // before already has the new names
	steps         []schema.Step
	losses        []loss // the lossy steps, in order
	fills         []fill // the steps that fill in defaults
}

// loss is a lossy step with its types and predicates.
type loss struct {
	schema.Step
	typ       *schema.Type
	within    map[*schema.Type]bool // types whose instances are affected
	predicate rdf.IRI               // of its property
	names     []rdf.Quad            // patterns with the names that only this step takes from the schema
}

// fill is a step that adds a default to instances without a value.
type fill struct {
	property *schema.Property
	within   map[*schema.Type]bool
}

func newTransition(head *schema.Schema, patched schema.Patched) transition {
	before, after := patched.Renamed, patched.Schema
	t := transition{renaming: newRenaming(head, before, after), before: before, after: after, steps: patched.Steps(head)}
	for _, step := range t.steps {
		switch {
		case step.Lossy:
			l := newLoss(before, step)
			l.names = t.taken(l)
			t.losses = append(t.losses, l)
		case step.Backfill:
			typ := after.Type(step.Type)
			t.fills = append(t.fills, fill{after.Property(typ, step.Property), setOfTypes(after.Subtypes(typ))})
		}
	}
	return t
}

func newLoss(before *schema.Schema, step schema.Step) loss {
	l := loss{Step: step, typ: before.Type(step.Type)}
	l.within = setOfTypes(before.Subtypes(l.typ))
	if l.removesType() {
		l.within = map[*schema.Type]bool{l.typ: true}
	}
	if p := before.Property(l.typ, step.Property); p != nil {
		l.predicate = p.IRI
	}
	return l
}

// taken returns patterns with the names that the schema declares until this step, by the names of the old schema and
// by those after renaming, without those of an earlier step.
func (t transition) taken(l loss) (patterns []rdf.Quad) {
	add := func(pattern rdf.Quad) {
		earlier := slices.ContainsFunc(t.losses, func(e loss) bool { return slices.Contains(e.names, pattern) })
		if t.after.Undeclared(pattern) && !earlier && !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	at := slices.Index(t.before.Types, l.typ)
	for _, s := range []*schema.Schema{t.before, t.head} {
		if at < 0 {
			break // it is about no type
		}
		typ := s.Types[at]
		if l.removesType() {
			add(rdf.Quad{Predicate: rdf.Type, Object: typ.IRI})
		}
		for i, p := range typ.Properties {
			if l.removesType() || l.Property == l.typ.Properties[i].Name {
				add(rdf.Quad{Predicate: p.IRI})
			}
		}
	}
	return patterns
}

// takes reports whether the step takes the name that a statement uses from the schema.
func (l loss) takes(q rdf.Quad) bool {
	return slices.ContainsFunc(l.names, func(name rdf.Quad) bool { return fits(q, name) })
}

func setOfTypes(types []*schema.Type) map[*schema.Type]bool {
	set := make(map[*schema.Type]bool, len(types))
	for _, t := range types {
		set[t] = true
	}
	return set
}

// removesType reports whether the step removes the type from a type's instances.
func (l loss) removesType() bool {
	return l.Property == "" && (l.Kind == schema.DropType || l.Kind == schema.ChangeIRI)
}

// concerns reports whether the step affects the values of a predicate: that of its property, or one inherited by its
// type.
func (l loss) concerns(before *schema.Schema, predicate rdf.IRI) bool {
	if l.Property != "" {
		return predicate == l.predicate
	}
	p := before.PropertyByIRI(l.typ, predicate)
	return p != nil && !slices.Contains(l.typ.Properties, p)
}

// nodeState is a node before a change of schema.
type nodeState struct {
	quads      []rdf.Quad
	had, stays []*schema.Type // its types, and those of the new schema
}

func (t transition) state(quads []rdf.Quad) nodeState {
	return nodeState{quads, t.before.TypesOf(quads), t.after.TypesOf(quads)}
}

// each visits the quads of the current data that one lossy step removes and no earlier step does.
func (t transition) each(ctx context.Context, data validate.Data, step schema.Step, visit func(rdf.Quad) error) error {
	src := t.over(data)
	at := slices.IndexFunc(t.losses, func(l loss) bool {
		return l.Kind == step.Kind && l.Type == step.Type && l.Property == step.Property
	})
	for _, typ := range t.before.Types {
		if !t.losses[at].within[typ] {
			continue
		}
		err := eachInstance(ctx, src, typ, func(node rdf.Term) error {
			quads, err := collect(src.Match(ctx, rdf.Quad{Subject: node, Label: rdf.DefaultGraph}))
			if err != nil {
				return err
			}
			return t.eachLost(t.state(quads), typ, at, visit)
		})
		if err != nil {
			return err
		}
	}
	for _, name := range t.losses[at].names {
		if err := t.eachUntyped(ctx, src, name, at, visit); err != nil {
			return err
		}
		if err := t.eachInGraphs(ctx, data, name, visit); err != nil {
			return err
		}
	}
	return nil
}

// eachUntyped visits the statements with a name that goes, of nodes in the default graph that have none of the types
// that loss number at affects.
func (t transition) eachUntyped(ctx context.Context, src rdf.Source, name rdf.Quad, at int, visit func(rdf.Quad) error) error {
	name.Label = rdf.DefaultGraph
	for q, err := range src.Match(ctx, name) {
		if err != nil {
			return err
		}
		types, err := collect(src.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Label: rdf.DefaultGraph}))
		if err != nil {
			return err
		}
		n := t.state(types)
		n.quads = []rdf.Quad{q}
		if t.losses[at].affects(n) {
			continue
		}
		if err := t.eachFirstLost(n, at, visit); err != nil {
			return err
		}
	}
	return nil
}

// eachInGraphs visits the statements of named graphs with a name that goes.
func (t transition) eachInGraphs(ctx context.Context, data rdf.Source, name rdf.Quad, visit func(rdf.Quad) error) error {
	for q, err := range data.Match(ctx, name) {
		if err != nil {
			return err
		}
		if q.Label == nil || !t.after.Undeclared(q) {
			continue
		}
		if len(t.renames) > 0 { // it may get a name that stays
			types, err := collect(data.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type}))
			if err != nil {
				return err
			}
			if !slices.Contains(t.imagesOf(q, t.renaming.had(q, types)), q) {
				continue
			}
		}
		if err := visit(q); err != nil {
			return err
		}
	}
	return nil
}

// eachLost visits what one node loses by loss number at, if typ is the first of the node's affected types: a node
// with several is visited once.
func (t transition) eachLost(n nodeState, typ *schema.Type, at int, visit func(rdf.Quad) error) error {
	first := slices.IndexFunc(n.had, func(of *schema.Type) bool { return t.losses[at].within[of] })
	if n.had[first] != typ {
		return nil
	}
	return t.eachFirstLost(n, at, visit)
}

// eachFirstLost visits the quads of a node that loss number at removes and no earlier one does.
func (t transition) eachFirstLost(n nodeState, at int, visit func(rdf.Quad) error) error {
	var earlier []rdf.Quad
	for _, l := range t.losses[:at] {
		earlier = append(earlier, t.lost(n, l)...)
	}
	for _, q := range t.lost(n, t.losses[at]) {
		if slices.Contains(earlier, q) {
			continue
		}
		if err := visit(q); err != nil {
			return err
		}
	}
	return nil
}

// affects reports whether a node has one of the types of the step.
func (l loss) affects(n nodeState) bool {
	return slices.ContainsFunc(n.had, func(of *schema.Type) bool { return l.within[of] })
}

// strays returns the quads of a node with names that a step takes, unless an open type keeps them.
func (t transition) strays(n nodeState, l loss) (out []rdf.Quad) {
	for _, q := range n.quads {
		if l.takes(q) && !t.after.IsOpen(n.stays) {
			out = append(out, q)
		}
	}
	return out
}

// lost returns the quads of a node that a step removes.
func (t transition) lost(n nodeState, l loss) []rdf.Quad {
	if !l.affects(n) {
		return t.strays(n, l)
	}
	if l.removesType() {
		return t.lostWith(n, l.typ)
	}
	if len(n.stays) == 0 {
		return nil // the step that removes its type removes everything
	}
	var out []rdf.Quad
	for _, q := range n.quads {
		predicate, _ := q.Predicate.(rdf.IRI)
		if l.concerns(t.before, predicate) && !declares(t.after, n.stays, predicate) {
			out = append(out, q)
		}
	}
	return out
}

// lostWith is what a node loses with a type: everything or, if another type stays, the type and the properties of
// this type only. For an open type these are many.
func (t transition) lostWith(n nodeState, typ *schema.Type) []rdf.Quad {
	if len(n.stays) == 0 {
		return n.quads
	}
	gone := t.after.TypeByIRI(typ.IRI) == nil
	wasOpen := t.before.IsOpen([]*schema.Type{typ}) && !t.after.IsOpen(n.stays)
	var out []rdf.Quad
	for _, q := range n.quads {
		predicate, _ := q.Predicate.(rdf.IRI)
		isType := predicate == rdf.Type && q.Object == typ.IRI
		declared := t.before.PropertyByIRI(typ, predicate) != nil && !declares(t.after, n.stays, predicate)
		if isType && gone || declared || wasOpen && t.after.Undeclared(q) {
			out = append(out, q)
		}
	}
	return out
}

// declares reports whether one of the types has a property with the predicate.
func declares(s *schema.Schema, types []*schema.Type, predicate rdf.IRI) bool {
	return slices.ContainsFunc(types, func(t *schema.Type) bool { return s.PropertyByIRI(t, predicate) != nil })
}

// becomes returns a node's quads after all steps.
func (t transition) becomes(quads []rdf.Quad) []rdf.Quad {
	n := t.state(quads)
	var gone []rdf.Quad
	for _, l := range t.losses {
		gone = append(gone, t.lost(n, l)...)
	}
	out := slices.DeleteFunc(slices.Clone(quads), func(q rdf.Quad) bool { return slices.Contains(gone, q) })
	for _, f := range t.fills {
		if q, ok := f.of(n.stays, out); ok {
			out = append(out, q)
		}
	}
	return out
}

// of returns the default that a node with these types and quads gets, if any.
func (f fill) of(types []*schema.Type, quads []rdf.Quad) (rdf.Quad, bool) {
	is := slices.ContainsFunc(types, func(of *schema.Type) bool { return f.within[of] })
	has := slices.ContainsFunc(quads, func(q rdf.Quad) bool { return q.Predicate == f.property.IRI })
	if !is || has || len(quads) == 0 {
		return rdf.Quad{}, false
	}
	return rdf.Quad{Subject: quads[0].Subject, Predicate: f.property.IRI, Object: f.property.Default}, true
}
