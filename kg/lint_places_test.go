package kg_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
	"trails/sparql/lint"
)

// valueGraph has a node with a value of each kind.
func valueGraph(t *testing.T) *kg.Graph {
	g := newGraph(t, lintedSchema)
	text := lintedPrologue + `INSERT DATA {
		<` + base + `Malware/one> a :Malware ; :name "Cobalt Strike" ; :kind "free" ; :year 1 ; :score 5.0e0 ; :uses <` + base + `Technique/t1> .
		<` + base + `Worm/two> a :Worm ; :name "Ça va" ; :kind "paid" ; :seen "2020-01-31"^^xsd:date .
		<` + base + `Tool/three> a :Tool ; :name "APT28" ; :active false ; :year "2020"^^xsd:gYear .
		<` + base + `Technique/t1> a :Technique ; :name "OS Credential Dumping" ; :words "Cat"@en, "Katze"@de ; :used_by <` + base + `Group/g1> .
		<` + base + `Group/g1> a :Group ; foaf:name "Bears" ; :wields <` + base + `Malware/one> }`
	u, err := sparql.ParseUpdate(text, sparql.Options{})
	if err == nil {
		_, err = g.Session(ana).Update(t.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// valuePlaces are queries in which a value, %[2]s, is held against those of a property, %[1]s.
// Each has a solution when, and only when, the comparison at its beginning holds for one.
var valuePlaces = []string{
	"=|SELECT ?x { ?x %[1]s ?v FILTER(?v = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(%[2]s = ?v) }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(?v IN (%[2]s)) }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(?x != <urn:n> && ?v = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(IF(BOUND(?v), ?v, ?v) = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(COALESCE(?v) = %[2]s) }",
	"=|SELECT ?x { { SELECT ?x ?v { ?x %[1]s ?v } } FILTER(?v = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?w BIND(?w AS ?v) FILTER(?v = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?v BIND(%[2]s AS ?w) FILTER(?v = ?w) }",
	"=|SELECT ?x { ?x %[1]s ?v VALUES ?w { %[2]s } FILTER(?v = ?w) }",
	"=|SELECT ?x { ?x %[1]s ?v } GROUP BY ?x HAVING (SAMPLE(?v) = %[2]s)",
	"=|SELECT ?x (MAX(?v) AS ?m) { ?x %[1]s ?v } GROUP BY ?x HAVING (?m = %[2]s)",
	"=|SELECT ?x { { SELECT ?x (MIN(?v) AS ?m) { ?x %[1]s ?v } GROUP BY ?x } FILTER(?m = %[2]s) }",
	"=|SELECT ?x { ?x %[1]s ?y FILTER EXISTS { ?x %[1]s ?v FILTER(?v = %[2]s) } }",
	"=|SELECT ?x { ?x %[1]s ?v FILTER(?v < 0 || ?v = %[2]s || ?v IN ()) }",
	"<|SELECT ?x { ?x %[1]s ?v FILTER(?v < %[2]s) }",
	"<|SELECT ?x { ?x %[1]s ?w BIND(?w AS ?v) FILTER(?v < %[2]s) }",
	">|SELECT ?x { ?x %[1]s ?v FILTER(?v > %[2]s) }",
	">=|SELECT ?x { { SELECT ?x (MAX(?v) AS ?m) { ?x %[1]s ?v } GROUP BY ?x } BIND(?m AS ?n) FILTER(?n >= %[2]s) }",
}

// valuesOfKinds are the properties with many values that each may have, whether the graph has
// them or not.
var valuesOfKinds = map[string][]string{
	":name":   {`""`, `"a"`, `"zzz"`, `"1"`},
	":score":  {"-1e9", "0e0", "5.0e0", "1e9"},
	":seen":   {`"1900-01-01"^^xsd:date`, `"2020-01-31"^^xsd:date`, `"2999-01-01Z"^^xsd:date`},
	":active": {"true", "false"},
	":uses":   {"<" + base + "Technique/t1>"},
}

// heldValues are held against them: texts, numbers, days, truths and nodes, well-formed or not.
var heldValues = []string{
	`"a"`, `"a"@en`, "1", "5", "0.5", "7e0", "true", `"2020-01-31"`, `"2020-01-31"^^xsd:date`, `"2020-01-31T00:00:00Z"^^xsd:dateTime`,
	`"2020-01-31"^^xsd:dateTime`, `"31/01/2020"^^xsd:date`, `"abc"^^xsd:integer`, `"1,5"^^xsd:double`, `"yes"^^xsd:boolean`, `"P1D"^^xsd:duration`,
	`"NaN"^^xsd:double`, "<" + base + "Technique/t1>", "<" + base + "Group/g1>", `"Technique/t1"`, `"2020"^^xsd:gYear`, `"12:00:00"^^xsd:time`,
}

// termOf reads a term as a text has it.
func termOf(t *testing.T, text string) rdf.Term {
	q, err := sparql.Parse(lintedPrologue+"SELECT * { VALUES ?x { "+text+" } }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, ok := q.Op.(sparql.Project).Op.(sparql.Table)
	if !ok {
		t.Fatalf("%T is no table", q.Op)
	}
	return table.Rows[0][0]
}

// TestAValueThatCanNeverMatchIsNamedWhereverItStands holds values of all kinds against
// properties of all kinds: when no value that a property may have compares, the query says so
// and where, and never of one that has solutions.
func TestAValueThatCanNeverMatchIsNamedWhereverItStands(t *testing.T) {
	testrun.Alone(t)
	g := valueGraph(t)
	never := 0
	view(t, g, func(s *kg.Snapshot) error {
		for property, kinds := range valuesOfKinds {
			for _, value := range heldValues {
				for _, place := range valuePlaces {
					sign, form, _ := strings.Cut(place, "|")
					text := lintedPrologue + fmt.Sprintf(form, property, value)
					warnings, rows := warningsOf(t, s, text)
					possible := slices.ContainsFunc(kinds, func(kind string) bool {
						args := []sparql.Expr{sparql.TermExpr{Term: termOf(t, kind)}, sparql.TermExpr{Term: termOf(t, value)}}
						truth, err := expr.Compile(sparql.Call{Func: sparql.Func(sign), Args: args}).Eval(nil)
						_, unordered := expr.Compile(sparql.Call{Func: sparql.Less, Args: args}).Eval(nil)
						same := rdf.DatatypeOf(termOf(t, kind)) == rdf.DatatypeOf(termOf(t, value)) && rdf.IsLiteral(termOf(t, value)) && value != `"NaN"^^xsd:double`
						return err == nil && (rdf.Lexical(truth) == "true" || sign == "=" && same || value != `"NaN"^^xsd:double` && unordered == nil)
					})
					misfit := slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Misfit && w.Line > 0 })
					switch {
					case !possible && !misfit:
						t.Errorf("nothing is said of %s %s in\n%s\n%v", property, value, text, warnings)
					case rows > 0 && slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Empties }):
						t.Errorf("%d solutions, and %v in\n%s", rows, warnings, text)
					case !possible && rows > 0:
						t.Fatalf("the test is wrong about %s", text)
					case !possible:
						never++
					}
				}
			}
		}
		return nil
	})
	if never < 500 {
		t.Errorf("only %d values could never match", never)
	}
}

