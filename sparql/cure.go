package sparql

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// cure says what to write instead of what people and models often write for SPARQL. It fits
// where what stands before the place of a failure, and behind it, matches.
type cure struct {
	before, behind string // regular expressions, "" for anything
	// say has the groups of before and then of behind as $1, $2 and so on.
	say string
}

// nameAhead and nameBehind are what stands on both sides of the slash of a node's name.
const (
	nameAhead  = `([A-Za-z][\w-]*)?:([\w-]+)`
	nameBehind = `([\w.%-]*\w)`
)

// cures are tried in order.
var cures = []cure{
	// Nodes as answers show them.
	{nameAhead + `$`, `^/` + nameBehind, `a node is written $1:$2\/$3, or as its whole IRI in < >, or is a parameter: {"iri":"$2/$3"}`},
	{nameAhead + `/$`, `^` + nameBehind, `a node is written $1:$2\/$3, or as its whole IRI in < >, or is a parameter: {"iri":"$2/$3"}`},
	{`[\s(,]([A-Z]\w*)$`, `^/` + nameBehind, `a node is written :$1\/$2, or as its whole IRI in < >, or is a parameter: {"iri":"$1/$2"}`},
	{`[\s(,{]$`, `^([A-Z]\w*)/` + nameBehind, `a node is written :$1\/$2, or as its whole IRI in < >, or is a parameter: {"iri":"$1/$2"}`},

	// Other languages.
	{`(?i)^\s*SELECT\s[^{?]*$`, `(?i)^FROM\s+(\w+)`, `this is SQL; in SPARQL it is SELECT ?x { ?x a :$1 } LIMIT 10`},
	{`(?is)^\s*SELECT\s[^{?]*\bFROM\s$`, `^([A-Za-z_]\w*)`, `this is SQL; in SPARQL it is SELECT ?x { ?x a :$1 } LIMIT 10`},
	{`(?i)^\s*SELECT\s+(?:DISTINCT\s+)?$`, `^[A-Za-z_]\w*(?:\.\w+)?\s*(?:,|(?i:FROM)\b)`, `this is SQL; in SPARQL it is SELECT ?x ?name { ?x a :Type ; :name ?name } LIMIT 10`},
	{`^\s*$`, `(?i)^(?:SHOW|EXPLAIN|USE|ALTER|UPDATE)\b`, `this is SQL; a query begins with SELECT ?x { ?x a :Type }, and statements are changed by INSERT { … } and DELETE { … } of an update`},
	{`(?i)^\s*INSERT\s+$`, `(?i)^INTO\s+\w+\s*(?:\(|VALUES)`, `this is SQL; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }`},
	{`(?i)^\s*DELETE\s+$`, `(?i)^FROM\s`, `this is SQL; in SPARQL it is DELETE WHERE { <IRI> ?p ?o }`},
	{`^\s*$`, `(?i)^(?:OPTIONAL\s+)?MATCH\b|^(?i:MERGE|UNWIND|RETURN)\b`, `this is Cypher; in SPARQL MATCH (n:Type)-[:rel]->(m) RETURN n is SELECT ?n { ?n a :Type ; :rel ?m }`},
	{`(?i)^\s*CREATE\s+$`, `^\(`, `this is Cypher; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }, an update`},
	{`^\s*$`, `^(?:query\b|\{)`, `a query begins with its form: SELECT ?x { ?x a :Type ; :name ?name }`},

	// Updates among queries, and queries among updates.
	{`(?is)^(?:\s*(?:PREFIX\s+\S*\s*<[^>]*>|BASE\s*<[^>]*>))*\s*$`, `(?i)^(?:INSERT|DELETE|WITH|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY)\b`, `this is an update, which is run by mutate, not by query`},
	{`(?is)^(?:\s*(?:PREFIX\s+\S*\s*<[^>]*>|BASE\s*<[^>]*>))*\s*$`, `(?i)^(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b`, `this is a query, which is run by query, not as an update`},

	// Aggregates and expressions of SELECT.
	{`(?i)\bSELECT\s[^{(]*(?:\([^{]*\)\s*)?$`, `(?i)^((?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\((?:[^()]|\([^()]*\))*\))`, `an expression of SELECT needs brackets and a name: ($1 AS ?n)`},
	{`(?i)\bSELECT\s[^{]*\((COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\(((?:[^()]|\([^()]*\))*)\)\s*$`, `^\)`, `an expression of SELECT needs a name: ($1($2) AS ?n)`},
	{`(?i)\bSELECT\s+DISTINCT\s*\(\s*(\?\w+)\s*$`, `^\)`, `DISTINCT takes no brackets: SELECT DISTINCT $1`},
	{`(?i)(COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*$`, `(?i)^(?:DISTINCT\s+)?(\?\w+)`, `an aggregate takes its argument in brackets: ($1($2) AS ?n)`},
	{`(?i)\bSELECT\s[^{]*\?\w+\s*$`, `^,`, `variables of SELECT have no comma between them`},
	{`(?i)\bGROUP\s+BY\s[^{]*\?\w+\s*$`, `^,`, `keys of GROUP BY have no comma between them`},
	{`(?i)\bORDER\s+BY\s[^{]*\?\w+\s*$`, `^,`, `keys of ORDER BY have no comma between them`},
	{`(?i)\bORDER\s+BY\s[^{]*(\?\w+)\s+(DESC|ASC)\s*$`, `^(?:[^(?\s]|$)`, `the direction stands before its key: $2($1)`},
	{`(?i)\b(?:ASC|DESC)\s+$`, `^(\?\w+)`, `the key of a direction stands in brackets: DESC($1)`},
	{`(?i)\bHAVING\s+$`, `^(\S+\s*[<>=!]+\s*\S+)`, `a condition of HAVING stands in brackets: HAVING ($1)`},
	{`(?i)\bFILTER\s+$`, `^(\?\w+\s*(?:[<>=!]+\s*\S+)?)`, `a condition stands in brackets: FILTER($1)`},
	{`(?i)\bBIND\s+$`, `(?i)^(\?\w+)\s+AS\s+(\?\w+)`, `BIND stands in brackets: BIND($1 AS $2)`},
	{`(?i)\b(EXISTS)\s*$`, `^[(?]`, `EXISTS takes a pattern in braces: EXISTS { ?x :property ?y }`},
	{`(?i)\bLIMIT\s+\d+\s*$`, `(?i)^(?:ORDER|GROUP|HAVING)\b`, `LIMIT comes last: GROUP BY … HAVING … ORDER BY … LIMIT`},
	{`(?s)\{[^}]*$`, `(?i)^(?:LIMIT|OFFSET|ORDER|GROUP|HAVING)\b`, `LIMIT, OFFSET, ORDER BY, GROUP BY and HAVING stand behind the last }`},
	{`(?i)\bLIMIT\s+\d+\s*$`, `^,\s*(\d+)`, `LIMIT takes one number; what is left out before it is OFFSET`},
	{`(?i)\bWHERE\s+$`, `^(\?\w+|:\w+|\w+)`, `the pattern stands in braces: WHERE { ?x a :Type }`},

	// Operators.
	{`=\s*$`, `^=`, `equality is one =`},
	{`<\s*$`, `^>`, `inequality is !=`},
	{``, `^<>`, `inequality is !=`},
	{``, `(?i)^AND\b`, `and is &&; between patterns it is a full stop`},
	{``, `(?i)^OR\b`, `or is ||; between patterns it is { … } UNION { … }`},
	{`[(&|!]\s*$`, `(?i)^NOT\s*[(?]`, `not is !; of a pattern it is NOT EXISTS { … }`},
	{`(\?\w+|\w+\(\?\w+\))\s+$`, `(?i)^I?LIKE\s+['"]%?([^'"%]*)%?['"]`, `there is no LIKE: CONTAINS(LCASE($1), LCASE("$2"))`},
	{`(\?\w+)\s+$`, `(?i)^IS\s+NOT\s+NULL`, `a variable that has a value is BOUND($1)`},
	{`(\?\w+)\s+$`, `(?i)^IS\s+NULL`, `a variable without a value is !BOUND($1)`},
	{`(\?\w+)\s+$`, `(?i)^BETWEEN\s+(\S+)\s+AND\s+([^\s)}]+)`, `there is no BETWEEN: $1 >= $2 && $1 <= $3`},
	{`(?i)\bNOT\s+$`, `^[(?]`, `not is !; of a pattern it is NOT EXISTS { … }`},
	{``, `(?i)^NULL\b`, `there is no NULL: BOUND(?x) says whether a variable has a value`},
	{`(?i)(REGEX|REPLACE)\s*\([^()]*,\s*$`, `^([a-z]+)\s*\)`, `flags are a text: "$2"`},

	// Patterns.
	{`(\?\w+|:[\w\\/-]+)\s*$`, `^=\s*([^\s.;})]+)`, `a pattern has no =: write ?x :property $2, or FILTER($1 = $2)`},
	{`[.{;]\s*(?:\?\w+\s+)?(?:a|:\w+)\s+\S+\s+$`, `^(:\w+|a)\s+[\w?:"<]`, `a ';' is missing before it, or a '.' where another subject begins`},
	{`\{[^{}]*[^.{}(,;\s]\s*$`, `^(?:\?\w+|<[^>]*>|[\w-]*:[\w\\/-]+)\s+(?:a|\?\w+|\^?[\w-]*:[\w-]+|<)`, `a '.' is missing before it`},

	// Signs.
	{``, `^[“”„‘’«»]`, `texts stand in " or '`},
	{"", "^`", `texts stand in " or ', names need no quotes`},
	{``, `^--|^//|^/\*`, `a comment begins with #`},
	{`/$`, `^[/*]`, `a comment begins with #`},
	{`-$`, `^-`, `a comment begins with #`},
	{``, `^(?:%|\$\{|\{\{)`, `a value that is filled in is a variable with a parameter: ?name and params {"name": …}`},
	{`\.\s*$`, `^\.`, `one full stop is enough`},
	{`[;,]\s*$`, `^,`, `behind a ',' stands another object`},
}

