package sparql

import "trails/rdf"

// update reads Update: operations with semicolons between them, and a prologue
// before each.
func (p *parser) update() *Update {
	u := &Update{}
	p.prologue()
	for !p.ended() {
		if op := p.operation(); p.failed == nil {
			u.Operations = append(u.Operations, op)
		}
		if !p.accept(";") {
			break
		}
		p.prologue()
	}
	if len(p.declared) > 0 {
		u.Prefixes = p.declared
	}
	return u
}

func (p *parser) operation() Operation {
	switch {
	case p.accept("LOAD"):
		l := Load{Silent: p.accept("SILENT"), Source: p.iri()}
		if p.accept("INTO") {
			p.expect("GRAPH")
			l.Into.Graph = p.iri()
		}
		return l
	case p.accept("CLEAR"):
		return Clear{p.accept("SILENT"), p.graphRefAll()}
	case p.accept("DROP"):
		return Drop{p.accept("SILENT"), p.graphRefAll()}
	case p.accept("CREATE"):
		silent := p.accept("SILENT")
		p.expect("GRAPH")
		return Create{silent, p.iri()}
	case p.is("ADD"), p.is("MOVE"), p.is("COPY"):
		t := Transfer{Kind: TransferKind(p.tok.text)}
		p.next()
		t.Silent = p.accept("SILENT")
		t.From = p.graphOrDefault()
		p.expect("TO")
		t.To = p.graphOrDefault()
		return t
	}
	return p.modification()
}

// graphRefAll reads GraphRefAll.
func (p *parser) graphRefAll() Target {
	switch {
	case p.accept("DEFAULT"):
		return Target{}
	case p.accept("NAMED"):
		return Target{Named: true}
	case p.accept("ALL"):
		return Target{All: true}
	case p.accept("GRAPH"):
		return Target{Graph: p.iri()}
	}
	p.failExpected("GRAPH, DEFAULT, NAMED or ALL")
	return Target{}
}

func (p *parser) graphOrDefault() Target {
	if p.accept("DEFAULT") {
		return Target{}
	}
	p.accept("GRAPH")
	if !p.isIRI() {
		p.failExpected("DEFAULT, GRAPH or an IRI")
	}
	return Target{Graph: p.iri()}
}

// modification reads INSERT, DELETE and WITH.
func (p *parser) modification() Operation {
	m := Modify{Base: p.base}
	if p.accept("WITH") {
		m.With = p.iri()
	}
	switch {
	case p.accept("DELETE"):
		if m.With == "" && !p.is("{") {
			return p.deletion(m)
		}
		m.Delete = p.quads(&sink{place: "a DELETE template", vars: true})
		if p.accept("INSERT") {
			m.Insert = p.insertTemplate()
		}
	case p.accept("INSERT"):
		if m.With == "" && p.accept("DATA") {
			m.Insert = p.insertData()
			return m
		}
		m.Insert = p.insertTemplate()
	case m.With != "":
		p.failExpected("DELETE or INSERT")
	default:
		p.failExpected("an operation: INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE or COPY")
	}
	m.Using = p.dataset("USING")
	p.expect("WHERE")
	m.Where = p.group().whole()
	if p.failed == nil {
		m.Where = p.finished(m.Where)
	}
	return m
}

func (p *parser) insertTemplate() []QuadPattern {
	return p.quads(&sink{place: "an INSERT template", vars: true, blanks: true, blank: (&labels{}).blank})
}

// deletion reads DELETE DATA or DELETE WHERE; DELETE has been read.
func (p *parser) deletion(m Modify) Operation {
	if p.accept("DATA") {
		m.Delete = p.quads(&sink{place: "DELETE DATA"})
		return m
	}
	if !p.accept("WHERE") {
		p.failExpected("'{', DATA or WHERE")
	}
	m.Delete = p.quads(&sink{place: "DELETE WHERE", vars: true})
	m.Where = quadsAsPattern(m.Delete)
	return m
}

// quads reads QuadPattern or QuadData, braces and all.
func (p *parser) quads(s *sink) []QuadPattern {
	var quads []QuadPattern
	p.with(s, func() {
		p.expect("{")
		quads = p.quadsIn(quads, Operand{})
		for p.accept("GRAPH") {
			at := p.tok.start
			name := p.varOrIRI()
			if name.Var != "" && !s.vars {
				p.failFrom(at, "a variable cannot stand in "+s.place)
			}
			p.expect("{")
			quads = p.quadsIn(quads, name)
			p.expect("}")
			p.accept(".")
			quads = p.quadsIn(quads, Operand{})
		}
		p.expect("}")
	})
	return quads
}

func (p *parser) quadsIn(quads []QuadPattern, graph Operand) []QuadPattern {
	p.sink.triples = nil
	p.triples()
	for _, t := range templateOf(p.sink.triples) {
		quads = append(quads, QuadPattern{graph, t})
	}
	return quads
}

// quadsAsPattern makes the pattern of DELETE WHERE from its template.
func quadsAsPattern(quads []QuadPattern) Op {
	var op Op = BGP{}
	for len(quads) > 0 {
		graph, n := quads[0].Graph, sameGraph(quads)
		var part BGP
		for _, q := range quads[:n] {
			part.Patterns = append(part.Patterns, q.TriplePattern)
		}
		quads = quads[n:]
		if graph == (Operand{}) {
			op = NewJoin(op, part)
		} else {
			op = NewJoin(op, Graph{graph, part})
		}
	}
	return op
}

// sameGraph returns how many of the first quads are in the same graph.
func sameGraph(quads []QuadPattern) int {
	for i, q := range quads {
		if q.Graph != quads[0].Graph {
			return i
		}
	}
	return len(quads)
}

// isDefault reports whether a target is the default graph.
func (t Target) isDefault() bool { return t.Graph == rdf.IRI("") && !t.Named && !t.All }
