package invoke

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

func ping(context.Context, *Request) (any, error) { return map[string]bool{"pong": true}, nil }

// health says that the process answers, whatever the file is busy with.
func health(ctx context.Context, r *Request) (any, error) {
	head := headID(r.Graph().LatestHead(ctx))
	if head != nil {
		r.Head = *head
	}
	return struct {
		Status  string  `json:"status"`
		Version string  `json:"version"`
		Graph   string  `json:"graph"`
		Head    *string `json:"head"`
	}{"ok", r.Engine().Version(), r.Graph().Name(), head}, nil
}

func headID(c kg.Commit) *string {
	if c.ID == (kg.CommitID{}) {
		return nil
	}
	return ptr(c.ID.String())
}

func snapshot(ctx context.Context, r *Request) (any, error) {
	counts, err := r.Snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	types := make(map[string]int64, len(counts))
	for _, c := range counts {
		types[c.Type.Name] = c.Count
	}
	return struct {
		Graph         string           `json:"graph"`
		Base          string           `json:"base"`
		Branch        string           `json:"branch"`
		Head          *commitView      `json:"head"`
		Quads         int64            `json:"quads"`
		Types         map[string]int64 `json:"types"`
		SchemaVersion int64            `json:"schema_version"`
	}{r.Graph().Name(), r.Graph().Base(), MainBranch, commitJSON(r.Snapshot.Head()),
		r.Snapshot.Head().Quads, types, r.Snapshot.SchemaVersion()}, nil
}

// schemaView is what schema_get answers.
type schemaView struct {
	Format        string `json:"format"`
	SchemaVersion int64  `json:"schema_version"`
	Schema        any    `json:"schema,omitempty"`
	Text          string `json:"text,omitempty"`
}

func schemaGet(_ context.Context, r *Request) (any, error) {
	s := r.Snapshot.Schema()
	view := schemaView{Format: r.Args.Text("format"), SchemaVersion: r.Snapshot.SchemaVersion()}
	switch view.Format {
	case "yaml":
		view.Text = string(s.YAML())
	case "turtle":
		var text bytes.Buffer
		if err := s.WriteTurtle(&text); err != nil {
			return nil, fmt.Errorf("write schema: %w", err)
		}
		view.Text = text.String()
	default:
		view.Format, view.Schema = "json", s.JSON()
	}
	return view, nil
}

func commitsList(ctx context.Context, r *Request) (any, error) {
	before := int64(0)
	if id := r.Args.Text("before"); id != "" {
		c, err := r.Snapshot.FindCommit(ctx, id)
		if err != nil {
			return nil, err
		}
		before = c.Seq
	}
	limit := r.Args.Integer("limit", 20)
	commits, err := r.commits(ctx, before, limit+1)
	if err != nil {
		return nil, err
	}
	out := struct {
		Commits []*commitView `json:"commits"`
		Next    *string       `json:"next"`
	}{Commits: []*commitView{}}
	for i, c := range commits {
		if i == limit {
			out.Next = ptr(commits[limit-1].ID.String())
			break
		}
		out.Commits = append(out.Commits, commitJSON(c))
	}
	return out, nil
}

func (r *Request) commits(ctx context.Context, before int64, limit int) ([]kg.Commit, error) {
	if r.Args.Flag("schema_only") {
		return r.Snapshot.SchemaCommits(ctx, before, limit)
	}
	return r.Snapshot.Commits(ctx, before, limit)
}

// changeView is one statement that a commit added or removed.
type changeView struct {
	Op       string `json:"op"`
	Node     string `json:"node"`
	Property string `json:"property"`
	Value    any    `json:"value"`
	Quad     string `json:"quad"`
}

