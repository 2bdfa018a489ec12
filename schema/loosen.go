package schema

import "slices"

// Loosening returns the steps from head by which the schema requires less of data, or renames something: removals,
// renames, other IRIs or ids, and constraints whose reversal would have to check data (see [Step]); or by which texts
// that are there are sent to the endpoint of embeddings. Steps that only add, tighten or describe are not included.
func (p Patched) Loosening(head *Schema) (loosening []Step) {
	type place struct {
		kind                      StepKind
		typ, property, constraint string
	}
	placeOf := func(s Step) place { return place{s.Kind, s.Type, s.Property, s.Constraint} }
	back := map[place]bool{} // reverse steps that check data
	for _, s := range Diff(p.Schema, p.Renamed) {
		back[placeOf(s)] = back[placeOf(s)] || s.Checks
	}
	for _, s := range p.Steps(head) {
		if p.sends(s) {
			loosening = append(loosening, s)
			continue
		}
		switch s.Kind {
		case AddType, AddProperty:
		case RenameType, RenameProperty, DropType, DropProperty, DropForeign, ChangeBase, ChangeIRI, ChangeIDs, ChangeMint:
			loosening = append(loosening, s)
		case ChangeExtends:
			is := p.Schema.Type(s.Type)
			if was := p.Renamed.Type(s.Type); slices.ContainsFunc(was.Extends, func(super string) bool { return !slices.Contains(is.Extends, super) }) {
				loosening = append(loosening, s)
			}
		case ChangePrefixes:
			is := p.Schema.TurtlePrefixes()
			for prefix, namespace := range p.Renamed.TurtlePrefixes() {
				if is[prefix] != namespace { // data written with it means something else
					loosening = append(loosening, s)
					break
				}
			}
		case ChangeDatatype, ChangeClass, ChangeConstraint, ChangeDefault, ChangeSearch, ChangeEmbed, ChangeWas, ChangeAbstract, ChangeOpen, ChangeLabel, ChangeKey, ChangeUnique, ChangeDescription, ChangeOrder:
			if back[placeOf(s)] {
				loosening = append(loosening, s)
			}
		}
	}
	return loosening
}

// sends reports whether a step may be why texts that are there are embedded, which were not before.
func (p Patched) sends(step Step) bool {
	switch step.Kind {
	case ChangeEmbed, ChangeSearch, ChangeExtends, ChangeDatatype:
	default:
		return false
	}
	is := p.Schema.Type(step.Type)
	return slices.ContainsFunc(p.Schema.Subtypes(is), func(t *Type) bool {
		was := p.Renamed.Type(t.Name)
		return was != nil && slices.ContainsFunc(p.Schema.PropertiesOf(t), func(now *Property) bool {
			if step.Property != "" && now != p.Schema.Property(is, step.Property) || !p.Schema.Embeds(t, now) {
				return false
			}
			before := p.Renamed.PropertyByIRI(was, now.IRI)
			return before != nil && !p.Renamed.Embeds(was, before)
		})
	})
}
