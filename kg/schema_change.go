package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability/stored"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

// SchemaChange is a request to replace the schema.
type SchemaChange struct {
	// Source is the whole new schema as YAML; nil when there is a patch.
	Source []byte
	// Patch is a list of steps, as [schema.Schema.Patch] reads them; they apply to the schema that exists when the
	// change is made.
	Patch []byte
	// AllowDataLoss allows steps that remove data.
	AllowDataLoss bool
	// AllowBrokenQueries allows the new schema to break stored queries.
	AllowBrokenQueries bool
	// Guard, when set, is called with the steps that loosen the schema ([schema.Patched.Loosening]) before anything
	// is done; its error refuses the change.
	Guard Guard
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Guard decides whether a caller may loosen the schema by these steps.
type Guard func(loosening []schema.Step) error

// ask asks about the steps, if there are any.
func (g Guard) ask(loosening []schema.Step) error {
	if g == nil || len(loosening) == 0 {
		return nil
	}
	return g(loosening)
}

// Plan is the difference between two schemas, and its effect on the data.
type Plan struct {
	// Head is the commit that it was made at.
	Head  Commit
	Steps []PlannedStep
	// Loosening are the steps by which the schema requires less, or renames something.
	Loosening []schema.Step
	// Queries are the stored queries that it renames something in, or breaks.
	Queries []stored.Carried
	// Blocked reports that data contradicts the new schema, or a stored query would break without permission.
	Blocked bool
	// Loses counts the quads that would be removed.
	Loses int64
	// More reports that there are more contradictions than were looked for.
	More bool
	// Idle says which steps of a patch change nothing, and why.
	Idle []string
}

// PlannedStep is one step with its effect on the current data.
type PlannedStep struct {
	schema.Step
	// Removes counts the quads that a lossy step would remove, RemovesIn those of each named graph, and Losing names
	// the first [MaxLosing] nodes that would lose some.
	Removes   int64
	RemovesIn map[rdf.Term]int64
	Losing    []string
	// Moves counts the renamed quads, and MovesIn those of each named graph.
	Moves   int64
	MovesIn map[rdf.Term]int64
	// Breaks lists data that contradicts the step, at most 100 entries, and Broken counts
	// the nodes.
	Breaks []fault.FieldError
	Broken int
}

// MaxLosing bounds the nodes that a step names in Losing.
const MaxLosing = 5

// loses counts one more quad that the step removes.
func (p *PlannedStep) loses(s *schema.Schema, q rdf.Quad) {
	p.Removes++
	if q.Label != nil {
		if p.RemovesIn == nil {
			p.RemovesIn = map[rdf.Term]int64{}
		}
		p.RemovesIn[q.Label]++
	}
	if name := s.NodeName(q.Subject); len(p.Losing) < MaxLosing && !slices.Contains(p.Losing, name) {
		p.Losing = append(p.Losing, name)
	}
}

// moved counts n more quads of a graph that the step renames.
func (p *PlannedStep) moved(graph rdf.Term, moves int64) {
	p.Moves += moves
	if graph != nil && moves > 0 {
		if p.MovesIn == nil {
			p.MovesIn = map[rdf.Term]int64{}
		}
		p.MovesIn[graph] += moves
	}
}

// read returns a function that makes the new schema from the current one. A complete schema is parsed at once, before
// anything is locked.
func (c SchemaChange) read(base string) (func(head *schema.Schema) (schema.Patched, error), error) {
	if c.Patch != nil {
		return func(head *schema.Schema) (schema.Patched, error) { return head.Patch(c.Patch) }, nil
	}
	after, err := schema.ParseYAML(c.Source, base)
	return func(head *schema.Schema) (schema.Patched, error) {
		return head.Towards(head.KeepNames(after)), nil
	}, err
}

// PlanSchema returns what [Session.ApplySchema] would do, and changes nothing. It uses only the source or the patch.
func (s *Session) PlanSchema(ctx context.Context, c SchemaChange) (Plan, error) {
	patch, err := c.read(s.graph.Base())
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	err = s.View(ctx, func(snap *Snapshot) error {
		patched, err := patch(snap.Schema())
		if err != nil {
			return err
		}
		if plan, err = planSteps(ctx, snap.source, snap.Schema(), patched); err != nil {
			return err
		}
		idle := idleSteps(patched, 1)
		plan.Head, plan.Loosening, plan.Idle = snap.Head(), patched.Loosening(snap.Schema()), idle.list()
		plan.Queries, err = stored.Carry(ctx, snap.Stored(), snap.Schema(), patched)
		plan.Blocked = plan.Blocked || !c.AllowBrokenQueries && len(broken(plan.Queries)) > 0
		return err
	})
	return plan, err
}

// ApplySchema makes the schema and what follows from it for the data one commit.
// It refuses what the data contradicts, steps that would remove data unless AllowDataLoss
// is set, and what breaks a stored query unless AllowBrokenQueries is; then the plan says
// what they are. New names are in the stored queries, too.
func (s *Session) ApplySchema(ctx context.Context, c SchemaChange) (Plan, Result, error) {
	patch, err := c.read(s.graph.Base())
	if err != nil {
		return Plan{}, Result{}, err
	}
	var spool change.Spool
	defer spool.Close()
	var plan Plan
	var counted losses
	idle := &idling{}
	edit := func(ctx context.Context, w *db.Writer, before *compiled) error {
		patched, err := patch(before.schema)
		if err != nil {
			return err
		}
		if err := c.Guard.ask(patched.Loosening(before.schema)); err != nil {
			return err
		}
		m := schemaEdits{ctx: ctx, w: w, spool: &spool, transition: newTransition(before.schema, patched), report: reporter(c.Progress, "plan", "quads", 0)}
		if err := m.run(); err != nil {
			return err
		}
		if fields := broken(m.plan.Queries); len(fields) > 0 && !c.AllowBrokenQueries {
			return breaks(fields, ", or pass allow_broken_queries")
		}
		plan, plan.Head, *idle = m.plan, w.Head(), idleSteps(patched, 1)
		for _, step := range plan.Steps {
			counted.add(MigratedStep{Moves: step.Moves, Removes: step.Removes})
		}
		if plan.Loses > 0 && !c.AllowDataLoss {
			var lossy []string
			for _, s := range plan.Steps {
				if s.Removes > 0 {
					lossy = append(lossy, s.String())
				}
			}
			return fault.New(fault.Conflict, "the new schema would remove %s: %s; pass allow_data_loss to let it", fault.Counted(plan.Loses, "statement"), strings.Join(lossy, ", ")).
				With("removes", plan.Loses)
		}
		return nil
	}
	message := func() string {
		if c.Set.Message != "" {
			return c.Set.Message
		}
		var steps []schema.Step
		for _, s := range plan.Steps {
			steps = append(steps, s.Step)
		}
		return DefinitionsDiff{Steps: steps}.Message()
	}
	result, err := s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: c.Set, prepare: edit, message: message, losses: &counted, idle: idle, progress: c.Progress})
	return plan, result, err
}

