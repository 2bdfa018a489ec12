package httpapi

import (
	"bytes"
	"net/http"

	"trails/auth"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// Vocabularies of a service description.
const (
	serviceNS    = "http://www.w3.org/ns/sparql-service-description#"
	formatNS     = "http://www.w3.org/ns/formats/"
	entailmentNS = "http://www.w3.org/ns/entailment/"
)

// serviceFacts are the statements that are the same for every service, without its address.
var serviceFacts = [][2]string{
	{serviceNS + "supportedLanguage", serviceNS + "SPARQL11Query"},
	{serviceNS + "supportedLanguage", serviceNS + "SPARQL11Update"},
	{serviceNS + "resultFormat", formatNS + "SPARQL_Results_JSON"},
	{serviceNS + "resultFormat", formatNS + "SPARQL_Results_XML"},
	{serviceNS + "resultFormat", formatNS + "SPARQL_Results_CSV"},
	{serviceNS + "resultFormat", formatNS + "SPARQL_Results_TSV"},
	{serviceNS + "resultFormat", formatNS + "Turtle"},
	{serviceNS + "resultFormat", formatNS + "N-Triples"},
	{serviceNS + "resultFormat", formatNS + "JSON-LD"},
	{serviceNS + "resultFormat", formatNS + "RDF_XML"},
	{serviceNS + "inputFormat", formatNS + "Turtle"},
	{serviceNS + "inputFormat", formatNS + "N-Triples"},
	{serviceNS + "inputFormat", formatNS + "RDF_XML"},
	{serviceNS + "defaultEntailmentRegime", entailmentNS + "Simple"},
}

// describe answers with the service description (SPARQL 1.1 Service Description, section 2).
func (s *server) describe(w http.ResponseWriter, r *http.Request) error {
	chosen, ok, err := chooseForm(w, r, r.URL.Query(), graphForms)
	if err != nil || !ok {
		return err
	}
	var body bytes.Buffer
	quads := description(auth.Base(r) + "/sparql")
	switch chosen.name {
	case "jsonld":
		err = rdfio.WriteJSONLD(&body, quads, nil, nil)
	case "ntriples":
		_, err = rdfio.WriteNQuads(&body, each(quads))
	case "rdfxml":
		err = rdfio.WriteRDFXML(&body, quads, map[string]string{"sd": serviceNS})
	default:
		err = rdfio.WriteTurtle(&body, quads, map[string]string{"sd": serviceNS, "format": formatNS})
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", chosen.contentType())
	_, _ = w.Write(body.Bytes()) // the connection may be closed
	return nil
}

func description(endpoint string) []rdf.Quad {
	service, dataset, graph := rdf.BNode("service"), rdf.BNode("dataset"), rdf.BNode("graph")
	quads := []rdf.Quad{
		{Subject: service, Predicate: rdf.Type, Object: rdf.IRI(serviceNS + "Service")},
		{Subject: service, Predicate: rdf.IRI(serviceNS + "endpoint"), Object: rdf.IRI(endpoint)},
		{Subject: service, Predicate: rdf.IRI(serviceNS + "defaultDataset"), Object: dataset},
		{Subject: dataset, Predicate: rdf.Type, Object: rdf.IRI(serviceNS + "Dataset")},
		{Subject: dataset, Predicate: rdf.IRI(serviceNS + "defaultGraph"), Object: graph},
		{Subject: graph, Predicate: rdf.Type, Object: rdf.IRI(serviceNS + "Graph")},
	}
	for _, f := range serviceFacts {
		quads = append(quads, rdf.Quad{Subject: service, Predicate: rdf.IRI(f[0]), Object: rdf.IRI(f[1])})
	}
	return quads
}

// each is a sequence of quads that cannot fail.
func each(quads []rdf.Quad) func(yield func(rdf.Quad, error) bool) {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
	}
}
