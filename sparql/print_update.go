package sparql

// String returns the update as SPARQL: ParseUpdate gives the same update for it.
func (u *Update) String() string {
	p := newPrinter(u.Prefixes)
	p.prologue("", u.Prefixes)
	base := ""
	for i, op := range u.Operations {
		if i > 0 {
			p.write(" ;\n")
		}
		if m, ok := op.(Modify); ok && m.Base != base {
			base = m.Base
			p.prologue(base, nil)
		}
		p.operation(op)
	}
	return p.Builder.String()
}

func (p *printer) operation(op Operation) {
	switch op := op.(type) {
	case Load:
		p.write("LOAD ", silent(op.Silent), p.iri(op.Source))
		if !op.Into.isDefault() {
			p.write(" INTO ", p.target(op.Into))
		}
	case Clear:
		p.write("CLEAR ", silent(op.Silent), p.target(op.Target))
	case Drop:
		p.write("DROP ", silent(op.Silent), p.target(op.Target))
	case Create:
		p.write("CREATE ", silent(op.Silent), p.target(Target{Graph: op.Graph}))
	case Transfer:
		p.write(string(op.Kind), " ", silent(op.Silent), p.target(op.From), " TO ", p.target(op.To))
	case Modify:
		switch {
		case op.Where != nil:
			p.pattern(op)
		case len(op.Delete) > 0:
			p.write("DELETE DATA ")
			p.quads(op.Delete)
		default:
			p.write("INSERT DATA ")
			p.quads(op.Insert)
		}
	}
}

func silent(is bool) string {
	if is {
		return "SILENT "
	}
	return ""
}

func (p *printer) target(t Target) string {
	switch {
	case t.Named:
		return "NAMED"
	case t.All:
		return "ALL"
	case t.isDefault():
		return "DEFAULT"
	}
	return "GRAPH " + p.iri(t.Graph)
}

// pattern writes an operation with a WHERE clause.
func (p *printer) pattern(m Modify) {
	if m.With != "" {
		p.write("WITH ", p.iri(m.With), "\n")
	}
	if len(m.Delete) > 0 {
		p.write("DELETE ")
		p.quads(m.Delete)
	}
	if len(m.Delete) > 0 && len(m.Insert) > 0 {
		p.line()
	}
	if len(m.Insert) > 0 || len(m.Delete) == 0 {
		p.write("INSERT ")
		p.quads(m.Insert)
	}
	p.dataset("USING", m.Using)
	p.line("WHERE ")
	p.group(m.Where)
}

func (p *printer) quads(quads []QuadPattern) {
	p.braces(func() {
		for len(quads) > 0 {
			n := sameGraph(quads)
			p.quadsOfGraph(quads[:n])
			quads = quads[n:]
		}
	})
}

func (p *printer) quadsOfGraph(quads []QuadPattern) {
	triples := func() {
		for _, q := range quads {
			p.triple(q.TriplePattern)
		}
	}
	if quads[0].Graph == (Operand{}) {
		triples()
		return
	}
	p.line("GRAPH ", p.operand(quads[0].Graph), " ")
	p.braces(triples)
}
