package kg

import (
	"context"
	"maps"

	"trails/db"
	"trails/db/plan"
)

// Explanation is how a query is run, for people.
type Explanation struct {
	db.Explanation
	// Lines are the operators of the plan, and Left is how many more it has.
	Lines []plan.Line
	Left  int
}

// Explain tells how the query is run. It runs it to count the rows of its operators, within the limits of the query
// and for a few seconds at most.
func (a *Answer) Explain(ctx context.Context) (e Explanation, err error) {
	if a.query.Op == nil {
		return e, nil
	}
	if e.Explanation, err = a.snapshot.source.Explain(ctx, a.plan, a.options.Limits); err == nil {
		prefixes := maps.Clone(a.snapshot.compiled.prefixes)
		maps.Copy(prefixes, a.Prefixes)
		e.Lines, e.Left = plan.Lines(e.Root, e.Run, prefixes)
	}
	return e, err
}
