package builtin

import (
	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/policy"
	"trails/rdf"
	"trails/view"
)

// Fields that several capabilities share.
var (
	schemaText = capability.Field{Name: "schema", Type: capability.String, Description: "Or the whole new one."}
	patchText  = capability.Field{Name: "patch", Type: capability.String,
		Description: "YAML list of steps: add_type: {Task: {properties: {title: string}}}; add_property: {Task.due: date}; alter_, drop_, rename_ likewise (null drops a word)."}
	allowBroken = capability.Field{Name: "allow_broken_queries", Type: capability.Boolean, Default: false, Rare: true, Description: "Leave stored queries that it breaks.", Scope: policy.Builder}
	allowLoss   = capability.Field{Name: "allow_data_loss", Type: capability.Boolean, Default: false, Description: "Remove data.", Scope: policy.Builder}

	planFields = []capability.Field{
		{Name: "columns", Type: capability.String, Many: true, Required: true},
		{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each step, in order: what it does, whether it is safe, breaks nodes or loses statements, and the first nodes that it is so for."},
		{Name: "blocked", Type: capability.Boolean, Required: true, Description: "Whether data contradicts the new schema."},
		{Name: "loses", Type: capability.Integer, Required: true, Description: "How many statements would be removed."},
	}
	optionalPlan = capability.Field{Name: "plan", Type: capability.Object, Fields: planFields, Description: "The steps and what they mean for the data."}
)

// builtins are listed first, in this order.
var builtins = []invoke.Capability{
	{
		Descriptor: capability.Descriptor{
			ID: "health", Description: "Say whether the graph answers, its version and head.",
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "status", Type: capability.String, Required: true, OneOf: []any{"ok"}},
				{Name: "version", Type: capability.String, Required: true},
				{Name: "graph", Type: capability.String, Required: true},
				{Name: "head", Type: capability.String, Required: true, Nullable: true},
			}},
			CostEstimate: capability.CostConstant, Idempotent: true,
		},
		Handle: health, Bare: true,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "snapshot", Description: "Tell head commit, number of statements and of nodes of each type, schema version.",
			InputShape: capability.Shape{Fields: []capability.Field{capability.ReadBranch()}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "graph", Type: capability.String, Required: true},
				{Name: "base", Type: capability.String, Required: true},
				{Name: "branch", Type: capability.String, Required: true},
				{Name: "head", Type: capability.Object, Required: true, Nullable: true, Fields: []capability.Field{
					{Name: "id", Type: capability.String, Required: true, Description: "Its first digits."},
					{Name: "time", Type: capability.String, Required: true},
					{Name: "author", Type: capability.String, Required: true},
					{Name: "message", Type: capability.String, Required: true},
				}},
				{Name: "quads", Type: capability.Integer, Required: true},
				{Name: "types", Type: capability.Object, Required: true, Description: "Number of instances by type."},
				{Name: "schema_version", Type: capability.Integer, Required: true},
			}},
			CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
		},
		Handle: snapshot,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "schema_get", Description: "List the types, or give one as YAML, as schema_apply takes it.",
			InputShape: capability.Shape{Fields: []capability.Field{
				{Name: "type", Type: capability.String},
				{Name: "format", Type: capability.String, Rare: true, OneOf: anyOf(schemaFormats), Description: "Without type outline, a line for each, unless all of it is asked for as yaml, json or turtle (SHACL); with type yaml or json."},
				capability.MaxChars(), capability.ReadBranch(),
			}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "format", Type: capability.String, Required: true},
				{Name: "schema_version", Type: capability.Integer, Required: true},
				{Name: "schema", Type: capability.Object, Description: "With format json."},
				{Name: "text", Type: capability.String, Description: "With format yaml or turtle."},
				{Name: "columns", Type: capability.String, Many: true, Description: "With format outline."},
				{Name: "rows", Type: capability.Any, Description: "A list for each type: name, nodes, label property, supertypes, description."},
			}},
			CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
		},
		Handle: schemaGet,
	},
	searchBuiltin,
	getBuiltin,
	listBuiltin,
	historyBuiltin,
	queryBuiltin,
	{
		Descriptor: capability.Descriptor{
			ID: "schema_apply", Description: "Change the schema. Refused where data or stored queries contradict it or data would be lost.",
			InputShape: capability.Shape{Fields: append([]capability.Field{patchText, schemaText,
				{Name: "plan", Type: capability.Boolean, Default: false, Description: "Only say what breaks."},
				allowLoss, allowBroken}, capability.MassArguments()...)},
			OutputShape:   capability.Shape{Fields: append([]capability.Field{optionalPlan}, optional(capability.CommitResult())...)},
			Preconditions: []string{"The data and the stored queries that are there fit the new schema."},
			SideEffects:   capability.Destroys,
			CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: "schema_apply"}, Idempotent: true,
		},
		Handle: schemaApply, Loses: schemaLoses,
	},
	mutateBuiltin,
	{
		Descriptor: capability.Descriptor{
			ID: "load", Description: "Load nodes and edges as one atomic commit: NDJSON lines {\"type\",\"id\",\"data\"} or {\"edge\",\"from\",\"to\"} with Type/id in from and to; with type, CSV, TSV or JSON objects of its properties; or RDF of any syntax.",
			InputShape: capability.Shape{Fields: append([]capability.Field{
				{Name: "data", Type: capability.String, Required: true, Brief: true, Description: "The lines to load."},
				{Name: "format", Type: capability.String, Rare: true, OneOf: anyOf(load.Formats()), Default: "auto", Description: "auto tells it by how the data begins."},
				{Name: "mode", Type: capability.String, OneOf: anyOf(load.Modes()), Default: "merge",
					Description: "append refuses nodes that exist; overwrite replaces all nodes of its types; replace puts RDF in place of graph."},
				{Name: "type", Type: capability.String, Brief: true, Description: "What the rows of csv and tsv, and the objects of JSON, are of."},
				{Name: "map", Type: capability.Object, Description: "Properties by column, where the names differ; \"\" passes over."},
				{Name: "id", Type: capability.String, Description: "The column of ids, else id."},
				{Name: "dates", Type: capability.String, Rare: true, OneOf: []any{"dmy", "mdy"}, Description: "The order of the parts of dates such as 12.4.2023 in tables."},
				{Name: "decimal", Type: capability.String, Rare: true, OneOf: []any{",", "."}, Description: "What stands before the fraction of numbers such as 1.234,56 in tables."},
				{Name: "sheet", Type: capability.String, Rare: true, Description: "The sheet of a workbook, else the first that is not hidden."},
				{Name: "graph", Type: capability.IRI, Brief: true, Description: "Named graph for RDF text that names none; " + string(rdf.DefaultGraph) + " is the default graph."},
				{Name: "one_graph", Type: capability.Boolean, Rare: true, Default: false, Description: "Refuse RDF text that names a graph other than graph."},
				{Name: "if_graph", Type: capability.String, Rare: true, OneOf: anyOf(kg.GraphStates()), Description: "Load only if graph exists, or is absent."},
				{Name: "contexts", Type: capability.Object, Rare: true, Description: "JSON-LD contexts."},
				{Name: "base", Type: capability.IRI, Rare: true, Description: "What relative IRIs in RDF text are resolved against."},
				{Name: "lenient", Type: capability.Boolean, Rare: true, Default: false, Description: "Leave out statements of RDF text whose IRI or language tag is none; rejects lists them."},
				{Name: "rejects", Type: capability.Boolean, Rare: true, Default: false, Description: "Leave out bad rows and records and load the others; rejects lists them."},
				{Name: "keep_going", Type: capability.Boolean, Rare: true, Default: false, Description: "All loads report all bad lines, and change nothing then."},
			}, capability.MassArguments()...)},
			OutputShape: capability.Shape{Fields: append([]capability.Field{
				{Name: "records", Type: capability.Integer, Required: true, Description: "How many lines held data."},
				{Name: "left_out", Type: capability.Integer, Description: "Statements that RDF has no terms for, such as an IRI with a blank, or with rejects rows; a warning says which."},
				{Name: "rejects", Type: capability.Object, Many: true, Description: "With lenient or rejects: the first 1,000 statements or rows that were left out, with source, line, column and message."},
				{Name: "existed", Type: capability.Boolean, Description: "Whether graph was there before; absent when none is named."},
				{Name: "preview", Type: capability.Object, Many: true, Description: "Of a dry run: the first nodes, as they would be stored."},
			}, capability.CommitResult()...)},
			Preconditions: []string{"The types of nodes are in the schema."},
			SideEffects:   capability.Destroys,
			CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: "change"},
		},
		Handle: loadData, Inputs: "data", Loses: loadLoses,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "export", Description: "Stream the graph in canonical order, so that the same graph gives the same bytes.",
			InputShape: capability.Shape{Fields: []capability.Field{
				{Name: "format", Type: capability.String, OneOf: anyOf(kg.ExportFormats()), Default: "nquads"},
				{Name: "graph", Type: capability.IRI, Description: "Only this named graph; " + string(rdf.DefaultGraph) + " is the default graph."},
				{Name: "type", Type: capability.String, Description: "Only the nodes of this type, as csv, tsv or ndjson."},
				capability.ReadBranch(),
			}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "records", Type: capability.Integer, Required: true},
				{Name: "left_out", Type: capability.Integer, Required: true, Description: "Statements that the format cannot say."},
			}},
			CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: "export"}, Idempotent: true,
		},
		Handle: export, Streams: true,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "commits_list", Description: "List commits, newest first: who, when, why, and how many statements.",
			InputShape: capability.Shape{Fields: []capability.Field{
				{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 1000, Default: 20, Brief: true},
				{Name: "before", Type: capability.String, Description: "next of the last page."},
				{Name: "schema_only", Type: capability.Boolean, Rare: true, Default: false, Description: "Only commits that changed the schema."},
				{Name: "whole", Type: capability.Boolean, Rare: true, Default: false, Description: "Ids, times and messages in full, and the parent of each commit."},
				capability.ReadBranch(),
			}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "columns", Type: capability.String, Many: true, Required: true},
				{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each commit: the first digits of its id, time, author, message, version of the schema, and how many statements it added and removed; with whole its parent, too."},
				{Name: "next", Type: capability.String, Description: "Pass it as before for the next page; not there at the end."},
			}},
			CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
		},
		Handle: commitsList,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "commits_get", Description: "Read one commit: the call that made it, and what it changed.",
			InputShape: capability.Shape{Fields: []capability.Field{
				{Name: "id", Type: capability.String, Required: true, Description: "Its first digits, or head for the newest."},
				{Name: "limit", Type: capability.Integer, MinValue: 0, MaxValue: 10000, Default: 200, Brief: true},
				{Name: "offset", Type: capability.Integer, MinValue: 0, Default: 0, Rare: true, Description: "How many changes to pass over."},
				{Name: "quads", Type: capability.Boolean, Default: false, Rare: true, Description: "Each change as an N-Quad, too, ids and the activity whole."},
			}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "types", Type: capability.String, Many: true, Description: "How many nodes of each type came and went, where there are more than a few changes."},
				{Name: "commit", Type: capability.Object, Fields: view.CommitFields, Required: true},
				{Name: "activity", Type: capability.Object, Required: true, Nullable: true, Description: "The call that made it."},
				{Name: "columns", Type: capability.String, Many: true, Required: true},
				{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each change: + or -, node, property, value, and its named graph or null; with quads the N-Quad."},
				{Name: "more", Type: capability.Boolean, Description: "Whether there are changes after these."},
			}},
			CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
		},
		Handle: commitsGet,
	},
	undoBuiltin,
	schemaUndo,
}