func warningsOf(t testing.TB, s *kg.Snapshot, text string) ([]lint.Warning, int) {
	t.Helper()
	q, warnings := linted(t, s, text)
	a, err := s.Query(t.Context(), q, kg.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range a.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	return warnings, rows
}

// linted reads a query and returns what is said of it before it is asked.
func linted(t testing.TB, s *kg.Snapshot, text string) (*sparql.Query, []lint.Warning) {
	t.Helper()
	q, err := s.ParseQuery(text, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	warnings, err := s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return q, warnings
}

// hinted are queries without a solution, with a hint that gives them some when it is followed.
var hinted = []string{
	`SELECT ?x { ?x :name "apt28" }`,
	`SELECT ?x { ?x :name " APT28 " }`,
	`SELECT ?x { ?x :name "ca va" }`,
	`SELECT ?x { ?x :name "Cobalt  strike" }`,
	`SELECT ?x { ?x :name "Cobalt Strkie" }`,
	`SELECT ?x { ?x :name ?n FILTER(?n = "apt28") }`,
	`SELECT ?x { ?x :name ?n FILTER(?n IN ("none", "apt28")) }`,
	`SELECT ?x { ?x :name ?n FILTER(STR(?n) = "apt28") }`,
	`SELECT ?x { ?x :name ?n BIND(?n AS ?m) FILTER(?m = "apt28") }`,
	`SELECT ?x { VALUES ?n { "apt28" } ?x :name ?n }`,
	`SELECT ?x { ?x foaf:name "bears" }`,
	`SELECT ?x { ?x :name "APT28"@en }`,
	`SELECT ?x { ?x :name ?n FILTER(?n = "APT28"@en) }`,
	`SELECT ?x { ?x :name ?n FILTER(LCASE(?n) = "APT28") }`,
	`SELECT ?x { ?x :name ?n FILTER(UCASE(?n) = "apt28") }`,
	`SELECT ?x { ?x :name ?n FILTER(STRSTARTS(LCASE(?n), "APT")) }`,
	`SELECT ?x { ?x :name ?n FILTER(CONTAINS(UCASE(?n), "apt")) }`,
	`SELECT ?x { ?x :uses "Technique/t1" }`,
	`SELECT ?x { ?x :uses "t1" }`,
	`SELECT ?x { ?x :uses "os credential dumping" }`,
	`SELECT ?x { ?x :uses "OS Credential Dumpng" }`,
	`SELECT ?x { ?x :uses ?t FILTER(?t = "Technique/t1") }`,
	`SELECT ?x { ?x :uses ?t FILTER(?t = "OS Credential Dumping") }`,
	`SELECT ?x { ?x :uses ?t FILTER(STR(?t) = "Technique/t1") }`,
	`SELECT ?x { ?x :uses ?t FILTER(STR(?t) = "t1") }`,
	`SELECT ?x { ?x a "Technique" }`,
	`SELECT ?x { ?x a "technique" }`,
	`SELECT ?x { VALUES ?x { "Technique/t1" } ?x :name ?name }`,
	`SELECT ?x { VALUES ?x { "OS Credential Dumping" } ?x ?p ?name }`,
	`SELECT ?x { VALUES ?p { "name" } ?x ?p ?name }`,
	`SELECT ?x { ?x a ?type FILTER(?type = "Technique") }`,
	`SELECT ?x { ?x a ?type FILTER(STR(?type) = "Technique") }`,
	`SELECT ?x { ?x a ?type FILTER(STR(?type) = ":Technique") }`,
	`SELECT ?x { ?x ?p ?v FILTER(?p = "name") }`,
	`SELECT ?x { ?x :active 0 }`,
	`SELECT ?x { ?x :active "false" }`,
	`SELECT ?x { ?x :active "0"^^xsd:boolean }`,
	`SELECT ?x { ?x :active "no" }`,
	`SELECT ?x { ?x :active ?a FILTER(?a = 0) }`,
	`SELECT ?x { ?x :active ?a FILTER(?a = "False") }`,
	`SELECT ?x { ?x :score 5 }`,
	`SELECT ?x { ?x :score 5.00 }`,
	`SELECT ?x { ?x :score "5" }`,
	`SELECT ?x { ?x :score ?s FILTER(?s > "4") }`,
	`SELECT ?x { ?x :score ?s FILTER(?s > "4,0"^^xsd:double || ?s > "4") }`,
	`SELECT ?x { ?x a :Malware ; :year "1" }`,
	`SELECT ?x { ?x a :Malware ; :year 1.0 }`,
	`SELECT ?x { ?x a :Malware ; :year "01"^^xsd:integer }`,
	`SELECT ?x { ?x a :Malware ; :year ?y FILTER(?y < "10") }`,
	`SELECT ?x { ?x a :Tool ; :year 2020 }`,
	`SELECT ?x { ?x a :Tool ; :year "2020-01-01"^^xsd:date }`,
	`SELECT ?x { ?x :seen "2020-01-31" }`,
	`SELECT ?x { ?x :seen "2020-01-31T00:00:00Z"^^xsd:dateTime }`,
	`SELECT ?x { ?x :seen "31.1.2020" }`,
	`SELECT ?x { ?x :seen "31/01/2020"^^xsd:date }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d < "2021-01-01") }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d < "2021-01-01T00:00:00Z"^^xsd:dateTime) }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d < "2021/01/01"^^xsd:date) }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d > xsd:date("01/02/2019")) }`,
	`SELECT ?x { ?x :seen ?d FILTER(YEAR(?d) = "2020") }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d < NOW()) }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d < YEAR(NOW())) }`,
	`SELECT ?x { ?x a :Tool ; :year ?y FILTER(?y < YEAR(NOW())) }`,
	`SELECT ?x { ?x :uses ?t } GROUP BY ?x HAVING (COUNT(?t) > "0")`,
	`SELECT ?x { { SELECT ?x (COUNT(?t) AS ?n) { ?x :uses ?t } GROUP BY ?x } BIND(?n AS ?m) FILTER(?m > "0") }`,
	`SELECT ?x { ?x :kind "Free" }`,
	`SELECT ?x { ?x :kind :free }`,
	`SELECT ?x { ?x :kind ?k FILTER(?k = "fre") }`,
	`SELECT ?x { ?x :nam "APT28" }`,
	`SELECT ?x { ?x a :Technik }`,
	`SELECT ?x { <` + base + `Tool/one> :name ?x }`,
	`SELECT ?x { <` + base + `Technique/t1> :uses ?x }`,
	`SELECT ?x { ?x a :Technique ; :uses <` + base + `Malware/one> }`,
	`SELECT ?x { ?x :uses ?t FILTER(CONTAINS(?t, "t1")) }`,
	`SELECT ?x { ?x :score ?s FILTER(STRSTARTS(?s, "5")) }`,
	`SELECT ?x { ?x :name ?name FILTER(?nam = "APT28") }`,
	`SELECT ?x { ?x :uses ?t . ?y :uses ?u FILTER(?t <= ?u) }`,
	`SELECT ?x { ?x a :Software }`,
	`PREFIX : <http://example.org/> SELECT ?x { ?x a :Technique }`,
	`PREFIX ex: <http://example.org/> SELECT ?x { ?x a ex:Technique }`,
	`SELECT ?x { ?x a :Technique ; rdfs:label "OS Credential Dumping" }`,
	`SELECT ?x { ?x a :Technique ; :qqqq ?y }`,
	`SELECT ?x { ?x a :Technique ; :wields ?y }`,
	`SELECT ?x { ?x :qqqq ?y }`,
	`SELECT ?x { ?x <urn:named> ?y }`,
	`SELECT ?x { ?x a :Qqqq }`,
	`SELECT ?x { ?x a "Qqqq" }`,
	`SELECT ?x { ?x :kind "qqqq" }`,
	`SELECT ?x { ?x a ?type . ?type rdfs:subClassOf :Software }`,
	`SELECT ?x { ?x :name ?name FILTER(?q = "APT28") }`,
	`SELECT ?x { ?x :name ?n { ?x :kind ?k FILTER(?n = "Cobalt Strike") } }`,
	`SELECT ?x { ?x :name ?n FILTER(LANG(?n) = "en") }`,
	`SELECT ?x { ?x :uses ?t FILTER(?t > "A") }`,
	`SELECT ?x { ?x :seen ?d FILTER(?d > "1") }`,
	`SELECT ?x { ?x :name ?n FILTER(STRLEN(?n) > "1") }`,
	`SELECT ?x { ?x :uses ?t FILTER(STRLEN(?t) > 1) }`,
	`SELECT ?x { ?x :score ?s FILTER(STRLEN(?s) > 0) }`,
	`SELECT ?x { ?x :score ?s FILTER(?s > 3 && ?s < 3) }`,
	`SELECT ?x { ?x :name ?n FILTER NOT EXISTS { ?x :name ?n } }`,
	`SELECT ?x { ?x :words "katze" }`,
	`SELECT ?x { ?x :words ?w FILTER(LANG(?w) = "EN") }`,
	`SELECT ?x { ?x :words ?w FILTER("DE" = LANG(?w)) }`,
	`SELECT ?x { ?x :words ?w FILTER(LANGMATCHES(LANG(?w), "fr")) }`,
	`SELECT ?x { ?x :words ?w FILTER(LANG(?w) IN ("fr")) }`,
	`SELECT ?x { ?x :wields+ "Cobalt Strike" }`,
	`SELECT ?x { VALUES ?t { "OS Credential Dumping" } ?x :uses ?t }`,
	`SELECT ?x { ?x :name "Technique/t1" }`,
	`SELECT ?x { GRAPH <urn:nowhere> { ?x :name ?n } }`,
	`SELECT ?x { ?x a :Malware , :Tool }`,
	`SELECT ?x { ?x a ?t . ?x a :Worm VALUES ?t { :Tool :Malware } }`,
	`SELECT ?x { GRAPH ?g { ?x :name ?n } }`,
	`SELECT ?x { GRAPH <urn:g> { ?x :name "APT28" } }`,
	`SELECT ?x { GRAPH ?g { ?x a :Tool } }`,
	`SELECT ?x { GRAPH ?g { ?x ?p "APT28" } }`,
	`SELECT ?x FROM <urn:g> { ?x :name ?n }`,
	`SELECT ?x FROM NAMED <urn:g> { ?x :name ?n }`,
	`SELECT ?x FROM NAMED <urn:g> { ?x <urn:named> ?y }`,
	`SELECT ?x FROM <urn:g> { GRAPH ?g { ?x <urn:named> ?y } }`,
	`SELECT ?x FROM <urn:g> { GRAPH <urn:schemaless> { ?x <urn:named> ?y } }`,
	`SELECT ?x { ?x ?p "x" }`,
	`SELECT ?x { ?x :uses ?t FILTER(?t = IRI("Technique/t1")) }`,
	`SELECT ?x { BIND(URI("Technique/t1") AS ?t) ?x :uses ?y FILTER(?y = ?t) }`,
	`SELECT ?x { BIND("Technique/t1" AS ?t) ?x :uses ?t }`,
	`SELECT ?x { ?x a :Tool ; :year ?y FILTER(?y > xsd:gYear("2000")) }`,
	`SELECT ?x { ?x a :Tool ; :year ?y FILTER(xsd:gYear(?y) > "2000"^^xsd:gYear) }`,
	`SELECT ?x { ?x :name ?n FILTER(xsd:strng(?n) = "APT28") }`,
	`SELECT ?x { ?x :name ?n FILTER(<http://www.w3.org/2005/xpath-functions#contains>(?n, "APT")) }`,
	`SELECT ?x { ?x :score ?s FILTER(STRDT(?s, xsd:double) > 1) }`,
}

// unfollowed are the hints that no query of these follows, with the reason.
var unfollowed = map[string]string{
	"; compare it: %s ?value FILTER(?value = %s)":                                                         "of a property with more values than are looked at",
	"no statement names <%s>; the IRI of %s is <%s>, because renaming a type changes no IRI of its nodes": "of renamed types, see TestTheNameOfANodeOfARenamedTypeIsToldItsIRI of the linter",
	"no statement describes %s; the nodes that have it are DESCRIBE ?x { ?x %s }":                         "of DESCRIBE, see TestAClassThatNothingDescribesIsNamedWithItsNodes",
	"; match its label: %s %s ?node . ?node %s %s":                                                        "of texts that are held against a schema without data, which finds nothing",
	"; nothing that it refers to has the id or the label %s":                                              "there is nothing to find",
	"the %s %s is new; did you mean %s?":                                                                  "of updates, see testdata/lint/updates",
	"; they are from %s to %s":                                                                            "of answers, see TestAnEmptyAnswerSaysWhatMatchesNothing",
	"no solution is left behind OFFSET %d; leave it out to see whether there are fewer":                   "of answers, see TestAnEmptyAnswerSaysWhatMatchesNothing",
	"no solution meets all parts of the pattern; there are some without %s":                               "of answers, see TestPartsThatLeaveNothingTogetherAreNamed",
	"%s is true of %s, and its capitals are to blame: there is %s; %s":                                    "of answers, see TestASearchInOtherLettersNamesOneThatFinds",
}

// following are the ways in which sentences say what would work, each with what becomes of the
// text: at is the place that the sentence names.
var following = []struct {
	hint   *regexp.Regexp
	follow func(text string, at int, m []string) string
}{
	{regexp.MustCompile(`; without GRAPH and FROM`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(`GRAPH <\S+> \{ (.*) \} \}`).ReplaceAllString(text, "$1 }")
	}},
	{regexp.MustCompile(`; (VALUES \?node .*) is the node`), func(text string, _ int, m []string) string {
		return strings.Replace(strings.Replace(text, "{", "{ "+m[1], 1), `"Technique/t1"`, "?name", 1)
	}},
	{regexp.MustCompile(`(?:; write (\S+ xsd:gYear\))|there is no function.*; did you mean (.*)\?)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`(?:xsd:(?:gYear|strng)|<http\S*contains>)\(\?\w+\)?`).ReplaceAllStringFunc(text, func(call string) string {
			_, arguments, _ := strings.Cut(call, "(")
			return cmp.Or(m[1], m[2]+"("+arguments)
		})
	}},
	{regexp.MustCompile(`; write ("2000"\S+)$`), func(text string, _ int, m []string) string {
		return strings.Replace(text, `xsd:gYear("2000")`, m[1], 1)
	}},
	{regexp.MustCompile(`this language.*(?:write|there is) ("\w+")`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`"\w\w"`).ReplaceAllString(text, m[1])
	}},
	{regexp.MustCompile(`^the prefix .*leave the declaration out`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(`PREFIX : <http://example.org/> `).ReplaceAllString(text, "")
	}},
	{regexp.MustCompile(`did you mean (:\w+)\? They need no PREFIX`), func(text string, _ int, m []string) string {
		return strings.Replace(text, "ex:Technique", m[1], 1)
	}},
	{regexp.MustCompile(`; labels are (:\w+)`), func(text string, _ int, m []string) string {
		return strings.Replace(text, "rdfs:label", m[1], 1)
	}},
	{regexp.MustCompile(`; \S+ has (:\w+)`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`:(qqqq|wields)`).ReplaceAllString(text, m[1])
	}},
	{regexp.MustCompile(`; schema_get lists`), func(text string, _ int, _ []string) string {
		return strings.Replace(text, ":qqqq", ":name", 1) // one of them
	}},
	{regexp.MustCompile(`leave FROM out, and write (GRAPH \S+ \{) … \}`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`FROM \S+ \{ GRAPH \S+ \{`).ReplaceAllString(text, "{ "+m[1])
	}},
	{regexp.MustCompile(`; write (GRAPH \S+) \{ … \}`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`\{ (.*) \}`).ReplaceAllString(text, "{ "+m[1]+" { $1 } }")
	}},
	{regexp.MustCompile(`: leave GRAPH and FROM out$`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(`GRAPH \S+ \{|(?: \})?( \})|FROM (NAMED )?\S+`).ReplaceAllString(text, "$1")
	}},
	{regexp.MustCompile(`; write (FROM .*)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`FROM (NAMED )?\S+`).ReplaceAllString(text, "$0 "+m[1])
	}},
	{regexp.MustCompile(`no whole IRI.*; write (<.*>)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`(?:IRI|URI)\("[^"]*"\)`).ReplaceAllString(text, m[1])
	}},
	{regexp.MustCompile(`not to a text; write (\?x :uses <.*>)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`\?x :uses (?:\?t|"[^"]*")`).ReplaceAllString(text, m[1])
	}},
	{regexp.MustCompile(`told in the graph of the schema alone: (.*)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`\{ .*(:\w+) \}`).ReplaceAllString(text, "{ "+strings.Replace(m[1], ":Type", "$1", 1)+" }")
	}},
	{regexp.MustCompile(`; leave NOT EXISTS out`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(`FILTER NOT EXISTS \{.*?\}`).ReplaceAllString(text, "")
	}},
	{regexp.MustCompile(`; if one is enough, write (VALUES .*)$`), func(_ string, _ int, m []string) string {
		return "SELECT ?x { " + m[1] + " }"
	}},
	{regexp.MustCompile(`; if one is enough, write (.* \|\| .*)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`FILTER\(.*\)`).ReplaceAllString(text, "FILTER("+m[1]+")")
	}},
	{regexp.MustCompile(`; there is (\?\w+), `), func(text string, at int, m []string) string {
		return replaced(text, at, `^[^?]*(\?\w+)`, m[1])
	}},
	{regexp.MustCompile(`; there is (:\w+|"[^"]*"),? `), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`"[Qq]qqq"|:Qqqq`).ReplaceAllString(text, m[1])
	}},
	{regexp.MustCompile(`; ((\?\w+) \S+ (\?label)) finds its label`), func(text string, _ int, m []string) string {
		return strings.Replace(text, "FILTER("+m[2], ". "+m[1]+" FILTER("+m[3], 1)
	}},
	{regexp.MustCompile(`; it has one outside`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(`(FILTER\([^)]*\)) \}`).ReplaceAllString(text, "} $1")
	}},
	{regexp.MustCompile(`; leave the condition out`), func(text string, _ int, _ []string) string {
		return regexp.MustCompile(` FILTER\(.*\) `).ReplaceAllString(text, " ")
	}},
	{regexp.MustCompile(`; (?:compare )?STR\((\?\w+)\)(?:$| is its IRI| is its text)`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`\(\`+m[1]+`([ ,)])`).ReplaceAllString(text, "(STR("+m[1]+")$1")
	}},
	{regexp.MustCompile(`; write (\S+ (?:=|!=) \S+)$`), func(text string, at int, m []string) string {
		return replaced(text, at, `^[^=]*= "[^"]*"`, m[1]) // the whole comparison
	}},
	{regexp.MustCompile(`(?:; write|other way round it is|; there is) ((?:\?|<|\[)\S* \S+ \S+)$`), func(text string, _ int, m []string) string {
		return regexp.MustCompile(`(?:\?x|<\S+>)(?: a :\w+ ;)? (?:a|:\w+)\+? (?:"[^"]*"|\?x|<\S+>) `).ReplaceAllString(text, m[1]+" ")
	}},
	{regexp.MustCompile(`; compare it: (.*)$`), func(text string, at int, m []string) string {
		return regexp.MustCompile(`:\w+ \S+ }`).ReplaceAllString(text, m[1]+" }")
	}},
	{regexp.MustCompile(`; compare STR\((\?\w+)\) with STR\((\?\w+)\)$`), func(text string, _ int, m []string) string {
		return strings.Replace(text, m[1]+" <= "+m[2], "STR("+m[1]+") <= STR("+m[2]+")", 1)
	}},
	{regexp.MustCompile(`; compare ((?:xsd:date|xsd:integer|YEAR)\(.*\))$`), func(text string, at int, m []string) string {
		of := regexp.MustCompile(`\?\w+|NOW\(\)`).FindString(m[1])
		comparison := regexp.MustCompile(`^(.+? (?:<|>|<=|>=|=|!=) .+?)( \|\||\) })`)
		return text[:at] + comparison.ReplaceAllStringFunc(text[at:], func(part string) string {
			return regexp.MustCompile(`(^|[ ])`+regexp.QuoteMeta(of)+`($|[ )])`).ReplaceAllString(part, "${1}"+m[1]+"$2")
		})
	}},
	{regexp.MustCompile(`; STR\((\?\w+)\) is its`), func(text string, _ int, m []string) string {
		return strings.Replace(text, "("+m[1]+",", "(STR("+m[1]+"),", 1)
	}},
	{regexp.MustCompile(`all of them are (.*)$`), func(text string, _ int, m []string) string {
		return strings.Replace(text, "?x a :Software", m[1], 1)
	}},
	{regexp.MustCompile(`did you mean (\S+/\S+), "`), func(text string, at int, m []string) string {
		return replaced(text, at, `^<[^>]*>`, "<"+base+m[1]+">")
	}},
	{regexp.MustCompile(`did you mean (".*)\?$`), func(text string, at int, m []string) string {
		return replaced(text, at, `"[^"]*"`, m[1])
	}},
	{regexp.MustCompile(`did you mean (.*)\?$`), func(text string, at int, m []string) string {
		return replaced(text, at, `^(?:[^"(]*[("=] ?)??("[^"]*"(?:\^\^xsd:\w+)?|:\w+|\?\w+|[\d.]+)`, m[1])
	}},
	{regexp.MustCompile(`; (?:write|there is) (.*?)(?: or .*)?$`), func(text string, at int, m []string) string {
		return replaced(text, at, `^[^"\d:]*?(?:REGEX|LCASE|UCASE|STRSTARTS|CONTAINS|xsd:date)?[^"\d:]*?("[^"]*"(?:@en|\^\^xsd:\w+)?|[\d.]+|:\w+)`, m[1])
	}},
}

