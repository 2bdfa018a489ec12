package invoke

import (
	"trails/capability"
	"trails/kg"
	"trails/policy"
	"trails/rdf"
	"trails/schema"
)

// builtin is a capability that every graph has.
type builtin struct {
	id          string
	description string
	input       []capability.Field
	output      []capability.Field
	effects     capability.SideEffects
	cost        capability.Cost
	action      policy.Action
	remote      bool // it may reach other hosts
	scope       policy.Scope
	idempotent  bool
	loses       loses // what a person has to agree to; nil when there is no such thing
	requires    []string
	handle      handler
	hidden      bool // callable by name, but no tool
	streams     bool // callable where there is an output to stream to, and no tool
	bare        bool // needs no snapshot: it is answered whatever the file is busy with
}

// Fields that several capabilities share.
var (
	readBranch = capability.Field{Name: "branch", Type: capability.String, Description: "The branch to read; main when left out."}
	schemaText = capability.Field{Name: "schema", Type: capability.String, Required: true, MaxLength: ptr(1 << 20), Description: "The whole new schema as YAML."}
	allowLoss  = capability.Field{Name: "allow_data_loss", Type: capability.Boolean, Default: false, Description: "Let steps through that remove data.", Scope: policy.Builder}

	commitFields = []capability.Field{
		{Name: "id", Type: capability.String, Required: true},
		{Name: "parent", Type: capability.String},
		{Name: "author", Type: capability.String, Required: true},
		{Name: "time", Type: capability.DateTime, Required: true},
		{Name: "message", Type: capability.String, Required: true},
		{Name: "schema_version", Type: capability.Integer, Required: true},
		{Name: "added", Type: capability.Integer, Required: true},
		{Name: "removed", Type: capability.Integer, Required: true},
	}
	planFields = []capability.Field{
		{Name: "steps", Type: capability.Object, Many: true, Required: true, Description: "What lies between the two schemas, in order."},
		{Name: "blocked", Type: capability.Boolean, Required: true, Description: "Whether data contradicts the new schema."},
		{Name: "loses", Type: capability.Integer, Required: true, Description: "How many statements would be removed."},
	}
	optionalPlan = capability.Field{Name: "plan", Type: capability.Object, Fields: planFields, Description: "The steps and what they mean for the data."}
)

func ptr[T any](v T) *T { return &v }

