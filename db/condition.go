package db

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Test says what a [Condition] asks of a value.
type Test string

// The tests. Those of order compare as SPARQL does, Contains and Begins without regard to
// case.
const (
	Any            Test = "any" // there is a value
	Equal          Test = "="
	Less           Test = "<"
	LessOrEqual    Test = "<="
	Greater        Test = ">"
	GreaterOrEqual Test = ">="
	Contains       Test = "contains"
	Begins         Test = "begins"
)

// Condition is met by a subject one of whose values passes a test.
type Condition struct {
	// Path leads from the subject to its values: a predicate, or several over references.
	Path []rdf.IRI
	Test Test
	// Operands are what the values are compared with: none for Any, one or more for Equal,
	// which one of them has to pass, one for the others.
	Operands []rdf.Term
	// None turns it round: no value passes, or there is none.
	None bool
	// Strings: all values are strings or have a language, so that the index of words has them.
	Strings bool
}

// Has is met by the subjects with an object.
func Has(p rdf.IRI, o rdf.Term) Condition {
	return Condition{Path: []rdf.IRI{p}, Test: Equal, Operands: []rdf.Term{o}}
}

// along are the patterns of a path from a subject, nil for varS, to a value.
func along(s rdf.Term, path []rdf.IRI, value sparql.Operand) []sparql.TriplePattern {
	list := make([]sparql.TriplePattern, len(path))
	for i, p := range path {
		list[i] = said(s, p, nil)
		if i > 0 {
			list[i].Subject = list[i-1].Object
		}
		list[i].Object = sparql.Operand{Var: sparql.Var(fmt.Sprint("via", i))}
	}
	list[len(path)-1].Object = value
	return list
}

// triple is a condition that is one statement about the subject: the term of a value then
// says whether it is equal, as ids that carry their value do, and those of texts and nodes.
func (r *Reader) triple(ctx context.Context, c Condition) (sparql.TriplePattern, bool) {
	if c.None || c.Test != Equal || len(c.Operands) != 1 || len(c.Path) != 1 || !r.sameTerm(ctx, c, c.Operands[0]) {
		return sparql.TriplePattern{}, false
	}
	return said(nil, c.Path[0], c.Operands[0]), true
}

// sameTerm reports whether only the same term is equal to an operand of a condition.
func (r *Reader) sameTerm(ctx context.Context, c Condition, o rdf.Term) bool {
	datatype := rdf.DatatypeOf(o)
	if _, number := xsd.NumberOf(o); !number && !ordered[datatype] && datatype != rdf.XSDDateTime {
		return true
	}
	low, high := idRange(lower.Region(datatype), []lower.Bound{{Func: sparql.Equal, Term: o}})
	id, carried := inline.ID(o)
	return carried && low == id && high == id && r.inRegion(ctx, c, o)
}

// inRegion reports whether the ids of all values of a condition carry them, in the region of
// an operand.
func (r *Reader) inRegion(ctx context.Context, c Condition, o rdf.Term) bool {
	region := r.statistics(ctx, nil).region(c.Path[len(c.Path)-1])
	return region != "" && region == lower.Region(rdf.DatatypeOf(o))
}

// pattern has the solutions that pass the test, with the subject in varS.
func (r *Reader) pattern(ctx context.Context, c Condition) sparql.Op {
	const own sparql.Var = "value" // around an EXISTS there may be varO
	values := bgp(along(nil, c.Path, sparql.Operand{Var: own})...)
	value := sparql.VarExpr{Var: own}
	text := sparql.Call{Func: "STR", Args: []sparql.Expr{value}}
	switch c.Test {
	case Any:
		return values
	case Equal:
		if len(c.Operands) == 1 && r.sameTerm(ctx, c, c.Operands[0]) {
			return bgp(along(nil, c.Path, sparql.Operand{Term: c.Operands[0]})...)
		}
		if len(c.Operands) == 1 { // a range of ids, where they carry the values
			return that(values, sparql.Call{Func: sparql.Equal, Args: []sparql.Expr{value, sparql.TermExpr{Term: c.Operands[0]}}})
		}
		args := []sparql.Expr{value}
		for _, o := range c.Operands {
			args = append(args, sparql.TermExpr{Term: o})
		}
		return that(values, sparql.Call{Func: sparql.In, Args: args})
	case Contains, Begins:
		pattern := regexp.QuoteMeta(rdf.Lexical(c.Operands[0]))
		if c.Test == Begins {
			pattern = "^" + pattern
		}
		return that(values, sparql.Call{Func: "REGEX", Args: []sparql.Expr{text, sparql.TermExpr{Term: rdf.String(pattern)}, sparql.TermExpr{Term: rdf.String("i")}}})
	case Less, LessOrEqual, Greater, GreaterOrEqual:
		var compared sparql.Expr = value
		if rdf.DatatypeOf(c.Operands[0]) == rdf.XSDString { // whatever the language of the value
			compared = text
		}
		return that(values, sparql.Call{Func: sparql.Func(c.Test), Args: []sparql.Expr{compared, sparql.TermExpr{Term: c.Operands[0]}}})
	}
	panic("db: no test is called " + string(c.Test))
}

