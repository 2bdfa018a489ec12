package kg

import (
	"context"
	"slices"

	"trails/kg/rdf"
	"trails/kg/schema"
)

// transition is what a change of schema does to each node's own statements: it
// takes away what the new schema has no place for, and fills in defaults. What
// becomes of a node depends on that node alone.
type transition struct {
	before, after *schema.Schema
	steps         []schema.Step
}

func newTransition(before, after *schema.Schema) transition {
	return transition{before, after, schema.Diff(before, after)}
}

// each visits the quads that one lossy step takes away, and no step before it.
func (t transition) each(ctx context.Context, src rdf.Source, step schema.Step, visit func(rdf.Quad) error) error {
	within := t.within(step)
	for _, sub := range within {
		err := eachInstance(ctx, src, sub, func(node rdf.Term) error {
			quads, err := collect(src.Match(ctx, rdf.Quad{Subject: node, Label: rdf.DefaultGraph}))
			if err != nil || t.first(quads, within) != sub {
				return err
			}
			for _, q := range t.lost(quads, step) {
				if t.lostEarlier(quads, q, step) {
					continue
				}
				if err := visit(q); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// within returns the types whose instances a lossy step is about.
func (t transition) within(step schema.Step) []*schema.Type {
	typ := t.before.Type(step.Type)
	if goes(step) {
		return []*schema.Type{typ}
	}
	return t.before.Subtypes(typ)
}

// goes reports whether a step takes a type's instances their type.
func goes(step schema.Step) bool {
	return step.Property == "" && (step.Kind == schema.DropType || step.Kind == schema.ChangeIRI)
}

// first returns the first of the types that a node has, so that a node of several
// is visited once.
func (t transition) first(quads []rdf.Quad, of []*schema.Type) *schema.Type {
	types := t.before.TypesOf(quads)
	i := slices.IndexFunc(of, func(typ *schema.Type) bool { return slices.Contains(types, typ) })
	return of[i]
}

// lostEarlier reports whether a step before this one takes q of a node already.
func (t transition) lostEarlier(quads []rdf.Quad, q rdf.Quad, step schema.Step) bool {
	for _, earlier := range t.steps {
		if earlier.Kind == step.Kind && earlier.Type == step.Type && earlier.Property == step.Property {
			return false
		}
		if slices.Contains(t.lost(quads, earlier), q) {
			return true
		}
	}
	return false
}

// lost returns those of a node's quads that a step takes away, if it is lossy and
// about the node.
func (t transition) lost(quads []rdf.Quad, step schema.Step) []rdf.Quad {
	if !step.Lossy || !t.reaches(quads, step) {
		return nil
	}
	stays := t.after.TypesOf(quads)
	if goes(step) {
		return t.lostWith(t.before.Type(step.Type), quads, stays)
	}
	if len(stays) == 0 {
		return nil // the step that takes its type takes all of it
	}
	var out []rdf.Quad
	for _, q := range quads {
		if t.concerns(step, q.Predicate) && !declared(t.after, stays, q.Predicate) {
			out = append(out, q)
		}
	}
	return out
}

// lostWith is what a node loses with a type: everything, unless another type stays;
// then the type, and what only this one had a place for.
func (t transition) lostWith(typ *schema.Type, quads []rdf.Quad, stays []*schema.Type) []rdf.Quad {
	if len(stays) == 0 {
		return quads
	}
	gone := t.after.TypeByIRI(typ.IRI) == nil
	var out []rdf.Quad
	for _, q := range quads {
		isType := q.Predicate == rdf.Type && q.Object == typ.IRI
		if isType && gone || declared(t.before, []*schema.Type{typ}, q.Predicate) && !declared(t.after, stays, q.Predicate) {
			out = append(out, q)
		}
	}
	return out
}

// filled returns the default that a step with a backfill gives a node, if it does.
func (t transition) filled(quads []rdf.Quad, step schema.Step) (rdf.Quad, bool) {
	typ := t.after.Type(step.Type)
	p := t.after.Property(typ, step.Property)
	is := slices.ContainsFunc(t.after.TypesOf(quads), func(of *schema.Type) bool { return slices.Contains(t.after.Subtypes(typ), of) })
	has := slices.ContainsFunc(quads, func(q rdf.Quad) bool { return q.Predicate == p.IRI })
	if !is || has {
		return rdf.Quad{}, false
	}
	return rdf.Quad{Subject: quads[0].Subject, Predicate: p.IRI, Object: p.Default}, true
}

// becomes returns what all steps together make of a node's quads.
func (t transition) becomes(quads []rdf.Quad) []rdf.Quad {
	out := quads
	for _, step := range t.steps {
		if gone := t.lost(quads, step); len(gone) > 0 {
			out = slices.DeleteFunc(slices.Clone(out), func(q rdf.Quad) bool { return slices.Contains(gone, q) })
		}
	}
	for _, step := range t.steps {
		if step.Lossy || !step.Backfill || len(out) == 0 {
			continue
		}
		if q, ok := t.filled(out, step); ok {
			out = append(slices.Clip(out), q)
		}
	}
	return out
}

// reaches reports whether a step is about a node of these quads.
func (t transition) reaches(quads []rdf.Quad, step schema.Step) bool {
	within := t.within(step)
	return slices.ContainsFunc(t.before.TypesOf(quads), func(of *schema.Type) bool { return slices.Contains(within, of) })
}

func declared(s *schema.Schema, types []*schema.Type, predicate rdf.Term) bool {
	iri, _ := predicate.(rdf.IRI)
	return slices.ContainsFunc(types, func(t *schema.Type) bool { return s.PropertyByIRI(t, iri) != nil })
}

// concerns reports whether a lossy step is about the values of a predicate: that of
// its property, or one that its type has inherited.
func (t transition) concerns(step schema.Step, predicate rdf.Term) bool {
	typ := t.before.Type(step.Type)
	if step.Property != "" {
		return predicate == t.before.Property(typ, step.Property).IRI
	}
	iri, _ := predicate.(rdf.IRI)
	p := t.before.PropertyByIRI(typ, iri)
	return p != nil && !slices.Contains(typ.Properties, p)
}
