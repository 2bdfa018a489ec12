package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// asked is how the value of an expression is used.
type asked uint8

const (
	used     asked = iota // as a part of another expression
	tested                // as a condition; other conditions may let the solution pass
	required              // as a condition that must be true
)

// condition lints an expression that must be true. If it never is, the answer is empty.
func (r *run) condition(e sparql.Expr, known facts, empties bool) {
	r.value(e, known, required, empties)
}

// value lints an expression and returns its possible values. If it is false or an error for all values that can reach
// it, it warns about the smallest part for which this holds.
func (r *run) value(e sparql.Expr, known facts, at asked, empties bool) (out outcome) {
	switch e := e.(type) {
	case sparql.VarExpr:
		out = r.variableValue(e, known, at)
	case sparql.TermExpr:
		out = outcome{values: r.constant(e.Term)}
	case sparql.Exists:
		around := r.around
		r.around = append(slices.Clone(around), r.here)
		r.group(e.Op, known, false)
		r.around = around
		return outcome{values: either}
	case sparql.Cast:
		out = r.cast(e, known)
	case sparql.Call:
		out = r.call(e, known, at, empties)
	default:
		return outcome{values: anything, fails: true}
	}
	if at == used || out.told || out.any {
		return out
	}
	switch t := test(out.values, e); {
	case out.empty() || t.yes || at == tested && t.no:
		return out
	case !t.no: // an error, since it is neither true nor false
		r.warnAt(e, propertyOf(e, known), empties, "%s as a condition is never true %s: it is %s, which is neither true nor false", r.expression(e), under(out.values), r.origin(e, out.values, known))
	default:
		r.warnAt(e, "", empties, "%s is never true%s", r.expression(e), r.because(e, known))
	}
	out.told = true
	return out
}

// variableValue returns the possible values of a variable. A variable that nothing binds here has none.
func (r *run) variableValue(e sparql.VarExpr, known facts, at asked) outcome {
	if !r.bindsHere(e.Var) {
		return outcome{fails: true, told: r.unbound(e.Var, e)}
	}
	if f, ok := known[e.Var]; ok {
		return outcome{values: f.values, fails: !f.certain}
	}
	return outcome{values: anything, fails: true}
}

// call lints an operator or a function.
func (r *run) call(e sparql.Call, known facts, at asked, empties bool) outcome {
	switch e.Func { //nolint:exhaustive // the others are looked at below
	case sparql.And:
		at = max(at, tested)
		left, right := r.value(e.Args[0], known, at, empties), r.value(e.Args[1], known, at, empties)
		return outcome{values: either, fails: left.fails || right.fails, told: left.told || right.told}
	case sparql.Or:
		left, right := r.value(e.Args[0], known, tested, false), r.value(e.Args[1], known, tested, false)
		return outcome{values: either, fails: left.fails || right.fails, told: left.told && right.told}
	case sparql.Not:
		arg := r.value(e.Args[0], known, tested, false)
		if arg.any || arg.told || arg.empty() {
			return outcome{values: either, fails: arg.fails, told: arg.told}
		}
		t := test(arg.values, e.Args[0])
		return truths{t.no, t.yes, t.fails || arg.fails}.outcome()
	case sparql.Bound:
		v := e.Args[0].(sparql.VarExpr)
		if !r.bindsHere(v.Var) {
			return outcome{values: values{literals: either.literals, oneOf: []rdf.Term{falseTerm}}, told: r.unbound(v.Var, e)}
		}
		return truths{yes: true, no: !known[v.Var].certain}.outcome()
	case sparql.If:
		test := r.value(e.Args[0], known, tested, false)
		yes, no := r.value(e.Args[1], known, min(at, tested), false), r.value(e.Args[2], known, min(at, tested), false)
		return outcome{values: yes.or(no.values), fails: test.fails || yes.fails || no.fails, told: test.told || yes.told || no.told}
	case sparql.Coalesce:
		out := outcome{fails: true}
		for _, arg := range e.Args {
			one := r.value(arg, known, used, false)
			out.values, out.fails = out.or(one.values), out.fails && one.fails
		}
		return out
	case sparql.In, sparql.NotIn:
		return r.in(e, known, at, empties)
	case sparql.Equal, sparql.NotEqual, sparql.Less, sparql.Greater, sparql.LessOrEqual, sparql.GreaterOrEqual, "SAMETERM":
		a, b := r.value(e.Args[0], known, used, false), r.value(e.Args[1], known, used, false)
		return r.compare(e.Func, e, e.Args[0], a, e.Args[1], b, known, at, empties)
	}
	args, told := make([]outcome, len(e.Args)), false
	for i, arg := range e.Args {
		args[i] = r.value(arg, known, used, false)
		told = told || args[i].told
	}
	if wrong := sparql.WrongPattern(withValues(e, args)); wrong != nil {
		r.warnAt(e, "", empties && at == required, "%s never has a value: %v", r.expression(e), wrong)
		return outcome{fails: true, told: true}
	}
	if v, ok := around[e.Func]; ok {
		told = told || r.takes(e, args, known, empties)
		if out, ok := r.iriOf(e, args); ok && !told {
			return out
		}
		v.results = &results{of: []sparql.Func{e.Func}}
		return outcome{values: v, fails: len(args) > 0, told: told}
	}
	if told || slices.ContainsFunc(args, func(o outcome) bool { return o.empty() }) {
		return outcome{values: anything, fails: true, told: told}
	}
	if e.Func == "LANGMATCHES" {
		if r.language(e, e.Func, e.Args[0], e.Args[1], known, empties) {
			return outcome{values: either, told: true}
		}
	}
	if r.takes(e, args, known, empties) {
		return outcome{values: anything, fails: true, told: true}
	}
	out := applied(string(e.Func), func(list []sparql.Expr) sparql.Expr { return sparql.Call{Func: e.Func, Args: list} }, e.Args, args)
	out.shape, out.results = shapeOf(e.Func, args), &results{of: []sparql.Func{e.Func}}
	if e.Func == "STR" {
		out.results.forms = formsOf(args[0].values)
	}
	if out.empty() {
		r.warnAt(e, "", empties && at == required, "%s never has a value%s", r.expression(e), r.because(e, known))
		out.told = true
		return out
	}
	if e.Func == "REGEX" && r.matchesOne(e, known, at, empties) {
		out.told = true
		return out
	}
	if at != used && r.found.Empty {
		r.otherLetters(e, known)
	}
	return r.shaped(e, args, out, known, at, empties)
}

