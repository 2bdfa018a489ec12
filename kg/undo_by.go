package kg

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
)

// Authored are the commits of a branch that somebody wrote, or that come from a source. What is given has to fit; one of the
// first three has to be.
type Authored struct {
	// Actor is the author, with the client behind " via " or whatever the client was; "" is anybody.
	Actor string
	// Origin is the class of what was written, nil is any. Of a merge it is the statements of this class.
	Origin *Origin
	// Source is what provenance calls the file, server or endpoint that content came from; "" is any.
	Source string
	// Since is the commit behind which they begin; the zero Commit stands for the first one, which is never among them.
	Since Commit
}

// has reports whether a commit is one of them.
func (a Authored) has(ctx context.Context, r *db.Reader, c Commit) (bool, error) {
	if a.Actor != "" && !policy.AuthoredBy(c.Author, a.Actor) {
		return false, nil
	}
	if a.Source != "" {
		by, err := r.Activities(ctx, db.ActivityFilter{CommitSeq: c.Seq}, 1)
		if err != nil || len(by) == 0 || !slices.Contains(by[0].Used, policy.SourceIRI(a.Source)) {
			return false, err
		}
	}
	if a.Origin == nil {
		return true, nil
	}
	for _, err := range a.changes(ctx, r, c) {
		return err == nil, err
	}
	return false, nil
}

// changes are those of a commit that are meant. What a merge added is of the class of who said it first, what it removed of
// its own.
func (a Authored) changes(ctx context.Context, r *db.Reader, c Commit) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		var own Origin
		if a.Origin != nil {
			var err error
			if own, err = r.CommitOrigin(ctx, c.Seq); err != nil {
				yield(db.Change{}, err)
				return
			}
			if own != *a.Origin && c.Parent2.IsZero() {
				return
			}
		}
		for change, err := range r.Changes(ctx, c.Seq, db.Place{}) {
			of := own
			if err == nil && a.Origin != nil && !c.Parent2.IsZero() && change.Op == history.OpAdd {
				of, err = r.Origin(ctx, change)
			}
			if err == nil && a.Origin != nil && of != *a.Origin {
				continue
			}
			if !yield(change, err) || err != nil {
				return
			}
		}
	}
}

// String names them, such as "token:ci" or "agent from notes.csv".
func (a Authored) String() string {
	var parts []string
	if a.Actor != "" {
		parts = append(parts, a.Actor)
	}
	if a.Origin != nil {
		parts = append(parts, "origin "+a.Origin.String())
	}
	if a.Source != "" {
		parts = append(parts, "source "+a.Source)
	}
	return strings.Join(parts, ", ")
}

// UndoBy takes back, as one commit, what all commits of an author or a source changed, whoever wrote in between; it returns how many
// they are. It is a merge: the base is the graph with what they changed, theirs the graph without, ours the graph as it
// is. So what others made of it since is a clash, with who did it as By, and what they took away stays away. What is decided and
// refused is as of [Session.Merge], which takes the same request. Commits that changed definitions are the fault
// Conflict while these are there, an author without commits is Missing.
func (s *Session) UndoBy(ctx context.Context, a Authored, m Merge) (done Merged, commits int, err error) {
	if err := s.may(ctx, policy.Change, s.branch); err != nil {
		return done, 0, err
	}
	m.Source = "the undo of " + a.String()
	run := s.merging(m)
	run.tells, run.idle = true, "what "+a.String()+" wrote is undone already"
	run.sides = func(ctx context.Context, _, seen *db.Reader, c *compiled) (ours, theirs iter.Seq2[db.Change, error], err error) {
		taken, err := a.commits(ctx, seen)
		if err != nil {
			return nil, nil, err
		}
		commits, run.commit = len(taken), taken[0]
		if run.base, err = seen.CommitOfFile(ctx, taken[commits-1].Parent.Whole()); err != nil {
			return nil, nil, err
		}
		run.text = fmt.Sprintf("undo what %s wrote since %s: %s", a, run.base.ID, fault.Counted(commits, "commit"))
		back := authoring{Authored: a, seen: seen, net: correction{}, last: map[rdf.Term]Seq{}, made: map[rdf.Term]bool{}, gone: map[rdf.Term]correction{}}
		if err := back.collect(ctx, taken); err != nil {
			return nil, nil, err
		}
		if err := back.undoable(ctx, taken, c); err != nil {
			return nil, nil, err
		}
		if err := back.findGone(ctx); err != nil {
			return nil, nil, err
		}
		return back.ours(ctx, run.base, seen.Head()), back.theirs(), nil
	}
	done, err = s.merge(ctx, run, job{action: policy.Change, restores: true, idle: &idling{replaces: true}})
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
			if c.Seq <= a.Since.Seq || c.Parent.IsZero() {
				continue
			}
			has, err := a.has(ctx, r, c)
			switch {
			case err != nil:
				return nil, err
			case has:
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
		return nil, fault.New(fault.Missing, "there is no commit by %q to take back; those who wrote meanwhile: %s", a.String(), said(others))
	}
	return taken, nil
}

