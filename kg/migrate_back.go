package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability/stored"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
	"trails/text/quote"
)

// MigrationRollback is a request to roll back the last migration.
type MigrationRollback struct {
	// Number, unless it is 0, must be the number of the last migration.
	Number int
	// AllowDataLoss allows losing data that the migration did not add: what the previous schema has no place for, and
	// what its reverse updates remove.
	AllowDataLoss bool
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// RollBackMigration rolls back the migration that was applied last, as one commit, including its record: by the
// rollbacks of its steps, which also convert later data, or, if a step has none, by the inverse of its commit. It
// changes nothing and is refused with fault.Conflict if another migration is the last one, if it came with a
// promotion, if the schema was changed since by other means, or (with the nodes) if data that it did not add would be
// lost, or later data changed what the commit had changed; with fault.InvalidData if the previous schema forbids later data; and with
// fault.Missing if no migration is applied.
func (s *Session) RollBackMigration(ctx context.Context, r MigrationRollback) (Migrated, Result, error) {
	var spool change.Spool
	defer spool.Close()
	back := wayBack{request: r, spool: &spool}
	if err := s.View(ctx, func(snap *Snapshot) error { return back.find(ctx, snap) }); err != nil {
		return Migrated{}, Result{}, err
	}
	var counted losses
	j := job{
		action: policy.SchemaApply, spool: &spool, set: r.Set, prepare: func(ctx context.Context, w *db.Writer, before *compiled) error {
			err := back.run(ctx, w, before)
			counted.add(back.done.Steps...)
			return err
		}, losses: &counted, progress: r.Progress, closes: true,
		message: func() string { return r.Set.Message },
	}
	if r.Set.Message == "" {
		j.message = func() string { return migrationMessage("roll back ", back.done.Migration) }
	}
	if back.done.ByHistory != "" {
		j.undo = undoOf(back.commit)
	}
	result, err := s.write(ctx, j)
	return back.done, result, err
}

// wayBack is the rollback of one migration.
type wayBack struct {
	request MigrationRollback
	spool   *change.Spool
	record  migration.Record
	commit  Commit
	moves   []migration.Move // moves that roll it back; none if its commit is inverted
	after   *schema.Schema   // schema after the migration
	// before and restored are the schema and the stored queries before the migration.
	before   *schema.Schema
	restored []stored.Kept
	done     Migrated
}

// find finds the last migration, its commit and the schema before it, and reads how it is rolled back.
func (b *wayBack) find(ctx context.Context, snap *Snapshot) (err error) {
	if b.record, err = b.last(snap.compiled); err != nil {
		return err
	}
	m, err := migration.Parse(b.record.File(), b.record.Text)
	if err != nil {
		return fmt.Errorf("read the migration that was applied: %w", err)
	}
	b.done.Migration = m
	if m.Checksum() != b.record.Checksum {
		return fault.New(fault.Conflict, "%s: the text that the file keeps has the SHA-256 %s, not %s as when it was applied; trails verify says more", m.File(), m.Checksum(), b.record.Checksum)
	}
	by, err := snap.AppliedBy(ctx)
	if err != nil {
		return err
	}
	if b.commit = by[b.record.Number]; b.commit.Parent.IsZero() {
		return fault.New(fault.Conflict, "%s came with the first commit of this file, which has no history before it to go back to", m.File())
	}
	promoted, err := snap.isPromotion(ctx, b.commit)
	if err != nil {
		return err
	}
	if promoted {
		return fault.New(fault.Conflict, "%s came with the promotion of commit %s; "+undoPromotion, m.File(), b.commit.ID.String()).With("commit", b.commit.ID.String())
	}
	quads, err := snap.schemaBefore(ctx, b.commit)
	if err != nil {
		return err
	}
	moves, changed := forward(m, quads, snap.Schema())
	if changed != "" {
		since, err := snap.schemaCommits(ctx, b.commit.Seq)
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, "%s cannot be rolled back, and nothing was changed: the schema was changed since by other means, in %s (%s); undo it first if it is one commit, otherwise change the schema back with a patch (schema_apply)", m.File(), strings.Join(since, ", "), changed).
			With("migration_file", m.File())
	}
	b.after = snap.Schema()
	if b.done.ByHistory = migration.ByHistory(moves); b.done.ByHistory == "" {
		b.moves, err = migration.Back(moves)
		return err
	}
	b.done.Steps = []MigratedStep{{What: "the inverse of its commit, as there is no other way back of: " + b.done.ByHistory}}
	b.before = moves[0].Before
	b.restored = stored.FromQuads(quads, b.before)
	return snap.inverse(ctx, undoOf(b.commit), b.spool)
}

// last is the migration that was applied last. It must be the one that the caller named.
func (b *wayBack) last(c *compiled) (migration.Record, error) {
	if len(c.applied) == 0 {
		return migration.Record{}, fault.New(fault.Missing, "no migration is applied, so there is nothing to roll back")
	}
	record := c.applied[len(c.applied)-1]
	if n := b.request.Number; n != 0 && n != record.Number {
		return record, fault.New(fault.Conflict, "migration %d is not the last that is applied, which is %s; the last one goes back first", n, record.File()).With("last", record.Number)
	}
	return record, nil
}

