package lower

import (
	"slices"

	"trails/db/scan"
	"trails/sparql"
	"trails/sparql/opt"
)

// match are conditions on two patterns that share no variable and are connected by an equality, as in
// ?a ex:ref ?r . ?b ex:code ?k FILTER(STRAFTER(?r, ":") = ?k).
type match struct {
	streamed, held sparql.BGP // held is the smaller one
	sides          [2]sparql.Expr
	conditions     []sparql.Expr   // the others
	binds          []sparql.Extend // between the filter and the patterns, the outermost first
}

// matchOf recognizes a match.
func (l *lowerer) matchOf(op sparql.Op, s scope) (m match, ok bool) {
	below := op
	for ok = true; ok; {
		switch x := below.(type) {
		case sparql.Filter:
			m.conditions, below = append(m.conditions, opt.Conjuncts(x.Expr)...), x.Op
		case sparql.Extend:
			m.binds, below = append(m.binds, x), x.Op
		default:
			ok = false
		}
	}
	if len(m.conditions) == 0 {
		return m, false
	}
	patterns, ok := below.(sparql.BGP)
	if !ok {
		return m, false
	}
	parts := l.parts(patterns, s)
	if len(parts) != 2 {
		return m, false
	}
	m.held, m.streamed = parts[0].(sparql.BGP), parts[1].(sparql.BGP)
	at := slices.IndexFunc(m.conditions, func(e sparql.Expr) bool {
		call, ok := e.(sparql.Call)
		if !ok || call.Func != sparql.Equal || len(call.Args) != 2 {
			return false
		}
		m.sides = [2]sparql.Expr{given(call.Args[0], m.binds), given(call.Args[1], m.binds)}
		if givesAll(m.held, m.sides[0]) {
			slices.Reverse(m.sides[:])
		}
		return givesAll(m.streamed, m.sides[0]) && givesAll(m.held, m.sides[1])
	})
	if at < 0 {
		return m, false
	}
	m.conditions = slices.Delete(slices.Clone(m.conditions), at, at+1)
	return m, true
}

// matched collects a match, see [scan.Match]. whole says that it is the whole pattern, of which only the answer is asked
// for.
func (c *scanner) matched(op sparql.Op, of match, whole bool) bool {
	inner := &scanner{l: c.l, s: scope{graph: c.s.graph}, own: c.own, nested: true}
	if c.nested || len(c.vars) > 0 || !c.collect(of.streamed) || !inner.collect(of.held) || len(c.open)+len(inner.open) > 0 {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(of.conditions), func(e sparql.Expr) bool {
		return givesAll(of.streamed, e) && c.condition(e, of.streamed) || givesAll(of.held, e) && inner.condition(e, of.held)
	})
	m := &scan.Match{Of: &inner.program}
	var left, right, both bool
	m.Left.Expr, m.Left.Of, left = c.expression(of.sides[0], of.streamed)
	m.Right.Expr, m.Right.Of, right = inner.expression(of.sides[1], of.held)
	for slot, v := range inner.vars {
		m.Slots, inner.program.Keys = append(m.Slots, len(c.vars)), append(inner.program.Keys, slot)
		c.vars, c.known = append(c.vars, v), append(c.known, inner.known[slot])
	}
	m.Equal, _, both = c.expression(sparql.Call{Func: sparql.Equal, Args: of.sides[:]}, op)
	c.program.Match, c.partner = m, inner
	if !left || !right || !both {
		return false
	}
	c.own.exprs[m.Left.Expr].Numbered, c.own.exprs[m.Right.Expr].Numbered = true, true
	asked := slices.Clone(c.answer)
	for _, e := range rest {
		asked = append(asked, partsOf(e).vars...)
	}
	for _, bind := range of.binds {
		asked = append(asked, partsOf(bind.Expr).vars...)
	}
	for _, bind := range slices.Backward(of.binds) {
		if whole && c.answer != nil && !slices.Contains(asked, bind.Var) {
			continue
		}
		if _, ok := c.computed(bind.Expr, bind.Var, bind.Op); !ok {
			return false
		}
		c.conditions = append(c.conditions, bind)
	}
	for _, e := range rest {
		if !c.differNodes(e, op) && !c.filtered(e, op) {
			return false
		}
	}
	c.conditions = append(c.conditions, sparql.Filter{Expr: sparql.Call{Func: sparql.Equal, Args: of.sides[:]}})
	for _, e := range of.conditions {
		c.conditions = append(c.conditions, sparql.Filter{Expr: e})
	}
	return true
}

// differNodes adds the condition that two variables are not equal, one of which is never a literal.
func (c *scanner) differNodes(e sparql.Expr, below sparql.Op) bool {
	return slices.ContainsFunc(partsOf(e).vars, func(v sparql.Var) bool {
		slot := slices.Index(c.vars, v)
		return slot >= 0 && c.known[slot].node
	}) && c.differ(e, below)
}

// given returns the expression that is bound to a variable, or the expression itself.
func given(e sparql.Expr, binds []sparql.Extend) sparql.Expr {
	for _, bind := range binds {
		if e == (sparql.VarExpr{Var: bind.Var}) {
			e = bind.Expr
		}
	}
	return e
}

// givesAll reports whether a pattern binds all variables of an expression, which has some.
func givesAll(op sparql.Op, e sparql.Expr) bool {
	vars := partsOf(e).vars
	return len(vars) > 0 && !sparql.HasPattern(e) && !slices.ContainsFunc(vars, func(v sparql.Var) bool { return !gives(op, v) })
}