// iriOf returns what IRI() makes of a constant text. It warns about one that is relative, and resolved against nothing.
func (r *run) iriOf(e sparql.Call, args []outcome) (out outcome, ok bool) {
	if e.Func != "IRI" && e.Func != "URI" {
		return out, false
	}
	terms := concrete(args[0].values, e.Args[0])
	if len(terms) != 1 || rdf.DatatypeOf(terms[0]) != rdf.XSDString {
		return out, false
	}
	text := rdf.Lexical(terms[0])
	resolved, err := rdf.ResolveIRI(r.resolves, text)
	if err == nil && !strings.ContainsFunc(resolved, func(c rune) bool { return c < 0x80 && rdf.IRIStop[c] }) {
		return outcome{values: r.constant(rdf.IRI(resolved))}, true
	}
	way := ""
	if iri := r.nodeOf(anything, text); iri != "" {
		way = "; write " + r.name(iri)
	}
	r.warnAt(e, "", false, "%s never has a value: %q is no whole IRI, and there is no BASE%s", r.expression(e), text, way)
	return outcome{fails: true, told: true}, true
}

// searching are the functions that look for a text.
var searching = map[sparql.Func]bool{"CONTAINS": true, "STRSTARTS": true, "STRENDS": true, "REGEX": true}

// otherLetters warns about a condition that no value of a property meets that was looked at, and one would meet with
// other capitals.
func (r *run) otherLetters(e sparql.Call, known facts) {
	folded, way, ok := r.anyLetters(e)
	if !ok {
		return
	}
	of := e.Args[0]
	if str, ok := of.(sparql.Call); ok && str.Func == "STR" {
		of = str.Args[0]
	}
	by := propertyOf(of, known)
	if by == "" || r.err != nil {
		return
	}
	if r.lookups += searchCosts; r.lookups > maxLookups {
		return
	}
	exact, other := expr.Compile(e), expr.Compile(folded)
	var near rdf.Term
	n, which := 0, "no "+r.short(by)
	for q, err := range r.data.Match(r.ctx, rdf.Quad{Predicate: by}) {
		if n++; err != nil || n > maxSearched {
			r.err, which = err, fmt.Sprintf("none of the first %d %s", maxSearched, r.short(by))
			break
		}
		if yes, err := exact.Test(object{term: q.Object}); err == nil && yes && q.Label == nil {
			return
		}
		if yes, err := other.Test(object{term: q.Object}); err == nil && yes && near == nil && q.Label == nil {
			near = q.Object
		}
	}
	if near != nil {
		r.add(&r.misfits, Warning{Text: fmt.Sprintf("%s is true of %s, and its capitals are to blame: there is %s; %s", r.expression(e), which, r.term(near), way), Empties: true, About: by, at: e})
	}
}

