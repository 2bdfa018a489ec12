package kg

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
)

// Authored are the commits of a branch that somebody wrote.
type Authored struct {
	// Actor is the author, with the client behind " via " or whatever the client was.
	Actor string
	// Since is the commit behind which they begin; the zero Commit stands for the first one, which is never among them.
	Since Commit
}

// has reports whether a commit is one of them.
func (a Authored) has(c Commit) bool {
	return c.Author == a.Actor || strings.HasPrefix(c.Author, a.Actor+" via ")
}

// UndoBy takes back, as one commit, what all commits of an author changed, whoever wrote in between; it returns how many
// they are. It is a merge: the base is the graph with what they changed, theirs the graph without, ours the graph as it
// is. So what others made of it since is a clash, with who did it as By, and what they took away stays away. What is decided and
// refused is as of [Session.Merge], which takes the same request. Commits that changed definitions are the fault
// Conflict while these are there, an author without commits is Missing.
func (s *Session) UndoBy(ctx context.Context, a Authored, m Merge) (done Merged, commits int, err error) {
	if err := s.may(policy.Change); err != nil {
		return done, 0, err
	}
	m.Source = "the undo of " + a.Actor
	run := s.merging(m)
	run.tells, run.idle = true, "what "+a.Actor+" wrote is undone already"
	run.sides = func(ctx context.Context, w *db.Writer, c *compiled) (ours, theirs iter.Seq2[db.Change, error], err error) {
		taken, err := a.commits(ctx, w.Seen())
		if err != nil {
			return nil, nil, err
		}
		commits, run.commit = len(taken), taken[0]
		if run.base, err = w.Seen().CommitOfFile(ctx, taken[commits-1].Parent.Whole()); err != nil {
			return nil, nil, err
		}
		run.text = fmt.Sprintf("undo what %s wrote since %s: %s", a.Actor, run.base.ID, fault.Counted(commits, "commit"))
		back := authoring{Authored: a, seen: w.Seen(), net: correction{}, subjects: map[rdf.Term]bool{}}
		if err := back.collect(ctx, taken); err != nil {
			return nil, nil, err
		}
		if err := back.undoable(ctx, taken, c); err != nil {
			return nil, nil, err
		}
		return back.ours(ctx, run.base, w.Seen().Head()), back.theirs(), nil
	}
	done, err = s.merge(ctx, run, job{action: policy.Change, idle: &idling{replaces: true}})
	return done, commits, err
}

// commits returns them, the newest first.
func (a Authored) commits(ctx context.Context, r *db.Reader) (taken []Commit, err error) {
	const page = 1000
	var others []string
	for before := Seq(0); ; {
		list, err := r.Commits(ctx, before, page)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			before = c.Seq
			switch {
			case c.Seq <= a.Since.Seq || c.Parent.IsZero():
			case a.has(c):
				taken = append(taken, c)
			case !slices.Contains(others, c.Author) && len(others) < MaxClashes:
				others = append(others, c.Author)
			}
		}
		if len(list) < page || before <= a.Since.Seq {
			break
		}
	}
	if len(taken) == 0 {
		return nil, fault.New(fault.Missing, "there is no commit by %q to take back; those who wrote meanwhile: %s", a.Actor, said(others))
	}
	return taken, nil
}

// authoring is what an author changed in the end.
type authoring struct {
	Authored
	seen     *db.Reader
	net      correction
	subjects map[rdf.Term]bool
}

// collect reads the changes. One that the author took back later does not count.
func (a *authoring) collect(ctx context.Context, newestFirst []Commit) error {
	for _, commit := range slices.Backward(newestFirst) {
		for c, err := range a.seen.Changes(ctx, commit.Seq, db.Place{}) {
			if err != nil {
				return err
			}
			if op, changed := a.net[c.Quad]; changed && op != c.Op {
				delete(a.net, c.Quad)
				continue
			}
			if len(a.net) == maxCorrected {
				return fault.New(fault.TooLarge, "%s changed more than %d statements in these commits; give a later since, or take back large commits by themselves", a.Actor, maxCorrected)
			}
			a.net[c.Quad], a.subjects[c.Subject] = c.Op, true
		}
	}
	return nil
}

// undoable refuses what is not data any more, or was not: definitions, and values of what left the schema since.
func (a *authoring) undoable(ctx context.Context, newestFirst []Commit, c *compiled) error {
	for q, op := range a.net {
		switch {
		case q.Label == rdf.SchemaGraph:
			stays, err := a.stays(ctx, q, op)
			if err != nil {
				return err
			}
			if stays {
				at := newestFirst[slices.IndexFunc(newestFirst, changedSchema)]
				return fault.New(fault.Conflict, "%s changed definitions (schema, stored queries, migrations) in commit %s; take that back by itself first, or give it as since", a.Actor, at.ID.String()).With("commit", at.ID.String())
			}
			delete(a.net, q)
		case op == history.OpAdd && c.schema.Undeclared(q):
			return fault.New(fault.Conflict, "what %s said of %s has %s, which has left the schema or got another name since; take the change of the schema back first, or give it as since", a.Actor, c.schema.NodeName(q.Subject), rdf.Lexical(q.Predicate))
		}
	}
	return nil
}

// stays reports whether a statement is as the author left it.
func (a *authoring) stays(ctx context.Context, q rdf.Quad, op byte) (bool, error) {
	there, err := collect(a.seen.Match(ctx, labelled(q)))
	return (len(there) > 0) == (op == history.OpAdd), err
}

// ours are the changes of others, of the same subjects.
func (a *authoring) ours(ctx context.Context, base, head Commit) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		for c, err := range a.seen.Difference(ctx, base, head) {
			if _, own := a.net[c.Quad]; err == nil && (own || !a.subjects[c.Subject]) {
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
		for q, op := range a.net {
			stays, err := a.stays(ctx, q, op)
			if err == nil && stays {
				continue
			}
			if !yield(db.Change{Op: inverseOf(op), Quad: q}, err) || err != nil {
				return
			}
		}
	}
}

// theirs is the inverse of what the author changed.
func (a *authoring) theirs() iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		for q, op := range a.net {
			if !yield(db.Change{Op: inverseOf(op), Quad: q}, nil) {
				return
			}
		}
	}
}
