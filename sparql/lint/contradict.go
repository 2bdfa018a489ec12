package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// restriction is a condition on the value of an expression: it is one of the terms, or it is less or greater than a
// single term.
type restriction struct {
	sign  sparql.Func
	terms []rdf.Term
	e     sparql.Expr
}

// restricting are the comparisons that may contradict each other.
var restricting = []sparql.Func{sparql.Equal, sparql.NotEqual, sparql.Less, sparql.Greater, sparql.LessOrEqual, sparql.GreaterOrEqual, sparql.In}

// contradictions warns about conditions of a group that exclude each other: two on one expression that no value
// satisfies, among filters, VALUES, and the conditions of OPTIONAL and of each side of ||; and NOT EXISTS of patterns
// that the group requires.
func (g *group) contradictions() {
	held := map[string][]restriction{}
	for _, t := range g.tables {
		for i, v := range t.Vars {
			if g.known[v].by == "" || len(t.Rows) > maxListed || slices.ContainsFunc(t.Rows, func(row []rdf.Term) bool { return row[i] == nil }) {
				continue // others are values like those of a property
			}
			in := sparql.Call{Func: sparql.In, Args: []sparql.Expr{sparql.VarExpr{Var: v}}}
			for _, row := range t.Rows {
				in.Args = append(in.Args, sparql.TermExpr{Term: row[i]})
			}
			if of, c, ok := restrictionIn(in); ok {
				held[g.expression(of)] = append(held[g.expression(of)], c)
			}
		}
	}
	for _, f := range g.filters {
		g.contradicted(f.Expr, held, g.empties)
	}
	for _, o := range g.options {
		if o.Expr != nil {
			g.contradicted(o.Expr, maps.Clone(held), false)
		}
	}
}

// contradicted warns about a condition that excludes itself or what is held, and adds it to that.
func (g *group) contradicted(condition sparql.Expr, held map[string][]restriction, empties bool) {
	for _, e := range conjuncts(condition) {
		if or, is := e.(sparql.Call); is && or.Func == sparql.Or {
			for _, side := range or.Args {
				g.contradicted(side, maps.Clone(held), false)
			}
			continue
		}
		if not, is := e.(sparql.Exists); is && not.Not {
			if inner, ok := not.Op.(sparql.BGP); ok && g.requires(inner.Patterns) {
				g.warnAt(inner.Patterns[0], "", empties, "NOT EXISTS is never true here: the patterns beside it require what it excludes; leave NOT EXISTS out, or give its patterns a condition of their own")
			}
			continue
		}
		of, c, ok := restrictionIn(e)
		key := g.expression(of)
		if !ok || strings.Contains(key, "…") || sparql.IsVolatile(of) {
			continue
		}
		if i := slices.IndexFunc(held[key], c.excludes); i >= 0 {
			other, one := g.expression(held[key][i].e), g.expression(e)
			way := fmt.Sprintf("write %s || %s", other, one)
			if strings.Contains(way, "…") {
				way = "write || between them"
			}
			g.warnAt(e, propertyOf(of, g.known), empties, "%s and %s are never true together: no value of %s passes both; if one is enough, %s", other, one, key, way)
		}
		held[key] = append(slices.Clip(held[key]), c)
	}
}

// beyond warns about a comparison that holds for no value that the schema allows a property: all of them are listed, or
// have a least or a greatest.
func (r *run) beyond(e sparql.Expr, known facts, empties bool) bool {
	of, c, ok := restrictionIn(e)
	by := propertyOf(of, known)
	if !ok || len(r.declared[by]) == 0 {
		return false
	}
	says := ""
	for _, d := range r.declared[by] {
		p := d.property
		switch {
		case p.OneOf != nil && c.sign != sparql.Equal && c.excludes(restriction{sign: sparql.Equal, terms: p.OneOf}):
			says = "one of " + r.listedTerms(p.OneOf)
		case p.MinValue != nil && c.excludes(restriction{sign: sparql.GreaterOrEqual, terms: []rdf.Term{p.MinValue}}):
			says = "at least " + r.term(p.MinValue)
		case p.MaxValue != nil && c.excludes(restriction{sign: sparql.LessOrEqual, terms: []rdf.Term{p.MaxValue}}):
			says = "at most " + r.term(p.MaxValue)
		default:
			return false
		}
	}
	r.warnAt(e, by, empties, "%s is never true under the schema: %s is %s", r.expression(e), r.short(by), says)
	return true
}

// conjuncts lists the operands of nested &&.
func conjuncts(e sparql.Expr) []sparql.Expr {
	if and, ok := e.(sparql.Call); ok && and.Func == sparql.And {
		return append(conjuncts(and.Args[0]), conjuncts(and.Args[1])...)
	}
	return []sparql.Expr{e}
}

