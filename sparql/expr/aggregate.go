package expr

import (
	"bytes"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Accumulator computes an aggregate (section 18.5.1) over one group. It is made by
// [NewAccumulator], belongs to one goroutine, and is given every solution of the
// group by Add, or by AddRow when the aggregate is COUNT(*).
type Accumulator struct {
	set      fold
	distinct map[string]struct{} // nil unless DISTINCT
	key      []byte
	size     int
	err      error // an error that ends the query
	failed   error // an error of the expression in one solution
	excuses  bool  // errors of the expression do not count (COUNT, SAMPLE)
}

// fold is the part of an aggregate that differs by function: it takes values, and gives a result.
type fold interface {
	// add takes a value. If it returns an [Error], that is the result of the aggregate; any other error ends the
	// query.
	add(t rdf.Term) error
	value() (rdf.Term, error)
}

// NewAccumulator returns the accumulator of an aggregate for a group that is
// still empty.
func NewAccumulator(a sparql.Aggregate) *Accumulator {
	acc := &Accumulator{set: newFold(a), excuses: a.Func == sparql.Count || a.Func == sparql.Sample}
	if a.Distinct && a.Func != sparql.Min && a.Func != sparql.Max && a.Func != sparql.Sample {
		acc.distinct = map[string]struct{}{} // DISTINCT changes only the results of these functions
	}
	return acc
}

func newFold(a sparql.Aggregate) fold {
	switch a.Func {
	case sparql.Count:
		return &count{}
	case sparql.Sum:
		return &sum{}
	case sparql.Avg:
		return &average{}
	case sparql.Min:
		return &extreme{sign: -1}
	case sparql.Max:
		return &extreme{sign: 1}
	case sparql.Sample:
		return &sample{}
	case sparql.GroupConcat:
		return &groupConcat{separator: a.Separator}
	}
	return unknownFold{}
}

// Add takes the value of the aggregate's expression in one solution, or its error.
func (a *Accumulator) Add(t rdf.Term, err error) {
	switch {
	case a.err != nil || a.failed != nil && !a.excuses:
		return
	case err == nil:
		if a.isNew(t) {
			a.put(t)
		}
	case !IsError(err):
		a.err = err
	case !a.excuses:
		a.failed = err
	}
}

// AddRow takes a solution for COUNT(*): the values of all variables of the pattern, in the same order each time, nil
// for an unbound one.
func (a *Accumulator) AddRow(row ...rdf.Term) {
	if a.err == nil && a.isNew(row...) {
		a.put(trueTerm)
	}
}

func (a *Accumulator) put(t rdf.Term) {
	switch err := a.set.add(t); {
	case err == nil:
	case IsError(err):
		a.failed = err
	default:
		a.err = err
	}
}

// isNew reports whether DISTINCT lets a row pass, because it is the first one like it.
func (a *Accumulator) isNew(row ...rdf.Term) bool {
	if a.distinct == nil {
		return true
	}
	a.key = a.key[:0]
	for _, t := range row {
		a.key = append(rdf.AppendTerm(a.key, t), '\n')
	}
	if _, seen := a.distinct[string(a.key)]; seen {
		return false
	}
	a.distinct[string(a.key)] = struct{}{}
	a.size += len(a.key) + bytesPerKey
	return true
}

// bytesPerKey is the approximate memory that a map needs for a key, without its text.
const bytesPerKey = 40

// Size returns the approximate memory of the accumulator, for the budget of the query.
func (a *Accumulator) Size() int {
	if g, ok := a.set.(*groupConcat); ok {
		return a.size + g.out.Len()
	}
	return a.size
}

// Value returns the value of the aggregate. An [Error] is its value by the specification, such as MIN of an empty
// group; any other error ends the query.
func (a *Accumulator) Value() (rdf.Term, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.failed != nil:
		return nil, a.failed
	}
	return a.set.value()
}

type count struct{ n int64 }

