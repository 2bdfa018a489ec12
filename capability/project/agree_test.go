package project_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"trails/capability"
	"trails/capability/project"
)

// agreed has what JSON Schema has words for. Formats are not drawn: what a date is, the
// checker knows better than a library that asserts formats.
var agreed = capability.Shape{Closed: true, Fields: []capability.Field{
	{Name: "text", Type: capability.String, MinLength: new(2), MaxLength: new(3), Pattern: "^[aé]+$"},
	{Name: "word", Type: capability.String, OneOf: []any{"a", "éé"}, Nullable: true},
	{Name: "flag", Type: capability.Boolean, Required: true},
	{Name: "count", Type: capability.Integer, MinValue: 1, MaxValue: 10},
	{Name: "share", Type: capability.Number, MinValue: json.Number("0.5"), OneOf: []any{json.Number("0.5"), 2}},
	{Name: "big", Type: capability.BigInteger},
	{Name: "vector", Type: capability.Vector, Dim: new(2)},
	{Name: "fixed", Type: capability.String, HasValue: "a"},
	{Name: "list", Type: capability.Integer, Many: true, MinCount: new(1), MaxCount: new(2)},
	{Name: "any", Type: capability.Any},
	{Name: "object", Type: capability.Object, Fields: []capability.Field{
		{Name: "flag", Type: capability.Boolean, Required: true},
		{Name: "list", Type: capability.String, Many: true},
	}},
}}

// The schema that is shown refuses what the checker refuses, and nothing else.
func TestTheSchemaAndTheCheckerAgree(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(project.Lower(agreed)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource("shape.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("shape.json")
	if err != nil {
		t.Fatal(err)
	}
	scalar := rapid.SampledFrom([]any{
		nil, true, false, "", "a", "aa", "éé", "aaaa", "b", "7", "-12", "1.5",
		json.Number("0"), json.Number("1"), json.Number("2"), json.Number("5e-1"), json.Number("0.5"), json.Number("0.25"), json.Number("10"), json.Number("11"),
	})
	value := rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(scalar, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"flag", "list", "x"}), rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(scalar, 0, 2), func(l []any) any { return l })), 0, 3),
			func(m map[string]any) any { return m }))
	names := []string{"nothing"}
	for _, f := range agreed.Fields {
		names = append(names, f.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.MapOfN(rapid.SampledFrom(names), value, 0, 3).Draw(t, "args")
		if rapid.IntRange(0, 9).Draw(t, "flagged") > 0 {
			args["flag"] = true
		}
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		shown, wrong := schema.Validate(instance), agreed.Check(args)
		if (shown == nil) != (len(wrong) == 0) {
			t.Fatalf("%s\nthe schema says %v\nthe checker says %v", text, shown, wrong)
		}
	})
}
