package schema_test

import (
	"slices"
	"strings"
	"testing"

	"trails/schema"
)

// A type that is embedded embeds all texts of its nodes, and of those of its subtypes, but those that say otherwise.
func TestATypeEmbedsAllTextsOfItsNodes(t *testing.T) {
	const text = `types:
  Named:
    properties: {name: string, code: {type: string, embed: false}}
  Note:
    extends: Named
    embed: true
    properties:
      body: {type: lang_string}
      secret: {type: string, embed: false}
      left: {type: string, search: false}
      pages: integer
      home: uri
      next: {class: Note}
  Memo:
    extends: Note
    properties: {to: string}
  Other:
    extends: Named
    properties: {aside: string, said: {type: string, embed: true}}
`
	want := map[string]string{"Named": "", "Note": "name body", "Memo": "name body to", "Other": "said"}
	check := func(how string, s *schema.Schema) {
		t.Helper()
		for name, names := range want {
			var got []string
			of := s.Type(name)
			for _, p := range s.PropertiesOf(of) {
				if s.Embeds(of, p) {
					got = append(got, p.Name)
				}
			}
			if !slices.Equal(got, strings.Fields(names)) {
				t.Errorf("%s: of %s %q are embedded, not %q", how, name, got, names)
			}
		}
	}
	s, err := schema.ParseYAML([]byte(text), "http://e/")
	if err != nil {
		t.Fatal(err)
	}
	check("as it was written", s)
	again, err := schema.FromQuads(s.Quads(), "http://e/")
	if err != nil {
		t.Fatal(err)
	}
	check("from its quads", again)
	if written := string(again.YAML()); !strings.Contains(written, "embed: true\n    properties:") || !strings.Contains(written, "embed: false") {
		t.Errorf("the YAML is\n%s", written)
	}
	again, err = schema.ParseYAML(s.YAML(), "http://e/")
	if err != nil {
		t.Fatal(err)
	}
	check("from its YAML", again)
	for _, step := range []struct{ patch, said string }{
		{"alter_type: {Note: {embed: null}}", "change Note embed: true → false"},
		{"alter_property: {Note.secret: {embed: null}}", "change Note.secret embed: false → none"},
		{"alter_property: {Note.body: {embed: false}}", "change Note.body embed: none → false"},
	} {
		patched, err := s.Patch([]byte("- " + step.patch + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if steps := patched.Steps(s); len(steps) != 1 || steps[0].String() != step.said {
			t.Errorf("%s: %v", step.patch, steps)
		}
	}
	for patch, says := range map[string]string{
		"alter_type: {Note: {embed: maybe}}":          "must be true or false",
		"alter_property: {Note.pages: {embed: true}}": "embed is for string and lang_string, not for integer",
		"alter_property: {Note.left: {embed: true}}":  "search is false here",
	} {
		if _, err := s.Patch([]byte("- " + patch + "\n")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", patch, err)
		}
	}
}
