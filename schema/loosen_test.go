package schema_test

import (
	"strings"
	"testing"

	"trails/schema"
)

const looseBase = `
prefixes: {ex: "http://example.org/"}
types:
  Thing:
    properties:
      name: {type: string, required: true, unique: true, min_length: 2, max_length: 9, pattern: "^a"}
      state: {type: string, one_of: [a, b]}
      size: {type: integer, min_value: 1, max_value: 9}
      tags: {type: string, many: true, min_count: 1, max_count: 3}
      about: {class: Part}
      kind: {type: string, has_value: x}
  Part:
    extends: Whole
    key: code
    properties:
      code: {type: string, required: true}
  Whole:
    open: false
  Rough:
    abstract: true
  Wide:
    open: true
  Told:
    embed: true
    properties:
      note: string
      secret: {type: string, embed: false}
      count: integer
      code: {type: string, search: false}
  Blank:
    properties: {weight: integer}
`

// What a step lets in that was kept out before loosens, what it keeps out tightens, and what
// neither does is free. The steps of a row and their way back are told apart.
func TestStepsThatLoosenAreToldFromThoseThatAddOrTighten(t *testing.T) {
	for _, c := range []struct {
		step    string
		loosens bool
	}{
		{"add_type: {Other: {properties: {title: string}}}", false},
		{"add_type: {Other: {extends: Thing, open: true}}", false},
		{"add_property: {Thing.due: date}", false},
		{`prefixes: {new: "http://new.example/"}`, false},
		{`prefixes: {xsd: "http://www.w3.org/2001/XMLSchema#"}`, false},
		{"add_property: {Thing.due: {type: date, required: true, default: 2026-01-01}}", false},
		{"alter_property: {Thing.name: {description: What it is called}}", false},
		{"alter_type: {Thing: {label: name}}", false},
		{"alter_property: {Thing.name: {min_length: 3}}", false},
		{"alter_property: {Thing.name: {max_length: 8}}", false},
		{"alter_property: {Thing.size: {min_value: 2}}", false},
		{"alter_property: {Thing.state: {one_of: [a]}}", false},
		{"alter_property: {Thing.state: {required: true}}", false},
		{"alter_property: {Part.code: {pattern: ^a}}", false},
		{"alter_property: {Thing.size: {unique: true}}", false},
		{"alter_property: {Thing.tags: {max_count: 2}}", false},
		{"alter_type: {Wide: {open: false}}", false},
		{"alter_type: {Thing: {extends: Rough}}", false},
		{"alter_type: {Thing: {key: [name]}}", false},

		{"alter_property: {Thing.name: {pattern: null}}", true},
		{"alter_property: {Thing.name: {embed: true}}", true},
		{"add_property: {Thing.motto: {type: string, embed: true}}", false},
		{"add_type: {Other: {embed: true, properties: {title: string}}}", false},
		{"add_type: {Other: {extends: Told}}", false},
		{"alter_type: {Thing: {embed: true}}", true},
		{"alter_type: {Told: {embed: false}}", false},
		{"alter_property: {Told.note: {embed: true}}", false}, // its type says so already
		{"alter_property: {Told.note: {embed: false}}", false},
		{"alter_property: {Told.secret: {embed: null}}", true},
		{"alter_property: {Told.count: {type: string}}", true},
		{"alter_property: {Told.code: {search: true}}", true},
		{"alter_type: {Thing: {extends: Told}}", true},
		{"alter_type: {Blank: {extends: Told}}", false}, // it has no texts of its own
		{"alter_property: {Thing.name: {pattern: .}}", true},
		{"alter_property: {Thing.name: {required: false}}", true},
		{"alter_property: {Thing.name: {unique: false}}", true},
		{"alter_property: {Thing.name: {min_length: 1}}", true},
		{"alter_property: {Thing.name: {min_length: null}}", true},
		{"alter_property: {Thing.name: {max_length: 10}}", true},
		{"alter_property: {Thing.size: {min_value: 0}}", true},
		{"alter_property: {Thing.size: {max_value: null}}", true},
		{"alter_property: {Thing.state: {one_of: [a, b, c]}}", true},
		{"alter_property: {Thing.state: {one_of: null}}", true},
		{"alter_property: {Thing.kind: {has_value: null}}", true},
		{"alter_property: {Thing.tags: {min_count: null}}", true},
		{"alter_property: {Thing.tags: {max_count: 4}}", true},
		{"alter_property: {Thing.about: {class: Whole}}", true},
		{"alter_property: {Thing.size: {type: string, min_value: null, max_value: null}}", true},
		{"alter_type: {Thing: {open: true}}", true},
		{"alter_type: {Rough: {abstract: false}}", true},
		{"alter_type: {Part: {extends: null}}", true},
		{"alter_type: {Part: {key: null}}", true},
		{`prefixes: {ex: "http://other.example/"}`, true},
		{`prefixes: {ex: null}`, true},
		{`prefixes: {xsd: "http://other.example/"}`, true},
		{`prefixes: {new: "http://new.example/", skos: "http://other.example/"}`, true},
		{"rename_type: {Thing: Item}", true},
		{"rename_property: {Thing.name: title}", true},
		{"drop_property: Thing.kind", true},
		{"drop_type: Wide", true},
	} {
		t.Run(c.step, func(t *testing.T) {
			head, err := schema.ParseYAML([]byte(looseBase), "http://e/")
			if err != nil {
				t.Fatal(err)
			}
			patched, err := head.Patch([]byte("- " + c.step + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, s := range patched.Loosening(head) {
				said = append(said, s.String())
			}
			if (len(said) > 0) != c.loosens {
				t.Errorf("it loosens by %q, of the steps %v", strings.Join(said, "; "), patched.Steps(head))
			}
			if none := (schema.Patched{Schema: patched.Schema, Renamed: patched.Schema}).Loosening(patched.Schema); len(none) > 0 {
				t.Errorf("a schema loosens itself: %v", none)
			}
		})
	}
}
