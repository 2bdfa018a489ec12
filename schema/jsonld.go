package schema

import (
	"trails/rdf"
	"trails/rdf/rdfio"
)

// JSONLDContext names the properties of all types for JSON-LD; of two with one predicate
// the first counts.
func (s *Schema) JSONLDContext() rdfio.JSONLDContext {
	c := rdfio.JSONLDContext{Terms: map[rdf.IRI]rdfio.JSONLDTerm{}, Prefixes: s.Prefixes}
	for _, t := range s.Types {
		for _, p := range s.PropertiesOf(t) {
			if _, known := c.Terms[p.IRI]; known {
				continue
			}
			datatype := Datatypes[p.Datatype].IRI
			switch datatype {
			case "":
				datatype = "@id"
			case rdf.RDFLangString: // values contain their language
				datatype = ""
			}
			c.Terms[p.IRI] = rdfio.JSONLDTerm{Name: p.Name, Type: datatype, Many: p.Many()}
		}
	}
	return c
}

// ContextIRI names the JSON-LD context of the graph that reads it, in a document that
// is loaded.
const ContextIRI = "trails://schema"

// ContextDocument is the context that the schema makes: its types and properties by
// name, and its prefixes.
func (s *Schema) ContextDocument() ([]byte, error) {
	c := s.JSONLDContext()
	c.Types = map[rdf.IRI]string{}
	for _, t := range s.Types {
		c.Types[t.IRI] = t.Name
	}
	return c.Document()
}
