package sparqltest

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"trails/rdf"
)

// expr draws an expression of any type. Many are errors; both evaluators must agree on these, too.
func (d *drawer) expr(depth int) string {
	if depth == 0 {
		return d.leaf()
	}
	sub := func() string { return d.expr(depth - 1) }
	switch d.number(15) {
	case 14, 15:
		parts := strings.Split(d.one(ofTerms), "%")
		for i := range parts[:len(parts)-1] {
			parts[i] += d.variable()
		}
		return strings.Join(parts, "")
	case 0, 1:
		return "(" + sub() + " " + d.one([]string{"=", "!=", "<", "<=", ">", ">="}) + " " + sub() + ")"
	case 2:
		return "(" + sub() + " " + d.one([]string{"+", "-", "*"}) + " " + sub() + ")"
	case 3:
		if d.in(2) {
			return d.ofTime()
		}
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

// moments are dates, times and durations, and other operands of their operators.
var moments = []string{
	`"2024-01-31T23:30:00"^^xsd:dateTime`, `"2024-02-29T24:00:00Z"^^xsd:dateTime`, `"2023-12-31T00:00:00.25-05:00"^^xsd:dateTime`, `"0000-03-01T00:00:00Z"^^xsd:dateTime`, `"-0001-12-31T12:00:00"^^xsd:dateTime`,
	`"2024-02-29"^^xsd:date`, `"2023-03-01+14:00"^^xsd:date`, `"1900-01-01Z"^^xsd:date`, `"23:59:59.5"^^xsd:time`, `"00:30:00+01:00"^^xsd:time`, `"2024-05-31T12:00:00Z"^^xsd:dateTimeStamp`,
	`"P1M"^^xsd:yearMonthDuration`, `"-P1Y1M"^^xsd:yearMonthDuration`, `"P0M"^^xsd:yearMonthDuration`, `"PT0S"^^xsd:dayTimeDuration`, `"P1DT12H"^^xsd:dayTimeDuration`, `"-PT36H0.5S"^^xsd:dayTimeDuration`,
	`"P1M"^^xsd:duration`, `"P1MT1S"^^xsd:duration`, `"-P2D"^^xsd:duration`, `"P1"^^xsd:duration`, `"P100000000000Y"^^xsd:duration`, `2`, `3`, `-0.5`, `0.1e0`, `"NaN"^^xsd:double`, `0`,
}

// ofTime draws operations on dates, times and durations.
func (d *drawer) ofTime() string {
	one := func() string {
		if d.in(6) {
			return d.variable()
		}
		return d.one(moments)
	}
	text := "(" + one() + " " + d.one([]string{"+", "-", "*", "/"}) + " " + one() + ")"
	switch d.number(4) {
	case 0:
		return "(" + text + " " + d.one([]string{"=", "!=", "<", ">="}) + " " + one() + ")"
	case 1:
		return "(" + text + " " + d.one([]string{"+", "-", "/"}) + " " + one() + ")"
	case 2:
		return "(-" + text + ")"
	}
	return text
}

// ofTerms are expressions on one variable, written %, that an engine may compute without making its term.
var ofTerms = []string{
	`(% = "a")`, `(% != "a")`, `("ab" = %)`, `(% < "b")`, `("ab" <= %)`, `(% > "")`, `(% = %)`, `(% != %)`, `(% < %)`, `(% = "a"@en)`, `(% != "a"@en)`,
	`(% = 1)`, `(% > 0.5)`, `(% * 2 > 3)`, `(% + 1)`, `(STR(%) = "a")`, `(STR(%) < STR(%))`, `STR(%)`, `(LANG(%) = "en")`, `(LANG(%) != "")`, `LANG(%)`,
	`LANGMATCHES(LANG(%), "EN")`, `(DATATYPE(%) = xsd:integer)`, `(DATATYPE(%) != xsd:string)`, `DATATYPE(%)`, `sameTerm(%, %)`,
	`isIRI(%)`, `isURI(%)`, `isBLANK(%)`, `isLITERAL(%)`, `(!isLITERAL(%))`, `CONTAINS(%, "b")`, `CONTAINS(%, "")`, `CONTAINS(STR(%), "a")`, `CONTAINS(STR(%), LANG(%))`,
	`STRSTARTS(%, "a")`, `STRSTARTS(%, "")`, `STRSTARTS(STR(%), "http://example.org/")`, `STRENDS(%, "b")`, `CONTAINS(%, "a"@en)`,
	`REGEX(%, "^a")`, `REGEX(STR(%), "B$", "i")`, `REGEX(%, "^A.*b", "i")`, `REGEX(STR(%), "^ab$|b.?$")`, `REGEX(%, "b|c")`, `STRLEN(%)`, `(STRLEN(STR(%)) > 2)`, `UCASE(%)`, `LCASE(STR(%))`, `CONCAT(STR(%), LANG(%))`,
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

// calls are calls of functions, with % for any expression.
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

// Expression draws an expression, and a query whose one row binds ?x to its value.
func Expression(t *rapid.T) (text, query string) {
	d := &drawer{T: t}
	text = d.expr(3)
	var row []string
	for range variables {
		row = append(row, d.one(append(nodes[:1:1], append([]string{"UNDEF"}, values...)...)))
	}
	return text, prologue + "SELECT (" + text + " AS ?x) WHERE { VALUES (" + strings.Join(variables, " ") +
		") { (" + strings.Join(row, " ") + ") } }"
}

// Aggregate draws an aggregate of values that have an order, and a query whose one row binds ?x to it. UNDEF among
// the values makes its expression an error.
func Aggregate(t *rapid.T) (values []rdf.Term, query string) {
	d := &drawer{T: t}
	of := ordered[d.number(len(ordered)-1)]
	function := d.one([]string{"COUNT(%)", "SUM(%)", "AVG(%)", "MIN(%)", "MAX(%)", "GROUP_CONCAT(%)", `GROUP_CONCAT(%; SEPARATOR=", ")`})
	argument := d.one([]string{"?a", "DISTINCT ?a"})
	var texts []string
	for range d.number(5) {
		text := d.one(of)
		if d.in(12) {
			text = "UNDEF"
			values = append(values, nil)
		} else {
			values = append(values, Term(text))
		}
		texts = append(texts, text)
	}
	return values, prologue + "SELECT (" + strings.Replace(function, "%", argument, 1) + " AS ?x) WHERE { VALUES ?a { " + strings.Join(texts, " ") + " } }"
}

// ordered are values between which section 15.1 defines an order.
var ordered = [][]string{
	{`0`, `1`, `2`, `"01"^^xsd:integer`, `-3`, `"7"^^xsd:byte`, `1.0`, `2.50`, `-0.5`},
	{`1`, `1.5`, `2.5e0`, `"1"^^xsd:float`, `1.0e0`, `"INF"^^xsd:double`},
	{`""`, `"a"`, `"ab"`, `"B"`, `"é😀"`},
	{`true`, `false`, `"1"^^xsd:boolean`},
	{`"2020-01-02T03:04:05Z"^^xsd:dateTime`, `"2020-01-02T04:04:05+01:00"^^xsd:dateTime`, `"2021-06-07T08:09:10.5Z"^^xsd:dateTime`},
	{`"P1M"^^xsd:yearMonthDuration`, `"-P1Y"^^xsd:yearMonthDuration`, `"P2M"^^xsd:yearMonthDuration`},
	{`"P1D"^^xsd:dayTimeDuration`, `"-PT36H"^^xsd:dayTimeDuration`, `"PT0.5S"^^xsd:dayTimeDuration`, `"P2DT1S"^^xsd:duration`, `"-PT1S"^^xsd:duration`},
	{`:a`, `"x"`, `1`},
}

// AnyTerm draws a term, nil for unbound.
func AnyTerm(t *rapid.T) rdf.Term {
	d := &drawer{T: t}
	switch d.number(9) {
	case 0:
		return nil
	case 1:
		return d.node()
	}
	return Term(d.one(values))
}

// Nested returns queries of the values of :v, with each call of a function in a column and in a filter, and each
// around each other one.
func Nested() (cases []Case) {
	var one, all []string
	for _, text := range slices.Concat(calls, ofTerms) {
		if strings.Count(text, "%") == 1 {
			one = append(one, text)
		}
	}
	for _, outer := range one {
		for _, inner := range append([]string{"%"}, one...) {
			all = append(all, strings.ReplaceAll(strings.ReplaceAll(outer, "%", inner), "%", "?x"))
		}
	}
	for some := range slices.Chunk(all, 40) {
		columns, filters := "", ""
		for i, text := range some {
			columns += fmt.Sprintf(" (%s AS ?v%d)", text, i)
			filters += fmt.Sprintf(" UNION { ?s :v ?x FILTER(%s) BIND(%d AS ?n) }", text, i)
		}
		cases = append(cases, Case{Text: prologue + "SELECT ?s" + columns + " { ?s :v ?x }"},
			Case{Text: prologue + "SELECT ?s ?n {" + strings.TrimPrefix(filters, " UNION") + " }"})
	}
	return cases
}
