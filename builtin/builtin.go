package builtin

import (
	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

// builtins are listed first, in this order.
var builtins = []invoke.Capability{
	health,
	snapshotBuiltin,
	schemaGetBuiltin,
	searchBuiltin,
	getBuiltin,
	listBuiltin,
	historyBuiltin,
	queryBuiltin,
	schemaApplyBuiltin,
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
			}, capability.FieldsOf[capability.MassArguments]()...)},
			OutputShape: capability.Shape{Fields: append([]capability.Field{
				{Name: "records", Type: capability.Integer, Required: true, Description: "How many lines held data."},
				{Name: "left_out", Type: capability.Integer, Description: "Statements that RDF has no terms for, such as an IRI with a blank, or with rejects rows; a warning says which."},
				{Name: "rejects", Type: capability.Object, Many: true, Description: "With lenient or rejects: the first 1,000 statements or rows that were left out, with source, line, column and message."},
				{Name: "existed", Type: capability.Boolean, Description: "Whether graph was there before; absent when none is named."},
				{Name: "preview", Type: capability.Object, Many: true, Description: "Of a dry run: the first nodes, as they would be stored."},
			}, capability.FieldsOf[invoke.Written]()...)},
			Preconditions: []string{"The types of nodes are in the schema."},
			SideEffects:   capability.Destroys,
			CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: "change"},
		},
		Handle: loadData, Inputs: "data", Loses: loadLoses,
	},
	exportBuiltin,
	commitsListBuiltin,
	commitsGetBuiltin,
	undoBuiltin,
	schemaUndo,
}

// details say of fields of a shape what their tags cannot.
func details(fields ...capability.Field) capability.Shape { return capability.Shape{Fields: fields} }

// metas are listed last, in this order.
var metas = []invoke.Capability{
	ping,
	schemaPlanMeta,
	schemaApplyMeta,
}

// anyOf lists the values of an enumeration.
func anyOf[T ~string](values []T) []any {
	all := make([]any, 0, len(values))
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
