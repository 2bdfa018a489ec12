package kg_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/sparql"
)

// searched runs a query, and returns its rows, each as local names and texts with a space between, and what is said.
func searched(t *testing.T, g *kg.Graph, o kg.QueryOptions, text string) (rows []string, told string, err error) {
	t.Helper()
	s, err := g.Session(ana).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := s.ParseQuery(text, "")
	if err != nil {
		return nil, "", err
	}
	a, err := s.Query(t.Context(), q, o)
	if err != nil {
		return nil, "", err
	}
	for row, err := range a.Rows(t.Context()) {
		if err != nil {
			return nil, "", err
		}
		var cells []string
		for _, term := range row {
			text := "-"
			if term != nil {
				text = strings.TrimPrefix(rdf.Lexical(term), base)
			}
			cells = append(cells, text)
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows, strings.Join(a.Told(), "\n"), nil
}

// TestAQueryFindsWhatASearchFinds holds the hits of a query against those of a search, in their order.
func TestAQueryFindsWhatASearchFinds(t *testing.T) {
	g := searchGraph(t)
	for _, words := range []string{"lovelace", "grace", "first program", "analytical", "compilers moth", "zola", "lovelce", "p3", "東京"} {
		want, _ := hits(t, g, browse.Search{Text: words})
		got, _, err := searched(t, g, kg.QueryOptions{Params: map[sparql.Var]rdf.Term{"words": rdf.Literal(words, "")}},
			`SELECT ?n { (?n ?score) trails:matches $words } ORDER BY DESC(?score)`)
		for i, n := range got {
			got[i] = n[strings.Index(n, "/")+1:]
		}
		if err != nil || len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%q finds %q, and a search %q: %v", words, got, want, err)
		}
	}
}

func TestASearchIsPartOfAQuery(t *testing.T) {
	g := searchGraph(t)
	for _, c := range []struct{ text, want, told string }{
		{`SELECT ?n { ?n trails:matches "lovelace" . ?n :code "ada" }`, "Person/ada", ""},
		{`SELECT ?n ?p ?prop { (?n ?s ?p ?prop) trails:matches ("moth relay" trails:allWords) }`, "Person/grace Made compilers, and found a moth in a relay. note", ""},
		{`SELECT ?n ?p { (?n ?s ?p) trails:matches ("p3" :Person) }`, "Person/p3 p3", ""},
		{`SELECT ?n { ?n trails:matches ("analytical" :Place) }`, "Place/engine", ""},
		{`SELECT ?n { ?n trails:matches ("analytical" :Thing) } ORDER BY ?n`, "Person/ada|Place/engine", ""},
		{`SELECT ?n { ?n trails:matches ("analytical" :Place :Person) } ORDER BY ?n`, "Person/ada|Place/engine", ""},
		{`SELECT (COUNT(*) AS ?c) { ?n trails:matches ("analytical" 1) }`, "1", ""},
		{`SELECT ?c ?s { ?n :code ?c OPTIONAL { (?n ?s) trails:matches "relay" } FILTER(?c IN ("ada", "grace")) } ORDER BY ?c`, "ada -|grace 5.0E-1", ""},
		{`SELECT ?n { { ?n trails:matches "relay" } UNION { ?n trails:matches "zola" } } ORDER BY ?n`, "Person/grace|Person/p3", ""},
		{`SELECT ?c { ?n :code ?c FILTER EXISTS { ?n trails:matches "relay" } }`, "grace", ""},
		{`SELECT ?c { ?n a :Person ; :code ?c FILTER NOT EXISTS { ?n trails:matches "lovelace" } } ORDER BY ?c`, "grace|p3", ""},
		{`SELECT ?c { ?n a :Person ; :code ?c MINUS { ?n trails:matches "lovelace" } } ORDER BY ?c`, "grace|p3", ""},
		{`SELECT ?c { { SELECT ?n { (?n ?s) trails:matches "analytical" } ORDER BY DESC(?s) LIMIT 1 } ?n :code ?c }`, "engine", ""},
		{`SELECT ?w ?n { VALUES ?w { "relay" "zola" } ?n trails:matches ?w } ORDER BY ?w`, "relay Person/grace|zola Person/p3", ""},
		{`SELECT ?n { BIND("relay" AS ?w) ?n trails:matches ?w }`, "Person/grace", ""},
		{`SELECT ?n { VALUES ?w { } ?n trails:matches ?w }`, "", ""},
		{`SELECT ?s { (<` + base + `Person/grace> ?s) trails:matches "relay" }`, "5.0E-1", ""},
		{`SELECT ?s { (<` + base + `Person/ada> ?s) trails:matches "relay" }`, "", ""},
		{`SELECT ?n { (?n ?n) trails:matches "relay" }`, "", ""},
		{`SELECT ?n { ?n trails:matches "enchantress" }`, "", "nothing has any of these words"},
		{`SELECT ?n { ?n trails:matches '"hopper grace"' }`, "", `no text has the phrase "hopper grace"; leave the quotation marks out`},
		{`SELECT ?n { ?n trails:matches ('"hopper grace"' trails:allWords) }`, "", `no text has the phrase "hopper grace"; leave the quotation marks out`},
		{`SELECT ?n { ?n trails:matches ("moth program" trails:allWords) }`, "", "no text has all of these words"},
		{`ASK { ?n trails:matches "lovelce" }`, "", `was searched instead`},
		{`SELECT ?n { ?n trails:matches "moth program" } ORDER BY ?n`, "Person/ada|Person/grace|Person/p4|Place/moth", "have only some of the words"},
		{`SELECT (COUNT(?n) AS ?c) { ?n trails:matches "relay"@en }`, "1", ""},
		{`SELECT ?n { ?n trails:matches "relay" . GRAPH <urn:trails:graph:schema> { ?shape trails:search false } }`, "Person/grace", ""},
	} {
		rows, told, err := searched(t, g, kg.QueryOptions{}, c.text)
		if got := strings.Join(rows, "|"); err != nil || got != c.want {
			t.Errorf("%s\nfinds %q, not %q: %v", c.text, got, c.want, err)
		}
		if (told == "") != (c.told == "") || !strings.Contains(told, c.told) {
			t.Errorf("%s\ntells %q, not %q", c.text, told, c.told)
		}
	}
}

func TestASearchThatCannotBeIsRefused(t *testing.T) {
	g := searchGraph(t)
	for text, want := range map[string]string{
		`?n trails:matches ?w`:                                     "?w is not: give a text, a parameter, or VALUES or BIND",
		`?n :name ?w ; trails:matches ?w`:                          "?w is not: give a text",
		`?n trails:matches []`:                                     "a blank node is not: give a text",
		`VALUES ?w { UNDEF } ?n trails:matches ?w`:                 "leaves ?w open",
		`?n trails:matches ""`:                                     "text has no word to search for",
		`?n trails:matches "?!"`:                                   "text has no word to search for",
		`?n trails:matches 5`:                                      `"5" is no text to search for`,
		`?n trails:matches :Person`:                                "is no text to search for",
		`?n trails:matches ()`:                                     "the list has no text",
		`() trails:matches "a"`:                                    "its subject is a node, or a list of up to 4: (?node ?score ?passage ?property)",
		`(?a ?b ?c ?d ?e) trails:matches "a"`:                      "its subject is a node",
		`?n trails:matches ("a" -1)`:                               "one integer from 1 to 1000, and not -1",
		`?n trails:matches ("a" 0)`:                                "one integer from 1 to 1000, and not 0",
		`?n trails:matches ("a" 1001)`:                             "one integer from 1 to 1000, and not 1001",
		`?n trails:matches ("a" 5 6)`:                              "one integer from 1 to 1000, and not 6",
		`?n trails:matches ("a" 1.5)`:                              `"1.5" is no option`,
		`?n trails:matches ("a" "b")`:                              `"b" is no option`,
		`?n trails:matches ("a" :Persn)`:                           `there is no type "Persn"; did you mean "Person"?`,
		`?n trails:matches ("a" <urn:other>)`:                      "<urn:other> is no type of the schema",
		`?n trails:matches ("a" trails:word)`:                      `there is no option trails:word; did you mean "words"?`,
		`?n trails:matches ("a" trails:words trails:meaning)`:      "exclude each other",
		`?n trails:matches ("a" trails:meaning)`:                   "cannot be found by meaning alone",
		`VALUES ?w { ` + manyWords(21) + ` } ?n trails:matches ?w`: "at most 20 times",
	} {
		_, _, err := searched(t, g, kg.QueryOptions{}, "SELECT * { "+text+" }")
		if err == nil || !strings.Contains(err.Error(), "trails:matches: ") || !strings.Contains(err.Error(), want) || fault.Of(err).Kind == fault.Internal {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
	if _, _, err := searched(t, g, kg.QueryOptions{}, `SELECT * FROM :g { ?n trails:matches "a" }`); err == nil || !strings.Contains(err.Error(), "FROM replaces that") {
		t.Errorf("with FROM: %v", err)
	}
	if _, err := tryUpdate(t, g, `PREFIX trails: <urn:trails:ns#> WITH <urn:g> INSERT { ?n <urn:p> 1 } WHERE { ?n trails:matches "a" }`, kg.ChangeSet{}, kg.UpdateOptions{}); err == nil || !strings.Contains(err.Error(), "WITH or USING replaces that") {
		t.Errorf("with WITH: %v", err)
	}
}

// A query that no parameter can make right is not stored; one that a parameter makes right is.
func TestASearchThatCannotBeIsNotStored(t *testing.T) {
	g := searchGraph(t)
	for text, want := range map[string]string{
		`SELECT * { ?n trails:matches $w }`:                                                     "?w is not: give a text, a parameter",
		`SELECT * { ?n trails:matches ("a" :Persn) }`:                                           `there is no type "Persn"; did you mean "Person"?`,
		"#+ params: {w: string}\nSELECT * { ?n trails:matches ($w :Persn) }":                    `there is no type "Persn"`,
		"#+ params: {w: string}\nSELECT * { ?n trails:matches ($w trails:nonsense) }":           "there is no option trails:nonsense; it is one of words, allWords, meaning",
		"#+ params: {w: string}\nINSERT { ?n <urn:p> 1 } WHERE { ?n trails:matches ($w 0) }":    "one integer from 1 to 1000",
		"#+ params: {w: string}\nSELECT * { ?n trails:matches ($w 5 :Person) }":                 "",
		"#+ params: {w: {type: string, nullable: true}}\nSELECT * { ?n trails:matches $w }":     "",
		"#+ params: {w: list(string)}\nSELECT * { OPTIONAL { ?n trails:matches $w } }":          "",
		"#+ params: {n: int}\nSELECT * { VALUES ?w { \"a\" \"b\" } ?n trails:matches (?w $n) }": "",
		`SELECT * { (?n ?s) trails:matches ("a" :Person 3) }`:                                   "",
	} {
		_, _, err := g.Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Add: []kg.QueryText{{Name: "found", Text: text}}, Set: kg.ChangeSet{DryRun: true}})
		if want == "" && err != nil || want != "" && (!fault.Is(err, fault.InvalidData) || !strings.Contains(fmt.Sprint(fault.Of(err).Fields), want)) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

// manyWords are different strings of SPARQL.
func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"w` + strings.Repeat("x", i) + `" `)
	}
	return b.String()
}

func TestMoreNodesThanAreTakenAreTold(t *testing.T) {
	g := searchGraph(t)
	for _, c := range []struct{ text, told string }{{`?n trails:matches ("code" 2)`, ""}, {`?n trails:matches "code"`, "more than the 100 nodes"}, {`?n trails:matches ("code" 150)`, ""}} {
		if c.text == `?n trails:matches ("code" 2)` {
			var triples strings.Builder
			for i := range 120 {
				triples.WriteString("<urn:n" + strings.Repeat("i", i) + "> <urn:p> \"code " + strings.Repeat("z", i) + "\" . ")
			}
			update(t, g, "INSERT DATA { "+triples.String()+" }")
		}
		_, told, err := searched(t, g, kg.QueryOptions{}, "SELECT * { "+c.text+" }")
		if err != nil || (told == "") != (c.told == "") || !strings.Contains(told, c.told) {
			t.Errorf("%s tells %q, not %q: %v", c.text, told, c.told, err)
		}
	}
}

// TestAnUpdateSearchesWhatItsOperationsLeft holds that each operation searches the state that it reads.
func TestAnUpdateSearchesWhatItsOperationsLeft(t *testing.T) {
	g := searchGraph(t)
	r, err := tryUpdate(t, g, `PREFIX trails: <urn:trails:ns#> INSERT { ?n :alias "seen" } WHERE { ?n trails:matches ("moth relay" trails:allWords) }`, kg.ChangeSet{}, kg.UpdateOptions{})
	if err != nil || r.AddedCount != 1 {
		t.Fatalf("%d added: %v", r.AddedCount, err)
	}
	r, err = tryUpdate(t, g, `PREFIX trails: <urn:trails:ns#> INSERT DATA { <urn:new> <urn:says> "quetzalcoatl" } ; DELETE WHERE { ?n :alias "seen" } ;
		INSERT { ?n <urn:found> 1 } WHERE { ?n trails:matches "quetzalcoatl" } ; INSERT { ?n <urn:found> 2 } WHERE { ?n trails:matches "seen" }`, kg.ChangeSet{}, kg.UpdateOptions{})
	if err != nil || r.AddedCount != 2 || !strings.Contains(strings.Join(r.Searched, "\n"), "nothing has any of these words") {
		t.Errorf("%d added, %q: %v", r.AddedCount, r.Searched, err)
	}
	rows, _, err := searched(t, g, kg.QueryOptions{}, `SELECT * { ?n <urn:found> ?o }`)
	if err != nil || !slices.Equal(rows, []string{"urn:new 1"}) {
		t.Errorf("%q: %v", rows, err)
	}
	verify(t, g)
}

func TestAnExplanationShowsTheSearch(t *testing.T) {
	s, err := searchGraph(t).Session(ana).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, words := range []string{"relay", "lovelace"} { // of one shape
		q, err := s.ParseQuery(`SELECT * { (?n ?s) trails:matches ("`+words+`" :Person 20) . ?n :code ?c }`, "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Query(t.Context(), q, kg.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := a.Explain(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range e.Lines {
			all = append(all, l.Operator)
		}
		if text := strings.Join(all, "\n"); !strings.Contains(text, `Search (?n ?s) trails:matches ("`+words+`" :Person 20)`) {
			t.Errorf("%s", text)
		}
	}
}

// TestAServiceSearchesItself holds that a search in SERVICE is sent, and that nothing found here is.
func TestAServiceSearchesItself(t *testing.T) {
	there := &elsewhere{}
	g := openTo(t, there, `:a :says "hello here" .`)
	_, _, err := searched(t, g, kg.QueryOptions{}, `SELECT * { ?n trails:matches "hello" SERVICE <http://one/sparql> { (?n ?s) trails:matches ("words" 5) } }`)
	sent := strings.Join(there.asked, "\n")
	if !strings.Contains(sent, `(?n ?s) <urn:trails:ns#matches> ("words" 5)`) || strings.Contains(sent, "VALUES") {
		t.Errorf("sent %q: %v", sent, err)
	}
}

// TestVectorsComeFromTheCaller holds that meaning is asked once for a text, and what becomes of its answers.
func TestVectorsComeFromTheCaller(t *testing.T) {
	g := searchGraph(t)
	var asked []string
	meaning := func(_ context.Context, _ *kg.Snapshot, text string, alone bool) ([]float32, error) {
		if asked = append(asked, text); alone {
			return nil, fault.New(fault.Precondition, "no endpoint")
		}
		return nil, nil
	}
	rows, _, err := searched(t, g, kg.QueryOptions{Meaning: meaning}, `SELECT * { { ?n trails:matches "relay" } UNION { ?n trails:matches ("relay" :Person) } UNION { ?n trails:matches ("zola" trails:words) } }`)
	if err != nil || len(rows) != 3 || !slices.Equal(asked, []string{"relay"}) {
		t.Errorf("%q, asked for %q: %v", rows, asked, err)
	}
	if _, _, err := searched(t, g, kg.QueryOptions{Meaning: meaning}, `SELECT * { ?n trails:matches ("relay" trails:meaning) }`); err == nil || !strings.Contains(err.Error(), "trails:matches: no endpoint") {
		t.Errorf("by meaning alone: %v", err)
	}
}
