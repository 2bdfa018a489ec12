package builtin

import (
	"context"
	"io"
	"strings"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// bundles are the capabilities that take commits from one file to another. They are not tools: what they answer and take
// is a stream, which the command line has from and for a file.
var bundles = []invoke.Capability{bundleCreate, bundleApply, dataDiff}

// bundling is what a bundle is made of.
type bundling struct {
	To         string   `json:"to,omitempty" doc:"The commit or branch whose history it is; main when left out."`
	Since      string   `json:"since,omitempty" doc:"A commit or branch; only what came after it."`
	Have       []string `json:"have,omitempty" max:"2000" doc:"Whole ids of commits whose histories are left out; those that are not here count for nothing."`
	Compressed bool     `json:"compressed" default:"false" doc:"As gzip."`
	capability.NoView
}

// bundled says what a bundle contains.
type bundled struct {
	Head    string   `json:"head" doc:"Its last commit."`
	Commits int      `json:"commits"`
	Needs   []string `json:"needs" doc:"The commits that a file must have to take it."`
}

var bundleCreate = invoke.Define(capability.Descriptor{
	ID: "trails.meta.bundle.create", Description: "Stream the commits of a branch, for another file with the same history. The same commits give the same bytes.",
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Export}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in bundling) (out bundled, err error) {
	if r.Output == nil {
		return out, fault.New(fault.InvalidArguments, "a bundle needs an output to stream to")
	}
	b := kg.Bundling{To: in.To, Compressed: in.Compressed, Progress: r.Progress}
	if in.Since != "" {
		since, err := r.Snapshot.FindState(ctx, in.Since)
		if err != nil {
			return out, err
		}
		b.Without = append(b.Without, since)
	}
	known, err := r.Snapshot.Among(ctx, in.Have)
	if err != nil {
		return out, err
	}
	b.Without = append(b.Without, known...)
	_, err = r.InTurn(ctx, func(ctx context.Context) (any, error) {
		done, err := r.Snapshot.WriteBundle(ctx, r.Output, b)
		out = bundled{Head: done.Head.String(), Commits: done.Commits, Needs: []string{}}
		for _, id := range done.Needs {
			out.Needs = append(out.Needs, id.String())
		}
		return nil, err
	})
	return out, err
}, invoke.Hidden, invoke.Streams)

// arriving is what takes a bundle.
type arriving struct {
	Data   string `json:"data" doc:"The bundle."`
	Into   string `json:"into,omitempty" max:"64" doc:"The branch that it continues; left out, the one that it was made from."`
	Beside string `json:"beside,omitempty" max:"64" doc:"A branch for its commits if that has other ones; left out, they are refused then."`
	capability.TryArgument
	AllowMassChange bool `json:"allow_mass_change" is:"rare,brief" default:"false" doc:"Remove however many statements."`
}

// arrived is what was taken.
type arrived struct {
	Outcome string  `json:"outcome" doc:"applied, beside (merge branch into the other one), or up_to_date."`
	Branch  string  `json:"branch" doc:"The branch that has the commits."`
	Before  *string `json:"before" doc:"Its head before; null if it was made."`
	Head    string  `json:"head" doc:"Its head now; of up_to_date the last commit of the bundle."`
	Commits int     `json:"commits" doc:"How many were new."`
	Added   int64   `json:"added" doc:"Statements that they added."`
	Removed int64   `json:"removed" doc:"Statements that they removed."`
	DryRun  bool    `json:"dry_run" doc:"Whether this was only tried."`
}

var bundleApply = invoke.Define(capability.Descriptor{
	ID: "trails.meta.bundle.apply", Description: "Take the commits of a bundle, all or none, with the ids that they have.",
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.BundleApply}, SideEffects: capability.Destroys,
}, func(ctx context.Context, r *invoke.Request, in arriving) (*arrived, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	a := kg.Arrival{Bundle: strings.NewReader(in.Data), Into: in.Into, Beside: in.Beside, DryRun: in.DryRun, MaxRemoved: set.MaxRemoved, Activity: set.Activity, Progress: r.Progress}
	if r.Inputs != nil {
		var all []io.Reader
		for _, one := range r.Inputs {
			all = append(all, one.Reader)
		}
		a.Bundle = io.MultiReader(all...)
	}
	r.Release() // a snapshot would keep the log from starting over during a long write
	done, err := r.Session().Apply(ctx, a)
	if err != nil {
		return nil, err
	}
	out := &arrived{
		Outcome: "applied", Branch: done.Branch, Before: view.CommitID(done.Before), Head: done.After.ID.String(),
		Commits: done.Commits, Added: done.Added, Removed: done.Removed, DryRun: in.DryRun,
	}
	switch {
	case done.UpToDate:
		out.Outcome = "up_to_date"
	case !in.DryRun:
		r.Recorded()
	}
	if done.Diverged {
		out.Outcome = "beside"
	}
	return out, nil
}, invoke.Hidden, invoke.Inputs("data"))
