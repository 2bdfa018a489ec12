package builtin

import (
	"context"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/invoke"
	"trails/text/outline"
)

// pong answers a ping.
type pong struct {
	Pong bool `json:"pong"`
}

var ping = invoke.Define(capability.Descriptor{
	ID: "trails.meta.ping", Description: "Answer that meta capabilities can be reached.", CostEstimate: capability.CostConstant, Idempotent: true,
}, func(context.Context, *invoke.Request, struct{}) (pong, error) { return pong{true}, nil }, invoke.Bare, invoke.On("full"))

// healthy says that the process answers.
type healthy struct {
	Status  string  `json:"status" oneof:"ok"`
	Version string  `json:"version"`
	Graph   string  `json:"graph"`
	Head    *string `json:"head"`
}

var health = invoke.Define(capability.Descriptor{
	ID: "health", Description: "Say whether the graph answers, its version and head.", CostEstimate: capability.CostConstant, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{}) (healthy, error) {
	head := view.CommitID(r.Session().LatestHead(ctx)) // even if the file is busy
	if head != nil {
		r.Head = *head
	}
	return healthy{"ok", r.Engine().Version(), r.Engine().Graph().Name(), head}, nil
}, invoke.Bare)

// headCommit is the newest commit in short.
type headCommit struct {
	ID      string `json:"id" doc:"Its first digits."`
	Time    string `json:"time"`
	Author  string `json:"author"`
	Message string `json:"message"`
}

// summary describes the content of a graph.
type summary struct {
	Graph         string           `json:"graph"`
	Base          string           `json:"base"`
	Branch        string           `json:"branch"`
	Head          *headCommit      `json:"head"`
	Quads         int64            `json:"quads"`
	Types         map[string]int64 `json:"types" doc:"Number of instances by type."`
	SchemaVersion int64            `json:"schema_version"`
}

var snapshotBuiltin = invoke.Define(capability.Descriptor{
	ID: "snapshot", Description: "Head commit, counts by type, schema version.",
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, snapshot)

func snapshot(ctx context.Context, r *invoke.Request, _ struct{}) (*summary, error) {
	counts, err := r.Snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	quads, err := r.Snapshot.Quads(ctx)
	if err != nil {
		return nil, err
	}
	head, graph := r.Snapshot.Head(), r.Engine().Graph()
	out := &summary{Graph: graph.Name(), Base: graph.Base(), Branch: r.Snapshot.Branch(), Quads: quads, Types: make(map[string]int64, len(counts)), SchemaVersion: r.Snapshot.SchemaVersion()}
	for _, c := range counts {
		out.Types[c.Type.Name] = c.Count
	}
	if !head.ID.IsZero() {
		out.Head = &headCommit{head.ID.String(), head.Time.UTC().Format(time.DateTime), head.Author, outline.Shorten(head.Message, commitText)}
	}
	return out, nil
}
