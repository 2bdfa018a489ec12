package invoke

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"trails/kg/rdf"
	"trails/kg/rdfio"
)

// provTurtle is trails://prov/latest as Turtle: what its JSON-LD means.
func provTurtle(ctx context.Context, r *running) ([]byte, error) {
	activities, err := r.latestActivities(ctx)
	if err != nil {
		return nil, err
	}
	var quads []rdf.Quad
	for _, a := range activities {
		quads = append(quads, a.quads()...)
	}
	prefixes := map[string]string{"prov": rdf.ProvNS, "trails": rdf.TrailsNS, "xsd": rdf.XSDNS, "": r.snapshot.Schema().Base}
	var text bytes.Buffer
	if err := rdfio.WriteTurtle(&text, quads, prefixes); err != nil {
		return nil, fmt.Errorf("write provenance: %w", err)
	}
	return text.Bytes(), nil
}

// quads are the statements that an activity means under provContext.
func (p provActivity) quads() (list []rdf.Quad) {
	say := func(predicate string, o rdf.Term) {
		list = append(list, rdf.Quad{Subject: rdf.IRI(p.ID), Predicate: rdf.IRI(predicate), Object: o})
	}
	text := func(name, value string) {
		if value != "" {
			say(rdf.TrailsNS+name, rdf.Literal(value, ""))
		}
	}
	say(string(rdf.Type), rdf.IRI(rdf.ProvNS+"Activity"))
	if len(p.Type) > 1 {
		say(string(rdf.Type), rdf.IRI(rdf.TrailsNS+"MetaActivity"))
	}
	say(rdf.ProvNS+"startedAtTime", rdf.Literal(p.Started, rdf.XSDDateTime))
	say(rdf.ProvNS+"endedAtTime", rdf.Literal(p.Ended, rdf.XSDDateTime))
	say(rdf.ProvNS+"wasAssociatedWith", rdf.IRI(p.Agent))
	for _, iri := range p.Used {
		say(rdf.ProvNS+"used", nodeTerm(iri))
	}
	for _, iri := range p.Generated {
		say(rdf.ProvNS+"generated", nodeTerm(iri))
	}
	if p.Commit != "" {
		say(rdf.TrailsNS+"commit", rdf.IRI(p.Commit))
	}
	text("author", p.Author)
	text("capability", p.Capability)
	text("version", p.Version)
	text("via", p.Via)
	text("inputsDigest", p.Inputs)
	text("outcome", p.Outcome)
	text("error", p.Error)
	text("trace", p.Trace)
	say(rdf.TrailsNS+"costMicros", rdf.Literal(strconv.FormatInt(p.Cost, 10), rdf.XSDInteger))
	return list
}

// nodeTerm reads a node as provenance keeps it: an IRI, or a blank node after "_:".
func nodeTerm(text string) rdf.Term {
	if label, ok := strings.CutPrefix(text, "_:"); ok {
		return rdf.BNode(label)
	}
	return rdf.IRI(text)
}
