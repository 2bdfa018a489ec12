package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/gateway"
	"trails/text/jsontext"
)

func schemaOf(t testing.TB, text string) *gateway.Schema {
	t.Helper()
	s, err := gateway.NewSchema("a:b", json.RawMessage(text), gateway.UsualLimits)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestArgumentsAreHeldAgainstTheSchema(t *testing.T) {
	s := schemaOf(t, `{"type":"object","properties":{"title":{"type":"string","pattern":"^(?=x)"},"n":{"type":"integer","maximum":3}},"required":["title"],"additionalProperties":false}`)
	for text, want := range map[string]string{
		`{"title":"any"}`:                      "",
		`{"title":"","n":3}`:                   "",
		`{}`:                                   "the arguments of a:b do not fit its schema: missing property 'title'",
		`{"title":7}`:                          "the arguments of a:b do not fit its schema: /title: got number, want string",
		`{"title":"a","n":4,"x/y":1}`:          "the arguments of a:b do not fit its schema: additional properties 'x/y' not allowed, and 1 more",
		`[]`:                                   "the arguments of a:b do not fit its schema: got array, want object",
		`{"title":"a","n":3.0}`:                "",
		`{"title":"a","n":9007199254740993.5}`: "the arguments of a:b do not fit its schema: /n: got number, want integer",
	} {
		err := s.Check(decoded(t, text))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != gateway.ArgsInvalid || failed.Path != "a:b" || failed.Message != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := schemaOf(t, "").Check(decoded(t, `{"anything":1}`)); err != nil {
		t.Error(err)
	}
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"p%d":1`, i))
	}
	var failed *gateway.Error
	err := schemaOf(t, `{"additionalProperties":{"type":"string"}}`).Check(decoded(t, "{"+strings.Join(many, ",")+"}"))
	if !errors.As(err, &failed) || reflect.ValueOf(failed.Details["errors"]).Len() != 10 {
		t.Errorf("%v", err)
	}
}

// doubling is a schema of which each part refers to the next one twice; before stands in it in
// the place of a reference to the first.
func doubling(before string) string {
	if before == "" {
		before = `"$ref":"#/$defs/0",`
	}
	var parts []string
	for i := range 30 {
		parts = append(parts, fmt.Sprintf(`"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`, i, i+1, i+1))
	}
	return `{` + before + `"$defs":{` + strings.Join(parts, ",") + `,"30":{}}}`
}

func TestSchemasThatAreNoneAreRefused(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 80) + "{}" + strings.Repeat("}", 80)
	var wide []string
	for i := range 2_001 {
		wide = append(wide, fmt.Sprintf(`"p%d":{}`, i))
	}
	for name, text := range map[string]string{
		"no JSON": `{`, "of a wrong type": `{"type":"strange"}`, "of wrong properties": `{"properties":[]}`, "a number": `7`,
		"elsewhere": `{"$ref":"https://example.com/schema.json"}`, "in a file": `{"$ref":"file:///etc/passwd"}`, "nowhere": `{"$ref":"#/$defs/none"}`,
		"of a billion": doubling(""), "of a billion below": doubling(`"properties":{"a":{"items":{"$ref":"#/$defs/0"}}},`),
		"deep": deep, "wide": `{"properties":{` + strings.Join(wide, ",") + `}}`, "long": `{"description":"` + strings.Repeat("x", 256<<10) + `"}`,
	} {
		_, err := gateway.NewSchema("a:b", json.RawMessage(text), gateway.UsualLimits)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != gateway.SchemaInvalid || failed.Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}}}`,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#"}}}`,
	} {
		schemaOf(t, text)
	}
}

