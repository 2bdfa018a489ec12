package lower

import (
	"slices"
	"strconv"

	"trails/db/plan"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
)

// grouped is GROUP BY of a scan. Groups whose counts cannot pass HAVING are not returned to SQLite, which tests the
// others again.
func (c *scanner) grouped(op sparql.Group, having map[sparql.Var]*rangeHint) *block {
	l := c.l
	behind := len(op.Keys)
	for i, a := range op.Aggregates {
		of := c.program.Aggregates[i]
		if h := having[a.Var]; h != nil && h.terms == nil && (of.Func == scan.Count || of.Func == scan.CountBound || of.Func == scan.CountDistinct) {
			integers := Arg{Region: Region(rdf.XSDInteger), Bounds: h.bounds}
			last := integers
			last.High = true
			w := scan.Within{Slot: behind, Low: len(l.args) + 1, High: len(l.args) + 2}
			l.arg(integers)
			l.arg(last)
			c.program.Having = append(c.program.Having, scan.Having{Within: w, Zero: c.arg(zeroTerm)})
		}
		behind += of.Width()
	}
	out, t := l.scanned(c.program, nil, c.tree(plan.Group, op, nil))
	place := len(op.Keys)
	next := func() string {
		place++
		return t + ".c" + strconv.Itoa(place-1)
	}
	for i, k := range op.Keys {
		out.cols.set(k.Var, c.column(t, i, c.program.Keys[i]))
	}
	for i, a := range op.Aggregates {
		switch of := c.program.Aggregates[i]; of.Func {
		case scan.Count, scan.CountBound, scan.CountDistinct:
			zero := l.term(zeroTerm)
			out.cols.set(a.Var, column{sql: zero + " + " + next(), computed: true, listed: Listed{place, len(l.args)}})
		case scan.Min, scan.Max, scan.Fold:
			out.cols.set(a.Var, column{sql: "NULLIF(" + next() + ", 0)", maybe: true, computed: true, listed: Listed{Place: place}})
		case scan.Sum:
			scale := 0
			if of.Shift > 0 {
				scale = 6
			}
			value := c.regionOf(a.Aggregate.Expr, op.Op)
			sum := sums[a.Aggregate.Func] + "(" + strconv.Itoa(scale) + ", " + next() + ", " + next() + ", " + next() + ")"
			out.cols.set(a.Var, column{sql: sum, computed: true, maybe: !value.total})
		}
	}
	return l.wrap(out.apart())
}

// usedBy returns the variables that a grouping uses, not nil.
func usedBy(op sparql.Group) []sparql.Var {
	vars := []sparql.Var{}
	for _, k := range op.Keys {
		vars = append(vars, partsOf(k.Expr).vars...)
	}
	for _, a := range op.Aggregates {
		if a.Aggregate.Expr != nil {
			vars = append(vars, partsOf(a.Aggregate.Expr).vars...)
		}
	}
	return vars
}

// group adds the keys and the aggregates, and reports whether it could.
func (c *scanner) group(op sparql.Group) bool {
	c.program.Grouped = true
	width := len(op.Keys)
	if !c.close(c.answer...) {
		return false
	}
	for _, k := range op.Keys {
		slot, ok := c.slotOf(k.Expr, op.Op)
		if !ok || k.Var == "" {
			return false
		}
		c.program.Keys = append(c.program.Keys, slot)
	}
	for _, a := range op.Aggregates {
		one, ok := c.aggregate(a.Aggregate, op.Op)
		if !ok {
			return false
		}
		c.program.Aggregates = append(c.program.Aggregates, one)
		width += one.Width()
	}
	c.number()
	return width <= ScanColumns
}

// number marks the expressions of computed slots that only COUNT(DISTINCT …) sees, see [Expr.Numbered].
func (c *scanner) number() {
	seen := slices.Clone(c.program.Keys)
	for _, one := range c.program.Computed {
		seen = append(seen, one.Of...)
	}
	for _, w := range c.program.Within {
		seen = append(seen, w.Slot)
	}
	for _, m := range c.program.Members {
		seen = append(seen, m.Slots...)
	}
	for _, a := range c.program.Aggregates {
		if a.Func != scan.CountDistinct {
			seen = append(append(seen, a.Slot), a.Of...)
		}
	}
	for _, one := range c.program.Computed {
		c.own.exprs[one.Expr].Numbered = !slices.Contains(seen, one.Slot)
	}
}

