package kg

import (
	"context"
	"iter"
	"time"

	"trails/db"
	"trails/rdf"
)

// A snapshot reads through its source, a [db.Reader] of one view. The methods in this file pass calls on to it
// unchanged; all others are methods of Snapshot that read from the source.

// Close ends the snapshot; a second call does nothing. A Match that still runs ends with
// an error.
func (s *Snapshot) Close() error { return s.source.Close() }

// GaveWay reports whether err means that the snapshot was too old, and was ended for the sake of writers: the same
// read on a new snapshot is likely to succeed. See [db.GaveWay].
func GaveWay(err error) bool { return db.GaveWay(err) }

// WithPause returns a context whose snapshots call pause again and again while they work, and wait while it does. See
// [db.WithPause].
func WithPause(ctx context.Context, pause func()) context.Context { return db.WithPause(ctx, pause) }

// Head returns the commit that the snapshot is of; the zero Commit before the first.
func (s *Snapshot) Head() Commit { return s.source.Head() }

// Branch returns the name of the branch that the snapshot is of.
func (s *Snapshot) Branch() string { return s.source.Branch() }

// Branches lists all branches, main first.
func (s *Snapshot) Branches(ctx context.Context) ([]Branch, error) { return s.source.Branches(ctx) }

// BranchNamed returns the branch with a name, the zero Branch if there is none.
func (s *Snapshot) BranchNamed(ctx context.Context, name string) (Branch, error) {
	return s.source.BranchNamed(ctx, name)
}

// Tags lists the tags of the file; see [db.Reader.Tags].
func (s *Snapshot) Tags(ctx context.Context) ([]Tag, error) { return s.source.Tags(ctx) }

// Match implements rdf.Source; see [db.Reader.Match].
func (s *Snapshot) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return s.source.Match(ctx, pattern)
}

// Commits returns up to limit commits, newest first, of those before the one with the
// number before; 0 starts at the newest.
func (s *Snapshot) Commits(ctx context.Context, before Seq, limit int) ([]Commit, error) {
	return s.source.Commits(ctx, before, limit)
}

// CommitAfter returns the first commit of the branch behind a number, or the fault Missing.
func (s *Snapshot) CommitAfter(ctx context.Context, seq Seq) (Commit, error) {
	return s.source.CommitAfter(ctx, seq)
}

// CommitOrigin returns the class of what was written in a commit; see [db.Reader.CommitOrigin].
func (s *Snapshot) CommitOrigin(ctx context.Context, c Commit) (Origin, error) {
	return s.source.CommitOrigin(ctx, c.Seq)
}

// CommitBySeq returns the commit with a number.
func (s *Snapshot) CommitBySeq(ctx context.Context, seq Seq) (Commit, error) {
	return s.source.CommitBySeq(ctx, seq)
}

// Changes returns what the commit with number seq added and removed, from an offset on; see
// [db.Reader.Changes].
func (s *Snapshot) Changes(ctx context.Context, seq Seq, offset int) iter.Seq2[db.Change, error] {
	return s.source.Changes(ctx, seq, db.Place{Skip: offset})
}

// ChangedTypes returns how many nodes the commit with number seq gave each class and took
// from it.
func (s *Snapshot) ChangedTypes(ctx context.Context, seq Seq) ([]ChangedType, error) {
	return s.source.ChangedTypes(ctx, seq)
}

// TypesTouched returns the classes that the nodes have or had which a commit changed. It is one pass over its changes; of a
// bulk commit, which has no log of changes, they are those of [Snapshot.ChangedTypes].
func (s *Snapshot) TypesTouched(ctx context.Context, c Commit) ([]rdf.Term, error) {
	if !c.Bulk {
		return s.source.TouchedTypes(ctx, c.Seq, c.Seq)
	}
	counts, err := s.source.ChangedTypes(ctx, c.Seq)
	list := make([]rdf.Term, len(counts))
	for i, n := range counts {
		list[i] = n.Type
	}
	return list, err
}

// CommitDays counts commits by day; see [db.Reader.CommitDays].
func (s *Snapshot) CommitDays(ctx context.Context, before Seq, since time.Time, most int) ([]CommitDay, error) {
	return s.source.CommitDays(ctx, before, since, most)
}

// Activities returns the provenance that fits a filter, newest first, limit at most.
func (s *Snapshot) Activities(ctx context.Context, filter ActivityFilter, limit int) ([]Activity, error) {
	return s.source.Activities(ctx, filter, limit)
}

// Stats returns the sizes of the file.
func (s *Snapshot) Stats(ctx context.Context) (db.Stats, error) { return s.source.Stats(ctx) }

// Instances returns the nodes with a type, in the order of the file, limit at most.
func (s *Snapshot) Instances(ctx context.Context, class rdf.IRI, limit int) ([]rdf.Term, error) {
	return s.source.Referrers(ctx, rdf.Type, class, limit, 0)
}