// authoring is what an author changed in the end.
type authoring struct {
	Authored
	seen *db.Reader
	net  correction
	last map[rdf.Term]Seq        // the last of the commits that changed a subject
	made map[rdf.Term]bool       // the subjects whose types they changed
	gone map[rdf.Term]correction // the subjects without a type, with what changed of them since the last of the commits
}

// collect reads the changes. One that the author took back later does not count.
func (a *authoring) collect(ctx context.Context, newestFirst []Commit) error {
	for _, commit := range slices.Backward(newestFirst) {
		for c, err := range a.changes(ctx, a.seen, commit) {
			if err != nil {
				return err
			}
			a.last[c.Subject] = commit.Seq
			if isType(c.Quad) {
				a.made[c.Subject] = true
			}
			if a.net.then(c); max(len(a.net), len(a.last)) > maxCorrected {
				return fault.New(fault.TooLarge, "%s changed more than %d statements in these commits; give a later since, or take back large commits by themselves", a.String(), maxCorrected)
			}
		}
	}
	return nil
}

// findGone finds the nodes that have no type now. What is compared of them is not what they were before the first commit,
// but what the author left: somebody may have deleted and made them again in between.
func (a *authoring) findGone(ctx context.Context) error {
	for node, last := range a.last {
		types, err := collect(a.seen.Match(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Label: rdf.DefaultGraph}))
		if err != nil {
			return err
		}
		if len(types) == 0 {
			if a.gone[node], err = a.since(ctx, node, last); err != nil {
				return err
			}
		}
	}
	return a.leaveOut(ctx)
}

// leaveOut drops from the changes of nodes that are gone those that were not so in the end, and those whose inverse would
// give a value to a node without giving it the type that it had.
func (a *authoring) leaveOut(ctx context.Context) error {
	typed := map[rdf.Term]bool{}
	for q, op := range a.net {
		since, gone := a.gone[q.Subject]
		if !gone {
			continue
		}
		stays, err := a.stays(ctx, q, op)
		if err != nil {
			return err
		}
		if _, changed := since[q]; stays == changed {
			delete(a.net, q)
		} else if isType(q) && op != history.OpAdd {
			typed[q.Subject] = true
		}
	}
	for node, since := range a.gone {
		for q, op := range since {
			if isType(q) && op != history.OpAdd && a.net[q] == 0 { // deleted by others, so that the undo keeps it
				typed[node] = true
			}
		}
	}
	maps.DeleteFunc(a.net, func(q rdf.Quad, op byte) bool {
		_, gone := a.gone[q.Subject]
		return gone && op != history.OpAdd && a.made[q.Subject] && !typed[q.Subject]
	})
	return nil
}

// since returns what changed of a node behind a commit.
func (a *authoring) since(ctx context.Context, node rdf.Term, last Seq) (correction, error) {
	const page = 100
	changed := correction{}
	for before := Seq(0); ; {
		seqs, err := a.seen.SubjectCommits(ctx, node, before, page)
		if err != nil {
			return nil, err
		}
		for _, before = range seqs {
			if before <= last {
				return changed, nil
			}
			commit, err := a.seen.CommitBySeq(ctx, before)
			if err != nil {
				return nil, err
			}
			changes, err := a.seen.ChangesOf(ctx, commit, node, maxCorrected)
			if err != nil {
				return nil, err
			}
			for _, c := range changes {
				changed.then(c)
			}
		}
		if len(seqs) < page {
			return changed, nil
		}
	}
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
				return fault.New(fault.Conflict, "%s changed definitions (schema, stored queries, migrations) in commit %s; take that back by itself first, or give it as since", a.String(), at.ID.String()).With("commit", at.ID.String())
			}
			delete(a.net, q)
		case op == history.OpAdd && c.schema.Undeclared(q):
			return fault.New(fault.Conflict, "what %s said of %s has %s, which has left the schema or got another name since; take the change of the schema back first, or give it as since", a.String(), c.schema.NodeName(q.Subject), rdf.Lexical(q.Predicate))
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
			_, own := a.net[c.Quad]
			_, known := a.last[c.Subject]
			_, gone := a.gone[c.Subject]
			if err == nil && (own || !known || gone) {
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
		for q, op := range a.net {
			if _, gone := a.gone[q.Subject]; gone {
				continue
			}
			stays, err := a.stays(ctx, q, op)
			if err == nil && stays {
				continue
			}
			if !yield(db.Change{Op: inverseOf(op), Quad: q}, err) || err != nil {
				return
			}
		}
		for _, since := range a.gone {
			for q, op := range since {
				if !yield(db.Change{Op: op, Quad: q}, nil) {
					return
				}
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
