package db

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"trails/auth/policy"
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
	// FromOthers is about all statements of the subject and not about a path: one is not of the class of sources whose
	// graph is the operand.
	FromOthers Test = "from others"
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
	if c.Test == FromOthers {
		return fromOthers(c.Operands[0])
	}
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
	case FromOthers: // above
	case Less, LessOrEqual, Greater, GreaterOrEqual:
		var compared sparql.Expr = value
		if rdf.DatatypeOf(c.Operands[0]) == rdf.XSDString { // values with a language are compared, too
			compared = text
		}
		return filtered(values, sparql.Call{Func: sparql.Func(c.Test), Args: []sparql.Expr{compared, sparql.TermExpr{Term: c.Operands[0]}}})
	}
	panic("db: no test is called " + string(c.Test))
}

// fromOthers returns the pattern for the statements of a subject that are not of the class of a graph.
func fromOthers(graph rdf.Term) sparql.Op {
	statement := bgp(sparql.TriplePattern{Subject: sparql.Operand{Var: varS}, Predicate: sparql.Operand{Var: "said"}, Object: sparql.Operand{Var: "value"}})
	var others sparql.Op
	for _, name := range policy.OriginNames() {
		other := rdf.IRI(rdf.OriginGraphs + name)
		if other == graph {
			continue
		}
		of := sparql.Graph{Name: sparql.Operand{Term: other}, Op: statement}
		if others == nil {
			others = of
		} else {
			others = sparql.Union{Left: others, Right: of}
		}
	}
	return others
}

// asked returns conditions as triple patterns of the subject where possible, and the others as tests.
func (r *Reader) asked(ctx context.Context, where []Condition) (triples []sparql.TriplePattern, tests []sparql.Expr) {
	for _, c := range where {
		if p, ok := r.triple(ctx, c); ok {
			triples = append(triples, p)
		} else {
			tests = append(tests, sparql.Exists{Op: r.pattern(ctx, c), Not: c.None})
		}
	}
	return triples, tests
}

// begun returns the pattern for the subjects that meet a condition about the beginning of texts, each once, if the index
// of words has these texts and they are few, and the other conditions. Otherwise the pattern is a unit, and all conditions
// are returned.
func (r *Reader) begun(ctx context.Context, where []Condition) (sparql.Op, []Condition) {
	const own sparql.Var = "value"
	for i, c := range where {
		if c.Test != Begins || !c.Strings || c.None {
			continue
		}
		texts, err := r.beginning(ctx, rdf.Lexical(c.Operands[0]))
		if err == nil && texts != nil { // after an error the texts of each subject are compared
			values := bgp(along(nil, c.Path, sparql.Operand{Var: own})...)
			return sparql.Distinct{Op: project(sparql.Join{Left: amongIDs(own, texts), Right: values}, varS)}, slices.Concat(where[:i], where[i+1:])
		}
	}
	return bgp(), where
}
