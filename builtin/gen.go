package builtin

import (
	"context"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
	"trails/schema/scaffold"
)

// nowField are the texts that files have before a FileDiff.
var nowField = capability.Field{Name: "now", Type: capability.Object, Rare: true, Description: "Texts of files that are there, by path: the diff leads from them."}

// fileDiff is what every generator answers.
var fileDiff = capability.Shape{Fields: []capability.Field{
	{Name: "files", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
		{Name: "path", Type: capability.String, Required: true, Description: "Relative."},
		{Name: "action", Type: capability.String, Required: true, OneOf: []any{string(scaffold.Create), string(scaffold.Modify), string(scaffold.Delete)}},
		{Name: "diff", Type: capability.String, Required: true, Description: "Unified."},
		{Name: "content", Type: capability.String, Required: true, Description: "The new text."},
	}},
}}

// generators are listed after the other meta capabilities, in this order. They write
// nothing: who called takes the files.
var generators = []invoke.Capability{
	generator("shape", "Write a type of the schema as SHACL in Turtle. Returns a FileDiff.", func(r *invoke.Request) ([]scaffold.Draft, error) {
		return one(scaffold.Shape(r.Snapshot.Schema(), r.Args.Text("type")))
	}, capability.Field{Name: "type", Type: capability.String, Required: true}),
	generator("type", "Write a schema patch that adds a type, for schema_apply. Returns a FileDiff.", func(r *invoke.Request) ([]scaffold.Draft, error) {
		return one(scaffold.Type(r.Snapshot.Schema(), scaffold.NewType{
			Name: r.Args.Text("type"), Description: r.Args.Text("description"), Label: r.Args.Text("label"), Properties: textsOf(r.Args.List("properties")),
		}))
	},
		capability.Field{Name: "type", Type: capability.String, Required: true, Description: "Its name, such as Task."},
		capability.Field{Name: "properties", Type: capability.String, Many: true, Description: "Each as in the schema's YAML: due: date, or owner: {class: Person, required: true}."},
		capability.Field{Name: "description", Type: capability.String, Brief: true, Description: "What the type is."},
		capability.Field{Name: "label", Type: capability.String, Description: "The property that people read."},
	),
	generator("capability", "Write a Go capability about a type, which lists or creates nodes, and its test. Returns a FileDiff.", func(r *invoke.Request) ([]scaffold.Draft, error) {
		return scaffold.Capability(r.Snapshot.Schema(), scaffold.NewCapability{
			ID: r.Args.Text("id"), Description: r.Args.Text("description"), Type: r.Args.Text("type"), Properties: textsOf(r.Args.List("properties")), Writes: r.Args.Flag("writes"),
		})
	},
		capability.Field{Name: "id", Type: capability.String, Required: true, Description: "Such as task.find."},
		capability.Field{Name: "type", Type: capability.String, Required: true, Brief: true, Description: "What it is about."},
		capability.Field{Name: "properties", Type: capability.String, Many: true, Description: "Those of the type that it takes."},
		capability.Field{Name: "writes", Type: capability.Boolean, Default: false, Description: "Create a node, in the place of listing."},
		capability.Field{Name: "description", Type: capability.String, Brief: true, Description: "What it does."},
	),
	generator("migration", "Write the next migration, from the schema to another one. Returns a FileDiff.", func(r *invoke.Request) ([]scaffold.Draft, error) {
		number := r.Args.Integer("number", len(r.Snapshot.Applied())+1)
		return one(scaffold.Migration(r.Snapshot.Schema(), number, r.Args.Text("name"), []byte(r.Args.Text("schema"))))
	},
		capability.Field{Name: "name", Type: capability.String, Required: true, Description: "Such as two_names."},
		capability.Field{Name: "schema", Type: capability.String, Required: true, Description: "The whole schema to come, in YAML."},
		capability.Field{Name: "number", Type: capability.Integer, MinValue: 1, MaxValue: 9999, Rare: true, Description: "Where migrations wait to be applied; else one more than the graph has."},
	),
}

// generator is one of the capabilities that return a FileDiff.
func generator(op, description string, write func(*invoke.Request) ([]scaffold.Draft, error), arguments ...capability.Field) invoke.Capability {
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "trails.meta.gen." + op, Description: description,
			InputShape:  capability.Shape{Fields: append(arguments, nowField, capability.MaxChars(), capability.ReadBranch())},
			OutputShape: fileDiff, CostEstimate: capability.CostResult,
			PolicyRequired: capability.Requirement{Scope: policy.Dev, Action: policy.Read}, Idempotent: true,
		},
		Handle: func(_ context.Context, r *invoke.Request) (any, error) {
			drafts, err := write(r)
			if err != nil {
				return nil, err
			}
			now := map[string]string{}
			for path, text := range r.Args.Object(nowField.Name) {
				now[path], _ = text.(string)
			}
			return scaffold.Between(now, drafts...), nil
		},
	}
}

func one(d scaffold.Draft, err error) ([]scaffold.Draft, error) { return []scaffold.Draft{d}, err }

// textsOf are the strings of a list.
func textsOf(list []any) (texts []string) {
	for _, v := range list {
		text, _ := v.(string)
		texts = append(texts, text)
	}
	return texts
}
