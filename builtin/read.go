package builtin

import (
	"context"
	"fmt"
	"math"
	"time"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/outline"
	"trails/rdf"
	"trails/schema"
	"trails/view"
)

func ping(context.Context, *invoke.Request) (any, error) { return map[string]bool{"pong": true}, nil }

// health says that the process answers, whatever the file is busy with.
func health(ctx context.Context, r *invoke.Request) (any, error) {
	head := view.CommitID(r.Engine().Graph().LatestHead(ctx))
	if head != nil {
		r.Head = *head
	}
	return struct {
		Status  string  `json:"status"`
		Version string  `json:"version"`
		Graph   string  `json:"graph"`
		Head    *string `json:"head"`
	}{"ok", r.Engine().Version(), r.Engine().Graph().Name(), head}, nil
}

func snapshot(ctx context.Context, r *invoke.Request) (any, error) {
	counts, err := r.Snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	types := make(map[string]int64, len(counts))
	for _, c := range counts {
		types[c.Type.Name] = c.Count
	}
	type headCommit struct {
		ID      string `json:"id"`
		Time    string `json:"time"`
		Author  string `json:"author"`
		Message string `json:"message"`
	}
	var newest *headCommit
	if c := r.Snapshot.Head(); !c.ID.IsZero() {
		newest = &headCommit{c.ID.String(), c.Time.UTC().Format(time.DateTime), c.Author, outline.Shorten(c.Message, commitText)}
	}
	return struct {
		Graph         string           `json:"graph"`
		Base          string           `json:"base"`
		Branch        string           `json:"branch"`
		Head          *headCommit      `json:"head"`
		Quads         int64            `json:"quads"`
		Types         map[string]int64 `json:"types"`
		SchemaVersion int64            `json:"schema_version"`
	}{r.Engine().Graph().Name(), r.Engine().Graph().Base(), invoke.MainBranch, newest, r.Snapshot.Head().Quads, types, r.Snapshot.SchemaVersion()}, nil
}

// commitText is how many characters of a message a list of commits has.
const commitText = 200

func commitsList(ctx context.Context, r *invoke.Request) (any, error) {
	before := kg.Seq(0)
	if id := r.Args.Text("before"); id != "" {
		c, err := r.Snapshot.FindCommit(ctx, id)
		if err != nil {
			return nil, err
		}
		before = c.Seq
	}
	limit, read := r.Args.Integer("limit", 20), r.Snapshot.Commits
	if r.Args.Flag("schema_only") {
		read = r.Snapshot.SchemaCommits
	}
	commits, err := read(ctx, before, limit+1)
	if err != nil {
		return nil, err
	}
	out := rowsAnswer{Columns: []string{"id", "time", "author", "message", "schema_version", "added", "removed"}, Rows: [][]any{}}
	whole := r.Args.Flag("whole")
	if whole {
		out.Columns = append(out.Columns, "parent")
	}
	room := r.Room()
	for i, c := range commits {
		if i == limit {
			out.Next = commits[i-1].ID.String()
			break
		}
		row := []any{c.ID.String(), c.Time.UTC().Format(time.DateTime), c.Author, outline.Shorten(c.Message, commitText), c.SchemaVersion, c.Added, c.Removed}
		if whole {
			v := view.CommitOf(c)
			row = []any{v.ID, v.Time, v.Author, v.Message, v.SchemaVersion, v.Added, v.Removed, v.Parent}
		}
		added, err := out.add(&room, row)
		if err != nil {
			return nil, err
		}
		if !added {
			out.Next = commits[i-1].ID.String()
			r.Parts.Cut = fmt.Sprintf("%d commits are shown; go on with before %q", i, out.Next)
			break
		}
	}
	return out, nil
}

// changeView is one statement that a commit added or removed.
type changeView struct {
	Op       string `json:"op"`
	Node     string `json:"node"`
	Property string `json:"property"`
	Value    any    `json:"value"`
}

// commitRoom is how many characters are left for the commit and its activity, and changeText
// how many a value has in the list of what it changed.
const (
	commitRoom = 3_000
	changeText = 500
)

// changeRow is a change as commits_get lists it.
func changeRow(r *invoke.Request, op string, q rdf.Quad, quads bool) []any {
	v := changeOf(r.Snapshot.Schema(), op, q)
	if text, isText := v.Value.(string); isText && r.Room() != math.MaxInt {
		v.Value = outline.Shorten(text, changeText)
	}
	row := []any{v.Op, v.Node, v.Property, v.Value, view.Plain(r.Snapshot.Schema(), q.Label)}
	if quads {
		row = append(row, string(rdf.AppendQuad(nil, q)))
	}
	return row
}

// madeBy is the activity of a commit, but for what is said of the commit.
type madeBy struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Agent      string `json:"agent"`
	Via        string `json:"via"`
	Outcome    string `json:"outcome"`
	TraceID    string `json:"trace_id"`
}

// commitOf finds the commit that an argument names.
func commitOf(ctx context.Context, r *invoke.Request, argument string) (kg.Commit, error) {
	given := r.Args.Text(argument)
	commit, err := r.Snapshot.FindCommit(ctx, given)
	switch {
	case fault.Is(err, fault.Malformed):
		return commit, fault.Argument(argument, fault.Pattern, given, err.Error())
	case fault.Is(err, fault.Missing):
		return commit, fault.New(fault.Missing, "%s; commits_list has them", err.Error())
	}
	return commit, err
}

