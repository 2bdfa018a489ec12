package sparql

import "trails/rdf"

// query reads QueryUnit.
func (p *parser) query() *Query {
	p.prologue()
	q := &Query{}
	l := &level{limit: -1, op: BGP{}}
	star := false
	switch {
	case p.is("SELECT"):
		q.Form = Select
		l = p.selectClause()
		q.Dataset = p.dataset("FROM")
		p.where(l)
	case p.accept("CONSTRUCT"):
		q.Form = Construct
		if p.is("{") {
			q.Template = p.template()
			q.Dataset = p.dataset("FROM")
			p.where(l)
		} else { // the short form: the template is also the pattern
			q.Dataset = p.dataset("FROM")
			p.expect("WHERE")
			q.Template = p.templateAsPattern(l)
		}
	case p.accept("DESCRIBE"):
		q.Form = Describe
		if star = p.accept("*"); !star {
			q.Vars, q.Describe = p.described()
		}
		q.Dataset = p.dataset("FROM")
		if p.is("WHERE") || p.is("{") {
			p.where(l)
		}
	case p.accept("ASK"):
		q.Form = Ask
		q.Dataset = p.dataset("FROM")
		p.where(l)
	default:
		p.failExpected("SELECT, CONSTRUCT, DESCRIBE, ASK, PREFIX or BASE")
	}
	q.Op = p.solutions(l)
	switch {
	case q.Form == Select:
		q.Vars = l.projected
	case star:
		q.Vars = l.scope.vars
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

// subquery reads SubSelect and adds the variables that it selects to the scope around it.
func (p *parser) subquery(around *scope) Op {
	l := p.selectClause()
	p.where(l)
	op := p.solutions(l)
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
		for n := 0; p.tok.kind == variable || p.is("("); {
			p.link(&n, "expressions of SELECT")
			l.items = append(l.items, p.selectItem())
		}
	})
	if len(l.items) == 0 {
		p.failExpected("'*', a variable or an expression in brackets")
	}
	return l
}

// counting calls read, during which aggregates are allowed and counted.
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

// dataset reads any number of DatasetClause, or of UsingClause.
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
