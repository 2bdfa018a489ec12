package lint

import (
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// scope is the operator for whose solutions an expression is evaluated. Its variables are computed on first use.
type scope struct {
	op   sparql.Op
	vars map[sparql.Var]bool
}

func (s *scope) binds(v sparql.Var) bool {
	if s.vars == nil {
		s.vars = map[sparql.Var]bool{}
		bindings(s.op, s.vars)
	}
	return s.vars[v]
}

// bindings adds the variables in scope of an operator (section 18.2.1).
func bindings(op sparql.Op, vars map[sparql.Var]bool) {
	switch op := op.(type) {
	case nil:
		return
	case sparql.BGP:
		for _, p := range op.Patterns {
			vars[p.Subject.Var], vars[p.Predicate.Var], vars[p.Object.Var] = true, true, true
		}
	case sparql.PathPattern:
		vars[op.Subject.Var], vars[op.Object.Var] = true, true
	case sparql.Graph:
		vars[op.Name.Var] = true
	case sparql.Service:
		vars[op.Name.Var] = true
	case sparql.Search:
		for _, o := range op.Found {
			vars[o.Var] = true
		}
	case sparql.Extend:
		vars[op.Var] = true
	case sparql.Table:
		for _, v := range op.Vars {
			vars[v] = true
		}
	case sparql.Group:
		inner := map[sparql.Var]bool{}
		bindings(op.Op, inner)
		for _, k := range op.Keys {
			v, isVar := k.Expr.(sparql.VarExpr)
			vars[k.Var] = !isVar || inner[v.Var]
			vars[v.Var] = inner[v.Var]
		}
		for _, a := range op.Aggregates {
			vars[a.Var] = true
		}
		return
	case sparql.Project:
		inner := map[sparql.Var]bool{}
		bindings(op.Op, inner)
		for _, v := range op.Vars {
			if inner[v] {
				vars[v] = true
			}
		}
		return
	case sparql.Minus:
		bindings(op.Left, vars)
		return
	}
	left, right := sparql.Operands(op)
	bindings(left, vars)
	bindings(right, vars)
}

// selected returns the pattern from which a query selects its variables.
func selected(whole sparql.Op) sparql.Op {
	for op := whole; op != nil; {
		if p, ok := op.(sparql.Project); ok {
			return p.Op
		}
		left, right := sparql.Operands(op)
		if right != nil {
			break
		}
		op = left
	}
	return whole
}

// inScope lints expressions that are evaluated for the solutions of an operator.
func (r *run) inScope(op sparql.Op, lint func()) {
	outer := r.here
	r.here = &scope{op: op}
	lint()
	r.here = outer
}

// bindsHere reports that a variable may have a value in the expression that is being linted.
func (r *run) bindsHere(v sparql.Var) bool {
	if _, given := r.given[v]; given || r.here == nil || r.here.binds(v) {
		return true
	}
	return slices.ContainsFunc(r.around, func(s *scope) bool { return s == nil || s.binds(v) })
}

// unbound warns about a variable without a value in this place, and reports whether it did.
func (r *run) unbound(v sparql.Var, e sparql.Expr) bool {
	if v[0] == '.' {
		return false
	}
	all := map[sparql.Var]bool{}
	bindings(selected(r.whole), all)
	way := ""
	if !all[v] {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(r.here.vars)) {
			if name != "" && name[0] != '.' {
				names = append(names, string(name))
			}
		}
		if near := fault.Nearest(string(v), names); near != "" {
			way = "; did you mean ?" + near + "?"
		} else if len(names) > 0 {
			way = "; there is ?" + strings.Join(names[:min(len(names), 6)], ", ?")
		}
	} else if r.here.op != nil {
		way = "; it has one outside of the { } that this stands in, or behind it"
	}
	r.warnAt(e, "", false, "?%s never has a value here%s", string(v), way)
	return true
}

// aggregated returns the possible values of an aggregate.
func (r *run) aggregated(a sparql.Aggregate, known facts) fact {
	f := fact{certain: true}
	if a.Func == sparql.Count {
		if a.Expr != nil {
			r.value(a.Expr, known, used, false)
		}
		f.literals, f.results = []rdf.IRI{rdf.XSDInteger}, &results{of: []sparql.Func{sparql.Func(a.Func)}}
		return f
	}
	if a.Expr == nil {
		f.values = anything
		return f
	}
	arg := r.value(a.Expr, known, used, false)
	switch a.Func { //nolint:exhaustive // the others are numbers
	case sparql.Min, sparql.Max, sparql.Sample:
		return fact{values: arg.values, by: propertyOf(a.Expr, known)}
	case sparql.GroupConcat:
		f.literals, f.certain = []rdf.IRI{rdf.XSDString}, !arg.fails
		return f
	}
	f.values, f.certain = foldedBy(a, arg.values)
	if f.empty() && !arg.told && !arg.empty() {
		r.warnAt(a, propertyOf(a.Expr, known), false, "%s takes numbers, or durations, and %s is %s %s", string(a.Func), r.expression(a.Expr), r.origin(a.Expr, arg.values, known), under(arg.values))
		f.values, f.told = anything, true
	}
	return f
}
