package kg

import (
	"context"
	"slices"

	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
)

// finder finds nodes of a snapshot for a load.
type finder struct{ snap *Snapshot }

// Has implements [load.Finder].
func (f finder) Has(ctx context.Context, node rdf.IRI) (bool, error) {
	for _, err := range f.snap.Match(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Label: rdf.DefaultGraph}) {
		return err == nil, err
	}
	return false, nil
}

// Find implements [load.Finder].
func (f finder) Find(ctx context.Context, types []*schema.Type, p *schema.Property, value rdf.Term) (found []rdf.IRI, err error) {
	for q, err := range f.snap.Match(ctx, rdf.Quad{Predicate: p.IRI, Object: value, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		node, isIRI := q.Subject.(rdf.IRI)
		if !isIRI {
			continue
		}
		for of, err := range f.snap.Match(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Label: rdf.DefaultGraph}) {
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(types, func(t *schema.Type) bool { return of.Object == rdf.Term(t.IRI) }) {
				found = append(found, node)
				break
			}
		}
		if len(found) == load.MaxFound {
			break
		}
	}
	return found, nil
}
