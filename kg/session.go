package kg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/rdf"
)

// Session is the graph as one principal sees it. Everything it writes carries the
// principal's name. It is safe for concurrent use and need not be closed.
type Session struct {
	graph     *Graph
	principal policy.Principal
	action    policy.Action // the only action that it may do; "" for any
	branch    string        // that it reads and writes; "" is main
	fork      *Commit       // from which the branch is made, nil if it is there
	rights    *Rights       // what it may see; nil is everything
}

// Principal returns who the session speaks for.
func (s *Session) Principal() policy.Principal { return s.principal }

// For returns the session restricted to one action: methods that write fail for other actions, and change nothing.
func (s *Session) For(action policy.Action) *Session {
	bound := *s
	bound.action = action
	return &bound
}

// On returns the session on a branch; "" is main.
func (s *Session) On(branch string) *Session {
	bound := *s
	bound.branch = branch
	return &bound
}

// From returns the session on its branch before that is there: it reads the commit that the branch is to be made from,
// and its first write makes the branch in its own transaction. A branch that is there by then is the fault Conflict.
func (s *Session) From(fork Commit) *Session {
	bound := *s
	bound.fork = &fork
	return &bound
}

// Seeing returns the session of somebody with these rights; nil are all. It changes data and makes branches as it sees
// the graph: what it may not see is neither read nor changed by it, and holds it to the rules all the same. Whatever else
// is of the whole graph, as the schema, is changed by those who may see all.
func (s *Session) Seeing(rights *Rights) *Session {
	bound := *s
	bound.rights = rights
	return &bound
}

// Sight identifies what the session may see, and by which policies: sessions with the same one see the same for as long
// as the policies stay. It is "" if no policies bind the session and it sees all.
func (s *Session) Sight(ctx context.Context) (key string, err error) {
	err = s.View(ctx, func(snap *Snapshot) error {
		key = snap.Sight()
		return nil
	})
	return key, err
}

// may refuses a method of another action than the session's. That is a bug in this program, since permissions are
// checked before. It also refuses changes of the whole graph by somebody who may see a part of it, and what policies do not
// permit on a branch; changes of data are held against them in their transaction.
func (s *Session) may(ctx context.Context, action policy.Action, branch string) error {
	if s.action != "" && s.action != action {
		return fmt.Errorf("a session for the action %q was asked for %q", s.action, action)
	}
	if action == policy.Change || !action.Governed() || s.rights == nil && !bound(s.principal) {
		return nil
	}
	return s.On("").View(ctx, func(snap *Snapshot) error {
		whole := action.EditsSchema() || action == policy.BranchDelete || action == policy.BundleApply
		if whole && !snap.SeesAll() {
			return fault.New(fault.Denied, "%s may see a part of the graph only, and this changes all of it; ask somebody who may see all", s.principal.Author())
		}
		b, err := snap.BranchNamed(ctx, cmp.Or(branch, Main))
		if err != nil {
			return err
		}
		b.Name = cmp.Or(branch, Main) // also of one that is made now
		return snap.authority.MayDo(action, b)
	})
}

// Snapshot opens a snapshot of the head of the session's branch; an unknown branch is the fault Missing. Close it soon:
// while it is open the file's log cannot shrink. While as many are open as there may be it waits: see [Graph.AsOne].
func (s *Session) Snapshot(ctx context.Context) (*Snapshot, error) {
	view := db.View{Branch: s.branch, Rights: s.expected()}
	if s.fork != nil {
		view.Branch, view.At = "", s.fork.ID
	}
	return s.open(ctx, view)
}

// open opens a snapshot of a view, with the rights that the policies of main give at that moment. Those of the view are a
// guess.
func (s *Session) open(ctx context.Context, view db.View) (*Snapshot, error) {
	for guess := (*law)(nil); ; {
		r, err := s.graph.file.Read(ctx, view)
		if err != nil {
			return nil, err
		}
		a, known := s.authority(r)
		if !known {
			if err := errors.Join(r.Close(), s.graph.readLaw(ctx)); err != nil {
				return nil, err
			}
			continue
		}
		read := s.graph.schemaOf
		if !view.At.IsZero() {
			read = s.graph.schemaThen
		}
		c, err := read(ctx, r)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		rights := s.rights
		if rights == nil {
			rights = a.rights(c)
		}
		if a != nil && a.law == guess {
			rights = rights.And(view.Rights) // of a type that this schema does not show any more
		}
		if rights.Key() == view.Rights.Key() {
			return s.newSnapshot(r, c, rights, a), nil
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
		view.Rights = rights
		if a != nil {
			guess = a.law
		}
	}
}

// LatestHead returns the newest commit of main that the session sees or, if no snapshot is available at once, the one
// that was read or written last by this process, or the zero Commit. It does not wait.
func (s *Session) LatestHead(ctx context.Context) Commit {
	return s.graph.file.LatestHead(ctx, s.expected())
}

// View runs read on a snapshot and closes it. A read that needs the session again, which may open another snapshot, has a
// context of [Graph.AsOne], which View is given, too.
func (s *Session) View(ctx context.Context, read func(*Snapshot) error) error {
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	return read(snap)
}

// NameOf returns the name of a graph from that of its file: its letters, digits and dashes before the extension.
func NameOf(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, base)
	if name = strings.Trim(name, "-"); name == "" {
		return "graph"
	}
	return name
}

// heldBytes bounds the memory for one subject, and for the schema. It is a variable, so that a test can reach it with
// little data.
var heldBytes = db.DefaultQueryBytes

// collect returns all quads, unless they are too many for the memory.
func collect(seq iter.Seq2[rdf.Quad, error]) ([]rdf.Quad, error) {
	all, _, err := rdf.Collect(seq, math.MaxInt, heldBytes)
	return all, err
}
