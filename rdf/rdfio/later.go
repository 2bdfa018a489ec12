package rdfio

import "bytes"

// laterSyntax explains a syntax error i bytes ahead in text if RDF 1.2 or N3 has such syntax;
// else it returns "".
func laterSyntax(text []byte, i int) string {
	at := text[min(i, len(text)):]
	begins := func(in []byte, words ...string) bool {
		for _, word := range words {
			if len(in) >= len(word) && bytes.EqualFold(in[:len(word)], []byte(word)) {
				return true
			}
		}
		return false
	}
	switch {
	case begins(at, "<<"), begins(text, "<<"):
		return ofRDF12("triples as terms, << >> and <<( )>>, are")
	case begins(at, "{|"):
		return ofRDF12("annotations, {| |}, are")
	case begins(at, "~"):
		return ofRDF12("reifiers, ~, are")
	case begins(at, "-ltr", "-rtl"):
		return ofRDF12("base directions of texts, --ltr and --rtl, are")
	case begins(at, "VERSION ", "VERSION\t", "@version"):
		return ofRDF12("VERSION is")
	case begins(at, "@forAll", "@forSome", "@keywords"):
		return ofN3("quantifiers and keywords, @forAll, @forSome and @keywords, are")
	case begins(at, "=>", "= ", "<= ", "<=\t"), begins(text, "<= ", "<=\t", "<=\n", "<- "):
		return ofN3("rules and equalities, =>, <= and =, are")
	case len(at) > 1 && at[0] == '?' && isLetterOrDigit(at[1]):
		return ofN3("variables, ?x, are")
	case begins(at, "!"), begins(at, "^") && !begins(at, "^^"):
		return ofN3("paths, ! and ^, are")
	}
	return ""
}

func ofRDF12(what string) string {
	return "RDF 1.1, because " + what + " of RDF 1.2, which is not read yet"
}

// formulas explains a '{' in Turtle where a statement or an object should begin.
const formulas = "RDF 1.1, because graphs, { }, are of TriG, and formulas of N3, which is not read"

func ofN3(what string) string { return "RDF 1.1, because " + what + " of N3, which is not read" }
