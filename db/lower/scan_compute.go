package lower

import (
	"slices"

	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
)

// computedRegion is what is known of the values of an expression: the region of all that are numbers, and whether none
// is an error.
type computedRegion struct {
	Region
	total bool
}

// maxComputedVars bounds the variables of an expression that a scan computes.
const maxComputedVars = 8

// slotOf returns the slot of a variable, or of an expression, which it adds.
func (c *scanner) slotOf(e sparql.Expr, below sparql.Op) (slot int, ok bool) {
	if v, ok := e.(sparql.VarExpr); ok {
		slot = slices.Index(c.vars, v.Var)
		return slot, slot >= 0
	}
	return c.computed(e, c.l.fresh(), below)
}

// computed adds a slot with the value of an expression of what a pattern binds, for a variable.
func (c *scanner) computed(e sparql.Expr, v sparql.Var, below sparql.Op) (slot int, ok bool) {
	known := c.regionOf(e, below)
	expr, of, ok := c.expression(c.split(e, below))
	if !ok {
		return 0, false
	}
	slot = c.end(sparql.Operand{Var: v}).Slot
	c.known[slot] = slotFacts{maybe: true, computed: true, computedRegion: known}
	c.program.Computed = append(c.program.Computed, scan.Computed{Slot: slot, Expr: expr, Of: of})
	return slot, true
}

// expression adds an expression of slots to those of the plan, and returns its number and the slots.
func (c *scanner) expression(e sparql.Expr, below sparql.Op) (number int, of []int, ok bool) {
	vars := partsOf(e).vars
	if len(vars) == 0 || len(vars) > maxComputedVars || sparql.IsVolatile(e) || sparql.HasPattern(e) || labels(e) {
		return 0, nil, false
	}
	_, alone := e.(sparql.VarExpr)
	for _, v := range vars {
		slot := slices.Index(c.vars, v)
		if slot < 0 || !mayGive(below, v) || !alone && !c.known[slot].computed && !gives(below, v) {
			return 0, nil, false
		}
		of = append(of, slot)
	}
	pass := slices.Repeat([]Pass{PassTerm}, len(vars))
	c.own.exprs = append(c.own.exprs, Expr{Expr: e, Vars: vars, Pass: pass})
	return len(c.own.exprs) - 1, of, true
}

// split gives functions of one variable inside an expression slots of their own: their values are few, or are made
// without a term. It returns the expression of these, and the pattern with them.
func (c *scanner) split(e sparql.Expr, below sparql.Op) (sparql.Expr, sparql.Op) {
	call, ok := e.(sparql.Call)
	if !ok {
		return e, below
	}
	args := slices.Clone(call.Args)
	for i, arg := range args {
		inner, ok := arg.(sparql.Call)
		if !ok {
			continue
		}
		args[i], below = c.split(inner, below)
		if _, ok := numberOf[inner.Func]; ok && len(inner.Args) == 1 {
			if _, ok := inner.Args[0].(sparql.VarExpr); ok {
				v := c.l.fresh()
				if _, ok := c.computed(inner, v, below); ok {
					args[i], below = sparql.VarExpr{Var: v}, sparql.Extend{Op: below, Var: v, Expr: inner}
				}
			}
		}
	}
	call.Args = args
	return call, below
}

// filtered adds a condition that is true, false or an error for the values of some slots.
func (c *scanner) filtered(e sparql.Expr, below sparql.Op) bool {
	call, ok := e.(sparql.Call)
	if !ok || !truths[call.Func] {
		return false
	}
	slot, ok := c.computed(e, c.l.fresh(), below)
	if ok {
		yes := c.arg(trueTerm)
		c.program.Within = append(c.program.Within, scan.Within{Slot: slot, Low: yes, High: yes})
	}
	return ok
}

// truths are functions that return a boolean.
var truths = map[sparql.Func]bool{
	sparql.Equal: true, sparql.NotEqual: true, sparql.Less: true, sparql.LessOrEqual: true, sparql.Greater: true, sparql.GreaterOrEqual: true,
	sparql.And: true, sparql.Or: true, sparql.Not: true, sparql.In: true, sparql.NotIn: true,
	"CONTAINS": true, "STRSTARTS": true, "STRENDS": true, "SAMETERM": true,
}

