package sparqltest

import (
	"fmt"
	"slices"
	"strings"

	"trails/fault"
)

// Hostile is a text that needs more resources than it may have.
type Hostile struct {
	Name, Text string
	// Update reports that the text is an update.
	Update bool
	// Kinds are the faults with which it may fail. Answers reports that it may also be answered, because that depends
	// on the speed of the machine.
	Kinds   []fault.Kind
	Answers bool
}

// Ends reports whether err is an allowed result.
func (h Hostile) Ends(err error) bool {
	if err == nil {
		return h.Answers
	}
	return slices.Contains(h.Kinds, fault.Of(err).Kind)
}

// Sets of allowed faults.
var (
	refused = []fault.Kind{fault.TooLarge, fault.InvalidArguments}
	bounded = []fault.Kind{fault.TooLarge, fault.TimedOut}
)

// HostileTexts returns texts that are deep, long, slow or large with any data.
func HostileTexts() []Hostile {
	var list []Hostile
	add := func(answers bool, kinds []fault.Kind, texts [][2]string) {
		for _, t := range texts {
			list = append(list, Hostile{Name: t[0], Text: t[1], Kinds: kinds, Answers: answers})
		}
	}
	add(false, refused, deepTexts())
	add(true, bounded, wideTexts())
	add(true, bounded, slowTexts())
	add(true, bounded, largeValues())
	add(true, bounded, patterns())
	list = append(list, Hostile{Name: "data of ten megabytes", Text: "INSERT DATA { <urn:a> <urn:p> '" + strings.Repeat("x", 10<<20) + "' }", Kinds: refused, Update: true})
	for _, t := range updateTexts() {
		list = append(list, Hostile{Name: t[0], Text: t[1], Kinds: bounded, Answers: true, Update: true})
	}
	return list
}

