package db

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"

	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Test is the comparison of a [Condition].
type Test string

// The tests. Less and so on compare as SPARQL does. Contains and Begins ignore case.
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

// Condition selects subjects. A subject meets it if one of its values passes the test.
type Condition struct {
	// Path leads from the subject to its values: one predicate, or several along references.
	Path []rdf.IRI
	Test Test
	// Operands are what values are compared with. Any has none, Equal one or more, of which one must match, and the
	// others exactly one.
	Operands []rdf.Term
	// None negates the condition: no value passes the test.
	None bool
	// Strings reports that all values are strings, so that the index of words has them.
	Strings bool
}

// Has selects the subjects with the object o for the predicate p.
func Has(p rdf.IRI, o rdf.Term) Condition {
	return Condition{Path: []rdf.IRI{p}, Test: Equal, Operands: []rdf.Term{o}}
}

// along returns the triple patterns of a path from a subject (varS if nil) to a value.
func along(s rdf.Term, path []rdf.IRI, value sparql.Operand) []sparql.TriplePattern {
	list := make([]sparql.TriplePattern, len(path))
	for i, p := range path {
		list[i] = triplePattern(s, p, nil)
		if i > 0 {
			list[i].Subject = list[i-1].Object
		}
		list[i].Object = sparql.Operand{Var: sparql.Var(fmt.Sprint("via", i))}
	}
	list[len(path)-1].Object = value
	return list
}

// triple returns the condition as one triple pattern, if there is one. It needs an operand to which only the same
// term is equal.
func (r *Reader) triple(ctx context.Context, c Condition) (sparql.TriplePattern, bool) {
	if c.None || c.Test != Equal || len(c.Operands) != 1 || len(c.Path) != 1 || !r.sameTerm(ctx, c, c.Operands[0]) {
		return sparql.TriplePattern{}, false
	}
	return triplePattern(nil, c.Path[0], c.Operands[0]), true
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

// inRegion reports whether all values of a condition are inlined in their ids (see package inline), in the region of
// the operand.
func (r *Reader) inRegion(ctx context.Context, c Condition, o rdf.Term) bool {
	region := r.statistics(ctx, nil).region(c.Path[len(c.Path)-1])
	return region != "" && region == lower.Region(rdf.DatatypeOf(o))
}

// pattern returns the pattern for subjects with a value that passes the test. The subject is varS.
func (r *Reader) pattern(ctx context.Context, c Condition) sparql.Op {
	const own sparql.Var = "value" // varO may be in use outside an EXISTS
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
		if len(c.Operands) == 1 { // a range of ids, if values are inlined in them
			return filtered(values, sparql.Call{Func: sparql.Equal, Args: []sparql.Expr{value, sparql.TermExpr{Term: c.Operands[0]}}})
		}
		args := []sparql.Expr{value}
		for _, o := range c.Operands {
			args = append(args, sparql.TermExpr{Term: o})
		}
		return filtered(values, sparql.Call{Func: sparql.In, Args: args})
	case Contains, Begins:
		pattern := regexp.QuoteMeta(rdf.Lexical(c.Operands[0]))
		if c.Test == Begins {
			pattern = "^" + pattern
		}
		return filtered(values, sparql.Call{Func: "REGEX", Args: []sparql.Expr{text, sparql.TermExpr{Term: rdf.String(pattern)}, sparql.TermExpr{Term: rdf.String("i")}}})
	case Less, LessOrEqual, Greater, GreaterOrEqual:
		var compared sparql.Expr = value
		if rdf.DatatypeOf(c.Operands[0]) == rdf.XSDString { // values with a language are compared, too
			compared = text
		}
		return filtered(values, sparql.Call{Func: sparql.Func(c.Test), Args: []sparql.Expr{compared, sparql.TermExpr{Term: c.Operands[0]}}})
	}
	panic("db: no test is called " + string(c.Test))
}

// leads reports whether an index finds the values that pass a condition: they are known terms or a range of ids.
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

// manyMeet is the number of matching subjects from which a condition is tested for each subject, instead of listing
// its subjects.
const manyMeet = 5_000

// condition is one condition of a selection as algebra: a pattern that lists the matching subjects, if an index finds
// them and they are few, and a test for one subject.
type condition struct {
	op    sparql.Op // nil when it can only be tested
	rows  float64
	test  sparql.Expr
	leads bool // the subjects are found by an index, by values that are more than one term
}

// meeting returns the pattern for the subjects that meet all conditions: it lists those of the first and tests the
// others.
func meeting(all []condition) sparql.Op {
	op := all[0].op
	for _, c := range all[1:] {
		op = filtered(op, c.test)
	}
	return op
}

// conditions returns the conditions of a selection, the most selective one first. The first always has a pattern.
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
			if err == nil && n < manyMeet { // after an error the condition is only tested
				one.op, one.rows, one.leads = op, float64(n), true
			}
		}
		list = append(list, one)
	}
	types := condition{}
	var all []sparql.Op
	for i, class := range sel.Classes {
		p := triplePattern(nil, rdf.Type, class)
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
	sort.SliceStable(list, func(i, j int) bool { return list[i].rows < list[j].rows })
	return list
}
