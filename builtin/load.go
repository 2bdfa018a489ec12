package builtin

import (
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema/infer"
	"trails/text/jsontext"
)

// loaded is what a load answers.
type loaded struct {
	Records int64            `json:"records"`
	LeftOut int64            `json:"left_out,omitempty"`
	Rejects []rdfio.Omission `json:"rejects,omitempty"`
	Existed *bool            `json:"existed,omitempty"`
	Preview []load.Node      `json:"preview,omitempty"`
	invoke.Written
}

// previewed is how many nodes a dry run shows.
const previewed = 5

func loadData(ctx context.Context, r *invoke.Request) (any, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	reading, err := readLoad(ctx, r, set)
	if err != nil {
		return nil, err
	}
	r.Release() // a long write must not hold the log
	result, err := reading.Commit(ctx, set)
	if err != nil {
		return nil, err
	}
	answer := loaded{Records: result.Records, LeftOut: result.LeftOut.Count, Preview: result.Preview, Written: r.Committed(result.Result, set.DryRun)}
	if r.Args.Flag("lenient") || r.Args.Flag("rejects") {
		answer.Rejects = result.LeftOut.First
	}
	if r.Output != nil {
		if err := reading.WriteRejects(ctx, r.Output); err != nil {
			return nil, fault.New(fault.Unusable, "the load is done, and what it left out cannot be written: %w", err)
		}
	}
	r.Parts.Records = result.Records
	tellLeftOut(r, result.Result)
	if r.Args.Text("graph") != "" {
		answer.Existed, r.Parts.Existed = &result.Existed, result.Existed
	}
	return answer, nil
}

// tellLeftOut warns of statements of documents that RDF has no terms for, and of names that
// it has not.
func tellLeftOut(r *invoke.Request, result kg.Result) {
	for _, name := range result.Doubts {
		r.Warn("%s", name)
	}
	if result.LeftOut.Count > 0 {
		r.Warn("%s", result.LeftOut.String())
	}
}

// readLoad reads the inputs, unless that was done when a person was asked.
func readLoad(ctx context.Context, r *invoke.Request, set kg.ChangeSet) (*kg.ReadyLoad, error) {
	if reading, done := r.Prepared.(*kg.ReadyLoad); done {
		return reading, nil
	}
	l, err := loadArguments(r)
	if err != nil {
		return nil, err
	}
	l.Set, l.Progress = set, r.Progress
	r.Release() // reading takes its time
	reading, err := r.Session().ReadLoad(ctx, l)
	if err != nil {
		return nil, err
	}
	r.AtEnd(reading.Close)
	r.Prepared = reading
	return reading, nil
}

// loadArguments reads what a load alone takes.
func loadArguments(r *invoke.Request) (l kg.Load, err error) {
	l.Options = load.Options{
		Graph: rdf.IRI(r.Args.Text("graph")), Base: rdf.IRI(r.Args.Text("base")),
		Inputs: r.Inputs, Format: load.Format(r.Args.Text("format")), Mode: load.Mode(r.Args.Text("mode")),
		Rejects: r.Args.Flag("rejects"), OneGraph: r.Args.Flag("one_graph"), KeepGoing: r.Args.Flag("keep_going"),
		Lenient: r.Args.Flag("lenient"),
		Type:    r.Args.Text("type"), ID: r.Args.Text("id"), Sheet: r.Args.Text("sheet"),
		Conventions: infer.Conventions{Dates: r.Args.Text("dates"), Decimal: r.Args.Text("decimal")},
	}
	if r.Args.Flag("dry_run") {
		l.Preview = previewed
	}
	if l.Map, err = columnNames(r); err != nil {
		return l, err
	}
	l.IfGraph = kg.GraphState(r.Args.Text("if_graph"))
	if l.Inputs == nil {
		data := r.Args.Text("data")
		l.Inputs = []load.Input{{Name: "data", Reader: strings.NewReader(data), Size: int64(len(data))}}
	}
	l.Contexts, err = contexts(r)
	return l, err
}

// columnNames are the properties that the argument map gives columns.
func columnNames(r *invoke.Request) (map[string]string, error) {
	given, _ := r.Args["map"].(map[string]any)
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

// maxContexts bounds the JSON-LD contexts that come with a load.
const maxContexts = 100

// contexts are the JSON-LD contexts that come with a load, by their IRIs.
func contexts(r *invoke.Request) (map[string][]byte, error) {
	given, _ := r.Args["contexts"].(map[string]any)
	if len(given) > maxContexts {
		return nil, fault.Argument("contexts", fault.MaxCount, nil, fmt.Sprintf("contexts has at most %d members", maxContexts))
	}
	contexts := make(map[string][]byte, len(given))
	for iri, document := range given {
		text, err := jsontext.Marshal(document)
		if err != nil {
			return nil, fmt.Errorf("encode JSON-LD context: %w", err)
		}
		contexts[iri] = text
	}
	return contexts, nil
}