// schemaBefore reads the schema as it was before the commit.
func (s *Snapshot) schemaBefore(ctx context.Context, c Commit) ([]rdf.Quad, error) {
	quads, err := collect(s.Match(ctx, rdf.Quad{Label: rdf.SchemaGraph}))
	if err != nil {
		return nil, err
	}
	for c, err := range s.Changes(ctx, c.Seq, 0) {
		switch {
		case err != nil:
			return nil, err
		case c.Quad.Label != rdf.SchemaGraph:
		case c.Op == history.OpRemove:
			quads = append(quads, c.Quad)
		default:
			quads = slices.DeleteFunc(quads, func(q rdf.Quad) bool { return q == c.Quad })
		}
	}
	return quads, nil
}

// maxSince is how many commits the refusal of a rollback names.
const maxSince = 5

// schemaCommits names the commits after a number that changed the schema, or what is kept with it, the newest first.
func (s *Snapshot) schemaCommits(ctx context.Context, after Seq) (names []string, err error) {
	for c := s.Head(); c.SchemaSeq > after; {
		if len(names) == maxSince {
			return append(names, "and earlier ones"), nil
		}
		if c, err = s.source.CommitBySeq(ctx, c.SchemaSeq); err != nil {
			return nil, err
		}
		name := "commit " + c.ID.String()
		if subject, _, _ := strings.Cut(c.Message, "\n"); subject != "" {
			name += fmt.Sprintf(" %q", quote.Line(subject, 60))
		}
		names = append(names, name)
		if c, err = s.source.CommitBack(ctx, c.Seq, 1); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// forward computes the schema after the migration from the one before it, and returns how the current schema differs.
// Where the migration's names are gone, the schema before it cannot be computed from the current one.
func forward(m *migration.Migration, quads []rdf.Quad, now *schema.Schema) (moves []migration.Move, changed string) {
	before, err := schema.FromQuads(slices.DeleteFunc(slices.Clone(quads), isRecord), now.Base)
	if err == nil {
		moves, err = m.Moves(before)
	}
	if err != nil {
		return nil, "types or properties that the migration changed have other names or are gone"
	}
	left := before
	if len(moves) > 0 {
		left = moves[len(moves)-1].After.Schema
	}
	var steps []string
	for _, step := range schema.Diff(left, now) {
		steps = append(steps, step.String())
	}
	return moves, strings.Join(steps, "; ")
}

// run rolls the migration back under the write lock, if everything is as it was found.
func (b *wayBack) run(ctx context.Context, w *db.Writer, before *compiled) error {
	record, err := b.last(before)
	if err != nil {
		return err
	}
	if record != b.record || len(schema.Diff(b.after, before.schema)) > 0 {
		return fault.New(fault.Conflict, "%s was rolled back, or the schema changed, while this began; read the status and repeat", b.record.File())
	}
	// A restored backup may not have the commit any more.
	if _, err := w.CommitByID(ctx, b.commit.ID.Whole()); err != nil {
		return err
	}
	if b.done.ByHistory != "" {
		return b.keepQueries(ctx, before)
	}
	for _, q := range b.record.Quads() {
		if err := b.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
			return err
		}
	}
	run := migrating{ctx: ctx, w: w, whole: b.spool, progress: b.request.Progress, back: &b.commit}
	if err := run.begin(b.moves); err != nil {
		return err
	}
	if err := run.all(b.moves, &b.done); err != nil {
		return err
	}
	if err := b.keepLater(); err != nil {
		return err
	}
	return run.end()
}

// keepQueries refuses to break stored queries that the inverse of the commit does not change.
func (b *wayBack) keepQueries(ctx context.Context, now *compiled) error {
	var left []stored.Kept
	for _, k := range now.stored {
		if !slices.ContainsFunc(b.restored, func(r stored.Kept) bool { return r.ID == k.ID && r.Text != k.Text }) {
			left = append(left, k)
		}
	}
	carried, err := stored.Carry(ctx, left, now.schema, schema.Patched{Schema: b.before, Renamed: now.schema})
	if fields := broken(carried); len(fields) > 0 {
		return breaks(fields, "")
	}
	return err
}

// keepLater refuses to lose data that the migration did not add.
func (b *wayBack) keepLater() error {
	var parts, nodes []string
	var lost int64
	for _, step := range b.done.Steps {
		if step.Removes > 0 {
			lost += step.Removes
			parts = append(parts, step.What+": "+strings.Join(step.Losing, ", "))
			nodes = append(nodes, step.Losing...)
		}
	}
	if lost == 0 || b.request.AllowDataLoss {
		return nil
	}
	return fault.New(fault.Conflict, "%s cannot be rolled back, and nothing was changed: %s that it did not add would be lost, by %s; pass allow_data_loss if that is meant",
		b.record.File(), fault.Counted(lost, "statement"), strings.Join(parts, "; ")).With("nodes", nodes).With("count", lost).With("removes", lost)
}
