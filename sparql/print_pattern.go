package sparql

import "trails/rdf"

// group writes a group graph pattern, braces and all.
func (p *printer) group(op Op) {
	p.braces(func() { p.groupBody(op) })
}

func (p *printer) groupBody(op Op) {
	if isLevel(op) {
		p.line()
		p.subquery(op)
		return
	}
	if f, ok := op.(Filter); ok {
		p.elements(f.Op)
		p.filter(f.Expr)
		return
	}
	p.elements(op)
}

// isLevel reports whether an operator belongs to a SELECT, not to a group graph pattern.
func isLevel(op Op) bool {
	switch op.(type) {
	case Project, Distinct, Reduced, Slice, OrderBy, Group:
		return true
	}
	return false
}

func (p *printer) subquery(op Op) {
	l := levelOf(op, true)
	p.know(l.group)
	p.selectClause(l)
	p.rest(l)
}

func (p *printer) filter(e Expr) {
	p.line("FILTER")
	if x, ok := e.(Exists); ok {
		p.write(" ")
		p.exists(x)
		return
	}
	p.write("(")
	p.expr(e, lowest)
	p.write(")")
}

// elements writes the elements of a group, leftmost first.
func (p *printer) elements(op Op) {
	switch op := op.(type) {
	case Join:
		p.join(op)
	case LeftJoin:
		p.elements(op.Left)
		p.line("OPTIONAL ")
		p.optional(op)
	case Minus:
		p.elements(op.Left)
		p.line("MINUS ")
		p.group(op.Right)
	case Extend:
		p.elements(op.Op)
		p.line("BIND(")
		p.expr(op.Expr, lowest)
		p.write(" AS ?", string(op.Var), ")")
	default:
		p.joined(op)
	}
}

func (p *printer) optional(op LeftJoin) {
	if op.Expr == nil && !isFilter(op.Right) {
		p.group(op.Right)
		return
	}
	p.braces(func() {
		if isFilter(op.Right) || isLevel(op.Right) {
			p.line()
			p.group(op.Right)
		} else {
			p.elements(op.Right)
		}
		if op.Expr != nil {
			p.filter(op.Expr)
		}
	})
}

func isFilter(op Op) bool { _, ok := op.(Filter); return ok }

// joined writes one element of a group.
func (p *printer) joined(op Op) {
	switch op := op.(type) {
	case BGP:
		for _, t := range op.Patterns {
			p.triple(t)
		}
	case PathPattern:
		p.line(p.operand(op.Subject), " ")
		p.path(op.Path, alternatives)
		p.write(" ", p.operand(op.Object), " .")
	case Union:
		p.line()
		p.union(op)
	case Graph:
		p.line("GRAPH ", p.operand(op.Name), " ")
		p.group(op.Op)
	case Service:
		p.service(op)
	case Search:
		p.line()
		p.search(op)
		p.write(" .")
	case Table:
		p.line()
		p.table(op)
	default:
		p.line()
		p.group(op)
	}
}

func (p *printer) union(op Union) {
	if left, ok := op.Left.(Union); ok {
		p.union(left)
	} else {
		p.group(op.Left)
	}
	p.write(" UNION ")
	p.group(op.Right)
}

func (p *printer) service(op Service) {
	p.line("SERVICE ")
	if op.Silent {
		p.write("SILENT ")
	}
	p.write(p.operand(op.Name), " ")
	p.group(op.Op)
}

func (p *printer) search(s Search) {
	end := func(o Operand) { p.write(p.operand(o)) }
	writeList(p, s.Found, len(s.Found) != 1, end)
	p.write(" ", p.term(Matches), " ")
	writeList(p, s.Given, len(s.Given) != 1, end)
}

func (p *printer) table(t Table) {
	p.write("VALUES ")
	writeList(p, t.Vars, len(t.Vars) != 1, func(v Var) { p.write("?", string(v)) })
	p.write(" ")
	p.braces(func() {
		for _, row := range t.Rows {
			p.line()
			writeList(p, row, len(row) != 1, func(t rdf.Term) { p.write(p.term(t)) })
		}
	})
}

// writeList writes items separated by spaces, in parentheses if asked.
func writeList[T any](p *printer, items []T, parentheses bool, write func(T)) {
	if parentheses {
		p.write("(")
		defer p.write(")")
	}
	for i, item := range items {
		if i > 0 {
			p.write(" ")
		}
		write(item)
	}
}
