package kg

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// undoDefinitions takes back commits that changed definitions, if the kind of what they changed may be undone. The
// definitions must be as the commits left them, but for policies and upstream servers: whatever changed them since has
// been taken back itself.
func (s *Session) undoDefinitions(ctx context.Context, u Undo, may func(_ *Snapshot, _ *undoing, taken correction) error) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	var undo *undoing
	var seen Seq
	if err := s.View(ctx, func(snap *Snapshot) (err error) {
		if undo, err = snap.undoing(ctx, u); err != nil {
			return err
		}
		seen = snap.compiled.seq
		taken, _, err := snap.defined(ctx, undo.first-1, undo.commit)
		if err != nil {
			return err
		}
		since, last, err := snap.defined(ctx, undo.commit.Seq, snap.Head(), schema.PolicyRecord, schema.UpstreamRecord, schema.GatewayRecord)
		switch undo.definedBack = len(since) > 0 && since.inverts(taken); {
		case err != nil:
			return err
		case undo.definedBack:
		case len(since) > 0:
			return snap.definedSince(undo, last)
		default:
			if err := may(snap, undo, taken); err != nil {
				return err
			}
		}
		return snap.inverse(ctx, undo, &spool)
	}); err != nil {
		return Result{}, err
	}
	prepare := func(ctx context.Context, w *db.Writer, before *compiled) error {
		if before.seq != seen {
			return fault.New(fault.Conflict, "the definitions (schema, stored queries, migrations) were changed meanwhile; make the call again")
		}
		return undo.find(ctx, w, before)
	}
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: u.Set, prepare: prepare, undo: undo, restores: true, progress: u.Progress, closes: true, changes: undo.isRange()})
}

// definedSince refuses commits after which definitions were changed, of which last is the last change that stands.
func (s *Snapshot) definedSince(u *undoing, last Commit) error {
	from := u.after.ID
	if !u.isRange() {
		from = u.commit.Parent
	}
	all := ""
	if !from.IsZero() {
		all = fmt.Sprintf(", or all that was written since, data too, with undo {\"commit\":\"%s..head\"}", from)
	}
	return fault.New(fault.Conflict, "definitions (schema, stored queries, migrations) were changed after %s; take back commit %s first, which is the last such change that stands%s; schema history (commits_list with schema_only) lists them", u, last.ID.String(), all).
		With("last", last.ID.String())
}

// defined returns how the definitions at a commit differ from those at an earlier one, and the last commit in between
// that stands: the oldest of those after which the definitions were what they are at the end. Commits after it changed
// definitions and took that back. Records of the kinds besides do not count. The time grows with the commits that changed
// definitions.
func (s *Snapshot) defined(ctx context.Context, after Seq, until Commit, besides ...schema.RecordKind) (net correction, last Commit, err error) {
	net = correction{}
	for c, err := range s.definers(ctx, after, until) {
		if err != nil {
			return nil, last, err
		}
		before := len(net)
		for change, err := range s.Changes(ctx, c.Seq, 0) {
			if err != nil {
				return nil, last, err
			}
			if kind, _ := schema.RecordOf(change.Quad); change.Label == rdf.SchemaGraph && !slices.Contains(besides, kind) {
				net.then(change)
			}
		}
		if before == 0 && len(net) > 0 {
			last = c
		}
	}
	return net, last, nil
}

// definers are the commits after a number, up to a commit, that changed definitions, the newest first.
func (s *Snapshot) definers(ctx context.Context, after Seq, until Commit) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		for at := until; at.SchemaSeq > after; {
			c, err := s.source.CommitBySeq(ctx, at.SchemaSeq)
			if !yield(c, err) || err != nil || c.Parent.IsZero() {
				return
			}
			if at, err = s.source.CommitBack(ctx, c.Seq, 1); err != nil {
				yield(at, err)
				return
			}
		}
	}
}

// schemaWithout reads the statements about the schema as they would be without these changes.
func (s *Snapshot) schemaWithout(ctx context.Context, changed correction) ([]rdf.Quad, error) {
	var quads []rdf.Quad
	for q, err := range s.Match(ctx, rdf.Quad{Label: rdf.SchemaGraph}) {
		if err != nil {
			return nil, err
		}
		if changed[q] != history.OpAdd {
			quads = append(quads, q)
		}
	}
	for q, op := range changed {
		if op == history.OpRemove {
			quads = append(quads, q)
		}
	}
	return quads, nil
}