// aggregate adds an aggregate that ids decide, as in SQL: see [lowerer.aggregate]; or one that is made of values.
func (c *scanner) aggregate(a sparql.Aggregate, below sparql.Op) (scan.Aggregate, bool) {
	if a.Expr == nil {
		return scan.Aggregate{Func: scan.Count}, !a.Distinct
	}
	value := c.regionOf(a.Expr, below)
	if c.needsValues(a, value) {
		return c.fold(a, below)
	}
	slot, ok := c.slotOf(a.Expr, below)
	if !ok {
		return scan.Aggregate{}, false
	}
	region := value.Region
	switch {
	case a.Func == sparql.Count && a.Distinct:
		return scan.Aggregate{Func: scan.CountDistinct, Slot: slot}, true
	case a.Func == sparql.Count && c.known[slot].maybe:
		return scan.Aggregate{Func: scan.CountBound, Slot: slot}, true
	case a.Func == sparql.Count:
		return scan.Aggregate{Func: scan.Count}, true
	case c.known[slot].maybe && !value.total && c.known[slot].Region == "":
		return scan.Aggregate{}, false
	case a.Func == sparql.Sample, a.Func == sparql.Min:
		return scan.Aggregate{Func: scan.Min, Slot: slot}, true
	case a.Func == sparql.Max:
		return scan.Aggregate{Func: scan.Max, Slot: slot}, true
	case sums[a.Func] != "" && zeros[region] != nil && !a.Distinct:
		one := scan.Aggregate{Func: scan.Sum, Slot: slot, Zero: c.arg(zeros[region]), Maybe: !value.total || c.known[slot].maybe}
		if region == Region(rdf.XSDDecimal) {
			one.Shift = 1
		}
		return one, true
	}
	return scan.Aggregate{}, false
}

// needsValues reports whether an aggregate is made of values, because ids do not have their order, or one may be an
// error.
func (c *scanner) needsValues(a sparql.Aggregate, value computedRegion) bool {
	switch a.Func {
	case sparql.Min, sparql.Max:
		return !value.total
	case sparql.Sample:
		v, ok := a.Expr.(sparql.VarExpr)
		slot := slices.Index(c.vars, v.Var)
		return !value.total && (!ok || slot >= 0 && c.known[slot].maybe)
	case sparql.GroupConcat:
		return true
	case sparql.Count, sparql.Sum, sparql.Avg:
	}
	return false
}

// fold adds an aggregate that is made of the values of an expression.
func (c *scanner) fold(a sparql.Aggregate, below sparql.Op) (scan.Aggregate, bool) {
	expr, of, ok := c.expression(a.Expr, below)
	one := scan.Aggregate{Func: scan.Fold, Number: len(c.own.aggregates), Expr: expr, Of: of, Each: a.Func == sparql.GroupConcat && !a.Distinct}
	c.own.aggregates = append(c.own.aggregates, a)
	return one, ok
}

// scanDistinct is DISTINCT of a scan's columns; nil if SQL is as fast or a scan cannot do it.
func (l *lowerer) scanDistinct(op sparql.Op, s scope) *block {
	project, ok := op.(sparql.Project)
	if !ok {
		return nil
	}
	start := l.made
	c, b := l.better(project.Op, s.atOnce(), slices.Clip(project.Vars), func(c *scanner) bool {
		c.program.Distinct = true
		if !c.close(c.answer...) {
			return false
		}
		for _, v := range project.Vars {
			slot := slices.Index(c.vars, v)
			if slot < 0 {
				return false
			}
			c.program.Keys = append(c.program.Keys, slot)
		}
		return len(project.Vars) <= ScanColumns
	}, groupCost, sortedCost)
	if c == nil {
		l.made = start
		return nil
	}
	rows := c.passing
	if b != nil {
		rows = b.rows
	}
	out, t := l.scanned(c.program, rows, c.tree(plan.Distinct, nil, rows))
	for i, v := range project.Vars {
		out.cols.set(v, c.column(t, i, c.program.Keys[i]))
	}
	return l.wrap(out.apart())
}
