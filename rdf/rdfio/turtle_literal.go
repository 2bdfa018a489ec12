package rdfio

import (
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// isShorthand reports whether Turtle reads the bare lexical form as a literal of this datatype.
func isShorthand(lexical string, datatype rdf.IRI) bool {
	switch datatype {
	case rdf.XSDBoolean:
		return lexical == "true" || lexical == "false"
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble:
		return rdf.NumberType(lexical) == datatype
	}
	return false
}

// quoteTurtle writes a text on one line, or as a long string if it has several lines.
func quoteTurtle(s string) string {
	if !strings.Contains(s, "\n") {
		return string(rdf.AppendTerm(nil, quad.String(s)))
	}
	inner, quoted := strings.CutSuffix(s, `"`)
	text := rdf.AppendTerm(nil, quad.String(inner))
	out := `"""` + longString.Replace(string(text[1:len(text)-1]))
	if quoted {
		out += `\"` // an unescaped one would join the closing quotation marks
	}
	return out + `"""`
}

// longString removes the escapes that a long string does not need. The first two pairs map to
// themselves, so that an escaped backslash or quotation mark is not read as part of another
// escape.
var longString = strings.NewReplacer(`\\`, `\\`, `\"\"`, `\"\"`, `\"`, `"`, `\n`, "\n", `\t`, "\t")