// isComputed reports whether a variable is that of a computed slot.
func (c *scanner) isComputed(v sparql.Var) bool {
	slot := slices.Index(c.vars, v)
	return slot >= 0 && c.known[slot].computed
}

// listsNumbers reports whether all computed slots have numbers, so that solutions can be listed without a term for each.
func (c *scanner) listsNumbers() bool {
	return !slices.ContainsFunc(c.program.Computed, func(one scan.Computed) bool { return c.known[one.Slot].Region == "" })
}

// numberOf are the functions that return a number: its region, and the regions of values for which it is no error.
var numberOf = map[sparql.Func]struct {
	region Region
	total  []Region
}{
	"YEAR": {integerRegion, []Region{dateRegion, momentRegion}}, "MONTH": {integerRegion, []Region{dateRegion, momentRegion}},
	"DAY": {integerRegion, []Region{dateRegion, momentRegion}}, "HOURS": {integerRegion, []Region{momentRegion}},
	"MINUTES": {integerRegion, []Region{momentRegion}}, "SECONDS": {decimalRegion, []Region{momentRegion}},
	"STRLEN": {region: integerRegion},
}

const (
	dateRegion    = Region(rdf.XSDDate)
	momentRegion  = Region(rdf.XSDDateTime)
	integerRegion = Region(rdf.XSDInteger)
	decimalRegion = Region(rdf.XSDDecimal)
)

// regionOf returns what is known of the values of an expression.
func (c *scanner) regionOf(e sparql.Expr, below sparql.Op) computedRegion {
	switch e := e.(type) {
	case sparql.VarExpr:
		if slot := slices.Index(c.vars, e.Var); slot >= 0 && c.known[slot].Region != "" {
			return c.known[slot].computedRegion
		}
		r := c.l.regionOf(below, e.Var, c.s)
		return computedRegion{r, r != ""}
	case sparql.TermExpr:
		if r := Region(rdf.DatatypeOf(e.Term)); r == integerRegion || r == decimalRegion {
			return computedRegion{r, true}
		}
	case sparql.Call:
		args := make([]computedRegion, len(e.Args))
		for i, arg := range e.Args {
			args[i] = c.regionOf(arg, below)
		}
		if of, ok := numberOf[e.Func]; ok && len(args) == 1 {
			return computedRegion{of.region, args[0].total && slices.Contains(of.total, args[0].Region)}
		}
		if of := regionOfCall[e.Func]; of != nil {
			return of(args)
		}
	}
	return computedRegion{}
}

// regionOfCall has for functions that return a number what is known of it, by what is known of the arguments.
var regionOfCall = map[sparql.Func]func(args []computedRegion) computedRegion{
	"ABS": ofNumbers, "CEIL": rounded, "FLOOR": rounded, "ROUND": rounded,
	sparql.Add: ofNumbers, sparql.Subtract: ofNumbers, sparql.Multiply: ofNumbers,
	sparql.Divide: func(args []computedRegion) computedRegion {
		return ofNumbers(append(args, computedRegion{Region: decimalRegion}))
	},
	sparql.If:       func(args []computedRegion) computedRegion { return ofEither(args[1:]) },
	sparql.Coalesce: ofEither,
}

// rounded is the region of a whole number with the datatype of the argument. One that was whole is the same.
func rounded(args []computedRegion) computedRegion {
	if args[0].Region == integerRegion {
		return args[0]
	}
	return ofNumbers(args)
}

// ofNumbers is the region of what is computed from integers and decimals. Its value may be beyond the region.
func ofNumbers(args []computedRegion) (of computedRegion) {
	for _, arg := range args {
		switch {
		case arg.Region != integerRegion && arg.Region != decimalRegion:
			return computedRegion{}
		case of.Region != decimalRegion:
			of.Region = arg.Region
		}
	}
	return of
}

// ofEither is the region of one of the arguments.
func ofEither(args []computedRegion) computedRegion {
	if len(args) == 0 || slices.ContainsFunc(args, func(arg computedRegion) bool { return arg.Region != args[0].Region }) {
		return computedRegion{}
	}
	return computedRegion{Region: args[0].Region}
}
