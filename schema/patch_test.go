package schema_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"trails/schema"
)

// testdata/patch: a schema, a line "=>", a patch; out come the schema after it and what
// was renamed, or every problem.
func TestPatch(t *testing.T) {
	datadriven.Walk(t, "testdata/patch", func(t *testing.T, path string) {
		var head *schema.Schema
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "schema" {
				head = parse(t, d.Input)
				return "ok\n"
			}
			was := string(head.YAML())
			p, err := head.Patch([]byte(d.Input))
			if string(head.YAML()) != was {
				t.Fatal("the schema before the patch was changed")
			}
			if err != nil {
				return problems(err)
			}
			out := plan(schema.Diff(head, p.Schema))
			if p.Renamed != head {
				out = "renamed, " + plan(schema.Diff(p.Renamed, p.Schema))
			}
			return out + string(p.Schema.YAML())
		})
	})
}

// A schema is patched into another one, step by step, and back again: the same schemas as
// when each was written whole, byte for byte.
func TestAPatchThereAndBackIsTheSameSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := generateSchema(t), generateSchema(t)
		after, err := schema.ParseYAML(bytes.ReplaceAll(after.YAML(), []byte(after.Base), []byte(before.Base)), before.Base)
		if err != nil {
			t.Skip("the base is part of something else")
		}
		for _, way := range [][2]*schema.Schema{{before, after}, {after, before}} {
			steps := stepsBetween(t, way[0], way[1])
			got, err := way[0].Patch(steps)
			if err != nil {
				t.Fatalf("%v\n%s", err, steps)
			}
			if string(got.Schema.YAML()) != string(way[1].YAML()) || got.Renamed != way[0] {
				t.Fatalf("got\n%s\nwant\n%s\nby\n%s", got.Schema.YAML(), way[1].YAML(), steps)
			}
			sameSchemas(t, got.Schema, way[1])
			written, err := way[0].PatchTo(way[1])
			if err != nil {
				t.Fatal(err)
			}
			if got, err = way[0].Patch(written); err != nil || string(got.Schema.YAML()) != string(way[1].YAML()) {
				t.Fatalf("%v\nwritten as\n%s\ngot\n%s\nwant\n%s", err, written, got.Schema.YAML(), way[1].YAML())
			}
			if len(got.Idle) > 0 {
				t.Fatalf("%v are said to change nothing of\n%s\nby\n%s", got.Idle, way[0].YAML(), written)
			}
		}
	})
}

