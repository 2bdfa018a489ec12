package kg

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability/stored"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
	"trails/sparql/lint"
	"trails/validate"
)

// Promotion is a request to replace the definitions of this file by those of another.
type Promotion struct {
	Definitions
	// Replace allows losing what was defined in this file since the last promotion (or at all, before the first one)
	// and differs in the new definitions.
	Replace bool
	// AllowDataLoss allows removing statements for which the new definitions have no place.
	AllowDataLoss bool
	// Check, when set, refuses for reasons unknown to the graph, such as the name of a tool.
	Check func([]*stored.Query) error
	// Set carries all but the edits.
	Set      ChangeSet
	Progress func(Progress)
}

// Promoted is what a promotion did, or would do.
type Promoted struct {
	// Head is the commit that it was made at.
	Head Commit
	// Migrations are those that were applied, in order, with their effects; Schema is the remaining difference of the
	// schemas, for which there is no migration.
	Migrations []Migrated
	Schema     Migrated
	// Queries are the stored queries that came, changed or went, by id.
	Queries []QueryStep
	// Policies is the change of the policies. Those of the file stay if the definitions have none.
	Policies PolicyStep
	// Loses counts the statements that would be removed and have no other place.
	Loses int64
	// Own names the definitions of this file that would be lost, such as "type Task".
	Own []string
	// Breaks are the nodes that contradict it, for which a plan says that it would be refused, and Broken counts
	// them.
	Breaks []fault.FieldError
	Broken int
}

// Promote replaces the definitions of the graph, as one commit: first the migrations that were not applied yet,
// including their changes of data, then the remaining difference of the schemas, then the stored queries. It is
// refused, and nothing is changed, with fault.InvalidData if the data contradicts it, and with fault.Conflict when
// the graph has had migrations applied that the definitions lack, when definitions of its own would be lost, see
// Replace, or statements.
func (s *Session) Promote(ctx context.Context, p Promotion) (Promoted, Result, error) {
	promote := promoting{Promotion: p, session: s}
	result, err := s.promote(ctx, &promote)
	return promote.done, result, err
}

// PlanPromotion tries a promotion without committing it, and returns what it would do and what prevents it. Writers
// do not wait for it.
func (s *Session) PlanPromotion(ctx context.Context, p Promotion) (Promoted, Result, error) {
	p.Replace, p.AllowDataLoss, p.Set.DryRun = true, true, true
	var promote promoting
	var result Result
	err := s.try(ctx, func(ctx context.Context, tries *Session, _ time.Duration) (err error) {
		promote = promoting{Promotion: p, session: tries}
		result, err = tries.promote(ctx, &promote)
		return err
	})
	if promote.judged && fault.Is(err, fault.InvalidData) {
		promote.done.Broken, promote.done.Breaks, err = fault.Of(err).Count, fault.Of(err).Fields, nil
	}
	return promote.done, result, err
}

func (s *Session) promote(ctx context.Context, p *promoting) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	p.spool = &spool
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: p.Set, prepare: p.run, progress: p.Progress, losses: &p.losses, closes: true, message: p.message})
}

// message is what the commit says: of the schema its steps, when nobody says otherwise.
func (p *promoting) message() string {
	if p.Set.Message != "" {
		return p.Set.Message
	}
	var steps []string
	for _, m := range p.done.Migrations {
		steps = append(steps, migrationMessage("migration ", m.Migration))
	}
	for _, s := range p.done.Schema.Steps {
		steps = append(steps, s.What)
	}
	return stepsMessage(steps)
}

// promoting is one promotion under the write lock.
type promoting struct {
	Promotion
	session *Session
	spool   *change.Spool
	done    Promoted
	losses  losses
	judged  bool // errors from here on are errors of the data
}

func (p *promoting) run(ctx context.Context, w *db.Writer, before *compiled) error {
	p.done.Head = w.Head()
	pending, err := migration.Pending(before.applied, p.Migrations)
	if err != nil {
		return err
	}
	for _, r := range before.applied {
		if !slices.ContainsFunc(p.Migrations, func(m *migration.Migration) bool { return m.Number == r.Number }) {
			return fault.New(fault.Conflict, "%s is applied here and is not among what is promoted, which is older than this file; bring it there first", r.File()).With("migration_file", r.File())
		}
	}
	target, err := schema.ParseYAML(p.Schema, p.session.graph.Base())
	if err != nil {
		return err
	}
	if err := p.readable(ctx, target); err != nil {
		return err
	}
	var was []QueryText
	for _, k := range before.stored {
		was = append(was, QueryText{Name: k.ID, Text: k.Text})
	}
	listed, at, err := migration.MovesOf(pending, before.schema)
	if err != nil {
		return err
	}
	policies := cmp.Or(p.Definitions.Policies, before.policyText)
	p.done.Policies = policyStep(before.policyText, policies)
	mine, comes := before.schema, digestsOf(target, p.Queries, policies)
	if before.promoted == nil {
		mine = at.Towards(target).Renamed // renamed statements are not lost
	}
	p.done.Queries, p.done.Own = querySteps(was, p.Queries), digestsOf(mine, was, before.policyText).own(before.promoted, comes)
	if len(p.done.Own) > 0 && !p.Replace {
		return fault.New(fault.Conflict, "the promotion would lose what this file defines itself: %s; bring it to the other file first, or pass replace: true", strings.Join(p.done.Own, ", ")).With("definitions", p.done.Own)
	}
	if before.promoted == nil && len(pending) == 0 && maps.Equal(digestsOf(at, was, before.policyText), comes) {
		return nil
	}
	m := migrating{ctx: ctx, w: w, whole: p.spool, progress: p.Progress}
	if m.draft, err = w.Draft(ctx); err != nil {
		return err
	}
	p.judged = true
	// The stored queries are written in their final form, so the steps need not convert them.
	if err := m.tried(func(spool *change.Spool) error { return editQueries(spool, was, change.Retract) }); err != nil {
		return err
	}
	if err := p.schemas(&m, pending, listed, at, target); err != nil {
		return err
	}
	if p.done.Loses > 0 && !p.AllowDataLoss {
		return fault.New(fault.Conflict, "the promotion would remove %s: %s; pass allow_data_loss to let it", fault.Counted(p.done.Loses, "statement"), p.lossy()).
			With("removes", p.done.Loses)
	}
	err = m.tried(func(spool *change.Spool) error {
		if err := p.mark(spool, before.promoted, comes); err != nil {
			return err
		}
		if err := p.done.Policies.edit(spool); err != nil {
			return err
		}
		return editQueries(spool, p.Queries, change.Assert)
	})
	if err != nil {
		return err
	}
	return m.end()
}

