package sparql

import (
	"slices"

	"trails/rdf"
)

// ServiceAnswer returns the operator that replaces a SERVICE. Its solutions will be joined with each of the known
// tables, so it need not ask for solutions that do not fit these.
type ServiceAnswer func(s Service, known []Table) (Op, error)

// AnswerServices returns a copy of the query with each SERVICE replaced by its answer, from left to right. A SERVICE
// inside another one is replaced along with it.
func (q *Query) AnswerServices(answer ServiceAnswer) (*Query, error) {
	return q.answered(answering{service: answer})
}

// answered returns a copy of the query with what a finds in the place of its operators.
func (q *Query) answered(a answering) (*Query, error) {
	out := *q
	out.Op = a.op(q.Op, nil)
	return &out, a.err
}

// AnswerServices is [Query.AnswerServices] for the pattern of an update's operation.
func (m Modify) AnswerServices(answer ServiceAnswer) (Modify, error) {
	return m.answered(answering{service: answer})
}

func (m Modify) answered(a answering) (Modify, error) {
	m.Where = a.op(m.Where, nil)
	return m, a.err
}

// Select returns the query for the endpoint: SELECT * of the pattern, joined with the tables of values.
func (s Service) Select(base string, values ...Table) string {
	p := newPrinter(nil)
	p.prologue(base, nil)
	op := s.Op
	for _, t := range slices.Backward(values) {
		op = Join{t, op}
	}
	p.write("SELECT * WHERE ")
	p.group(op)
	return p.Builder.String()
}

// answering replaces the services, or the searches, of one pattern. What has no function is kept.
type answering struct {
	service ServiceAnswer
	search  SearchAnswer
	err     error
}

// op replaces what op and the operators below it have of them. known are tables that the solutions of op will be joined with; they are passed down
// only through operators that commute with that join.
func (a *answering) op(op Op, known []Table) Op {
	switch op := op.(type) {
	case Service:
		if a.service == nil {
			return op
		}
		return a.with(op, func() (Op, error) { return a.service(op, known) })
	case Search:
		if a.search == nil {
			return op
		}
		return a.with(op, func() (Op, error) { return a.search(op, known) })
	case Join:
		left := a.op(op.Left, slices.Concat(known, tablesIn(op.Right)))
		return Join{left, a.op(op.Right, slices.Concat(known, tablesIn(left)))}
	case Union:
		return Union{a.op(op.Left, known), a.op(op.Right, known)}
	case Graph:
		return Graph{op.Name, a.op(op.Op, known)}
	case LeftJoin:
		left := a.op(op.Left, nil)
		return LeftJoin{left, a.op(op.Right, tablesIn(left)), a.expr(op.Expr)}
	}
	return EachOperand(op, a.alone, a.expr)
}

// with is the answer in the place of an operator, which is kept after a failure.
func (a *answering) with(op Op, answer func() (Op, error)) Op {
	if a.err != nil {
		return op
	}
	answered, err := answer()
	if err != nil {
		a.err = err
		return op
	}
	return answered
}

// alone is op without known tables.
func (a *answering) alone(op Op) Op { return a.op(op, nil) }

func (a *answering) expr(e Expr) Expr { return EachPattern(e, a.alone) }

// tablesIn returns tables that every solution of op is compatible with.
func tablesIn(op Op) []Table {
	switch op := op.(type) {
	case Table:
		return []Table{op}
	case Join:
		return slices.Concat(tablesIn(op.Left), tablesIn(op.Right))
	case LeftJoin:
		return tablesIn(op.Left)
	case Minus:
		return tablesIn(op.Left)
	case Filter:
		return tablesIn(op.Op)
	case Extend:
		tables := tablesIn(op.Op)
		if c, ok := op.Expr.(TermExpr); ok {
			tables = append(tables, Table{Vars: []Var{op.Var}, Rows: [][]rdf.Term{{c.Term}}})
		}
		return tables
	}
	return nil
}
