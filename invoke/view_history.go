package invoke

import (
	"context"

	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

var changeFields = []capability.Field{
	{Name: "property", Type: capability.String, Required: true, Description: "Its name, or the IRI of a predicate that is not declared."},
	cellsField("old", "The values that were removed."),
	cellsField("new", "The values that were added."),
}

var entityHistory = builtin{
	id: "entity_history", description: "List what happened to one node, newest first: each commit with the call that made it, and what it changed. It works for deleted nodes, too.",
	input: []capability.Field{
		typeInput, idInput,
		{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 500, Default: 50},
		{Name: "before", Type: capability.String, Description: "List the commits before this one; take it from next."},
		readBranch,
	},
	output: []capability.Field{
		nodeField("node"),
		{Name: "entries", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
			{Name: "commit", Type: capability.Object, Fields: commitFields, Required: true},
			{Name: "activity", Type: capability.Object, Required: true, Nullable: true, Description: "The call that made it."},
			{Name: "changes", Type: capability.Object, Fields: changeFields, Many: true, Required: true},
			{Name: "more", Type: capability.Boolean, Required: true, Description: "The commit changed more of it than is listed."},
		}},
		{Name: "next", Type: capability.String, Required: true, Nullable: true, Description: "Pass it as before for the next page; null at the end."},
	},
	cost: capability.CostResult, action: "read", handle: viewHistory, idempotent: true, hidden: true,
}

// propertyChangeView is a property before and after.
type propertyChangeView struct {
	Property string     `json:"property"`
	Old      []cellView `json:"old"`
	New      []cellView `json:"new"`
}

type historyEntryView struct {
	Commit   *commitView          `json:"commit"`
	Activity *activityView        `json:"activity"`
	Changes  []propertyChangeView `json:"changes"`
	More     bool                 `json:"more"`
}

type historyView struct {
	Node    nodeView           `json:"node"`
	Entries []historyEntryView `json:"entries"`
	Next    *string            `json:"next"`
}

func viewHistory(ctx context.Context, r *running) (any, error) {
	d, err := r.oneNode(ctx, r.snapshot.FindEver)
	if err != nil {
		return nil, err
	}
	before, err := r.beforeCommit(ctx)
	if err != nil {
		return nil, err
	}
	limit := r.args.integer("limit", 50)
	entries, err := r.snapshot.History(ctx, d, before, limit+1)
	if err != nil {
		return nil, err
	}
	out := historyView{Node: viewNode(d), Entries: []historyEntryView{}}
	if len(entries) > limit {
		entries = entries[:limit]
		out.Next = ptr(entries[limit-1].Commit.ID.String())
	}
	for _, e := range entries {
		v := historyEntryView{Commit: commitJSON(e.Commit), More: e.More, Activity: optionalActivity(e.Activity)}
		if v.Changes, err = r.changeViews(ctx, e.Changes); err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, v)
	}
	return out, nil
}

// beforeCommit is the number of the commit that a page goes on from; 0 for the first page.
func (r *running) beforeCommit(ctx context.Context) (int64, error) {
	id := r.args.text("before")
	if id == "" {
		return 0, nil
	}
	c, err := r.snapshot.FindCommit(ctx, id)
	return c.Seq, err
}

func optionalActivity(a *kg.Activity) *activityView {
	if a == nil {
		return nil
	}
	return activityJSON(*a)
}

func (r *running) changeViews(ctx context.Context, list []kg.PropertyChange) ([]propertyChangeView, error) {
	out := []propertyChangeView{}
	for _, c := range list {
		v := propertyChangeView{Property: string(c.Predicate)}
		if c.Property != nil {
			v.Property = c.Property.Name
		}
		var err error
		if v.Old, err = r.cells(ctx, c.Old, textHistory); err != nil {
			return nil, err
		}
		if v.New, err = r.cells(ctx, c.New, textHistory); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

var commitPage = builtin{
	id: "commit_view", description: "Read what one commit did, node by node: what was made, changed and removed, each property as it was and as it is.",
	input: []capability.Field{
		{Name: "id", Type: capability.String, Required: true, MaxLength: ptr(64), Description: "A commit id, at least its first four digits, or head for the newest."},
		{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 2000, Default: 200, Description: "How many nodes."},
		{Name: "offset", Type: capability.Integer, MinValue: 0, MaxValue: 1_000_000_000, Default: 0},
		readBranch,
	},
	output: []capability.Field{
		{Name: "commit", Type: capability.Object, Fields: commitFields, Required: true},
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
	},
	cost: capability.CostResult, action: "read", handle: viewCommit, idempotent: true, hidden: true,
}

type nodeChangeView struct {
	Node    nodeView             `json:"node"`
	Graph   string               `json:"graph,omitempty"`
	What    string               `json:"what"`
	Changes []propertyChangeView `json:"changes"`
	More    bool                 `json:"more"`
}

type commitPageView struct {
	Commit        *commitView      `json:"commit"`
	Activity      *activityView    `json:"activity"`
	Nodes         []nodeChangeView `json:"nodes"`
	Truncated     bool             `json:"truncated"`
	Previous      *string          `json:"previous"`
	Next          *string          `json:"next"`
	SchemaChanged bool             `json:"schema_changed"`
}

func viewCommit(ctx context.Context, r *running) (any, error) {
	c, err := r.snapshot.FindCommit(ctx, r.args.text("id"))
	if err != nil {
		return nil, err
	}
	nodes, truncated, err := r.snapshot.CommitNodes(ctx, c, r.args.integer("limit", 200), r.args.integer("offset", 0))
	if err != nil {
		return nil, err
	}
	made, err := r.snapshot.ActivityOf(ctx, c)
	if err != nil {
		return nil, err
	}
	out := commitPageView{
		Commit: commitJSON(c), Activity: optionalActivity(made), Nodes: []nodeChangeView{}, Truncated: truncated,
		SchemaChanged: c.SchemaSeq == c.Seq,
	}
	if c.Parent != (kg.CommitID{}) {
		out.Previous = ptr(c.Parent.String())
	}
	if out.Next, err = r.commitAfter(ctx, c); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		v := nodeChangeView{Node: viewNode(n.Node), Graph: rdf.Lexical(n.Graph), What: n.What, More: n.More}
		if v.Changes, err = r.changeViews(ctx, n.Changes); err != nil {
			return nil, err
		}
		out.Nodes = append(out.Nodes, v)
	}
	return out, nil
}

// commitAfter is the id of the next commit, nil for the newest.
func (r *running) commitAfter(ctx context.Context, c kg.Commit) (*string, error) {
	if c.Seq >= r.snapshot.Head().Seq {
		return nil, nil
	}
	next, err := r.snapshot.CommitBySeq(ctx, c.Seq+1)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	return headID(next), err
}
