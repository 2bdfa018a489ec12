package sparql

import (
	"math"
	"strconv"

	"trails/kg/rdf"
)

// query reads QueryUnit.
func (p *parser) query() *Query {
	p.prologue()
	q := &Query{}
	switch {
	case p.is("SELECT"):
		p.selectQuery(q)
	case p.accept("CONSTRUCT"):
		p.constructQuery(q)
	case p.accept("DESCRIBE"):
		p.describeQuery(q)
	case p.accept("ASK"):
		p.askQuery(q)
	default:
		p.failExpected("SELECT, CONSTRUCT, DESCRIBE, ASK, PREFIX or BASE")
	}
	q.Base = p.base
	if len(p.declared) > 0 {
		q.Prefixes = p.declared
	}
	if p.failed == nil {
		q.Op = p.finished(q.Op)
	}
	return q
}

func (p *parser) selectQuery(q *Query) {
	q.Form = Select
	l := p.selectClause()
	q.Dataset = p.dataset("FROM")
	p.where(l)
	p.modifiers(l)
	p.values(l)
	q.Op = p.solved(l)
	q.Vars = l.projected
}

// subquery reads SubSelect; what it selects is in scope around it.
func (p *parser) subquery(around *scope) Op {
	l := p.selectClause()
	p.where(l)
	p.modifiers(l)
	p.values(l)
	op := p.solved(l)
	around.addAll(l.projected)
	return op
}

func (p *parser) where(l *level) {
	p.accept("WHERE")
	g := p.group()
	l.op, l.scope = g.whole(), g.scope
}

// selectClause reads SelectClause.
func (p *parser) selectClause() *level {
	l := &level{selects: true, limit: -1}
	p.expect("SELECT")
	l.distinct = p.accept("DISTINCT")
	l.reduced = !l.distinct && p.accept("REDUCED")
	l.starAt = p.tok.start
	if p.accept("*") {
		l.star = true
		return l
	}
	p.counting(&l.aggregates, func() {
		for p.tok.kind == variable || p.is("(") {
			l.items = append(l.items, p.selectItem())
		}
	})
	if len(l.items) == 0 {
		p.failExpected("'*', a variable or an expression in brackets")
	}
	return l
}

// counting reads where aggregates may stand.
func (p *parser) counting(n *int, read func()) {
	outer := p.aggregates
	p.aggregates = n
	read()
	p.aggregates = outer
}

func (p *parser) selectItem() item {
	i := item{at: p.tok.start}
	if p.accept("(") {
		i.expr = p.expression()
		p.expect("AS")
		i.at = p.tok.start
		i.name = p.takeVar()
		p.expect(")")
		return i
	}
	i.name = p.takeVar()
	return i
}

// dataset reads DatasetClause, or UsingClause, as often as it stands.
func (p *parser) dataset(word string) Dataset {
	var d Dataset
	for p.accept(word) {
		if p.accept("NAMED") {
			d.Named = append(d.Named, p.iri())
		} else {
			d.Default = append(d.Default, p.iri())
		}
	}
	return d
}

// constructQuery reads both forms of CONSTRUCT; the short one's template is also
// its pattern.
func (p *parser) constructQuery(q *Query) {
	q.Form = Construct
	l := &level{limit: -1}
	if p.is("{") {
		q.Template = p.template()
		q.Dataset = p.dataset("FROM")
		p.where(l)
	} else {
		q.Dataset = p.dataset("FROM")
		p.expect("WHERE")
		q.Template = p.templateAsPattern(l)
	}
	p.modifiers(l)
	p.values(l)
	q.Op = p.solved(l)
}

// template reads ConstructTemplate. Its blank nodes are terms: new ones for each
// solution.
func (p *parser) template() []TriplePattern {
	s := sink{place: "a template", vars: true, blanks: true, blank: (&labels{}).blank}
	p.with(&s, p.bracedTriples)
	return templateOf(s.triples)
}

func (p *parser) bracedTriples() {
	p.expect("{")
	p.triples()
	p.expect("}")
}

func templateOf(triples []triple) []TriplePattern {
	var patterns []TriplePattern
	for _, t := range triples {
		patterns = append(patterns, TriplePattern{t.subject, t.verb, t.object})
	}
	return patterns
}

// templateAsPattern reads what stands behind CONSTRUCT WHERE.
func (p *parser) templateAsPattern(l *level) []TriplePattern {
	names := &labels{}
	terms := map[Operand]Operand{}
	s := sink{place: "a template", vars: true, blanks: true}
	s.blank = func(p *parser, label string, at int) Operand {
		v := blankOfPattern(p, label, at)
		terms[v] = names.blank(p, label, at)
		return v
	}
	p.blocks.begin()
	p.with(&s, p.bracedTriples)
	l.scope.addTriples(s.triples)
	pattern := BGP{templateOf(s.triples)}
	l.op = pattern
	return replaceEnds(pattern.Patterns, terms)
}

