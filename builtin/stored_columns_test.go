package builtin_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trails/capability"
	"trails/capability/stored"
	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/schema"
)

const columnsSchema = `
base: "urn:trails:test:"
types:
  Thing: {abstract: true, properties: {name: string}}
  Task: {extends: Thing, properties: {due: date, size: integer, price: decimal, speed: number, done: boolean, owner: {class: Person}, place: {type: vector}, tags: {type: string, many: true}}}
  Person: {extends: Thing, properties: {age: integer, boss: {class: Person}}}
`

// columnsData has what the types ask for, in its strangest forms, and what nobody validates.
const columnsData = `INSERT DATA {
	:Task\/a a :Task ; :name "A" ; :due "2026-01-01Z"^^xsd:date ; :size 99999999999999999999 ; :price 1.50 ; :speed "NaN"^^xsd:double ; :done "1"^^xsd:boolean ; :owner :Person\/p ; :tags "x", "y" .
	:Task\/b a :Task ; :name "B" ; :due "-0044-03-15"^^xsd:date ; :size 2 ; :price 3.0 ; :speed 1.5e0 ; :done false ; :owner :Person\/q .
	:Task\/c a :Task ; :name "C" .
	:Person\/p a :Person ; :name "P" ; :age 3 ; :boss :Person\/q .
	:Person\/q a :Person ; :age 123456789012345678 .
	<urn:nobody> :name 5 ; :size "text" ; :due true ; :owner "nobody" ; :age 1.5 ; :boss "x"@en .
	GRAPH <urn:g> { :Task\/a :size "g" ; :name true ; a :Task . :Person\/p :age "old" }
}`

// A column never holds what its descriptor does not say, whatever the query.
func TestColumnsAreTrueOfAnswers(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, columnsSchema, invoke.Config{})
	text, err := json.Marshal(map[string]string{"update": columnsData})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "mutate", string(text))
	e.Must(t, "task.create", `{"id": "d", "place": [1, 2.5]}`)
	s, err := schema.ParseYAML([]byte(columnsSchema), "")
	if err != nil {
		t.Fatal(err)
	}
	r := queryMaker{testrun.Random(t)}
	asked, cells, sure := 0, 0, 0
	for range 600 {
		query := r.query()
		q, err := stored.Parse(query, "q", s)
		if err != nil {
			continue // of variables that nothing binds, and BIND of one that is bound
		}
		args, err := json.Marshal(map[string]any{"query": query, "limit": 200, "max_chars": 200_000})
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: args, Principal: invoketest.Ana})
		if err != nil {
			continue
		}
		var answer struct {
			Columns []string
			Rows    [][]json.RawMessage
		}
		if err := json.Unmarshal(res.Structured, &answer); err != nil {
			t.Fatal(err)
		}
		asked++
		columns := q.Columns(s)
		for _, row := range answer.Rows {
			for i, value := range row {
				cells++
				if len(columns[i].Types) > 0 {
					sure++
				}
				if columns[i].Name != answer.Columns[i] || !fitsCell(columns[i], value) {
					t.Fatalf("%s\n?%s is %s, and of %v", query, answer.Columns[i], value, columns[i].Types)
				}
			}
		}
	}
	t.Logf("%d queries, %d cells, of %d the type is said", asked, cells, sure)
	if asked < 100 || sure < cells/10 {
		t.Errorf("%d queries, %d cells, %d sure", asked, cells, sure)
	}
}

// fitsCell holds a JSON value against the types of its column.
func fitsCell(c capability.Cell, value json.RawMessage) bool {
	kind := map[byte]string{'"': "string", 't': "boolean", 'f': "boolean", 'n': "null", '[': "array", '{': "object"}[value[0]]
	if kind == "" {
		kind = "number"
		if !strings.ContainsAny(string(value), ".eE") && slices.Contains(c.Types, "integer") {
			kind = "integer"
		}
	}
	return len(c.Types) == 0 || slices.Contains(c.Types, kind)
}

// queryMaker makes queries of a few variables and all properties.
type queryMaker struct{ *rand.Rand }

func (r queryMaker) of(words ...string) string { return words[r.IntN(len(words))] }
func (r queryMaker) v() string                 { return r.of("?a", "?b", "?c", "?d") }
func (r queryMaker) property() string {
	return r.of(":name", ":due", ":size", ":price", ":speed", ":done", ":owner", ":place", ":tags", ":age", ":boss")
}

func (r queryMaker) group(depth int) string {
	parts := []string{}
	for range 1 + r.IntN(3) {
		switch n := r.IntN(12); {
		case n < 3:
			parts = append(parts, r.v()+" a "+r.of(":Task", ":Person", "?c")+" .")
		case n < 7 || depth == 0:
			parts = append(parts, r.v()+" "+r.of(r.property(), r.property(), r.property(), "?d")+" "+r.v()+" .")
		case n == 7:
			parts = append(parts, "OPTIONAL { "+r.group(depth-1)+" }")
		case n == 8:
			parts = append(parts, "{ "+r.group(depth-1)+" } UNION { "+r.group(depth-1)+" }")
		case n == 9:
			parts = append(parts, fmt.Sprintf("VALUES (%s %s) { (%s %s) (%s %s) }", "?a", "?b", r.constant(), r.constant(), r.constant(), r.constant()))
		case n == 10:
			parts = append(parts, r.of("GRAPH ?c { "+r.group(depth-1)+" }", "MINUS { "+r.group(depth-1)+" }", "{ SELECT ?a ?b { "+r.group(depth-1)+" } }",
				"FILTER("+r.expression()+")", "?a :owner/:boss* ?b .", "{ SELECT ?a (COUNT(?b) AS ?d) { "+r.group(depth-1)+" } GROUP BY ?a }"))
		default:
			parts = append(parts, "BIND("+r.expression()+" AS "+r.of("?x", "?y")+")")
		}
	}
	return strings.Join(parts, " ")
}

func (r queryMaker) constant() string {
	return r.of("UNDEF", "1", "'t'", "true", ":Task\\/a", ":Person\\/p", "1.5", "'2026-01-01'^^xsd:date")
}

func (r queryMaker) expression() string {
	return r.of(r.v(), "STR("+r.v()+")", "STRLEN("+r.v()+")", r.v()+" + 1", "COALESCE("+r.v()+", 1)", "IF(BOUND("+r.v()+"), "+r.v()+", 'no')", "BOUND("+r.v()+")",
		r.v()+" = "+r.v(), "YEAR("+r.v()+")", "EXISTS { "+r.v()+" :name ?n }", "UCASE("+r.v()+")", "DATATYPE("+r.v()+")", "ISIRI("+r.v()+")", "CONTAINS(STR("+r.v()+"), 'a')")
}

func (r queryMaker) query() string {
	pattern := r.group(2)
	switch r.IntN(4) {
	case 0:
		return "SELECT ?a (COUNT(*) AS ?n) (" + r.of("SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT", "COUNT") + "(?b) AS ?m) { " + pattern + " } GROUP BY ?a"
	case 1:
		return "SELECT (" + r.of("SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT", "COUNT") + "(?b) AS ?m) (" + r.expression() + " AS ?z) { " + pattern + " } GROUP BY ?c ?d ?a"
	}
	return "SELECT * { " + pattern + " }"
}
