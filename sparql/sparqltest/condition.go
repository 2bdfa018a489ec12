package sparqltest

import "strings"

var (
	comparisons = []string{" = ", " != ", " < ", " <= ", " > ", " >= "}
	// texts are beginnings, ends and parts of [values] and [nodes].
	texts = []string{`""`, `"a"`, `"ab"`, `"b"`, `"B"`, `"1"`, `"é"`, `"😀"`, `"http"`, `"2020"`, `"a"@en`}
	types = []string{"xsd:integer", "xsd:decimal", "xsd:string", "xsd:date", "xsd:boolean", ":unknown", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"}
	tests = []string{
		`LANG(?x) = "en"`, `LANG(?x) != ""`, `LANGMATCHES(LANG(?x), "*")`, `LANGMATCHES(LANG(?x), "EN")`,
		"isIRI(?x)", "isBLANK(?x)", "isLITERAL(?x)", "!isNUMERIC(?x)", "BOUND(?x)", "!BOUND(?x)",
	}
)

// condition draws typical filters. The engine translates most of them to SQL instead of calling package expr.
func (d *drawer) condition() string {
	x := d.variable()
	switch d.number(15) {
	case 0:
		return x + d.one(comparisons) + d.one(values)
	case 1:
		return x + d.one(comparisons) + d.one(values) + " && " + x + d.one(comparisons) + d.one(values)
	case 2:
		return d.one(values) + d.one(comparisons) + x + d.one([]string{" && ", " || "}) + d.condition()
	case 3:
		return "STR(" + x + ")" + d.one(comparisons) + d.one(append(texts, "STR("+d.variable()+")"))
	case 4, 5:
		return d.one([]string{"CONTAINS(", "STRSTARTS(", "STRENDS("}) + d.one([]string{"STR(" + x + ")", x}) + ", " + d.one(append(texts, d.variable())) + ")"
	case 6:
		return d.one([]string{"", "!"}) + "sameTerm(" + x + ", " + d.one(append(append(nodes, values...), variables...)) + ")"
	case 7:
		return x + d.one(comparisons) + d.one(append(nodes, variables...))
	case 8:
		return x + d.one([]string{" IN (", " NOT IN ("}) + d.times(0, 3, ", ", func() string { return d.one(append(nodes, values[:6]...)) }) + ")"
	case 9:
		return "DATATYPE(" + x + ")" + d.one(comparisons[:2]) + d.one(types)
	case 10:
		return strings.ReplaceAll(d.one(tests), "?x", x)
	case 11:
		return d.one([]string{"", "!"}) + "EXISTS " + d.exists(1) + d.one([]string{"", " || " + d.condition(), " && " + d.condition()})
	case 12:
		return d.one([]string{"true", "false", "!true", "1", `""`})
	case 13, 14:
		predicate := d.one([]string{":n", ":t"})
		x = uniformVars[predicate]
		return d.times(1, 2, " && ", func() string { return x + d.one(comparisons) + d.one(uniform[predicate]) })
	}
	return d.expr(2)
}
