package lint

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/expr"
)

// outcome is the possible values of an expression for the solutions that reach it. Empty values mean that it is
// always an error.
type outcome struct {
	values
	fails bool // it may be an error
	told  bool // a warning about it or a part of it was given
}

// truths is the set of truth values that a condition may have.
type truths struct{ yes, no, fails bool }

func (t truths) with(u truths) truths {
	return truths{t.yes || u.yes, t.no || u.no, t.fails || u.fails}
}

var (
	trueTerm  = rdf.Literal("true", rdf.XSDBoolean)
	falseTerm = rdf.Literal("false", rdf.XSDBoolean)
	either    = values{literals: []rdf.IRI{rdf.XSDBoolean}}
)

// outcome turns truth values into values.
func (t truths) outcome() outcome {
	v := either
	switch {
	case !t.yes && !t.no:
		v = values{}
	case !t.yes:
		v.oneOf = []rdf.Term{falseTerm}
	case !t.no:
		v.oneOf = []rdf.Term{trueTerm}
	}
	return outcome{values: v, fails: t.fails}
}

// node stands for all nodes where a datatype is expected.
const node rdf.IRI = ""

// samples are terms of each datatype that expressions compute with, and of nodes. An operation that is an error for
// all samples of a datatype is taken to be one for all its values. Each cast accepts one of the strings; dates and
// times differ in their zones and are far apart.
var samples = func() map[rdf.IRI][]rdf.Term {
	all := map[rdf.IRI][]rdf.Term{
		node:              {rdf.IRI("urn:node"), rdf.BNode("node")},
		rdf.RDFLangString: {rdf.LangLiteral("text", "en"), rdf.LangLiteral("", "en")},
	}
	add := func(d rdf.IRI, lexical ...string) {
		for _, l := range lexical {
			all[d] = append(all[d], rdf.Literal(l, d))
		}
	}
	for _, word := range schema.Datatypes {
		var text any
		if word.IRI == "" || all[word.IRI] != nil || json.Unmarshal([]byte(word.Example), &text) != nil {
			continue
		}
		lexical, isText := text.(string)
		if !isText {
			lexical = word.Example
		}
		add(word.IRI, lexical)
		for _, small := range []string{"1", "-1"} { // examples of wide integers overflow
			if xsd.IsNumeric(word.IRI) && xsd.Valid(small, word.IRI) {
				add(word.IRI, small)
			}
		}
	}
	add(rdf.XSDString, "", "1", "true", "2024-05-31", "2024-05-31T12:00:00Z", "12:00:00Z")
	add(rdf.XSDBoolean, "false")
	add(rdf.XSDInteger, "0")
	add(rdf.XSDDate, "1900-01-01", "2100-01-01Z")
	add(rdf.XSDDateTime, "1900-01-01T00:00:00", "2100-01-01T00:00:00Z")
	add(rdf.XSDTime, "13:00:00")
	add(rdf.XSDDuration, "P1D", "P100Y")
	add(rdf.XSDNS+"dayTimeDuration", "P1D", "PT1S")
	add(rdf.XSDNS+"yearMonthDuration", "P1Y", "P1M")
	return all
}()

// datatypes are the keys of samples, sorted.
var datatypes = func() (list []rdf.IRI) {
	for d := range samples {
		list = append(list, d)
	}
	slices.Sort(list)
	return list
}()

// atoms returns the datatypes of values, with node for nodes.
func (v values) atoms() (list []rdf.IRI) {
	if v.any {
		return datatypes
	}
	if v.nodes() {
		list = append(list, node)
	}
	return append(list, v.literals...)
}

func evaluate(f sparql.Func, args ...rdf.Term) (rdf.Term, error) {
	return valueOf(sparql.Call{Func: f, Args: constants(args)})
}

func constants(terms []rdf.Term) []sparql.Expr {
	out := make([]sparql.Expr, len(terms))
	for i, t := range terms {
		out[i] = sparql.TermExpr{Term: t}
	}
	return out
}

// valueOf evaluates an expression of constants, without an environment.
func valueOf(e sparql.Expr) (rdf.Term, error) { return expr.Compile(e).Eval(nil) }

