package schema

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Diff returns the steps that lead from old to new, in an order in which they can
// be taken: the base and prefixes, new types, changes type by type in new's order,
// then the types that go, and what is [Foreign] in old alone. It has no steps exactly when
// both have the same quads.
// Types and properties are the same when their names are: a renamed one goes and comes.
func Diff(old, new *Schema) []Step {
	d := &differ{old: old, new: new}
	d.schema()
	for _, t := range new.Types {
		if old.Type(t.Name) == nil {
			d.add(Step{Kind: AddType, Type: t.Name, To: new.typeDocument(t), Checks: true})
		}
	}
	for _, t := range new.Types {
		if was := old.Type(t.Name); was != nil {
			d.typ(was, t)
		}
	}
	for _, t := range old.Types {
		if new.Type(t.Name) == nil {
			d.add(Step{Kind: DropType, Type: t.Name, From: old.typeDocument(t), Lossy: true})
		}
	}
	for _, f := range old.foreign {
		if !slices.ContainsFunc(new.foreign, func(n Foreign) bool { return n.Subject == f.Subject && slices.Equal(n.Says, f.Says) }) {
			d.add(Step{Kind: DropForeign, Type: f.Subject, From: strings.Join(f.Says, ", ")})
		}
	}
	return d.steps
}

// Steps returns the difference between before, which was patched, and the result: renames in the order of before,
// followed by the steps of [Diff].
func (p Patched) Steps(before *Schema) []Step {
	d := &differ{}
	if p.Renamed != before {
		for i, was := range before.Types {
			is := p.Renamed.Types[i]
			if was.Name != is.Name {
				d.add(Step{Kind: RenameType, Type: is.Name, From: was.Name, To: is.Name, Checks: true})
			}
			for j, p := range was.Properties {
				if now := is.Properties[j].Name; now != p.Name {
					d.add(Step{Kind: RenameProperty, Type: is.Name, Property: now, From: p.Name, To: now, Checks: true})
				}
			}
		}
	}
	return append(d.steps, Diff(p.Renamed, p.Schema)...)
}

type differ struct {
	old, new *Schema
	steps    []Step
}

func (d *differ) add(s Step) { d.steps = append(d.steps, s) }

func (d *differ) schema() {
	if d.old.Base != d.new.Base {
		d.add(Step{Kind: ChangeBase, From: d.old.Base, To: d.new.Base, Lossy: true, Checks: true})
	}
	if !maps.Equal(d.old.Prefixes, d.new.Prefixes) {
		d.add(Step{Kind: ChangePrefixes, From: d.old.Prefixes, To: d.new.Prefixes})
	}
	if reordered(d.old.names(), d.new.names()) {
		d.add(Step{Kind: ChangeOrder, From: d.old.names(), To: d.new.names()})
	}
}

// reordered reports whether the common names of both lists are in a different order.
func reordered(old, new []string) bool {
	return !slices.Equal(common(old, new), common(new, old))
}

// common returns the names of list that are also in other.
func common(list, other []string) []string {
	in := make(map[string]bool, len(other))
	for _, name := range other {
		in[name] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !in[name] })
}

func (d *differ) typ(was, is *Type) {
	step := func(kind StepKind, from, to any) Step { return Step{Kind: kind, Type: is.Name, From: from, To: to} }
	if was.IRI != is.IRI {
		s := step(ChangeIRI, string(was.IRI), string(is.IRI))
		s.Lossy, s.Checks = true, true
		d.add(s)
	}
	d.extends(was, is)
	if was.Abstract != is.Abstract {
		s := step(ChangeAbstract, was.Abstract, is.Abstract)
		s.Checks = is.Abstract
		d.add(s)
	}
	if was.Open != is.Open {
		s := step(ChangeOpen, was.Open, is.Open)
		s.Checks = was.Open
		d.add(s)
	}
	if was.Embedded != is.Embedded {
		d.add(step(ChangeEmbed, was.Embedded, is.Embedded))
	}
	if was.Mint != is.Mint {
		d.add(step(ChangeMint, textOrNil(string(was.Mint)), textOrNil(string(is.Mint))))
	}
	if was.IDs != is.IDs {
		s := step(ChangeIDs, was.ids(), is.ids())
		if of := d.old.byIDs[is.ids()]; of != nil && of != was && d.new.Type(of.Name) != nil {
			s.Crosses = of.Name
		}
		d.add(s)
	}
	if was.Label != is.Label {
		d.add(step(ChangeLabel, textOrNil(was.Label), textOrNil(is.Label)))
	}
	if was.Description != is.Description {
		d.add(step(ChangeDescription, textOrNil(was.Description), textOrNil(is.Description)))
	}
	d.properties(was, is)
	d.keys(was, is)
}