func TestMistakesOfModelsAreMended(t *testing.T) {
	s := schemaOf(t, `{"properties":{"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"z":{"type":["null","integer"]},
		"s":{"type":"string"},"sn":{"type":["string","null"]},"u":{},"r":{"$ref":"#/$defs/count"}},"$defs":{"count":{"type":"integer"}}}`)
	for _, c := range []struct{ args, want, repairs string }{
		{`{"i":"7","n":"1.5e3","b":"true","z":"null"}`, `{"i":7,"n":1.5e3,"b":true,"z":null}`, "str_to_boolean b, str_to_integer i, str_to_number n, str_to_null z"},
		{`{"i":"-0","n":"12","b":"false","z":"12","r":"3"}`, `{"i":-0,"n":12,"b":false,"z":12,"r":3}`, "str_to_boolean b, str_to_integer i, str_to_number n, str_to_integer r, str_to_integer z"},
		{`{"s":"7","sn":"null","u":"7","x":"7"}`, `{"s":"7","sn":"null","u":"7","x":"7"}`, ""},
		{`{"i":"07"}`, `{"i":"07"}`, ""}, {`{"i":"7.0"}`, `{"i":"7.0"}`, ""}, {`{"i":" 7"}`, `{"i":" 7"}`, ""}, {`{"i":"+7"}`, `{"i":"+7"}`, ""},
		{`{"n":"1e999"}`, `{"n":"1e999"}`, ""}, {`{"n":"NaN"}`, `{"n":"NaN"}`, ""}, {`{"n":".5"}`, `{"n":".5"}`, ""},
		{`{"b":"True"}`, `{"b":"True"}`, ""}, {`{"b":"1"}`, `{"b":"1"}`, ""}, {`{"z":"None"}`, `{"z":"None"}`, ""},
		{`"\ufeff {\"i\":\"7\"}\n"`, `{"i":7}`, "parse_stringified_object , str_to_integer i"},
		{`"[1]"`, `"[1]"`, ""}, {`"no"`, `"no"`, ""}, {`"{} {}"`, `"{} {}"`, ""}, {`[]`, `[]`, ""},
	} {
		args := decoded(t, c.args)
		got, repairs := s.Tolerate(args)
		var said []string
		for _, r := range repairs {
			said = append(said, r.Rule+" "+r.Field)
		}
		if diff := cmp.Diff(decoded(t, c.want), got); diff != "" || strings.Join(said, ", ") != c.repairs {
			t.Errorf("%s: %q, want %q; %s", c.args, strings.Join(said, ", "), c.repairs, diff)
		}
		if !reflect.DeepEqual(args, decoded(t, c.args)) {
			t.Errorf("%s was changed to %v", c.args, args)
		}
	}
}

// What is mended once has nothing to mend, what fits the schema stays as it is, and nothing
// but texts changes.
func TestMendingTwiceIsMendingOnce(t *testing.T) {
	types := []string{"string", "integer", "number", "boolean", "null", "object"}
	rapid.Check(t, func(t *rapid.T) {
		properties, args := map[string]any{}, map[string]any{}
		for _, name := range []string{"a", "b", "c", "d"} {
			properties[name] = map[string]any{"type": rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 3, rapid.ID[string]).Draw(t, "types")}
			args[name] = rapid.OneOf(
				rapid.SampledFrom([]any{"1", "-7", "1.5", "1e3", "1e999", "true", "false", "null", "", "{}", true, nil, json.Number("3"), map[string]any{"x": "1"}}),
				rapid.Map(rapid.String(), func(s string) any { return s })).Draw(t, name)
		}
		schema, err := jsontext.Marshal(map[string]any{"properties": properties})
		if err != nil {
			t.Fatal(err)
		}
		s, err := gateway.NewSchema("a:b", schema, gateway.UsualLimits)
		if err != nil {
			t.Fatal(err)
		}
		var given any = args
		if rapid.Bool().Draw(t, "as text") {
			text, err := jsontext.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			given = string(text)
		}
		once, _ := s.Tolerate(given)
		twice, repairs := s.Tolerate(once)
		if len(repairs) > 0 || !reflect.DeepEqual(once, twice) {
			t.Fatalf("%v became %v, and then %v by %v", given, once, twice, repairs)
		}
		if _, repairs := s.Tolerate(args); s.Check(args) == nil && len(repairs) > 0 {
			t.Fatalf("%v fits %s, and was changed by %v", args, schema, repairs)
		}
		for name, value := range once.(map[string]any) {
			if _, text := args[name].(string); !text && !reflect.DeepEqual(value, args[name]) {
				t.Fatalf("%s was %v and is %v", name, args[name], value)
			}
		}
	})
}

