package db

import (
	"strconv"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
	"trails/sparql/expr"
)

// questions are the queries that the SQL functions of one connection serve.
type questions struct {
	current *question
	ahead   *walk // the walk whose statement is starting
}

// answerQuestions registers, once, the SQL functions that package lower uses.
func (c *conn) answerQuestions() error {
	if c.questions != nil {
		return nil
	}
	all := &questions{}
	value := func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) { return all.current.value(args) }
	for name, f := range map[string]*sqlite.FunctionImpl{
		"t_eval": {NArgs: -1, Deterministic: true, Scalar: value},
		"t_new":  {NArgs: -1, Scalar: value},
		"t_ebv": {NArgs: -1, Deterministic: true, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			return all.current.test(args)
		}},
		"t_show": {NArgs: -1, Deterministic: true, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			return all.current.shown(args)
		}},
		// Not deterministic, so that SQLite does not move it into a subquery.
		"t_seen": {NArgs: -1, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) { return all.current.seen(args) }},
		"t_str":  {NArgs: 1, Deterministic: true, Scalar: all.part(strOf)},
		"t_lang": {NArgs: 1, Deterministic: true, Scalar: all.part(langOf)},
		"t_text": {NArgs: 1, Deterministic: true, Scalar: all.part(textOf)},
		"t_class": {NArgs: 1, Deterministic: true, Scalar: all.sorting(func(t rdf.Term) sqlite.Value {
			return sqlite.IntegerValue(lower.SortClass(t))
		})},
		"t_key": {NArgs: 1, Deterministic: true, Scalar: all.sorting(inOrder)},
		"t_row": {NArgs: 0, Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
			all.current.lastRow++
			return sqlite.IntegerValue(all.current.lastRow), nil
		}},
		"t_sum": {NArgs: 4, Deterministic: true, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			if args[3].Int64() < 0 { // a value was an error
				return sqlite.Value{}, nil
			}
			return all.current.given(sumOf(args).Term(), nil)
		}},
		"t_avg": {NArgs: 4, Deterministic: true, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			n := args[3].Int64()
			if n < 0 { // a value was an error
				return sqlite.Value{}, nil
			}
			if n == 0 { // an integer, which no quotient is
				return all.current.given(sumOf(args).Term(), nil)
			}
			mean, err := sumOf(args).Div(xsd.Integer(n))
			if err != nil {
				return all.current.fails(err)
			}
			return all.current.given(mean.Term(), nil)
		}},
		"t_agg": {NArgs: -1, MakeAggregate: func(sqlite.Context) (sqlite.AggregateFunction, error) {
			return &aggregate{question: all.current}, nil
		}},
	} {
		if err := c.CreateFunction(name, f); err != nil {
			return err
		}
	}
	if err := all.registerGraphs(c); err != nil {
		return err
	}
	if err := all.registerReach(c); err != nil {
		return err
	}
	if err := all.registerScan(c); err != nil {
		return err
	}
	if err := c.SetCollation("t_order", func(a, b string) int { return all.current.order(a, b) }); err != nil {
		return err
	}
	c.questions = all
	return nil
}

// fails ends the query with an error that the caller gets unchanged.
func (q *question) fails(err error) (sqlite.Value, error) {
	if q.err == nil {
		q.err = err
	}
	return sqlite.Value{}, err
}

func (q *question) value(args []sqlite.Value) (sqlite.Value, error) {
	program, s := q.solution(args)
	t, err := program.Eval(s)
	if s.err != nil {
		err = s.err
	}
	return q.given(t, err)
}

// shown is value for columns that are only returned: a term without an id is passed as a text.
func (q *question) shown(args []sqlite.Value) (sqlite.Value, error) {
	program, s := q.solution(args)
	t, err := program.Eval(s)
	if s.err != nil {
		err = s.err
	}
	if err != nil || t == nil {
		return q.given(nil, err)
	}
	if id, ok := inline.ID(t); ok {
		return idValue(id), nil
	}
	return sqlite.TextValue(written(t)), nil
}

