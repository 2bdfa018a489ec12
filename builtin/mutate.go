package builtin

import (
	"context"
	"errors"
	"time"

	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/sparql"
	"trails/sparql/lint"
)

// Bounds of an update, in milliseconds. Nobody else writes while it runs.
const (
	mutateTimeout = 30_000
	mutateMaxTime = 600_000
)

var mutateBuiltin = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "mutate", Description: "Run a SPARQL 1.1 update as one atomic commit. params as in query. Not for the schema.",
		InputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "update", Type: capability.String, Required: true, Brief: true, MaxLength: new(queryText), Description: "The text of the update."},
			toldBefore(paramsField),
			baseField,
			{Name: "timeout_ms", Type: capability.Integer, Rare: true, MinValue: 1, MaxValue: mutateMaxTime, Default: mutateTimeout},
			{Name: "using_graph_uri", Type: capability.IRI, Many: true, MaxCount: new(queryGraphs), Rare: true, Description: "Graphs that WHERE reads in the place of the default graph, when the text has neither USING nor WITH."},
			{Name: "using_named_graph_uri", Type: capability.IRI, Many: true, MaxCount: new(queryGraphs), Rare: true, Description: "Graphs that GRAPH in WHERE may name then."},
		}, capability.MassArguments()...)},
		OutputShape:   capability.Shape{Fields: append(capability.CommitResult(), capability.Changes())},
		Preconditions: []string{"The graph fits its schema at the end."},
		SideEffects:   capability.Destroys,
		CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: "change", Remote: true},
	},
	Handle: mutate,
}

// mutated is what an update answers.
type mutated struct {
	invoke.Written
	Changes *changeTable `json:"changes,omitempty"`
}

func mutate(ctx context.Context, r *invoke.Request) (any, error) {
	u, err := r.Snapshot.ParseUpdate(r.Args.Text("update"), r.Args.Text("base"))
	if err != nil {
		return nil, err
	}
	options, err := updateOptions(r)
	if err != nil {
		return nil, err
	}
	return runUpdate(ctx, r, u, options)
}

// runUpdate makes the update a commit.
func runUpdate(ctx context.Context, r *invoke.Request, u *sparql.Update, options kg.UpdateOptions) (any, error) {
	warnings, err := r.Snapshot.LintUpdate(ctx, u, options)
	if err != nil {
		return nil, err
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	s := r.Snapshot.Schema()
	r.Release() // a long write must not hold the log
	timed, cancel := context.WithTimeout(ctx, time.Duration(r.Args.Integer("timeout_ms", mutateTimeout))*time.Millisecond)
	defer cancel()
	result, err := r.Session().Update(timed, u, set, options)
	if err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded) {
		err = tookLonger("the update, which changed nothing,", r.Args.Integer("timeout_ms", mutateTimeout), mutateMaxTime)
	}
	if err != nil {
		var mass *kg.MassChange
		if errors.As(err, &mass) || ranOut(err) {
			err = warned(err, warnings)
		}
		return nil, err
	}
	for _, text := range lint.Sentences(warnings, result.AddedCount+result.RemovedCount > 0) {
		r.Warn("%s", text)
	}
	tellLeftOut(r, result)
	return mutated{r.Committed(result, set.DryRun), changesOf(s, result, set.DryRun)}, nil
}

// updateOptions reads the parameters and the graphs.
func updateOptions(r *invoke.Request) (kg.UpdateOptions, error) {
	params, err := queryParams(r)
	return kg.UpdateOptions{Params: params, Dataset: sparql.Dataset{Default: graphsOf(r, "using_graph_uri"), Named: graphsOf(r, "using_named_graph_uri")}, Text: r.Args.Text("update"), Base: r.Args.Text("base")}, err
}