func TestSelectionsAreOfWhatWasOffered(t *testing.T) {
	create, other, list, read := "gh:create_issue#01234567", "gh:Create_issue#01234567", "gh:list_issues#89abcdef", "fs:read#00000000"
	offered := []string{create, other, list, read, read}
	for answer, want := range map[string]gateway.Selection{
		read:                        {Status: "accepted", Selected: read},
		" " + read + "\n":           {Status: "repaired", Selected: read, Repair: "strip"},
		"GH:List_Issues#89ABCDEF":   {Status: "repaired", Selected: list, Repair: "case_fold"},
		create:                      {Status: "accepted", Selected: create},
		"GH:create_issue#01234567":  {Status: "rejected", Reason: gateway.AmbiguousCaseFold, Candidates: []string{create, other}},
		"gh:list":                   {Status: "repaired", Selected: list, Repair: "prefix"},
		"FS:":                       {Status: "repaired", Selected: read, Repair: "prefix"},
		"gh:":                       {Status: "rejected", Reason: gateway.AmbiguousPrefix, Candidates: []string{create, other, list}},
		"gh:delete":                 {Status: "rejected", Reason: gateway.NotACandidate, Candidates: offered},
		"fs:read#00000000 and more": {Status: "rejected", Reason: gateway.NotACandidate, Candidates: offered},
		" ":                         {Status: "rejected", Reason: gateway.EmptySelection, Candidates: offered},
	} {
		want.Raw = answer
		if got := gateway.Select(answer, offered); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", answer, got, want)
		}
	}
	if got := gateway.Select(read, nil); got.Status != "rejected" || got.Reason != gateway.NoCandidates {
		t.Errorf("of none: %+v", got)
	}
}

