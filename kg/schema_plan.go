package kg

import (
	"context"

	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/schema"
	"trails/validate"
)

// maxBreaks bounds the contradictions that one planned step lists.
const maxBreaks = 100

// planSteps says what lies between the schema of a snapshot and another one, and
// which data stands against it. It reads only.
func planSteps(ctx context.Context, r validate.Data, before *compiled, after *schema.Schema) (Plan, error) {
	shapes, err := validate.Compile(after.Quads())
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	for _, step := range schema.Diff(before.schema, after) {
		planned := PlannedStep{Step: step}
		if step.Lossy {
			err = lossyQuads(ctx, r, before.schema, step, func(rdf.Quad) error { planned.Removes++; return nil })
		} else if step.Checks {
			planned.Breaks, err = breaks(ctx, r, shapes, after, step)
		}
		if err != nil {
			return Plan{}, err
		}
		plan.Loses += planned.Removes
		plan.Blocked = plan.Blocked || len(planned.Breaks) > 0
		plan.Steps = append(plan.Steps, planned)
	}
	return plan, nil
}

// breaks validates the instances of the step's type and keeps what concerns the step.
func breaks(ctx context.Context, r validate.Data, shapes *validate.Shapes, after *schema.Schema, step schema.Step) ([]fault.FieldError, error) {
	t := after.Type(step.Type)
	if t == nil {
		return nil, nil
	}
	c := &compiled{schema: after}
	shapes = shapes.Naming(c.nameOf)
	memo := validate.NewCache(100_000)
	var out []fault.FieldError
	for _, sub := range after.Subtypes(t) {
		err := eachInstance(ctx, r, sub, func(node rdf.Term) error {
			if len(out) >= maxBreaks {
				return nil
			}
			results, err := shapes.NodeCached(ctx, r, node, memo)
			for _, v := range results {
				f := v.FieldError()
				backfilled := step.Backfill && f.Code == fault.Required
				if (step.Property == "" || step.Property == f.Field) && !backfilled {
					f.Node = c.nameOf(node)
					out = append(out, f)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return fault.Sorted(out[:min(len(out), maxBreaks)]), nil
}
