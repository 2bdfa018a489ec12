package invoke

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trails/kg"
	"trails/kg/fault"
)

// askPatience is how long a person may think about a question.
const askPatience = 5 * time.Minute

// askSteps bounds what a question lists.
const askSteps = 8

// agrees asks the person behind the caller. No answer in time, or one that cannot be
// read, is a no. Nothing may be locked or pinned meanwhile.
func (r *running) agrees(ctx context.Context, question string) (bool, error) {
	r.release()
	patience, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	yes, err := r.Ask(patience, Question{Message: question})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return yes && err == nil, nil
}

// applySchema applies a schema. When that is refused because it would remove data,
// and somebody can be asked, a yes lets it through on the head that was asked about.
func (r *running) applySchema(ctx context.Context, c kg.SchemaChange) (kg.Plan, kg.Result, error) {
	p, result, err := r.session().ApplySchema(ctx, c)
	if !fault.Is(err, fault.Conflict) || p.Loses == 0 || c.AllowDataLoss || c.Set.DryRun || r.Ask == nil {
		return p, result, err
	}
	yes, asked := r.agrees(ctx, r.lossQuestion(p, result.Before))
	if asked != nil {
		return p, result, asked
	}
	if !yes {
		return p, result, err
	}
	c.AllowDataLoss, c.Set.IfCommit = true, &result.Before.ID
	return r.session().ApplySchema(ctx, c)
}

func (r *running) lossQuestion(p kg.Plan, head kg.Commit) string {
	var parts []string
	for _, s := range p.Steps {
		if s.Removes > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", s.String(), statements(s.Removes)))
		}
	}
	return fmt.Sprintf("The new schema removes %s from the graph %s at commit %s: %s. The history keeps them. Go on?",
		statements(p.Loses), said(r.engine.graph.Name(), 40), head.ID.String()[:commitDigits], enumerated(parts))
}

func statements(n int64) string {
	if n == 1 {
		return "1 statement"
	}
	return fmt.Sprintf("%d statements", n)
}

func enumerated(parts []string) string {
	if more := len(parts) - askSteps; more > 0 {
		parts = append(parts[:askSteps:askSteps], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// confirmReplacement is what an overwrite asks before it removes nodes; nil when
// nobody can be asked.
func (r *running) confirmReplacement() func(context.Context, kg.Replacement) error {
	if r.Ask == nil {
		return nil
	}
	return func(ctx context.Context, goes kg.Replacement) error {
		var parts []string
		var all int64
		for _, t := range goes.Types {
			parts, all = append(parts, fmt.Sprintf("%d of %s", t.Nodes, oneLine(t.Name, 100))), all+t.Nodes
		}
		what := fmt.Sprintf("%d node(s): %s", all, enumerated(parts))
		yes, err := r.agrees(ctx, fmt.Sprintf("Overwriting replaces all nodes of the types in the data. In the graph %s at commit %s that removes %s. The history keeps them. Go on?",
			said(r.engine.graph.Name(), 40), goes.Head.ID.String()[:commitDigits], what))
		if err == nil && !yes {
			err = fault.New(fault.Conflict, "mode overwrite would remove %s; it was not confirmed, and nothing was changed", what).With("removes", all)
		}
		return err
	}
}