// An id is resolved among what was offered and among all, and what it cannot be is an error with
// the reason and candidates each of which resolves.
func TestIDsAreResolvedOrRefusedWithCandidates(t *testing.T) {
	tool := func(name, property string) gateway.Offered {
		return offeredTool(name, `{"properties":{"`+property+`":{}}}`)
	}
	d := gateway.NewDirectory(nil, []gateway.Listing{{Server: gateway.Server{Name: "hub"}, Offered: []gateway.Offered{
		tool("read", "a"), tool("Read", "b"), tool("write", "a"), tool("count_words", "a"), tool("count_lines", "a"), offeredResource("readme", "file:///readme"),
	}}})
	id := map[string]string{}
	for i := range d.Catalog(gateway.Tool).Len() {
		id[d.Catalog(gateway.Tool).At(i).Name] = d.Catalog(gateway.Tool).At(i).ID
	}
	names := map[string]string{"scribble": id["write"]}
	counts := []string{id["count_lines"], id["count_words"]}
	for _, c := range []struct {
		answer     string
		offered    []string
		selected   string
		repair     string
		reason     gateway.Reason
		candidates []string
	}{
		{answer: id["write"], selected: id["write"]},
		{answer: "hub:write", selected: id["write"]},
		{answer: "scribble", selected: id["write"]},
		{answer: " " + id["write"], selected: id["write"], repair: "strip"},
		{answer: "\thub:write\n", selected: id["write"], repair: "strip"},
		{answer: "Hub:WRITE", selected: id["write"], repair: "case_fold"},
		{answer: " SCRIBBLE ", selected: id["write"], repair: "case_fold"},
		{answer: strings.ToUpper(id["write"]), selected: id["write"], repair: "case_fold"},
		{answer: "hub:wri", offered: []string{id["write"], id["read"]}, selected: id["write"], repair: "prefix"},
		{answer: "HUB:READ", reason: gateway.AmbiguousCaseFold, candidates: []string{id["Read"], id["read"]}},
		{answer: " hub:COUNT", offered: counts, reason: gateway.AmbiguousPrefix, candidates: counts},
		{answer: "hub:count", reason: gateway.AmbiguousPrefix, candidates: counts},
		{answer: " COUNT_", offered: []string{id["write"]}, reason: gateway.AmbiguousPrefix, candidates: counts},
		{answer: "wri", offered: counts, reason: gateway.NotACandidate, candidates: []string{id["write"]}},
		{answer: "hub:wri", reason: gateway.NoCandidates, candidates: []string{id["write"]}}, // what was not shown is not guessed
		{answer: "hub:write#00000000", reason: gateway.NoCandidates, candidates: []string{id["write"]}},
		{answer: "hub:writes", reason: gateway.NoCandidates, candidates: []string{id["write"]}},
		{answer: "scribbel", reason: gateway.NoCandidates, candidates: []string{id["write"]}},
		{answer: "scribble_text", reason: gateway.NoCandidates, candidates: []string{id["write"]}},
		{answer: "write_file", offered: counts, reason: gateway.NotACandidate, candidates: []string{id["write"]}},
		{answer: "lines", reason: gateway.NoCandidates, candidates: []string{id["count_lines"]}},
		{answer: "delete", offered: counts, reason: gateway.NotACandidate, candidates: counts},
		{answer: "gone:away#00000000", offered: []string{"gone:away#11111111"}, reason: gateway.NoCandidates},
		{answer: "", offered: counts, reason: gateway.EmptySelection, candidates: counts},
		{answer: " \n", reason: gateway.EmptySelection},
	} {
		entry, selection, err := d.Resolve(gateway.Tool, c.answer, c.offered, names)
		if c.selected != "" {
			repair := ""
			if selection != nil {
				repair = selection.Repair
			}
			if err != nil || entry.Item.ID != c.selected || repair != c.repair {
				t.Errorf("%q: %s by %q (%v), want %s by %q", c.answer, entry.Item.ID, repair, err, c.selected, c.repair)
			}
			continue
		}
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != gateway.HydrateFailed {
			t.Errorf("%q: %s (%v)", c.answer, entry.Item.ID, err)
			continue
		}
		got, _ := failed.Details["selection"].(gateway.Selection)
		if got.Status != "rejected" || got.Reason != c.reason || got.Raw != c.answer || !slices.Equal(got.Candidates, c.candidates) {
			t.Errorf("%q: %+v, want %s of %q", c.answer, got, c.reason, c.candidates)
		}
		for _, candidate := range got.Candidates {
			if entry, selection, err := d.Resolve(gateway.Tool, candidate, nil, names); err != nil || selection != nil || entry.Item.ID != candidate {
				t.Errorf("%q: the candidate %s is none: %v", c.answer, candidate, err)
			}
		}
	}
	if _, _, err := d.Resolve(gateway.Resource, id["write"], []string{id["write"]}, nil); err == nil {
		t.Error("a tool is a resource")
	}
}