// A step that changes nothing is told beside one that does, and one that changes something is
// not: every word of a property and of a type is set to what it is, and to something else.
func TestAStepThatChangesNothingIsToldBesideOneThatDoes(t *testing.T) {
	const text = `
prefixes: {ex: "http://example.org/"}
types:
  Other: {}
  Third: {}
  Task:
    label: title
    open: true
    properties:
      title: {type: string, required: true, max_length: 20}
      state: {type: string, one_of: [open, done], default: open, description: How far it is}
      due: {type: date, min_value: "2020-01-01"}
      tags: {type: string, many: true, min_count: 2}
      next: {class: Task}
`
	head := parse(t, text)
	for _, c := range []struct{ step, idle string }{
		{`alter_property: {Task.title: {type: string}}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.title: string}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.tags: integer}`, ""},
		{`alter_property: {Task.title: {required: true}}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.title: {min_count: 1}}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.title: {min_count: null}}`, ""},
		{`alter_property: {Task.title: {many: false}}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.title: {pattern: null, unique: false}}`, "alter_property Task.title: it is so already"},
		{`alter_property: {Task.title: {max_length: 20, pattern: "^A"}}`, ""},
		{`alter_property: {Task.state: {one_of: [open, done]}}`, "alter_property Task.state: it is so already"},
		{`alter_property: {Task.state: {one_of: [done, open]}}`, ""},
		{`alter_property: {Task.state: {default: open}}`, "alter_property Task.state: it is so already"},
		{`alter_property: {Task.state: {description: null}}`, ""},
		{`alter_property: {Task.due: {min_value: "2020-01-01"}}`, "alter_property Task.due: it is so already"},
		{`alter_property: {Task.tags: {min_count: null}}`, ""},
		{`alter_property: {Task.tags: {max_count: 3}}`, ""},
		{`alter_property: {Task.next: {class: Task}}`, "alter_property Task.next: it is so already"},
		{`alter_property: {Task.next: {class: Other}}`, ""},
		{`alter_property: {Task.next: {predicate: "urn:next"}}`, ""},
		{`alter_property: {Task.title: {search: false}}`, ""},
		{`alter_property: {Task.title: {embed: true}}`, ""},
		{`alter_property: {Task.title: {embed: false}}`, ""}, // against what the type says, or may say
		{`alter_property: {Task.title: {embed: null}}`, "alter_property Task.title: it is so already"},
		{`alter_type: {Task: {embed: true}}`, ""},
		{`alter_type: {Task: {embed: false}}`, "alter_type Task: it is so already"},
		{`alter_type: {Task: {label: title}}`, "alter_type Task: it is so already"},
		{`alter_type: {Task: {label: null}}`, ""},
		{`alter_type: {Task: {open: true, abstract: false, extends: []}}`, "alter_type Task: it is so already"},
		{`alter_type: {Task: {abstract: true}}`, ""},
		{`alter_type: {Task: {extends: Other}}`, ""},
		{`alter_type: {Task: {ids: Job}}`, ""},
		{`alter_type: {Task: {iri: content}}`, ""},
		{`alter_type: {Task: {rdf_type: "urn:Task"}}`, ""},
		{`alter_type: {Task: {unique: [[title, state]]}}`, ""},
		{`alter_type: {Task: {key: [title]}}`, ""},
		{`alter_type: {Task: {description: Work}}`, ""},
		{`rename_type: {Task: Task}`, "rename_type Task: it is so already"},
		{`rename_type: {Task: Job}`, ""},
		{`rename_property: {Task.due: due}`, "rename_property Task.due: it is so already"},
		{`rename_property: {Task.due: Task.until}`, ""},
		{`move_before: {Task.title: state}`, "move_before Task.title: it is so already"},
		{`move_before: {Task.state: title}`, ""},
		{`move_before: {Task: Other}`, ""},
		{`move_before: {Third: Task}`, "move_before Third: it is so already"},
		{`prefixes: {ex: "http://example.org/"}`, "prefixes ex: it is so already"},
		{`prefixes: {ex: "http://example.com/"}`, ""},
		{`prefixes: {ex: null}`, ""},
		{`drop_property: Task.due`, ""},
		{`add_property: {Other.due: date}`, ""},
		{`add_type: {More: {}}`, ""},
		{`drop_type: Third`, ""},
	} {
		for place, patch := range []string{
			"- " + c.step + "\n- add_property: {Other.more: string}",
			"- add_property: {Other.more: string}\n- " + c.step,
		} {
			p, err := head.Patch([]byte(patch))
			if err != nil {
				t.Errorf("%s: %v", patch, err)
				continue
			}
			var want []schema.Idle
			if c.idle != "" {
				want = []schema.Idle{{Step: place + 1}}
			}
			if len(p.Idle) != len(want) || len(want) > 0 && (p.Idle[0].Step != want[0].Step || p.Idle[0].Part || p.Idle[0].String() != c.idle) {
				t.Errorf("%s\ngot %v, want %q", patch, p.Idle, c.idle)
			}
		}
	}
	for patch, want := range map[string]string{
		`[{alter_property: {Task.title: {type: string}, Task.due: {min_value: null}}}]`:                                       "part of 1: alter_property Task.title: it is so already",
		`[{alter_property: {Task.due: {min_value: null}}}, {alter_property: {Task.due: {min_value: null}}}]`:                  "2: alter_property Task.due: it is so already",
		`[{alter_property: {Task.due: {min_value: null}}}, {alter_property: {Task.due: {type: date}}}]`:                       "2: alter_property Task.due: it is so already",
		`[{alter_property: {Task.due: {min_value: null}}}, {alter_property: {Task.due: {min_value: "2020-01-01"}}}]`:          "1: alter_property Task.due: it is so already; 2: alter_property Task.due: it is so already",
		`[{alter_property: {Task.due: {min_value: null}}}, {rename_property: {Task.due: until}}, {rename_type: {Task: Job}}]`: "",
		`[{rename_type: {Task: Job}}, {alter_property: {Job.due: {min_value: null}}}, {alter_type: {Job: {label: title}}}]`:   "3: alter_type Job: it is so already",
		`[{add_type: {A: {}}}, {rename_type: {A: B}}, {add_property: {B.x: string}}, {alter_property: {B.x: {many: true}}}]`:  "",
		`[{add_type: {A: {}}}, {add_property: {A.x: string}}, {drop_type: A}, {add_type: {C: {}}}]`:                           "1: add_type A: another step takes it back; 2: add_property A.x: another step takes it back; 3: drop_type A: another step takes it back",
		`[{drop_property: Task.next}, {add_property: {Task.next: {class: Task}}}, {add_property: {Task.x: string}}]`:          "1: drop_property Task.next: another step takes it back; 2: add_property Task.next: another step takes it back",
		`[{rename_property: {Task.due: until}}, {rename_property: {Task.until: due}}, {add_property: {Task.x: string}}]`:      "1: rename_property Task.due: it is so already; 2: rename_property Task.due: it is so already",
		`[{prefixes: {foo: "urn:a:"}}, {prefixes: {foo: null}}, {add_property: {Task.x: string}}]`:                            "1: prefixes foo: it is so already; 2: prefixes foo: it is so already",
	} {
		p, err := head.Patch([]byte(patch))
		var got []string
		for _, i := range p.Idle {
			part := ""
			if i.Part {
				part = "part of "
			}
			got = append(got, fmt.Sprintf("%s%d: %s", part, i.Step, i))
		}
		if err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", patch, strings.Join(got, "; "), err, want)
		}
	}
}

