package lower

import (
	"maps"
	"slices"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
	"trails/sparql/opt"
)

// rangeHint is what filters require of the values of a variable: they are one of some IRIs and strings or, if there are
// none of these, in one of the ranges, or not inlined.
type rangeHint struct {
	terms   []rdf.Term
	regions []Region
	bounds  []Bound
}

// The regions of inline ids with which a constant of a kind can be compared.
var (
	numbers   = []Region{Region(rdf.XSDInteger), Region(rdf.XSDDecimal), Region(rdf.XSDDouble)}
	dates     = []Region{Region(rdf.XSDDate)}
	dateTimes = []Region{Region(rdf.XSDDateTime)}
	booleans  = []Region{Region(rdf.XSDBoolean)}
)

// regionsOf returns the regions in which comparing with a constant is a range of ids, nil if there are none.
func regionsOf(t rdf.Term) []Region {
	v, ok := t.(rdf.TypedString)
	if !ok || !xsd.Valid(string(v.Value), v.Type) {
		return nil
	}
	if n, ok := xsd.NumberOf(t); ok {
		if n.IsNaN() {
			return nil
		}
		return numbers
	}
	switch {
	case v.Type == rdf.XSDDate && len(v.Value) == len("2006-01-02"):
		return dates
	case v.Type == rdf.XSDDateTime && strings.HasSuffix(string(v.Value), "Z"):
		return dateTimes
	case v.Type == rdf.XSDBoolean:
		return booleans
	}
	return nil
}

// comparison is a comparison of a variable with a constant.
type comparison struct {
	Var     sparql.Var
	Func    sparql.Func
	Term    rdf.Term
	regions []Region
}

var mirrored = map[sparql.Func]sparql.Func{
	sparql.Equal: sparql.Equal, sparql.NotEqual: sparql.NotEqual,
	sparql.Less: sparql.Greater, sparql.Greater: sparql.Less,
	sparql.LessOrEqual: sparql.GreaterOrEqual, sparql.GreaterOrEqual: sparql.LessOrEqual,
}

// comparisonOf recognizes a comparison that ranges of ids can decide.
func comparisonOf(e sparql.Expr) (c comparison, ok bool) {
	call, ok := e.(sparql.Call)
	if !ok || mirrored[call.Func] == "" || len(call.Args) != 2 {
		return c, false
	}
	f, left, right := call.Func, call.Args[0], call.Args[1]
	if _, constant := left.(sparql.TermExpr); constant {
		f, left, right = mirrored[f], right, left
	}
	v, isVar := left.(sparql.VarExpr)
	t, isTerm := right.(sparql.TermExpr)
	if !isVar || !isTerm {
		return c, false
	}
	regions := regionsOf(t.Term)
	return comparison{v.Var, f, t.Term, regions}, regions != nil
}

// formed are the regions whose ids have the form of a literal in their low bit.
var formed = []Region{Region(rdf.XSDDecimal), Region(rdf.XSDDouble), Region(rdf.XSDDateTime)}

// spanOf recognizes a comparison of two variables whose values are all in one region: their ids compare like them.
func (l *lowerer) spanOf(e sparql.Expr, below sparql.Op, s scope) (f sparql.Func, vars [2]sparql.Var, r Region) {
	call, ok := e.(sparql.Call)
	if !ok || mirrored[call.Func] == "" || call.Func == sparql.Equal || call.Func == sparql.NotEqual {
		return "", vars, ""
	}
	for i, arg := range call.Args {
		v, ok := arg.(sparql.VarExpr)
		if !ok {
			return "", vars, ""
		}
		vars[i] = v.Var
	}
	if r = l.regionOf(below, vars[0], s); r == "" || l.regionOf(below, vars[1], s) != r {
		return "", vars, ""
	}
	return call.Func, vars, r
}

// spans compares two ids of a region in both directions, so that SQLite finds a range of an index for the one that
// comes later.
func spans(f sparql.Func, a, b string, r Region) []string {
	if !slices.Contains(formed, r) {
		return []string{a + " " + string(f) + " " + b}
	}
	if f == sparql.Greater || f == sparql.GreaterOrEqual {
		f, a, b = mirrored[f], b, a
	}
	if f == sparql.Less {
		return []string{a + " < (" + b + " & -2)", b + " > (" + a + " | 1)"}
	}
	return []string{a + " <= (" + b + " | 1)", b + " >= (" + a + " & -2)"}
}