// replaceEnds returns the patterns with other subjects and objects.
func replaceEnds(patterns []TriplePattern, by map[Operand]Operand) []TriplePattern {
	var out []TriplePattern
	for _, t := range patterns {
		if s, ok := by[t.Subject]; ok {
			t.Subject = s
		}
		if o, ok := by[t.Object]; ok {
			t.Object = o
		}
		out = append(out, t)
	}
	return out
}

// labels gives the blank nodes of a template their names, in order.
type labels struct {
	known map[string]rdf.BNode
	n     int
}

// blankOfData is what a blank node is in INSERT DATA: a term, as in a template, but
// two operations cannot share a label (section 19.6).
func (l *labels) blankOfData(p *parser, label string, at int) Operand {
	_, mine := l.known[label]
	if label != "" && !mine && p.dataLabels[label] {
		p.failFrom(at, "the blank node label _:"+label+" is used in another INSERT DATA, and cannot be shared")
	}
	if p.dataLabels == nil {
		p.dataLabels = map[string]bool{}
	}
	p.dataLabels[label] = true
	return l.blank(p, label, at)
}

func (l *labels) blank(_ *parser, label string, _ int) Operand {
	if node, ok := l.known[label]; ok {
		return Operand{Term: node}
	}
	node := rdf.BNode("b" + strconv.Itoa(l.n))
	l.n++
	if label != "" {
		if l.known == nil {
			l.known = map[string]rdf.BNode{}
		}
		l.known[label] = node
	}
	return Operand{Term: node}
}

func (p *parser) describeQuery(q *Query) {
	q.Form = Describe
	l := &level{limit: -1, op: BGP{}}
	star := p.accept("*")
	if !star {
		q.Vars, q.Describe = p.described()
	}
	q.Dataset = p.dataset("FROM")
	if p.is("WHERE") || p.is("{") {
		p.where(l)
	}
	p.modifiers(l)
	p.values(l)
	q.Op = p.solved(l)
	if star {
		q.Vars = l.scope.vars
	}
}

func (p *parser) described() (vars []Var, iris []rdf.IRI) {
	for p.tok.kind == variable || p.isIRI() {
		if p.tok.kind == variable {
			vars = append(vars, p.takeVar())
		} else {
			iris = append(iris, p.iri())
		}
	}
	if len(vars)+len(iris) == 0 {
		p.failExpected("'*', a variable or an IRI")
	}
	return vars, iris
}

func (p *parser) askQuery(q *Query) {
	q.Form = Ask
	l := &level{limit: -1}
	q.Dataset = p.dataset("FROM")
	p.where(l)
	p.modifiers(l)
	p.values(l)
	q.Op = p.solved(l)
}

// modifiers reads SolutionModifier.
func (p *parser) modifiers(l *level) {
	if p.accept("GROUP") {
		p.expect("BY")
		p.groupKeys(l)
	}
	p.counting(&l.aggregates, func() {
		if p.accept("HAVING") {
			l.having = append(l.having, p.constraint())
			for p.beginsConstraint() {
				l.having = append(l.having, p.constraint())
			}
		}
		if p.accept("ORDER") {
			p.expect("BY")
			p.orderKeys(l)
		}
	})
	p.limits(l)
}

// beginsConstraint tells a further condition of HAVING, GROUP BY or ORDER BY from
// what may follow these.
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

func (p *parser) groupKeys(l *level) {
	for p.tok.kind == variable || p.beginsConstraint() {
		l.keys = append(l.keys, p.groupKey(l))
	}
	if len(l.keys) == 0 {
		p.failExpected("a variable, an expression in brackets or a function call")
	}
}

// groupKey reads GroupCondition. A variable is known to SELECT by its own name.
func (p *parser) groupKey(l *level) GroupKey {
	if p.tok.kind == variable {
		v := p.takeVar()
		return GroupKey{VarExpr{v}, v}
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
		p.failFrom(at, "GROUP BY cannot set ?"+string(v)+": the pattern uses it already")
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
		switch {
		case p.accept("ASC"):
			l.order = append(l.order, OrderKey{Expr: p.bracketed()})
		case p.accept("DESC"):
			l.order = append(l.order, OrderKey{Expr: p.bracketed(), Descending: true})
		case p.tok.kind == variable:
			l.order = append(l.order, OrderKey{Expr: VarExpr{p.takeVar()}})
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

// limits reads LimitOffsetClauses, in either order.
func (p *parser) limits(l *level) {
	if p.accept("LIMIT") {
		l.limit = p.number()
		if p.accept("OFFSET") {
			l.offset = p.number()
		}
		return
	}
	if p.accept("OFFSET") {
		l.offset = p.number()
		if p.accept("LIMIT") {
			l.limit = p.number()
		}
	}
}

// number reads a row count; one beyond all rows is all rows.
func (p *parser) number() int64 {
	if p.tok.kind != integer || !isDigit(p.tok.text[0]) {
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

// values reads ValuesClause.
func (p *parser) values(l *level) {
	if p.accept("VALUES") {
		table := p.dataBlock()
		l.values = &table
		l.scope.addAll(table.Vars)
	}
}