// anyLetters returns a condition that looks for a text, for the same text in any letters, and the way to write it.
func (r *run) anyLetters(e sparql.Call) (folded sparql.Call, way string, ok bool) {
	if !searching[e.Func] || len(e.Args) < 2 {
		return folded, "", false
	}
	sought, isTerm := e.Args[1].(sparql.TermExpr)
	flags := sparql.TermExpr{Term: rdf.String("")}
	isConstant := true
	if len(e.Args) > 2 {
		flags, isConstant = e.Args[2].(sparql.TermExpr)
	}
	switch {
	case !isTerm || !isConstant || strings.Contains(rdf.Lexical(flags.Term), "i"):
		return folded, "", false
	case e.Func == "REGEX":
		folded = sparql.Call{Func: e.Func, Args: []sparql.Expr{e.Args[0], sought, sparql.TermExpr{Term: rdf.String(rdf.Lexical(flags.Term) + "i")}}}
		way = "give it the flag i"
	default:
		folded = sparql.Call{Func: e.Func, Args: []sparql.Expr{sparql.Call{Func: "LCASE", Args: e.Args[:1]}, sparql.TermExpr{Term: rdf.String(strings.ToLower(rdf.Lexical(sought.Term)))}}}
		way = "write the text in small letters, and LCASE around the other"
	}
	if text := r.expression(folded); !strings.Contains(text, "…") {
		way = "write " + text
	}
	return folded, way, true
}

// maxSearched is how many values of a property are searched for a text, once an answer is empty.
const maxSearched = 5000

// object is an Env whose variables all have one value.
type object struct {
	expr.Env
	term rdf.Term
}

// Value implements [expr.Env].
func (o object) Value(sparql.Var) rdf.Term { return o.term }

// withValues returns a call with the constants that its arguments are.
func withValues(e sparql.Call, args []outcome) sparql.Call {
	e.Args = slices.Clone(e.Args)
	for i, v := range args {
		if _, isVar := e.Args[i].(sparql.VarExpr); isVar && !v.any && len(v.oneOf) == 1 && len(v.literals) == 1 {
			e.Args[i] = sparql.TermExpr{Term: v.oneOf[0]}
		}
	}
	return e
}

// in lints IN and NOT IN as the comparisons that they consist of.
func (r *run) in(e sparql.Call, known facts, at asked, empties bool) outcome {
	if len(e.Args) == 1 { // no member
		return truths{yes: e.Func == sparql.NotIn, no: e.Func == sparql.In}.outcome()
	}
	out := outcome{values: either, told: true}
	sign := sparql.Equal
	if e.Func == sparql.NotIn {
		sign = sparql.NotEqual
	}
	left := r.value(e.Args[0], known, used, false)
	for _, arg := range e.Args[1:] {
		one := r.compare(sign, sparql.Call{Func: sign, Args: []sparql.Expr{e.Args[0], arg}}, e.Args[0], left, arg, r.value(arg, known, used, false), known, max(at, tested), empties && e.Func == sparql.In && len(e.Args) == 2)
		out.fails, out.told = out.fails || one.fails, out.told && one.told
	}
	return out
}

// cast lints a constructor function of XML Schema. Nothing is known of other functions called by IRI.
func (r *run) cast(e sparql.Cast, known facts) outcome {
	args, told := make([]outcome, len(e.Args)), false
	for i, arg := range e.Args {
		args[i] = r.value(arg, known, used, false)
		told = told || args[i].told
	}
	if _, err := valueOf(sparql.Cast{IRI: e.IRI, Args: constants([]rdf.Term{rdf.String("")})}); len(args) != 1 || !isCast(e.IRI) && err != nil {
		r.warnAt(e, "", false, "there is no function %s with %s%s", r.short(e.IRI), fault.Counted(len(args), "argument"), r.functionInstead(e))
		return outcome{values: anything, fails: true, told: true}
	}
	if told || args[0].empty() {
		return outcome{values: anything, fails: true, told: told}
	}
	out := applied(string(e.IRI), func(list []sparql.Expr) sparql.Expr { return sparql.Cast{IRI: e.IRI, Args: list} }, e.Args, args)
	if out.empty() {
		way := ""
		if constant, ok := e.Args[0].(sparql.TermExpr); ok {
			way = r.rewritten(constant.Term, []rdf.IRI{e.IRI})
		}
		r.warnAt(e, propertyOf(e.Args[0], known), false, "%s(%s) never has a value: %s is %s%s", r.short(e.IRI), r.expression(e.Args[0]), r.expression(e.Args[0]), r.origin(e.Args[0], args[0].values, known), way)
		out.told = true
	}
	return out
}