// leads reports whether an index leads to the values that pass a condition: they are known
// terms, or in a range of the ids that carry them.
func (r *Reader) leads(ctx context.Context, c Condition) bool {
	switch c.Test {
	case Equal:
		if len(c.Operands) == 1 && r.inRegion(ctx, c, c.Operands[0]) {
			return !c.None
		}
		return !c.None && !slices.ContainsFunc(c.Operands, func(o rdf.Term) bool {
			return !r.sameTerm(ctx, c, o) || len(c.Operands) > 1 && rdf.IsLiteral(o) && rdf.DatatypeOf(o) != rdf.XSDString
		})
	case Less, LessOrEqual, Greater, GreaterOrEqual:
		datatype := rdf.DatatypeOf(c.Operands[0])
		return !c.None && datatype != rdf.XSDString && r.inRegion(ctx, c, c.Operands[0])
	case Any, Contains, Begins:
	}
	return false
}

// manyMeet is from how many subjects on those that meet a condition are not found by it, but
// tested.
const manyMeet = 5_000

// condition is how a selected subject meets one: as a pattern of all that do, when an index
// leads to them and they are few, and as what is asked of a subject.
type condition struct {
	op    sparql.Op // nil when it can only be asked
	rows  float64
	test  sparql.Expr
	leads bool // the subjects are read by an index of values that are not one term
}

// meeting are the subjects that meet all conditions, those of the first tried.
func meeting(all []condition) sparql.Op {
	op := all[0].op
	for _, c := range all[1:] {
		op = that(op, c.test)
	}
	return op
}

// conditions are those of a selection, the one that the fewest meet first. That one has a
// pattern.
func (r *Reader) conditions(ctx context.Context, sel Selection) []condition {
	known := r.statistics(ctx, nil)
	var list []condition
	for _, c := range sel.Where {
		if p, ok := r.triple(ctx, c); ok {
			list = append(list, condition{op: bgp(p), rows: known.rows(p), test: exists(bgp(p))})
			continue
		}
		op := r.pattern(ctx, c)
		one := condition{rows: math.Inf(1), test: sparql.Exists{Op: op, Not: c.None}}
		leads := r.leads(ctx, c)
		if c.Test == Begins && c.Strings && !c.None {
			texts, err := r.beginning(ctx, rdf.Lexical(c.Operands[0]))
			if leads = err == nil && texts != nil; leads {
				const own sparql.Var = "value"
				op = sparql.Join{Left: amongIDs(own, texts), Right: bgp(along(nil, c.Path, sparql.Operand{Var: own})...)}
			}
		}
		if leads {
			op = sparql.Distinct{Op: project(op, varS)}
			n, err := r.askCount(ctx, slice(op, manyMeet, 0))
			if err == nil && n < manyMeet { // an error in between means not to know
				one.op, one.rows, one.leads = op, float64(n), true
			}
		}
		list = append(list, one)
	}
	types := condition{}
	var all []sparql.Op
	for i, class := range sel.Classes {
		p := said(nil, rdf.Type, class)
		all = append(all, bgp(p))
		types.rows += known.rows(p)
		if i == 0 {
			types.test = exists(bgp(p))
		} else {
			types.test = sparql.Call{Func: sparql.Or, Args: []sparql.Expr{types.test, exists(bgp(p))}}
		}
	}
	types.op = project(oneOf(all), varS)
	list = append(list, types)
	slices.SortStableFunc(list, func(a, b condition) int { return cmp.Compare(a.rows, b.rows) })
	return list
}
