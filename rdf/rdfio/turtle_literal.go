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
		return rdf.NumberType(lexical) == datatype
	}
	return false
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
