package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema/infer"
)

// loading is what a load takes.
type loading struct {
	Data      string                     `json:"data" is:"brief" doc:"The lines to load."`
	Format    load.Format                `json:"format" is:"rare" default:"auto" doc:"auto tells it by how the data begins."`
	Mode      load.Mode                  `json:"mode" default:"merge" doc:"append refuses, skip keeps existing nodes; overwrite replaces its types; replace puts RDF in place of graph."`
	Type      string                     `json:"type,omitempty" is:"brief" doc:"What rows of csv and tsv, and objects of JSON, are of."`
	Map       map[string]any             `json:"map,omitempty" doc:"Properties by column where names differ; \"\" passes over."`
	ID        string                     `json:"id,omitempty" doc:"The column of ids, else id."`
	Dates     string                     `json:"dates,omitempty" is:"rare" oneof:"dmy,mdy" doc:"The order of the parts of dates such as 12.4.2023 in tables."`
	Decimal   string                     `json:"decimal,omitempty" is:"rare" doc:"What stands before the fraction of numbers such as 1.234,56 in tables."`
	Sheet     string                     `json:"sheet,omitempty" is:"rare" doc:"The sheet of a workbook, else the first that is not hidden."`
	Graph     rdf.IRI                    `json:"graph,omitempty" is:"brief"`
	OneGraph  bool                       `json:"one_graph" is:"rare" default:"false" doc:"Refuse RDF text that names a graph other than graph."`
	IfGraph   kg.GraphState              `json:"if_graph,omitempty" is:"rare" doc:"Load only if graph exists, or is absent."`
	Contexts  map[string]json.RawMessage `json:"contexts,omitempty" is:"rare" doc:"JSON-LD contexts."`
	Base      rdf.IRI                    `json:"base,omitempty" is:"rare" doc:"What relative IRIs in RDF text are resolved against."`
	Lenient   bool                       `json:"lenient" is:"rare" default:"false" doc:"Leave out statements of RDF text whose IRI or language tag is none; rejects lists them."`
	Rejects   bool                       `json:"rejects" is:"rare" default:"false" doc:"Leave out bad rows and records and load the others; rejects lists them."`
	KeepGoing bool                       `json:"keep_going" is:"rare" default:"false" doc:"All loads report all bad lines, and change nothing then."`
	From      string                     `json:"from,omitempty" is:"brief" max:"64" doc:"The branch or commit from which branch is made, if it is not there."`
	capability.AskArgument
	capability.ChangeArguments
}

// loaded is what a load answers.
type loaded struct {
	Records int64            `json:"records" doc:"How many lines held data."`
	LeftOut int64            `json:"left_out,omitempty" doc:"Statements that RDF has no terms for, such as an IRI with a blank, or with rejects rows; a warning says which."`
	Rejects []rdfio.Omission `json:"rejects,omitempty" type:"object" doc:"With lenient or rejects: the first 1,000 statements or rows that were left out, with source, line, column and message."`
	Existed *bool            `json:"existed,omitempty" doc:"Whether graph was there before; absent when none is named."`
	Preview []load.Node      `json:"preview,omitempty" type:"object" doc:"Of a dry run: the first nodes, as they would be stored."`
	invoke.Written
}

