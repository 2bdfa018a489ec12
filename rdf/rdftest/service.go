package rdftest

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

const serviceNS = "http://www.w3.org/ns/sparql-service-description#"

// serviceProperties are the properties of the vocabulary, by their domain.
var serviceProperties = map[string][]string{
	"Service": {"endpoint", "feature", "defaultEntailmentRegime", "defaultSupportedEntailmentProfile", "extensionFunction", "extensionAggregate",
		"languageExtension", "supportedLanguage", "propertyFeature", "defaultDataset", "availableGraphs", "resultFormat", "inputFormat"},
	"Dataset":    {"defaultGraph", "namedGraph"},
	"NamedGraph": {"name", "graph", "entailmentRegime", "supportedEntailmentProfile"},
	"Graph":      {},
}

// serviceClasses are the ranges of properties.
var serviceClasses = map[string]string{
	"defaultDataset": "Dataset", "availableGraphs": "GraphCollection", "defaultGraph": "Graph", "namedGraph": "NamedGraph", "graph": "Graph",
}

// languages are the instances of sd:Language.
var languages = []string{"SPARQL10Query", "SPARQL11Query", "SPARQL11Update"}

// ServiceDescription returns a function that runs the tests of a service description, which are defined by
// their names only; path is that of the endpoint.
func ServiceDescription(p Protocol, path string) func(Test) error {
	return func(test Test) error {
		service, err := p.New(nil)
		if err != nil {
			return err
		}
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+path, nil))
		quads, err := graphIn(w.Result(), w.Body.Bytes())
		if err != nil {
			return err
		}
		switch local(test.IRI) {
		case "returns-rdf":
			return nil
		case "has-endpoint-triple":
			return hasEndpoint(quads, rdf.IRI("http://"+host+path))
		case "conforms-to-schema":
			return conforms(quads)
		}
		return fmt.Errorf("no such test is known")
	}
}

func hasEndpoint(quads []rdf.Quad, endpoint rdf.IRI) error {
	for _, q := range quads {
		if q.Predicate == rdf.IRI(serviceNS+"endpoint") && q.Object == endpoint {
			return nil
		}
	}
	return fmt.Errorf("no endpoint <%s>", string(endpoint))
}

// conforms checks a description against the domains and ranges of the vocabulary.
func conforms(quads []rdf.Quad) error {
	class := map[rdf.Term]string{}
	for _, q := range quads {
		if name, ok := strings.CutPrefix(rdf.Lexical(q.Object), serviceNS); ok && q.Predicate == rdf.Type {
			class[q.Subject] = name
		}
	}
	services := 0
	for _, c := range class {
		if c == "Service" {
			services++
		}
	}
	if services != 1 {
		return fmt.Errorf("%d services, want 1", services)
	}
	for _, q := range quads {
		property, ok := strings.CutPrefix(rdf.Lexical(q.Predicate), serviceNS)
		if !ok {
			continue
		}
		if err := fits(q, property, class); err != nil {
			return err
		}
	}
	return nil
}

func fits(q rdf.Quad, property string, class map[rdf.Term]string) error {
	wanted, isNode := serviceClasses[property]
	language, known := strings.CutPrefix(rdf.Lexical(q.Object), serviceNS)
	_, isLiteral := quad.NativeOf(q.Object).(string)
	switch {
	case !slices.Contains(serviceProperties[class[q.Subject]], property):
		return fmt.Errorf("%s is about a %q", property, class[q.Subject])
	case isNode && class[q.Object] != wanted:
		return fmt.Errorf("%s leads to a %q, want %s", property, class[q.Object], wanted)
	case property == "supportedLanguage" && !(known && slices.Contains(languages, language)):
		return fmt.Errorf("%v is no language", q.Object)
	case isLiteral:
		return fmt.Errorf("%s leads to a literal", property)
	}
	return nil
}
