package builtin

import (
	"context"
	"fmt"
	"math"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

// commitText is how many characters of a message a list of commits has.
const commitText = 200

// commitsPage is a part of a list of commits.
type commitsPage struct {
	Limit      int    `json:"limit" is:"brief" min:"1" max:"1000" default:"20"`
	Before     string `json:"before,omitempty" is:"brief" doc:"next of the last page."`
	Origin     string `json:"origin,omitempty" is:"rare" doc:"Only those of person, agent, import, upstream or unknown."`
	SchemaOnly bool   `json:"schema_only" is:"rare" default:"false" doc:"Only commits that changed the schema."`
	Whole      bool   `json:"whole" is:"rare" default:"false" doc:"Ids, times and messages in full, and the parents of each commit."`
}

// commitsFilter says which commits are listed.
type commitsFilter struct {
	When   string `json:"when,omitempty" max:"100" doc:"When they were made: today, yesterday, last 7 days, a day (2026-01-31), a month (2026-01), or FROM..TO, of which one may be left out. In UTC."`
	Author string `json:"author,omitempty" max:"400" doc:"Only those by an author whose name has this part."`
	Type   string `json:"type,omitempty" doc:"Only those that changed nodes of this type, or of a narrower one."`
	Call   string `json:"call,omitempty" max:"200" doc:"Only those that this capability made."`
	Door   string `json:"door,omitempty" oneof:"page,terminal,script,mcp,http" doc:"Only those that came in there."`
}

// commitsFinding is a part of a list of chosen commits.
type commitsFinding struct {
	commitsPage
	commitsFilter
	Days int `json:"days" min:"0" max:"366" default:"0" doc:"Count all commits of each of so many days, too, by author."`
}

var commitCells = capability.CellsOf("id:string", "time:string", "author:string", "what:string", "door:string", "message:string", "schema_version:integer", "added:integer", "removed:integer")

var commitsShape = rowsOf("A list for each commit: the first digits of its id, time, author, what it did, where the call came in (page, terminal, script, mcp, http; empty when no call is recorded), message, version of the schema, and how many statements it added and removed; with whole the capability, its parent and the commit that it took in, too; and the origin where not all have the same.", commitCells,
	capability.Field{Name: "next", Description: "Pass it as before for the next page; not there at the end."})

var commitsListBuiltin = invoke.Define(capability.Descriptor{
	ID: "commits_list", Description: "Commits, newest first.",
	OutputShape:    commitsShape,
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in commitsPage) (*commitsListed, error) {
	return commitsFind(ctx, r, commitsFinding{commitsPage: in})
})

// commitsFindBuiltin is by itself, because the arguments of what is listed are read by every model.
var commitsFindBuiltin = invoke.Define(capability.Descriptor{
	ID: "commits_find", Description: "Commits by when, author, type, call, origin and door, newest first: yesterday's, an agent's, those of a page.",
	OutputShape:    commitsShape,
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, commitsFind, invoke.On())

// commitsListed is a page of a list of commits.
type commitsListed struct {
	rowsAnswer
	oneOrigin
	Days []view.DayCount `json:"days,omitempty" doc:"The days that have commits, the first one first, with who made them."`
}

// Bounds of a list of commits.
const (
	commitsLooked  = 10_000    // commits that are looked at for those that fit
	commitsRows    = 1_000_000 // changes that are passed over for those of a type
	commitsCounted = 100_000   // commits that are counted by day
)

func commitsFind(ctx context.Context, r *invoke.Request, in commitsFinding) (*commitsListed, error) {
	f, err := newCommitsFilter(r, in)
	if err != nil {
		return nil, err
	}
	before, err := view.Before(ctx, r, in.Before)
	if err != nil {
		return nil, err
	}
	read := r.Snapshot.Commits
	if in.SchemaOnly {
		read = r.Snapshot.SchemaCommits
	}
	start, none, err := f.start(ctx, before)
	if err != nil {
		return nil, err
	}
	var commits []kg.Commit
	var looked kg.Commit
	if !none {
		if commits, looked, err = f.commits(ctx, start, in.Limit+1, read); err != nil {
			return nil, err
		}
	}
	out := &commitsListed{rowsAnswer: rowsAnswer{table: tableOf(commitCells)}}
	if in.Whole {
		out.Columns = append(out.Columns, "call", "parent", "merged")
	}
	out.Columns = append(out.Columns, "origin")
	if looked.Seq > 0 && len(commits) <= in.Limit {
		out.Next = looked.ID.String()
		r.Parts.Cut = fmt.Sprintf("%d commits were looked at; go on with before %q", f.looked, out.Next)
	}
	if len(commits) == 0 && looked.Seq == 0 && in.Before == "" {
		f.warnOfNone()
	}
	if err := out.fillCommits(ctx, r, in.commitsPage, commits, f.calls); err != nil {
		return nil, err
	}
	out.oneOrigin = out.sameOrigin()
	if in.Days > 0 {
		since := r.Began().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-in.Days)
		days, err := r.Snapshot.CommitDays(ctx, 0, since, commitsCounted)
		if err != nil {
			return nil, err
		}
		for _, d := range days {
			out.Days = append(out.Days, view.DayOf(d, r.Snapshot.SeesAll()))
		}
	}
	return out, nil
}

// fillCommits adds a row for each of a list of commits, of which those behind the limit are the next page. calls
// are those that were read already.
func (out *commitsListed) fillCommits(ctx context.Context, r *invoke.Request, in commitsPage, commits []kg.Commit, calls map[kg.Seq]*kg.Activity) error {
	room, teller := r.RoomBeside(out), view.NewTeller(r)
	for i, c := range commits {
		if i == in.Limit {
			out.Next = commits[i-1].ID.String()
			return nil
		}
		call, known := calls[c.Seq]
		if !known {
			var err error
			if call, err = r.Snapshot.ActivityOf(ctx, c); err != nil {
				return err
			}
		}
		told, err := teller.Tell(ctx, c, call)
		if err != nil {
			return err
		}
		row := []any{c.ID.String(), c.Time.UTC().Format(time.DateTime), c.Author, told.What, told.Door, outline.Shorten(told.Message, commitText), c.SchemaVersion, c.Added, c.Removed}
		if in.Whole {
			v := view.CommitOf(c)
			row = []any{v.ID, v.Time, v.Author, told.What, told.Door, told.Message, v.SchemaVersion, v.Added, v.Removed, told.Call, v.Parent, v.Merged}
		}
		origin, err := r.Snapshot.CommitOrigin(ctx, c)
		if err != nil {
			return err
		}
		added, err := out.add(&room, append(row, origin.String()))
		if err != nil {
			return err
		}
		if !added {
			out.Next = commits[i-1].ID.String()
			r.Parts.Cut = fmt.Sprintf("%d commits are shown; go on with before %q", i, out.Next)
			return nil
		}
	}
	return nil
}

// changeView is one statement that a commit added or removed.
type changeView struct {
	Op       string `json:"op"`
	Node     string `json:"node"`
	Property string `json:"property"`
	Value    any    `json:"value"`
}

// changeText is the maximum of characters for a value in a list of changes.
const changeText = 500

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

// madeBy is the activity of a commit, without what the commit already has.
type madeBy struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Agent      string `json:"agent"`
	Via        string `json:"via"`
	Outcome    string `json:"outcome"`
	TraceID    string `json:"trace_id"`
}