func (c *count) add(rdf.Term) error       { c.n++; return nil }
func (c *count) value() (rdf.Term, error) { return xsd.Integer(c.n).Term(), nil }

// sum is SUM, which is 0 for an empty group (section 18.5.1.3). Values are all numbers, or all
// durations.
type sum struct {
	total   xsd.Number
	numbers bool // there was a number
	lengths xsd.Durations
}

func (s *sum) add(t rdf.Term) error {
	n, isNumber := xsd.NumberOf(t)
	var err error
	switch {
	case isNumber && s.lengths.Begun() || !isNumber && s.numbers:
		err = xsd.ErrOperands
	case !isNumber:
		err = s.lengths.Add(t)
	case !s.numbers:
		s.total, err = xsd.Integer(0).Add(n)
	default:
		s.total, err = s.total.Add(n)
	}
	s.numbers = s.numbers || isNumber
	if err != nil {
		return numberErrors[err]
	}
	return nil
}

func (s *sum) value() (rdf.Term, error) {
	switch {
	case s.numbers:
		return s.total.Term(), nil
	case !s.lengths.Begun():
		return xsd.Integer(0).Term(), nil
	}
	t, err := s.lengths.Sum()
	if err != nil {
		return nil, numberErrors[err]
	}
	return t, nil
}

// average is AVG, which is 0 for an empty group (section 18.5.1.4).
type average struct {
	sum
	n int64
}

func (a *average) add(t rdf.Term) error {
	a.n++
	return a.sum.add(t)
}

func (a *average) value() (rdf.Term, error) {
	if a.n == 0 {
		return a.sum.value()
	}
	if a.lengths.Begun() {
		t, err := a.lengths.Mean(a.n)
		if err != nil {
			return nil, numberErrors[err]
		}
		return t, nil
	}
	mean, err := a.total.Div(xsd.Integer(a.n))
	if err != nil {
		return nil, numberErrors[err]
	}
	return mean.Term(), nil
}

// extreme is MIN or MAX by the order of ORDER BY. Of values that have the same place in it, such as 1 and 1.0, it is
// the one whose text is the least or greatest, so that the order of solutions does not matter.
type extreme struct {
	sign int
	best rdf.Term
}

func (e *extreme) add(t rdf.Term) error {
	if e.best == nil {
		e.best = t
		return nil
	}
	order := Compare(t, e.best)
	if order == 0 && t != e.best {
		order = bytes.Compare(rdf.AppendTerm(nil, t), rdf.AppendTerm(nil, e.best))
	}
	if e.sign*order > 0 {
		e.best = t
	}
	return nil
}

func (e *extreme) value() (rdf.Term, error) { return orUnbound(e.best) }

type sample struct{ first rdf.Term }

func (s *sample) add(t rdf.Term) error {
	if s.first == nil {
		s.first = t
	}
	return nil
}

func (s *sample) value() (rdf.Term, error) { return orUnbound(s.first) }

func orUnbound(t rdf.Term) (rdf.Term, error) {
	if t == nil {
		return nil, ErrUnbound
	}
	return t, nil
}

// groupConcat joins the texts that STR gives, in the order they come.
type groupConcat struct {
	separator string
	out       strings.Builder
	begun     bool
}

func (g *groupConcat) add(t rdf.Term) error {
	text, err := str(t)
	if err != nil {
		return err
	}
	piece := rdf.Lexical(text.term)
	if g.out.Len()+len(g.separator)+len(piece) > MaxText {
		return errTooLong("GROUP_CONCAT")
	}
	if g.begun {
		g.out.WriteString(g.separator)
	}
	g.begun = true
	g.out.WriteString(piece)
	return nil
}

func (g *groupConcat) value() (rdf.Term, error) {
	return rdf.Literal(g.out.String(), rdf.XSDString), nil
}

// unknownFold stands for an aggregate that the parser does not know.
type unknownFold struct{}

func (unknownFold) add(rdf.Term) error       { return ErrType }
func (unknownFold) value() (rdf.Term, error) { return nil, ErrType }
