package builtin

import (
	"context"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// undoingBy is what the undo of an author takes.
type undoingBy struct {
	By          string   `json:"by,omitempty" is:"brief" max:"400" doc:"The author, as commits_list has it; without \" via \" and what follows, by whatever client."`
	Origin      string   `json:"origin,omitempty" oneof:"person,agent,import,upstream,unknown" doc:"The class of sources, as blame has it."`
	Source      string   `json:"source,omitempty" max:"400" doc:"The file of a load, or the server, endpoint or document that content came from."`
	Since       string   `json:"since,omitempty" min:"1" max:"64" doc:"What was written after this commit or time; all when left out."`
	Take        string   `json:"take,omitempty" oneof:"ours,theirs,base" doc:"Decides all clashes without a resolution: ours keeps what others made of it, theirs takes it back all the same."`
	Resolutions []string `json:"resolutions,omitempty" doc:"Note/a.title=theirs, Note/b=ours, Note/a.title:=VALUE."`
	capability.AskArgument
	capability.ChangeArguments
}

// undoneBy is what it answers.
type undoneBy struct {
	Outcome    string          `json:"outcome" doc:"undone, or clashes: a dry run found what has to be decided first."`
	Commits    int             `json:"commits" doc:"How many commits are taken back."`
	Since      string          `json:"since" doc:"The commit before the first of them."`
	Clashes    []kg.MergeClash `json:"clashes,omitempty" doc:"The first 20 that others changed since, with how they were decided."`
	ClashCount int             `json:"clash_count,omitempty" doc:"How many clashes there are."`
	Nodes      []string        `json:"nodes,omitempty" doc:"The first 20 nodes that change."`
	NodeCount  int64           `json:"node_count,omitempty" doc:"How many nodes change."`
	capability.Changed
	invoke.Written
}

var undoBy = invoke.Define(capability.Descriptor{
	ID: "undo_by", Description: "Take back everything that an author, a class of sources or one source (by, origin, source) wrote since a commit or time, as one commit. Refused where others changed it since, naming who, until that is decided.",
	Preconditions: []string{"Each clash is decided.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
}, func(ctx context.Context, r *invoke.Request, in undoingBy) (*undoneBy, error) {
	origin, _ := view.OriginArgument(in.Origin)
	if in.By == "" && origin == nil && in.Source == "" {
		return nil, fault.Argument("by", fault.Required, nil, "say whose commits are taken back: give by, origin or source")
	}
	authored := kg.Authored{Actor: in.By, Origin: origin, Source: in.Source}
	if in.Since != "" {
		var err error
		if authored.Since, err = commitOf(ctx, r, "since", in.Since); err != nil {
			return nil, err
		}
	}
	merge, err := mergeOf(ctx, r, "", in.Take, in.Resolutions)
	if err != nil {
		return nil, err
	}
	s := r.Snapshot.Schema()
	r.Release() // a snapshot would keep the log from starting over during a long write
	done, commits, err := r.Session().UndoBy(ctx, authored, merge)
	if err != nil {
		return nil, err
	}
	m := mergedOf(r, s, done, merge.Set.DryRun)
	out := &undoneBy{
		Outcome: m.Outcome, Commits: commits, Since: m.Base, Clashes: m.Clashes, ClashCount: m.ClashCount,
		Nodes: m.Nodes, NodeCount: m.NodeCount, Changed: m.Changed, Written: m.Written,
	}
	if done.Open == 0 {
		out.Outcome = "undone"
	}
	return out, nil
}, invoke.On())
