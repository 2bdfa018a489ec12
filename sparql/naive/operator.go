package naive

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// eval is section 18.6's eval(D(G), op), where g is the active graph. outer is the solution that EXISTS substitutes,
// empty outside EXISTS. After a failure the result is meaningless.
func (e *evaluator) eval(op sparql.Op, g graph, outer solution) []solution {
	if e.stopped() != nil {
		return nil
	}
	switch op := op.(type) {
	case sparql.BGP:
		return e.basic(op, g, outer)
	case sparql.PathPattern:
		return e.pathPattern(op, g, outer)
	case sparql.Join:
		return e.join(e.eval(op.Left, g, outer), e.eval(op.Right, g, outer))
	case sparql.LeftJoin:
		return e.leftJoin(op, g, outer)
	case sparql.Filter:
		return e.filter(op.Expr, e.eval(op.Op, g, outer), g, outer)
	case sparql.Union:
		return slices.Concat(e.eval(op.Left, g, outer), e.eval(op.Right, g, outer))
	case sparql.Minus:
		return e.minus(e.eval(op.Left, g, outer), e.eval(op.Right, g, outer))
	case sparql.Graph:
		return e.graph(op, outer)
	case sparql.Extend:
		return e.extend(op, g, outer)
	case sparql.Table:
		return e.table(op, outer)
	case sparql.Group:
		return e.group(op, g, outer)
	case sparql.OrderBy:
		return e.orderBy(op, g, outer)
	case sparql.Project:
		return project(e.eval(op.Op, g, outer.only(op.Vars)), op.Vars)
	case sparql.Distinct:
		return distinct(e.eval(op.Op, g, outer))
	case sparql.Reduced:
		return e.eval(op.Op, g, outer)
	case sparql.Slice:
		return slice(e.eval(op.Op, g, outer), op.Offset, op.Limit)
	case sparql.Search:
		e.fail("no search is known")
		return nil
	case sparql.Service:
		return e.service(op)
	}
	e.fail("%T is no operator", op)
	return nil
}

// basic is section 18.3.1: the solutions under which the pattern is a subgraph of
// the active graph, each as often as there are ways to map the pattern's blank nodes.
func (e *evaluator) basic(bgp sparql.BGP, g graph, outer solution) []solution {
	solutions := []solution{outer.only(variables(bgp))}
	for _, pattern := range bgp.Patterns {
		var next []solution
		for _, s := range solutions {
			if e.stopped() != nil {
				return nil
			}
			for _, t := range g {
				if extended, ok := matches(pattern, t, s); ok {
					next = append(next, extended)
				}
			}
		}
		solutions = next
	}
	return separateBlankNodes(solutions)
}

// separateBlankNodes gives each solution its own map for the blank nodes that BNODE makes in it.
func separateBlankNodes(solutions []solution) []solution {
	for i := range solutions {
		solutions[i].blanks = map[string]rdf.Term{}
	}
	return solutions
}

func variables(bgp sparql.BGP) []sparql.Var {
	var vars []sparql.Var
	for _, p := range bgp.Patterns {
		vars = append(vars, p.Subject.Var, p.Predicate.Var, p.Object.Var)
	}
	return vars
}

func matches(p sparql.TriplePattern, t triple, s solution) (solution, bool) {
	for i, operand := range [3]sparql.Operand{p.Subject, p.Predicate, p.Object} {
		var ok bool
		if s, ok = matchesTerm(operand, t[i], s); !ok {
			return s, false
		}
	}
	return s, true
}

// matchesTerm extends s so that the operand equals the term, if possible.
func matchesTerm(o sparql.Operand, term rdf.Term, s solution) (solution, bool) {
	if o.Var == "" {
		return s, identical(o.Term, term)
	}
	if bound, ok := s.terms[o.Var]; ok {
		return s, identical(bound, term)
	}
	return s.bind(o.Var, term), true
}

// join is section 18.5's Join.
func (e *evaluator) join(left, right []solution) []solution {
	var out []solution
	for _, a := range left {
		if e.stopped() != nil {
			return nil
		}
		for _, b := range right {
			if compatible(a, b) {
				out = append(out, merge(a, b))
			}
		}
	}
	return out
}

// leftJoin is section 18.5's LeftJoin: Filter(expr, Join(Ω1, Ω2)), and the
// solutions of Ω1 that have no part in it.
func (e *evaluator) leftJoin(op sparql.LeftJoin, g graph, outer solution) []solution {
	left, right := e.eval(op.Left, g, outer), e.eval(op.Right, g, outer)
	var out []solution
	for _, a := range left {
		joined := e.join([]solution{a}, right)
		if op.Expr != nil {
			joined = e.filter(op.Expr, joined, g, outer)
		}
		if len(joined) == 0 {
			joined = []solution{a}
		}
		out = append(out, joined...)
	}
	return out
}