// stepsBetween writes a patch that makes one schema the other, as a person would: word by
// word where both have a property or a type.
func stepsBetween(t *rapid.T, from, to *schema.Schema) []byte {
	was, is := treeOf(t, from), treeOf(t, to)
	var b strings.Builder
	step := func(word string, about any) {
		text, err := yaml.Marshal([]any{map[string]any{word: about}})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	words := func(was, is map[string]any) map[string]any {
		changed := map[string]any{}
		for word := range was {
			if _, stays := is[word]; !stays {
				changed[word] = nil
			}
		}
		for word, value := range is {
			changed[word] = value
		}
		delete(changed, "properties")
		return changed
	}
	prefixes := map[string]any{}
	for prefix := range from.Prefixes {
		prefixes[prefix] = nil
	}
	for prefix, namespace := range to.Prefixes {
		prefixes[prefix] = namespace
	}
	if len(prefixes) > 0 {
		step("prefixes", prefixes)
	}
	var order []string
	for _, typ := range from.Types {
		order = append(order, typ.Name)
		if to.Type(typ.Name) == nil {
			step("drop_type", typ.Name)
			order = order[:len(order)-1]
		}
	}
	for _, typ := range to.Types {
		here := is[typ.Name]
		if from.Type(typ.Name) == nil {
			step("add_type", map[string]any{typ.Name: here})
			order = append(order, typ.Name)
			names := namesOf(typ)
			inOrder(step, typ.Name+".", slices.Sorted(slices.Values(names)), names) // as Marshal writes a map
			continue
		}
		there := was[typ.Name]
		if changed := words(there, here); len(changed) > 0 {
			step("alter_type", map[string]any{typ.Name: changed})
		}
		var have []string
		for _, p := range from.Type(typ.Name).Properties {
			if !slices.Contains(namesOf(typ), p.Name) {
				step("drop_property", []string{typ.Name + "." + p.Name})
			} else {
				have = append(have, p.Name)
			}
		}
		for _, p := range typ.Properties {
			value := here["properties"].(map[string]any)[p.Name]
			if slices.Contains(have, p.Name) {
				before, wasWords := there["properties"].(map[string]any)[p.Name].(map[string]any)
				after, isWords := value.(map[string]any)
				if !wasWords {
					before = map[string]any{"type": ""}
				}
				if !isWords {
					after = map[string]any{"type": value}
				}
				step("alter_property", map[string]any{typ.Name + "." + p.Name: words(before, after)})
				continue
			}
			step("add_property", map[string]any{typ.Name + "." + p.Name: value})
			have = append(have, p.Name)
		}
		inOrder(step, typ.Name+".", have, namesOf(typ))
	}
	var want []string
	for _, typ := range to.Types {
		want = append(want, typ.Name)
	}
	inOrder(step, "", order, want)
	if b.Len() == 0 {
		return []byte("[]")
	}
	return []byte(b.String())
}

func namesOf(t *schema.Type) (names []string) {
	for _, p := range t.Properties {
		names = append(names, p.Name)
	}
	return names
}

// inOrder moves names until they stand as they should.
func inOrder(step func(string, any), prefix string, have, want []string) {
	for i := len(want) - 2; i >= 0; i-- {
		if slices.Index(have, want[i])+1 != slices.Index(have, want[i+1]) {
			step("move_before", map[string]any{prefix + want[i]: want[i+1]})
			have = slices.DeleteFunc(have, func(name string) bool { return name == want[i] })
			have = slices.Insert(have, slices.Index(have, want[i+1]), want[i])
		}
	}
}

// treeOf is a schema as maps; what is no mapping keeps its YAML, with every digit.
func treeOf(t *rapid.T, s *schema.Schema) map[string]map[string]any {
	var document yaml.Node
	if err := yaml.Unmarshal(s.YAML(), &document); err != nil {
		t.Fatal(err)
	}
	types := map[string]map[string]any{}
	whole, _ := maps(document.Content[0]).(map[string]any)
	all, _ := whole["types"].(map[string]any)
	for name, typ := range all {
		types[name], _ = typ.(map[string]any)
	}
	return types
}

func maps(n *yaml.Node) any {
	if n.Kind != yaml.MappingNode {
		return n
	}
	m := map[string]any{}
	for i := 0; i < len(n.Content); i += 2 {
		m[n.Content[i].Value] = maps(n.Content[i+1])
	}
	return m
}

// What is renamed and renamed back leaves no trace, whatever names it.
func TestWhatIsRenamedAndRenamedBackIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := generateSchema(t)
		there, back := "", ""
		for i, typ := range before.Types {
			there += fmt.Sprintf("- rename_type: {%s: New%d}\n", typ.Name, i)
			back = fmt.Sprintf("- rename_type: {New%d: %s}\n", i, typ.Name) + back
			for j, p := range typ.Properties {
				there += fmt.Sprintf("- rename_property: {New%d.%s: n%d_%d}\n", i, p.Name, i, j)
				back = fmt.Sprintf("- rename_property: {New%d.n%d_%d: %s}\n", i, i, j, p.Name) + back
			}
		}
		if there == "" {
			return
		}
		renamed, err := before.Patch([]byte(there))
		if err != nil {
			t.Fatalf("%v\n%s", err, there)
		}
		if steps := schema.Diff(renamed.Renamed, renamed.Schema); len(steps) > 0 {
			t.Fatalf("beside the names it changed %v", steps)
		}
		got, err := renamed.Schema.Patch([]byte(back))
		if err != nil {
			t.Fatalf("%v\n%s", err, back)
		}
		if string(got.Schema.YAML()) != string(before.YAML()) {
			t.Fatalf("got\n%s\nwant\n%s", got.Schema.YAML(), before.YAML())
		}
		if both, err := before.Patch([]byte(there + back)); err != nil || string(both.Schema.YAML()) != string(before.YAML()) || both.Renamed != before {
			t.Fatalf("there and back in one patch: %v", err)
		}
	})
}

