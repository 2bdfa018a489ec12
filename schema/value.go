package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// maxSafe is 2^53: integers up to it are the same in every JSON implementation.
const maxSafe = 1 << 53

// Values returns the terms of a property's value in JSON: one value, or an array for a property with many. Each
// invalid value has its error. It checks datatypes and that a single-valued property gets one value; package validate
// checks other constraints.
func (s *Schema) Values(p *Property, v any) ([]rdf.Term, []fault.FieldError) {
	array, isArray := v.([]any)
	if !isArray || p.Datatype == wordVector && (!p.Many() || !nested(array)) {
		return s.values(p, []any{v})
	}
	if !p.Many() {
		return nil, []fault.FieldError{{
			Field: p.Name, Code: fault.MaxCount, Value: v, Constraint: 1,
			Message: fmt.Sprintf("%s takes one value, not an array", p.Name),
		}}
	}
	return s.values(p, array)
}

// nested reports whether an array contains arrays, which means many vectors instead of one.
func nested(array []any) bool {
	if len(array) == 0 {
		return true
	}
	_, ok := array[0].([]any)
	return ok
}

func (s *Schema) values(p *Property, array []any) ([]rdf.Term, []fault.FieldError) {
	terms := make([]rdf.Term, 0, len(array))
	var problems []fault.FieldError
	for _, v := range array {
		term, problem := s.Term(p, v)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		terms = append(terms, term)
	}
	return terms, problems
}

// Term returns the term of one JSON value: a string, a [json.Number] or Go number,
// a bool, []any for a vector, or a map for text with a language. Numbers are brought to their canonical form,
// everything else keeps the text it came with. The error's code is datatype, or
// for references class and node_kind.
func (s *Schema) Term(p *Property, v any) (rdf.Term, *fault.FieldError) {
	if p.isReference() {
		return s.reference(p, v)
	}
	if p.IsLang() {
		term, reason := langTerm(p, v)
		if reason == "" {
			reason = p.misfit(term)
		}
		if reason != "" {
			return nil, problem(p, fault.Datatype, v, p.Datatype, reason)
		}
		return term, nil
	}
	lexical, reason := lexicalOf(p, v)
	if reason == "" {
		term := rdf.Literal(lexical, p.datatypeIRI())
		if p.Datatype != wordDecimal || !s.keepsDigits(p) {
			term = canonical(term)
		}
		if reason = p.misfit(term); reason == "" {
			return term, nil
		}
	}
	var constraint any = p.Datatype
	if array, isVector := vectorOf(lexical); isVector && p.Dim != nil && len(array) != *p.Dim {
		constraint = *p.Dim
	}
	return nil, problem(p, fault.Datatype, v, constraint, reason)
}

func problem(p *Property, code fault.Code, v, constraint any, reason string) *fault.FieldError {
	return &fault.FieldError{Field: p.Name, Code: code, Value: v, Constraint: constraint, Message: p.Name + ": " + reason}
}

func (s *Schema) reference(p *Property, v any) (rdf.Term, *fault.FieldError) {
	text, ok := v.(string)
	if !ok {
		return nil, problem(p, fault.NodeKind, v, "iri", "a reference is a string: an IRI or Type/id")
	}
	iri, err := s.ResolveRef(p, text)
	switch {
	case err == nil:
		return iri, nil
	case p.Class != "" && !rdf.IsAbsoluteIRI(text):
		return nil, problem(p, fault.Class, v, p.Class, err.Error())
	}
	return nil, problem(p, fault.NodeKind, v, "iri", err.Error())
}

