package kg_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/kg"
	"trails/rdf"
)

// A type of the schema is found behind any number of other classes of the node, whichever of them
// the file has known longer.
func TestATypeIsFoundBehindManyOtherClasses(t *testing.T) {
	for _, others := range []int{0, 63, 64, 65, 300} {
		g := people(t, "types: {Note: {properties: {title: string}}}", "")
		var b strings.Builder
		for _, node := range []string{"a", "b"} {
			for i := range others {
				fmt.Fprintf(&b, "<urn:%s> a <urn:class:%d> .\n", node, i)
			}
			fmt.Fprintf(&b, "<urn:%s> <urn:p> 1 .\n", node)
		}
		if _, err := tryLoad(t, g, kg.Load{}, "data.ttl", b.String()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- add_type: {Late: {label: name, properties: {name: string}}}")}); err != nil {
			t.Fatal(err)
		}
		if _, err := tryLoad(t, g, kg.Load{}, "late.ttl", "<urn:a> a <"+baseOf(t, g)+"Late> ; <"+baseOf(t, g)+"name> \"A\" ."); err != nil {
			t.Fatal(err)
		}
		err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
			for node, want := range map[rdf.IRI]string{"urn:a": "Late", "urn:b": ""} {
				d, err := s.Describe(t.Context(), node)
				if err != nil {
					return err
				}
				types, err := s.DeclaredTypes(t.Context(), node)
				if err != nil {
					return err
				}
				if (d.Type != nil) != (want != "") || len(types) != len(want)/4 || d.Type != nil && (d.Type.Name != want || types[0] != d.Type || d.Label != "A") || !d.Exists {
					t.Errorf("%s with %d other classes: %+v, of %d types", node, others, d, len(types))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func baseOf(t *testing.T, g *kg.Graph) (base string) {
	t.Helper()
	if err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error { base = s.Schema().Base; return nil }); err != nil {
		t.Fatal(err)
	}
	return base
}
