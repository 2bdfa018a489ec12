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

// provTurtle is what the JSON-LD of activities means as Turtle.
func provTurtle(ctx context.Context, r *invoke.Request, activities []provActivity) (invoke.Document, error) {
	var quads []rdf.Quad
	for _, a := range activities {
		said, err := a.statements(ctx, r.Snapshot)
		if err != nil {
			return invoke.Document{}, err
		}
		quads = append(quads, said...)
	}
	prefixes := map[string]string{"prov": rdf.ProvNS, "trails": rdf.TrailsNS, "xsd": rdf.XSDNS, "": r.Snapshot.Schema().Base}
	var text bytes.Buffer
	if err := rdfio.WriteTurtle(&text, quads, prefixes); err != nil {
		return invoke.Document{}, fmt.Errorf("write provenance: %w", err)
	}
	return invoke.Document{MIME: mimeTurtle, Body: text.Bytes()}, nil
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
