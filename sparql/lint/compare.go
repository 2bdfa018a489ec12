package lint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/expr"
)

// condition lints an expression: its comparisons, and the functions that take texts, numbers
// or dates. It empties the answer when no other part of its filter can make up for it.
func (r *run) condition(e sparql.Expr, known facts, empties bool) {
	switch e := e.(type) {
	case sparql.Exists:
		r.group(e.Op, known, false)
	case sparql.Cast:
		for _, arg := range e.Args {
			r.condition(arg, known, false)
		}
	case sparql.Call:
		switch e.Func {
		case sparql.Equal, sparql.NotEqual, sparql.Less, sparql.Greater, sparql.LessOrEqual, sparql.GreaterOrEqual:
			r.compare(e.Func, e.Args[0], e.Args[1], known, empties)
		case sparql.In, sparql.NotIn:
			sign := sparql.Equal
			if e.Func == sparql.NotIn {
				sign = sparql.NotEqual
			}
			for _, arg := range e.Args[1:] {
				r.compare(sign, e.Args[0], arg, known, empties && e.Func == sparql.In && len(e.Args) == 2)
			}
		case "LANGMATCHES":
			r.language(e, e.Args[0], known, empties)
		default:
			r.takes(e, known, empties)
		}
		for _, arg := range e.Args {
			r.condition(arg, known, empties && e.Func == sparql.And)
		}
	}
}

// compare tells of a comparison of things that are never alike.
func (r *run) compare(sign sparql.Func, left, right sparql.Expr, known facts, empties bool) {
	text := fmt.Sprintf("%s %s %s", r.expression(left), sign, r.expression(right))
	if sign == sparql.Equal {
		if call, ok := left.(sparql.Call); ok && call.Func == "LANG" && right != (sparql.TermExpr{Term: rdf.String("")}) {
			r.language(sparql.Call{Func: sign, Args: []sparql.Expr{left, right}}, left, known, empties)
			return
		}
	}
	a, b := r.kind(left, known), r.kind(right, known)
	if a.any || b.any {
		return
	}
	if !r.unlike(a, left, b, right) {
		r.compareValue(text, sign, left, right, known, empties)
		return
	}
	outcome := "never"
	if sign == sparql.NotEqual && (len(a.literals) == 0 || len(b.literals) == 0) {
		outcome = "always" // a node is another one, and no literal (section 17.4.1.7)
	} else if x, ok := sample(a, left); ok && sign == sparql.NotEqual {
		if y, ok := sample(b, right); ok && holds(sign, x, y) {
			outcome = "always"
		}
	}
	r.warn(cmp.Or(propertyOf(left, known), propertyOf(right, known)), empties && outcome == "never", "%s is %s true under the schema: %s is %s, and %s %s%s",
		text, outcome, r.expression(left), r.origin(left, a, known), r.expression(right), r.origin(right, b, known), r.alike(left, a, right, b))
}

// compareValue tells of a value that is none of those that a property has.
func (r *run) compareValue(text string, sign sparql.Func, left, right sparql.Expr, known facts, empties bool) {
	if _, isVar := right.(sparql.VarExpr); isVar {
		left, right = right, left
	}
	v, isVar := left.(sparql.VarExpr)
	constant, isTerm := right.(sparql.TermExpr)
	if !isVar || !isTerm || sign != sparql.Equal || !rdf.IsLiteral(constant.Term) {
		return
	}
	f := known[v.Var]
	listed := func(one rdf.Term) bool { same, known := xsd.Equal(one, constant.Term); return same || !known }
	if f.oneOf != nil && f.by != "" && !slices.ContainsFunc(f.oneOf, listed) && r.absent(rdf.Quad{Predicate: f.by, Object: constant.Term}, false) {
		r.warn(f.by, empties, "%s is never true under the schema: %s is none of the values of %s%s", text, r.term(constant.Term), r.short(f.by), r.valueHint(constant.Term, f.oneOf))
	}
}

// language tells of a language that is asked of texts without one.
func (r *run) language(e sparql.Call, of sparql.Expr, known facts, empties bool) {
	call, ok := of.(sparql.Call)
	if !ok || call.Func != "LANG" || len(call.Args) != 1 {
		return
	}
	v := r.kind(call.Args[0], known)
	if v.any || slices.Contains(v.literals, rdf.RDFLangString) {
		return
	}
	r.warn(propertyOf(call.Args[0], known), empties, "%s is never true under the schema: %s is %s, which has no language; leave the condition out", r.expression(e), r.expression(call.Args[0]), r.origin(call.Args[0], v, known))
}

