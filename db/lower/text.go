package lower

import (
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// part is one of the texts of a term.
type part string

const (
	partStr  part = "STR"  // what STR gives
	partLang part = "LANG" // what LANG gives
	partText part = "TEXT" // the text of a string literal, with or without a language
	noPart   part = ""
)

// textOf is a part of a column's term, NULL if it has none.
func (l *lowerer) textOf(p part, c column, b *block) (string, bool) {
	t := l.words(c, b)
	if t == "" {
		return "", false
	}
	switch p {
	case partStr:
		return "CASE " + t + ".kind WHEN 2 THEN NULL ELSE COALESCE(" + t + ".value, t_str(" + c.sql + ")) END", true
	case partLang:
		return "CASE " + t + ".kind WHEN 5 THEN " + t + ".lang WHEN 1 THEN NULL WHEN 2 THEN NULL WHEN 3 THEN '' WHEN 4 THEN '' ELSE t_lang(" + c.sql + ") END", true
	case partText:
		return "CASE WHEN " + t + ".kind IN (3, 5) THEN " + t + ".value WHEN " + t + ".kind IS NULL THEN t_text(" + c.sql + ") END", true
	case noPart:
	}
	return "", false
}

// simple is the text of a string without a language, NULL for an error.
func (l *lowerer) simple(e sparql.Expr, b *block, s scope) (string, bool) {
	switch e := e.(type) {
	case sparql.TermExpr:
		if _, ok := e.Term.(rdf.String); ok {
			return l.arg(Arg{Term: e.Term, Text: true}), true
		}
	case sparql.Call:
		if p := part(e.Func); (p == partStr || p == partLang) && len(e.Args) == 1 {
			return l.partOf(p, e.Args[0], b, s)
		}
	}
	return "", false
}

// text is the text of a string literal, with or without a language.
func (l *lowerer) text(e sparql.Expr, b *block, s scope) (string, bool) {
	if _, ok := e.(sparql.VarExpr); ok {
		return l.partOf(partText, e, b, s)
	}
	return l.simple(e, b, s)
}

func (l *lowerer) partOf(p part, e sparql.Expr, b *block, s scope) (string, bool) {
	c, ok := l.columnOf(e, b, s)
	if !ok {
		return "", false
	}
	return l.textOf(p, c, b)
}

// columnOf returns the column of an expression that is a variable.
func (l *lowerer) columnOf(e sparql.Expr, b *block, s scope) (column, bool) {
	v, ok := e.(sparql.VarExpr)
	if !ok {
		return column{}, false
	}
	return l.column(v.Var, b, s)
}

func isSimple(e sparql.Expr) bool {
	t, ok := e.(sparql.TermExpr)
	if !ok {
		return false
	}
	_, ok = t.Term.(rdf.String)
	return ok
}

// testText lowers tests of texts to SQL. SQL compares texts by bytes, which is the order of code points.
func (l *lowerer) testText(e sparql.Call, b *block, s scope) (string, bool) {
	switch {
	case len(e.Args) == 1 && kinds[e.Func] != "":
		return l.testKind(e, b, s)
	case e.Func == "REGEX":
		return l.testRegex(e, b, s)
	case len(e.Args) != 2:
		return "", false
	}
	if sql, ok := l.compareText(e, b, s); ok {
		return sql, true
	}
	switch {
	case e.Func == "CONTAINS":
		return l.relation(e, l.text, func(x, y string) string { return "(instr(" + x + ", " + y + ") > 0)" }, b, s)
	case e.Func == "STRSTARTS" && isSimple(e.Args[1]):
		return l.relation(e, l.text, func(x, y string) string {
			last := l.args[len(l.args)-1]
			last.High = true
			return "(" + x + " BETWEEN " + y + " AND " + l.arg(last) + ")"
		}, b, s)
	case signs[e.Func] != "":
		return l.relation(e, l.simple, func(x, y string) string { return "(" + x + " " + signs[e.Func] + " " + y + ")" }, b, s)
	}
	return "", false
}

var signs = map[sparql.Func]string{
	sparql.Equal: "=", sparql.NotEqual: "<>", sparql.Less: "<", sparql.Greater: ">",
	sparql.LessOrEqual: "<=", sparql.GreaterOrEqual: ">=",
}

// textEquality recognizes that a variable equals a string without a language, which then is the same term.
func textEquality(e sparql.Expr) (v sparql.Var, t rdf.Term, ok bool) {
	c, ok := textComparisonOf(e)
	return c.Var, c.Term, ok && c.Func == sparql.Equal
}

// amongTexts is the condition that a variable is one of some IRIs and strings, if only true counts.
func (l *lowerer) amongTexts(e sparql.Expr, b *block, s scope) (string, bool) {
	v, terms, ok := members(e)
	if !ok {
		return "", false
	}
	c, ok := l.column(v, b, s)
	if !ok {
		return "", false
	}
	return c.sql + " IN " + l.terms(terms), true
}

// members recognizes IN, = and || of these, about one variable.
func members(e sparql.Expr) (v sparql.Var, terms []rdf.Term, ok bool) {
	call, ok := e.(sparql.Call)
	if !ok || len(call.Args) < 2 {
		return "", nil, false
	}
	if call.Func == sparql.Or {
		for _, e := range opt.Chain(e, sparql.Or) {
			w, more, ok := members(e)
			if !ok || v != "" && w != v {
				return "", nil, false
			}
			v, terms = w, append(terms, more...)
		}
		return v, terms, true
	}
	subject, isVar := call.Args[0].(sparql.VarExpr)
	if !isVar || call.Func != sparql.In && call.Func != sparql.Equal {
		return "", nil, false
	}
	for _, arg := range call.Args[1:] {
		t, ok := arg.(sparql.TermExpr)
		if !ok || !isIRI(t.Term) && !isSimple(arg) {
			return "", nil, false
		}
		terms = append(terms, t.Term)
	}
	return subject.Var, terms, true
}

// textComparisonOf recognizes a comparison of a variable with a string without a language.
func textComparisonOf(e sparql.Expr) (c comparison, ok bool) {
	call, ok := e.(sparql.Call)
	if !ok || mirrored[call.Func] == "" || len(call.Args) != 2 {
		return c, false
	}
	f, left, right := call.Func, call.Args[0], call.Args[1]
	if isSimple(left) {
		f, left, right = mirrored[f], right, left
	}
	v, isVar := left.(sparql.VarExpr)
	if !isVar || !isSimple(right) {
		return c, false
	}
	return comparison{Var: v.Var, Func: f, Term: right.(sparql.TermExpr).Term}, true
}

// compareText is a comparison of a variable with a string, by its row of terms.
func (l *lowerer) compareText(e sparql.Call, b *block, s scope) (string, bool) {
	c, ok := textComparisonOf(e)
	if !ok {
		return "", false
	}
	col, t := l.wordsOf(sparql.VarExpr{Var: c.Var}, b, s)
	if t == "" {
		return "", false
	}
	asked := " ELSE " + l.call("t_ebv", e, b, s) + " END"
	yes, no := "1", "0"
	if c.Func == sparql.NotEqual {
		yes, no = no, yes
	}
	if c.Func == sparql.Equal || c.Func == sparql.NotEqual {
		return "CASE WHEN " + col.sql + " = " + l.term(c.Term) + " THEN " + yes +
			" WHEN " + col.sql + " < 0 OR " + t + ".kind <> 4 THEN " + no + asked, true
	}
	return "CASE " + t + ".kind WHEN 3 THEN " + t + ".value " + signs[c.Func] + " " + l.arg(Arg{Term: c.Term, Text: true}) +
		" WHEN 1 THEN NULL WHEN 2 THEN NULL WHEN 5 THEN NULL" + asked, true
}

// relation is a test of two texts, the second of which has no language.
func (l *lowerer) relation(e sparql.Call, first func(sparql.Expr, *block, scope) (string, bool), holds func(x, y string) string, b *block, s scope) (string, bool) {
	args := l.args
	x, ok := first(e.Args[0], b, s)
	if !ok {
		return "", false
	}
	y, ok := l.simple(e.Args[1], b, s)
	if !ok {
		l.args = args
		return "", false
	}
	return holds(x, y), true
}

// kinds are the functions that test the kind of a term, with the kinds of rows for which they are true.
var kinds = map[sparql.Func]string{"ISIRI": " = 1", "ISURI": " = 1", "ISBLANK": " = 2", "ISLITERAL": " > 2"}

func (l *lowerer) testKind(e sparql.Call, b *block, s scope) (string, bool) {
	c, t := l.wordsOf(e.Args[0], b, s)
	if t == "" {
		return "", false
	}
	carried := "0" // an id with an inlined value is a literal
	if e.Func == "ISLITERAL" {
		carried = "1"
	}
	return "COALESCE(" + t + ".kind" + kinds[e.Func] + ", CASE WHEN " + c.sql + " < 0 THEN " + carried + " ELSE " + l.ask("t_ebv", e, b, s) + " END)", true
}

// wordsOf returns the column of an expression that is a variable, and the alias of the row of its term; "" if there
// is none.
func (l *lowerer) wordsOf(e sparql.Expr, b *block, s scope) (c column, row string) {
	c, ok := l.columnOf(e, b, s)
	if !ok {
		return c, ""
	}
	return c, l.words(c, b)
}

// datatypeOf is DATATYPE of a variable, as an id.
func (l *lowerer) datatypeOf(e sparql.Call, b *block, s scope) (string, bool) {
	if e.Func != "DATATYPE" || len(e.Args) != 1 {
		return "", false
	}
	_, t := l.wordsOf(e.Args[0], b, s)
	if t == "" {
		return "", false
	}
	return "CASE " + t + ".kind WHEN 3 THEN " + l.term(rdf.XSDString) + " WHEN 4 THEN " + t + ".datatype WHEN 5 THEN " + l.term(rdf.RDFLangString) +
		" WHEN 1 THEN NULL WHEN 2 THEN NULL ELSE " + l.ask("t_eval", e, b, s) + " END", true
}

// parts finds for each variable of an expression the one part of its term that is used; noPart if it is the whole
// term or several.
type parts struct {
	vars []sparql.Var
	of   map[sparql.Var]part
}

func partsOf(e sparql.Expr) *parts {
	p := &parts{of: map[sparql.Var]part{}}
	p.walk(e)
	return p
}

func (p *parts) see(v sparql.Var, one part) {
	before, seen := p.of[v]
	if !seen {
		p.vars = append(p.vars, v)
	}
	if seen && before != one {
		one = noPart
	}
	p.of[v] = one
}

func (p *parts) walk(e sparql.Expr) {
	switch e := e.(type) {
	case sparql.VarExpr:
		p.see(e.Var, noPart)
	case sparql.Cast:
		for _, arg := range e.Args {
			p.walk(arg)
		}
	case sparql.Call:
		rest := e.Args
		if one := partIn(e); one != noPart {
			if v, ok := e.Args[0].(sparql.VarExpr); ok {
				p.see(v.Var, one)
				rest = e.Args[1:]
			}
		}
		for _, arg := range rest {
			p.walk(arg)
		}
	}
}

// partIn returns the part of its first argument that a function uses.
func partIn(e sparql.Call) part {
	switch {
	case len(e.Args) == 1 && (e.Func == "STR" || e.Func == "LANG"):
		return part(e.Func)
	case len(e.Args) > 1 && e.Func == "REGEX", len(e.Args) == 1 && e.Func == "STRLEN":
		return partText
	case len(e.Args) == 2 && isSimple(e.Args[1]) && (e.Func == "CONTAINS" || e.Func == "STRSTARTS" || e.Func == "STRENDS"):
		return partText
	}
	return noPart
}
