package schema

import (
	"io"
	"maps"

	"trails/kg/rdf"
	"trails/kg/rdfio"
)

// WriteTurtle writes [Schema.Quads] as Turtle with the schema's prefixes, the
// usual ones, and the empty one for the base.
func (s *Schema) WriteTurtle(w io.Writer) error {
	prefixes := map[string]string{
		"rdf": rdf.RDFNS, "rdfs": rdf.RDFSNS, "xsd": rdf.XSDNS, "sh": rdf.SHNS, "trails": rdf.TrailsNS, "": s.Base,
	}
	maps.Copy(prefixes, s.Prefixes)
	return rdfio.WriteTurtle(w, s.Quads(), prefixes)
}
