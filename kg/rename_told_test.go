package kg_test

import (
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/load"
)

// What one file has renamed is a rename in the plan of another, whoever plans, however it gets
// there, and nothing of it is lost.
func TestARenameIsToldAsOne(t *testing.T) {
	testrun.Alone(t)
	const data = 10
	for name, c := range map[string]struct{ patches, steps []string }{
		"a property":                {[]string{"- rename_property: {Note.also: more}"}, []string{"rename property Note.also to more"}},
		"a property, twice":         {[]string{"- rename_property: {Note.title: name}", "- rename_property: {Note.name: heading}"}, []string{"rename property Note.title to heading"}},
		"a reference":               {[]string{"- rename_property: {Mark.about: of}"}, []string{"rename property Mark.about to of"}},
		"a type":                    {[]string{"- rename_type: {Note: Card}"}, []string{"rename type Note to Card"}},
		"a type and its properties": {[]string{"- rename_type: {Note: Card}\n- rename_property: {Card.title: name}", "- rename_property: {Card.size: pages}"}, []string{"rename property Card.size to pages", "rename property Card.title to name", "rename type Note to Card"}},
	} {
		t.Run(name, func(t *testing.T) {
			from, to, other := people(t, massSchema, ""), people(t, massSchema, massData(data)), people(t, massSchema, massData(data))
			for _, patch := range c.patches {
				if _, _, err := from.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(patch)}); err != nil {
					t.Fatal(err)
				}
			}
			d := definitions(t, from)
			told := func(where string, said []string, loses int64) {
				t.Helper()
				var renames []string
				for _, what := range said {
					if !strings.HasPrefix(what, "change Note was") && !strings.HasPrefix(what, "change Note order") {
						renames = append(renames, what)
					}
				}
				if slices.Sort(renames); !slices.Equal(renames, c.steps) || loses != 0 {
					t.Errorf("%s says %q and loses %d, want %q", where, said, loses, c.steps)
				}
			}
			view(t, to, func(s *kg.Snapshot) error {
				against, err := s.Against(d)
				var said []string
				for _, step := range against.Steps {
					said = append(said, step.String())
				}
				told("the difference", said, 0)
				return err
			})
			planned, err := other.Session(ana).PlanSchema(t.Context(), kg.SchemaChange{Source: d.Schema})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, step := range planned.Steps {
				said = append(said, step.String())
			}
			told("the plan of the schema", said, planned.Loses)

			promotion, _, err := to.Session(ana).PlanPromotion(t.Context(), kg.Promotion{Definitions: d})
			if err != nil {
				t.Fatal(err)
			}
			said = nil
			for _, step := range promotion.Schema.Steps {
				said = append(said, step.What)
			}
			told("the plan of the promotion", said, promotion.Loses)

			if _, _, err := promote(t, to, kg.Promotion{Definitions: d}); err != nil {
				t.Fatal(err)
			}
			_, result, err := other.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: d.Schema})
			if err != nil {
				t.Fatal(err)
			}
			if message := result.After.Message; !strings.Contains(message, "rename ") {
				t.Errorf("the commit says %q", message)
			}
			for _, g := range []*kg.Graph{to, other} {
				if got := definitions(t, g).Schema; string(got) != string(d.Schema) {
					t.Errorf("it leads to\n%s\nand not\n%s", got, d.Schema)
				}
				for _, value := range []string{"t7", "Note/n7"} {
					if n := strings.Count(export(t, g, load.NQuads), value); n == 0 {
						t.Errorf("%s is gone", value)
					}
				}
			}
		})
	}
}