// stepsMessage is what the commit of a change of the schema says when nobody says otherwise.
func stepsMessage(steps []string) string {
	const most, longest = 3, 100
	parts := make([]string, 0, most+1)
	for _, step := range steps[:min(len(steps), most)] {
		parts = append(parts, outline.Shorten(step, longest))
	}
	if more := len(steps) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// schemaEdits converts the difference of two schemas to edits, under the write lock.
type schemaEdits struct {
	transition
	ctx    context.Context
	w      *db.Writer
	spool  *change.Spool
	plan   Plan
	report func(int64)
	// filled, when set, selects statements whose removal is no loss.
	filled func(rdf.Quad) bool
}

func (m *schemaEdits) run() error {
	if err := m.shapes(); err != nil {
		return err
	}
	for i, step := range m.steps {
		planned := PlannedStep{Step: step}
		if i < len(m.renames) {
			if err := m.rename(m.renames[i], &planned); err != nil {
				return err
			}
		} else if err := m.step(&planned); err != nil {
			return err
		}
		m.plan.Loses += planned.Removes
		m.plan.Steps = append(m.plan.Steps, planned)
	}
	return nil
}

// shapes replaces the shapes in the schema graph, renames in the stored queries, and keeps everything else there. The
// plan lists the queries that the schema breaks.
func (m *schemaEdits) shapes() error {
	now, err := collect(m.w.Match(m.ctx, rdf.Quad{Label: rdf.SchemaGraph}))
	if err != nil {
		return err
	}
	patched := schema.Patched{Schema: m.after, Renamed: m.before}
	if m.plan.Queries, err = carryQueries(m.ctx, m.spool, stored.FromQuads(now, m.head), m.head, patched); err != nil {
		return err
	}
	if len(m.steps) == 0 {
		return nil // an unchanged text stays as written
	}
	comes := map[rdf.Quad]bool{} // and does not exist yet
	for _, q := range m.after.Quads() {
		comes[q] = true
	}
	for _, q := range now {
		switch {
		case comes[q]:
			delete(comes, q)
		case !isRecord(q):
			if err := m.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
				return err
			}
		}
	}
	for q := range comes {
		if err := m.spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

func (m *schemaEdits) step(p *PlannedStep) error {
	if p.Lossy {
		return m.each(m.ctx, m.w, p.Step, func(q rdf.Quad) error {
			if m.filled == nil || !m.filled(q) {
				p.loses(m.before, q)
			}
			m.report(1)
			return m.spool.Add(change.Edit{Op: change.Retract, Quad: q})
		})
	}
	if p.Backfill {
		return m.backfill(p.Step)
	}
	return nil
}

// rename adds the edits for the quads that a step renames.
func (m *schemaEdits) rename(step rename, p *PlannedStep) error {
	return m.eachMoved(m.ctx, m.w, step, func(was, now []rdf.Quad, moves int64) error {
		p.moved(was[0].Label, moves)
		m.report(moves)
		if was[0].Label == nil {
			now = m.becomes(now)
		}
		for _, q := range was {
			if err := m.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
				return err
			}
		}
		for _, q := range now {
			if err := m.spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
				return err
			}
		}
		return nil
	})
}

// backfill gives a new required property its default where it has no value.
func (m *schemaEdits) backfill(step schema.Step) error {
	t := m.after.Type(step.Type)
	p := m.after.Property(t, step.Property)
	for _, sub := range m.after.Subtypes(t) {
		if err := eachInstance(m.ctx, m.over(m.w), sub, func(node rdf.Term) error {
			m.report(1)
			return m.spool.Add(change.Edit{Op: change.Default, Quad: rdf.Quad{Subject: node, Predicate: p.IRI, Object: p.Default}})
		}); err != nil {
			return err
		}
	}
	return nil
}

// eachInstance visits the nodes of exactly this type.
func eachInstance(ctx context.Context, src rdf.Source, t *schema.Type, visit func(rdf.Term) error) error {
	for q, err := range src.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: t.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return err
		}
		if err := visit(q.Subject); err != nil {
			return err
		}
	}
	return nil
}
