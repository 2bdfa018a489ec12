package sparql

import (
	"math"
	"strconv"
	"trails/rdf"
)

// solutions reads SolutionModifier and ValuesClause, and returns the operators of the level.
func (p *parser) solutions(l *level) Op {
	if p.accept("GROUP") {
		p.expect("BY")
		for p.tok.kind == variable || p.beginsConstraint() {
			l.keys = append(l.keys, p.groupKey(l))
		}
		if len(l.keys) == 0 {
			p.failExpected("a variable, an expression in brackets or a function call")
		}
	}
	p.counting(&l.aggregates, func() {
		if p.accept("HAVING") {
			l.having = append(l.having, p.constraint())
			for n := 1; p.beginsConstraint(); {
				p.link(&n, "conditions")
				l.having = append(l.having, p.constraint())
			}
		}
		if p.accept("ORDER") {
			p.expect("BY")
			p.orderKeys(l)
		}
	})
	limited := p.accept("LIMIT")
	if limited {
		l.limit = p.rows()
	}
	if p.accept("OFFSET") {
		l.offset = p.rows()
		if !limited && p.accept("LIMIT") {
			l.limit = p.rows()
		}
	}
	if p.accept("VALUES") {
		table := p.dataBlock()
		l.values = &table
		l.scope.addAll(table.Vars)
	}
	return p.solved(l)
}

// beginsConstraint reports whether the current token begins another condition of HAVING, GROUP BY or ORDER BY.
func (p *parser) beginsConstraint() bool {
	switch {
	case p.is("("), p.isIRI():
		return true
	case p.tok.kind != symbol:
		return false
	}
	_, function := Functions[Func(p.tok.text)]
	return function || isAggregate(p.tok.text) || p.is("EXISTS") || p.is("NOT")
}

// groupKey reads GroupCondition. A key that is a plain variable keeps its name.
func (p *parser) groupKey(l *level) GroupKey {
	if at := p.tok.start; p.tok.kind == variable {
		v := p.takeVar()
		return GroupKey{p.placeExpr(VarExpr{v}, at), v}
	}
	if !p.accept("(") {
		return namedKey(p.constraint())
	}
	e := p.expression()
	if !p.accept("AS") {
		p.expect(")")
		return namedKey(e)
	}
	at := p.tok.start
	v := p.takeVar()
	if l.scope.has(v) {
		p.failFrom(at, "GROUP BY cannot set ?"+string(v)+": the pattern uses it already; name another variable")
	}
	l.scope.add(v)
	p.expect(")")
	return GroupKey{e, v}
}

func namedKey(e Expr) GroupKey {
	if v, ok := e.(VarExpr); ok {
		return GroupKey{e, v.Var}
	}
	return GroupKey{Expr: e}
}

func (p *parser) orderKeys(l *level) {
	for {
		at := p.tok.start
		switch {
		case p.accept("ASC"):
			l.order = append(l.order, OrderKey{Expr: p.bracketed()})
		case p.accept("DESC"):
			l.order = append(l.order, OrderKey{Expr: p.bracketed(), Descending: true})
		case p.tok.kind == variable:
			l.order = append(l.order, OrderKey{Expr: p.placeExpr(VarExpr{p.takeVar()}, at)})
		case p.beginsConstraint():
			l.order = append(l.order, OrderKey{Expr: p.constraint()})
		default:
			if len(l.order) == 0 {
				p.failExpected("ASC, DESC, a variable, an expression in brackets or a function call")
			}
			return
		}
	}
}

// rows reads a row count. A count that does not fit in an int64 becomes the largest int64.
func (p *parser) rows() int64 {
	if p.tok.kind != number || !rdf.IsDigit(p.tok.text[0]) || rdf.NumberType(p.tok.text) != rdf.XSDInteger {
		p.failExpected("a number of rows")
		return 0
	}
	n, err := strconv.ParseInt(p.tok.text, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	p.next()
	return n
}