// nested puts a text inside n pairs of delimiters.
func nested(n int, open, inner, shut string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

// counted makes a text for each number below n.
func counted(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// deepTexts are nested deeper than allowed.
func deepTexts() [][2]string {
	const deep = 10_000
	return [][2]string{
		{"parentheses", "ASK { FILTER(" + nested(deep, "(", "1", ")") + ") }"},
		{"negations", "ASK { FILTER(" + nested(deep, "!(", "1", ")") + ") }"},
		{"OPTIONAL in OPTIONAL", "SELECT * { " + nested(deep, "OPTIONAL { ?s ?p ?o ", "", "}") + " }"},
		{"SELECT in SELECT", "SELECT * { " + nested(deep, "{ SELECT * { ", "?s ?p ?o", "} }") + " }"},
		{"UNION in UNION", "SELECT * { " + nested(deep, "{ { ?s ?p ?o } UNION ", "{}", "}") + " }"},
		{"paths of paths", "SELECT * { ?s " + nested(deep, "(", "<urn:p>", ")*") + " ?o }"},
		{"EXISTS in EXISTS", "ASK { " + nested(deep, "FILTER EXISTS { ?s ?p ?o ", "", "}") + " }"},
		{"blank nodes", "ASK { " + nested(deep, "[ <urn:p> ", "1", "]") + " <urn:p> 1 }"},
		{"collections", "ASK { " + nested(deep, "( ", "1", ")") + " <urn:p> 1 }"},
		{"a text of two megabytes", "ASK { ?s ?p '" + strings.Repeat("x", 2<<20) + "' }"},
		{"a row of elements", "SELECT * {" + strings.Repeat("{}", 100_000) + "}"},
	}
}

// wideTexts have long repetitions, or are nested as deep as allowed.
func wideTexts() [][2]string {
	return [][2]string{
		{"190 parentheses", "ASK { FILTER(" + nested(190, "(", "1", ")") + ") }"},
		{"90 OPTIONALs inside each other", "SELECT * { " + nested(90, "OPTIONAL { ?s ?p ?o ", "", "}") + " }"},
		{"60 levels of SELECT", "SELECT * { " + nested(60, "{ SELECT * { ", "?s ?p ?o", "} }") + " }"},
		{"40 levels of two UNIONs", "SELECT * { " + nested(40, "{ { ?s ?p ?o } UNION { ?s ?q ?o } { ?s ?r ?o } UNION ", "{ ?s ?t ?o }", "}") + " }"},
		{"90 levels of UNION", "SELECT * { " + nested(90, "{ { ?s ?p ?o } UNION ", "{}", "}") + " }"},
		{"150 stars", "SELECT * { ?s " + nested(150, "(", "<urn:p>", ")*") + " ?o }"},
		{"80 levels of EXISTS", "ASK { " + nested(80, "FILTER EXISTS { ?s ?p ?o ", "", "}") + " }"},
		{"40 levels of NOT EXISTS with names of their own", "ASK { " + counted(40, "FILTER NOT EXISTS { ?s%[1]d ?p ?o%[1]d ") + strings.Repeat("}", 40) + " }"},
		{"40 levels of MINUS", "SELECT * { ?s ?p ?o " + nested(40, "MINUS { ?s ?p ?o ", "", "}") + " }"},
		{"5,000 patterns", "SELECT * { " + counted(5000, "?s <urn:p%d> ?o . ") + " }"},
		{"5,000 patterns in a chain", "SELECT * { " + counted(5000, "?s%[1]d ?p ?t%[1]d . ") + " }"},
		{"60 patterns in a chain", "SELECT * { " + counted(60, "?s%[1]d <urn:p> ?t%[1]d . ") + " }"},
		{"1,000 OPTIONALs", "SELECT * { ?s ?p ?o " + counted(1000, "OPTIONAL { ?s <urn:p%[1]d> ?o%[1]d } ") + " }"},
		{"1,000 UNIONs", "SELECT * { {} " + strings.Repeat("UNION { ?s ?p ?o } ", 1000) + " }"},
		{"1,000 filters", "SELECT * { ?s ?p ?o " + counted(1000, "FILTER(?o != %d) ") + " }"},
		{"100,000 rows of VALUES", "SELECT (COUNT(*) AS ?n) { VALUES ?x {" + counted(100_000, "%d ") + "} }"},
		{"1,000 columns of VALUES", "SELECT * { VALUES (" + counted(1000, "?v%d ") + ") { (" + strings.Repeat("1 ", 1000) + ") } }"},
		{"1,000 aggregates", "SELECT " + counted(1000, "(SUM(?o + %[1]d) AS ?a%[1]d) ") + " { ?s ?p ?o }"},
		{"1,000 distinct aggregates", "SELECT " + counted(1000, "(COUNT(DISTINCT ?o + %[1]d) AS ?a%[1]d) ") + " { ?s ?p ?o }"},
		{"1,000 keys of order", "SELECT * { ?s ?p ?o } ORDER BY " + counted(1000, "(?o + %d) ")},
		{"a list of 50,000", "SELECT * { ?s ?p ?o FILTER(?o IN (" + counted(50_000, "%d, ") + "1)) }"},
		{"a list of 10,000 strings", "SELECT * { ?s ?p ?o FILTER(STR(?o) NOT IN (" + counted(10_000, "'%d', ") + "'')) }"},
		{"5,000 alternatives of a path", "SELECT * { ?s (<urn:p>" + counted(5000, "|<urn:p%d>") + ")* ?o }"},
		{"1,000 steps of a path", "SELECT * { ?s <urn:p>" + strings.Repeat("/<urn:p>*", 1000) + " ?o }"},
		{"a negated set of 5,000", "SELECT * { ?s !(<urn:p>" + counted(5000, "|<urn:p%d>") + ") ?o }"},
		{"60 stars of sequences", "SELECT * { ?s " + nested(60, "((", "<urn:p>", ")*/(<urn:q>|^<urn:p>)+)*") + " ?o }"},
		{"10 stars of sequences", "SELECT * { ?s " + nested(10, "((", "<urn:p>", ")*/(<urn:q>|^<urn:p>)+)*") + " ?o }"},
		{"30 joined unions", "SELECT * { " + counted(30, "{ ?s <urn:p%[1]d> ?a%[1]d } UNION { ?s <urn:q%[1]d> ?b%[1]d } ") + " }"},
		{"1,000 graphs", "SELECT * " + counted(1000, "FROM <urn:g%d> ") + " { ?s ?p ?o . ?o ?q ?r }"},
		{"300 bindings", "SELECT * { " + counted(300, "BIND(%[1]d AS ?v%[1]d) ") + " }"},
		{"BIND of COALESCE of IF", "SELECT * { BIND(" + nested(90, "COALESCE(IF(RAND() > 2, 1, ", "1", "), 2)") + " AS ?x) }"},
	}
}

const thousand = "{0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31}"

// product makes n variables with 32 values each, in all combinations.
func product(n int) string { return counted(n, "VALUES ?v%d "+thousand+" ") }

// slowTexts have more solutions than can be computed in time.
func slowTexts() [][2]string {
	return [][2]string{
		{"a product", "SELECT * { " + product(8) + " }"},
		{"a product of 60 tables", "SELECT * { " + product(60) + " }"},
		{"a product of 100 patterns", "SELECT * { " + counted(100, "?s%[1]d ?p%[1]d ?o%[1]d . ") + " }"},
		{"a sorted product", "SELECT * { " + product(8) + " } ORDER BY ?v3 DESC(?v0)"},
		{"a product sorted by chance", "SELECT * { " + product(6) + " } ORDER BY RAND()"},
		{"a product sorted by texts", "SELECT * { " + product(6) + " BIND(CONCAT(STR(?v1), STR(?v2), STR(?v3)) AS ?t) } ORDER BY ?t"},
		{"a distinct product", "SELECT DISTINCT * { " + product(8) + " } OFFSET 100000000"},
		{"a grouped product", "SELECT ?v0 ?v1 ?v2 ?v3 ?v4 (COUNT(*) AS ?n) { " + product(6) + " } GROUP BY ?v0 ?v1 ?v2 ?v3 ?v4"},
		{"a product of new identifiers", "SELECT (UUID() AS ?u) (STRUUID() AS ?t) (RAND() AS ?r) (BNODE() AS ?b) { " + product(8) + " } OFFSET 1000000000"},
		{"a product kept by DISTINCT", "SELECT DISTINCT (UUID() AS ?u) { " + product(8) + " } OFFSET 1000000000"},
		{"a product in one group", "SELECT (GROUP_CONCAT(?v0) AS ?t) { " + product(8) + " }"},
		{"a product in one set", "SELECT (COUNT(DISTINCT ?u) AS ?t) { " + product(8) + " BIND(UUID() AS ?u) }"},
		{"a product without what is not there", "SELECT * { " + product(8) + " FILTER NOT EXISTS { ?s ?p ?v1 FILTER(?v2 > 100) } } OFFSET 1000000000"},
		{"a product of which nothing is left", "SELECT * { " + product(8) + " FILTER(?v0 + ?v1 > 1000) }"},
		{"a far offset", "SELECT * { " + product(8) + " } OFFSET 1000000000000000000"},
		{"an offset beyond numbers", "SELECT * { ?s ?p ?o } OFFSET 99999999999999999999999999"},
		{"no row of much", "SELECT * { " + product(8) + " } LIMIT 0"},
		{"a table of 20,000 joined with itself", "SELECT (COUNT(*) AS ?n) { { SELECT ?x { VALUES ?x {" + counted(20_000, "%d ") + "} } } { SELECT ?y { VALUES ?y {" + counted(20_000, "%d ") + "} } } }"},
		{"a path with both ends open", "SELECT (COUNT(*) AS ?n) { ?a (<urn:p>|!<urn:p>)* ?b . ?c (<urn:p>|!<urn:p>)* ?d . ?e (<urn:p>|!<urn:p>)* ?f }"},
		{"a graph of a product", "CONSTRUCT { ?u <urn:p> ?v1 } { " + product(8) + " BIND(UUID() AS ?u) }"},
		{"blank nodes of a product", "CONSTRUCT { [] <urn:p> ?v1 } { " + product(8) + " }"},
		{"a description of everything", "DESCRIBE * { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"},
	}
}

// doubled binds a text n times, each time twice as long.
func doubled(n int) string {
	return "BIND('0123456789' AS ?t0) " + func() string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "BIND(CONCAT(?t%[1]d, ?t%[1]d) AS ?t%[2]d) ", i, i+1)
		}
		return out.String()
	}()
}

