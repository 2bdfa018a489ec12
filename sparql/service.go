package sparql

import (
	"slices"

	"trails/rdf"
)

// ServiceAnswer returns what stands in the place of a SERVICE. Whatever it answers is
// joined with each of the known tables, so that what these rule out need not be asked.
type ServiceAnswer func(s Service, known []Table) (Op, error)

// AnswerServices returns the query with each SERVICE replaced by its answer, those
// further left in the text first. One inside another goes with it. The query stays
// as it is.
func (q *Query) AnswerServices(answer ServiceAnswer) (*Query, error) {
	a := answering{answer: answer}
	out := *q
	out.Op = a.op(q.Op, nil)
	return &out, a.err
}

// AnswerServices is [Query.AnswerServices] for the pattern of an update's operation.
func (m Modify) AnswerServices(answer ServiceAnswer) (Modify, error) {
	a := answering{answer: answer}
	m.Where = a.op(m.Where, nil)
	return m, a.err
}

// Select returns the query that an endpoint is asked: the service's pattern, joined
// with tables of values, all of its variables selected.
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

// answering replaces the services of one pattern.
type answering struct {
	answer ServiceAnswer
	err    error
}

// op replaces those in op, whose solutions are joined with the known tables.
// Only operators that commute with that join pass them on.
func (a *answering) op(op Op, known []Table) Op {
	switch op := op.(type) {
	case Service:
		if a.err != nil {
			return op
		}
		answer, err := a.answer(op, known)
		if err != nil {
			a.err = err
			return op
		}
		return answer
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

// alone is op for a pattern that stands for itself.
func (a *answering) alone(op Op) Op { return a.op(op, nil) }

func (a *answering) expr(e Expr) Expr { return EachPattern(e, a.alone) }

// tablesIn are tables that every solution of op is compatible with.
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
