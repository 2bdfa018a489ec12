package builtin

import (
	"cmp"
	"context"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
	"trails/schema/scaffold"
)

// presentFiles is the common argument of all generators.
type presentFiles struct {
	Now map[string]string `json:"now,omitempty" is:"rare" doc:"Texts of files that are there, by path: the diff leads from them."`
}

func (f presentFiles) present() map[string]string { return f.Now }

// generators are listed after the other meta capabilities, in this order. They write no files: the caller does.
var generators = []invoke.Capability{
	generator("shape", "Write a type of the schema as SHACL in Turtle. Returns a FileDiff.", func(r *invoke.Request, in struct {
		Type string `json:"type"`
		presentFiles
	}) ([]scaffold.Draft, error) {
		return one(scaffold.Shape(r.Snapshot.Schema(), in.Type))
	}),
	generator("type", "Write a schema patch that adds a type, for schema_apply. Returns a FileDiff.", func(r *invoke.Request, in struct {
		scaffold.NewType
		presentFiles
	}) ([]scaffold.Draft, error) {
		return one(scaffold.Type(r.Snapshot.Schema(), in.NewType))
	}),
	generator("capability", "Write a Go capability about a type, which lists or creates nodes, and its test. Returns a FileDiff.", func(r *invoke.Request, in struct {
		scaffold.NewCapability
		presentFiles
	}) ([]scaffold.Draft, error) {
		return scaffold.Capability(r.Snapshot.Schema(), in.NewCapability)
	}),
	generator("migration", "Write the next migration, from the schema to another one. Returns a FileDiff.", func(r *invoke.Request, in struct {
		Name   string `json:"name" doc:"Such as two_names."`
		Schema string `json:"schema" doc:"The whole schema to come, in YAML."`
		Number int    `json:"number,omitempty" is:"rare" min:"1" max:"9999" doc:"Where migrations wait to be applied; else one more than the graph has."`
		presentFiles
	}) ([]scaffold.Draft, error) {
		return one(scaffold.Migration(r.Snapshot.Schema(), cmp.Or(in.Number, len(r.Snapshot.Applied())+1), in.Name, []byte(in.Schema)))
	}),
}

// generator is one of the capabilities that return a FileDiff.
func generator[In interface{ present() map[string]string }](op, description string, write func(*invoke.Request, In) ([]scaffold.Draft, error)) invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "trails.meta.gen." + op, Description: description, PolicyRequired: capability.Requirement{Scope: policy.Dev, Action: policy.Read}, Idempotent: true,
	}, func(_ context.Context, r *invoke.Request, in In) (out scaffold.Diff, err error) {
		drafts, err := write(r, in)
		if err == nil {
			out = scaffold.Between(in.present(), drafts...)
		}
		return out, err
	}, invoke.Newest)
}

func one(d scaffold.Draft, err error) ([]scaffold.Draft, error) { return []scaffold.Draft{d}, err }
