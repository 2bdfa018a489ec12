package schema

import (
	"io"
	"maps"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// WriteTurtle writes [Schema.Quads] as Turtle with [Schema.TurtlePrefixes].
func (s *Schema) WriteTurtle(w io.Writer) error {
	return rdfio.WriteTurtle(w, s.Quads(), s.TurtlePrefixes())
}

// TurtlePrefixes are the schema's prefixes, the usual ones, and the empty one for the base.
// Not inlined, for the size of the binary.
//
//go:noinline
func (s *Schema) TurtlePrefixes() map[string]string {
	prefixes := map[string]string{
		"rdf": rdf.RDFNS, "rdfs": rdf.RDFSNS, "xsd": rdf.XSDNS, "sh": rdf.SHNS, "trails": rdf.TrailsNS, "": s.Base,
		"owl": rdf.OWLNS, "skos": rdf.SKOSNS, "prov": rdf.ProvNS,
	}
	maps.Copy(prefixes, s.Prefixes)
	return prefixes
}