// The address of a resource is taken where one server alone lists it, with or without the server, and a part of one
// has candidates.
func TestAResourceIsFoundByItsAddress(t *testing.T) {
	d := gateway.NewDirectory(nil, []gateway.Listing{
		{Server: gateway.Server{Name: "hub"}, Offered: []gateway.Offered{offeredResource("readme", "file:///notes/readme.md"), offeredResource("both", "doc://both")}},
		{Server: gateway.Server{Name: "lib"}, Offered: []gateway.Offered{offeredResource("both", "doc://both"), offeredResource("todo", "doc://todo")}},
	})
	for answer, want := range map[string]string{
		"file:///notes/readme.md": "hub readme", "FILE:///notes/README.md": "hub readme", "hub:file:///notes/readme.md": "hub readme", "lib:doc://both": "lib both",
		"doc://both": "? hub both, lib both", "readme.md": "? hub readme", "/notes/readme.md": "? hub readme", "doc://t": "? lib todo", "doc://": "? hub both, lib both, lib todo",
		"eadme.md": "? ", "file:///notes/gone.md": "? ", "hub:doc://todo": "? lib todo",
	} {
		entry, _, err := d.Resolve(gateway.Resource, answer, nil, nil)
		got := entry.Server + " " + entry.Item.Name
		var failed *gateway.Error
		if errors.As(err, &failed) {
			selection, _ := failed.Details["selection"].(gateway.Selection)
			var candidates []string
			for _, id := range selection.Candidates {
				entry, err := d.Find(gateway.Resource, id)
				if err != nil {
					t.Errorf("%q: %v", answer, err)
				}
				candidates = append(candidates, entry.Server+" "+entry.Item.Name)
			}
			got = "? " + strings.Join(candidates, ", ")
		}
		if got != want {
			t.Errorf("%q: %s, want %s (%v)", answer, got, want, err)
		}
	}
}

func TestASelectionSchemaTakesWhatWasOffered(t *testing.T) {
	offered := []string{"b:y", "a:x", "b:y"}
	bare, err := gateway.SelectionSchema(offered, gateway.JSONSchema)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jsontext.Marshal(bare)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"additionalProperties":false,"properties":{"tool_id":{"enum":["b:y","a:x"],"type":"string"}},"required":["tool_id"],"type":"object"}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	openai, err := gateway.SelectionSchema(offered, gateway.OpenAI)
	if err != nil || openai["type"] != "json_schema" || !reflect.DeepEqual(openai["json_schema"].(map[string]any)["schema"], bare) {
		t.Errorf("%v (%v)", openai, err)
	}
	anthropic, err := gateway.SelectionSchema(offered, gateway.Anthropic)
	if err != nil || anthropic["name"] != "tool_selection" || !reflect.DeepEqual(anthropic["input_schema"], bare) {
		t.Errorf("%v (%v)", anthropic, err)
	}
	s := schemaOf(t, string(text))
	if err := s.Check(map[string]any{"tool_id": "a:x"}); err != nil {
		t.Error(err)
	}
	if err := s.Check(map[string]any{"tool_id": "a:z"}); err == nil {
		t.Error("a tool that was not offered can be selected")
	}
	for _, c := range []struct {
		ids  []string
		form gateway.Form
	}{{nil, gateway.OpenAI}, {offered, "other"}} {
		if _, err := gateway.SelectionSchema(c.ids, c.form); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A refusal is the one place where a caller learns which other arguments a tool takes.
func TestARefusalSaysWhatTheToolTakes(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"p%02d":{"type":"string"}`, i))
	}
	for text, want := range map[string]string{
		`{"type":"object","properties":{"repository":{"type":"string","description":"Owner\nand name."},"state":{"enum":["open","closed",null]},"labels":{"type":"array","items":{"type":"string"}},"n":{"type":["integer","null"]},"x":{}},"required":["repository"]}`: "repository (string, required): Owner and name.; labels (array of string); n (null or integer); state (one of open, closed, null); x (any value)",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/c"}}},"c":{"type":"boolean"}}}`:                                                                                                                          "b (boolean, required)",
		`{"type":"object","required":["p39"],"properties":{` + strings.Join(many, ",") + `}}`:                                                                                                                                                                           "p39 (string, required); p00 (string)",
		`{"type":"object","required":["a"]}`: "",
	} {
		var failed *gateway.Error
		if err := schemaOf(t, text).Check(decoded(t, "{}")); !errors.As(err, &failed) {
			t.Fatalf("%s: %v", text, err)
		}
		got, _ := failed.Details["takes"].([]string)
		if len(got) > 30 && got[30] == "and 10 more" {
			got = got[:2]
		}
		if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
