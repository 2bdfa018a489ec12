package view

import (
	"context"
	"fmt"

	"trails/invoke"
	"trails/kg"
	"trails/rdf"
)

// provGraph is the JSON-LD of activities as a graph, for other formats.
func provGraph(ctx context.Context, r *invoke.Request, form string, activities []provActivity) (invoke.Document, error) {
	var quads []rdf.Quad
	for _, a := range activities {
		statements, err := a.statements(ctx, r.Snapshot)
		if err != nil {
			return invoke.Document{}, err
		}
		quads = append(quads, statements...)
	}
	prefixes := map[string]string{"prov": rdf.ProvNS, "trails": rdf.TrailsNS, "xsd": rdf.XSDNS, "": r.Snapshot.Schema().Base}
	return graphDocument(form, quads, prefixes)
}

// provActivity.statements are the statements of an activity.
func (p provActivity) statements(ctx context.Context, s *kg.Snapshot) (list []rdf.Quad, err error) {
	for _, about := range []rdf.Quad{
		{Subject: rdf.IRI(p.ID)},
		{Predicate: rdf.IRI(rdf.ProvNS + "wasGeneratedBy"), Object: rdf.IRI(p.ID)},
	} {
		about.Label = rdf.ProvGraph
		for q, err := range s.Match(ctx, about) {
			if err != nil {
				return nil, fmt.Errorf("read provenance: %w", err)
			}
			q.Label = nil
			list = append(list, q)
		}
	}
	return list, nil
}
