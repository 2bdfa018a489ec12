package opt

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// equalities substitutes a constant for a variable that a filter makes equal to it, as in FILTER(?x = <iri>) and
// FILTER(sameTerm(?x, 1)), and binds the variable with BIND outside. The pattern ?s :p ?o with a condition on ?s
// would read all statements of :p; with a constant subject an index finds them.
//
// It is sound where the condition is that the value is one term, which = says of an IRI and of a string without a
// language (section 17.3: other literals are another value, or an error, which a filter does not let pass), and where
// each operator that names the variable binds it in every solution: then it restricts each of them to the same term,
// before a join or behind it. It is not where the variable may be unbound on the right of OPTIONAL, where MINUS
// compares what is shared, where a subquery cuts, and for a path of length zero, which a term walks that is no node
// of the graph, and a variable does not (section 9.3). There the condition goes to an operand for which it is, as it
// goes below a group to its key, or stays. Inside EXISTS a variable that is substituted is held to the constant by
// the binding.
func equalities(op sparql.Op) sparql.Op {
	if !sparql.Has(op, isFilter) {
		return op
	}
	left := maxHeld
	return bottomUp(op, func(op sparql.Op) sparql.Op {
		f, ok := op.(sparql.Filter)
		if !ok {
			return op
		}
		inner := f.Op
		var rest []sparql.Expr
		for _, e := range Conjuncts(f.Expr) {
			v, t, ok := equality(e)
			if ok = ok && left > 0; ok {
				left--
				inner, ok = held(inner, v, t)
			}
			if !ok {
				rest = append(rest, e)
			}
		}
		return filtered(inner, rest...)
	})
}

// maxHeld bounds how many conditions are tried, because each walks the whole operator below its filter.
const maxHeld = 30

// equality returns the variable and the term if a condition says that they are equal.
func equality(e sparql.Expr) (v sparql.Var, t rdf.Term, ok bool) {
	c, ok := e.(sparql.Call)
	if !ok || len(c.Args) != 2 || c.Func != sparql.Equal && c.Func != "SAMETERM" {
		return "", nil, false
	}
	left, right := c.Args[0], c.Args[1]
	if _, constant := left.(sparql.TermExpr); constant {
		left, right = right, left
	}
	x, isVar := left.(sparql.VarExpr)
	constant, isTerm := right.(sparql.TermExpr)
	if !isVar || !isTerm {
		return "", nil, false
	}
	switch constant.Term.(type) {
	case rdf.IRI, rdf.String:
		return x.Var, constant.Term, true
	case rdf.TypedString, rdf.LangString:
		return x.Var, constant.Term, c.Func == "SAMETERM"
	}
	return "", nil, false
}

// held returns op restricted to the solutions in which v is t. If ok is false, op is unchanged.
func held(op sparql.Op, v sparql.Var, t rdf.Term) (sparql.Op, bool) {
	if !binds(op, v) {
		return op, false
	}
	s := substitution{v, t}
	if out, ok := s.in(op); ok {
		return sparql.Extend{Op: out, Var: v, Expr: sparql.TermExpr{Term: t}}, true
	}
	switch x := op.(type) {
	case sparql.Join:
		list := Joined(x)
		for i := range list {
			if out, ok := held(list[i], v, t); ok {
				list[i] = out
				return joinOf(list), true
			}
		}
		return op, false
	case sparql.Extend:
		if x.Var == v {
			return op, false
		}
	case sparql.LeftJoin, sparql.Minus, sparql.Filter, sparql.Project, sparql.Group:
	default:
		return op, false
	}
	left, right := sparql.Operands(op)
	left, ok := held(left, v, t)
	return sparql.WithOperands(op, left, right), ok
}

// substitution replaces the variable of by a term.
type substitution struct {
	of sparql.Var
	by rdf.Term
}

// in returns op with the term in the place of the variable: the solutions of op in which the variable is the term,
// without that variable. ok is false where they would differ.
func (s substitution) in(op sparql.Op) (sparql.Op, bool) {
	if !Mentions(op, s.of) {
		return op, true
	}
	if !binds(op, s.of) {
		return nil, false
	}
	_, iri := s.by.(rdf.IRI)
	switch x := op.(type) {
	case sparql.BGP:
		return s.inPatterns(x)
	case sparql.PathPattern:
		x.Subject, x.Object = s.operand(x.Subject), s.operand(x.Object)
		return x, iri && !mayBeEmpty(x.Path)
	case sparql.Graph:
		// GRAPH ?g only finds stored named graphs.
		if x.Name.Var == s.of && (!iri || rdf.IsVirtual(s.by) || s.by == rdf.Term(rdf.DefaultGraph)) {
			return nil, false
		}
		x.Name = s.operand(x.Name)
		op = x
	case sparql.Minus:
		if Mentions(x.Right, s.of) {
			return nil, false
		}
	case sparql.Extend:
		if x.Var == s.of {
			return nil, false
		}
	case sparql.Project:
		x.Vars = slices.DeleteFunc(slices.Clone(x.Vars), func(v sparql.Var) bool { return v == s.of })
		op = x
	case sparql.Join, sparql.LeftJoin, sparql.Union, sparql.Filter, sparql.Distinct:
	default:
		return nil, false
	}
	all := true
	out := sparql.EachOperand(op, func(op sparql.Op) sparql.Op {
		out, ok := s.in(op)
		all = all && ok
		return out
	}, func(e sparql.Expr) sparql.Expr {
		out, ok := s.inExpr(e)
		all = all && ok
		return out
	})
	return out, all
}

func (s substitution) operand(o sparql.Operand) sparql.Operand {
	if o.Var == s.of {
		return sparql.Operand{Term: s.by}
	}
	return o
}

// inPatterns substitutes in triple patterns. It fails for a literal as subject or predicate.
func (s substitution) inPatterns(b sparql.BGP) (sparql.Op, bool) {
	_, iri := s.by.(rdf.IRI)
	if !iri && isNode(b, s.of) {
		return nil, false
	}
	return eachPart(b, s.operand), true
}

// inExpr substitutes in an expression. It fails for EXISTS with a pattern that names the variable.
func (s substitution) inExpr(e sparql.Expr) (sparql.Expr, bool) {
	if !exprMentions(e, s.of) {
		return e, true
	}
	if sparql.HasPattern(e) {
		return nil, false
	}
	isBound := sparql.VarExpr{Var: s.of}
	return sparql.EachLeaf(e, func(leaf sparql.Expr) sparql.Expr {
		if leaf == sparql.Expr(isBound) {
			return sparql.TermExpr{Term: s.by}
		}
		return leaf
	}), !sparql.Some(e, func(e sparql.Expr) bool { c, ok := e.(sparql.Call); return ok && c.Func == sparql.Bound })
}

// mayBeEmpty reports whether a path matches with zero steps.
func mayBeEmpty(p sparql.Path) bool {
	switch p := p.(type) {
	case sparql.ZeroOrMore, sparql.ZeroOrOne:
		return true
	case sparql.OneOrMore:
		return mayBeEmpty(p.Path)
	case sparql.Inverse:
		return mayBeEmpty(p.Path)
	case sparql.Sequence:
		return mayBeEmpty(p.Left) && mayBeEmpty(p.Right)
	case sparql.Alternative:
		return mayBeEmpty(p.Left) || mayBeEmpty(p.Right)
	}
	return false
}
