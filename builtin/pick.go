package builtin

import (
	"context"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// picking is what a pick of commits takes.
type picking struct {
	Commit      string   `json:"commit" min:"1" max:"160" doc:"Its first digits, a branch for its newest, or A..B for those after A up to B."`
	Take        string   `json:"take,omitempty" oneof:"ours,theirs,base" doc:"Decides all clashes without a resolution: ours is the branch, theirs the commit, base what was before it."`
	Resolutions []string `json:"resolutions,omitempty" doc:"Note/a.title=theirs, Note/b=ours, Note/a.title:=VALUE."`
	capability.AskArgument
	capability.ChangeArguments
}

var cherryPick = invoke.Define(capability.Descriptor{
	ID: "cherry_pick", Description: "Make what a commit of another branch changed here too, as a new commit. Clashes are refused until decided.",
	Preconditions: []string{"Each clash is decided.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.BranchMerge},
}, func(ctx context.Context, r *invoke.Request, in picking) (*merged, error) {
	picked, err := r.Snapshot.FindPicked(ctx, in.Commit)
	if err != nil {
		return nil, ofArgument("commit", in.Commit, err)
	}
	if _, _, several := strings.Cut(in.Commit, ".."); several {
		keepCommits(r, "commit", picked.Before, picked.Last)
	} else {
		keepCommits(r, "commit", kg.Commit{}, picked.Last)
	}
	r.Uses(string(picked.Last.ID.IRI()))
	m, err := mergeOf(ctx, r, in.Commit, in.Take, in.Resolutions)
	if err != nil {
		return nil, err
	}
	m.Defines = definesByBuilders(r, "commit")
	s := r.Snapshot.Schema()
	r.Release() // a snapshot would keep the log from starting over during a long write
	done, err := r.Session().Pick(ctx, picked, m)
	if err != nil {
		return nil, err
	}
	return mergedOf(r, s, done, m.Set.DryRun), nil
}, invoke.On())
