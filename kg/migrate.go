package kg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability/stored"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
)

// MigrationChange asks for migrations to be applied.
type MigrationChange struct {
	// Given are all migrations that the caller has, in any order, including those that were applied.
	Given []*migration.Migration
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Migrated is what a migration did, or would do.
type Migrated struct {
	// Migration is the applied migration; nil if there was none to apply.
	Migration *migration.Migration
	Steps     []MigratedStep
	// Queries are the stored queries in which it renames something, or which it breaks, by id, for each of its schema
	// changes in order.
	Queries []stored.Carried
	// ByHistory says why a rollback inverts its commit; "" if its steps have rollbacks of their own.
	ByHistory string
	// Breaks are the nodes that it would make invalid, for which a plan says that it would be refused, and Broken
	// counts them.
	Breaks []fault.FieldError
	Broken int
	// Idle says which of its steps change nothing, and why.
	Idle []string
	// Left counts the migrations to be applied after it.
	Left int
}

// MigratedStep is one thing that a migration does.
type MigratedStep struct {
	// First and Last are the numbers (from 1) of the steps in the text that are done together; 0 if it is not a step
	// of the text.
	First, Last int
	// What describes it to a person.
	What string
	// Moves counts the statements that are renamed or moved to another property, and MovesIn those of each named
	// graph.
	Moves   int64
	MovesIn map[rdf.Term]int64
	// Removes counts the lost statements, RemovesIn those that the schema has no place for in each named graph, and
	// Losing names the first [MaxLosing] nodes that lose some. RemovesOf counts those that an update removes by the
	// type of their node, "" if it has none.
	Removes   int64
	RemovesIn map[rdf.Term]int64
	Losing    []string
	RemovesOf map[string]int64
	// Fills means that nodes without a value get the default.
	Fills bool
	// Crosses is that of a [schema.Step].
	Crosses string
}

// Applied returns the migrations that the graph has had applied, by number.
func (s *Snapshot) Applied() []migration.Record { return s.compiled.applied }

// AppliedBy returns the commits that applied the migrations, by number: those that added
// their records. What it costs grows with the number of commits that changed the schema.
func (s *Snapshot) AppliedBy(ctx context.Context) (map[int]Commit, error) {
	const page = 100
	by := map[int]Commit{}
	for before := Seq(0); len(by) < len(s.Applied()); {
		commits, err := s.SchemaCommits(ctx, before, page)
		if err != nil || len(commits) == 0 {
			return by, err
		}
		for _, c := range commits {
			before = c.Seq
			for _, r := range s.Applied() {
				if _, known := by[r.Number]; known {
					continue
				}
				changes, err := s.source.ChangesOf(ctx, c, r.Node(), 1)
				if err != nil {
					return nil, err
				}
				if len(changes) > 0 {
					by[r.Number] = c
				}
			}
		}
	}
	return by, nil
}

// ApplyMigration applies the first of the given migrations that the graph has not had
// applied, as one commit: what it does to the schema, what it does to the data, and the
// record that it was applied. What the data contradicts at the end is refused with
// fault.InvalidData, as are migrations that do not fit those that are applied, see
// [migration.Pending]; nothing is changed then. When there is none to apply, nothing is.
func (s *Session) ApplyMigration(ctx context.Context, c MigrationChange) (Migrated, Result, error) {
	var done Migrated
	result, err := s.migrate(ctx, c, 1, func(one Migrated) { done = one })
	return done, result, err
}

// PlanMigrations says what applying the given migrations one after the other would do, by
// trying it: what each does, and what all of them change together. It ends at the first that
// would be refused, of which it says what breaks. What it costs is twice what applying them
// does; writers do not wait for it.
func (s *Session) PlanMigrations(ctx context.Context, c MigrationChange) (plan []Migrated, all Result, err error) {
	c.Set.DryRun = true
	err = s.try(ctx, func(ctx context.Context, tries *Session, most time.Duration) (err error) {
		var head CommitID
		all = Result{}
		head, plan, err = tries.tryMigrations(ctx, c, most)
		fit := len(plan)
		if fit > 0 && plan[fit-1].Broken > 0 {
			fit--
		}
		if err != nil || fit == 0 {
			return err
		}
		together := c
		together.Set.IfCommit = &head
		all, err = tries.migrate(ctx, together, fit, func(Migrated) {})
		if c.Set.IfCommit == nil && fault.Is(err, fault.Precondition) {
			return errOnCopy
		}
		return err
	})
	if err != nil {
		return nil, Result{}, err
	}
	return plan, all, nil
}

// errOnCopy means that a plan is to be made on a copy: the graph changed between two of its transactions, or it would
// hold the lock for too long.
var errOnCopy = errors.New("the plan is made on a copy")

// heldForPlan is how long a plan may hold the lock for writing, and wait for it. It is a variable, so that a test can
// plan without the lock.
var heldForPlan = 100 * time.Millisecond

// try runs writes without committing them: under the lock if that is short, otherwise again on a copy of the file,
// which delays no writer. A read-only session may try. It tells do how long it may take at most; on a copy 0, for any
// time.
func (s *Session) try(ctx context.Context, do func(_ context.Context, _ *Session, most time.Duration) error) (err error) {
	tries := *s
	tries.action = ""
	soon, cancel := context.WithTimeout(ctx, heldForPlan)
	err = do(soon, &tries, heldForPlan)
	late := soon.Err() != nil
	cancel()
	if err == nil || ctx.Err() != nil || !late && !errors.Is(err, errOnCopy) {
		return err
	}
	dir, err := os.MkdirTemp("", "trails-plan-")
	if err != nil {
		return fmt.Errorf("make a folder to plan in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "planned.trails")
	if err := s.graph.Backup(ctx, copied, BackupOptions{}); err != nil {
		return err
	}
	g, err := Open(ctx, copied, Options{Now: s.graph.now, Log: s.graph.log, Remote: s.graph.remote, ArtifactTTL: s.graph.artifactTTL})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	tries.graph = g
	return do(ctx, &tries, 0)
}

// tryMigrations tries the pending migrations in one transaction, each after the previous ones, up to the first that
// is refused. It returns the commit on which they were tried, and errOnCopy as soon as they will probably take longer
// than most, when they are tried once more together.
func (s *Session) tryMigrations(ctx context.Context, c MigrationChange, most time.Duration) (head CommitID, plan []Migrated, err error) {
	begun := time.Now()
	w, authority, err := s.writer(ctx)
	if err != nil {
		return head, nil, err
	}
	defer w.Close()
	var schema *compiled // after the previous one
	try := func() error {
		var spool change.Spool
		defer spool.Close()
		job := s.migration(c, 1, &spool, func(one Migrated) { plan = append(plan, one) })
		t := transaction{session: s, w: w, authority: authority, job: job, before: w.Head(), schema: schema}
		if _, err := t.run(ctx); err != nil {
			return err
		}
		schema = t.schema
		return w.Settle(ctx)
	}
	for tried := 1; ; tried++ {
		err := try()
		if len(plan) == tried && fault.Is(err, fault.InvalidData) {
			broken := &plan[tried-1]
			broken.Broken, broken.Breaks = fault.Of(err).Count, fault.Of(err).Fields
			return w.Head().ID, plan, nil
		}
		if err != nil {
			return head, nil, err
		}
		if len(plan) < tried || plan[tried-1].Left == 0 {
			return w.Head().ID, plan, nil
		}
		took := time.Since(begun)
		if pace := took / time.Duration(tried); took > most/10 && most > 0 && 2*pace*time.Duration(tried+plan[tried-1].Left) > most {
			return head, nil, errOnCopy
		}
	}
}

// migrate applies up to a number of pending migrations as one commit, and reports for each what it does, before
// validation.
func (s *Session) migrate(ctx context.Context, c MigrationChange, most int, tell func(Migrated)) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	return s.write(ctx, s.migration(c, most, &spool, tell))
}

// migration is the job of [Session.migrate].
func (s *Session) migration(c MigrationChange, most int, spool *change.Spool, tell func(Migrated)) job {
	message, counted, idle := c.Set.Message, &losses{}, &idling{}
	prepare := func(ctx context.Context, w *db.Writer, before *compiled) error {
		pending, err := migration.Pending(before.applied, c.Given)
		if err != nil {
			return err
		}
		count := min(most, len(pending))
		if err := migration.Filled(pending); err != nil {
			return err
		}
		listed, _, err := migration.MovesOf(pending[:count], before.schema)
		if err != nil {
			return err
		}
		run := migrating{ctx: ctx, w: w, whole: spool, progress: c.Progress}
		if err := run.begin(slices.Concat(listed...)); err != nil {
			return err
		}
		for i, m := range pending[:count] {
			record := migration.Record{Number: m.Number, Name: m.Name, Text: m.Text, Checksum: m.Checksum(), Actor: s.principal.Author(), Time: s.graph.now()}
			for _, q := range record.Quads() {
				if err := spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
					return err
				}
			}
			if message == "" {
				message = migrationMessage("migration ", m)
			}
			one := Migrated{Migration: m, ByHistory: migration.ByHistory(listed[i]), Left: len(pending) - i - 1}
			err := run.all(listed[i], &one)
			tell(one)
			counted.add(one.Steps...)
			idle.sentences = one.Idle // if only one is applied
			if err != nil {
				return err
			}
		}
		return run.end()
	}
	return job{
		action: policy.SchemaApply, spool: spool, set: c.Set, prepare: prepare, progress: c.Progress,
		message: func() string { return message }, losses: counted, idle: idle, closes: true,
	}
}

// migrationMessage is the default commit message of a migration.
func migrationMessage(verb string, m *migration.Migration) string {
	message := verb + strings.TrimSuffix(m.File(), ".yaml")
	if m.Description != "" {
		message += ": " + m.Description
	}
	return message
}

// migrating runs moves under the write lock.
type migrating struct {
	ctx      context.Context
	w        *db.Writer
	draft    *db.Draft     // the state after each move, for the next; nil if there is only one
	whole    *change.Spool // receives the net effect of all moves
	progress func(Progress)
	// back is the commit of the migration that the moves undo: what it filled in and added is no loss. It is nil if
	// they undo none.
	back *Commit
}

// begin makes a draft, unless there is a single change, which goes directly to the commit.
func (m *migrating) begin(moves []migration.Move) (err error) {
	if len(moves) > 1 || len(moves) == 1 && moves[0].Update != nil && len(moves[0].Update.Operations) > 1 {
		m.draft, err = m.w.Draft(m.ctx)
	}
	return err
}

// end passes the net effect of the draft to the commit.
func (m *migrating) end() error {
	if m.draft == nil {
		return nil
	}
	if err := addNet(m.ctx, m.whole, m.draft); err != nil {
		return err
	}
	return m.draft.Undo(m.ctx)
}

// all runs the moves of one migration, and records their effects.
func (m *migrating) all(moves []migration.Move, note *Migrated) error {
	for _, move := range moves {
		var err error
		switch {
		case move.Update != nil:
			err = m.update(move, note)
		case m.draft == nil:
			err = m.schema(move, m.whole, note)
		default:
			err = m.tried(func(spool *change.Spool) error { return m.schema(move, spool, note) })
		}
		if err != nil {
			return err
		}
		steps := idleSteps(move.After, move.First)
		note.Idle = append(note.Idle, steps.list()...)
	}
	return nil
}

// tried applies edits to the draft.
func (m *migrating) tried(gather func(*change.Spool) error) error {
	var spool change.Spool
	defer spool.Close()
	if err := gather(&spool); err != nil {
		return err
	}
	for group, err := range spool.Groups(m.ctx) {
		if err != nil {
			return err
		}
		if err := m.draw(group); err != nil {
			return err
		}
	}
	return nil
}

// draw applies the effect of a group of edits to the draft.
func (m *migrating) draw(group *change.Group) error {
	before, err := collect(needed(m.ctx, m.w, group))
	if err != nil {
		return err
	}
	deltas, _ := group.Net(before)
	for _, d := range deltas {
		do := m.draft.Remove
		if d.Added {
			do = m.draft.Add
		}
		if _, err := do(m.ctx, d.Quad); err != nil {
			return err
		}
	}
	return nil
}

func (m *migrating) update(move migration.Move, note *Migrated) error {
	labels := change.NewLabels()
	u := updating{operations: move.Update.Operations, labels: labels, fill: filler{prefix: labels.Prefix}, seen: m.w.Seen(), spool: m.whole, schema: move.Before}
	step := MigratedStep{First: move.First, Last: move.Last, What: "update of data: " + move.Text}
	changes := int64(0)
	u.gathered = func(edits *change.Spool) error {
		n, err := m.removed(edits, move.Before, &step)
		changes += n
		return err
	}
	var why []string
	for _, op := range u.operations {
		var idle string
		var err error
		switch {
		case m.draft != nil:
			idle, _, err = u.try(m.ctx, m.draft, op)
		default:
			if idle, err = u.operation(m.ctx, op); err == nil {
				err = u.gathered(u.spool)
			}
		}
		if err != nil {
			return err
		}
		if idle != "" {
			why = append(why, idle)
		}
	}
	if changes == 0 && m.back == nil {
		u.isIdle(fmt.Sprintf("step %d", move.First), cmp.Or(strings.Join(why, "; "), "what it would add is there already, and what it would remove is not"))
	}
	note.Steps, note.Idle = append(note.Steps, step), append(note.Idle, u.list()...)
	return nil
}

// removed counts what the edits of an operation remove from the data, and returns how many statements they change.
// What moves is not removed.
func (m *migrating) removed(edits *change.Spool, s *schema.Schema, step *MigratedStep) (changes int64, err error) {
	for group, err := range edits.Groups(m.ctx) {
		if err != nil {
			return changes, err
		}
		before, err := collect(needed(m.ctx, m.w, group))
		if err != nil {
			return changes, err
		}
		deltas, _ := group.Net(before)
		moves := moved(deltas)
		lost := -moves
		for _, d := range deltas {
			if d.Quad.Label == rdf.SchemaGraph {
				continue
			}
			changes++
			if !d.Added {
				lost++
			}
		}
		step.Moves += moves
		if lost > 0 && m.back != nil {
			if lost, err = m.lostBack(group.Subject, deltas); err != nil {
				return changes, err
			}
		}
		if lost == 0 {
			continue
		}
		types, err := collect(m.w.Match(m.ctx, rdf.Quad{Subject: group.Subject, Predicate: rdf.Type, Label: rdf.DefaultGraph}))
		if err != nil {
			return changes, err
		}
		name := ""
		if of := s.TypesOf(types); len(of) > 0 {
			name = of[0].Name
		}
		if step.RemovesOf == nil {
			step.RemovesOf = map[string]int64{}
		}
		step.Removes += lost
		step.RemovesOf[name] += lost
		if len(step.Losing) < MaxLosing {
			step.Losing = append(step.Losing, s.NodeName(group.Subject))
		}
	}
	return changes, nil
}

// lostBack counts what a node loses on the way back: what the migration did not add, and nothing replaces.
func (m *migrating) lostBack(node rdf.Term, deltas []change.Delta) (lost int64, err error) {
	changes, err := m.w.ChangesOf(m.ctx, *m.back, node, math.MaxInt32)
	made := map[rdf.Term]int{} // by value, for a later step may have renamed the property
	for _, c := range changes {
		if c.Op == history.OpAdd {
			made[c.Quad.Object]++
		}
	}
	for _, d := range deltas {
		switch {
		case d.Quad.Label == rdf.SchemaGraph:
		case d.Added:
			lost--
		case made[d.Quad.Object] > 0:
			made[d.Quad.Object]--
		default:
			lost++
		}
	}
	return max(lost, 0), err
}

// schema collects the edits of a schema change, including those of the data that follow from it.
func (m *migrating) schema(move migration.Move, spool *change.Spool, note *Migrated) error {
	e := schemaEdits{
		ctx: m.ctx, w: m.w, spool: spool, transition: newTransition(move.Before, move.After), report: reporter(m.progress, "plan", "quads", 0),
	}
	defer func() { note.Queries = append(note.Queries, e.plan.Queries...) }()
	if move.Values != nil {
		if err := e.shapes(); err != nil {
			return err
		}
		if fields := broken(e.plan.Queries); len(fields) > 0 {
			return breaks(fields, m.otherwise(move, note))
		}
		moves, err := e.values(move.Values)
		note.Steps = append(note.Steps, MigratedStep{First: move.First, Last: move.Last, What: move.Values.String(), Moves: moves})
		return err
	}
	if m.back != nil {
		e.filled = func(q rdf.Quad) bool { return isFilled(move, q) }
	}
	if err := e.run(); err != nil {
		return err
	}
	for _, s := range e.plan.Steps {
		note.Steps = append(note.Steps, MigratedStep{First: move.First, Last: move.Last, What: migration.Describe(s.Step), Moves: s.Moves, MovesIn: s.MovesIn, Removes: s.Removes, RemovesIn: s.RemovesIn, Losing: s.Losing, Fills: s.Backfill, Crosses: s.Crosses})
	}
	if fields := broken(e.plan.Queries); len(fields) > 0 {
		return breaks(fields, m.otherwise(move, note))
	}
	return nil
}

// otherwise names the steps that break a stored query; they can be changed unless they were already applied.
func (m *migrating) otherwise(move migration.Move, note *Migrated) string {
	if m.back != nil || note.Migration == nil {
		return ""
	}
	place := note.Migration.Place(move.First)
	if move.Last > move.First {
		place += fmt.Sprintf(" to %d", move.Last)
	}
	return ", or change " + place
}

// isFilled reports whether a statement is a default that a migration filled in for the property that is now dropped
// again.
func isFilled(back migration.Move, q rdf.Quad) bool {
	return slices.ContainsFunc(back.Before.Types, func(t *schema.Type) bool {
		return slices.ContainsFunc(t.Properties, func(p *schema.Property) bool {
			return p.IRI == q.Predicate && p.Required() && p.Default == q.Object
		})
	})
}

// values converts the values of some properties to others, node by node, and returns how many it found. Values that
// cannot be converted are fault.InvalidData, with the nodes.
func (m *schemaEdits) values(v *migration.Values) (moves int64, err error) {
	var problems []fault.FieldError
	family := m.head.Subtypes(m.head.Type(v.Type))
	for _, typ := range family {
		err := eachInstance(m.ctx, m.w, typ, func(node rdf.Term) error {
			quads, err := collect(m.w.Match(m.ctx, rdf.Quad{Subject: node, Label: rdf.DefaultGraph}))
			if err != nil {
				return err
			}
			had := m.head.TypesOf(quads)
			if first := slices.IndexFunc(had, func(t *schema.Type) bool { return slices.Contains(family, t) }); had[first] != typ {
				return nil // visit a node with several types once
			}
			n, reason, err := m.valuesOf(v, node, quads)
			if moves += n; reason != "" {
				problems = append(problems, fault.FieldError{Field: v.From[0].Name, Code: fault.Datatype, Node: m.head.NodeName(node), Message: v.String() + ": " + reason})
			}
			if len(problems) >= defaultMaxErrors {
				return fault.Invalid(problems)
			}
			return err
		})
		if err != nil {
			return moves, err
		}
	}
	if len(problems) > 0 {
		return moves, fault.Invalid(problems)
	}
	return moves, nil
}

// valuesOf makes the edits of one node, or says why it cannot.
func (m *schemaEdits) valuesOf(v *migration.Values, node rdf.Term, quads []rdf.Quad) (moves int64, reason string, err error) {
	edit := func(op change.Op, p *schema.Property, value rdf.Term) {
		if err == nil {
			err = m.spool.Add(change.Edit{Op: op, Quad: rdf.Quad{Subject: node, Predicate: p.IRI, Object: value}})
		}
	}
	from := make([][]rdf.Term, len(v.From))
	for i, p := range v.From {
		for _, q := range quads {
			if q.Predicate == p.IRI {
				from[i] = append(from[i], q.Object)
				moves++
			}
		}
	}
	to, reason := v.Of(from)
	if reason != "" || moves == 0 {
		return 0, reason, nil
	}
	for i, p := range v.From {
		for _, value := range from[i] {
			edit(change.Retract, p, value)
		}
	}
	for i, p := range v.To {
		comes := slices.ContainsFunc(v.From, func(f *schema.Property) bool { return f.IRI == p.IRI })
		if there := slices.ContainsFunc(quads, func(q rdf.Quad) bool { return q.Predicate == p.IRI }); there && !comes && len(to[i]) > 0 {
			return 0, p.Name + " has a value already", nil
		}
		for _, value := range to[i] {
			edit(change.Assert, p, value)
		}
	}
	m.report(moves)
	return moves, "", err
}
