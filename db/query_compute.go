package db

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// compute evaluates an expression of the plan on ids, see [scan.Env].
func (c *scanCursor) compute(k int, ids ...int64) (int64, error) {
	if value, ok, err := c.computeByID(k, ids); ok || err != nil {
		return int64(value), err
	}
	t, err := c.eval(k, ids)
	switch {
	case err != nil && expr.IsError(err):
		return 0, nil
	case err != nil:
		return 0, err
	case c.question.plan.Exprs[k].Numbered:
		return c.number(t)
	}
	id, err := c.question.id(t)
	return int64(id), err
}

// computeByID computes without making terms; ok is false where that cannot be done.
func (c *scanCursor) computeByID(k int, ids []int64) (value inline.TermID, ok bool, err error) {
	if c.byID == nil {
		c.byID, c.zones = make([]ofIDs, len(c.question.plan.Exprs)), make([]rdf.Term, len(c.question.plan.Exprs))
		for i, e := range c.question.plan.Exprs {
			c.byID[i] = ofIDsOf(e.Expr)
			c.zones[i] = zoneOf(e.Expr)
		}
	}
	if of := c.byID[k]; of != nil {
		return of(c, ids)
	}
	return 0, false, nil
}

// eval evaluates an expression of the plan on the terms of ids, after computeByID could not.
func (c *scanCursor) eval(k int, ids []int64) (rdf.Term, error) {
	if zone := c.zones[k]; zone != nil {
		if _, hasTime, _ := inline.Time(inline.TermID(ids[0])); hasTime {
			return zone, nil
		}
	}
	t, err := c.question.programs[k].Eval(c.valuesOf(k, ids))
	if c.valued.err != nil {
		return nil, c.valued.err
	}
	return t, err
}

// number returns the id of a term whose value an id holds, and numbers others from 1 on, see [lower.Expr]. The
// dictionary is not asked for them.
func (c *scanCursor) number(t rdf.Term) (int64, error) {
	if id, ok := inline.ID(t); ok {
		return int64(id), nil
	}
	n, ok := c.numbers[t]
	if ok {
		return n, nil
	}
	if c.numbers == nil {
		c.numbers, c.typed = map[rdf.Term]int64{}, map[int64]bool{}
	}
	n = int64(len(c.numbers)) + 1
	c.numbers[t] = n
	if _, ok := t.(rdf.TypedString); ok {
		c.typed[n] = true
	}
	return n, c.question.grow(int64(len(rdf.Lexical(t))) + bytesPerNumber)
}

// bytesPerNumber is the approximate memory for the number of a term, without its text.
const bytesPerNumber = 100

// groupFold is an aggregate of a group, whose memory is counted.
type groupFold struct {
	acc  *expr.Accumulator
	size int
}

// bytesPerFold is the approximate memory of an aggregate of a group, without its values.
const bytesPerFold = 150

// fold adds the value of an expression on ids to an aggregate of a group, see [scan.Env].
func (c *scanCursor) fold(number, group, k int, ids ...int64) error {
	f, err := c.foldOf(number, group)
	if err != nil {
		return err
	}
	t, err := c.valueOf(k, ids)
	if err != nil && !expr.IsError(err) {
		return err
	}
	f.acc.Add(t, err)
	size := f.acc.Size()
	err = c.question.grow(int64(size - f.size))
	f.size = size
	return err
}

// valueOf is the value of an expression as a term.
func (c *scanCursor) valueOf(k int, ids []int64) (rdf.Term, error) {
	if value, ok, err := c.computeByID(k, ids); err != nil {
		return nil, err
	} else if ok {
		return c.question.term(value)
	}
	return c.eval(k, ids)
}

// foldOf returns an aggregate of a group, which it begins.
func (c *scanCursor) foldOf(number, group int) (*groupFold, error) {
	if c.folds == nil {
		c.folds = make([][]groupFold, len(c.question.plan.Aggregates))
	}
	of := &c.folds[number]
	for len(*of) <= group {
		*of = append(*of, groupFold{acc: expr.NewAccumulator(c.question.plan.Aggregates[number])})
		if err := c.question.grow(bytesPerFold); err != nil {
			return nil, err
		}
	}
	return &(*of)[group], nil
}

