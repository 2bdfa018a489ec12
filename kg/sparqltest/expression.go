package sparqltest

import "strings"

// expr draws an expression of any type; many are errors, which must agree, too.
func (d *drawer) expr(depth int) string {
	if depth == 0 {
		return d.leaf()
	}
	sub := func() string { return d.expr(depth - 1) }
	switch d.number(13) {
	case 0, 1:
		return "(" + sub() + " " + d.one([]string{"=", "!=", "<", "<=", ">", ">="}) + " " + sub() + ")"
	case 2:
		return "(" + sub() + " " + d.one([]string{"+", "-", "*"}) + " " + sub() + ")"
	case 3:
		return "(" + sub() + " / " + d.one([]string{"2", "4.0", "0", "0e0", "-8"}) + ")"
	case 4:
		return "(" + sub() + " " + d.one([]string{"&&", "||"}) + " " + sub() + ")"
	case 5:
		return "(" + d.one([]string{"!", "-", "+"}) + sub() + ")"
	case 6:
		return "IF(" + sub() + ", " + sub() + ", " + sub() + ")"
	case 7:
		return "COALESCE(" + d.times(1, 3, ", ", sub) + ")"
	case 8:
		return "(" + sub() + d.one([]string{" IN (", " NOT IN ("}) + d.times(0, 3, ", ", sub) + "))"
	case 9:
		return "BOUND(" + d.variable() + ")"
	}
	return d.function(sub)
}

func (d *drawer) leaf() string {
	switch d.number(3) {
	case 0:
		return d.one(values)
	case 1:
		return d.one(nodes)
	}
	return d.variable()
}

// calls are the functions by how their arguments are written: % is any expression.
var calls = []string{
	"STR(%)", "LANG(%)", "DATATYPE(%)", "isIRI(%)", "isBLANK(%)", "isLITERAL(%)", "isNUMERIC(%)", "IRI(STR(%))",
	"sameTerm(%, %)", "STRDT(STR(%), xsd:integer)", `STRLANG(STR(%), "en")`, `LANGMATCHES(LANG(%), "en")`, `LANGMATCHES(LANG(%), "*")`,
	"STRLEN(%)", "STRLEN(STR(%))", "UCASE(%)", "LCASE(STR(%))", "SUBSTR(%, 2)", "SUBSTR(STR(%), 1, 2)", "SUBSTR(%, 0, %)",
	`STRSTARTS(STR(%), "a")`, "STRENDS(%, %)", "CONTAINS(%, %)", `STRBEFORE(%, "b")`, "STRAFTER(%, %)", `STRAFTER(STR(%), "/")`,
	"CONCAT(%, %)", `CONCAT(STR(%), "-", STR(%))`, "ENCODE_FOR_URI(%)", `REGEX(STR(%), "^a")`, `REGEX(%, "B", "i")`, `REPLACE(%, "a", "z")`,
	`REPLACE(STR(%), "(.)b", "$1-")`, "ABS(%)", "ROUND(%)", "CEIL(%)", "FLOOR(%)", "YEAR(%)", "MONTH(%)", "DAY(%)", "HOURS(%)",
	"MINUTES(%)", "SECONDS(%)", "TZ(%)", "TIMEZONE(%)", "MD5(STR(%))", "SHA256(%)",
	"xsd:integer(%)", "xsd:decimal(%)", "xsd:double(%)", "xsd:float(%)", "xsd:boolean(%)", "xsd:string(%)", "xsd:dateTime(%)", "xsd:integer(STR(%))",
}

func (d *drawer) function(sub func() string) string {
	parts := strings.Split(d.one(calls), "%")
	for i := range parts[:len(parts)-1] {
		parts[i] += sub()
	}
	return strings.Join(parts, "")
}