// unlike reports that no value of a compares with one of b.
func (r *run) unlike(a values, left sparql.Expr, b values, right sparql.Expr) bool {
	if a.nodes() && b.nodes() {
		return !a.other && !b.other && a.types.and(b.types).empty() && len(a.literals)+len(b.literals) == 0
	}
	if a.empty() || b.empty() {
		return false
	}
	if len(a.literals) == 0 || len(b.literals) == 0 {
		return true // nodes with literals
	}
	for _, d := range a.literals {
		for _, e := range b.literals {
			x, okX := sampleOf(d, left)
			y, okY := sampleOf(e, right)
			if !okX || !okY || d == e || ordered(x, y) || holds(sparql.Equal, x, y) {
				return false
			}
		}
	}
	return true
}

// ordered reports that one of two terms is less or they are equal, whichever that is.
func ordered(x, y rdf.Term) bool {
	_, err := evaluate(sparql.Less, x, y)
	return err == nil
}

func holds(sign sparql.Func, x, y rdf.Term) bool {
	v, err := evaluate(sign, x, y)
	return err == nil && rdf.Lexical(v) == "true"
}

func evaluate(f sparql.Func, args ...rdf.Term) (rdf.Term, error) {
	call := sparql.Call{Func: f}
	for _, t := range args {
		call.Args = append(call.Args, sparql.TermExpr{Term: t})
	}
	return expr.Compile(call).Eval(nil) // constants ask nothing of what is around them
}

// sample is a term such as an expression may have.
func sample(v values, e sparql.Expr) (rdf.Term, bool) {
	if v.nodes() {
		return rdf.IRI("urn:node"), true
	}
	if len(v.literals) == 0 {
		return nil, false
	}
	return sampleOf(v.literals[0], e)
}

// sampleOf is a literal of a datatype: that of a constant, else the example of the schema.
func sampleOf(datatype rdf.IRI, e sparql.Expr) (rdf.Term, bool) {
	if constant, ok := e.(sparql.TermExpr); ok {
		return constant.Term, true
	}
	if datatype == rdf.RDFLangString {
		return rdf.LangLiteral("text", "en"), true
	}
	t, ok := samples[datatype]
	return t, ok
}

// samples are literals of the datatypes that a schema may name.
var samples = func() map[rdf.IRI]rdf.Term {
	all := map[rdf.IRI]rdf.Term{}
	for _, d := range schema.Datatypes {
		var text any
		if d.IRI == "" || json.Unmarshal([]byte(d.Example), &text) != nil {
			continue
		}
		lexical, isText := text.(string)
		if !isText {
			lexical = d.Example
		}
		if d.IRI != rdf.XSDInteger || all[d.IRI] == nil {
			all[d.IRI] = rdf.Literal(lexical, d.IRI)
		}
	}
	return all
}()

// texts are the functions that take texts, with how many; moments take dates and times, and
// numbers take numbers.
var (
	texts = map[sparql.Func]int{
		"STRLEN": 1, "SUBSTR": 1, "UCASE": 1, "LCASE": 1, "ENCODE_FOR_URI": 1, "REGEX": 2, "REPLACE": 3,
		"STRSTARTS": 2, "STRENDS": 2, "CONTAINS": 2, "STRBEFORE": 2, "STRAFTER": 2,
	}
	moments = []sparql.Func{"YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS"}
	numbers = []sparql.Func{"ABS", "CEIL", "FLOOR", "ROUND", sparql.Add, sparql.Subtract, sparql.Multiply, sparql.Divide, sparql.Negate}
)

// takes tells of an argument that a function never takes.
func (r *run) takes(e sparql.Call, known facts, empties bool) {
	what, asked, n := "", e.Func, len(e.Args)
	switch {
	case texts[e.Func] > 0:
		what, asked, n = "a text", "STRLEN", min(n, texts[e.Func])
	case slices.Contains(moments, e.Func):
		what = "a date or time with that part"
	case slices.Contains(numbers, e.Func):
		what, asked = "a number", "ABS"
	default:
		return
	}
	for _, arg := range e.Args[:n] {
		v := r.kind(arg, known)
		if v.any || v.empty() {
			continue
		}
		taken := false
		for _, d := range v.literals {
			t, ok := sampleOf(d, arg)
			if !ok {
				taken = true
				continue
			}
			_, err := evaluate(asked, t)
			taken = taken || err == nil
		}
		if taken {
			continue
		}
		way := ""
		if asked == "STRLEN" {
			way = fmt.Sprintf("; STR(%s) is its text", r.expression(arg))
			if v.nodes() {
				way = fmt.Sprintf("; STR(%s) is its IRI%s", r.expression(arg), r.labelOf(arg, v))
			}
		}
		r.warn(propertyOf(arg, known), empties && e.Func != sparql.Negate, "%s takes %s, and %s is %s under the schema%s", functionName(e.Func), what, r.expression(arg), r.origin(arg, v, known), way)
	}
}