// folded returns the value of an aggregate of a group, 0 for an error, and forgets it.
func (c *scanCursor) folded(number, group int) (int64, error) {
	f, err := c.foldOf(number, group)
	if err != nil {
		return 0, err
	}
	t, err := f.acc.Value()
	if err != nil && !expr.IsError(err) {
		return 0, err
	}
	id := inline.TermID(0)
	if err == nil {
		if id, err = c.question.id(t); err != nil {
			return 0, err
		}
	}
	size := f.size
	*f = groupFold{}
	return int64(id), c.question.grow(-bytesPerFold - int64(size))
}

// ofIDs computes an expression from the ids of its variables without making terms, ofID one of a single variable from
// its id, or from its row. ok is false where that cannot be done.
type (
	ofIDs func(c *scanCursor, ids []int64) (value inline.TermID, ok bool, err error)
	ofID  func(c *scanCursor, id inline.TermID) (value inline.TermID, ok bool, err error)
)

// ofIDsOf returns how a variable, a function of one, or a comparison of two is computed; nil where terms are needed.
func ofIDsOf(e sparql.Expr) ofIDs {
	if _, ok := e.(sparql.VarExpr); ok {
		return func(_ *scanCursor, ids []int64) (inline.TermID, bool, error) {
			return inline.TermID(ids[0]), ids[0] < 0, nil
		}
	}
	call, _ := e.(sparql.Call)
	isNoVariable := func(arg sparql.Expr) bool { _, ok := arg.(sparql.VarExpr); return !ok }
	switch holds := comparisons[call.Func]; {
	case len(call.Args) == 0 || slices.ContainsFunc(call.Args, isNoVariable):
		return nil
	case holds != nil && call.Args[0] != call.Args[1]:
		return compared(holds)
	case len(call.Args) == 1 && byID[call.Func] != nil:
		of := byID[call.Func]
		return func(c *scanCursor, ids []int64) (inline.TermID, bool, error) { return of(c, inline.TermID(ids[0])) }
	}
	return nil
}

// compared compares two numbers or two dates whose ids have their order.
func compared(holds func(order int) bool) ofIDs {
	dates, no := inline.RegionOf(rdf.XSDDate), inline.RegionOf(rdf.XSDBoolean).Zero
	return func(_ *scanCursor, ids []int64) (inline.TermID, bool, error) {
		for _, r := range []*inline.Region{integers, dates} {
			if r.Low <= inline.TermID(min(ids[0], ids[1])) && inline.TermID(max(ids[0], ids[1])) < r.High {
				if holds(cmp.Compare(ids[0], ids[1])) {
					return no + 1, true, nil
				}
				return no, true, nil
			}
		}
		return 0, false, nil
	}
}

// byID are functions of one value that need its id, or its row, alone.
var byID = map[sparql.Func]ofID{
	"YEAR":    partOfDate(func(t time.Time) int { return t.Year() }),
	"MONTH":   partOfDate(func(t time.Time) int { return int(t.Month()) }),
	"DAY":     partOfDate(func(t time.Time) int { return t.Day() }),
	"HOURS":   partOfTime(func(t time.Time) int { return t.Hour() }),
	"MINUTES": partOfTime(func(t time.Time) int { return t.Minute() }),
	"SECONDS": seconds,
	"CEIL":    wholeNumber, "FLOOR": wholeNumber, "ROUND": wholeNumber,
	"ABS": func(_ *scanCursor, id inline.TermID) (inline.TermID, bool, error) {
		if id < integers.Zero {
			id = 2*integers.Zero - id
		}
		return id, integers.Low <= id && id < integers.High, nil
	},
	"STRLEN": func(c *scanCursor, id inline.TermID) (inline.TermID, bool, error) {
		if whole, err := c.readTerm(int64(id)); err != nil || !whole || c.terms.Row.Kind() != dictionary.KindString && c.terms.Row.Kind() != dictionary.KindLang {
			return 0, false, err
		}
		return integers.Zero + inline.TermID(utf8.RuneCount(c.terms.Row.Value())), true, nil
	},
}

// seconds is the id of the decimal that SECONDS returns for a moment: in the canonical form, without a point if it is
// whole.
func seconds(_ *scanCursor, id inline.TermID) (inline.TermID, bool, error) {
	t, hasTime, ok := inline.Time(id)
	value := decimals.Zero + inline.TermID(int64(t.Second())*inline.Unit+int64(t.Nanosecond()/1000))<<1
	if t.Nanosecond() == 0 {
		value++
	}
	return value, ok && hasTime, nil
}

