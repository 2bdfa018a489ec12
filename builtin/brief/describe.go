package brief

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/capability/project"
	"trails/invoke"
	"trails/schema"
	"trails/sparql/lint"
)

// describing names a type.
type describing struct {
	Type        string `json:"type"`
	InputSchema bool   `json:"input_schema" is:"rare" default:"false" doc:"The JSON Schema of its create tool, too."`
}

// described is what describe answers.
type described struct {
	Type        string          `json:"type"`
	Description string          `json:"description,omitempty"`
	Abstract    bool            `json:"abstract,omitempty" doc:"It has no nodes of its own; its subtypes do."`
	Open        bool            `json:"open,omitempty" doc:"Updates and loads may give its nodes names under the base that the schema does not declare."`
	Supertypes  []string        `json:"supertypes,omitempty"`
	Subtypes    []string        `json:"subtypes,omitempty"`
	Nodes       string          `json:"nodes" doc:"How many there are, with those of subtypes."`
	Class       string          `json:"class" doc:"As SPARQL writes it."`
	Node        string          `json:"node" doc:"How SPARQL writes a node; one with other signs in its id as <IRI>."`
	Prefixes    string          `json:"prefixes" doc:"Those that SPARQL need not declare; : alone is the base."`
	Instances   string          `json:"instances,omitempty" doc:"The pattern in SPARQL of its nodes and those of its subtypes."`
	Label       string          `json:"label,omitempty" doc:"The property that people read."`
	ID          string          `json:"id" doc:"Where ids come from."`
	Columns     []string        `json:"columns"`
	Rows        [][]any         `json:"rows" type:"any" cells:"property:string,rules:string,description:string" doc:"A list for each property: name, rules, description."`
	Unique      []string        `json:"unique,omitempty" doc:"Properties whose values are unique together."`
	Example     json.RawMessage `json:"example,omitempty" doc:"The data of a create."`
	AskFor      []string        `json:"ask_for,omitempty" doc:"What is required and not in the example."`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

var describeType = invoke.Define(capability.Descriptor{
	ID: "describe", Description: "One type: properties, constraints, ids, and data of a create that fits.",
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, describe)

func describe(ctx context.Context, r *invoke.Request, in describing) (*described, error) {
	t, err := view.KnownType(r, in.Type)
	if err != nil {
		return nil, err
	}
	s := r.Snapshot.Schema()
	out := &described{
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
	if in.InputSchema {
		out.InputSchema = project.Lower(create)
	}
	return out, nil
}