// functionInstead says what to write for a call of a function that there is none of.
func (r *run) functionInstead(e sparql.Cast) string {
	switch {
	case len(e.Args) == 1 && samples[e.IRI] != nil && !isCast(e.IRI):
		if constant, ok := e.Args[0].(sparql.TermExpr); ok {
			return "; write " + r.uncut(rdf.Literal(rdf.Lexical(constant.Term), e.IRI))
		}
		return fmt.Sprintf("; write STRDT(STR(%s), %s)", r.expression(e.Args[0]), r.short(e.IRI))
	case len(e.Args) == 1:
		var casts []string
		for _, d := range datatypes {
			if isCast(d) {
				casts = append(casts, localName(d))
			}
		}
		if near := fault.Nearest(localName(e.IRI), casts); near != "" {
			return fmt.Sprintf("; did you mean xsd:%s?", near)
		}
	}
	var names []string
	for f, arity := range sparql.Functions {
		if len(e.Args) >= arity.Min && (arity.Max < 0 || len(e.Args) <= arity.Max) {
			names = append(names, string(f))
		}
	}
	slices.Sort(names)
	if near := fault.Nearest(strings.ToUpper(strings.ReplaceAll(localName(e.IRI), "-", "")), names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// isCast reports that an IRI is a constructor function, which takes the text of its own datatype.
func isCast(iri rdf.IRI) bool {
	return slices.ContainsFunc(samples[iri], func(t rdf.Term) bool {
		_, err := valueOf(sparql.Cast{IRI: iri, Args: constants([]rdf.Term{rdf.String(rdf.Lexical(t))})})
		return err == nil
	})
}

// compare warns about a comparison that is never true, or always.
func (r *run) compare(sign sparql.Func, e, left sparql.Expr, a outcome, right sparql.Expr, b outcome, known facts, at asked, empties bool) outcome {
	none := outcome{values: either, fails: true, told: a.told || b.told}
	if none.told || a.any || b.any || a.empty() || b.empty() {
		return none
	}
	text := fmt.Sprintf("%s %s %s", r.expression(left), sign, r.expression(right))
	if sign == "SAMETERM" {
		text = r.expression(e)
	}
	if sign == sparql.Equal && right != (sparql.TermExpr{Term: rdf.String("")}) && (r.language(e, sign, left, right, known, empties) || r.language(e, sign, right, left, known, empties)) {
		none.told = true
		return none
	}
	x, y := r.only(left, a.values, known), r.only(right, b.values, known)
	t, why := relation(sign, a.values, b.values, x, y), ""
	if wanted := t.yes && sign != sparql.NotEqual || t.no && sign == sparql.NotEqual; wanted {
		if why = r.misses(sign, left, a.values, y, known); why == "" {
			why = r.misses(mirrored(sign), right, b.values, x, known)
		}
	}
	if why != "" {
		t.yes, t.no = sign == sparql.NotEqual, sign != sparql.NotEqual
	}
	out := t.outcome()
	out.fails = out.fails || a.fails || b.fails
	outcome := ""
	switch {
	case !t.yes:
		outcome = "never"
	case sign == sparql.NotEqual && !t.no && !t.fails:
		outcome = "always"
	default:
		if told := r.beyond(e, known, empties) || r.compareValue(text, sign, e, left, right, known, at, empties); told {
			out.told = true
		}
		return out
	}
	out.told = true
	if why == "" {
		why = " " + r.apart(sign, left, a.values, x, right, b.values, y, known)
	}
	r.warnAt(e, cmp.Or(propertyOf(left, known), propertyOf(right, known)), empties && outcome == "never", "%s is %s true%s", text, outcome, why)
	return out
}

// apart says what two expressions are that never compare as is asked, and what to write. The terms are those that each
// must be one of, nil if there are many.
func (r *run) apart(sign sparql.Func, left sparql.Expr, a values, x []rdf.Term, right sparql.Expr, b values, y []rdf.Term, known facts) string {
	var only []string
	for _, side := range []struct {
		sparql.Expr
		terms []rdf.Term
	}{{left, x}, {right, y}} {
		if list := r.listed(side.Expr, side.terms); list != "" {
			only = append(only, r.expression(side.Expr)+" is "+list)
		}
	}
	if only != nil {
		return under(a, b) + ": " + strings.Join(only, ", and ")
	}
	return fmt.Sprintf("%s: %s is %s, and %s %s%s", under(a, b), r.expression(left), r.origin(left, a, known), r.expression(right), r.origin(right, b, known), r.alike(sign, left, a, right, b))
}

// listed names the texts that an expression, which is no constant, must be one of; "" if they are many or not known.
func (r *run) listed(e sparql.Expr, terms []rdf.Term) string {
	if _, isTerm := e.(sparql.TermExpr); isTerm || len(terms) == 0 || len(terms) > 3 || !isText(terms[0]) {
		return ""
	}
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = r.uncut(t)
	}
	return strings.Join(names, " or ")
}

// only returns the terms that an expression must be one of. Lists from the schema are left out; they have a warning
// of their own.
func (r *run) only(e sparql.Expr, v values, known facts) []rdf.Term {
	if propertyOf(e, known) != "" {
		return nil
	}
	return concrete(v, e)
}

// misses says why a comparison of an expression with constants is never true, because of what its function or its
// datatype returns, and what to write; or why != always is.
func (r *run) misses(sign sparql.Func, e sparql.Expr, v values, constants []rdf.Term, known facts) string {
	if len(constants) == 0 || v.any {
		return ""
	}
	if why := outside(v, sign, constants); why != "" {
		return fmt.Sprintf(": %s is %s, %s", r.expression(e), r.origin(e, v, known), why)
	}
	if isEquality(sign) && v.shape != 0 && !slices.ContainsFunc(constants, func(c rdf.Term) bool { return r.mayHave(v.shape, sparql.Equal, rdf.Lexical(c)) }) {
		return ": " + r.shapeName(e, v.shape) + r.wholeName(e, v.shape, constants[0], known)
	}
	return ""
}

// shaped warns about a condition that looks for a text in texts whose shape excludes it.
func (r *run) shaped(e sparql.Call, args []outcome, out outcome, known facts, at asked, empties bool) outcome {
	if len(args) < 2 || args[0].shape == 0 {
		return out
	}
	possible := true
	switch e.Func { //nolint:exhaustive // the others look for no text
	case "STRSTARTS", "STRENDS", "CONTAINS":
		constant, ok := e.Args[1].(sparql.TermExpr)
		possible = !ok || r.mayHave(args[0].shape, e.Func, rdf.Lexical(constant.Term))
	case "REGEX":
		needs := expr.NeedsOf(e)
		possible = len(needs) == 0 || slices.ContainsFunc(needs, func(n expr.Needs) bool { return r.mayMatch(args[0].shape, n) })
	}
	if possible {
		return out
	}
	var sought rdf.Term
	if constant, ok := e.Args[1].(sparql.TermExpr); ok && e.Func != "REGEX" {
		sought = constant.Term
	}
	r.warnAt(e, "", empties, "%s is never true: %s%s", r.expression(e), r.shapeName(e.Args[0], args[0].shape), r.wholeName(e.Args[0], args[0].shape, sought, known))
	out.told = true
	return out
}

func (r *run) mayMatch(s shape, n expr.Needs) bool {
	if n.Fold {
		s &= wholeIRI
	}
	for i, piece := range n.Pieces {
		piece, _, _ = strings.Cut(piece, string(expr.AnyRune))
		f := sparql.Func("CONTAINS")
		if i == 0 && n.Start && !n.Fold {
			f = "STRSTARTS"
		}
		if !r.mayHave(s, f, piece) {
			return false
		}
	}
	return true
}

// shapeName says what all texts of a shape have in common.
func (r *run) shapeName(e sparql.Expr, s shape) string {
	switch {
	case s&wholeIRI != 0:
		return r.expression(e) + " is a whole IRI"
	case s&noCapitals != 0:
		return r.expression(e) + " has no capitals"
	}
	return r.expression(e) + " has no small letters"
}

// wholeName suggests what to compare instead of a text that texts of a shape never are.
func (r *run) wholeName(e sparql.Expr, s shape, sought rdf.Term, known facts) string {
	if sought == nil {
		return ""
	}
	text := rdf.Lexical(sought)
	switch {
	case s&noCapitals != 0:
		return "; write " + r.uncut(rdf.String(strings.ToLower(text)))
	case s&noSmallLetters != 0:
		return "; write " + r.uncut(rdf.String(strings.ToUpper(text)))
	}
	if call, _ := e.(sparql.Call); call.Func == "STR" {
		if v, isVar := call.Args[0].(sparql.VarExpr); isVar {
			return r.nodeInstead("?"+string(v.Var), known[v.Var].values, sought)
		}
	}
	return ""
}

// nodeInstead suggests how to compare a variable for nodes with a name in a text: with the node itself, or by a
// label.
func (r *run) nodeInstead(variable string, nodes values, text rdf.Term) string {
	if iri := r.nodeOf(nodes, rdf.Lexical(text)); iri != "" {
		return fmt.Sprintf("; write %s = %s", variable, r.name(iri))
	}
	if labels := r.labels(nodes); len(labels) > 0 && !nodes.any {
		return fmt.Sprintf("; %s %s ?label finds its label", variable, labels[0])
	}
	return ""
}

// compareValue warns about a value that a property never has.
func (r *run) compareValue(text string, sign sparql.Func, e, left, right sparql.Expr, known facts, at asked, empties bool) bool {
	if _, first := left.(sparql.TermExpr); first {
		left, right = right, left
	}
	if str, ok := left.(sparql.Call); ok && str.Func == "STR" {
		left = str.Args[0] // for a string the text is its value
	}
	v, isVar := left.(sparql.VarExpr)
	constant, isTerm := right.(sparql.TermExpr)
	if !isVar || !isTerm || sign != sparql.Equal && sign != "SAMETERM" || !rdf.IsLiteral(constant.Term) {
		return false
	}
	f := known[v.Var]
	if f.by == "" || !r.absent(rdf.Quad{Predicate: f.by, Object: constant.Term}, false) {
		return false
	}
	if f.oneOf != nil && !slices.ContainsFunc(f.oneOf, func(one rdf.Term) bool { return same(one, constant.Term) }) {
		r.warnAt(e, f.by, empties, "%s is never true under the schema: %s is none of the values of %s%s", text, r.term(constant.Term), r.short(f.by), r.valueHint(constant.Term, f.oneOf))
		return true
	}
	if !isText(constant.Term) || f.any || slices.ContainsFunc(f.literals, func(d rdf.IRI) bool { return d != rdf.XSDString && d != rdf.RDFLangString }) {
		return false // equal values may be written differently
	}
	return r.noValue(e, text+" is never true", f.by, constant.Term, at == required && empties)
}

// language warns about a language test on texts without a language, or on a language that none of them may have.
func (r *run) language(e sparql.Expr, by sparql.Func, of, sought sparql.Expr, known facts, empties bool) bool {
	call, ok := of.(sparql.Call)
	if !ok || call.Func != "LANG" || len(call.Args) != 1 {
		return false
	}
	v, ok := call.Args[0].(sparql.VarExpr)
	f, isKnown := known[v.Var]
	if !ok || !isKnown || f.any || f.empty() {
		return false
	}
	if slices.Contains(f.literals, rdf.RDFLangString) {
		return r.otherLanguage(e, by, sought, f, empties)
	}
	if constant, isTerm := sought.(sparql.TermExpr); !isTerm || rdf.Lexical(constant.Term) == "" {
		return false // it may be "", as the language of these is
	}
	r.warnAt(e, f.by, empties, "%s is never true %s: %s is %s, which has no language; leave the condition out", r.expression(e), under(f.values), r.expression(v), r.origin(v, f.values, known))
	return true
}

// otherLanguage warns about a test of a language that is written otherwise in answers, or that the schema excludes.
func (r *run) otherLanguage(e sparql.Expr, by sparql.Func, sought sparql.Expr, f fact, empties bool) bool {
	constant, isTerm := sought.(sparql.TermExpr)
	if !isTerm {
		return false
	}
	text := rdf.Lexical(constant.Term)
	if tag := rdf.LangTag(text); by == sparql.Equal && tag != text {
		r.warnAt(e, f.by, empties, "%s is never true: this language is %q in answers; write %q", r.expression(e), tag, tag)
		return true
	}
	var all []string
	for _, d := range r.declared[f.by] {
		if len(d.property.Languages) == 0 {
			return false
		}
		all = append(all, d.property.Languages...)
	}
	within := func(tag, language string) bool { return strings.HasPrefix(tag+"-", language+"-") }
	tag := rdf.LangTag(text)
	if len(all) == 0 || tag == "*" || slices.ContainsFunc(all, func(one string) bool {
		return within(tag, one) || by == "LANGMATCHES" && within(rdf.LangTag(one), tag)
	}) {
		return false
	}
	for i, one := range all {
		all[i] = strconv.Quote(one)
	}
	r.warnAt(e, f.by, empties, "%s is never true under the schema: no text of %s is in this language; there is %s", r.expression(e), r.short(f.by), listed(all))
	return true
}

// texts are the functions that take strings, with the number of these arguments. moments are those that take dates
// and times, numbers those that take numbers.
var (
	texts = map[sparql.Func]int{
		"STRLEN": 1, "SUBSTR": 1, "UCASE": 1, "LCASE": 1, "ENCODE_FOR_URI": 1, "REGEX": 3, "REPLACE": 4,
		"STRSTARTS": 2, "STRENDS": 2, "CONTAINS": 2, "STRBEFORE": 2, "STRAFTER": 2, "CONCAT": 1 << 10,
	}
	moments = []sparql.Func{"YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS"}
	numbers = []sparql.Func{"ABS", "CEIL", "FLOOR", "ROUND"}
	// plain are those whose first argument is a text without a language; IRI and URI take IRIs, too.
	plain = []sparql.Func{"STRDT", "STRLANG", "IRI", "URI"}
)

// takes warns about an argument that a function never accepts.
func (r *run) takes(e sparql.Call, args []outcome, known facts, empties bool) (told bool) {
	what, asked, n := "", e.Func, len(e.Args)
	var more []sparql.Expr
	switch {
	case slices.Contains(plain, e.Func):
		what, asked, n, more = "a text", "STRLANG", 1, constants([]rdf.Term{rdf.String("en")})
	case texts[e.Func] > 0:
		what, asked, n = "a text", "STRLEN", min(n, texts[e.Func])
	case slices.Contains(moments, e.Func):
		what = "a date or time with that part"
	case slices.Contains(numbers, e.Func):
		what, asked = "a number", "ABS"
	default:
		return false
	}
	for i, arg := range e.Args[:n] {
		v := args[i]
		if v.any || v.nodes() && len(e.Args) == 1 && more != nil || !applied(string(asked), func(list []sparql.Expr) sparql.Expr {
			return sparql.Call{Func: asked, Args: slices.Concat(list, more)}
		}, []sparql.Expr{arg}, []outcome{v}).empty() {
			continue
		}
		way := ""
		if what == "a text" {
			way = fmt.Sprintf("; STR(%s) is its text", r.expression(arg))
			if v.nodes() {
				way = fmt.Sprintf("; STR(%s) is its IRI%s", r.expression(arg), r.labelOf(arg, v.values))
			}
		}
		r.warnAt(e, propertyOf(arg, known), empties, "%s takes %s, and %s is %s %s%s", e.Func, what, r.expression(arg), r.origin(arg, v.values, known), under(v.values), way)
		told = true
	}
	return told
}

// because explains a warning by the types of the parts of an expression.
func (r *run) because(e sparql.Expr, known facts) string {
	call, ok := e.(sparql.Call)
	if !ok {
		return ""
	}
	var parts []string
	var all []values
	for _, arg := range call.Args {
		v, isVar := arg.(sparql.VarExpr)
		if f, ok := known[v.Var]; isVar && ok && !f.any && !f.empty() {
			all = append(all, f.values)
			parts = append(parts, r.expression(arg)+" is "+r.origin(arg, f.values, known))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + under(all...) + ": " + strings.Join(parts, ", and ")
}

// labelOf says how to get the label of a node.
func (r *run) labelOf(e sparql.Expr, v values) string {
	labels := r.labels(v)
	if _, isVar := e.(sparql.VarExpr); !isVar || len(labels) == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s %s ?label finds its label", r.expression(e), labels[0])
}

// alike says how to compare two things of different types.
func (r *run) alike(sign sparql.Func, left sparql.Expr, a values, right sparql.Expr, b values) string {
	if _, isTerm := left.(sparql.TermExpr); isTerm {
		left, a, right, b = right, b, left, a
	}
	constant, isTerm := right.(sparql.TermExpr)
	_, both := left.(sparql.TermExpr)
	switch {
	case isTerm && both || a.nodes() && b.nodes() && isEquality(sign):
		return ""
	case a.nodes() && b.nodes():
		return fmt.Sprintf("; compare STR(%s) with STR(%s)", r.expression(left), r.expression(right))
	case a.nodes() && isTerm:
		return r.nodeWithText(sign, left, a, constant.Term)
	case a.nodes():
		return r.nodeWithText(sign, left, a, nil)
	case b.nodes() && !isTerm:
		return r.nodeWithText(sign, right, b, nil)
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
	for _, way := range conversions {
		if slices.Equal(a.literals, []rdf.IRI{way.of}) && slices.Equal(b.literals, []rdf.IRI{way.with}) {
			return "; compare " + fmt.Sprintf(way.form, r.expression(left))
		}
		if slices.Equal(b.literals, []rdf.IRI{way.of}) && slices.Equal(a.literals, []rdf.IRI{way.with}) {
			return "; compare " + fmt.Sprintf(way.form, r.expression(right))
		}
	}
	return ""
}

// conversions say in which form a value of one datatype compares with one of another.
var conversions = []struct {
	of, with rdf.IRI
	form     string
}{
	{rdf.XSDDateTime, rdf.XSDDate, "xsd:date(%s)"},
	{rdf.XSDDateTime, rdf.XSDInteger, "YEAR(%s)"},
	{rdf.XSDDate, rdf.XSDInteger, "YEAR(%s)"},
	{rdf.XSDGYear, rdf.XSDInteger, "xsd:integer(STR(%s))"},
}

func (r *run) nodeWithText(sign sparql.Func, e sparql.Expr, v values, text rdf.Term) string {
	if _, isVar := e.(sparql.VarExpr); isVar && text != nil && (sign == sparql.Equal || sign == sparql.NotEqual) {
		if iri := r.nodeOf(v, rdf.Lexical(text)); iri != "" {
			return fmt.Sprintf("; write %s %s %s", r.expression(e), sign, r.name(iri))
		}
	}
	if way := r.labelOf(e, v); way != "" {
		return strings.Replace(way, ", and", ";", 1)
	}
	return fmt.Sprintf("; compare STR(%s)", r.expression(e))
}

// propertyOf returns the property whose value an expression is, or "".
func propertyOf(e sparql.Expr, known facts) rdf.IRI {
	v, _ := e.(sparql.VarExpr)
	return known[v.Var].by
}

// origin says what an expression is, and of which property it is the value.
func (r *run) origin(e sparql.Expr, v values, known facts) string {
	if constant, ok := e.(sparql.TermExpr); ok && r.illFormed(constant.Term) {
		return "no " + localName(rdf.DatatypeOf(constant.Term))
	}
	text := r.kinds(v)
	if constant, ok := e.(sparql.TermExpr); ok && !rdf.IsLiteral(constant.Term) && v.other {
		text = "an IRI"
	} else if !ok && v.nodes() && len(v.oneOf) > 0 && len(v.oneOf) <= maxListed && len(v.literals) == 0 {
		text = r.term(v.oneOf[0])
	}
	if by := propertyOf(e, known); by != "" {
		text += " (" + r.short(by) + ")"
	}
	return text
}

// expression writes a short expression as the text has it.
func (r *run) expression(e sparql.Expr) string {
	switch e := e.(type) {
	case sparql.VarExpr:
		if a, ok := r.aggregates[e.Var]; ok {
			return r.expression(a)
		}
		if e.Var[0] != '.' {
			return "?" + string(e.Var)
		}
	case sparql.TermExpr:
		return r.term(e.Term)
	case sparql.Aggregate:
		inner := "*"
		if e.Expr != nil {
			inner = r.expression(e.Expr)
		}
		if e.Distinct {
			inner = "DISTINCT " + inner
		}
		return string(e.Func) + "(" + inner + ")"
	case sparql.Cast:
		return r.short(e.IRI) + "(" + r.expressions(e.Args) + ")"
	case sparql.Call:
		switch {
		case e.Func == sparql.In || e.Func == sparql.NotIn:
			return r.expression(e.Args[0]) + " " + string(e.Func) + " (" + r.expressions(e.Args[1:]) + ")"
		case len(e.Args) == 2 && !rdf.IsLetter(e.Func[0]):
			return r.expression(e.Args[0]) + " " + string(e.Func) + " " + r.expression(e.Args[1])
		case e.Func == sparql.Not:
			return "!(" + r.expression(e.Args[0]) + ")"
		case e.Func == sparql.Negate || e.Func == sparql.Plus:
			return string(e.Func[1:]) + r.expression(e.Args[0])
		}
		return string(e.Func) + "(" + r.expressions(e.Args) + ")"
	}
	return "…"
}

func (r *run) expressions(list []sparql.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = r.expression(e)
	}
	return strings.Join(out, ", ")
}
