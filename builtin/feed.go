package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/text/jsontext"
	"trails/text/outline"
)

// feedChars bounds a page that has no other bound.
const feedChars = 1 << 20

// feedEffort bounds what a page reads in vain, in changes; a commit counts as so many.
const (
	feedEffort       = 40_000
	feedCommitEffort = 20
)

// feedAsked is a part of the feed of a branch.
type feedAsked struct {
	capability.BranchArgument
	Type   string `json:"type,omitempty" is:"rare" doc:"Only nodes that are of this type or a subtype after a commit, or were before it."`
	ID     string `json:"id,omitempty" is:"rare" doc:"Only this node: Type/id, IRI or exact label."`
	Origin string `json:"origin,omitempty" is:"rare" doc:"Only commits of person, agent, import, upstream or unknown."`
	Start  string `json:"start,omitempty" doc:"beginning, now or after:COMMIT."`
	Cursor string `json:"cursor,omitempty" is:"brief" doc:"That of the last page."`
	Limit  int    `json:"limit" is:"rare" min:"1" max:"1000" default:"100"`
	Quads  bool   `json:"quads" is:"rare" default:"false" doc:"The statements as N-Quads, too."`
}

// feedPage is a part of a feed.
type feedPage struct {
	Columns []string     `json:"columns"`
	Commits []feedCommit `json:"commits" doc:"Oldest first."`
	Cursor  string       `json:"cursor" doc:"Pass it to go on from here, now or later."`
	More    bool         `json:"more" doc:"Whether there is more now."`
	Passed  int          `json:"passed,omitempty" doc:"Commits without a change for type, id and origin, which were passed over."`
	Note    string       `json:"note,omitempty"`
}

// feedCommit is what a page has of a commit.
type feedCommit struct {
	Commit  string            `json:"commit"`
	Time    string            `json:"time"`
	Author  string            `json:"author"`
	Message string            `json:"message,omitempty"`
	Changes []json.RawMessage `json:"changes" type:"any" doc:"A list for each property of a node: what became of the node, the values taken away and added, null or the named graph."`
}

