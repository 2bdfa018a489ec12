package sparql

import "strconv"

// shape is the operators of one SELECT, sorted by clause: the reverse of sections 18.2.4 and 18.2.5.
type shape struct {
	offset, limit     int64
	distinct, reduced bool
	vars              []Var
	exprs             map[Var]Expr // expressions of SELECT
	order             []OrderKey
	having            Expr
	values            *Table
	group             *Group
	pattern           Op
}

// levelOf sorts the outermost level by clause. Only a SELECT has a projection.
func levelOf(op Op, selects bool) shape {
	l := shape{limit: -1, exprs: map[Var]Expr{}}
	if s, ok := op.(Slice); ok {
		op, l.offset, l.limit = s.Op, s.Offset, s.Limit
	}
	if selects {
		switch o := op.(type) {
		case Distinct:
			op, l.distinct = o.Op, true
		case Reduced:
			op, l.reduced = o.Op, true
		}
		if o, ok := op.(Project); ok {
			op, l.vars = o.Op, o.Vars
		}
	}
	if o, ok := op.(OrderBy); ok {
		op, l.order = o.Op, o.Keys
	}
	if !l.grouping(op) {
		l.pattern = op
		l.extensions()
	}
	return l
}

// grouping finds the group of a level, and the operators between it and the projection: HAVING, VALUES, the
// expressions of SELECT, and HAVING that uses these.
func (l *shape) grouping(op Op) bool {
	var having Expr
	if f, ok := op.(Filter); ok {
		op, having = f.Op, f.Expr
	}
	exprs := map[Var]Expr{}
	for e, ok := op.(Extend); ok; e, ok = op.(Extend) {
		exprs[e.Var] = e.Expr
		op = e.Op
	}
	var values *Table
	if j, ok := op.(Join); ok {
		if t, ok := j.Right.(Table); ok {
			values, op = &t, j.Left
		}
	}
	if f, ok := op.(Filter); ok && having == nil {
		op, having = f.Op, f.Expr
	}
	g, ok := op.(Group)
	if !ok {
		return false
	}
	l.having, l.exprs, l.values, l.group, l.pattern = having, exprs, values, &g, g.Op
	return true
}

// extensions moves the outermost Extend operators into SELECT, while they are in SELECT's order. The others are
// written as BIND.
func (l *shape) extensions() {
	at := map[Var]int{}
	for i, v := range l.vars {
		at[v] = i + 1
	}
	before := len(l.vars) + 1
	for {
		e, ok := l.pattern.(Extend)
		if !ok || at[e.Var] == 0 || at[e.Var] >= before {
			return
		}
		before = at[e.Var]
		l.exprs[e.Var] = e.Expr
		l.pattern = e.Op
	}
}

// know records the aggregate that each variable of a group stands for.
func (p *printer) know(g *Group) {
	if g == nil {
		return
	}
	for _, a := range g.Aggregates {
		p.aggregates[a.Var] = a.Aggregate
	}
}

func (p *printer) selectClause(l shape) {
	p.write("SELECT")
	if l.distinct {
		p.write(" DISTINCT")
	}
	if l.reduced {
		p.write(" REDUCED")
	}
	for _, v := range l.vars {
		if e, ok := l.exprs[v]; ok {
			p.write(" (")
			p.expr(e, lowest)
			p.write(" AS ?", string(v), ")")
		} else {
			p.write(" ?", string(v))
		}
	}
	if len(l.vars) == 0 {
		p.write(" *")
	}
}

// rest writes the clauses of a level from WHERE on.
func (p *printer) rest(l shape) {
	p.line("WHERE ")
	p.group(l.pattern)
	if l.group != nil && len(l.group.Keys) > 0 {
		p.line("GROUP BY")
		for _, k := range l.group.Keys {
			p.groupKey(k)
		}
	}
	if l.having != nil {
		p.line("HAVING(")
		p.expr(l.having, lowest)
		p.write(")")
	}
	p.orderBy(l.order)
	if l.offset > 0 {
		p.line("OFFSET ", strconv.FormatInt(l.offset, 10))
	}
	if l.limit >= 0 {
		p.line("LIMIT ", strconv.FormatInt(l.limit, 10))
	}
	if l.values != nil {
		p.line()
		p.table(*l.values)
	}
}

func (p *printer) groupKey(k GroupKey) {
	if v, ok := k.Expr.(VarExpr); ok && v.Var == k.Var {
		p.write(" ?", string(k.Var))
		return
	}
	p.write(" (")
	p.expr(k.Expr, lowest)
	if k.Var != "" {
		p.write(" AS ?", string(k.Var))
	}
	p.write(")")
}

func (p *printer) orderBy(keys []OrderKey) {
	if len(keys) > 0 {
		p.line("ORDER BY")
	}
	for _, k := range keys {
		v, plain := k.Expr.(VarExpr)
		switch {
		case plain && v.Var[0] != '.' && !k.Descending:
			p.write(" ?", string(v.Var))
			continue
		case k.Descending:
			p.write(" DESC(")
		default:
			p.write(" ASC(")
		}
		p.expr(k.Expr, lowest)
		p.write(")")
	}
}
