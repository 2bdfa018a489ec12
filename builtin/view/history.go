package view

import (
	"context"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
)

// historyAsked is a node, and a page of its history.
type historyAsked struct {
	nodeAsked
	Limit  int    `json:"limit" min:"1" max:"500" default:"50"`
	Before string `json:"before,omitempty" doc:"List the commits before this one; take it from next."`
}

var entityHistory = invoke.Define(capability.Descriptor{
	ID: "entity_history", Description: "List what happened to one node, newest first: each commit with the call that made it, and what it changed. It works for deleted nodes, too.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, viewHistory, invoke.Hidden)

// PropertyChange is a property before and after.
type PropertyChange struct {
	Property string `json:"property" doc:"Its name, or the IRI of a predicate that is not declared."`
	Old      []Cell `json:"old" doc:"The values that were removed."`
	New      []Cell `json:"new" doc:"The values that were added."`
}

// HistoryEntry is what one commit did to a node.
type HistoryEntry struct {
	Commit   Commit           `json:"commit"`
	Activity *Activity        `json:"activity" type:"object" doc:"The call that made it."`
	Changes  []PropertyChange `json:"changes"`
	More     bool             `json:"more" doc:"The commit changed more of it than is listed."`
}

// History is what entity_history answers: what happened to a node, newest first.
type History struct {
	Node    Node           `json:"node"`
	Entries []HistoryEntry `json:"entries"`
	Next    *string        `json:"next" doc:"Pass it as before for the next page; null at the end."`
}

func viewHistory(ctx context.Context, r *invoke.Request, in historyAsked) (*History, error) {
	d, err := oneNode(ctx, r, in.nodeAsked, r.Snapshot.FindEver)
	if err != nil {
		return nil, err
	}
	before, err := Before(ctx, r, in.Before)
	if err != nil {
		return nil, err
	}
	entries, err := r.Snapshot.History(ctx, d, before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &History{Node: viewNode(d), Entries: []HistoryEntry{}}
	if len(entries) > in.Limit {
		entries = entries[:in.Limit]
		out.Next = new(entries[in.Limit-1].Commit.ID.String())
	}
	teller := NewTeller(r)
	for _, e := range entries {
		v := HistoryEntry{Commit: *CommitOf(e.Commit), More: e.More, Activity: optionalActivity(r, e.Activity)}
		told, err := teller.Tell(ctx, e.Commit, e.Activity)
		if err != nil {
			return nil, err
		}
		v.Commit.told(told)
		if v.Changes, err = changeViews(ctx, r, e.Changes); err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, v)
	}
	return out, nil
}

// Before is the number of the commit before which a page of history begins: 0 if none is named, which starts at the
// newest.
func Before(ctx context.Context, r *invoke.Request, commit string) (kg.Seq, error) {
	if commit == "" {
		return 0, nil
	}
	c, err := r.Snapshot.FindCommit(ctx, commit)
	return c.Seq, err
}

func optionalActivity(r *invoke.Request, a *kg.Activity) *Activity {
	if a == nil {
		return nil
	}
	return ActivityOf(*a, r.Snapshot.SeesAll())
}

func changeViews(ctx context.Context, r *invoke.Request, list []browse.PropertyChange) ([]PropertyChange, error) {
	out := []PropertyChange{}
	for _, c := range list {
		v := PropertyChange{Property: string(c.Predicate)}
		if c.Property != nil {
			v.Property = c.Property.Name
		}
		var err error
		if v.Old, err = cells(ctx, r, c.Old, textHistory); err != nil {
			return nil, err
		}
		if v.New, err = cells(ctx, r, c.New, textHistory); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// commitAsked is a commit, and a page of the nodes that it changed.
type commitAsked struct {
	ID     string `json:"id" max:"64" doc:"A commit id, at least its first four digits, or head for the newest."`
	Limit  int    `json:"limit" min:"1" max:"2000" default:"200" doc:"How many nodes."`
	Offset int    `json:"offset" min:"0" max:"1000000000" default:"0"`
}

var commitPage = invoke.Define(capability.Descriptor{
	ID: "commit_view", Description: "Read what one commit did, node by node: what was made, changed and removed, each property as it was and as it is.",
	CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, viewCommit, invoke.Hidden)

// NodeChange is what a commit did to one node, which it made, changed or removed.
type NodeChange struct {
	Node    Node             `json:"node"`
	Graph   string           `json:"graph,omitempty" doc:"The named graph that the statements are in; absent for the data."`
	What    string           `json:"what" oneof:"made,changed,removed"`
	Changes []PropertyChange `json:"changes"`
	More    bool             `json:"more" doc:"More of the node was changed than is listed."`
}

// CommitPage is what commit_view answers: a commit and some of the nodes that it changed.
type CommitPage struct {
	Commit        Commit       `json:"commit"`
	Activity      *Activity    `json:"activity" type:"object" doc:"The call that made it."`
	Nodes         []NodeChange `json:"nodes"`
	Truncated     bool         `json:"truncated" doc:"More nodes were changed than are listed."`
	Previous      *string      `json:"previous"`
	Next          *string      `json:"next"`
	SchemaChanged bool         `json:"schema_changed"`
	Steps         []string     `json:"steps,omitempty" doc:"What became of the schema, step by step."`
}

func viewCommit(ctx context.Context, r *invoke.Request, in commitAsked) (*CommitPage, error) {
	c, err := r.Snapshot.FindCommit(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	nodes, truncated, err := r.Snapshot.CommitNodes(ctx, c, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	made, err := r.Snapshot.ActivityOf(ctx, c)
	if err != nil {
		return nil, err
	}
	out := &CommitPage{
		Commit: *CommitOf(c), Activity: optionalActivity(r, made), Nodes: []NodeChange{}, Truncated: truncated,
		SchemaChanged: c.SchemaSeq == c.Seq,
	}
	told, err := NewTeller(r).Tell(ctx, c, made)
	if err != nil {
		return nil, err
	}
	out.Commit.told(told)
	out.Steps = told.Steps
	if c.Parent != (kg.CommitID{}) {
		out.Previous = new(c.Parent.String())
	}
	if out.Next, err = commitAfter(ctx, r, c); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		v := NodeChange{Node: viewNode(n.Node), Graph: rdf.Lexical(n.Graph), What: n.What, More: n.More}
		if v.Changes, err = changeViews(ctx, r, n.Changes); err != nil {
			return nil, err
		}
		out.Nodes = append(out.Nodes, v)
	}
	return out, nil
}

// commitAfter is the id of the next commit, nil for the newest.
func commitAfter(ctx context.Context, r *invoke.Request, c kg.Commit) (*string, error) {
	if c.Seq >= r.Snapshot.Head().Seq {
		return nil, nil
	}
	next, err := r.Snapshot.CommitAfter(ctx, c.Seq)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	return CommitID(next), err
}