// given converts the value of an expression to SQL: an id, or NULL for an error.
func (q *question) given(t rdf.Term, err error) (sqlite.Value, error) {
	if err != nil && !expr.IsError(err) {
		return q.fails(err)
	}
	if err != nil || t == nil {
		return sqlite.Value{}, nil
	}
	id, err := q.id(t)
	if err != nil {
		return q.fails(err)
	}
	return idValue(id), nil
}

func (q *question) test(args []sqlite.Value) (sqlite.Value, error) {
	program, s := q.solution(args)
	yes, err := program.Test(s)
	if s.err != nil {
		err = s.err
	}
	switch {
	case err != nil && expr.IsError(err):
		return sqlite.Value{}, nil
	case err != nil:
		return q.fails(err)
	case yes:
		return sqlite.IntegerValue(1), nil
	}
	return sqlite.IntegerValue(0), nil
}

// order compares two ids as ORDER BY compares their terms. It fails once the query has been ended, because SQLite
// checks for an interrupt only after sorting.
func (q *question) order(a, b string) int {
	if q.compared++; q.ended || q.compared%endedEvery == 0 && q.over() != nil {
		q.ended = true
		return 0
	}
	idA, errA := strconv.ParseInt(a, 10, 64)
	idB, errB := strconv.ParseInt(b, 10, 64)
	if errA != nil || errB != nil || idA == idB {
		return 0
	}
	return q.compare(inline.TermID(idA), inline.TermID(idB))
}

// compare compares two ids as ORDER BY compares their terms. Its error is that of the query.
func (q *question) compare(x, y inline.TermID) int {
	// One value may have two forms.
	if x < 0 && y < 0 && (x-y > 1 || y-x > 1) && inline.RegionAt(x) == inline.RegionAt(y) {
		if x < y {
			return -1
		}
		return 1
	}
	left, errA := q.term(x)
	right, errB := q.term(y)
	if errA != nil || errB != nil {
		_, _ = q.fails(firstError(errA, errB))
		return 0
	}
	return expr.Compare(left, right)
}

// endedEvery is the number of comparisons of a sort between two checks that the query is still wanted.
const endedEvery = 64

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// aggregate computes one aggregate of one group.
type aggregate struct {
	question *question
	acc      *expr.Accumulator
	size     int
}

// Step takes a solution: the number of the aggregate, and the value of its expression or, for COUNT(DISTINCT *), all
// values.
func (a *aggregate) Step(_ sqlite.Context, args []sqlite.Value) error {
	q := a.question
	which := q.plan.Aggregates[args[0].Int()]
	if a.acc == nil {
		a.acc = expr.NewAccumulator(which)
	}
	if err := a.add(which, args[1:]); err != nil {
		_, err = q.fails(err)
		return err
	}
	size := a.acc.Size()
	if err := q.grow(int64(size - a.size)); err != nil {
		_, err = q.fails(err)
		return err
	}
	a.size = size
	return nil
}

// add adds a row, or the value of an expression.
func (a *aggregate) add(which sparql.Aggregate, args []sqlite.Value) error {
	if which.Expr != nil {
		t, err := a.question.passed(args)
		if err == nil && t == nil {
			a.acc.Add(nil, expr.ErrUnbound)
			return nil
		}
		a.acc.Add(t, nil)
		return err
	}
	row := make([]rdf.Term, len(args))
	for i := range args {
		var err error
		if row[i], err = a.question.passed(args[i : i+1]); err != nil {
			return err
		}
	}
	a.acc.AddRow(row...)
	return nil
}

// WindowInverse is never called: no statement has windows.
func (a *aggregate) WindowInverse(sqlite.Context, []sqlite.Value) error { return nil }

// WindowValue returns the value of the group.
func (a *aggregate) WindowValue(sqlite.Context) (sqlite.Value, error) {
	if a.acc == nil {
		return sqlite.Value{}, nil
	}
	return a.question.given(a.acc.Value())
}

// Finalize releases the memory of the group.
func (a *aggregate) Finalize(sqlite.Context) { _ = a.question.grow(-int64(a.size)) }
