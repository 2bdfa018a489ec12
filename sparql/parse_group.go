package sparql

import (
	"trails/fault"
	"trails/rdf"
)

// group is a group graph pattern while it is read: the pattern so far, and the filters, which apply to the whole
// group (section 18.2.2.2).
type group struct {
	op      Op
	block   []triple // triples since the last other pattern; a FILTER does not end them
	filters []Expr
	scope   scope
	joined  int
}

// whole returns the group's translation.
func (g *group) whole() Op {
	if len(g.filters) == 0 {
		return g.op
	}
	return Filter{conjunction(g.filters), g.op}
}

func conjunction(exprs []Expr) Expr {
	all := exprs[0]
	for _, e := range exprs[1:] {
		all = Call{And, []Expr{all, e}}
	}
	return all
}

// group reads GroupGraphPattern, braces and all.
func (p *parser) group() *group {
	p.enter()
	defer p.leave()
	aggregates, sink, block := p.aggregates, p.sink, p.blocks.current
	p.aggregates = nil
	p.expect("{")
	g := &group{op: BGP{}}
	if p.is("SELECT") {
		g.op = p.subquery(&g.scope)
	} else {
		p.groupBody(g)
	}
	p.expect("}")
	p.aggregates, p.sink, p.blocks.current = aggregates, sink, block
	return g
}

// groupBody reads GroupGraphPatternSub.
func (p *parser) groupBody(g *group) {
	block := p.blocks.begin()
	for !p.is("}") && !p.ended() {
		p.link(&g.joined, "patterns")
		switch {
		case p.isNode():
			s := sink{place: "a pattern", paths: true, vars: true, blanks: true, blank: blankOfPattern}
			p.with(&s, p.triples)
			g.scope.addTriples(s.triples)
			g.block = append(g.block, s.triples...)
			if !p.is("}") && p.isNode() {
				p.failExpected("'.', '}' or another pattern")
			}
			continue
		case p.accept("FILTER"):
			g.filters = append(g.filters, p.constraint())
			p.blocks.current = block
		default:
			p.endBlock(g)
			p.notTriples(g)
			block = p.blocks.begin()
		}
		p.accept(".")
	}
	p.endBlock(g)
}

// endBlock joins the triples so far to the pattern.
func (p *parser) endBlock(g *group) {
	triples, searches := searchesIn(g.block)
	for _, op := range p.patterns(triples) {
		g.op = NewJoin(g.op, op)
	}
	for _, s := range searches {
		g.op = NewJoin(g.op, s)
	}
	g.block = nil
}

// notTriples reads GraphPatternNotTriples without FILTER.
func (p *parser) notTriples(g *group) {
	switch {
	case p.is("{"):
		op, n := p.nested(g), 0
		for p.accept("UNION") {
			p.link(&n, "alternatives")
			op = Union{op, p.nested(g)}
		}
		g.op = NewJoin(g.op, op)
	case p.accept("OPTIONAL"):
		p.optional(g)
	case p.accept("MINUS"):
		g.op = Minus{g.op, p.group().whole()}
	case p.accept("GRAPH"):
		name := p.varOrIRI()
		g.scope.add(name.Var)
		g.op = NewJoin(g.op, Graph{name, p.inside(g, true)})
	case p.accept("SERVICE"):
		p.service(g)
	case p.accept("BIND"):
		p.expect("(")
		expr := p.expression()
		p.expect("AS")
		at := p.tok.start
		v := p.takeVar()
		p.expect(")")
		if g.scope.has(v) { // section 10.1
			p.failFrom(at, "BIND cannot set ?"+string(v)+": the group uses it already; name another variable, or compare: FILTER(?"+string(v)+" = …)")
		}
		g.scope.add(v)
		g.op = Extend{g.op, v, expr}
	case p.accept("VALUES"):
		table := p.dataBlock()
		g.scope.addAll(table.Vars)
		g.op = NewJoin(g.op, table)
	default:
		p.failExpected("a triple, '{', OPTIONAL, MINUS, GRAPH, SERVICE, FILTER, BIND, VALUES or '}'")
	}
}

// nested reads a group and adds its variables to the scope around it.
func (p *parser) nested(g *group) Op {
	inner := p.group()
	g.scope.addAll(inner.scope.vars)
	return inner.whole()
}

// inside is nested for the group of GRAPH, or of SERVICE, where the other endpoint's default graph is read.
func (p *parser) inside(g *group, graph bool) Op {
	outer := p.inGraph
	p.inGraph = graph
	defer func() { p.inGraph = outer }()
	return p.nested(g)
}

// optional reads OPTIONAL. Filters directly in its group become the condition of LeftJoin, which sees the variables
// of both sides.
func (p *parser) optional(g *group) {
	inner := p.group()
	g.scope.addAll(inner.scope.vars)
	join := LeftJoin{Left: g.op, Right: inner.op}
	if len(inner.filters) > 0 {
		join.Expr = conjunction(inner.filters)
	}
	g.op = join
}

func (p *parser) service(g *group) {
	s := Service{Silent: p.accept("SILENT"), Name: p.varOrIRI()}
	g.scope.add(s.Name.Var)
	s.Op = p.inside(g, false)
	g.op = NewJoin(g.op, s)
}

func (p *parser) varOrIRI() Operand {
	if p.tok.kind == variable {
		return Operand{Var: p.takeVar()}
	}
	if !p.isIRI() {
		p.failExpected("a variable or an IRI")
		return Operand{}
	}
	return Operand{Term: p.iri()}
}

// dataBlock reads the variables and rows of VALUES.
func (p *parser) dataBlock() Table {
	var t Table
	if p.tok.kind == variable {
		t.Vars = []Var{p.takeVar()}
		p.expect("{")
		for !p.is("}") && !p.ended() {
			t.Rows = append(t.Rows, []rdf.Term{p.dataValue()})
		}
		p.expect("}")
		return t
	}
	t.Vars = p.tableVars()
	p.expect("{")
	for !p.is("}") && !p.ended() {
		t.Rows = append(t.Rows, p.tableRow(len(t.Vars)))
	}
	p.expect("}")
	return t
}

func (p *parser) tableVars() []Var {
	var seen scope
	p.expect("(")
	for p.tok.kind == variable {
		at := p.tok.start
		v := p.takeVar()
		if seen.has(v) {
			p.failFrom(at, "VALUES names ?"+string(v)+" twice")
		}
		seen.add(v)
	}
	p.expect(")")
	return seen.vars
}

func (p *parser) tableRow(width int) []rdf.Term {
	at := p.tok.start
	p.expect("(")
	row := make([]rdf.Term, 0, width)
	for !p.is(")") && !p.ended() {
		row = append(row, p.dataValue())
	}
	p.expect(")")
	if len(row) != width {
		p.failFrom(at, "this row of VALUES has "+fault.Counted(len(row), "value")+" for "+fault.Counted(width, "variable"))
	}
	return row
}

// dataValue reads DataBlockValue; UNDEF is nil.
func (p *parser) dataValue() rdf.Term {
	switch {
	case p.accept("UNDEF"):
		return nil
	case p.isIRI():
		return p.iri()
	case p.isLiteral():
		return p.literal()
	}
	p.failExpected("an IRI, a literal or UNDEF")
	return nil
}
