package querykit

import (
	"maps"
	"slices"
	"strings"
)

// Features asks the data of [Library] one query for each feature of SPARQL: each function on the rows of a whole
// property, and each operator, form of join and aggregate.
var Features = newSet(Set{Name: "features", Smallest: Library.Smallest, Triples: libraryTriples},
	words("rdf rdfs xsd ex work person place org topic review"),
	aboutPattern("date", `?w ex:published ?d`, map[string]string{
		"year": `SELECT (SUM(YEAR(?d)) AS ?n) { ? }`, "month": `SELECT (SUM(MONTH(?d)) AS ?n) { ? }`,
		"day": `SELECT (SUM(DAY(?d)) AS ?n) { ? }`, "year-group": `SELECT ?y (COUNT(*) AS ?n) { ? } GROUP BY (YEAR(?d) AS ?y)`,
		"month-bound": `SELECT (COUNT(?w) AS ?n) { ? FILTER(MONTH(?d) = 5) }`, "decade": `SELECT ?y (COUNT(*) AS ?n) { ? BIND(FLOOR(YEAR(?d) / 10) AS ?y) } GROUP BY ?y`,
		"least": `SELECT (MIN(?d) AS ?a) (MAX(?d) AS ?b) { ? }`, "parts": `SELECT (COUNT(DISTINCT ?y) AS ?n) { ? BIND(MONTH(?d) * 100 + DAY(?d) AS ?y) }`,
		"range": `SELECT (COUNT(*) AS ?n) { ? FILTER(?d >= "1980-01-01"^^xsd:date && ?d < "1990-01-01"^^xsd:date) }`,
		"text":  `SELECT (COUNT(DISTINCT ?y) AS ?n) { ? BIND(SUBSTR(STR(?d), 1, 7) AS ?y) }`,
	}),
	aboutPattern("moment", `?r ex:at ?t`, map[string]string{
		"hours": `SELECT (SUM(HOURS(?t)) AS ?n) { ? }`, "minutes": `SELECT (SUM(MINUTES(?t)) AS ?n) { ? }`,
		"seconds": `SELECT (SUM(SECONDS(?t)) AS ?n) { ? }`, "year": `SELECT ?y (COUNT(*) AS ?n) { ? } GROUP BY (YEAR(?t) AS ?y)`,
		"zone": `SELECT ?z (COUNT(*) AS ?n) { ? } GROUP BY (TZ(?t) AS ?z)`, "timezone": `SELECT ?z (COUNT(*) AS ?n) { ? } GROUP BY (TIMEZONE(?t) AS ?z)`,
		"hours-bound": `SELECT (COUNT(*) AS ?n) { ? FILTER(HOURS(?t) < 6) }`,
	}),
	aboutPattern("number", `?w ex:pages ?p`, map[string]string{
		"sum": `SELECT (SUM(?p) AS ?n) { ? }`, "avg": `SELECT (ROUND(AVG(?p)) AS ?n) { ? }`, "abs": `SELECT (SUM(ABS(?p - 200)) AS ?n) { ? }`,
		"ceil": `SELECT (SUM(CEIL(?p / 7)) AS ?n) { ? }`, "floor": `SELECT (SUM(FLOOR(?p / 7)) AS ?n) { ? }`, "round": `SELECT (SUM(ROUND(?p / 7)) AS ?n) { ? }`,
		"plus": `SELECT (SUM(?p + 1) AS ?n) { ? }`, "minus": `SELECT (SUM(?p - 1) AS ?n) { ? }`, "times": `SELECT (SUM(?p * 3) AS ?n) { ? }`,
		"divide": `SELECT (COUNT(DISTINCT ?p / 2) AS ?n) { ? }`, "if": `SELECT (SUM(IF(?p > 100, 1, 0)) AS ?n) { ? }`,
		"bucket": `SELECT ?b (COUNT(*) AS ?n) { ? BIND(FLOOR(?p / 100) AS ?b) } GROUP BY ?b`, "in": `SELECT (COUNT(*) AS ?n) { ? FILTER(?p IN (100, 101, 102)) }`,
		"not-in": `SELECT (COUNT(*) AS ?n) { ? FILTER(?p NOT IN (100, 101)) }`, "or": `SELECT (COUNT(*) AS ?n) { ? FILTER(?p < 50 || ?p > 900) }`,
		"not": `SELECT (COUNT(*) AS ?n) { ? FILTER(!(?p < 50)) }`, "sample": `SELECT (COUNT(?s) AS ?n) { { SELECT ?b (SAMPLE(?w) AS ?s) { ? } GROUP BY (FLOOR(?p / 50) AS ?b) } }`,
		"double": `SELECT (SUM(xsd:integer(xsd:double(?p))) AS ?n) { ? FILTER(?p < 64) }`, "string": `SELECT (COUNT(DISTINCT STR(?p)) AS ?n) { ? }`,
		"numeric": `SELECT (COUNT(*) AS ?n) { ? FILTER(ISNUMERIC(?p)) }`, "datatype": `SELECT ?t (COUNT(*) AS ?n) { ? } GROUP BY (DATATYPE(?p) AS ?t)`,
		"coalesce": `SELECT (SUM(COALESCE(?p, 0)) AS ?n) { ? }`, "having": `SELECT ?p (COUNT(*) AS ?n) { ? } GROUP BY ?p HAVING (COUNT(*) > 2)`,
		"distinct": `SELECT (COUNT(DISTINCT ?p) AS ?n) { ? }`, "two": `SELECT (SUM(?p * ?x) AS ?n) { ? ; ex:price ?x }`,
	}),
	aboutPattern("text", `?w rdfs:label ?l`, map[string]string{
		"strlen": `SELECT (SUM(STRLEN(?l)) AS ?n) { ? }`, "starts": `SELECT (COUNT(*) AS ?n) { ? FILTER(STRSTARTS(?l, "The")) }`,
		"ends": `SELECT (COUNT(*) AS ?n) { ? FILTER(STRENDS(?l, "s")) }`, "contains": `SELECT (COUNT(*) AS ?n) { ? FILTER(CONTAINS(?l, "history")) }`,
		"before": `SELECT (COUNT(DISTINCT STRBEFORE(?l, " ")) AS ?n) { ? }`, "after": `SELECT (COUNT(DISTINCT STRAFTER(?l, " ")) AS ?n) { ? }`,
		"ucase": `SELECT (COUNT(DISTINCT UCASE(?l)) AS ?n) { ? }`, "lcase": `SELECT (COUNT(DISTINCT LCASE(STR(?l))) AS ?n) { ? }`,
		"substr": `SELECT ?a (COUNT(*) AS ?n) { ? } GROUP BY (SUBSTR(STR(?l), 1, 1) AS ?a)`, "lang": `SELECT ?g (COUNT(*) AS ?n) { ? } GROUP BY (LANG(?l) AS ?g)`,
		"langmatches": `SELECT (COUNT(*) AS ?n) { ? FILTER(LANGMATCHES(LANG(?l), "de")) }`, "replace": `SELECT (COUNT(DISTINCT REPLACE(STR(?l), "[aeiou]", "")) AS ?n) { ? }`,
		"regex": `SELECT (COUNT(*) AS ?n) { ? FILTER(REGEX(?l, "^A.*y$")) }`, "concat": `SELECT (COUNT(DISTINCT CONCAT(STR(?l), "!")) AS ?n) { ? }`,
		"strlen-bound": `SELECT (COUNT(*) AS ?n) { ? FILTER(STRLEN(?l) > 40) }`, "encode": `SELECT (COUNT(DISTINCT ENCODE_FOR_URI(STR(?l))) AS ?n) { ? }`,
		"md5": `SELECT (COUNT(DISTINCT MD5(STR(?l))) AS ?n) { ? }`, "sha256": `SELECT (COUNT(DISTINCT SHA256(STR(?l))) AS ?n) { ? }`,
		"least": `SELECT (MIN(STR(?l)) AS ?a) (MAX(STR(?l)) AS ?b) { ? }`, "strlang": `SELECT (COUNT(DISTINCT STRLANG(STR(?l), "en")) AS ?n) { ? }`,
		"strdt": `SELECT (COUNT(DISTINCT STRDT(STR(?l), ex:text)) AS ?n) { ? }`, "sameterm": `SELECT (COUNT(*) AS ?n) { ? . ?v rdfs:label ?m FILTER(SAMETERM(?l, ?m)) }`,
		"first-letter": `SELECT (SUM(STRLEN(STRBEFORE(?l, " "))) AS ?n) { ? }`, "initial": `SELECT ?a (SUM(STRLEN(?l)) AS ?n) { ? BIND(UCASE(SUBSTR(STR(?l), 1, 1)) AS ?a) } GROUP BY ?a`,
	}),
	aboutPattern("term", `?s ?p ?o`, map[string]string{
		"iri": `SELECT (COUNT(*) AS ?n) { ? FILTER(ISIRI(?o)) }`, "literal": `SELECT (COUNT(*) AS ?n) { ? FILTER(ISLITERAL(?o)) }`,
		"blank": `SELECT (COUNT(*) AS ?n) { ? FILTER(ISBLANK(?o)) }`, "datatype": `SELECT ?t (COUNT(*) AS ?n) { ? FILTER(ISLITERAL(?o)) } GROUP BY (DATATYPE(?o) AS ?t)`,
		"count": `SELECT (COUNT(*) AS ?n) { ? }`, "predicates": `SELECT DISTINCT ?p { ? }`, "by-predicate": `SELECT ?p (COUNT(*) AS ?n) { ? } GROUP BY ?p`,
	}),
	aboutPattern("join", `?w ex:creator ?c ; ex:pages ?p`, map[string]string{
		"join": `SELECT (COUNT(*) AS ?n) { ? . ?c ex:bornIn ?b }`, "optional": `SELECT (COUNT(?x) AS ?n) { ? OPTIONAL { ?w ex:isbn ?x } }`,
		"optional-two": `SELECT (COUNT(?x) AS ?n) (COUNT(?e) AS ?m) { ? OPTIONAL { ?w ex:isbn ?x } OPTIONAL { ?c ex:email ?e } }`,
		"union":        `SELECT (COUNT(*) AS ?n) { { ? } UNION { ?w ex:topic ?c ; ex:pages ?p } }`, "minus": `SELECT (COUNT(*) AS ?n) { ? MINUS { ?w ex:isbn ?x } }`,
		"union-by":       `SELECT ?c (SUM(?p) AS ?n) { { ? } UNION { ?w ex:topic ?c ; ex:pages ?p } } GROUP BY ?c`,
		"union-distinct": `SELECT DISTINCT ?c { { ? FILTER(?p > 500) } UNION { ?w ex:topic ?c ; ex:pages ?p } }`,
		"exists":         `SELECT (COUNT(*) AS ?n) { ? FILTER EXISTS { ?c ex:email ?e } }`, "not-exists": `SELECT (COUNT(*) AS ?n) { ? FILTER NOT EXISTS { ?c ex:email ?e } }`,
		"values": `SELECT ?w ?p { ? VALUES ?c { person:1 person:2 person:3 } }`, "bind": `SELECT (SUM(?q) AS ?n) { ? BIND(?p * 2 AS ?q) }`,
		"subquery":   `SELECT (COUNT(*) AS ?n) { { SELECT ?c (SUM(?p) AS ?all) { ? } GROUP BY ?c } FILTER(?all > 1000) }`,
		"differ":     `SELECT (COUNT(*) AS ?n) { ? . ?w ex:creator ?d FILTER(?c != ?d) }`,
		"compare":    `SELECT (COUNT(*) AS ?n) { ? ; ex:cites ?v . ?v ex:pages ?q FILTER(?p < ?q) }`,
		"years":      `SELECT (COUNT(*) AS ?n) { ? ; ex:published ?d . ?c ex:born ?b FILTER(YEAR(?d) - YEAR(?b) < 30) }`,
		"group-both": `SELECT ?y (SUM(?p) AS ?n) { ? ; ex:published ?d } GROUP BY (YEAR(?d) AS ?y)`,
		"concat":     `SELECT ?c (GROUP_CONCAT(STR(?p); SEPARATOR=",") AS ?all) { ? . ?c ex:worksFor org:0 } GROUP BY ?c HAVING(COUNT(*) = 1)`,
		"order":      `SELECT ?w (?p * 2 AS ?q) { ? } ORDER BY DESC(?p * 2) ?w LIMIT 10`, "distinct": `SELECT DISTINCT ?c { ? FILTER(?p > 500) }`,
		"construct": `CONSTRUCT { ?c ex:wrote ?w } { ? FILTER(?p > 900) }`, "ask": `ASK { ? FILTER(?p > 100000000) }`,
		"inverse": `SELECT (COUNT(*) AS ?n) { ?c ^ex:creator/ex:pages ?p }`, "path": `SELECT (COUNT(*) AS ?n) { ?w ex:creator/ex:bornIn/ex:country ?x }`,
		"alternative": `SELECT (COUNT(*) AS ?n) { ?w (ex:creator|ex:topic) ?x }`, "negated": `SELECT (COUNT(*) AS ?n) { work:1 !(ex:creator|ex:topic) ?x }`,
		"closure": `SELECT (COUNT(*) AS ?n) { work:1 ex:cites+ ?x }`, "closure-all": `SELECT (COUNT(*) AS ?n) { ?x ex:broader+ ?y }`,
	}),
)

// aboutPattern makes shapes of queries in which a question mark behind a brace stands for a pattern.
func aboutPattern(kind, pattern string, queries map[string]string) (list []Shape) {
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		list = append(list, Shape{Name: kind + "-" + name, Query: strings.ReplaceAll(queries[name], "{ ? ", "{ "+pattern+" "), Ordered: strings.Contains(queries[name], "ORDER BY")})
	}
	return list
}
