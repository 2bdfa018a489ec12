package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// Shape returns a type of the schema and the types that it extends as SHACL in Turtle, with
// which any SHACL processor can validate data of the type. An unknown type is
// fault.InvalidArguments.
func Shape(s *schema.Schema, typeName string) (Draft, error) {
	t, err := typeOf(s, "type", typeName)
	if err != nil {
		return Draft{}, err
	}
	quads := s.Quads()
	about := map[rdf.Term][]rdf.Quad{}
	for _, q := range quads {
		about[q.Subject] = append(about[q.Subject], q)
	}
	kept := map[rdf.Term]bool{}
	var keep func(subject rdf.Term)
	keep = func(subject rdf.Term) {
		if kept[subject] {
			return
		}
		kept[subject] = true
		for _, q := range about[subject] {
			_, blank := q.Object.(rdf.BNode)
			if blank || q.Predicate == rdf.IRI(rdf.SHNS+"property") || q.Predicate == rdf.SubClassOf {
				keep(q.Object)
			}
		}
	}
	keep(t.IRI)
	quads = slices.DeleteFunc(quads, func(q rdf.Quad) bool { return !kept[q.Subject] })
	for i := range quads {
		quads[i].Label = rdf.DefaultGraph
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# The type %s as SHACL, from the schema of %s\n", t.Name, s.Base)
	if err := rdfio.WriteTurtle(&text, quads, s.TurtlePrefixes()); err != nil {
		return Draft{}, fmt.Errorf("write the shape of %s: %w", t.Name, err)
	}
	return Draft{"shapes/" + schema.SnakeName(t.Name) + ".ttl", text.String()}, nil
}