// filter adds conditions, and passes the ranges that they allow to the patterns below.
func (l *lowerer) filter(op sparql.Filter, s scope) *block {
	inner := s
	inner.ranges = map[sparql.Var]*rangeHint{}
	for v, h := range s.ranges {
		inner.ranges[v] = h
	}
	inner.spans = maps.Clone(s.spans)
	for _, e := range opt.Conjuncts(op.Expr) {
		if f, vars, _ := l.spanOf(e, op.Op, s); f != "" {
			if inner.spans == nil {
				inner.spans = map[sparql.Var][]sparql.Var{}
			}
			for i, v := range vars {
				inner.spans[v] = append(slices.Clip(inner.spans[v]), vars[1-i])
			}
		}
		if v, terms, ok := members(e); ok && len(terms) <= maxListed {
			inner.ranges[v] = &rangeHint{terms: terms}
			continue
		}
		c, ok := comparisonOf(e)
		if !ok || c.Func == sparql.NotEqual {
			continue
		}
		h := inner.ranges[c.Var]
		switch {
		case h != nil && h.terms != nil:
		case h == nil:
			inner.ranges[c.Var] = &rangeHint{regions: c.regions, bounds: []Bound{{c.Func, c.Term}}}
		case &h.regions[0] == &c.regions[0]:
			inner.ranges[c.Var] = &rangeHint{regions: c.regions, bounds: append(h.bounds[:len(h.bounds):len(h.bounds)], Bound{c.Func, c.Term})}
		}
	}
	start := l.made.apart()
	b := l.flatten(l.before(op.Op, inner)).growing()
	if led := l.led(op, b, start, s); led != nil {
		return led
	}
	tests := len(l.tests)
	rest := slices.DeleteFunc(opt.Conjuncts(op.Expr), func(e sparql.Expr) bool {
		x, ok := e.(sparql.Exists)
		return ok && l.subtract(x, b, s)
	})
	conditions := l.conditions(rest, op.Op, b, s)
	if b.node != nil {
		conditions = l.explainFilter(rest, conditions, tests, b)
	}
	b.where = append(b.where, conditions...)
	return b.grown()
}

// conditions returns the conditions of a filter, for which false and errors are the same. below is the filtered
// pattern, or nil.
func (l *lowerer) conditions(all []sparql.Expr, below sparql.Op, b *block, s scope) (list []string) {
	var known []knownRange
	for _, e := range all {
		if v, t, ok := textEquality(e); ok {
			if c, ok := l.column(v, b, s); ok {
				list = append(list, c.sql+" = "+l.term(t))
				continue
			}
		}
		if sql, ok := l.amongTexts(e, b, s); ok {
			list = append(list, sql)
			continue
		}
		if f, vars, r := l.spanOf(e, below, s); f != "" {
			x, has := l.column(vars[0], b, s)
			y, also := l.column(vars[1], b, s)
			if has && also {
				list = append(list, spans(f, x.sql, y.sql, r)...)
				continue
			}
		}
		c, ok := comparisonOf(e)
		col, has := l.column(c.Var, b, s)
		if !ok || !has {
			list = append(list, l.test(e, b, s))
			continue
		}
		bound := Bound{c.Func, c.Term}
		r := l.regionOf(below, c.Var, s)
		inline := r != "" && slices.Contains(c.regions, r)
		switch {
		case c.Func == sparql.NotEqual && inline:
			list = append(list, "NOT "+l.within(col.sql, r, []Bound{{sparql.Equal, c.Term}}))
			continue
		case c.Func == sparql.NotEqual:
			list = append(list, l.test(e, b, s))
			continue
		case inline:
			known = narrowed(known, col, r, bound)
			continue
		}
		// Inlined values are tested by their range, others by a function.
		var options []string
		for _, r := range c.regions {
			options = append(options, l.within(col.sql, r, []Bound{bound}))
		}
		options = append(options, col.sql+" > 0 AND "+l.call("t_ebv", e, b, s))
		list = append(list, "("+strings.Join(options, " OR ")+")")
	}
	for _, k := range known {
		within := l.within(k.of.sql, k.region, k.bounds)
		if len(b.from) > 0 && len(b.from[0].alone) > 0 && k.of.field == (field{b.from[0].alias, b.from[0].sorted}) {
			b.from[0].alone = append(slices.Clip(b.from[0].alone), within)
		}
		list = append(list, within)
	}
	return list
}

// knownRange is a column whose values are all in one region, so that its conditions are one range.
type knownRange struct {
	of     column
	region Region
	bounds []Bound
}

func narrowed(list []knownRange, of column, r Region, bound Bound) []knownRange {
	for i := range list {
		if list[i].of.sql == of.sql {
			list[i].bounds = append(list[i].bounds, bound)
			return list
		}
	}
	return append(list, knownRange{of, r, []Bound{bound}})
}

// within is true for the ids of a region whose values meet the bounds.
func (l *lowerer) within(sql string, r Region, bounds []Bound) string {
	return sql + " BETWEEN " + l.arg(Arg{Region: r, Bounds: bounds}) + " AND " + l.arg(Arg{Region: r, Bounds: bounds, High: true})
}

// placeRange restricts a pattern to ranges of its object, if its index begins with that. Ids above zero may have any
// value, and are all read.
func (l *lowerer) placeRange(b *block, p sparql.TriplePattern, at [3]bool, t string, s scope) {
	h := s.ranges[p.Object.Var]
	if h == nil || h.terms != nil || p.Object.Var == "" || at != [3]bool{false, true, false} || s.free || p.Subject.Var == p.Object.Var {
		return
	}
	if l.patternRegion(p, s.graph) != "" {
		return // the filter's own condition becomes a range
	}
	var rows []string
	for _, r := range h.regions {
		rows = append(rows, "("+l.arg(Arg{Region: r, Bounds: h.bounds})+", "+l.arg(Arg{Region: r, Bounds: h.bounds, High: true})+")")
	}
	rows = append(rows, "(1, 9223372036854775807)")
	r := l.alias()
	b.from = append(b.from, item{table: "(VALUES " + strings.Join(rows, ", ") + ")", alias: r})
	b.where = append(b.where, t+".o BETWEEN "+r+".column1 AND "+r+".column2")
}