// changedTypes says of each type how many nodes a commit gave it and took from it.
func changedTypes(ctx context.Context, r *invoke.Request, commit kg.Commit) ([]string, error) {
	counts, err := r.Snapshot.ChangedTypes(ctx, commit.Seq)
	if err != nil {
		return nil, err
	}
	var told []string
	for _, c := range counts {
		class, _ := c.Type.(rdf.IRI)
		name := r.Snapshot.Schema().Short(class)
		if t := r.Snapshot.Schema().TypeByIRI(class); t != nil {
			name = t.Name
		}
		told = append(told, fmt.Sprintf("%s: +%d -%d", name, c.Added, c.Removed))
		if len(told) == typesTold && len(counts) > typesTold {
			return append(told, fmt.Sprintf("and %d more types", len(counts)-typesTold)), nil
		}
	}
	return told, nil
}

// typesTold bounds the types that are told of a commit, and fewChanges is how many changes
// are read faster than counted.
const (
	typesTold  = 50
	fewChanges = 20
)

func commitsGet(ctx context.Context, r *invoke.Request) (any, error) {
	commit, err := commitOf(ctx, r, "id")
	if err != nil {
		return nil, err
	}
	out := struct {
		Types    []string     `json:"types,omitempty"`
		Commit   *view.Commit `json:"commit"`
		Activity any          `json:"activity"`
		More     bool         `json:"more,omitempty"`
		rowsAnswer
	}{Commit: view.CommitOf(commit), rowsAnswer: rowsAnswer{Columns: []string{"op", "node", "property", "value", "graph"}, Rows: [][]any{}}}
	if commit.Added+commit.Removed > fewChanges {
		if out.Types, err = changedTypes(ctx, r, commit); err != nil {
			return nil, err
		}
	}
	quads := r.Args.Flag("quads")
	if quads {
		out.Columns = append(out.Columns, "quad")
	} else {
		out.Commit.Time = commit.Time.UTC().Format(time.RFC3339)
	}
	limit, offset, room := r.Args.Integer("limit", 200), r.Args.Integer("offset", 0), r.Room()-commitRoom
	for c, err := range r.Snapshot.Changes(ctx, commit.Seq, offset) {
		if err != nil {
			return nil, err
		}
		added := len(out.Rows) < limit
		if added {
			if added, err = out.add(&room, changeRow(r, string(rune(c.Op)), c.Quad, quads)); err != nil {
				return nil, err
			}
		}
		if !added {
			out.More, r.Parts.Cut = true, fmt.Sprintf("%d of %d changes are shown; go on with commits_get {\"id\":%q,\"offset\":%d,\"limit\":%d}",
				len(out.Rows), commit.Added+commit.Removed, commit.ID.String(), offset+len(out.Rows), max(limit, 1))
			break
		}
	}
	made, err := r.Snapshot.Activities(ctx, kg.ActivityFilter{CommitSeq: commit.Seq}, 1)
	if err != nil {
		return nil, err
	}
	if len(made) > 0 {
		a := view.ActivityOf(made[0])
		if out.Activity = a; !quads {
			out.Activity = madeBy{a.ID, a.Capability, a.Agent, a.Via, a.Outcome, a.TraceID}
		}
	}
	return out, nil
}

func changeOf(s *schema.Schema, op string, q rdf.Quad) changeView {
	predicate, _ := q.Predicate.(rdf.IRI)
	v := changeView{Op: op, Node: s.NodeName(q.Subject), Property: s.Short(predicate), Value: view.Plain(s, q.Object)}
	if iri, ok := q.Subject.(rdf.IRI); ok && q.Label == nil {
		name, _, _ := s.Local(iri)
		if t := s.Type(name); t != nil {
			if p := s.PropertyByIRI(t, predicate); p != nil {
				v.Property, v.Value = p.Name, s.JSONValue(p, q.Object)
			}
		}
	}
	return v
}

func export(ctx context.Context, r *invoke.Request) (any, error) {
	if r.Output == nil {
		return nil, fault.New(fault.InvalidArguments, "export needs an output to stream to")
	}
	format := load.Format(r.Args.Text("format"))
	if format == "" {
		format = load.NQuads
	}
	graph, of := rdf.IRI(r.Args.Text("graph")), r.Args.Text("type")
	if graph != "" && of != "" {
		return nil, fault.New(fault.InvalidArguments, "a graph has statements, and a type nodes: give graph or type")
	}
	return r.InTurn(ctx, func(ctx context.Context) (any, error) {
		var out kg.Exported
		var err error
		if of != "" {
			out, err = r.Snapshot.ExportType(ctx, r.Output, format, of, r.Progress)
		} else {
			out, err = r.Snapshot.ExportGraph(ctx, r.Output, format, graph, r.Progress)
		}
		r.Parts.Records = out.Records
		return out, err
	})
}

// schemaContext is the context that documents may name as [schema.ContextIRI].
func schemaContext(r *invoke.Request) ([]byte, error) { return r.Snapshot.Schema().ContextDocument() }

func schemaGraph(r *invoke.Request) ([]rdf.Quad, map[string]string) {
	s := r.Snapshot.Schema()
	return s.Quads(), s.TurtlePrefixes()
}