var loadBuiltin = invoke.Define(capability.Descriptor{
	ID: "load", Description: "Load nodes and edges as one commit: NDJSON {\"type\",\"id\",\"data\"} or {\"edge\",\"from\",\"to\"} with Type/id in from and to; with type, CSV, TSV or JSON objects of its properties; or any RDF.",
	InputShape: details(capability.Field{Name: "format", OneOf: anyOf(load.Formats())}, capability.Field{Name: "mode", OneOf: anyOf(load.Modes())},
		capability.Field{Name: "decimal", OneOf: []any{",", "."}}, capability.Field{Name: "if_graph", OneOf: anyOf(kg.GraphStates())},
		capability.Field{Name: "graph", Description: "Named graph for RDF text that names none; " + string(rdf.DefaultGraph) + " is the default graph."}),
	Preconditions: []string{"The types of nodes are in the schema."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
}, loadData, invoke.Inputs("data"), invoke.Asks(loadLoses), invoke.Forks("from"))

// previewed is how many nodes a dry run shows.
const previewed = 5

func loadData(ctx context.Context, r *invoke.Request, in loading) (*loaded, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	reading, err := readLoad(ctx, r, in, set)
	if err != nil {
		return nil, err
	}
	r.Release() // a snapshot would keep the log from starting over during a long write
	result, err := reading.Commit(ctx, set)
	if err != nil {
		return nil, withMeant(ctx, r, err)
	}
	answer := &loaded{Records: result.Records, LeftOut: result.LeftOut.Count, Preview: result.Preview, Written: r.Committed(result.Result, set.DryRun)}
	if in.Lenient || in.Rejects {
		answer.Rejects = result.LeftOut.First
	}
	if r.Output != nil {
		if err := reading.WriteRejects(ctx, r.Output); err != nil {
			return nil, fault.New(fault.Unusable, "the load is done, and what it left out cannot be written").Because(err)
		}
	}
	r.Parts.Records = result.Records
	tellLeftOut(r, result.Result)
	if in.Graph != "" {
		answer.Existed, r.Parts.Existed = &result.Existed, result.Existed
	}
	return answer, nil
}

// tellLeftOut warns about statements that cannot be expressed in RDF, and about unknown names in RDF vocabularies.
func tellLeftOut(r *invoke.Request, result kg.Result) {
	for _, name := range result.Doubts {
		r.Warn("%s", name)
	}
	if text := result.LeftOut.String(); text != "" {
		r.Warn("%s", text)
	}
}

// readLoad reads the inputs, unless they were read before asking a person.
func readLoad(ctx context.Context, r *invoke.Request, in loading, set kg.ChangeSet) (*kg.ReadyLoad, error) {
	if reading, done := r.Prepared.(*kg.ReadyLoad); done {
		return reading, nil
	}
	names, err := columnNames(in.Map)
	if err != nil {
		return nil, err
	}
	if len(in.Contexts) > maxContexts {
		return nil, fault.Argument("contexts", fault.MaxCount, nil, fmt.Sprintf("contexts has at most %d members", maxContexts))
	}
	l := kg.Load{IfGraph: in.IfGraph, Set: set, Progress: r.Progress, Options: load.Options{
		Graph: in.Graph, Base: in.Base, Inputs: r.Inputs, Format: in.Format, Mode: in.Mode, Map: names, Contexts: map[string][]byte{},
		Rejects: in.Rejects, OneGraph: in.OneGraph, Lenient: in.Lenient,
		Type: in.Type, ID: in.ID, Sheet: in.Sheet, Conventions: infer.Conventions{Dates: in.Dates, Decimal: in.Decimal},
	}}
	for iri, text := range in.Contexts {
		l.Contexts[iri] = text
	}
	if in.DryRun {
		l.Preview = previewed
	}
	if l.Inputs == nil {
		l.Inputs = []load.Input{{Name: "data", Reader: strings.NewReader(in.Data), Size: int64(len(in.Data))}}
	}
	r.Release() // because reading takes time
	reading, err := r.Session().ReadLoad(ctx, l)
	if err != nil {
		return nil, err
	}
	r.AtEnd(reading.Close)
	r.Prepared = reading
	return reading, nil
}

// maxContexts bounds the JSON-LD contexts that come with a load.
const maxContexts = 100

// columnNames are the properties that the argument map gives columns.
func columnNames(given map[string]any) (map[string]string, error) {
	names := make(map[string]string, len(given))
	for column, property := range given {
		name, isText := property.(string)
		if !isText {
			return nil, fault.Argument("map", fault.Datatype, property, fmt.Sprintf("map gives the column %q no name of a property; pass a string, empty to pass the column over", column))
		}
		names[column] = name
	}
	return names, nil
}
