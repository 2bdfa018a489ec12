package expr

import (
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// evaluator is one node of a compiled expression.
type evaluator func(Env) (value, error)

// Compile prepares an expression for evaluation. A function that does not exist or an aggregate outside a group,
// which no parser makes, is a type error when it is evaluated.
func Compile(e sparql.Expr) Program { return Program{compile(e)} }

func compile(e sparql.Expr) evaluator {
	switch e := e.(type) {
	case sparql.VarExpr:
		return variable(e.Var)
	case sparql.TermExpr:
		v := value{term: e.Term}
		v.num, _ = xsd.NumberOf(e.Term) // the value is computed once; the term is returned as written
		return func(Env) (value, error) { return v, nil }
	case sparql.Call:
		if form, ok := forms[e.Func]; ok {
			return form(e.Args)
		}
		f, ok := functions[e.Func]
		if !ok || len(e.Args) < f.arity.Min || f.arity.Max >= 0 && len(e.Args) > f.arity.Max {
			return compile(nil)
		}
		return f.bind(compileAll(e.Args))
	case sparql.Cast:
		cast, ok := casts[e.IRI]
		if !ok || len(e.Args) != 1 {
			return compile(nil)
		}
		return bindOne(func(_ Env, v value) (value, error) { return cast(v.asTerm()) }, compile(e.Args[0]))
	case sparql.Exists:
		return exists(e)
	}
	return func(Env) (value, error) { return failed(ErrType) }
}

func compileAll(args []sparql.Expr) []evaluator {
	out := make([]evaluator, len(args))
	for i, arg := range args {
		out[i] = compile(arg)
	}
	return out
}

// integers is implemented by an [Env] that can return an xsd:integer in canonical form without making a term.
type integers interface {
	Integer(v sparql.Var) (int64, bool)
}

func variable(v sparql.Var) evaluator {
	return func(env Env) (value, error) {
		if known, ok := env.(integers); ok {
			if n, ok := known.Integer(v); ok {
				return ofNumber(xsd.Integer(n))
			}
		}
		if t := env.Value(v); t != nil {
			return value{term: t}, nil
		}
		return failed(ErrUnbound)
	}
}

func exists(e sparql.Exists) evaluator {
	return func(env Env) (value, error) {
		found, err := env.Exists(e.Op)
		if err != nil {
			return failed(err)
		}
		return ofBool(found != e.Not)
	}
}

// forms are the functional forms and operators that evaluate their arguments themselves, because an error in one has
// a meaning of its own (section 17.4.1).
var forms map[sparql.Func]func([]sparql.Expr) evaluator

// forms is filled here, because its members compile expressions, which use it: a cycle of initialization otherwise.
func init() {
	forms = map[sparql.Func]func([]sparql.Expr) evaluator{
		sparql.Or:       func(args []sparql.Expr) evaluator { return connective(args, true) },
		sparql.And:      func(args []sparql.Expr) evaluator { return connective(args, false) },
		sparql.If:       ifForm,
		sparql.Coalesce: coalesce,
		sparql.Bound:    bound,
		sparql.In:       func(args []sparql.Expr) evaluator { return in(args, true) },
		sparql.NotIn:    func(args []sparql.Expr) evaluator { return in(args, false) },
		"REGEX":         regex,
		"REPLACE":       replace,
	}
}

// function is one entry of the table of functions: the number of arguments, and the one of these fields that is set.
type function struct {
	arity sparql.Arity
	none  func(Env) (value, error)
	one   func(Env, value) (value, error)
	two   func(Env, value, value) (value, error)
	many  func(Env, []value) (value, error)
}

// bind returns the evaluator of a call. Calls with one and two arguments have types of their own, which keeps the
// arguments off the heap.
func (f function) bind(args []evaluator) evaluator {
	switch {
	case f.none != nil:
		return f.none
	case f.one != nil:
		return bindOne(f.one, args[0])
	case f.two != nil:
		two, left, right := f.two, args[0], args[1]
		return func(env Env) (value, error) {
			a, err := left(env)
			if err != nil {
				return failed(err)
			}
			b, err := right(env)
			if err != nil {
				return failed(err)
			}
			return two(env, a, b)
		}
	}
	return func(env Env) (value, error) {
		values := make([]value, len(args))
		for i, arg := range args {
			var err error
			if values[i], err = arg(env); err != nil {
				return failed(err)
			}
		}
		return f.many(env, values)
	}
}

func bindOne(f func(Env, value) (value, error), arg evaluator) evaluator {
	return func(env Env) (value, error) {
		v, err := arg(env)
		if err != nil {
			return failed(err)
		}
		return f(env, v)
	}
}

// unary is a function of one term.
func unary(f func(rdf.Term) (value, error)) function {
	return function{arity: sparql.Arity{Min: 1, Max: 1}, one: func(_ Env, v value) (value, error) { return f(v.asTerm()) }}
}

// binary is a function of two terms.
func binary(f func(a, b rdf.Term) (value, error)) function {
	return operator(func(a, b value) (value, error) { return f(a.asTerm(), b.asTerm()) })
}

// operator is a function of two values, which may be computed numbers that are not terms yet.
func operator(f func(a, b value) (value, error)) function {
	return function{arity: sparql.Arity{Min: 2, Max: 2}, two: func(_ Env, a, b value) (value, error) { return f(a, b) }}
}

// numeric is a function of one number.
func numeric(f func(xsd.Number) xsd.Number) function {
	return function{arity: sparql.Arity{Min: 1, Max: 1}, one: func(_ Env, v value) (value, error) {
		n, ok := v.number()
		if !ok {
			return failed(ErrType)
		}
		return ofNumber(f(n))
	}}
}
