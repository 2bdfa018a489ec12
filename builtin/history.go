package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/schema"
	"trails/text/outline"
)

// Bounds of a history.
const (
	historyScanned = 2_000 // commits that are examined
	historyPage    = 100   // commits that are read at once
	historyNodes   = 5     // nodes of one commit
	historyWhy     = 200   // characters of a message
	historySmall   = 2_000 // statements up to which a commit is described node by node
)

// historyAsked says which commits are requested.
type historyAsked struct {
	ID     string `json:"id,omitempty" is:"brief" doc:"Type/id, IRI or exact label."`
	Type   string `json:"type,omitempty" is:"brief" doc:"Commits that changed nodes of this type."`
	Actor  string `json:"actor,omitempty" doc:"Part of a name."`
	Since  string `json:"since,omitempty" doc:"A date, time or commit."`
	Until  string `json:"until,omitempty"`
	Limit  int    `json:"limit" is:"brief" min:"1" max:"200" default:"20"`
	Cursor string `json:"cursor,omitempty" is:"brief" doc:"next of the last page."`
}

var historyCells = capability.CellsOf("commit:string", "time:string", "who:string", "what:string", "origin:string")

var historyBuiltin = invoke.Define(capability.Descriptor{
	ID: "history", Description: "What happened to a node or the graph, newest first: who, when, which call, why, what changed. Reads take at: a commit, head~2 or a time.",
	OutputShape:    rowsOf("A list for each commit: its first digits, time, author, a sentence, and the origin where not all have the same.", historyCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, history)

// historyTold is a page of a history.
type historyTold struct {
	rowsAnswer
	oneOrigin
}

// telling is one history being written.
type telling struct {
	*invoke.Request
	of           *browse.Described // nil for the graph
	types        map[*schema.Type]bool
	actor        string
	since, until time.Time // zero for none
	after        kg.Seq    // the commit named by since
	out          historyTold
	room         int
	teller       *view.Teller
	asked        historyAsked
}

func history(ctx context.Context, r *invoke.Request, in historyAsked) (out historyTold, err error) {
	t := &telling{Request: r, asked: in, actor: strings.ToLower(in.Actor), teller: view.NewTeller(r)}
	t.out.table = tableOf(historyCells)
	t.room = r.RoomBeside(t.out)
	defer func() { out.oneOrigin = out.sameOrigin() }()
	before, err := t.read(ctx)
	if err != nil {
		return t.out, err
	}
	for seen := 0; ; {
		page, err := t.page(ctx, before)
		if err != nil || len(page) == 0 {
			return t.out, err
		}
		for _, e := range page {
			if e.Commit.Seq <= t.after || !t.since.IsZero() && e.Commit.Time.Before(t.since) {
				return t.out, nil
			}
			full, err := t.tell(ctx, e)
			if err != nil || full {
				return t.out, err
			}
			before = e.Commit.Seq
		}
		if seen += len(page); seen >= historyScanned {
			t.out.Next = page[len(page)-1].Commit.ID.String()
			t.Parts.Cut = fmt.Sprintf("%d commits were looked at; go on with cursor %q", seen, t.out.Next)
			return t.out, nil
		}
	}
}

// read reads the arguments, and returns the commit before which the history begins; 0 is the newest.
func (t *telling) read(ctx context.Context) (before kg.Seq, err error) {
	if t.asked.ID != "" {
		d, err := nodeEver(ctx, t.Request, t.asked.ID)
		if err != nil {
			return 0, err
		}
		t.Uses(d.IRI())
		t.of = &d
	}
	if t.Args.Has("type") {
		of, err := view.KnownType(t.Request, t.asked.Type)
		if err != nil {
			return 0, err
		}
		t.types = map[*schema.Type]bool{}
		for _, one := range t.Snapshot.Schema().Subtypes(of) {
			t.types[one] = true
		}
		t.types[of] = true
	}
	if t.since, err = moment(t.asked.Since); err != nil {
		c, missing := t.Snapshot.FindCommit(ctx, t.asked.Since)
		if missing != nil {
			return 0, fault.Argument("since", fault.Datatype, t.asked.Since, "since is a date, such as 2026-01-31, a time, such as 2026-01-31T12:00:00Z, or a commit: "+missing.Error())
		}
		t.after = c.Seq
	}
	if t.until, err = moment(t.asked.Until); err != nil {
		return 0, fault.Argument("until", fault.Datatype, t.asked.Until, "until is a date, such as 2026-01-31, or a time, such as 2026-01-31T12:00:00Z")
	}
	if cursor := t.asked.Cursor; cursor != "" {
		c, err := t.Snapshot.FindCommit(ctx, cursor)
		if err != nil {
			return 0, fault.Argument("cursor", fault.Pattern, cursor, "cursor is not the next of an earlier answer: "+err.Error()+"; leave it out for the first page")
		}
		before = c.Seq
	}
	return before, nil
}

// nodeEver is nodeOf that finds deleted nodes of a type, too.
func nodeEver(ctx context.Context, r *invoke.Request, ref string) (browse.Described, error) {
	name, local, _ := strings.Cut(ref, "/")
	if t := r.Snapshot.Schema().Type(name); t != nil && local != "" {
		d, err := r.Snapshot.FindEver(ctx, t, local)
		if fault.Is(err, fault.NotFound) {
			return d, noNode(ctx, r, "id", ref, t, local, err)
		}
		return d, err
	}
	return nodeOf(ctx, r, "id", ref)
}

// moment parses a date or a time; the zero time is none.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, text)
}

// page reads commits, newest first.
func (t *telling) page(ctx context.Context, before kg.Seq) ([]browse.HistoryEntry, error) {
	if t.of != nil {
		return t.Snapshot.History(ctx, *t.of, before, min(t.asked.Limit+1, historyPage))
	}
	commits, err := t.Snapshot.Commits(ctx, before, historyPage)
	list := make([]browse.HistoryEntry, len(commits))
	for i, c := range commits {
		list[i].Commit = c
	}
	return list, err
}

// tell adds the row of a commit, if it is one of those that are asked for. It reports
// that the answer is full.
func (t *telling) tell(ctx context.Context, e browse.HistoryEntry) (full bool, err error) {
	c := e.Commit
	if !strings.Contains(strings.ToLower(c.Author), t.actor) || !t.until.IsZero() && !c.Time.Before(t.until) {
		return false, nil
	}
	if e.Activity == nil {
		if e.Activity, err = t.Snapshot.ActivityOf(ctx, c); err != nil {
			return false, err
		}
	}
	what, wanted, err := t.sentence(ctx, e)
	if err != nil || !wanted {
		return false, err
	}
	id := c.ID.String()
	if len(t.out.Rows) == t.asked.Limit {
		last, _ := t.out.Rows[len(t.out.Rows)-1][0].(string)
		t.out.Next = last
		return true, nil
	}
	origin, err := t.Snapshot.CommitOrigin(ctx, c)
	if err != nil {
		return false, err
	}
	added, err := t.out.add(&t.room, []any{id, c.Time.UTC().Format(time.DateTime), c.Author, what, origin.String()})
	if err != nil || added {
		return false, err
	}
	t.out.Next, _ = t.out.Rows[len(t.out.Rows)-1][0].(string)
	t.Parts.Cut = fmt.Sprintf("%d commits are shown; go on with cursor %q", len(t.out.Rows), t.out.Next)
	return true, nil
}

// sentence says what a commit did, and whether it is about the type that is asked for, or
// may be.
func (t *telling) sentence(ctx context.Context, e browse.HistoryEntry) (text string, wanted bool, err error) {
	c := e.Commit
	if t.of != nil {
		return headOf(e, c.Message) + ": " + view.Changed(t.Snapshot.Schema(), e.Changes), true, nil
	}
	nodes, more := []browse.NodeChange(nil), false
	switch {
	case c.SchemaSeq == c.Seq: // its sentence says what became of the definitions
		wanted = t.types == nil
	case c.Added+c.Removed > historySmall: // its types are not examined
		wanted = true
	default:
		if nodes, more, err = t.nodes(ctx, c); err != nil {
			return "", false, err
		}
		wanted = t.types == nil || len(nodes) > 0
	}
	if !wanted {
		return "", false, nil
	}
	told, err := t.teller.Tell(ctx, c, e.Activity)
	if err != nil {
		return "", false, err
	}
	var pieces []string
	for _, n := range nodes[:min(len(nodes), historyNodes)] {
		one := nodeSigns[n.What] + t.Snapshot.Name(n.Node.Term)
		if n.What == browse.NodeChanged {
			one += " " + view.Changed(t.Snapshot.Schema(), n.Changes)
		}
		pieces = append(pieces, one)
	}
	if more {
		pieces = append(pieces, "and more")
	}
	text = headOf(e, told.Message) + ": " + told.What
	if len(pieces) > 0 {
		text += " (" + strings.Join(pieces, "; ") + ")"
	}
	return text, true, nil
}

// headOf is the call that made a commit, and why.
func headOf(e browse.HistoryEntry, message string) string {
	var parts []string
	if e.Activity != nil {
		parts = append(parts, e.Activity.Capability)
	}
	if message != "" {
		parts = append(parts, fmt.Sprintf("%q", outline.Shorten(message, historyWhy)))
	}
	return strings.Join(parts, " ")
}

// nodeSigns stand before the nodes that a commit made and removed.
var nodeSigns = map[string]string{browse.NodeMade: "+", browse.NodeRemoved: "-"}

// nodes are the first nodes that a commit changed, of the types that are asked for.
func (t *telling) nodes(ctx context.Context, c kg.Commit) (nodes []browse.NodeChange, more bool, err error) {
	most := historyNodes
	if t.types != nil {
		most = historySmall
	}
	nodes, more, err = t.Snapshot.CommitNodes(ctx, c, most, 0)
	if t.types != nil {
		nodes = slices.DeleteFunc(nodes, func(n browse.NodeChange) bool { return !t.types[n.Node.Type] })
		more = len(nodes) > historyNodes
	}
	return nodes, more, err
}