// builtins are listed first, in this order.
var builtins = []builtin{
	{
		id: "health", description: "Say whether the graph answers, which version serves it, and where its head is.",
		output: []capability.Field{
			{Name: "status", Type: capability.String, Required: true, OneOf: []any{"ok"}},
			{Name: "version", Type: capability.String, Required: true},
			{Name: "graph", Type: capability.String, Required: true},
			{Name: "head", Type: capability.String, Required: true, Nullable: true},
		},
		cost: capability.CostConstant, handle: health, idempotent: true, bare: true,
	},
	{
		id: "snapshot", description: "Tell the state of the graph: branch, head commit, number of statements and of instances of each type, schema version.",
		input: []capability.Field{readBranch},
		output: []capability.Field{
			{Name: "graph", Type: capability.String, Required: true},
			{Name: "base", Type: capability.String, Required: true},
			{Name: "branch", Type: capability.String, Required: true},
			{Name: "head", Type: capability.Object, Fields: commitFields, Required: true, Nullable: true},
			{Name: "quads", Type: capability.Integer, Required: true},
			{Name: "types", Type: capability.Object, Required: true, Description: "Number of instances by type."},
			{Name: "schema_version", Type: capability.Integer, Required: true},
		},
		cost: capability.CostResult, action: "read", handle: snapshot, idempotent: true,
	},
	{
		id: "schema_get", description: "Read the schema: types, their properties and constraints. Read it before the first write.",
		input: []capability.Field{{Name: "format", Type: capability.String, OneOf: []any{"json", "yaml", "turtle"}, Default: "json",
			Description: "json for programs, yaml as people write it, turtle for the SHACL shapes."}, readBranch},
		output: []capability.Field{
			{Name: "format", Type: capability.String, Required: true},
			{Name: "schema_version", Type: capability.Integer, Required: true},
			{Name: "schema", Type: capability.Object, Description: "With format json."},
			{Name: "text", Type: capability.String, Description: "With format yaml or turtle."},
		},
		cost: capability.CostResult, action: "read", handle: schemaGet, idempotent: true,
	},
	queryBuiltin,
	{
		id: "schema_apply", description: "Put a whole new schema, as YAML, in the place of the current one, as one commit. It is refused when data contradicts it, and when a step would remove data, unless allow_data_loss is true. With plan true it only lists the steps.",
		input: append([]capability.Field{schemaText,
			{Name: "plan", Type: capability.Boolean, Default: false, Description: "List the steps and the data against them, and change nothing."},
			allowLoss}, capability.WriteArguments()...),
		output:   append([]capability.Field{optionalPlan}, optional(capability.CommitResult())...),
		effects:  capability.Destroys,
		cost:     capability.CostGraph,
		action:   "schema_apply",
		requires: []string{"The data that is there fits the new schema."},
		handle:   schemaApply, idempotent: true, loses: schemaLoses,
	},
	mutateBuiltin,
	{
		id: "load", description: "Load many nodes and edges as one atomic, validated commit. NDJSON lines are {\"type\",\"id\",\"data\"} or {\"edge\",\"from\",\"to\"} with Type/id in from and to; RDF text is N-Quads, N-Triples, Turtle, TriG, JSON-LD or RDF/XML.",
		input: append([]capability.Field{
			{Name: "data", Type: capability.String, Required: true, Description: "The lines to load."},
			{Name: "format", Type: capability.String, OneOf: anyOf(kg.LoadFormats()), Default: "auto", Description: "auto tells it by how the data begins."},
			{Name: "mode", Type: capability.String, OneOf: anyOf(kg.Modes()), Default: "merge",
				Description: "merge makes new nodes and sets the given properties of existing ones; append refuses nodes that exist; overwrite replaces all instances of the types in the data; replace puts RDF text in the place of graph."},
			{Name: "graph", Type: capability.IRI, Description: "Named graph for RDF text that names none; " + string(rdf.DefaultGraph) + " is the default graph."},
			{Name: "one_graph", Type: capability.Boolean, Default: false, Description: "Refuse RDF text that names a graph other than graph."},
			{Name: "if_graph", Type: capability.String, OneOf: anyOf(kg.GraphStates()), Description: "Load only if graph exists, or is absent."},
			{Name: "contexts", Type: capability.Object, Description: "JSON-LD contexts that the data names, each document by its IRI; none is fetched. " + schema.ContextIRI + " is this graph's own."},
			{Name: "base", Type: capability.IRI, Description: "What relative IRIs in RDF text are resolved against."},
			{Name: "keep_going", Type: capability.Boolean, Default: false, Description: "Report all bad lines, not only the first; nothing is changed all the same."},
		}, capability.WriteArguments()...),
		output: append([]capability.Field{
			{Name: "records", Type: capability.Integer, Required: true, Description: "How many lines held data."},
			{Name: "existed", Type: capability.Boolean, Description: "Whether graph was there before; absent when none is named."},
		}, capability.CommitResult()...),
		effects:  capability.Destroys,
		cost:     capability.CostChange,
		action:   "change",
		requires: []string{"The types in NDJSON are in the schema."},
		handle:   load, idempotent: false, loses: loadLoses,
	},
	{
		id: "export", description: "Stream the graph in canonical order, so that the same graph gives the same bytes.",
		input: []capability.Field{
			{Name: "format", Type: capability.String, OneOf: anyOf(kg.ExportFormats()), Default: "nquads"},
			{Name: "graph", Type: capability.IRI, Description: "Only this named graph; " + string(rdf.DefaultGraph) + " is the default graph."},
			readBranch,
		},
		output: []capability.Field{
			{Name: "records", Type: capability.Integer, Required: true},
			{Name: "left_out", Type: capability.Integer, Required: true, Description: "Statements that the format cannot say."},
		},
		cost: capability.CostGraph, action: "export", handle: export, idempotent: true, streams: true,
	},
	{
		id: "commits_list", description: "List commits, newest first: who, when, why, and how many statements.",
		input: []capability.Field{
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 1000, Default: 20},
			{Name: "before", Type: capability.String, Description: "List the commits before this one; take it from next."},
			{Name: "schema_only", Type: capability.Boolean, Default: false, Description: "Only commits that changed the schema."},
			readBranch,
		},
		output: []capability.Field{
			{Name: "commits", Type: capability.Object, Fields: commitFields, Many: true, Required: true},
			{Name: "next", Type: capability.String, Required: true, Nullable: true, Description: "Pass it as before for the next page; null at the end."},
		},
		cost: capability.CostResult, action: "read", handle: commitsList, idempotent: true,
	},
	{
		id: "commits_get", description: "Read one commit: its metadata, the call that made it, and what it changed.",
		input: []capability.Field{
			{Name: "id", Type: capability.String, Required: true, Description: "A commit id, at least its first four digits, or head for the newest."},
			{Name: "limit", Type: capability.Integer, MinValue: 0, MaxValue: 10000, Default: 200, Description: "How many changes to list."},
		},
		output: []capability.Field{
			{Name: "commit", Type: capability.Object, Fields: commitFields, Required: true},
			{Name: "activity", Type: capability.Object, Required: true, Nullable: true, Description: "The call that made it."},
			{Name: "changes", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "op", Type: capability.String, Required: true, OneOf: []any{"+", "-"}},
				{Name: "node", Type: capability.String, Required: true},
				{Name: "property", Type: capability.String, Required: true},
				{Name: "value", Type: capability.Any, Required: true},
				{Name: "quad", Type: capability.String, Required: true, Description: "The statement as an N-Quad."},
			}},
			{Name: "truncated", Type: capability.Boolean, Required: true},
		},
		cost: capability.CostResult, action: "read", handle: commitsGet, idempotent: true,
	},
	{
		id: resourceReadTool, description: "Read one trails:// address.",
		input: []capability.Field{
			{Name: "uri", Type: capability.String, Required: true, MaxLength: ptr(8192)},
			{Name: "format", Type: capability.String, MaxLength: ptr(20), Description: "json, jsonld or turtle, where the address can be had so; its own form when left out."},
		},
		output: []capability.Field{
			{Name: "uri", Type: capability.String, Required: true},
			{Name: "mime", Type: capability.String, Required: true},
			{Name: "body", Type: capability.Any, Required: true, Description: "JSON as it is, anything else as a string."},
			{Name: "page", Type: capability.Object, Description: "Which part of a list this is: offset, limit and more."},
		},
		cost: capability.CostResult, action: "read", scope: policy.Runtime, handle: resourceRead, idempotent: true, hidden: true,
	},
}

