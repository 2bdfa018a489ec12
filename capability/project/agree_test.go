package project_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/text/jsontext"
)

// agreed has what JSON Schema has words for. Formats are not drawn: what a date is, the
// checker knows better than a library that asserts formats.
var agreed = capability.Shape{Closed: true, Fields: []capability.Field{
	{Name: "text", Type: capability.String, MinLength: new(2), MaxLength: new(3), Pattern: "^[aé]+$"},
	{Name: "word", Type: capability.String, OneOf: []any{"a", "éé"}},
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

// What several views show of a capability is the same bytes in each, whatever it is; and
// each shows what the descriptor says.
func TestViewsOfRandomDescriptorsAgree(t *testing.T) {
	for _, d := range kinds(t) {
		agree(t, d)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := randomDescriptor(rt)
		agree(t, d)
		written := project.Lower(d.InputShape)
		numbers := json.NewDecoder(bytes.NewReader(written))
		numbers.UseNumber()
		var schema any
		if err := numbers.Decode(&schema); err != nil {
			rt.Fatal(err)
		}
		if again, err := jsontext.Marshal(schema); err != nil || !bytes.Equal(again, written) {
			rt.Fatalf("the schema is written as %s, want %s, error %v", written, again, err)
		}
		for _, v := range project.Encodings(project.Process{Remote: true, Token: true}) {
			found, err := v.Check(d)
			if err != nil || len(found) > 0 {
				rt.Fatal(v.Name, found, err)
			}
		}
		if t.Failed() {
			rt.Fatalf("%+v", d)
		}
	})
}

func randomDescriptor(t *rapid.T) capability.Descriptor {
	text := rapid.StringMatching(`[A-Za-zé<>&"\\ .]{1,20}`)
	d := capability.Descriptor{
		ID:            rapid.SampledFrom([]string{"find", "note.create", "trails.meta.ping", "trails.meta.gen.type"}).Draw(t, "id"),
		Description:   text.Draw(t, "description"),
		InputShape:    capability.Shape{Fields: randomFields(t, 2), NodeType: rapid.SampledFrom([]string{"", "Note"}).Draw(t, "type")},
		OutputShape:   capability.Shape{Fields: randomFields(t, 2)},
		Preconditions: rapid.SliceOfN(text, 0, 2).Draw(t, "preconditions"),
		CostEstimate:  rapid.SampledFrom(capability.Costs()).Draw(t, "cost"),
		Idempotent:    rapid.Bool().Draw(t, "idempotent"),
		Deprecates:    rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,8}`), 0, 2, rapid.ID[string]).Draw(t, "deprecates"),
		SideEffects:   rapid.SampledFrom([]capability.SideEffects{capability.None, capability.Writes, capability.Destroys}).Draw(t, "side effects"),
		Reasoning:     rapid.SampledFrom([]capability.Reasoning{capability.ReasoningNone, capability.ReasoningSubclasses}).Draw(t, "reasoning"),
	}
	d.PolicyRequired.Remote = rapid.Bool().Draw(t, "remote")
	d.PolicyRequired.Upstream = rapid.Bool().Draw(t, "upstream")
	d.PolicyRequired.Scope = rapid.SampledFrom([]policy.Scope{"", policy.Builder, policy.Dev}).Draw(t, "scope")
	if d.SideEffects != capability.None {
		d.PolicyRequired.Action = "change"
		d.ConsentRequired = d.SideEffects == capability.Destroys && rapid.Bool().Draw(t, "consent")
	}
	d = d.Completed()
	if _, err := capability.New([]capability.Descriptor{d}); err != nil {
		t.Fatal(err)
	}
	return d
}

func randomFields(t *rapid.T, depth int) (fields []capability.Field) {
	types := []capability.Type{capability.String, capability.Boolean, capability.Integer, capability.Number, capability.Decimal, capability.BigInteger, capability.Date,
		capability.DateTime, capability.Time, capability.Duration, capability.Year, capability.URI, capability.IRI, capability.Bytes, capability.Vector, capability.Any}
	if depth > 0 {
		types = append(types, capability.Object)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "fields") {
		f := capability.Field{Name: fmt.Sprintf("f%d", i), Type: rapid.SampledFrom(types).Draw(t, "type"), Description: rapid.SampledFrom([]string{"", "What <it> is."}).Draw(t, "description")}
		for _, flag := range []*bool{&f.Required, &f.Many, &f.Nullable, &f.Needed, &f.Rare, &f.Brief, &f.Unique} {
			*flag = rapid.Bool().Draw(t, "flag")
		}
		f.Nullable = f.Nullable && f.Type != capability.Any
		if f.Type == capability.String && rapid.Bool().Draw(t, "bounded") {
			f.MinLength, f.MaxLength, f.Pattern = new(1), new(9), "^a<b>"
		}
		if f.Type == capability.String && rapid.Bool().Draw(t, "chosen") {
			f.OneOf = []any{"a", "b&"}
		}
		if f.Type == capability.Integer {
			f.MinValue, f.MaxValue, f.Default = 1, json.Number("10"), 5
		}
		if f.Type == capability.Object {
			f.Fields = randomFields(t, depth-1)
		}
		if f.Type == capability.Any && !f.Many && rapid.Bool().Draw(t, "table") {
			for _, types := range [][]string{nil, {"string"}, {"string", "null"}, {"string", "integer"}, {"string", "number", "null"}} {
				f.Cells = append(f.Cells, capability.Cell{Name: "c", Says: "date", Types: types})
			}
		}
		if f.Many {
			f.MinCount, f.MaxCount = new(1), new(3)
		}
		fields = append(fields, f)
	}
	return fields
}
