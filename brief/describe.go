package brief

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/capability"
	"trails/capability/project"
	"trails/invoke"
	"trails/schema"
	"trails/sparql/lint"
	"trails/view"
)

var describeType = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "describe", Description: "Tell one type: properties, constraints, where ids come from, and data of a create that fits.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "type", Type: capability.String, Required: true},
			{Name: "input_schema", Type: capability.Boolean, Rare: true, Default: false, Description: "The JSON Schema of its create tool, too."},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "type", Type: capability.String, Required: true},
			{Name: "description", Type: capability.String},
			{Name: "abstract", Type: capability.Boolean, Description: "It has no nodes of its own; its subtypes do."},
			{Name: "open", Type: capability.Boolean, Description: "Updates and loads may give its nodes names under the base that the schema does not declare."},
			{Name: "supertypes", Type: capability.String, Many: true},
			{Name: "subtypes", Type: capability.String, Many: true},
			{Name: "nodes", Type: capability.String, Required: true, Description: "How many there are, with those of subtypes."},
			{Name: "class", Type: capability.String, Required: true, Description: "As SPARQL writes it."},
			{Name: "node", Type: capability.String, Required: true, Description: "How SPARQL writes a node; one with other signs in its id as <IRI>."},
			{Name: "prefixes", Type: capability.String, Required: true, Description: "Those that SPARQL need not declare; : alone is the base."},
			{Name: "instances", Type: capability.String, Description: "The pattern in SPARQL of its nodes and those of its subtypes."},
			{Name: "label", Type: capability.String, Description: "The property that people read."},
			{Name: "id", Type: capability.String, Required: true, Description: "Where ids come from."},
			{Name: "columns", Type: capability.String, Many: true, Required: true},
			{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each property: name, rules, description."},
			{Name: "unique", Type: capability.String, Many: true, Description: "Properties whose values are unique together."},
			{Name: "example", Type: capability.Any, Description: "The data of a create."},
			{Name: "ask_for", Type: capability.String, Many: true, Description: "What is required and not in the example."},
			{Name: "input_schema", Type: capability.Any},
		}},
		CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: describe,
}

// described is what describe answers.
type described struct {
	Type        string          `json:"type"`
	Description string          `json:"description,omitempty"`
	Abstract    bool            `json:"abstract,omitempty"`
	Open        bool            `json:"open,omitempty"`
	Supertypes  []string        `json:"supertypes,omitempty"`
	Subtypes    []string        `json:"subtypes,omitempty"`
	Nodes       string          `json:"nodes"`
	Class       string          `json:"class"`
	Node        string          `json:"node"`
	Prefixes    string          `json:"prefixes"`
	Instances   string          `json:"instances,omitempty"`
	Label       string          `json:"label,omitempty"`
	ID          string          `json:"id"`
	Columns     []string        `json:"columns"`
	Rows        [][]any         `json:"rows"`
	Unique      []string        `json:"unique,omitempty"`
	Example     json.RawMessage `json:"example,omitempty"`
	AskFor      []string        `json:"ask_for,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

func describe(ctx context.Context, r *invoke.Request) (any, error) {
	t, err := view.KnownType(r, "type")
	if err != nil {
		return nil, err
	}
	s := r.Snapshot.Schema()
	out := described{
		Type: t.Name, Description: t.Description, Abstract: t.Abstract, Open: s.IsOpen([]*schema.Type{t}), Class: s.Short(t.IRI), Label: s.LabelOf(t), ID: idRule(r, t),
		Columns: []string{"property", "rules", "description"}, Rows: [][]any{},
	}
	out.Node = ":" + strings.TrimSuffix(strings.TrimPrefix(string(s.EntityIRI(t, "")), s.Base), "/") + `\/id`
	names := slices.Sorted(maps.Keys(s.TurtlePrefixes()))
	out.Prefixes = strings.Join(names, ": ") + ":"
	for _, one := range s.Supertypes(t) {
		out.Supertypes = append(out.Supertypes, one.Name)
	}
	for _, one := range s.Subtypes(t) {
		if one != t {
			out.Subtypes = append(out.Subtypes, one.Name)
		}
	}
	if len(out.Subtypes) > 0 {
		out.Instances = lint.Instances(s, t)
	}
	counts, err := r.Snapshot.TypeCountsUpTo(ctx, guideCount)
	if err != nil {
		return nil, err
	}
	for _, c := range counts {
		if c.Type == t {
			out.Nodes = counted(c.Count)
		}
	}
	shape := capability.ShapeOfType(s, t)
	for _, f := range shape.Fields {
		out.Rows = append(out.Rows, []any{f.Name, strings.Join(rulesOf(f), ", "), f.Description})
	}
	for _, group := range shape.UniqueTogether {
		out.Unique = append(out.Unique, strings.Join(group, ", "))
	}
	if t.Abstract {
		return out, nil
	}
	found, err := filledSample(ctx, r, t)
	if err != nil {
		return nil, err
	}
	create := createShape(r, t)
	example, left := found.callExample(create, sampleCall)
	if json.Valid([]byte(example)) {
		out.Example = json.RawMessage(example)
	}
	out.AskFor = left
	if r.Args.Flag("input_schema") {
		out.InputSchema = project.Lower(create)
	}
	return out, nil
}
