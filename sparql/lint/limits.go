package lint

import (
	"fmt"
	"slices"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// results are what is known of values that functions return. They are immutable.
type results struct {
	of    []sparql.Func // they are results of these functions
	forms []rdf.IRI     // if not nil, they are lexical forms of these datatypes
}

// or returns what is known of the results of two expressions together.
func (r *results) or(s *results) *results {
	if r == nil || s == nil {
		return nil
	}
	out := &results{of: slices.Concat(r.of, s.of)}
	if r.forms != nil && s.forms != nil {
		out.forms = slices.Concat(r.forms, s.forms)
	}
	return out
}

// limits are the conditions that all results of a function meet, whatever its arguments are.
var limits = map[sparql.Func]string{
	"MONTH": ">= 1 <= 12", "DAY": ">= 1 <= 31", "HOURS": ">= 0 <= 23", "MINUTES": ">= 0 <= 59", "SECONDS": ">= 0 < 60",
	"TIMEZONE": ">= -PT14H <= PT14H", "RAND": ">= 0 < 1", "STRLEN": ">= 0", "ABS": ">= 0", "COUNT": ">= 0",
}

// limitsOf are the conditions that all values of a datatype meet.
func limitsOf(d rdf.IRI) (text string) {
	switch d {
	case rdf.XSDBoolean:
		return ">= false <= true"
	case rdf.XSDString:
		return ">= "
	}
	least, most := xsd.Bounds(d)
	if least != "" {
		text = ">= " + least
	}
	if most != "" {
		text += " <= " + most
	}
	return strings.TrimSpace(text)
}

// outside says why a comparison with constants holds for none of some values, such as "at least 1 and at most 12", or
// "" if it may. For a difference it says why it always holds.
func outside(v values, sign sparql.Func, constants []rdf.Term) (why string) {
	if sign == sparql.NotEqual || sign == "SAMETERM" {
		sign = sparql.Equal
	}
	var all []string // one for each function, or for each datatype
	if v.results != nil {
		for _, f := range v.of {
			all = append(all, limits[f])
		}
	}
	if all == nil || slices.Contains(all, "") {
		all = nil
		for _, d := range v.atoms() {
			all = append(all, limitsOf(d))
		}
	}
	for _, c := range constants {
		why = ""
		for _, conditions := range all {
			if why = (restriction{sign: sign, terms: []rdf.Term{c}}).beyond(conditions); why == "" {
				break
			}
		}
		if why == "" && sign == sparql.Equal {
			why = unlike(v, c)
		}
		if why == "" {
			return ""
		}
	}
	return why
}

// beyond describes conditions, signs and values, of which one excludes the restriction; "" if none does.
func (c restriction) beyond(conditions string) string {
	d := rdf.DatatypeOf(c.terms[0])
	if xsd.IsNumeric(d) {
		d = rdf.XSDInteger
	}
	excluded, words := false, ""
	for i, parts := 0, strings.Split(conditions, " "); i+1 < len(parts); i += 2 {
		limit := restriction{sign: sparql.Func(parts[i]), terms: []rdf.Term{rdf.Literal(parts[i+1], d)}}
		excluded = excluded || c.excludes(limit)
		words += " and " + map[string]string{">=": "at least ", "<=": "at most ", "<": "less than "}[parts[i]] + parts[i+1]
	}
	if !excluded {
		return ""
	}
	return strings.TrimPrefix(words, " and ")
}

// unlike says why values are never equal to a constant: they are whole numbers, or texts that are written otherwise.
func unlike(v values, c rdf.Term) string {
	var of []sparql.Func
	var forms []rdf.IRI
	if v.results != nil {
		of, forms = v.of, v.forms
	}
	all := func(such func(sparql.Func) bool) bool {
		return len(of) > 0 && !slices.ContainsFunc(of, func(f sparql.Func) bool { return !such(f) })
	}
	whole := all(func(f sparql.Func) bool { return f == "CEIL" || f == "FLOOR" || f == "ROUND" }) || !slices.ContainsFunc(v.atoms(), func(d rdf.IRI) bool {
		return d != rdf.XSDInteger && (limitsOf(d) == "" || !xsd.IsNumeric(d))
	})
	text := rdf.Lexical(c)
	if floor, err := evaluate("FLOOR", c); whole && err == nil && holds(sparql.NotEqual, floor, c) {
		return "and whole"
	}
	switch {
	case !isText(c):
	case len(forms) > 0 && !slices.ContainsFunc(forms, func(d rdf.IRI) bool { return xsd.Valid(text, d) }):
		return fmt.Sprintf("written like %q", rdf.Lexical(samples[forms[0]][0]))
	case all(func(f sparql.Func) bool { return !writes(f, text) }):
		return "written otherwise"
	}
	return ""
}

// writes reports that the result of a function may be a text.
func writes(f sparql.Func, text string) bool {
	switch f { //nolint:exhaustive // the others return other texts
	case "TZ":
		return xsd.Valid("00:00:00"+text, rdf.XSDTime)
	case "ENCODE_FOR_URI":
		plain := rdf.String(strings.ReplaceAll(text, "%", ""))
		encoded, err := evaluate(f, plain)
		return err == nil && encoded == plain
	case "STRUUID":
		return len(text) == len("00000000-0000-0000-0000-000000000000")
	case "MD5", "SHA1", "SHA256", "SHA384", "SHA512":
		hash, err := evaluate(f, rdf.String(""))
		return err == nil && len(rdf.Lexical(hash)) == len(text)
	}
	return true
}

// formsOf returns the datatypes of values, or nil if some are nodes or may be any text.
func formsOf(v values) []rdf.IRI {
	illFormed := func(t rdf.Term) bool { return !xsd.Valid(rdf.Lexical(t), rdf.DatatypeOf(t)) }
	if v.any || v.nodes() || v.seen || slices.ContainsFunc(v.oneOf, illFormed) || slices.ContainsFunc(v.literals, func(d rdf.IRI) bool { return samples[d] == nil || xsd.Valid("\x00", d) }) {
		return nil
	}
	return v.literals
}
