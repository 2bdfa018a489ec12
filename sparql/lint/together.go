package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/sparql"
)

// Bounds for explaining an empty answer by its parts.
const (
	maxParts  = 16          // parts that are left out, each by itself
	partsTold = 3           // parts that a warning names
	partsTime = time.Second // for trying all of them
)

// tellTogether names the parts of a pattern without any of which it has solutions, if it has none and nothing else
// explains that.
func (r *run) tellTogether(op sparql.Op) {
	if !r.found.Empty || r.asked || r.foreign || r.err != nil || r.unmatched > 0 || r.explained() {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, partsTime)
	defer cancel()
	for inner, ok := counted(op); ok; inner, ok = counted(op) {
		op = inner
	}
	if some, err := r.data.Solved(ctx, op); some || err != nil {
		return
	}
	parts := partsOf(op, func(o sparql.Op) sparql.Op { return o })
	if len(parts) == 1 && isUnit(parts[0].rest) {
		if _, isSearch := op.(sparql.Search); isSearch {
			return // which says itself why it finds nothing
		}
		r.tellPart(parts[0].at, "%s matches nothing", r.partText(parts[0]))
		return
	}
	tried, names := 0, []string(nil)
	var first any
	for _, p := range parts[:min(len(parts), maxParts)] {
		some, err := r.data.Solved(ctx, p.rest)
		if err != nil || len(names) == partsTold {
			break
		}
		if tried++; some {
			if names = append(names, r.partText(p)); len(names) == 1 {
				first = p.at
			}
		}
	}
	switch {
	case len(names) > 0:
		r.tellPart(first, "no solution meets all parts of the pattern; there are some without %s", strings.Join(names, ", or without "))
	case tried == len(parts) && tried > 1:
		r.tellPart(nil, "no solution meets all parts of the pattern, and leaving out any one of them does not help")
	default:
		r.tellPart(nil, "no solution meets all parts of the pattern")
	}
}

func isUnit(op sparql.Op) bool {
	bgp, ok := op.(sparql.BGP)
	return ok && len(bgp.Patterns) == 0
}

func (r *run) tellPart(at any, format string, args ...any) {
	r.add(&r.misfits, Warning{Text: fmt.Sprintf(format, args...), Empties: true, at: at})
}

// counted returns the pattern whose solutions a query counts, groups, slices or sorts.
func counted(op sparql.Op) (inner sparql.Op, ok bool) {
	switch op.(type) {
	case sparql.Project, sparql.Extend, sparql.Slice, sparql.OrderBy, sparql.Distinct, sparql.Reduced, sparql.Group:
		inner, _ = sparql.Operands(op)
		return inner, true
	}
	return nil, false
}

// part is a part of a pattern, with the rest of the pattern.
type part struct {
	at   any    // the sparql.Expr, sparql.TriplePattern or sparql.PathPattern; nil for others
	name string // of others
	rest sparql.Op
}

// partText returns the words for a part.
func (r *run) partText(p part) string {
	switch at := p.at.(type) {
	case sparql.TriplePattern:
		return r.pattern(at)
	case sparql.PathPattern:
		return fmt.Sprintf("the path from %s to %s", r.operand(at.Subject), r.operand(at.Object))
	case sparql.Exists:
		return map[bool]string{true: "NOT EXISTS", false: "EXISTS"}[at.Not]
	case sparql.Expr:
		return r.expression(at)
	}
	return p.name
}

// partsOf returns the parts of a pattern that can be left out, the conditions first. around puts what is left of the
// pattern into the whole.
func partsOf(op sparql.Op, around func(sparql.Op) sparql.Op) (parts []part) {
	unit := sparql.BGP{}
	switch o := op.(type) {
	case sparql.BGP:
		for i, p := range o.Patterns {
			rest := sparql.BGP{Patterns: slices.Delete(slices.Clone(o.Patterns), i, i+1)}
			parts = append(parts, part{at: p, rest: around(rest)})
		}
	case sparql.PathPattern:
		return []part{{at: o, rest: around(unit)}}
	case sparql.Table:
		return []part{{name: "VALUES", rest: around(unit)}}
	case sparql.Filter:
		all := conjuncts(o.Expr)
		for i, e := range all {
			rest := o.Op
			for _, other := range slices.Delete(slices.Clone(all), i, i+1) {
				rest = sparql.Filter{Expr: other, Op: rest}
			}
			parts = append(parts, part{at: e, rest: around(rest)})
		}
		parts = append(parts, partsOf(o.Op, func(inner sparql.Op) sparql.Op { return around(sparql.Filter{Expr: o.Expr, Op: inner}) })...)
	case sparql.Minus:
		parts = append(parts, part{name: "MINUS", rest: around(o.Left)})
		parts = append(parts, partsOf(o.Left, func(left sparql.Op) sparql.Op { return around(sparql.Minus{Left: left, Right: o.Right}) })...)
	case sparql.Join:
		parts = partsOf(o.Left, func(left sparql.Op) sparql.Op { return around(sparql.Join{Left: left, Right: o.Right}) })
		parts = append(parts, partsOf(o.Right, func(right sparql.Op) sparql.Op { return around(sparql.Join{Left: o.Left, Right: right}) })...)
	case sparql.Union:
		return []part{{name: "UNION", rest: around(unit)}}
	case sparql.Search:
		return []part{{name: "trails:matches", rest: around(unit)}}
	case sparql.Service:
		return []part{{name: "SERVICE", rest: around(unit)}}
	default:
		left, right := sparql.Operands(op)
		return partsOf(left, func(inner sparql.Op) sparql.Op { return around(sparql.WithOperands(op, inner, right)) })
	}
	return parts
}