// replaced puts a hint in the place of what a pattern, or its last group, matches behind a byte.
func replaced(text string, at int, pattern, hint string) string {
	m := regexp.MustCompile(pattern).FindStringSubmatchIndex(text[at:])
	if m == nil {
		return text
	}
	from, to := m[len(m)-2], m[len(m)-1]
	return text[:at+from] + hint + text[at+to:]
}

// TestAHintThatIsFollowedWorks follows the hints of queries without solutions: what comes of it
// has some, and is not warned of.
func TestAHintThatIsFollowedWorks(t *testing.T) {
	testrun.Alone(t)
	g := valueGraph(t)
	mustLoad(t, g, "named.nq", "<urn:s> <urn:named> \"x\" <urn:g> .\n")
	var told []string
	view(t, g, func(s *kg.Snapshot) error {
		for _, text := range hinted {
			text = "PREFIX foaf: <http://xmlns.com/foaf/0.1/> " + text
			warnings, rows := warningsOf(t, s, text)
			if len(warnings) == 0 || rows > 0 {
				t.Errorf("%d solutions, and no hint: %s", rows, text)
				continue
			}
			w := warnings[len(warnings)-1]
			told = append(told, w.Text)
			at := w.Column - 1
			followed := text
			for _, f := range following {
				if m := f.hint.FindStringSubmatch(w.Text); m != nil {
					followed = f.follow(text, at, m)
					break
				}
			}
			if followed == text {
				t.Errorf("nobody can follow %q (column %d) of\n%s", w.Text, w.Column, text)
				continue
			}
			q, err := s.ParseQuery(followed, "")
			if err != nil {
				t.Errorf("%v\n%s\nis what becomes of %s\nby %s", err, followed, text, w.Text)
				continue
			}
			_ = q
			left, rows := warningsOf(t, s, followed)
			left = slices.DeleteFunc(left, func(w lint.Warning) bool { return strings.Contains(w.Text, "leaves out") })
			if rows == 0 || len(left) > 0 && !strings.Contains(text, "||") && !strings.Contains(text, `"none"`) {
				t.Errorf("%s\nhas %d solutions and %v; it comes of %s\nby %s", followed, rows, left, text, w.Text)
			}
		}
		return nil
	})
	for _, hint := range hintsOf(t) {
		fits := regexp.MustCompile(regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(hint), ".*"))
		followed := slices.ContainsFunc(told, fits.MatchString)
		if reason := unfollowed[hint]; followed != (reason == "") {
			t.Errorf("%q: followed %v, and %q is said to be why not", hint, followed, reason)
		}
	}
}