// zoneFunctions are functions of the zone of a moment, with their value for the moments in ids, which are in UTC.
var zoneFunctions = map[sparql.Func]rdf.Term{
	"TZ": rdf.String("Z"), "TIMEZONE": rdf.TypedString{Value: "PT0S", Type: rdf.XSDNS + "dayTimeDuration"},
}

// zoneOf returns the value of a function of the zone of a variable; nil for other expressions.
func zoneOf(e sparql.Expr) rdf.Term {
	call, _ := e.(sparql.Call)
	if len(call.Args) == 1 {
		if _, ok := call.Args[0].(sparql.VarExpr); ok {
			return zoneFunctions[call.Func]
		}
	}
	return nil
}

func wholeNumber(_ *scanCursor, id inline.TermID) (inline.TermID, bool, error) {
	return id, integers.Low <= id && id < integers.High, nil
}

func partOfDate(of func(time.Time) int) ofID { return partOf(of, false) }
func partOfTime(of func(time.Time) int) ofID { return partOf(of, true) }

// partOf is a function of a date, or of a date with a time.
func partOf(of func(time.Time) int, needsTime bool) ofID {
	return func(_ *scanCursor, id inline.TermID) (inline.TermID, bool, error) {
		t, hasTime, ok := inline.Time(id)
		if !ok || needsTime && !hasTime {
			return 0, false, nil
		}
		return integers.Zero + inline.TermID(of(t)), true, nil
	}
}

// ofTerm tests a term by its id, or by its row, without making the term. ok is false where that cannot be done.
type ofTerm func(c *scanCursor, id int64) (yes, ok bool, err error)

// ofTermOf returns how a condition on one variable is tested; nil where terms are needed: the kind of a term, a
// comparison of its text, or of what byID computes with an integer.
func ofTermOf(e sparql.Expr) ofTerm {
	call, _ := e.(sparql.Call)
	if words := wordTestOf(e); words.holds != nil {
		return words.test
	}
	if kinds := kindsOf[call.Func]; kinds != nil {
		if _, ok := call.Args[0].(sparql.VarExpr); ok {
			return ofKind(kinds)
		}
	}
	holds := comparisons[call.Func]
	if holds == nil {
		return nil
	}
	inner, _ := call.Args[0].(sparql.Call)
	of := byID[inner.Func]
	if len(inner.Args) != 1 {
		return nil
	}
	if _, ok := inner.Args[0].(sparql.VarExpr); !ok {
		return nil
	}
	constant, _ := call.Args[1].(sparql.TermExpr)
	asked, ok := inline.ID(constant.Term)
	if of == nil || !ok || asked < integers.Low || asked >= integers.High {
		return nil
	}
	return func(c *scanCursor, id int64) (yes, ok bool, err error) {
		value, ok, err := of(c, inline.TermID(id))
		ok = ok && integers.Low <= value && value < integers.High
		return ok && holds(cmp.Compare(value, asked)), ok, err
	}
}

// comparisons says which orders of two integers make a comparison true.
var comparisons = map[sparql.Func]func(order int) bool{
	sparql.Equal: func(order int) bool { return order == 0 }, sparql.NotEqual: func(order int) bool { return order != 0 },
	sparql.Less: func(order int) bool { return order < 0 }, sparql.LessOrEqual: func(order int) bool { return order <= 0 },
	sparql.Greater: func(order int) bool { return order > 0 }, sparql.GreaterOrEqual: func(order int) bool { return order >= 0 },
}

// kindsOf are the kinds of terms in the dictionary that make a function true. A value in an id is a literal.
var kindsOf = map[sparql.Func]func(kind int64) bool{
	"ISIRI": isIRI, "ISURI": isIRI, "ISBLANK": func(kind int64) bool { return kind == dictionary.KindBNode },
	"ISLITERAL": isLiteral,
}

func isIRI(kind int64) bool     { return kind == dictionary.KindIRI }
func isLiteral(kind int64) bool { return kind != dictionary.KindIRI && kind != dictionary.KindBNode }

func ofKind(kinds func(int64) bool) ofTerm {
	return func(c *scanCursor, id int64) (yes, ok bool, err error) {
		if id < 0 {
			return kinds(dictionary.KindTyped), true, nil
		}
		whole, err := c.readTerm(id)
		return whole && kinds(c.terms.Row.Kind()), whole, err
	}
}