// commitOf finds the commit that an argument names. A request keeps its id, see [keepCommits].
func commitOf(ctx context.Context, r *invoke.Request, argument, given string) (kg.Commit, error) {
	commit, err := r.Snapshot.FindCommit(ctx, given)
	if err == nil {
		keepCommits(r, argument, kg.Commit{}, commit)
	}
	return commit, ofArgument(argument, given, err)
}

// commitsOf is commitOf for one commit, or those behind after up to last ("A..B").
func commitsOf(ctx context.Context, r *invoke.Request, argument, given string) (after, last kg.Commit, err error) {
	if after, last, err = r.Snapshot.FindCommits(ctx, given); err == nil {
		keepCommits(r, argument, after, last)
	}
	return after, last, ofArgument(argument, given, err)
}

// keepCommits has a request keep the ids of the commits that an argument names, in the place of what they are called: head,
// a tag, a branch or a time may name others when it is approved.
func keepCommits(r *invoke.Request, argument string, after, last kg.Commit) {
	if !r.Asks() {
		return
	}
	text := last.ID.String()
	if after.Seq != 0 {
		text = after.ID.String() + ".." + text
	}
	r.AlsoKeeps(argument, text)
}

// ofArgument makes an error about the name of a commit one about the argument that has it.
func ofArgument(argument, given string, err error) error {
	if fault.Is(err, fault.Malformed) {
		return fault.Argument(argument, fault.Pattern, given, err.Error())
	}
	return err
}