func commitsGet(ctx context.Context, r *Request) (any, error) {
	commit, err := r.Snapshot.FindCommit(ctx, r.Args.Text("id"))
	if err != nil {
		return nil, err
	}
	out := struct {
		Commit    *commitView   `json:"commit"`
		Activity  *activityView `json:"activity"`
		Changes   []changeView  `json:"changes"`
		Truncated bool          `json:"truncated"`
	}{Commit: commitJSON(commit), Changes: []changeView{}}
	limit := r.Args.Integer("limit", 200)
	for c, err := range r.Snapshot.Changes(ctx, commit.Seq) {
		if err != nil {
			return nil, err
		}
		if len(out.Changes) == limit {
			out.Truncated = true
			break
		}
		out.Changes = append(out.Changes, r.changeView(string(rune(c.Op)), c.Quad))
	}
	made, err := r.Snapshot.Activities(ctx, kg.ActivityFilter{CommitSeq: commit.Seq}, 1)
	if err != nil {
		return nil, err
	}
	if len(made) > 0 {
		out.Activity = activityJSON(made[0])
	}
	return out, nil
}

func (r *Request) changeView(op string, q rdf.Quad) changeView {
	v := changeView{Op: op, Node: r.Snapshot.Name(q.Subject), Property: rdf.Lexical(q.Predicate), Quad: string(rdf.AppendQuad(nil, q))}
	v.Value = r.Snapshot.Name(q.Object)
	if rdf.IsLiteral(q.Object) {
		v.Value = rdf.Lexical(q.Object)
	}
	s := r.Snapshot.Schema()
	if iri, ok := q.Subject.(rdf.IRI); ok && q.Label == nil {
		name, _, _ := s.Local(iri)
		predicate, _ := q.Predicate.(rdf.IRI)
		if t := s.Type(name); t != nil {
			if p := s.PropertyByIRI(t, predicate); p != nil {
				v.Property, v.Value = p.Name, s.JSONValue(p, q.Object)
			}
		}
	}
	return v
}

// activityView is the provenance of a call in plain JSON.
type activityView struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Version    string `json:"version,omitempty"`
	Agent      string `json:"agent"`
	Via        string `json:"via"`
	Started    string `json:"started"`
	Ended      string `json:"ended"`
	Inputs     string `json:"inputs_sha256"`
	Outcome    string `json:"outcome"`
	TraceID    string `json:"trace_id"`
}

func activityJSON(a kg.Activity) *activityView {
	return &activityView{
		ID: a.ID, Capability: a.Capability, Version: a.Version, Agent: a.Agent, Via: a.Via,
		Started: stamp(a.Started), Ended: stamp(a.Ended),
		Inputs: hex.EncodeToString(a.Inputs), Outcome: a.Outcome, TraceID: a.TraceID,
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func export(ctx context.Context, r *Request) (any, error) {
	if r.Output == nil {
		return nil, fault.New(fault.InvalidArguments, "export needs an output to stream to")
	}
	format := kg.Format(r.Args.Text("format"))
	if format == "" {
		format = kg.NQuads
	}
	graph, err := r.absoluteIRI("graph")
	if err != nil {
		return nil, err
	}
	return r.InTurn(ctx, func(ctx context.Context) (any, error) {
		return r.Snapshot.ExportGraph(ctx, r.Output, format, graph, r.Progress)
	})
}

// commitView is a commit as every door shows it.
type commitView struct {
	ID            string `json:"id"`
	Parent        string `json:"parent,omitempty"`
	Author        string `json:"author"`
	Time          string `json:"time"`
	Message       string `json:"message"`
	SchemaVersion int64  `json:"schema_version"`
	Added         int64  `json:"added"`
	Removed       int64  `json:"removed"`
}

func commitJSON(c kg.Commit) *commitView {
	if c.ID == (kg.CommitID{}) {
		return nil
	}
	v := &commitView{
		ID: c.ID.String(), Author: c.Author, Time: stamp(c.Time), Message: c.Message,
		SchemaVersion: c.SchemaVersion, Added: c.Added, Removed: c.Removed,
	}
	if c.Parent != (kg.CommitID{}) {
		v.Parent = c.Parent.String()
	}
	return v
}