// hintsOf are the texts of the linter that say a way out, as its source has them.
func hintsOf(t *testing.T) (hints []string) {
	t.Helper()
	files, err := filepath.Glob("../sparql/lint/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, isLiteral := n.(*ast.BasicLit)
			if !isLiteral || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if _, hint, found := strings.Cut(text, "; "); err == nil && found && hint != "" {
				hints = append(hints, text)
			}
			return true
		})
	}
	return hints
}

// computedSchema has a property of each kind of value that is computed with.
const computedSchema = `
types:
  Thing:
    properties:
      text: string
      words: lang_string
      whole: integer
      parts: decimal
      wide: double
      truth: boolean
      day: date
      moment: datetime
      clock: time
      span: duration
      hours: day_time_duration
      months: year_month_duration
      born: year
      place: iri
      huge: uint64
`

// TestArithmeticHasAValueOrAWarningAndNeverBoth computes with values of all datatypes, alone and
// two and two.
func TestArithmeticHasAValueOrAWarningAndNeverBoth(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, computedSchema)
	mustUpdate(t, g, `INSERT DATA { <`+base+`Thing/1> a :Thing ; :text "a" ; :words "a"@en ; :whole 3 ; :parts 2.5 ; :wide 1.5e0 ; :truth true ;
		:day "2024-02-01Z"^^xsd:date ; :moment "2024-01-01T00:00:00Z"^^xsd:dateTime ; :clock "10:00:00Z"^^xsd:time ; :span "P1M2D"^^xsd:duration ;
		:hours "PT90M"^^xsd:dayTimeDuration ; :months "P1Y"^^xsd:yearMonthDuration ; :born "2024"^^xsd:gYear ; :place <urn:p> ; :huge "2"^^xsd:unsignedLong }`)
	names := strings.Fields("text words whole parts wide truth day moment clock span hours months born place huge")
	var texts []string
	for _, a := range names {
		for _, f := range strings.Fields("- + ABS CEIL FLOOR ROUND YEAR DAY HOURS SECONDS TIMEZONE STRLEN UCASE xsd:integer xsd:dateTime xsd:date xsd:double xsd:gYear xsd:duration xsd:int IRI LANG DATATYPE MD5") {
			texts = append(texts, fmt.Sprintf("SELECT (%s(?a) AS ?x) { ?s :%s ?a }", f, a))
		}
		for _, f := range strings.Fields("SUM AVG") {
			texts = append(texts, fmt.Sprintf("SELECT * { { SELECT (%s(?a) AS ?x) { ?s :%s ?a } } FILTER(BOUND(?x)) }", f, a))
		}
		for _, b := range names {
			for _, sign := range []string{"+", "-", "*", "/"} {
				texts = append(texts, fmt.Sprintf("SELECT (?a %s ?b AS ?x) { ?s :%s ?a ; :%s ?b }", sign, a, b))
			}
		}
	}
	values := 0
	if err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		for _, text := range texts {
			text = lintedPrologue + text
			q, warnings := linted(t, s, text)
			a, err := s.Query(t.Context(), q, kg.QueryOptions{})
			if err != nil {
				return err
			}
			has := false
			for row, err := range a.Rows(t.Context()) {
				if err != nil {
					return err
				}
				has = has || row[len(row)-1] != nil
			}
			// A text may be a number, and only some durations can be divided.
			depends := strings.Contains(text, ":text ?a }") || strings.Contains(text, ":span")
			if has && len(warnings) > 0 || !has && len(warnings) == 0 && !depends {
				t.Errorf("%s\nhas a value: %t, and %v", text, has, warnings)
			}
			if has {
				values++
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if values < 100 {
		t.Errorf("only %d expressions have a value", values)
	}
}

// TestWhatAQuerySaysIsLookedAtWithoutLongTexts: a text that is doubled twenty times has ten megabytes where it is made,
// and none where the query is only looked at.
func TestWhatAQuerySaysIsLookedAtWithoutLongTexts(t *testing.T) {
	testrun.Alone(t)
	text := `SELECT * { VALUES (?a ?b) { ("1" "2") ("3" "4") } BIND("0123456789" AS ?t0)`
	for i := range 20 {
		text += fmt.Sprintf(" BIND(CONCAT(?t%[1]d, ?t%[1]d) AS ?t%[2]d)", i, i+1)
	}
	text += " BIND(CONCAT(?t20, ?a, ?b, REPLACE(?t20, ?a, ?t19)) AS ?l) }"
	view(t, newGraph(t, lintedSchema), func(s *kg.Snapshot) error {
		q, err := s.ParseQuery(text, "")
		if err != nil {
			return err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text}); err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 8<<20 {
			t.Errorf("%d bytes were made", made)
		}
		return nil
	})
}
