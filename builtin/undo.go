package builtin

import (
	"bytes"
	"context"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/quote"
	"trails/rdf"
	"trails/schema"
)

// Bounds of what an undo says.
const (
	undoPreview = 50  // changes that a dry run lists
	undoQuotes  = 200 // characters of the old message in the new one
)

var undoBuiltin = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "undo", Description: "Take back what one commit changed, as a new commit. Refused, naming the nodes, when later commits touched the same values, and for schema changes.",
		InputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "commit", Type: capability.String, Required: true, Description: "Its first digits, or head for the newest."},
		}, capability.MassArguments()...)},
		OutputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "undone", Type: capability.String, Required: true, Description: "The commit that was taken back."},
			{Name: "nodes", Type: capability.String, Many: true, Description: "The first 20 nodes that change."},
			{Name: "node_count", Type: capability.Integer, Description: "How many nodes change."},
			{Name: "changes", Type: capability.Object, Many: true, Description: "On a dry run the first 50 of the statements that would be added and removed.", Fields: []capability.Field{
				{Name: "op", Type: capability.String, Required: true, OneOf: []any{"+", "-"}},
				{Name: "node", Type: capability.String, Required: true},
				{Name: "property", Type: capability.String, Required: true},
				{Name: "value", Type: capability.Any, Required: true},
				{Name: "graph", Type: capability.String, Description: "The named graph; absent for the default graph."},
			}},
		}, capability.CommitResult()...)},
		Preconditions: []string{"No later commit touched the same values.", "The graph fits its schema at the end."},
		SideEffects:   capability.Destroys,
		CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: "change"},
	},
	Handle: undo,
}

// undone is what an undo answers.
type undone struct {
	Undone    string       `json:"undone"`
	Nodes     []string     `json:"nodes,omitempty"`
	NodeCount int64        `json:"node_count,omitempty"`
	Changes   []undoChange `json:"changes,omitempty"`
	invoke.Written
}

// undoChange is one statement in a preview.
type undoChange struct {
	Op       string `json:"op"`
	Node     string `json:"node"`
	Property string `json:"property"`
	Value    any    `json:"value"`
	Graph    string `json:"graph,omitempty"`
}

func undo(ctx context.Context, r *invoke.Request) (any, error) {
	given := r.Args.Text("commit")
	commit, err := r.Snapshot.FindCommit(ctx, given)
	switch {
	case fault.Is(err, fault.Malformed):
		return nil, fault.Argument("commit", fault.Pattern, given, err.Error())
	case fault.Is(err, fault.Missing):
		return nil, fault.New(fault.Missing, "%s; commits_list has them", err.Error())
	case err != nil:
		return nil, err
	}
	r.Uses(string(commit.ID.IRI()))
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	if set.Message == "" {
		set.Message = undoMessage(commit)
	}
	s := r.Snapshot.Schema()
	r.Release() // a long write must not hold the log
	result, err := r.Session().Undo(ctx, kg.Undo{Commit: commit.ID, Set: set, Progress: r.Progress})
	if err != nil {
		return nil, err
	}
	answer := undone{Undone: commit.ID.String(), NodeCount: result.NodeCount, Written: r.Committed(result, set.DryRun)}
	for _, node := range result.Nodes {
		answer.Nodes = append(answer.Nodes, s.NodeName(node))
	}
	if set.DryRun {
		answer.Changes = undoChanges(s, result)
	}
	return answer, nil
}

// undoMessage says what is taken back, and what it said of itself.
func undoMessage(c kg.Commit) string {
	message := "undo " + c.ID.Short()
	if first, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n"); first != "" {
		message += ": " + quote.Line(first, undoQuotes)
	}
	return message
}

// undoChanges are the first statements of a result, in the order of their text, in which
// its two lists are.
func undoChanges(s *schema.Schema, r kg.Result) []undoChange {
	var out []undoChange
	added, removed := r.Added, r.Removed
	for len(out) < undoPreview && len(added)+len(removed) > 0 {
		op, from := "+", &added
		if len(added) == 0 || len(removed) > 0 && bytes.Compare(rdf.AppendQuad(nil, removed[0]), rdf.AppendQuad(nil, added[0])) < 0 {
			op, from = "-", &removed
		}
		q := (*from)[0]
		*from = (*from)[1:]
		v := changeOf(s, op, q)
		change := undoChange{Op: op, Node: v.Node, Property: v.Property, Value: fault.Bounded(v.Value)}
		if q.Label != nil {
			change.Graph = rdf.Lexical(q.Label)
		}
		out = append(out, change)
	}
	return out
}
