package rdfio

import (
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// isShorthand reports whether Turtle reads the bare lexical form as this literal.
func isShorthand(lexical string, datatype rdf.IRI) bool {
	switch datatype {
	case rdf.XSDBoolean:
		return lexical == "true" || lexical == "false"
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble:
		return numberType(lexical) == datatype
	}
	return false
}

// numberType returns the datatype of a bare number by the productions INTEGER,
// DECIMAL and DOUBLE, or "" when it is none.
func numberType(s string) rdf.IRI {
	mantissa, exponent, scaled := cutExponent(cutSign(s))
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	switch {
	case !allDigits(whole) || !allDigits(fraction) || whole+fraction == "":
		return ""
	case scaled && exponent != "" && allDigits(exponent):
		return rdf.XSDDouble
	case scaled:
		return ""
	case pointed && fraction != "":
		return rdf.XSDDecimal
	case pointed:
		return ""
	}
	return rdf.XSDInteger
}

// cutExponent returns the digits behind e or E, their sign taken off.
func cutExponent(s string) (mantissa, exponent string, scaled bool) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, "", false
	}
	return s[:i], cutSign(s[i+1:]), true
}

func cutSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !rdf.IsDigit(s[i]) {
			return false
		}
	}
	return true
}

// quoteTurtle writes a text on one line, or as a long string when it has several.
func quoteTurtle(s string) string {
	if !strings.Contains(s, "\n") {
		return string(rdf.AppendTerm(nil, quad.String(s)))
	}
	inner, quoted := strings.CutSuffix(s, `"`)
	text := rdf.AppendTerm(nil, quad.String(inner))
	out := `"""` + longString.Replace(string(text[1:len(text)-1]))
	if quoted {
		out += `\"` // a bare one would join the quotation marks that end the string
	}
	return out + `"""`
}

// longString undoes the escapes that a long string does without. The first pairs
// stay: they are tokens, not the beginnings of others.
var longString = strings.NewReplacer(`\\`, `\\`, `\"\"`, `\"\"`, `\"`, `"`, `\n`, "\n", `\t`, "\t")
