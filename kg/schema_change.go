package kg

import (
	"context"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/policy"
	"trails/rdf"
	"trails/schema"
)

// SchemaChange asks for a schema in the place of the one that is there.
type SchemaChange struct {
	// Source is the whole new schema as YAML.
	Source []byte
	// AllowDataLoss lets steps through that remove data.
	AllowDataLoss bool
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Plan is what lies between two schemas, and what it means for the data.
type Plan struct {
	// Head is the commit that it was made at.
	Head  Commit
	Steps []PlannedStep
	// Blocked reports that data contradicts the new schema.
	Blocked bool
	// Loses counts the quads that would be removed.
	Loses int64
}

// PlannedStep is one step with its effect on the data that is there.
type PlannedStep struct {
	schema.Step
	// Removes counts the quads that a lossy step would remove.
	Removes int64
	// Breaks lists data that contradicts the step; at most 100 entries.
	Breaks []fault.FieldError
}

// PlanSchema says what [Session.ApplySchema] would do, and changes nothing.
func (s *Session) PlanSchema(ctx context.Context, source []byte) (Plan, error) {
	var plan Plan
	err := s.View(ctx, func(snap *Snapshot) error {
		after, err := schema.ParseYAML(source, s.graph.Base())
		if err != nil {
			return err
		}
		plan, err = planSteps(ctx, snap.source, snap.compiled, after)
		plan.Head = snap.Head()
		return err
	})
	return plan, err
}

// ApplySchema makes the schema and what follows from it for the data one commit.
// It refuses what the data contradicts, and steps that would remove data unless
// AllowDataLoss is set; then the plan says what they are.
func (s *Session) ApplySchema(ctx context.Context, c SchemaChange) (Plan, Result, error) {
	after, err := schema.ParseYAML(c.Source, s.graph.Base())
	if err != nil {
		return Plan{}, Result{}, err
	}
	var spool change.Spool
	defer spool.Close()
	var plan Plan
	migrate := func(ctx context.Context, w *db.Writer, before *compiled) error {
		m := migration{ctx: ctx, w: w, spool: &spool, transition: newTransition(before.schema, after), report: reporter(c.Progress, "plan", "quads", 0)}
		if err := m.run(); err != nil {
			return err
		}
		plan, plan.Head = m.plan, w.Head()
		if plan.Loses > 0 && !c.AllowDataLoss {
			var lossy []string
			for _, s := range plan.Steps {
				if s.Removes > 0 {
					lossy = append(lossy, s.String())
				}
			}
			return fault.New(fault.Conflict, "the new schema would remove %d quad(s): %s; pass allow_data_loss to let it", plan.Loses, strings.Join(lossy, ", "))
		}
		return nil
	}
	result, err := s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: c.Set, prepare: migrate, progress: c.Progress})
	return plan, result, err
}

// migration turns the difference of two schemas into edits, under the write lock.
type migration struct {
	transition
	ctx    context.Context
	w      *db.Writer
	spool  *change.Spool
	plan   Plan
	report func(int64)
}

func (m *migration) run() error {
	if err := m.shapes(); err != nil {
		return err
	}
	for _, step := range m.steps {
		planned := PlannedStep{Step: step}
		if err := m.step(&planned); err != nil {
			return err
		}
		m.plan.Loses += planned.Removes
		m.plan.Steps = append(m.plan.Steps, planned)
	}
	return nil
}

// shapes replaces the schema graph.
func (m *migration) shapes() error {
	now, err := collect(m.w.Match(m.ctx, rdf.Quad{Label: rdf.SchemaGraph}))
	if err != nil {
		return err
	}
	for _, q := range now {
		if err := m.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
			return err
		}
	}
	for _, q := range m.after.Quads() {
		if err := m.spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

func (m *migration) step(p *PlannedStep) error {
	if p.Lossy {
		return m.each(m.ctx, m.w, p.Step, func(q rdf.Quad) error {
			p.Removes++
			m.report(1)
			return m.spool.Add(change.Edit{Op: change.Retract, Quad: q})
		})
	}
	if p.Backfill {
		return m.backfill(p.Step)
	}
	return nil
}

// backfill gives a new required property its default where it has no value.
func (m *migration) backfill(step schema.Step) error {
	t := m.after.Type(step.Type)
	p := m.after.Property(t, step.Property)
	for _, sub := range m.after.Subtypes(t) {
		if err := eachInstance(m.ctx, m.w, sub, func(node rdf.Term) error {
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
