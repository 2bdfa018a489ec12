package view

import (
	"context"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
)

var changeFields = []capability.Field{
	{Name: "property", Type: capability.String, Required: true, Description: "Its name, or the IRI of a predicate that is not declared."},
	cellsField("old", "The values that were removed."),
	cellsField("new", "The values that were added."),
}

var entityHistory = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "entity_history", Description: "List what happened to one node, newest first: each commit with the call that made it, and what it changed. It works for deleted nodes, too.",
		InputShape: capability.Shape{Fields: []capability.Field{
			typeInput, idInput,
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 500, Default: 50},
			{Name: "before", Type: capability.String, Description: "List the commits before this one; take it from next."},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			nodeField("node"),
			{Name: "entries", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "commit", Type: capability.Object, Fields: CommitFields, Required: true},
				{Name: "activity", Type: capability.Object, Required: true, Nullable: true, Description: "The call that made it."},
				{Name: "changes", Type: capability.Object, Fields: changeFields, Many: true, Required: true},
				{Name: "more", Type: capability.Boolean, Required: true, Description: "The commit changed more of it than is listed."},
			}},
			{Name: "next", Type: capability.String, Required: true, Nullable: true, Description: "Pass it as before for the next page; null at the end."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewHistory, Hidden: true,
}

// PropertyChange is a property before and after.
type PropertyChange struct {
	Property string `json:"property"`
	Old      []Cell `json:"old"`
	New      []Cell `json:"new"`
}

// HistoryEntry is what one commit did to a node.
type HistoryEntry struct {
	Commit   *Commit          `json:"commit"`
	Activity *Activity        `json:"activity"`
	Changes  []PropertyChange `json:"changes"`
	More     bool             `json:"more"`
}

// History is what entity_history answers: what happened to a node, newest first.
type History struct {
	Node    Node           `json:"node"`
	Entries []HistoryEntry `json:"entries"`
	Next    *string        `json:"next"`
}

func viewHistory(ctx context.Context, r *invoke.Request) (any, error) {
	d, err := oneNode(ctx, r, r.Snapshot.FindEver)
	if err != nil {
		return nil, err
	}
	before, err := beforeCommit(ctx, r)
	if err != nil {
		return nil, err
	}
	limit := r.Args.Integer("limit", 50)
	entries, err := r.Snapshot.History(ctx, d, before, limit+1)
	if err != nil {
		return nil, err
	}
	out := History{Node: viewNode(d), Entries: []HistoryEntry{}}
	if len(entries) > limit {
		entries = entries[:limit]
		out.Next = new(entries[limit-1].Commit.ID.String())
	}
	for _, e := range entries {
		v := HistoryEntry{Commit: CommitOf(e.Commit), More: e.More, Activity: optionalActivity(e.Activity)}
		if v.Changes, err = changeViews(ctx, r, e.Changes); err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, v)
	}
	return out, nil
}

// beforeCommit is the number of the commit that a page goes on from; 0 for the first page.
func beforeCommit(ctx context.Context, r *invoke.Request) (kg.Seq, error) {
	id := r.Args.Text("before")
	if id == "" {
		return 0, nil
	}
	c, err := r.Snapshot.FindCommit(ctx, id)
	return c.Seq, err
}

func optionalActivity(a *kg.Activity) *Activity {
	if a == nil {
		return nil
	}
	return ActivityOf(*a)
}

func changeViews(ctx context.Context, r *invoke.Request, list []kg.PropertyChange) ([]PropertyChange, error) {
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

var commitPage = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "commit_view", Description: "Read what one commit did, node by node: what was made, changed and removed, each property as it was and as it is.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "id", Type: capability.String, Required: true, MaxLength: new(64), Description: "A commit id, at least its first four digits, or head for the newest."},
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 2000, Default: 200, Description: "How many nodes."},
			{Name: "offset", Type: capability.Integer, MinValue: 0, MaxValue: 1_000_000_000, Default: 0},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "commit", Type: capability.Object, Fields: CommitFields, Required: true},
			{Name: "activity", Type: capability.Object, Required: true, Nullable: true, Description: "The call that made it."},
			{Name: "nodes", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				nodeField("node"),
				{Name: "graph", Type: capability.String, Description: "The named graph that the statements are in; absent for the data."},
				{Name: "what", Type: capability.String, Required: true, OneOf: []any{kg.NodeMade, kg.NodeChanged, kg.NodeRemoved}},
				{Name: "changes", Type: capability.Object, Fields: changeFields, Many: true, Required: true},
				{Name: "more", Type: capability.Boolean, Required: true, Description: "More of the node was changed than is listed."},
			}},
			{Name: "truncated", Type: capability.Boolean, Required: true, Description: "More nodes were changed than are listed."},
			{Name: "previous", Type: capability.String, Required: true, Nullable: true},
			{Name: "next", Type: capability.String, Required: true, Nullable: true},
			{Name: "schema_changed", Type: capability.Boolean, Required: true},
		}},
		CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewCommit, Hidden: true,
}

// NodeChange is what a commit did to one node, which it made, changed or removed.
type NodeChange struct {
	Node    Node             `json:"node"`
	Graph   string           `json:"graph,omitempty"`
	What    string           `json:"what"`
	Changes []PropertyChange `json:"changes"`
	More    bool             `json:"more"`
}

// CommitPage is what commit_view answers: a commit and some of the nodes that it changed.
type CommitPage struct {
	Commit        *Commit      `json:"commit"`
	Activity      *Activity    `json:"activity"`
	Nodes         []NodeChange `json:"nodes"`
	Truncated     bool         `json:"truncated"`
	Previous      *string      `json:"previous"`
	Next          *string      `json:"next"`
	SchemaChanged bool         `json:"schema_changed"`
}

func viewCommit(ctx context.Context, r *invoke.Request) (any, error) {
	c, err := r.Snapshot.FindCommit(ctx, r.Args.Text("id"))
	if err != nil {
		return nil, err
	}
	nodes, truncated, err := r.Snapshot.CommitNodes(ctx, c, r.Args.Integer("limit", 200), r.Args.Integer("offset", 0))
	if err != nil {
		return nil, err
	}
	made, err := r.Snapshot.ActivityOf(ctx, c)
	if err != nil {
		return nil, err
	}
	out := CommitPage{
		Commit: CommitOf(c), Activity: optionalActivity(made), Nodes: []NodeChange{}, Truncated: truncated,
		SchemaChanged: c.SchemaSeq == c.Seq,
	}
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
	next, err := r.Snapshot.CommitBySeq(ctx, c.Seq+1)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	return CommitID(next), err
}
