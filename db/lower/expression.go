package lower

import (
	"strconv"
	"strings"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

var (
	trueTerm  = rdf.Literal("true", rdf.XSDBoolean)
	falseTerm = rdf.Literal("false", rdf.XSDBoolean)
	zeroTerm  = rdf.Literal("0", rdf.XSDInteger)
)

// column returns the column of a variable in the solution or in the outer solution.
func (l *lowerer) column(v sparql.Var, b *block, s scope) (column, bool) {
	inner, ok := b.cols.get(v)
	outer, out := s.outer.get(v)
	switch {
	case ok && out && inner.maybe:
		return column{sql: "COALESCE(" + inner.sql + ", " + outer.sql + ")", maybe: true, computed: true}, true
	case ok:
		return inner, true
	}
	return outer, out
}

// test is the effective boolean value of an expression: 1, 0, or NULL for an error. SQL's three-valued logic is that
// of section 17.2.
func (l *lowerer) test(e sparql.Expr, b *block, s scope) string {
	switch e := e.(type) {
	case sparql.Exists:
		return l.exists(e, b, s)
	case sparql.TermExpr:
		switch e.Term {
		case trueTerm:
			return "1"
		case falseTerm:
			return l.never()
		}
	case sparql.Call:
		if sql, ok := l.testCall(e, b, s); ok {
			return sql
		}
	}
	return l.call("t_ebv", e, b, s)
}

func (l *lowerer) testCall(e sparql.Call, b *block, s scope) (string, bool) {
	switch {
	case (e.Func == sparql.And || e.Func == sparql.Or) && len(e.Args) == 2:
		return l.connected(opt.Chain(e, e.Func), words[e.Func], b, s), true
	case e.Func == sparql.Not && len(e.Args) == 1:
		return "(NOT " + l.test(e.Args[0], b, s) + ")", true
	case e.Func == sparql.Bound && len(e.Args) == 1:
		v, ok := e.Args[0].(sparql.VarExpr)
		if !ok {
			return "", false
		}
		if c, ok := l.column(v.Var, b, s); ok {
			return "(" + c.sql + " IS NOT NULL)", true
		}
		return l.never(), true
	case e.Func == "SAMETERM" && len(e.Args) == 2:
		return l.idsEqual(e, " = ", b, s, func(rdf.Term) bool { return true })
	case (e.Func == sparql.Equal || e.Func == sparql.NotEqual) && len(e.Args) == 2:
		if sql, ok := l.idsEqual(e, " "+signs[e.Func]+" ", b, s, isIRI); ok {
			return sql, true
		}
		if sql, ok := l.varsEqual(e, b, s); ok {
			return sql, true
		}
	case (e.Func == sparql.In || e.Func == sparql.NotIn) && len(e.Args) > 1:
		return l.among(e, b, s)
	}
	if sql, ok := l.testText(e, b, s); ok {
		return sql, true
	}
	return l.compare(e, b, s)
}

var words = map[sparql.Func]string{sparql.And: " AND ", sparql.Or: " OR "}

// connected makes a balanced tree from a list of operands, because SQLite bounds the depth of expressions.
func (l *lowerer) connected(list []sparql.Expr, word string, b *block, s scope) string {
	if len(list) == 1 {
		return l.test(list[0], b, s)
	}
	half := len(list) / 2
	return "(" + l.connected(list[:half], word, b, s) + word + l.connected(list[half:], word, b, s) + ")"
}

func isIRI(t rdf.Term) bool {
	_, ok := t.(rdf.IRI)
	return ok
}

// idsEqual compares ids, if one side is a constant for which that is right.
func (l *lowerer) idsEqual(e sparql.Call, sign string, b *block, s scope, allows func(rdf.Term) bool) (string, bool) {
	anyTerm := e.Func == "SAMETERM"
	sides := [2]string{}
	byID := anyTerm
	for _, arg := range e.Args {
		switch arg := arg.(type) {
		case sparql.TermExpr:
			byID = byID || allows(arg.Term)
		case sparql.VarExpr:
			c, ok := l.column(arg.Var, b, s)
			byID = byID || ok && c.node
		default:
			if c, ok := arg.(sparql.Call); !ok || c.Func != "DATATYPE" {
				return "", false
			}
		}
	}
	if !byID {
		return "", false
	}
	for i, arg := range e.Args {
		sides[i] = l.value(arg, b, s)
	}
	return "(" + sides[0] + sign + sides[1] + ")", true
}

// varsEqual compares the ids of two variables, if one is never a literal.
func (l *lowerer) varsEqual(e sparql.Call, b *block, s scope) (string, bool) {
	var cols [2]column
	var kinds []string
	for i, arg := range e.Args {
		v, ok := arg.(sparql.VarExpr)
		if !ok {
			return "", false
		}
		if cols[i], ok = l.column(v.Var, b, s); !ok {
			return "", false
		}
		t := l.words(cols[i], b)
		if t == "" {
			return "", false
		}
		kinds = append(kinds, t+".kind < 3")
	}
	return "CASE WHEN " + strings.Join(kinds, " OR ") + " THEN " + cols[0].sql + " " + signs[e.Func] + " " + cols[1].sql +
		" ELSE " + l.call("t_ebv", e, b, s) + " END", true
}

// among is IN with IRIs.
func (l *lowerer) among(e sparql.Call, b *block, s scope) (string, bool) {
	v, ok := e.Args[0].(sparql.VarExpr)
	if !ok {
		return "", false
	}
	terms := make([]rdf.Term, len(e.Args)-1)
	for i, arg := range e.Args[1:] {
		t, ok := arg.(sparql.TermExpr)
		if !ok || !isIRI(t.Term) {
			return "", false
		}
		terms[i] = t.Term
	}
	return "(" + l.value(v, b, s) + " " + string(e.Func) + " " + l.terms(terms) + ")", true
}

// compare is a comparison with a constant: by ranges of ids for inlined values, and by calling a function for others.
func (l *lowerer) compare(e sparql.Call, b *block, s scope) (string, bool) {
	c, ok := comparisonOf(e)
	col, has := l.column(c.Var, b, s)
	if !ok || !has {
		return "", false
	}
	f, yes, no := c.Func, "1", "0"
	if f == sparql.NotEqual {
		f, yes, no = sparql.Equal, "0", "1"
	}
	var inside, known []string
	for _, r := range c.regions {
		inside = append(inside, l.within(col.sql, r, []Bound{{f, c.Term}}))
	}
	for _, r := range c.regions {
		known = append(known, l.within(col.sql, r, nil))
	}
	return "CASE WHEN " + strings.Join(inside, " OR ") + " THEN " + yes +
		" WHEN " + strings.Join(known, " OR ") + " THEN " + no +
		" ELSE " + l.call("t_ebv", e, b, s) + " END", true
}

// value is the id of the value of an expression, NULL for an error.
func (l *lowerer) value(e sparql.Expr, b *block, s scope) string { return l.valueBy("t_eval", e, b, s) }

// valueBy is value with the function that evaluates expressions: t_show returns a term without an id as a text.
func (l *lowerer) valueBy(function string, e sparql.Expr, b *block, s scope) string {
	return l.valueColumn(function, e, b, s).sql
}

// valueColumn is valueBy as a column, with the call by which an answer shows it.
func (l *lowerer) valueColumn(function string, e sparql.Expr, b *block, s scope) column {
	if v, ok := e.(sparql.VarExpr); ok {
		if c, ok := l.column(v.Var, b, s); ok {
			return column{sql: c.sql, field: c.field, shown: c.shown}
		}
		return column{sql: "NULL"}
	}
	if sql, ok := l.inSQL(function, e, b, s); ok {
		return column{sql: sql}
	}
	if sparql.IsVolatile(e) {
		return column{sql: l.call("t_new", e, b, s)}
	}
	passed := l.passing(e, b, s)
	return column{sql: function + passed, shown: "t_show" + passed}
}

// inSQL is the value, by a function, of an expression for which SQL needs no function, or only for some values.
func (l *lowerer) inSQL(function string, e sparql.Expr, b *block, s scope) (string, bool) {
	switch e := e.(type) {
	case sparql.TermExpr:
		return l.term(e.Term), true
	case sparql.Exists:
		return l.truth(l.exists(e, b, s)), true
	case sparql.Call:
		if e.Func == sparql.Coalesce && len(e.Args) > 1 {
			list := make([]string, len(e.Args))
			for i, arg := range e.Args {
				list[i] = l.valueBy(function, arg, b, s)
			}
			return "COALESCE(" + strings.Join(list, ", ") + ")", true
		}
		if e.Func == sparql.If && len(e.Args) == 3 {
			return "CASE " + l.test(e.Args[0], b, s) + " WHEN 1 THEN " + l.valueBy(function, e.Args[1], b, s) +
				" WHEN 0 THEN " + l.valueBy(function, e.Args[2], b, s) + " END", true
		}
		if sql, ok := l.datatypeOf(e, b, s); ok {
			return sql, true
		}
		if sql, ok := l.testCall(e, b, s); ok {
			return l.truth(sql), true
		}
	}
	return "", false
}

func (l *lowerer) truth(sql string) string {
	return "CASE " + sql + " WHEN 1 THEN " + l.term(trueTerm) + " WHEN 0 THEN " + l.term(falseTerm) + " END"
}

// call is the call of a function that evaluates an expression.
func (l *lowerer) call(function string, e sparql.Expr, b *block, s scope) string {
	return function + l.passing(e, b, s)
}

// passing lists in parentheses what is passed to a function that evaluates an expression. Patterns in the expression are
// lowered, and passed as variables.
func (l *lowerer) passing(e sparql.Expr, b *block, s scope) string {
	w := &exprVars{seen: map[sparql.Var]bool{}, answer: map[sparql.Var]string{}}
	w.exists = func(e sparql.Exists) sparql.Var {
		v := l.fresh()
		w.answer[v] = l.truth(l.exists(e, b, s))
		return v
	}
	found := partsOf(e)
	if len(found.vars) > maxCallTerms {
		b = b.fixed()
	}
	w.texts = l.textsOf(found, b, s)
	e = w.walk(e)
	if labels(e) {
		w.see(rowVar)
	}
	x := Expr{Expr: e}
	args := ""
	for _, v := range w.vars {
		sql, pass, ok := l.passed(v, w, b, s)
		if !ok {
			continue
		}
		x.Vars, x.Pass = append(x.Vars, v), append(x.Pass, pass)
		args += ", " + sql
	}
	l.exprs = append(l.exprs, x)
	if len(x.Vars) > maxCallVars {
		l.fail("an expression has more than %d variables", maxCallVars)
	}
	return "(" + strconv.Itoa(len(l.exprs)-1) + args + ")"
}

// ask is call without passing rows of terms.
func (l *lowerer) ask(function string, e sparql.Expr, b *block, s scope) string {
	return l.call(function, e, b.fixed(), s)
}

// passed returns the arguments that pass the value of a variable to a function; none if it is unbound.
func (l *lowerer) passed(v sparql.Var, w *exprVars, b *block, s scope) (sql string, pass Pass, ok bool) {
	if sql, ok := w.answer[v]; ok {
		return sql, PassID, true
	}
	if text, ok := w.texts[v]; ok {
		return text, PassText, true
	}
	c, ok := l.column(v, b, s)
	if !ok || v == rowVar {
		return c.sql, PassID, ok
	}
	sql, pass = l.asTerm(c, b)
	return sql, pass, true
}

// textsOf returns for each variable of which an expression only needs one text (what STR or LANG gives, or a string)
// that text in SQL.
func (l *lowerer) textsOf(found *parts, b *block, s scope) map[sparql.Var]string {
	texts := map[sparql.Var]string{}
	for _, v := range found.vars {
		if c, ok := l.column(v, b, s); ok && found.of[v] != noPart {
			if sql, ok := l.textOf(found.of[v], c, b); ok {
				texts[v] = sql
			}
		}
	}
	return texts
}

// maxCallVars is roughly the number of arguments that a function of SQLite may have.
const maxCallVars = 100

// maxCallTerms is for how many variables the row of the term may be passed.
const maxCallTerms = 15

// exprVars lists the variables of an expression, and replaces its patterns by variables.
type exprVars struct {
	vars   []sparql.Var
	seen   map[sparql.Var]bool
	answer map[sparql.Var]string
	// texts are passed instead of the terms: STR and LANG are already computed.
	texts  map[sparql.Var]string
	exists func(sparql.Exists) sparql.Var
}

func (w *exprVars) walk(e sparql.Expr) sparql.Expr {
	switch e := e.(type) {
	case sparql.VarExpr:
		w.see(e.Var)
	case sparql.Exists:
		v := w.exists(e)
		w.see(v)
		return sparql.VarExpr{Var: v}
	case sparql.Call:
		if v, ok := w.onlyText(e); ok {
			w.see(v.Var)
			return v
		}
		e.Args = w.walkAll(e.Args)
		return e
	case sparql.Cast:
		e.Args = w.walkAll(e.Args)
		return e
	}
	return e
}

func (w *exprVars) walkAll(args []sparql.Expr) []sparql.Expr {
	out := make([]sparql.Expr, len(args))
	for i, arg := range args {
		out[i] = w.walk(arg)
	}
	return out
}

// onlyText returns the variable of STR or LANG if that text is passed for it.
func (w *exprVars) onlyText(e sparql.Call) (v sparql.VarExpr, ok bool) {
	if e.Func != sparql.Func(partStr) && e.Func != sparql.Func(partLang) {
		return v, false
	}
	v, ok = e.Args[0].(sparql.VarExpr)
	if ok {
		_, ok = w.texts[v.Var]
	}
	return v, ok
}

func (w *exprVars) see(v sparql.Var) {
	if !w.seen[v] {
		w.seen[v] = true
		w.vars = append(w.vars, v)
	}
}

// labels reports whether an expression calls BNODE with a label.
func labels(e sparql.Expr) bool {
	return sparql.Some(e, func(e sparql.Expr) bool {
		c, ok := e.(sparql.Call)
		return ok && c.Func == "BNODE" && len(c.Args) > 0
	})
}