// restrictionIn reads a condition that compares an expression with constants.
func restrictionIn(e sparql.Expr) (of sparql.Expr, c restriction, ok bool) {
	call, isCall := e.(sparql.Call)
	if !isCall || len(call.Args) < 2 || !slices.Contains(restricting, call.Func) {
		return nil, c, false
	}
	of, c = call.Args[0], restriction{sign: call.Func, e: e}
	others := call.Args[1:]
	if _, constant := of.(sparql.TermExpr); constant && call.Func != sparql.In {
		of, others, c.sign = call.Args[1], call.Args[:1], mirrored(call.Func)
	}
	if c.sign == sparql.In {
		c.sign = sparql.Equal
	}
	for _, other := range others {
		constant, isTerm := other.(sparql.TermExpr)
		if !isTerm {
			return nil, c, false
		}
		c.terms = append(c.terms, constant.Term)
	}
	_, constant := of.(sparql.TermExpr)
	return of, c, !constant
}

// excludes reports that no value satisfies both restrictions. Terms that do not compare exclude nothing.
func (c restriction) excludes(d restriction) bool {
	if d.sign == sparql.Equal && c.sign != sparql.Equal {
		c, d = d, c
	}
	fails := func(sign sparql.Func, a, b rdf.Term) bool {
		v, err := evaluate(sign, a, b)
		return err == nil && v == falseTerm
	}
	if c.sign == sparql.Equal {
		return !slices.ContainsFunc(c.terms, func(one rdf.Term) bool {
			return slices.ContainsFunc(d.terms, func(other rdf.Term) bool { return !fails(d.sign, one, other) })
		})
	}
	isUpper := func(sign sparql.Func) bool { return sign == sparql.Less || sign == sparql.LessOrEqual }
	isLower := func(sign sparql.Func) bool { return sign == sparql.Greater || sign == sparql.GreaterOrEqual }
	if isUpper(c.sign) {
		c, d = d, c
	}
	if !isLower(c.sign) || !isUpper(d.sign) {
		return false
	}
	sign := sparql.Less
	if c.sign == sparql.GreaterOrEqual && d.sign == sparql.LessOrEqual {
		sign = sparql.LessOrEqual
	}
	return fails(sign, c.terms[0], d.terms[0])
}

// requires reports that every solution of the group also has a solution of other patterns: each of these is a pattern
// of the group, or becomes one with a term in the place of a variable that occurs nowhere else.
func (g *group) requires(patterns []sparql.TriplePattern) bool {
	times := map[sparql.Var]int{}
	for _, p := range patterns {
		for _, o := range []sparql.Operand{p.Subject, p.Predicate, p.Object} {
			if o.Var != "" {
				times[o.Var]++
			}
		}
	}
	bound := map[sparql.Var]bool{}
	for _, f := range g.filters {
		bindings(f.Op, bound)
	}
	fits := func(in, out sparql.Operand) bool {
		return in == out || in.Var != "" && times[in.Var] == 1 && !bound[in.Var]
	}
	return len(patterns) > 0 && !slices.ContainsFunc(patterns, func(in sparql.TriplePattern) bool {
		return !slices.ContainsFunc(g.patterns, func(out sparql.TriplePattern) bool {
			return fits(in.Subject, out.Subject) && fits(in.Predicate, out.Predicate) && fits(in.Object, out.Object)
		})
	})
}

// wholeText matches a REGEX pattern that exactly one text matches: ^ and $ around literal characters.
func wholeText(pattern string) (text string, ok bool) {
	text, begins := strings.CutPrefix(pattern, "^")
	text, ends := strings.CutSuffix(text, "$")
	return text, begins && ends && text != "" && regexp.QuoteMeta(text) == text
}

// matchesOne warns about such a REGEX for a text that no statement has.
func (r *run) matchesOne(e sparql.Call, known facts, at asked, empties bool) bool {
	v, isVar := e.Args[0].(sparql.VarExpr)
	if str, ok := e.Args[0].(sparql.Call); ok && str.Func == "STR" {
		v, isVar = str.Args[0].(sparql.VarExpr)
	}
	pattern, isTerm := e.Args[1].(sparql.TermExpr)
	if !isVar || !isTerm || len(e.Args) != 2 {
		return false
	}
	f := known[v.Var]
	text, whole := wholeText(rdf.Lexical(pattern.Term))
	if !whole || f.by == "" || f.any || len(f.literals) != 1 || f.literals[0] != rdf.XSDString || !r.absent(rdf.Quad{Predicate: f.by, Object: rdf.String(text)}, false) {
		return false
	}
	return r.noValue(e, r.expression(e)+" is never true", f.by, rdf.String(text), at == required && empties)
}
