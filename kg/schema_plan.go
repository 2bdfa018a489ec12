package kg

import (
	"context"
	"errors"
	"slices"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// Bounds on the contradictions that a plan lists.
const (
	maxBreaks     = 100 // of one step
	maxPlanBreaks = 1000
)

// planSteps returns the steps from the schema of a snapshot to another one, with the data that contradicts them. It
// only reads, and checks the nodes that applying would check, as they would be then.
func planSteps(ctx context.Context, r *db.Reader, head *schema.Schema, patched schema.Patched) (Plan, error) {
	shapes, err := validate.Compile(patched.Schema.Quads())
	if err != nil {
		return Plan{}, err
	}
	p := planning{ctx: ctx, transition: newTransition(head, patched)}
	renamed := p.over(r)
	p.check = newChecking(preview{renamed, p.transition}, shapes.Naming(p.after.NodeName), maxPlanBreaks)
	if err := p.count(r); err != nil {
		return Plan{}, err
	}
	err = p.look(r, renamed)
	p.plan.More = errors.Is(err, errEnough)
	if err != nil && !p.plan.More {
		return Plan{}, err
	}
	return p.assign()
}

// planning computes one plan.
type planning struct {
	transition
	ctx   context.Context
	plan  Plan
	check *checking
}

// count counts what each rename moves, and what each lossy step then removes.
func (p *planning) count(r validate.Data) error {
	for i, step := range p.steps {
		planned := PlannedStep{Step: step}
		if i < len(p.renames) {
			err := p.eachMoved(p.ctx, r, p.renames[i], func(was, _ []rdf.Quad, moves int64) error {
				planned.moved(was[0].Label, moves)
				return nil
			})
			if err != nil {
				return err
			}
		}
		if step.Lossy {
			err := p.each(p.ctx, r, step, func(q rdf.Quad) error { planned.loses(p.before, q); return nil })
			if err != nil {
				return err
			}
		}
		p.plan.Loses += planned.Removes
		p.plan.Steps = append(p.plan.Steps, planned)
	}
	return nil
}

// look checks what applying would check: instances of stricter types, nodes that lose something, and the nodes that
// refer to one that loses its type.
func (p *planning) look(r *db.Reader, renamed validate.Data) error {
	if err := p.check.schemaChange(p.ctx, p.head, p.after); err != nil {
		return err
	}
	leaves := func(ctx context.Context, q rdf.Quad) ([]rdf.Quad, error) {
		return preview{renamed, p.transition}.leaves(ctx, r, q)
	}
	if err := p.check.closeBase(p.ctx, r, p.head, p.after, leaves); err != nil {
		return err
	}
	for _, step := range p.steps {
		if !step.Lossy {
			continue
		}
		var last rdf.Term
		err := p.each(p.ctx, r, step, func(q rdf.Quad) error {
			if q.Label != nil {
				return nil // constraints are about the default graph
			}
			if q.Predicate == rdf.Type {
				if err := p.check.referrers(p.ctx, q.Subject); err != nil {
					return err
				}
			}
			if q.Subject == last {
				return nil
			}
			last = q.Subject
			return p.check.node(p.ctx, q.Subject)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// assign assigns every contradiction to the step that causes it.
func (p *planning) assign() (Plan, error) {
	for _, v := range p.check.found {
		quads, err := collect(p.check.data.Match(p.ctx, rdf.Quad{Subject: v.focus, Predicate: rdf.Type, Label: rdf.DefaultGraph}))
		if err != nil {
			return Plan{}, err
		}
		f := v.field
		f.Node, f.Value = p.after.NodeName(v.focus), fault.Bounded(f.Value)
		step := p.cause(v, p.after.TypesOf(quads))
		step.Breaks = append(step.Breaks, f)
		p.plan.Blocked = true
	}
	for i := range p.plan.Steps {
		step := &p.plan.Steps[i]
		nodes := map[string]bool{}
		for _, f := range step.Breaks {
			nodes[f.Node] = true
		}
		step.Broken = len(nodes)
		step.Breaks = fault.Sorted(step.Breaks)
		step.Breaks = step.Breaks[:min(len(step.Breaks), maxBreaks)]
	}
	return p.plan, nil
}

// cause returns the step that most likely causes a contradiction on a node of these types: one about the constraint,
// else the field, a type, a removal, or any.
func (p *planning) cause(v problem, types []*schema.Type) *PlannedStep {
	f := v.field
	about := func(s schema.Step) bool {
		t := p.after.Type(s.Type)
		return slices.ContainsFunc(types, func(of *schema.Type) bool { return slices.Contains(p.after.Supertypes(of), t) || of == t })
	}
	for _, fits := range []func(schema.Step) bool{
		func(s schema.Step) bool { return f.Code == fault.Closed && takesName(s, v) },
		func(s schema.Step) bool {
			return about(s) && (s.Property == f.Field || s.Property == "") && brings(s, f.Code)
		},
		func(s schema.Step) bool { return about(s) && s.Property == f.Field },
		func(s schema.Step) bool { return about(s) && s.Property == "" && s.Checks },
		func(s schema.Step) bool { return s.Lossy },
		func(s schema.Step) bool { return s.Checks },
	} {
		if i := slices.IndexFunc(p.plan.Steps, func(s PlannedStep) bool { return fits(s.Step) }); i >= 0 {
			return &p.plan.Steps[i]
		}
	}
	return &p.plan.Steps[0] // there is an error, so some step requires it
}

// brings reports whether a step is about the constraint with this error code.
func brings(s schema.Step, code fault.Code) bool {
	switch s.Kind {
	case schema.ChangeConstraint:
		return s.Constraint == string(code) || s.Constraint == "min_count" && code == fault.Required
	case schema.ChangeDatatype:
		return code == fault.Datatype || code == fault.NodeKind
	case schema.ChangeClass, schema.ChangeAbstract:
		return code == fault.Class
	case schema.ChangeOpen:
		return code == fault.Closed
	case schema.ChangeKey, schema.ChangeUnique:
		return code == fault.Unique
	default:
		return false
	}
}

// takesName reports whether a step removes the class or predicate that a problem is about.
func takesName(s schema.Step, v problem) bool {
	name := string(v.path)
	if v.path == rdf.Type {
		name = rdf.Lexical(v.value)
	}
	switch from := s.From.(type) {
	case schema.PropertyDocument:
		return from.IRI == name
	case schema.TypeDocument:
		return from.IRI == name || slices.ContainsFunc(from.Properties, func(p schema.PropertyDocument) bool { return p.IRI == name })
	}
	return s.Kind == schema.ChangeIRI && s.From == name
}
