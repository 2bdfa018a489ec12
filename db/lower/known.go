package lower

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// source is what gives a variable its value in every solution: the object of a pattern in a graph, or a count.
type source struct {
	pattern sparql.TriplePattern
	graph   graph
	count   bool
}

// hasSource reports whether one of a variable's sources in op does what is asked for.
func hasSource(op sparql.Op, v sparql.Var, g graph, does func(source) bool) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool {
			return p.Object.Var == v && does(source{pattern: p, graph: g})
		})
	case sparql.Join:
		return hasSource(left, v, g, does) || hasSource(right, v, g, does)
	case sparql.LeftJoin, sparql.Filter, sparql.Minus:
		return hasSource(left, v, g, does)
	case sparql.Graph:
		return hasSource(left, v, graph{in: []string{""}, named: true, virtual: virtualNamed(op.Name.Term)}, does)
	case sparql.Extend:
		if v == op.Var {
			other, ok := op.Expr.(sparql.VarExpr)
			if !ok {
				return false
			}
			v = other.Var
		}
		return hasSource(left, v, g, does)
	case sparql.Project:
		return slices.Contains(op.Vars, v) && hasSource(left, v, g, does)
	case sparql.Group:
		for _, k := range op.Keys {
			if k.Var == v && k.Expr == (sparql.VarExpr{Var: v}) {
				return hasSource(left, v, g, does)
			}
		}
		return slices.ContainsFunc(op.Aggregates, func(a sparql.Aggregation) bool {
			return a.Var == v && a.Aggregate.Func == sparql.Count && does(source{count: true})
		})
	}
	return false
}

// regionOf returns the region that contains all values of v in op.
func (l *lowerer) regionOf(op sparql.Op, v sparql.Var, s scope) (r Region) {
	hasSource(op, v, s.graph, func(of source) bool {
		if r = l.patternRegion(of.pattern, of.graph); of.count {
			r = integerRegion
		}
		return r != ""
	})
	return r
}

// patternRegion returns the region that contains all objects of a pattern.
func (l *lowerer) patternRegion(p sparql.TriplePattern, g graph) Region {
	predicate, ok := p.Predicate.Term.(rdf.IRI)
	if !ok || p.Predicate.Var != "" || l.opts.Region == nil || g.named {
		return ""
	}
	return l.opts.Region(predicate)
}

// ordered reports whether a pattern sorts v by itself.
func (l *lowerer) ordered(op sparql.Op, v sparql.Var, s scope) bool {
	return hasSource(op, v, s.graph, func(of source) bool { return l.hasOrder(of.pattern, of.graph.one()) })
}

// gives reports whether what a scanner has collected of op binds a variable, without an expression.
func gives(op sparql.Op, v sparql.Var) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool { return p.Subject.Var == v || p.Object.Var == v })
	case sparql.PathPattern:
		return op.Subject.Var == v || op.Object.Var == v
	case sparql.Join:
		return gives(left, v) || gives(right, v)
	case sparql.Union:
		return gives(left, v) && gives(right, v)
	case sparql.Filter, sparql.LeftJoin, sparql.Minus, sparql.Extend:
		return gives(left, v)
	}
	return false
}

// mayGive reports whether a variable may have a value in the solutions of what a scanner has collected of op. The
// expressions of an inner group see no other variables (SPARQL 1.1, section 18.2.2).
func mayGive(op sparql.Op, v sparql.Var) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return opt.Mentions(op, v)
	case sparql.PathPattern:
		return gives(op, v)
	case sparql.Join, sparql.LeftJoin, sparql.Union:
		return mayGive(left, v) || mayGive(right, v)
	case sparql.Extend:
		return op.Var == v || mayGive(left, v)
	case sparql.Filter, sparql.Minus:
		return mayGive(left, v)
	}
	return false
}

// known is what has been lowered in a join before an operand: blocks that bind variables.
type known struct {
	block *block
	more  *known
	// beside means that more operands stand beside an OPTIONAL or MINUS and bind nothing of its right side: a
	// solution there must be found whatever it will be joined with.
	beside bool
}

func (k *known) isBound(v sparql.Var) bool {
	for ; k != nil; k = k.more {
		if k.block.isBound(v) {
			return true
		}
	}
	return false
}

// has reports whether a block binds v in some solutions.
func (k *known) has(v sparql.Var) bool {
	for ; k != nil; k = k.more {
		if _, ok := k.block.cols.get(v); ok {
			return true
		}
	}
	return false
}

// giver returns a block with tables that binds v in every solution, or nil. Other values need not be considered.
func (k *known) giver(v sparql.Var) *block {
	for ; k != nil; k = k.more {
		if k.block.isBound(v) && len(k.block.from) > 0 {
			return k.block
		}
		if k.beside {
			return nil
		}
	}
	return nil
}

// substitutes reports whether the outer solution has a value for a variable.
func (s *scope) substitutes(v sparql.Var) bool {
	c, ok := s.outer.get(v)
	return ok && !c.maybe
}

// binds reports whether a variable has a value before anything of the scope is evaluated.
func (s *scope) binds(v sparql.Var) bool { return s.substitutes(v) || s.bound.isBound(v) }

// gives reports whether an end of a path is a term: a constant, or a value of the outer solution.
func (s *scope) gives(o sparql.Operand) bool { return o.Var == "" || s.substitutes(o.Var) }
