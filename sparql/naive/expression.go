package naive

import (
	"errors"

	"trails/rdf"
	"trails/sparql"
)

// errType is every error that an expression can have (section 17.2).
var errType = errors.New("type error")

// scope is what an expression is evaluated in: a solution and the active graph.
type scope struct {
	solution
	graph graph
}

// value is section 17's value of an expression.
func (e *evaluator) value(expr sparql.Expr, s scope) (rdf.Term, error) {
	switch expr := expr.(type) {
	case sparql.VarExpr:
		if term, bound := s.terms[expr.Var]; bound {
			return term, nil
		}
	case sparql.TermExpr:
		return expr.Term, nil
	case sparql.Exists:
		found := len(e.eval(expr.Op, s.graph, s.solution)) > 0
		return boolean(found != expr.Not), e.stopped()
	case sparql.Cast:
		args, err := e.values(expr.Args, s)
		if err != nil || len(args) != 1 {
			return nil, errType
		}
		return cast(expr.IRI, args[0])
	case sparql.Call:
		if form, ok := forms[expr.Func]; ok {
			return form(e, expr, s)
		}
		args, err := e.values(expr.Args, s)
		if err != nil {
			return nil, err
		}
		return e.call(expr.Func, args, s)
	case sparql.Aggregate:
		e.fail("an aggregate stands outside of a group")
	}
	return nil, errType
}

func (e *evaluator) values(exprs []sparql.Expr, s scope) ([]rdf.Term, error) {
	var out []rdf.Term
	for _, x := range exprs {
		v, err := e.value(x, s)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// truth is the effective boolean value of an expression.
func (e *evaluator) truth(expr sparql.Expr, s scope) (bool, error) {
	v, err := e.value(expr, s)
	if err != nil {
		return false, err
	}
	return effective(v)
}

// effective is section 17.2.2, effective boolean value.
func effective(t rdf.Term) (bool, error) {
	switch datatype := rdf.DatatypeOf(t); {
	case datatype == rdf.XSDBoolean:
		b, err := asBoolean(t)
		return b && err == nil, nil
	case datatype == rdf.XSDString, datatype == rdf.RDFLangString:
		return rdf.Lexical(t) != "", nil
	case numberKinds[datatype] != 0:
		n, err := asNumber(t)
		return err == nil && !n.isZero() && !n.isNaN(), nil
	}
	return false, errType
}

func boolean(b bool) rdf.Term {
	if b {
		return rdf.Literal("true", rdf.XSDBoolean)
	}
	return rdf.Literal("false", rdf.XSDBoolean)
}

func asBoolean(t rdf.Term) (bool, error) {
	if rdf.DatatypeOf(t) == rdf.XSDBoolean {
		switch rdf.Lexical(t) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
	}
	return false, errType
}

// forms are the functional forms, which see their arguments unevaluated (17.4.1).
var forms map[sparql.Func]func(*evaluator, sparql.Call, scope) (rdf.Term, error)

func init() {
	forms = map[sparql.Func]func(*evaluator, sparql.Call, scope) (rdf.Term, error){
		sparql.Or:       (*evaluator).or,
		sparql.And:      (*evaluator).and,
		sparql.Bound:    (*evaluator).bound,
		sparql.If:       (*evaluator).choice,
		sparql.Coalesce: (*evaluator).coalesce,
		sparql.In:       (*evaluator).in,
		sparql.NotIn:    (*evaluator).notIn,
	}
}

// or is section 17.4.1.5, logical-or, by the table of section 17.2.
func (e *evaluator) or(c sparql.Call, s scope) (rdf.Term, error) {
	return e.logical(c, s, true)
}

// and is section 17.4.1.6, logical-and.
func (e *evaluator) and(c sparql.Call, s scope) (rdf.Term, error) {
	return e.logical(c, s, false)
}

// logical returns deciding if one operand is deciding, else an error if one is an error.
func (e *evaluator) logical(c sparql.Call, s scope, deciding bool) (rdf.Term, error) {
	var failed error
	for _, arg := range c.Args {
		b, err := e.truth(arg, s)
		if err != nil {
			failed = err
		} else if b == deciding {
			return boolean(deciding), nil
		}
	}
	if failed != nil {
		return nil, failed
	}
	return boolean(!deciding), nil
}

// bound is section 17.4.1.1.
func (e *evaluator) bound(c sparql.Call, s scope) (rdf.Term, error) {
	v, isVar := c.Args[0].(sparql.VarExpr)
	_, bound := s.terms[v.Var]
	return boolean(isVar && bound), nil
}

// choice is section 17.4.1.2, IF.
func (e *evaluator) choice(c sparql.Call, s scope) (rdf.Term, error) {
	b, err := e.truth(c.Args[0], s)
	if err != nil {
		return nil, err
	}
	if b {
		return e.value(c.Args[1], s)
	}
	return e.value(c.Args[2], s)
}

// coalesce is section 17.4.1.3.
func (e *evaluator) coalesce(c sparql.Call, s scope) (rdf.Term, error) {
	for _, arg := range c.Args {
		if v, err := e.value(arg, s); err == nil {
			return v, nil
		}
	}
	return nil, errType
}

// in is section 17.4.1.9: (lhs = e1) || (lhs = e2) || …
func (e *evaluator) in(c sparql.Call, s scope) (rdf.Term, error) {
	left, err := e.value(c.Args[0], s)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, arg := range c.Args[1:] {
		right, err := e.value(arg, s)
		if err == nil {
			var is bool
			if is, err = equal(left, right); is && err == nil {
				return boolean(true), nil
			}
		}
		if err != nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return boolean(false), nil
}

// notIn is section 17.4.1.10: !(lhs IN (…)).
func (e *evaluator) notIn(c sparql.Call, s scope) (rdf.Term, error) {
	v, err := e.in(c, s)
	if err != nil {
		return nil, err
	}
	return boolean(rdf.Lexical(v) == "false"), nil
}

// call dispatches operators (section 17.3) and functions (section 17.4).
func (e *evaluator) call(f sparql.Func, args []rdf.Term, s scope) (rdf.Term, error) {
	switch f {
	case sparql.Not:
		b, err := effective(args[0])
		return boolean(!b), err
	case sparql.Equal, sparql.NotEqual:
		is, err := equal(args[0], args[1])
		return boolean(is == (f == sparql.Equal)), err
	case sparql.Less, sparql.Greater, sparql.LessOrEqual, sparql.GreaterOrEqual:
		return compared(f, args[0], args[1])
	case sparql.Add, sparql.Subtract, sparql.Multiply, sparql.Divide:
		return arithmetic(f, args[0], args[1])
	case sparql.Negate:
		return arithmetic(sparql.Multiply, integer(-1), args[0])
	case sparql.Plus:
		n, err := asNumber(args[0])
		if err != nil {
			return nil, err
		}
		return n.term(), nil
	default:
		if function, ok := functions[f]; ok {
			return function(args)
		}
		return e.special(f, args, s)
	}
}

// simple is a simple literal, which RDF 1.1 has as an xsd:string.
func simple(text string) rdf.Term { return rdf.String(text) }
