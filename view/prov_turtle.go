package view

import (
	"bytes"
	"context"
	"fmt"

	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// provTurtle is trails://prov/latest as Turtle: what its JSON-LD means.
func provTurtle(ctx context.Context, r *invoke.Request) ([]byte, error) {
	activities, err := latestActivities(ctx, r)
	if err != nil {
		return nil, err
	}
	var quads []rdf.Quad
	for _, a := range activities {
		said, err := a.statements(ctx, r.Snapshot)
		if err != nil {
			return nil, err
		}
		quads = append(quads, said...)
	}
	prefixes := map[string]string{"prov": rdf.ProvNS, "trails": rdf.TrailsNS, "xsd": rdf.XSDNS, "": r.Snapshot.Schema().Base}
	var text bytes.Buffer
	if err := rdfio.WriteTurtle(&text, quads, prefixes); err != nil {
		return nil, fmt.Errorf("write provenance: %w", err)
	}
	return text.Bytes(), nil
}

// statements are what the graph of provenance says of an activity.
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
