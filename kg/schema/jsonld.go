package schema

import (
	"trails/kg/rdf"
	"trails/kg/rdfio"
)

// JSONLDContext names the properties of types for JSON-LD; of two with one predicate
// the first counts.
func (s *Schema) JSONLDContext(types ...*Type) rdfio.JSONLDContext {
	c := rdfio.JSONLDContext{Terms: map[rdf.IRI]rdfio.JSONLDTerm{}, Prefixes: s.Prefixes}
	for _, t := range types {
		for _, p := range s.PropertiesOf(t) {
			if _, known := c.Terms[p.IRI]; known {
				continue
			}
			datatype := Datatypes[p.Datatype].IRI
			if datatype == "" {
				datatype = "@id"
			}
			c.Terms[p.IRI] = rdfio.JSONLDTerm{Name: p.Name, Type: datatype, Many: p.Many()}
		}
	}
	return c
}