// readable refuses stored queries that do not fit the schema of the promotion.
func (p *promoting) readable(ctx context.Context, target *schema.Schema) error {
	shapes, err := validate.Compile(target.Quads())
	if err != nil {
		return err
	}
	if _, err := cedar.Parse(p.Definitions.Policies); err != nil {
		return err
	}
	queries, problems, err := readQueries(ctx, p.Queries, stored.Checker{Schema: target, Linter: lint.New(target), Shapes: shapes.Naming(target.NodeName)})
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return fault.Invalid(problems)
	case p.Check != nil:
		return p.Check(queries)
	}
	return nil
}

// schemas applies the pending migrations, which lead to the schema at, and then the steps from there to the promoted
// schema.
func (p *promoting) schemas(m *migrating, pending []*migration.Migration, listed [][]migration.Move, at, target *schema.Schema) error {
	for i, one := range pending {
		done := Migrated{Migration: one, ByHistory: migration.ByHistory(listed[i])}
		err := m.all(listed[i], &done)
		p.done.Migrations = append(p.done.Migrations, done)
		if err != nil {
			return err
		}
		record := migration.Record{Number: one.Number, Name: one.Name, Text: one.Text, Checksum: one.Checksum(), Actor: p.session.principal.Author(), Time: p.session.graph.now()}
		err = m.tried(func(spool *change.Spool) error { return editQuads(spool, change.Assert, record.Quads()...) })
		if err != nil {
			return err
		}
	}
	if len(schema.Diff(at, target)) > 0 || fmt.Sprint(at.Prefixes) != fmt.Sprint(target.Prefixes) {
		move := migration.Move{Before: at, After: at.Towards(target)}
		if err := m.all([]migration.Move{move}, &p.done.Schema); err != nil {
			return err
		}
	}
	for _, one := range append(p.done.Migrations, p.done.Schema) {
		p.losses.add(one.Steps...)
	}
	p.done.Loses = p.losses.lost
	return nil
}

// lossy says which steps lose statements, and of which nodes.
func (p *promoting) lossy() string {
	var parts []string
	for _, one := range append(p.done.Migrations, p.done.Schema) {
		for _, step := range one.Steps {
			if step.Removes > 0 {
				parts = append(parts, step.What+" ("+strings.Join(step.Losing, ", ")+")")
			}
		}
	}
	return strings.Join(parts, "; ")
}

// mark stores the digests of what is promoted.
func (p *promoting) mark(spool *change.Spool, was, is digests) error {
	quad, err := is.quad()
	if err != nil {
		return err
	}
	if was != nil {
		old, err := was.quad()
		if err != nil {
			return err
		}
		if err := editQuads(spool, change.Retract, old); err != nil {
			return err
		}
	}
	return editQuads(spool, change.Assert, quad)
}

// editQuads makes one edit of each quad.
func editQuads(spool *change.Spool, op change.Op, quads ...rdf.Quad) error {
	for _, q := range quads {
		if err := spool.Add(change.Edit{Op: op, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

func editQueries(spool *change.Spool, queries []QueryText, op change.Op) error {
	for _, q := range queries {
		if err := editQuads(spool, op, stored.QuadsOf(q.Name, q.Text)...); err != nil {
			return err
		}
	}
	return nil
}

// isPromotion reports whether a commit is one of a promotion.
func (s *Snapshot) isPromotion(ctx context.Context, c Commit) (bool, error) {
	changes, err := s.source.ChangesOf(ctx, c, schema.PromotionRecord.Node(""), 1)
	return len(changes) > 0, err
}

// undoPromotion says how a promotion is taken back.
const undoPromotion = "promote --undo (trails.meta.promote.undo) takes it back as a whole"

// UndoPromotion takes back what the commit of a promotion changed, as one commit. It is
// refused with fault.Conflict when the commit is none of a promotion or the first one, when a
// definition was changed since, or data that the promotion changed, and with
// fault.InvalidData when what was written since does not fit the schema before.
func (s *Session) UndoPromotion(ctx context.Context, u Undo) (Result, error) {
	return s.undoDefinitions(ctx, u, func(snap *Snapshot, undo *undoing, _ correction) error {
		c := undo.commit
		promoted, err := snap.isPromotion(ctx, c)
		if err == nil && (!promoted || c.Parent.IsZero()) {
			err = fault.New(fault.Conflict, "commit %s is not a promotion, or is the first commit; give the commit of a promotion", c.ID.String())
		}
		return err
	})
}