func holds(sign sparql.Func, x, y rdf.Term) bool {
	v, err := evaluate(sign, x, y)
	return err == nil && v == trueTerm
}

// around are the functions that use more than their arguments or make new terms, with the datatypes of their results.
var around = map[sparql.Func]values{
	"NOW": {literals: []rdf.IRI{rdf.XSDDateTime}}, "RAND": {literals: []rdf.IRI{rdf.XSDDouble}},
	"UUID": {other: true}, "STRUUID": {literals: []rdf.IRI{rdf.XSDString}},
	"BNODE": {other: true}, "IRI": {other: true}, "URI": {other: true}, "STRDT": {literals: datatypes[1:]},
}

// byType are the functions whose value depends only on the datatype of the argument; of LANG this holds for literals
// without a language.
var byType = []sparql.Func{"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "DATATYPE", "LANG"}

const (
	maxCombined = 4000 // combinations of samples of the arguments that are evaluated
	maxExact    = 64   // combinations of constants that are evaluated
	maxListed   = 16   // constants of a value that are examined one by one
	maxLength   = 1000 // bytes of these together
)

// called caches the results of functions and casts by the datatypes of their arguments; they are the same for all
// texts.
var called sync.Map // string to made

// made is the result of a function.
type made struct {
	atoms []rdf.IRI
	terms []rdf.Term // distinct terms in the order in which they were made, nil if there are many
	fails bool
}

func (m *made) add(t rdf.Term, err error) {
	if err != nil {
		m.fails = true
		return
	}
	if d := rdf.DatatypeOf(t); !slices.Contains(m.atoms, d) {
		m.atoms = append(m.atoms, d)
	}
	if len(m.terms) <= maxExact && !slices.Contains(m.terms, t) {
		m.terms = append(m.terms, t)
	}
}

// applied returns the result of a function for arguments; of builds the call. Constants are evaluated as they are,
// other arguments by samples.
func applied(name string, of func([]sparql.Expr) sparql.Expr, args []sparql.Expr, vals []outcome) outcome {
	sets, key, combined, exact, fixed, unknown := make([][]rdf.Term, len(vals)), name, 1, true, false, false
	kinds := slices.Contains(byType, sparql.Func(name))
	for i, v := range vals {
		unknown = unknown || v.any
		kinds = kinds && !v.any && !(name == "LANG" && slices.Contains(v.literals, rdf.RDFLangString))
		if v.empty() {
			return outcome{fails: true}
		}
		if terms := concrete(v.values, args[i]); terms != nil {
			sets[i], fixed = terms, true
			combined *= len(terms)
		} else {
			exact = false
		}
	}
	if fixed && unknown { // the datatypes of constants suffice
		exact, combined, sets = false, 1, make([][]rdf.Term, len(vals))
		fixed = false
	}
	for i, v := range vals {
		if sets[i] != nil {
			continue
		}
		for _, d := range v.atoms() {
			if samples[d] == nil {
				return outcome{values: anything, fails: true} // nothing is known of the argument
			}
			key += "|" + string(d)
			sets[i] = append(sets[i], samples[d]...)
		}
		key += ";"
		combined *= len(sets[i])
	}
	if exact && combined > maxExact || combined > maxCombined {
		return outcome{values: anything, fails: true}
	}
	m := made{}
	if known, ok := called.Load(key); ok && !fixed {
		m = known.(made)
	} else {
		m = allOf(of, sets)
		if !fixed {
			called.Store(key, m)
		}
	}
	out := outcome{fails: m.fails}
	for _, v := range vals {
		out.fails, out.seen = out.fails || v.fails, out.seen || v.seen
	}
	for _, d := range m.atoms {
		if d == node {
			out.other = true
		} else {
			out.literals = append(out.literals, d)
		}
	}
	if (exact || kinds) && len(m.terms) > 0 && len(m.terms) <= maxExact {
		out.oneOf = m.terms
	}
	return out
}

// allOf evaluates a call for each combination of terms.
func allOf(of func([]sparql.Expr) sparql.Expr, sets [][]rdf.Term) (m made) {
	args := make([]rdf.Term, len(sets))
	var combine func(i int)
	combine = func(i int) {
		if i == len(sets) {
			m.add(valueOf(of(constants(args))))
			return
		}
		for _, t := range sets[i] {
			args[i] = t
			combine(i + 1)
		}
	}
	combine(0)
	return m
}

// concrete returns the only terms that an expression may have, if they are few, short and known.
func concrete(v values, e sparql.Expr) []rdf.Term {
	terms := v.oneOf
	if constant, ok := e.(sparql.TermExpr); ok {
		terms = []rdf.Term{constant.Term}
	} else if len(terms) > maxListed || v.any {
		return nil
	}
	length := 0
	for _, t := range terms {
		length += len(rdf.Lexical(t))
	}
	if length > maxLength {
		return nil
	}
	return terms
}

// shapeOf returns what the texts that a function returns have in common.
func shapeOf(f sparql.Func, args []outcome) shape {
	switch f { //nolint:exhaustive // the others say nothing of a text
	case "STR":
		if v := args[0]; !v.any && v.nodes() && len(v.literals) == 0 {
			return wholeIRI
		}
		return args[0].shape
	case "LCASE":
		return noCapitals
	case "UCASE":
		return noSmallLetters
	case "MD5", "SHA1", "SHA256", "SHA384", "SHA512", "STRUUID":
		return noCapitals
	case "SUBSTR", "STRBEFORE", "STRAFTER":
		return args[0].shape &^ wholeIRI
	}
	return 0
}

// test returns the possible effective boolean values of values (section 17.2.2).
func test(v values, e sparql.Expr) (t truths) {
	if v.any {
		return truths{true, true, true}
	}
	for _, one := range concrete(v, e) {
		b, err := evaluate(sparql.Not, one)
		t = t.with(truths{err == nil && b == falseTerm, err == nil && b == trueTerm, err != nil})
	}
	if concrete(v, e) != nil {
		return t
	}
	for _, d := range v.atoms() {
		if samples[d] == nil {
			t.fails = true // no operator of section 17.3 accepts it
			continue
		}
		_, err := evaluate(sparql.Not, samples[d][0])
		t = t.with(truths{err == nil, err == nil, err != nil})
	}
	return t
}

// relation returns the possible results of a comparison of values.
func relation(sign sparql.Func, a, b values, left, right []rdf.Term) (t truths) {
	if a.any || b.any {
		return truths{true, true, true}
	}
	if left != nil && right != nil {
		for _, x := range left {
			for _, y := range right {
				v, err := evaluate(sign, x, y)
				t = t.with(truths{err == nil && v == trueTerm, err == nil && v == falseTerm, err != nil})
			}
		}
		return t
	}
	if left != nil {
		return relation(mirrored(sign), b, a, right, left)
	}
	for _, d := range a.atoms() {
		if right == nil {
			for _, e := range b.atoms() {
				t = t.with(ofTypes(sign, d, e, a, b))
			}
		}
		for _, y := range right {
			t = t.with(withConstant(sign, d, y, a, b))
		}
	}
	return t
}

// mirrored returns the comparison operator for swapped sides.
func mirrored(sign sparql.Func) sparql.Func {
	switch sign { //nolint:exhaustive // the others are the same both ways
	case sparql.Less:
		return sparql.Greater
	case sparql.Greater:
		return sparql.Less
	case sparql.LessOrEqual:
		return sparql.GreaterOrEqual
	case sparql.GreaterOrEqual:
		return sparql.LessOrEqual
	}
	return sign
}

// differently returns the result of a comparison of two values that are never equal.
func differently(sign sparql.Func) truths {
	switch sign { //nolint:exhaustive // the others compare by order
	case sparql.Equal, "SAMETERM":
		return truths{no: true}
	case sparql.NotEqual:
		return truths{yes: true}
	}
	return truths{fails: true}
}

func isEquality(sign sparql.Func) bool {
	return sign == sparql.Equal || sign == sparql.NotEqual || sign == "SAMETERM"
}

// ofTypes compares values of two datatypes; either may be node.
func ofTypes(sign sparql.Func, d, e rdf.IRI, a, b values) truths {
	switch {
	case d == node && e == node && isEquality(sign):
		if !a.other && !b.other && a.types.and(b.types).empty() {
			return differently(sign)
		}
		return truths{yes: true, no: true}
	case d == node || e == node:
		return differently(sign)
	case d == e && isEquality(sign):
		return truths{yes: true, no: true}
	case sign == "SAMETERM":
		return truths{no: true}
	case samples[d] == nil || samples[e] == nil:
		return truths{true, true, true}
	}
	var t truths
	for _, x := range samples[d] {
		for _, y := range samples[e] {
			t = t.with(sampled(sign, x, y))
		}
	}
	return t
}

// withConstant compares values of a datatype, or nodes, with a constant.
func withConstant(sign sparql.Func, d rdf.IRI, c rdf.Term, a, b values) truths {
	own := rdf.DatatypeOf(c)
	switch {
	case d == node || own == "":
		return ofTypes(sign, d, own, a, b)
	case sign == "SAMETERM" && d != own:
		return truths{no: true}
	case samples[d] == nil:
		return truths{true, true, true}
	case own == d && samples[own] != nil && !xsd.Valid(rdf.Lexical(c), own) && own != rdf.RDFLangString:
		return truths{fails: true} // the schema allows no such value
	case own == d && isEquality(sign):
		if holds(sparql.Equal, c, c) || sign == sparql.NotEqual {
			return truths{yes: true, no: true}
		}
		return truths{no: true} // not a number
	}
	var t truths
	for _, x := range samples[d] {
		t = t.with(sampled(sign, x, c))
	}
	return t
}

// sampled compares two samples. If they have an order, other values of their datatypes may have any.
func sampled(sign sparql.Func, x, y rdf.Term) truths {
	if holds(sparql.Less, x, y) || holds(sparql.Greater, x, y) || holds(sparql.Equal, x, y) {
		return truths{yes: true, no: true}
	}
	v, err := evaluate(sign, x, y)
	return truths{err == nil && v == trueTerm, err == nil && v == falseTerm, err != nil}
}

// mayHave reports that a text of a shape can equal, begin with, end with or contain a text, depending on the
// function.
func (r *run) mayHave(s shape, f sparql.Func, text string) bool {
	if s&noCapitals != 0 && text != strings.ToLower(text) || s&noSmallLetters != 0 && text != strings.ToUpper(text) {
		return false
	}
	if s&wholeIRI == 0 {
		return true
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < 0x80 && rdf.IRIStop[c] }) {
		return false
	}
	prefix, _, named := strings.Cut(text, ":")
	scheme := !strings.ContainsFunc(prefix, func(c rune) bool {
		return c >= 0x80 || !rdf.IsLetter(byte(c)) && !rdf.IsDigit(byte(c)) && !strings.ContainsRune("+-.", c)
	})
	switch f { //nolint:exhaustive // the others look for no whole text
	case sparql.Equal, "SAMETERM":
		_, short := r.schema.TurtlePrefixes()[prefix]
		return rdf.IsAbsoluteIRI(text) && !(short && !strings.HasPrefix(text, r.schema.Base))
	case "STRSTARTS":
		name, _, _ := strings.Cut(text, "/")
		return text == "" || prefix != "" && scheme && (named || r.schema.Type(name) == nil || strings.HasPrefix(r.schema.Base, text))
	case "CONTAINS", "STRENDS":
		_, short := r.schema.TurtlePrefixes()[prefix]
		return !named || !short || strings.Contains(r.schema.Base, prefix+":") || prefix == ""
	}
	return true
}

// foldedBy returns the possible results of SUM or AVG, and whether there always is one.
func foldedBy(a sparql.Aggregate, v values) (out values, sure bool) {
	if v.any || v.empty() {
		return anything, false
	}
	sure, out.seen = true, v.seen
	for _, d := range v.atoms() {
		if samples[d] == nil {
			return anything, false
		}
		sum := expr.NewAccumulator(sparql.Aggregate{Func: a.Func})
		sum.Add(samples[d][0], nil)
		t, err := sum.Value()
		if err != nil {
			sure = false
			continue
		}
		if own := rdf.DatatypeOf(t); !slices.Contains(out.literals, own) {
			out.literals = append(out.literals, own)
		}
	}
	return out, sure
}