// largeValues make or hold large values.
func largeValues() [][2]string {
	digits := strings.Repeat("7", 100_000)
	long := doubled(20) // ten megabytes
	return [][2]string{
		{"a text doubled 60 times", "SELECT (STRLEN(?t60) AS ?n) { " + doubled(60) + " }"},
		{"a text doubled 60 times in groups", "SELECT (STRLEN(?t60) AS ?n) { " + strings.ReplaceAll(doubled(60), "BIND(CONCAT", "{} BIND(CONCAT") + " }"},
		{"a text doubled in a list", "SELECT (STRLEN(CONCAT(" + strings.Repeat("?t15, ", 5000) + "'')) AS ?n) { " + doubled(15) + " }"},
		{"REGEX on a long text", "SELECT (REGEX(?t20, '(.*)(.*)(.*)(.*)x') AS ?r) { " + long + " }"},
		{"REGEX without case on a long text", "SELECT (REGEX(?t20, '([0-9]+ ?){5,40}[^0-9]', 'i') AS ?r) { " + long + " }"},
		{"REPLACE on a long text", "SELECT (STRLEN(REPLACE(?t20, '([0-9])', '$1$1')) AS ?r) { " + long + " }"},
		{"REPLACE of many parts", "SELECT (STRLEN(REPLACE(?t20, '(0)(1)(2)(3)(4)(5)(6)(7)(8)', '$9$8$7$6$5$4$3$2$1')) AS ?r) { " + long + " }"},
		{"functions of a long text", "SELECT (STRLEN(UCASE(?t20)) AS ?a) (STRLEN(ENCODE_FOR_URI(?t18)) AS ?b) (STRLEN(SUBSTR(?t20, 5000000)) AS ?c) (SHA512(?t20) AS ?d) (CONTAINS(?t20, '98') AS ?e) (STRLEN(STRAFTER(?t20, 'x')) AS ?f) { " + long + " }"},
		{"casts of a long text", "SELECT (<http://www.w3.org/2001/XMLSchema#integer>(?t20) AS ?a) (<http://www.w3.org/2001/XMLSchema#decimal>(?t20) AS ?b) (<http://www.w3.org/2001/XMLSchema#double>(?t20) AS ?c) (<http://www.w3.org/2001/XMLSchema#dateTime>(?t20) AS ?d) { " + long + " }"},
		{"a long text in every row", "SELECT ?t20 { " + product(4) + long + " }"},
		{"a long text in every group", "SELECT (GROUP_CONCAT(?t20) AS ?g) { " + product(4) + long + " }"},
		{"IRIs of a long text", "SELECT (STRLEN(STR(IRI(CONCAT('urn:', ?t20)))) AS ?n) (STRLEN(STR(IRI(?t20))) AS ?m) { " + long + " }"},
		{"datatypes of a long text", "SELECT (DATATYPE(STRDT('1', IRI(CONCAT('urn:', ?t20)))) AS ?d) { " + long + " }"},
		{"a language of a long text", "SELECT (STRLANG('1', ?t20) AS ?d) { " + long + " }"},
		{"a label of a long text", "SELECT (BNODE(?t20) AS ?d) { " + long + " }"},
		{"texts of 100,000 digits", "SELECT (" + digits + " * " + digits + " AS ?a) (" + digits + ".5 / 3.7 AS ?b) (" + digits + " + 1 AS ?c) {}"},
		{"a decimal of 100,000 digits", "SELECT (0." + digits + " * 0." + digits + " / 0.3 AS ?a) (ROUND(" + digits + ".5) AS ?b) (1 / 0." + strings.Repeat("0", 100_000) + "1 AS ?c) {}"},
		{"numbers that double their digits", "SELECT (?n30 AS ?n) { BIND(9999999999 AS ?n0) " + squared(30) + " }"},
		{"a double beyond all", `SELECT ("1e999999999"^^<http://www.w3.org/2001/XMLSchema#double> + 1 AS ?a) (<http://www.w3.org/2001/XMLSchema#integer>(1e308) AS ?b) (<http://www.w3.org/2001/XMLSchema#decimal>("1e999999999"^^<http://www.w3.org/2001/XMLSchema#double>) AS ?c) (<http://www.w3.org/2001/XMLSchema#decimal>(1e-300) AS ?d) {}`},
		{"years beyond all", `SELECT (YEAR("999999999999-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>) AS ?y) ("99999999999999999999-01-01"^^<http://www.w3.org/2001/XMLSchema#date> < NOW() AS ?b) {}`},
		{"a sum of large numbers", "SELECT (SUM(?x) AS ?n) (AVG(?x) AS ?m) { " + product(3) + " BIND(" + digits[:10_000] + " + ?v1 AS ?x) }"},
	}
}