// toldBefore is an argument that a tool before it in the same list describes.
func toldBefore(f capability.Field) capability.Field {
	f.Brief = true
	return f
}

// metas are listed last, in this order.
var metas = []invoke.Capability{
	{
		Descriptor: capability.Descriptor{
			ID: "trails.meta.ping", Description: "Answer that meta capabilities can be reached.",
			OutputShape:  capability.Shape{Fields: []capability.Field{{Name: "pong", Type: capability.Boolean, Required: true}}},
			CostEstimate: capability.CostConstant, Idempotent: true,
		},
		Handle: ping, Bare: true,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "trails.meta.schema.plan", Description: "List the steps from the current schema to a new one, and what each breaks or loses.",
			InputShape:   capability.Shape{Fields: []capability.Field{toldBefore(patchText), schemaText, allowBroken, capability.ReadBranch()}},
			OutputShape:  capability.Shape{Fields: planFields},
			CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: "read"}, Idempotent: true,
		},
		Handle: schemaPlan,
	},
	{
		Descriptor: capability.Descriptor{
			ID: "trails.meta.schema.apply", Description: "Change the schema by patch or schema, as one commit.",
			InputShape:    capability.Shape{Fields: append([]capability.Field{toldBefore(patchText), schemaText, allowLoss, allowBroken}, capability.MassArguments()...)},
			OutputShape:   capability.Shape{Fields: append([]capability.Field{optionalPlan}, capability.CommitResult()...)},
			Preconditions: []string{"The data and the stored queries that are there fit the new schema."},
			SideEffects:   capability.Destroys,
			CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: "schema_apply"}, Idempotent: true,
		},
		Handle: schemaApply, Loses: schemaLoses,
	},
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
