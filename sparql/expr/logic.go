package expr

import "trails/sparql"

func truth(e evaluator, env Env) (bool, error) {
	v, err := e(env)
	if err != nil {
		return false, err
	}
	return v.truth()
}

// connective is logical-or, which a true side decides, or logical-and, which a false
// one does (section 17.2): an error of the other side does not matter then.
func connective(args []sparql.Expr, decides bool) evaluator {
	if len(args) != 2 {
		return compile(nil)
	}
	left, right := compile(args[0]), compile(args[1])
	return func(env Env) (value, error) {
		a, errA := truth(left, env)
		if errA == nil && a == decides {
			return ofBool(decides)
		}
		if errA != nil && !IsError(errA) {
			return failed(errA)
		}
		b, errB := truth(right, env)
		switch {
		case errB != nil && !IsError(errB):
			return failed(errB)
		case errB == nil && b == decides:
			return ofBool(decides)
		case errA != nil:
			return failed(errA)
		case errB != nil:
			return failed(errB)
		}
		return ofBool(!decides)
	}
}

func ifForm(args []sparql.Expr) evaluator {
	if len(args) != 3 {
		return compile(nil)
	}
	test, yes, no := compile(args[0]), compile(args[1]), compile(args[2])
	return func(env Env) (value, error) {
		b, err := truth(test, env)
		if err != nil {
			return failed(err)
		}
		if b {
			return yes(env)
		}
		return no(env)
	}
}

func coalesce(args []sparql.Expr) evaluator {
	all := compileAll(args)
	return func(env Env) (value, error) {
		for _, arg := range all {
			if v, err := arg(env); err == nil || !IsError(err) {
				return v, err
			}
		}
		return failed(ErrUnbound)
	}
}

func bound(args []sparql.Expr) evaluator {
	if len(args) != 1 {
		return compile(nil)
	}
	v, ok := args[0].(sparql.VarExpr)
	if !ok {
		return compile(nil)
	}
	return func(env Env) (value, error) { return ofBool(env.Value(v.Var) != nil) }
}

// in is IN and NOT IN (sections 17.4.1.9 and 17.4.1.10): the first argument is
// looked for among the others. An error matters only when none is equal.
func in(args []sparql.Expr, found bool) evaluator {
	if len(args) == 0 {
		return compile(nil)
	}
	all := compileAll(args)
	return func(env Env) (value, error) {
		v, err := all[0](env)
		if err != nil {
			return failed(err)
		}
		var doubt error
		for _, arg := range all[1:] {
			same := false
			w, err := arg(env)
			if err == nil {
				same, err = equal(v, w)
			}
			switch {
			case err != nil && !IsError(err):
				return failed(err)
			case err != nil:
				doubt = err
			case same:
				return ofBool(found)
			}
		}
		if doubt != nil {
			return failed(doubt)
		}
		return ofBool(!found)
	}
}