// lexicalOf returns the lexical form of v as a value of p, or the reason why it has none.
func lexicalOf(p *Property, v any) (lexical, reason string) {
	switch Datatypes[p.Datatype].JSON {
	case JSONBoolean:
		if b, ok := v.(bool); ok {
			return strconv.FormatBool(b), ""
		}
	case JSONInteger:
		number, ok := numberOf(v)
		if !ok {
			return "", notA(p, v)
		}
		digits, ok := Whole(string(number))
		if !ok {
			return "", notA(p, v)
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		switch d := Datatypes[p.Datatype]; {
		case err == nil && (n < d.Least || n > d.Most):
			return "", notA(p, v)
		case err != nil || n > maxSafe || n < -maxSafe:
			return "", fmt.Sprintf("%s is beyond 2^53, where JSON loses digits; declare %s as big_integer and give it as a string", shown(v), p.Name)
		}
		return digits, ""
	case JSONNumber:
		return numberLexical(p, v)
	case JSONArray:
		return vectorLexical(p, v)
	case JSONString:
		text, ok := v.(string)
		if ok && (!strings.HasPrefix(text, "+") || !p.isBig()) { // the contract's ^-?\d+$
			return text, ""
		}
	case JSONObject: // langTerm reads it
	}
	return "", notA(p, v)
}

// keepsDigits reports whether a decimal keeps its notation, 1.50 and not 1.5: where values are not compared for
// equality.
func (s *Schema) keepsDigits(p *Property) bool {
	return !p.Many() && !p.Unique && p.OneOf == nil && p.HasValue == nil && !s.identifying[p]
}

// isBig reports whether values are integers that JSON represents as text.
func (p *Property) isBig() bool {
	d := Datatypes[p.Datatype]
	return cmp.Or(d.As, d.Word) == wordBigInteger
}

// notA says that v is not a value of p's datatype, with an example.
func notA(p *Property, v any) string {
	return fmt.Sprintf("%s is not a valid %s; give one such as %s", shown(v), p.Datatype, p.example())
}

// maxExample is how many components of a vector an example has at most.
const maxExample = 8

// example is an example value of p's datatype as JSON, shortened for a long vector.
func (p *Property) example() string {
	switch {
	case p.IsLang() && len(p.Languages) > 0:
		return shown(LangJSON("text", p.Languages[0]))
	case p.Datatype == wordVector && p.Dim != nil:
		components := make([]string, min(*p.Dim, maxExample), maxExample+1)
		for i := range components {
			components[i] = fmt.Sprintf("0.%d", i+1)
		}
		if *p.Dim > maxExample {
			components = append(components, "…")
		}
		return "[" + strings.Join(components, ", ") + "]"
	}
	return Datatypes[p.Datatype].Example
}

// shown is v as JSON, cut to a length that fits a message.
func shown(v any) string {
	const most = 80
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	if len(text) <= most {
		return string(text)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return string(text[:cut]) + "…"
}

// numberLexical accepts a JSON number; for doubles and floats also the strings INF, -INF and NaN.
func numberLexical(p *Property, v any) (lexical, reason string) {
	if text, ok := v.(string); ok && p.Datatype != wordDecimal && (text == "INF" || text == "-INF" || text == "NaN") {
		return text, ""
	}
	number, ok := numberOf(v)
	if !ok {
		return "", notA(p, v)
	}
	if p.Datatype != wordDecimal {
		return string(number), finite(p, string(number))
	}
	digits, ok := plain(string(number))
	if !ok {
		return "", notA(p, v)
	}
	if !strings.ContainsAny(string(number), "eE") && (digits != "0" || number[0] != '-') {
		digits = string(number)
	}
	return digits, ""
}

// finite refuses a number that would silently become an infinity.
func finite(p *Property, number string) string {
	bits := 64
	if p.datatypeIRI() == rdf.XSDFloat {
		bits = 32
	}
	if _, err := strconv.ParseFloat(number, bits); err != nil {
		return fmt.Sprintf("%s is outside the range of %s", number, p.Datatype)
	}
	return ""
}

// numberOf returns v as a JSON number, whatever decoded it.
func numberOf(v any) (json.Number, bool) {
	switch n := v.(type) {
	case json.Number:
		return n, json.Valid([]byte(n))
	case float64:
		if math.IsInf(n, 0) || math.IsNaN(n) {
			return "", false
		}
		return json.Number(strconv.FormatFloat(n, 'g', -1, 64)), true
	case int:
		return json.Number(strconv.Itoa(n)), true
	case int64:
		return json.Number(strconv.FormatInt(n, 10)), true
	}
	return "", false
}

// JSONValue returns a term as JSON carries it, nil for none: numbers as [json.Number] when every
// reader gets them whole, booleans, vectors as []any, references as "Type/id" when
// this schema names the entity and as IRIs otherwise, text of a property with its language as
// [LangJSON], all else as its text.
// p may be nil when no property is known; then the term's datatype alone decides.
func (s *Schema) JSONValue(p *Property, term rdf.Term) any {
	lexical := rdf.Lexical(term)
	switch iri := term.(type) {
	case nil:
		return nil
	case rdf.IRI:
		if typeName, local, ok := s.Local(iri); ok {
			return typeName + "/" + local
		}
		return lexical
	case rdf.BNode:
		return "_:" + lexical
	}
	if tag, tagged := rdf.LangOf(term); tagged && p != nil {
		return LangJSON(lexical, tag)
	}
	datatype := rdf.DatatypeOf(term)
	word := wordOf[datatype]
	if datatype == "" || !xsd.Valid(lexical, datatype) || p != nil && p.isBig() {
		return lexical
	}
	return jsonLiteral(word, lexical)
}

func jsonLiteral(word, lexical string) any {
	if Datatypes[word].JSON == JSONInteger {
		word = wordInteger
	}
	switch word {
	case "boolean":
		return lexical == "true" || lexical == "1"
	case wordInteger:
		if n, err := strconv.ParseInt(lexical, 10, 64); err == nil && n <= maxSafe && n >= -maxSafe {
			return json.Number(strconv.FormatInt(n, 10))
		}
	case wordDecimal:
		if json.Valid([]byte(lexical)) {
			return json.Number(lexical)
		}
		digits, ok := plain(strings.TrimPrefix(lexical, "+"))
		if !ok {
			return lexical
		}
		return json.Number(digits)
	case "number":
		return floatNumber(lexical, 64)
	case "float":
		return floatNumber(lexical, 32)
	case wordVector:
		if array, ok := vectorOf(lexical); ok {
			return array
		}
	}
	return lexical
}