// filter is section 18.5's Filter; an error is not true.
func (e *evaluator) filter(expr sparql.Expr, solutions []solution, g graph, outer solution) []solution {
	var out []solution
	for _, s := range solutions {
		if e.stopped() != nil {
			return nil
		}
		if ok, err := e.truth(expr, scope{s.with(outer), g}); err == nil && ok {
			out = append(out, s)
		}
	}
	return out
}

// minus is section 18.5's Minus.
func (e *evaluator) minus(left, right []solution) []solution {
	return slices.DeleteFunc(left, func(a solution) bool {
		return slices.ContainsFunc(right, func(b solution) bool { return compatible(a, b) && !disjoint(a, b) })
	})
}

// graph is section 18.6's evaluation of Graph: the named graph if the dataset has it, or with a variable each named
// graph.
func (e *evaluator) graph(op sparql.Graph, outer solution) []solution {
	names := e.names
	if name := known(op.Name, outer); name != nil {
		names = []rdf.Term{name}
	}
	var out []solution
	for _, name := range names {
		g := e.named[name]
		if g == nil {
			continue
		}
		solutions := e.eval(op.Op, g, outer)
		if op.Name.Var != "" {
			solutions = e.join(solutions, []solution{newSolution().bind(op.Name.Var, name)})
		}
		out = append(out, solutions...)
	}
	return out
}

// known returns the term of an operand, or nil for a variable that s does not bind.
func known(o sparql.Operand, s solution) rdf.Term {
	if o.Var == "" {
		return o.Term
	}
	return s.terms[o.Var]
}

// extend is section 18.5's Extend.
func (e *evaluator) extend(op sparql.Extend, g graph, outer solution) []solution {
	var out []solution
	for _, s := range e.eval(op.Op, g, outer) {
		value, err := e.value(op.Expr, scope{s.with(outer), g})
		substituted, is := outer.terms[op.Var]
		switch {
		case err != nil:
			out = append(out, s)
		case !is || identical(value, substituted):
			out = append(out, s.bind(op.Var, value))
		}
	}
	return out
}

// table is inline data (section 10.2.2): UNDEF binds nothing.
func (e *evaluator) table(op sparql.Table, outer solution) []solution {
	var data []solution
	for _, row := range op.Rows {
		s := newSolution()
		for i, term := range row {
			if term != nil {
				s.terms[op.Vars[i]] = term
			}
		}
		data = append(data, s)
	}
	return e.join(data, []solution{outer.only(op.Vars)})
}

// project is section 18.5's Project.
func project(solutions []solution, vars []sparql.Var) []solution {
	out := make([]solution, len(solutions))
	for i, s := range solutions {
		out[i] = s.only(vars)
	}
	return out
}

// slice is section 18.5's Slice.
func slice(solutions []solution, offset, limit int64) []solution {
	n := int64(len(solutions))
	offset = min(max(offset, 0), n)
	if limit < 0 || limit > n-offset {
		limit = n - offset
	}
	return solutions[offset : offset+limit]
}

// service fails; with SILENT the result is one solution without bindings (SPARQL 1.1 Federated Query section 2.2).
func (e *evaluator) service(op sparql.Service) []solution {
	if !op.Silent {
		e.fail("no service may be asked")
	}
	return []solution{newSolution()}
}

// orderBy is section 18.5's OrderBy, with the order of section 15.1.
func (e *evaluator) orderBy(op sparql.OrderBy, g graph, outer solution) []solution {
	solutions := e.eval(op.Op, g, outer)
	type keyed struct {
		solution
		keys []rdf.Term
	}
	all := make([]keyed, len(solutions))
	for i, s := range solutions {
		all[i].solution = s
		for _, key := range op.Keys {
			value, err := e.value(key.Expr, scope{s.with(outer), g})
			if err != nil {
				value = nil
			}
			all[i].keys = append(all[i].keys, value)
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		for i, key := range op.Keys {
			order := orderTerms(a.keys[i], b.keys[i])
			if key.Descending {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	for i := range all {
		solutions[i] = all[i].solution
	}
	return solutions
}

func isIRI(t rdf.Term) bool   { _, ok := t.(rdf.IRI); return ok }
func isBlank(t rdf.Term) bool { _, ok := t.(rdf.BNode); return ok }