// changedTypes counts for each type how many nodes a commit gave it and took from it.
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

// typesTold bounds the types that are named for a commit. Up to fewChanges changes, reading them is faster than
// counting.
const (
	typesTold  = 50
	fewChanges = 20
)

// commitAsked is a commit, and a part of what it changed.
type commitAsked struct {
	capability.BranchArgument
	ID     string `json:"id" is:"brief" doc:"Its first digits, or head~2."`
	Limit  int    `json:"limit" is:"brief" min:"0" max:"10000" default:"200"`
	Offset int    `json:"offset" is:"rare" min:"0" default:"0" doc:"How many changes to pass over."`
	Quads  bool   `json:"quads" is:"rare" default:"false" doc:"Each change as an N-Quad, too, ids and the activity whole."`
}

// commitTold is what a commit did.
type commitTold struct {
	Types    []string    `json:"types,omitempty" doc:"How many nodes of each type came and went, where there are more than a few changes."`
	Commit   view.Commit `json:"commit"`
	Activity any         `json:"activity" type:"object" is:"nullable" doc:"The call that made it."`
	More     bool        `json:"more,omitempty" doc:"Whether there are changes after these."`
	table
}

var changeCells = capability.CellsOf("op:string", "node:string", "property:string", "value", "graph:string null")

var commitsGetBuiltin = invoke.Define(capability.Descriptor{
	ID: "commits_get", Description: "The call and changes of a commit.",
	OutputShape:    rowsOf("A list for each change: + or -, node, property, value, and its named graph or null; with quads the N-Quad.", changeCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, commitsGet)

func commitsGet(ctx context.Context, r *invoke.Request, in commitAsked) (*commitTold, error) {
	commit, err := commitOf(ctx, r, "id", in.ID)
	if err != nil {
		return nil, err
	}
	origin, err := r.Snapshot.CommitOrigin(ctx, commit)
	if err != nil {
		return nil, err
	}
	out := &commitTold{Commit: *view.CommitOf(commit), table: tableOf(changeCells)}
	out.Commit.Origin = origin.String()
	if commit.Added+commit.Removed > fewChanges {
		if out.Types, err = changedTypes(ctx, r, commit); err != nil {
			return nil, err
		}
	}
	if in.Quads {
		out.Columns = append(out.Columns, "quad")
	} else {
		out.Commit.Time = commit.Time.UTC().Format(time.RFC3339)
	}
	made, err := r.Snapshot.ActivityOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if made != nil {
		a := view.ActivityOf(*made, r.Snapshot.SeesAll())
		if out.Activity = a; !in.Quads {
			out.Activity = madeBy{a.ID, a.Capability, a.Agent, a.Via, a.Outcome, a.TraceID}
		}
	}
	room := r.RoomBeside(out)
	for c, err := range r.Snapshot.Changes(ctx, commit.Seq, in.Offset) {
		if err != nil {
			return nil, err
		}
		added := len(out.Rows) < in.Limit
		if added {
			if added, err = out.add(&room, changeRow(r, string(rune(c.Op)), c.Quad, in.Quads)); err != nil {
				return nil, err
			}
		}
		if !added {
			out.More, r.Parts.Cut = true, fmt.Sprintf("%d of %d changes are shown; go on with commits_get {\"id\":%q,\"offset\":%d,\"limit\":%d}",
				len(out.Rows), commit.Added+commit.Removed, commit.ID.String(), in.Offset+len(out.Rows), max(in.Limit, 1))
			break
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