// squared multiplies a number by itself n times.
func squared(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "BIND(?n%[1]d * ?n%[1]d AS ?n%[2]d) ", i, i+1)
	}
	return out.String()
}

// patterns have an invalid regular expression in the text.
func patterns() [][2]string {
	return [][2]string{
		{"REGEX of 10,000 alternatives", "SELECT * { ?s ?p ?o FILTER(REGEX(STR(?o), '" + counted(10_000, "a%db|") + "'))}"},
		{"REGEX that counts to a million", "SELECT * { ?s ?p ?o FILTER(REGEX(STR(?o), '((a{1000}){1000}){1000}')) }"},
		{"REGEX of a deep pattern", "SELECT * { ?s ?p ?o FILTER(REGEX(STR(?o), '" + nested(500, "(", "a", "?)*") + "')) }"},
	}
}

// updateTexts would change more than is allowed.
func updateTexts() [][2]string {
	return [][2]string{
		{"an insertion of a product", "INSERT { ?u <urn:p> ?v1 } WHERE { " + product(8) + " BIND(UUID() AS ?u) }"},
		{"an insertion after which nothing is left", "INSERT { ?u <urn:p> ?v1 } WHERE { " + product(4) + " BIND(UUID() AS ?u) } ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"},
		{"an insertion of long texts", "INSERT { <urn:a> <urn:p> ?l } WHERE { " + product(4) + doubled(19) + " BIND(CONCAT(?t19, STR(?v0), STR(?v1), STR(?v2), STR(?v3)) AS ?l) }"},
		{"data of a megabyte", "INSERT DATA { " + counted(25_000, "<urn:hostile:%[1]d> <urn:p> %[1]d .\n") + " }"},
		{"5,000 operations", strings.Repeat("INSERT DATA { <urn:a> <urn:p> 1 } ; DELETE DATA { <urn:a> <urn:p> 1 } ; ", 2500)},
		{"1,000 operations that look", strings.Repeat("DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o } ; ", 1000)},
	}
}
