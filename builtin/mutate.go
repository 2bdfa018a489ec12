package builtin

import (
	"context"
	"errors"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/lint"
)

// Bounds of an update, in milliseconds. Nobody else can write while it runs.
const (
	mutateTimeout = 30_000
	mutateMaxTime = 600_000
)

// timeOfUpdate is how long an update may take.
type timeOfUpdate struct {
	Timeout int `json:"timeout_ms" is:"rare" min:"1"`
}

// updating is an update.
type updating struct {
	Update string `json:"update" is:"brief" max:"1048576" doc:"The text of the update."`
	parameters
	baseArgument
	timeOfUpdate
	Using      []rdf.IRI `json:"using_graph_uri,omitempty" is:"rare" max:"1000" doc:"Graphs that WHERE reads in the place of the default graph, when the text has neither USING nor WITH."`
	UsingNamed []rdf.IRI `json:"using_named_graph_uri,omitempty" is:"rare" max:"1000" doc:"Graphs that GRAPH in WHERE may name then."`
	capability.AskArgument
	capability.ChangeArguments
}

func (s searcher) updates() invoke.Capability { return invoke.Define(mutateDescriptor, s.mutate) }

var mutateDescriptor = capability.Descriptor{
	ID: "mutate", Description: "Run a SPARQL 1.1 update as one commit. params as in query. Not for the schema.",
	InputShape:    details(capability.Field{Name: "params", Brief: true}, capability.Field{Name: "timeout_ms", Default: mutateTimeout, MaxValue: mutateMaxTime}),
	Preconditions: []string{"The graph fits its schema at the end."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Change, Remote: true},
}

func (s searcher) mutate(ctx context.Context, r *invoke.Request, in updating) (out capability.ChangeResult, err error) {
	u, err := r.Snapshot.ParseUpdate(in.Update, string(in.Base))
	if err != nil {
		return out, err
	}
	params, err := queryParams(r, in.Params)
	if err != nil {
		return out, err
	}
	dataset := sparql.Dataset{Default: in.Using, Named: in.UsingNamed}
	if r.Asks() {
		if err := r.Snapshot.NamesLater(ctx, u, dataset); err != nil {
			return out, err
		}
	}
	return runUpdate(ctx, r, u, in.timeOfUpdate, kg.UpdateOptions{Params: params, Dataset: dataset, Meaning: s.meaning(r), Text: in.Update, Base: string(in.Base)})
}

// whyNothing returns what may be the reason that an update changed nothing.
func whyNothing(ctx context.Context, r *invoke.Request, u *sparql.Update, options kg.UpdateOptions) ([]lint.Warning, error) {
	s, err := r.Session().Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	options.Found.Empty = true
	return s.LintUpdate(ctx, u, options)
}

// runUpdate runs the update as a commit.
func runUpdate(ctx context.Context, r *invoke.Request, u *sparql.Update, in timeOfUpdate, options kg.UpdateOptions) (out capability.ChangeResult, err error) {
	warnings, err := r.Snapshot.LintUpdate(ctx, u, options)
	if err != nil {
		return out, err
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return out, err
	}
	s := r.Snapshot.Schema()
	r.Release() // a snapshot would keep the log from starting over during a long write
	timed, cancel := context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Millisecond)
	defer cancel()
	result, err := r.Session().Update(timed, u, set, options)
	if err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded) {
		err = tookLonger("the update, which changed nothing,", in.Timeout, mutateMaxTime)
	}
	if err != nil {
		var mass *kg.MassChange
		if errors.As(err, &mass) || ranOut(err) {
			err = warned(err, warnings)
		}
		return out, withMeant(ctx, r, err)
	}
	changes := result.AddedCount+result.RemovedCount > 0
	if !changes && len(warnings) == 0 {
		if warnings, err = whyNothing(ctx, r, u, options); err != nil {
			return out, err
		}
	}
	for _, text := range lint.Sentences(warnings, changes) {
		r.Warn("%s", text)
	}
	for _, text := range result.Searched {
		r.Warn("%s", text)
	}
	tellLeftOut(r, result)
	return capability.ChangeResult{Written: r.Committed(result, set.DryRun), Changed: changesOf(s, result, set.DryRun)}, nil
}