func functionName(f sparql.Func) string {
	if f == sparql.Negate {
		return "-"
	}
	return string(f)
}

// labelOf says what finds a node's label.
func (r *run) labelOf(e sparql.Expr, v values) string {
	labels := r.labels(v)
	if _, isVar := e.(sparql.VarExpr); !isVar || len(labels) == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s %s ?label finds its label", r.expression(e), labels[0])
}

// alike says how things that are unlike can be compared.
func (r *run) alike(left sparql.Expr, a values, right sparql.Expr, b values) string {
	if _, isTerm := left.(sparql.TermExpr); isTerm {
		left, a, right, b = right, b, left, a
	}
	constant, isTerm := right.(sparql.TermExpr)
	switch {
	case a.nodes() && b.nodes():
		return ""
	case a.nodes():
		return r.nodeWithText(left, a)
	case b.nodes() && !isTerm:
		return r.nodeWithText(right, b)
	case b.nodes():
		return ""
	case isTerm:
		if way := r.rewritten(constant.Term, a.literals); way != "" && !slices.Contains(a.literals, rdf.XSDAnyURI) {
			return way
		}
	}
	if slices.Contains(b.literals, rdf.XSDString) {
		return fmt.Sprintf("; compare STR(%s)", r.expression(left))
	}
	return ""
}

func (r *run) nodeWithText(e sparql.Expr, v values) string {
	if way := r.labelOf(e, v); way != "" {
		return strings.Replace(way, ", and", ";", 1)
	}
	return fmt.Sprintf("; compare STR(%s)", r.expression(e))
}

// kind is what the value of an expression is.
func (r *run) kind(e sparql.Expr, known facts) values {
	switch e := e.(type) {
	case sparql.VarExpr:
		if f, ok := known[e.Var]; ok {
			return f.values
		}
	case sparql.TermExpr:
		return r.constant(e.Term)
	case sparql.Cast:
		if samples[e.IRI] != nil {
			return values{literals: []rdf.IRI{e.IRI}}
		}
	case sparql.Call:
		if list := results[e.Func]; list != nil {
			return values{literals: list}
		}
	}
	return anything
}

// results are what functions have as values.
var results = map[sparql.Func][]rdf.IRI{
	"STR": {rdf.XSDString}, "LANG": {rdf.XSDString}, "MD5": {rdf.XSDString}, "SHA1": {rdf.XSDString}, "SHA256": {rdf.XSDString},
	"ENCODE_FOR_URI": {rdf.XSDString}, "STRUUID": {rdf.XSDString}, "STRLEN": {rdf.XSDInteger},
	"YEAR": {rdf.XSDInteger}, "MONTH": {rdf.XSDInteger}, "DAY": {rdf.XSDInteger}, "HOURS": {rdf.XSDInteger}, "MINUTES": {rdf.XSDInteger},
	"UCASE": textual, "LCASE": textual, "SUBSTR": textual, "STRBEFORE": textual, "STRAFTER": textual, "CONCAT": textual, "REPLACE": textual,
	"ABS": numeric, "CEIL": numeric, "FLOOR": numeric, "ROUND": numeric,
	sparql.Add: numeric, sparql.Subtract: numeric, sparql.Multiply: numeric, sparql.Divide: numeric, "NOW": {rdf.XSDDateTime},
}

var (
	textual = []rdf.IRI{rdf.XSDString, rdf.RDFLangString}
	numeric = []rdf.IRI{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat}
)

// propertyOf is the property whose value an expression is, "" for others.
func propertyOf(e sparql.Expr, known facts) rdf.IRI {
	v, _ := e.(sparql.VarExpr)
	return known[v.Var].by
}

// origin says what an expression is, and of which property it is the value.
func (r *run) origin(e sparql.Expr, v values, known facts) string {
	text := r.kinds(v)
	if by := propertyOf(e, known); by != "" {
		text += " (" + r.short(by) + ")"
	}
	return text
}

// expression writes an expression as a text has it, if it is short.
func (r *run) expression(e sparql.Expr) string {
	switch e := e.(type) {
	case sparql.VarExpr:
		if e.Var[0] != '.' {
			return "?" + string(e.Var)
		}
	case sparql.TermExpr:
		return r.term(e.Term)
	case sparql.Call:
		args := make([]string, len(e.Args))
		for i, arg := range e.Args {
			args[i] = r.expression(arg)
		}
		if len(args) == 2 && !strings.ContainsAny(string(e.Func[0]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return args[0] + " " + string(e.Func) + " " + args[1]
		}
		return string(e.Func) + "(" + strings.Join(args, ", ") + ")"
	}
	return "…"
}
