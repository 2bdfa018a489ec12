package kg

import (
	"context"
	"strconv"
	"time"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// Explanation is how a query is run, for people.
type Explanation struct {
	// Algebra is the optimized algebra, with the number of solutions of each operator by itself.
	Algebra string
	db.Explanation
}

// Bounds of counting the solutions of operators.
const (
	maxCounted  = 1_000_000
	countedTime = 10 * time.Second
)

// Explain tells how the query is run. It runs each operator to count its solutions, up
// to a million and as long as there is time: half of ctx's, ten seconds at most.
func (a *Answer) Explain(ctx context.Context) (e Explanation, err error) {
	c := tally{answer: a, ctx: ctx}
	defer c.limit()()
	run := *a.query
	run.Op = opt.Rewrite(run.Op, a.columns())
	e.Algebra = run.DumpNoted(c.note)
	if c.err != nil || a.query.Op == nil {
		return e, c.err
	}
	e.Explanation, err = a.snapshot.source.Explain(ctx, a.plan)
	return e, err
}

// tally counts the solutions of a query's operators.
type tally struct {
	answer *Answer
	ctx    context.Context // context of the caller
	timed  context.Context // context with the time limit for all counts
	err    error
}

func (c *tally) limit() context.CancelFunc {
	limit := countedTime
	if end, ok := c.ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	var cancel context.CancelFunc
	c.timed, cancel = context.WithTimeout(c.ctx, limit)
	return cancel
}

func (c *tally) note(op sparql.Op) string {
	if c.err != nil {
		return ""
	}
	n, err := c.count(op)
	switch {
	case err == nil && n > maxCounted:
		return "more than " + strconv.Itoa(maxCounted) + " rows"
	case err == nil && n == 1:
		return "1 row"
	case err == nil:
		return strconv.FormatInt(n, 10) + " rows"
	case c.ctx.Err() == nil && c.timed.Err() != nil:
		return "not counted: it takes too long"
	case fault.Is(err, fault.TooLarge):
		return "not counted: it is too large"
	}
	c.err = err
	return ""
}

// count runs an operator by itself.
func (c *tally) count(op sparql.Op) (int64, error) {
	a := c.answer
	counted := sparql.Group{
		Op:         sparql.Slice{Op: op, Limit: maxCounted + 1},
		Aggregates: []sparql.Aggregation{{Var: "n", Aggregate: sparql.Aggregate{Func: sparql.Count}}},
	}
	plan, err := a.snapshot.source.Plan(c.timed, counted, []sparql.Var{"n"}, a.query.Dataset, a.query.Base)
	if err != nil {
		return 0, err
	}
	for row, err := range a.snapshot.source.Run(c.timed, plan, db.Limits{Bytes: a.options.Limits.Bytes}) {
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(rdf.Lexical(row[0]), 10, 64)
	}
	return 0, nil
}
