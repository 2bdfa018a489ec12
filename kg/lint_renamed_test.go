package kg_test

import (
	"strings"
	"testing"

	"trails/kg"
)

// A hint that names a node names it as a query can: the node of a renamed type by its IRI.
func TestAHintNamesTheNodeOfARenamedTypeByItsIRI(t *testing.T) {
	g := people(t, massSchema, `{"type":"Note","id":"apt28","data":{"title":"Apt"}}`)
	for _, c := range []struct{ patch, want string }{
		{"- rename_property: {Note.also: more}", `did you mean Note/apt28, "Apt"?`},
		{"- rename_type: {Note: Card}", `did you mean <BASENote/apt28>, "Apt"?`},
	} {
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(c.patch)}); err != nil {
			t.Fatal(err)
		}
		view(t, g, func(s *kg.Snapshot) error {
			if _, said := linted(t, s, `SELECT ?t { <`+s.Schema().Base+`Note/Apt> :title ?t }`); len(said) != 1 || !strings.Contains(said[0].Text, strings.Replace(c.want, "BASE", s.Schema().Base, 1)) {
				t.Errorf("%+v, want %s", said, c.want)
			}
			return nil
		})
	}
}