func TestLimitsOfPatches(t *testing.T) {
	head := parse(t, "types:\n"+repeated(60, "  T%d: {properties: {title: string, about: {class: T0, many: true}}}\n"))
	for _, c := range []struct {
		name, text string
		want       string // in the error; "" for none
	}{
		{"10,000 steps are taken", repeated(10, "- add_type: {N%d: {}}\n") + strings.Repeat("- alter_property: {T59.title: {min_length: 3}}\n- alter_type: {T0: {description: x}}\n", 4995), ""},
		{"10,000 wrong steps are all counted", repeated(10_000, "- drop_type: X%d\n"), "validation failed on 10000 fields"},
		{"10,000 renames are taken", "- rename_type: {T5: A0}\n" + func() string {
			var b strings.Builder
			for i := range 9_999 {
				fmt.Fprintf(&b, "- rename_type: {A%d: A%d}\n", i, i+1)
			}
			return b.String()
		}(), ""},
		{"a megabyte is not", "#" + strings.Repeat("x", 1<<20), "the patch has 1048577 bytes; at most 1048576"},
		{"a megabyte of one description is not", "- alter_type: {T0: {description: " + strings.Repeat("x", 1<<20-100) + "}}", "bytes of YAML"},
		{"1,001 types are not", repeated(941, "- add_type: {N%d: {}}\n"), "there are 1001 types; at most 1000"},
		{"deep nesting is not", strings.Repeat("[", 100000), "the patch is not YAML"},
		{"aliases are not", "- add_type: {A: &a {}}\n- add_type: {B: *a}\n", "anchors and aliases are not allowed"},
		{"invalid UTF-8 is not", "- drop_type: \xff", "not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := head.Patch([]byte(c.text))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %.300v, want %q", err, c.want)
			}
		})
	}
}

// FuzzPatch: whatever the text, an error is a fault, and a schema that comes out is one
// that can be written and read.
func FuzzPatch(f *testing.F) {
	head := parse(f, family)
	for _, text := range []string{"- drop_type: Person", "rename_type: {Person: Human}", "- add_property: {Person.x: {type: string}}", "[]", "- prefixes: {a: null}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := head.Patch([]byte(text))
		if err != nil {
			if out := problems(err); strings.HasPrefix(out, "not a fault") {
				t.Fatal(out)
			}
			return
		}
		if again, err := schema.ParseYAML(p.Schema.YAML(), head.Base); err != nil || len(schema.Diff(again, p.Schema)) > 0 {
			t.Fatalf("%v\n%s", err, p.Schema.YAML())
		}
	})
}