// metas are listed last, in this order.
var metas = []builtin{
	{
		id: "trails.meta.ping", description: "Answer, to show that meta capabilities can be reached.",
		output: []capability.Field{{Name: "pong", Type: capability.Boolean, Required: true}},
		cost:   capability.CostConstant, scope: policy.Runtime, handle: ping, idempotent: true, bare: true,
	},
	{
		id: "trails.meta.schema.plan", description: "List the steps from the current schema to a new one, given as YAML, and the data that stands against each.",
		input: []capability.Field{schemaText, readBranch}, output: planFields,
		cost: capability.CostGraph, action: "read", scope: policy.Builder, handle: schemaPlan, idempotent: true,
	},
	{
		id: "trails.meta.schema.apply", description: "Put a whole new schema, as YAML, in the place of the current one, as one commit.",
		input:   append([]capability.Field{schemaText, allowLoss}, capability.WriteArguments()...),
		output:  append([]capability.Field{optionalPlan}, capability.CommitResult()...),
		effects: capability.Destroys, cost: capability.CostGraph, action: "schema_apply", scope: policy.Builder,
		requires: []string{"The data that is there fits the new schema."},
		handle:   schemaApply, idempotent: true, loses: schemaLoses,
	},
	doctorCapability,
}

// optional returns the fields with none required.
func optional(fields []capability.Field) []capability.Field {
	out := make([]capability.Field, len(fields))
	for i, f := range fields {
		f.Required = false
		out[i] = f
	}
	return out
}

// anyOf lists the values of an enumeration.
func anyOf[T ~string](values []T) []any {
	all := make([]any, 0, len(values))
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

// describe returns the built-in's descriptor; the version names its content.
func (b builtin) describe() capability.Descriptor {
	d := capability.Descriptor{
		ID: b.id, Description: b.description,
		InputShape:      capability.Shape{Fields: b.input, Closed: true},
		OutputShape:     capability.Shape{Fields: b.output, Closed: true},
		Preconditions:   b.requires,
		SideEffects:     b.effects,
		CostEstimate:    b.cost,
		PolicyRequired:  capability.Requirement{Scope: b.scope, Action: b.action, Remote: b.remote},
		Idempotent:      b.idempotent,
		Reasoning:       capability.ReasoningNone,
		Assurance:       capability.AssuranceSnapshot,
		ConsentRequired: b.loses != nil,
	}
	if d.SideEffects == "" {
		d.SideEffects = capability.None
	}
	if d.PolicyRequired.Scope == "" {
		d.PolicyRequired.Scope = policy.Runtime
	}
	if d.SideEffects != capability.None {
		d.Assurance = capability.AssuranceValidated
	}
	return d.Stamped("1.0.0")
}
