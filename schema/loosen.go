package schema

import "slices"

// Loosening returns the steps from head by which the schema asks less of data than before, or
// names something otherwise: what is dropped or renamed, gets other IRIs or ids, and constraints
// of which the way back would have to look at the data (see [Step]). What only adds, tightens or
// describes is none of them.
func (p Patched) Loosening(head *Schema) (loosening []Step) {
	type place struct {
		kind                      StepKind
		typ, property, constraint string
	}
	placeOf := func(s Step) place { return place{s.Kind, s.Type, s.Property, s.Constraint} }
	back := map[place]bool{} // steps of the way back that look at the data
	for _, s := range Diff(p.Schema, p.Renamed) {
		back[placeOf(s)] = back[placeOf(s)] || s.Checks
	}
	for _, s := range p.Steps(head) {
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
				if is[prefix] != namespace { // what is written with it means something else
					loosening = append(loosening, s)
					break
				}
			}
		case ChangeDatatype, ChangeClass, ChangeConstraint, ChangeDefault, ChangeSearch, ChangeWas, ChangeAbstract, ChangeOpen, ChangeLabel, ChangeKey, ChangeUnique, ChangeDescription, ChangeOrder:
			if back[placeOf(s)] {
				loosening = append(loosening, s)
			}
		}
	}
	return loosening
}