// curesCompiled are the expressions of cures.
var curesCompiled = sync.OnceValue(func() (all [][2]*regexp.Regexp) {
	for _, c := range cures {
		all = append(all, [2]*regexp.Regexp{regexp.MustCompile(c.before), regexp.MustCompile(c.behind)})
	}
	return all
})

// curesLook is how much of the text on each side of a failure is looked at.
const curesLook = 400

// cureOf returns what to write instead of what stands at a byte of a text, "" when nothing is
// known of it.
func cureOf(text string, at int) string {
	before, behind := text[max(0, at-curesLook):at], text[at:min(len(text), at+curesLook)]
	for i, both := range curesCompiled() {
		left, right := both[0].FindStringSubmatch(before), both[1].FindStringSubmatch(behind)
		if left == nil || right == nil {
			continue
		}
		say := cures[i].say
		for n, group := range slices.Concat(left[1:], right[1:]) {
			say = strings.ReplaceAll(say, fmt.Sprintf("$%d", n+1), group)
		}
		return "; " + say
	}
	return ""
}

// namespaces are those of prefixes that are often used and not declared.
var namespaces = map[string]string{
	"foaf": "http://xmlns.com/foaf/0.1/", "dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/", "dct": "http://purl.org/dc/terms/",
	"schema": "https://schema.org/", "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#", "vcard": "http://www.w3.org/2006/vcard/ns#", "dcat": "http://www.w3.org/ns/dcat#",
	"org": "http://www.w3.org/ns/org#", "time": "http://www.w3.org/2006/time#", "void": "http://rdfs.org/ns/void#", "wd": "http://www.wikidata.org/entity/",
	"wdt": "http://www.wikidata.org/prop/direct/", "dbo": "http://dbpedia.org/ontology/", "dbr": "http://dbpedia.org/resource/", "fn": "http://www.w3.org/2005/xpath-functions#",
	"rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#", "xsd": "http://www.w3.org/2001/XMLSchema#",
	"owl": "http://www.w3.org/2002/07/owl#", "skos": "http://www.w3.org/2004/02/skos/core#", "sh": "http://www.w3.org/ns/shacl#", "prov": "http://www.w3.org/ns/prov#",
}

// undeclared says how a prefix is declared, and which are known.
func (p *parser) undeclared(prefix string) string {
	namespace := namespaces[prefix]
	if namespace == "" {
		namespace = "…"
	}
	way := fmt.Sprintf("; declare it before the query: PREFIX %s: <%s>", prefix, namespace)
	if len(p.prefixes) == 0 {
		return way
	}
	const most = 12
	known := slices.Sorted(maps.Keys(p.prefixes))
	list := strings.Join(known[:min(len(known), most)], ":, ") + ":"
	if more := len(known) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("; known are %s%s", list, way)
}

// relative says how a node is written whose name stands in brackets.
func (p *parser) relative(ref string) string {
	namespace, known := p.prefixes[""]
	name, local, isNode := strings.Cut(ref, "/")
	switch {
	case !known || ref == "":
		return "; write the whole IRI, or declare one: BASE <…>"
	case isNode && isPlainLocal(name):
		return fmt.Sprintf(`; write <%s%s>, or the parameter {"iri":"%s/%s"}`, namespace, ref, name, local)
	}
	return fmt.Sprintf("; write <%s%s>", namespace, ref)
}