var changesBuiltin = invoke.Define(capability.Descriptor{
	ID: "changes", Description: "What commits changed, oldest first.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, changes, invoke.On("compact"))

func changes(ctx context.Context, r *invoke.Request, in feedAsked) (*feedPage, error) {
	from, err := feedPlace(ctx, r, in)
	if err != nil {
		return nil, err
	}
	only, err := feedFilter(ctx, r, in)
	if err != nil {
		return nil, err
	}
	return changesFrom(ctx, r, in, from, only, 0)
}

// changesFrom is the page of a feed that begins at a place and leaves room for so many characters.
func changesFrom(ctx context.Context, r *invoke.Request, in feedAsked, from kg.FeedPlace, only kg.FeedFilter, beside int) (*feedPage, error) {
	out := &feedPage{Columns: []string{"op", "node", "property", "before", "after", "graph"}, Commits: []feedCommit{}}
	if in.Quads {
		out.Columns = append(out.Columns, "removed", "added")
	}
	room := min(r.RoomBeside(out), feedChars) - beside
	count, effort, last := 0, 0, from
	for e, err := range r.Snapshot.Feed(ctx, from, only) {
		if err != nil {
			return nil, err
		}
		if e.Passed > 0 {
			if e.Place == (kg.FeedPlace{Commit: e.Commit}) {
				out.Passed++
			}
			last, effort = e.Place, effort+e.Passed+feedCommitEffort
			if out.More = effort >= feedEffort; out.More {
				break
			}
			continue
		}
		added := count < in.Limit
		if added {
			if added, err = out.add(r, e, in.Quads, &room); err != nil {
				return nil, err
			}
		}
		if out.More = !added; out.More {
			if e.Commit.ID != last.Commit.ID {
				last = kg.FeedPlace{Commit: last.Commit}
			}
			break
		}
		last, count = e.Place, count+1
	}
	if !out.More {
		last = kg.FeedPlace{Commit: r.Snapshot.Head()}
	}
	out.Cursor = r.Snapshot.Cursor(last)
	switch {
	case count == 0 && out.More:
		out.Note = "so far nothing is for type, id and origin, and there is more; go on with this cursor"
	case count == 0 && out.Passed > 0:
		out.Note = fmt.Sprintf("nothing is new on %s for type, id and origin; come back with this cursor", r.Snapshot.Branch())
	case count == 0:
		out.Note = fmt.Sprintf("nothing is new on %s; come back with this cursor", r.Snapshot.Branch())
	}
	return out, nil
}

// newestCommits and newestRows bound the commits in trails://changes and their changes; newestChars is what it has beside
// them.
const (
	newestCommits = 20
	newestRows    = 100
	newestChars   = 1_000
)

var changesResource = view.Forms{Resource: invoke.Resource{URI: "trails://changes", Name: "changes", Title: "Changes", MIME: "application/json",
	Description: "What the newest commits changed, as the tool changes has it."}, JSON: newestChanges}.Offered()

// newestChanges is the page that ends with the newest commit, of as many commits as fit whole, or the beginning of the
// newest one.
func newestChanges(ctx context.Context, r *invoke.Request) (any, error) {
	commits, err := r.Snapshot.Commits(ctx, 0, newestCommits+1)
	if err != nil {
		return nil, err
	}
	n, rows := 0, int64(0)
	for ; n < min(len(commits), newestCommits); n++ {
		if rows += commits[n].Added + commits[n].Removed; n > 0 && rows > newestRows {
			break
		}
	}
	for ; ; n /= 2 {
		from := kg.FeedPlace{}
		if n < len(commits) {
			from.Commit = commits[n]
		}
		page, err := changesFrom(ctx, r, feedAsked{Limit: newestRows}, from, kg.FeedFilter{}, newestChars)
		switch {
		case err != nil:
			return nil, err
		case page.More && n > 1:
			continue
		}
		var notes []string
		if page.More {
			notes = append(notes, "this is the beginning of the newest commit; the tool changes goes on with cursor")
		}
		if n < len(commits) {
			notes = append(notes, "there are older commits; the tool changes has all, with start: beginning")
		}
		page.Note = cmp.Or(strings.Join(notes, "; "), page.Note)
		return page, nil
	}
}

// feedFilter is of which nodes the page has changes. A type brings its subtypes.
func feedFilter(ctx context.Context, r *invoke.Request, in feedAsked) (only kg.FeedFilter, err error) {
	var wrong []fault.FieldError
	if only.Origin, wrong = view.OriginArgument(in.Origin); len(wrong) > 0 {
		return only, fault.Arguments(wrong...)
	}
	if r.Args.Has("type") {
		t, err := view.KnownType(r, in.Type)
		if err != nil {
			return only, err
		}
		only.Types = []rdf.IRI{t.IRI}
		for _, sub := range r.Snapshot.Schema().Subtypes(t) {
			only.Types = append(only.Types, sub.IRI)
		}
	}
	if in.ID != "" {
		d, err := nodeEver(ctx, r, in.ID)
		if err != nil {
			return only, err
		}
		only.Node = d.Term
	}
	return only, nil
}

// feedPlace is where the page begins.
func feedPlace(ctx context.Context, r *invoke.Request, in feedAsked) (kg.FeedPlace, error) {
	switch {
	case in.Start != "" && in.Cursor != "":
		return kg.FeedPlace{}, fault.Argument("start", fault.Closed, in.Start, "give start or cursor, not both: a cursor is where to begin")
	case r.Args.Has("cursor"):
		return r.Snapshot.FeedAt(ctx, in.Cursor)
	case in.Start != "":
		return r.Snapshot.FeedStart(ctx, in.Start)
	}
	return kg.FeedPlace{}, nil
}

// add adds an entry, unless the page, with the cursor of what follows, would exceed room, from which its size is subtracted.
// The first one is always added.
func (p *feedPage) add(r *invoke.Request, e kg.FeedEntry, quads bool, room *int) (bool, error) {
	commits, rows := p.Commits, []json.RawMessage{}
	if e.Node != nil {
		row, err := jsontext.Marshal(feedRow(r, e, quads))
		if err != nil {
			return false, fmt.Errorf("encode change: %w", err)
		}
		rows = append(rows, row)
		*room -= utf8.RuneCount(row) + 1
	}
	if id := e.Commit.ID.String(); len(commits) == 0 || commits[len(commits)-1].Commit != id {
		c := feedCommit{Changes: []json.RawMessage{}, Commit: id, Time: e.Commit.Time.UTC().Format(time.RFC3339), Author: e.Commit.Author, Message: e.Commit.Message}
		if r.Room() != math.MaxInt {
			c.Message = outline.Shorten(c.Message, commitText)
		}
		text, err := jsontext.Marshal(c)
		if err != nil {
			return false, fmt.Errorf("encode commit: %w", err)
		}
		commits = append(commits, c)
		*room -= utf8.RuneCount(text) + 1
	}
	if *room < jsontext.Size(r.Snapshot.Cursor(e.Place)) && len(p.Commits) > 0 {
		return false, nil
	}
	c := &commits[len(commits)-1]
	c.Changes, p.Commits = append(c.Changes, rows...), commits
	return true, nil
}

// feedOps are what became of a node, as a feed says it.
var feedOps = map[string]string{browse.NodeMade: "insert", browse.NodeChanged: "update", browse.NodeRemoved: "delete"}

func feedRow(r *invoke.Request, e kg.FeedEntry, quads bool) []any {
	s := r.Snapshot.Schema()
	row := []any{feedOps[e.What], s.NodeName(e.Node), nil, nil, nil, view.Plain(s, e.Graph)}
	lines := [2][]string{{}, {}}
	for i, list := range [][]rdf.Term{e.Before, e.After} {
		values := []any{}
		for _, object := range list {
			q := rdf.Quad{Subject: e.Node, Predicate: e.Property, Object: object, Label: e.Graph}
			v := changeOf(s, "", q)
			row[2], values = v.Property, append(values, v.Value)
			lines[i] = append(lines[i], string(rdf.AppendQuad(nil, q)))
		}
		row[3+i] = values
	}
	if quads {
		row = append(row, lines[0], lines[1])
	}
	return row
}