// textOrNil returns nil for an empty text, which means that there is none.
func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// extends compares the supertypes as a set: their order is that of declaration. An added supertype adds its
// constraints, and a removed one can make references invalid.
func (d *differ) extends(was, is *Type) {
	from, to := sorted(was.Extends), sorted(is.Extends)
	if slices.Equal(from, to) {
		return
	}
	lossy := false
	for _, p := range d.old.PropertiesOf(was) {
		lossy = lossy || !slices.Contains(was.Properties, p) && d.loses(was, p)
	}
	d.add(Step{Kind: ChangeExtends, Type: is.Name, From: orNil(was.Extends), To: orNil(is.Extends), Lossy: lossy, Checks: true})
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// orNil is nil for an empty list, which means that nothing is said.
func orNil[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// loses reports whether t, or a remaining subtype, no longer has p under any name, own or inherited. A removed type
// has its own step.
func (d *differ) loses(t *Type, p *Property) bool {
	return slices.ContainsFunc(d.old.Subtypes(t), func(sub *Type) bool {
		now := d.new.Type(sub.Name)
		return now != nil && d.new.PropertyByIRI(now, p.IRI) == nil
	})
}

func (d *differ) keys(was, is *Type) {
	if !slices.Equal(was.Key, is.Key) {
		checks := len(is.Key) > 0 && !slices.Equal(sorted(was.Key), sorted(is.Key))
		d.add(Step{Kind: ChangeKey, Type: is.Name, From: orNil(was.Key), To: orNil(is.Key), Checks: checks})
	}
	if slices.EqualFunc(was.Unique, is.Unique, slices.Equal) {
		return
	}
	before := map[string]bool{}
	for _, group := range was.Unique {
		before[strings.Join(sorted(group), ",")] = true
	}
	checks := slices.ContainsFunc(is.Unique, func(group []string) bool { return !before[strings.Join(sorted(group), ",")] })
	d.add(Step{Kind: ChangeUnique, Type: is.Name, From: orNil(was.Unique), To: orNil(is.Unique), Checks: checks})
}

func (d *differ) properties(was, is *Type) {
	before, now := byName(was.Properties), byName(is.Properties)
	for _, p := range was.Properties {
		if now[p.Name] == nil {
			lossy := d.loses(was, p)
			d.add(Step{Kind: DropProperty, Type: is.Name, Property: p.Name, From: d.old.propertyDocument(p), Lossy: lossy, Checks: !lossy})
		}
	}
	for _, p := range is.Properties {
		if before[p.Name] == nil {
			d.add(Step{Kind: AddProperty, Type: is.Name, Property: p.Name, To: d.new.propertyDocument(p), Checks: true, Backfill: p.Required() && p.Default != nil, Crosses: crosses(p, nil, before)})
			continue
		}
		first := len(d.steps)
		d.property(is, before[p.Name], p)
		for i := range d.steps[first:] {
			if step := &d.steps[first+i]; step.Kind == ChangeWas {
				step.Crosses = crosses(p, before[p.Name].Was, before)
			}
		}
	}
	if from, to := propertyNames(was.Properties), propertyNames(is.Properties); reordered(from, to) {
		d.add(Step{Kind: ChangeOrder, Type: is.Name, From: from, To: to})
	}
}

// crosses returns the property of before under whose name p was, unless p is known to have had it
// earlier.
func crosses(p *Property, known []string, before map[string]*Property) string {
	for _, name := range p.Was {
		if name != p.Name && !slices.Contains(known, name) && before[name] != nil {
			return name
		}
	}
	return ""
}

func byName(properties []*Property) map[string]*Property {
	m := make(map[string]*Property, len(properties))
	for _, p := range properties {
		m[p.Name] = p
	}
	return m
}

func (d *differ) property(t *Type, was, is *Property) {
	step := func(kind StepKind, from, to any) Step {
		return Step{Kind: kind, Type: t.Name, Property: is.Name, From: from, To: to}
	}
	if was.IRI != is.IRI {
		s := step(ChangeIRI, string(was.IRI), string(is.IRI))
		s.Lossy, s.Checks = true, true
		d.add(s)
	}
	if was.Datatype != is.Datatype {
		s := step(ChangeDatatype, was.Datatype, is.Datatype)
		s.Checks = was.datatypeIRI() != is.datatypeIRI()
		d.add(s)
	}
	if was.Class != is.Class {
		s := step(ChangeClass, textOrNil(was.Class), textOrNil(is.Class))
		// Everything in a class is also in its superclasses.
		widened := was.Class != "" && slices.Contains(d.new.Subtypes(d.new.Type(is.Class)), d.new.Type(was.Class))
		s.Checks = is.Class != "" && !widened
		d.add(s)
	}
	for _, constrains := range []bool{true, false} {
		for k, field := range is.fields() {
			if (k.tightens != nil) != constrains || reflect.DeepEqual(k.field(was), field) {
				continue
			}
			s := step(k.step, k.value(d.old, was), k.value(d.new, is))
			if constrains {
				s.Kind, s.Constraint, s.Checks = ChangeConstraint, k.name, k.tightens(was, is)
				s.Backfill = k.name == "min_count" && was.MinCount == 0 && is.Default != nil
			}
			d.add(s)
		}
	}
	if was.Description != is.Description {
		d.add(step(ChangeDescription, textOrNil(was.Description), textOrNil(is.Description)))
	}
}
