package sparql

import (
	"strconv"
)

// level is one SELECT, or the pattern and modifiers of another form, while it is read. Sections 18.2.4 and 18.2.5
// translate it to operators.
type level struct {
	selects, star, distinct, reduced bool
	items                            []item
	aggregates                       int
	op                               Op
	scope                            scope
	keys                             []GroupKey
	having                           []Expr
	order                            []OrderKey
	offset, limit                    int64
	values                           *Table
	projected                        []Var
	aliases                          scope // names that SELECT gives to expressions with AS
	starAt                           int
}

// item is one element of SELECT: a variable, or an expression with its name.
type item struct {
	expr Expr
	name Var
	at   int
}

func (l *level) grouped() bool { return len(l.keys) > 0 || l.aggregates > 0 }

// solved translates a level to operators.
func (p *parser) solved(l *level) Op {
	if p.failed != nil {
		return BGP{}
	}
	p.project(l)
	op := l.op
	if l.grouped() {
		op = p.groupBy(l)
	}
	late := l.aliasesIn(l.having)
	if len(l.having) > 0 && !late {
		op = Filter{conjunction(l.having), op}
	}
	if l.values != nil {
		op = NewJoin(op, *l.values)
	}
	for _, i := range l.items {
		if i.expr != nil {
			op = Extend{op, i.name, i.expr}
		}
	}
	if late {
		op = Filter{conjunction(l.having), op}
	}
	if len(l.order) > 0 {
		op = OrderBy{op, l.order}
	}
	if l.selects {
		op = Project{op, l.projected}
	}
	switch {
	case l.distinct:
		op = Distinct{op}
	case l.reduced:
		op = Reduced{op}
	}
	return NewSlice(op, l.offset, l.limit)
}

// project computes the variables that SELECT returns, and refuses names that are not new.
func (p *parser) project(l *level) {
	if l.star {
		if l.grouped() {
			p.failFrom(l.starAt, "SELECT * cannot stand with GROUP BY or aggregates: name the variables, or leave GROUP BY out")
		}
		l.projected = l.scope.vars
		return
	}
	var names scope
	for _, i := range l.items {
		if i.expr != nil && (l.scope.has(i.name) || names.has(i.name)) {
			p.failFrom(i.at, "SELECT cannot set ?"+string(i.name)+": it has a value already; name another variable")
		}
		names.add(i.name)
		if i.expr != nil {
			l.aliases.add(i.name)
		}
	}
	l.projected = names.vars
}

// aliasesIn reports whether conditions of HAVING use names that SELECT defines with AS. By the letter of section
// 18.2.4.2 such a name has no value in HAVING, and nothing would pass. The value is meant, so the filter is placed
// behind the Extend.
func (l *level) aliasesIn(having []Expr) bool {
	found := false
	for _, e := range having {
		mapVars(e, func(v Var) Expr {
			found = found || l.aliases.has(v)
			return VarExpr{v}
		})
	}
	return found
}

// grouping moves the aggregates of a level's expressions into its [Group].
type grouping struct {
	p     *parser
	keys  scope
	named map[string]Var // by the text of the aggregate
	aggs  []Aggregation
}

// groupBy translates a level with groups (section 18.2.4.1): each aggregate becomes
// a variable of the [Group]; equal ones share it.
func (p *parser) groupBy(l *level) Op {
	g := &grouping{p: p, named: map[string]Var{}}
	for _, k := range l.keys {
		g.keys.add(k.Var)
	}
	g.items(l)
	for i, e := range l.having {
		l.having[i] = g.lifted(g.sampled(e, l))
	}
	for i, k := range l.order {
		l.order[i].Expr = g.lifted(g.sampled(k.Expr, l))
	}
	return Group{l.op, l.keys, g.aggs}
}

// items replaces the aggregates in the elements of SELECT, and refuses variables that do not have a single value in a
// group (section 11.4).
func (g *grouping) items(l *level) {
	var names scope
	check := func(v Var, at int) {
		if !g.keys.has(v) && !names.has(v) {
			g.p.failFrom(at, "?"+string(v)+" has many values in a group: put it into GROUP BY or into an aggregate")
		}
	}
	for i, it := range l.items {
		if it.expr == nil {
			check(it.name, it.at)
			continue
		}
		mapVars(it.expr, func(v Var) Expr { check(v, it.at); return VarExpr{v} })
		l.items[i].expr = g.lifted(it.expr)
		names.add(it.name)
	}
}

// sampled replaces each variable that is neither a key nor defined in SELECT by SAMPLE of it.
func (g *grouping) sampled(e Expr, l *level) Expr {
	return mapVars(e, func(v Var) Expr {
		if g.keys.has(v) || l.aliases.has(v) {
			return VarExpr{v}
		}
		return Aggregate{Func: Sample, Expr: VarExpr{v}}
	})
}

// lifted replaces the aggregates of an expression by their variables.
func (g *grouping) lifted(e Expr) Expr {
	return EachLeaf(e, func(leaf Expr) Expr {
		if a, ok := leaf.(Aggregate); ok {
			return VarExpr{g.variable(a)}
		}
		return leaf
	})
}

func (g *grouping) variable(a Aggregate) Var {
	text := exprText(a)
	if v, ok := g.named[text]; ok && !IsVolatile(a) {
		return v
	}
	g.p.blocks.fresh++
	v := Var(".#" + strconv.Itoa(g.p.blocks.fresh))
	g.named[text] = v
	g.aggs = append(g.aggs, Aggregation{v, a})
	return v
}

// mapVars replaces the variables of an expression, but not those inside aggregates
// and patterns.
func mapVars(e Expr, f func(Var) Expr) Expr {
	return EachLeaf(e, func(leaf Expr) Expr {
		if v, ok := leaf.(VarExpr); ok {
			return f(v.Var)
		}
		return leaf
	})
}
