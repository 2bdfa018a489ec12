package stored_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/capability/stored"
	"trails/schema"
)

const columnsSchema = `
base: "urn:c:"
types:
  Thing: {abstract: true, properties: {name: {type: string, required: true}}}
  Task:
    extends: Thing
    properties:
      due: date
      size: integer
      price: decimal
      done: boolean
      owner: {class: Person}
      place: {type: vector}
  Person: {extends: Thing, properties: {age: integer}}
`

func TestColumnsSayWhatIsSure(t *testing.T) {
	s, err := schema.ParseYAML([]byte(columnsSchema), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, want string }{
		{"SELECT ?t ?name ?due { ?t a :Task ; :name ?name OPTIONAL { ?t :due ?due } }", "t: Task [string], name: string [string], due: date [string null]"},
		{"SELECT ?t ?size ?price ?done ?place { ?t a :Task ; :size ?size ; :price ?price ; :done ?done ; :place ?place }",
			"t: Task [string], size: integer [string integer], price: decimal [string number], done: boolean [boolean], place: vector [string array]"},
		{"SELECT ?who ?age { ?t a :Task ; :owner ?who . ?who :age ?age }", "who: Person [string], age: integer [string integer]"},
		// Nobody validates the property of a node without a type.
		{"SELECT ?t ?size { ?t :size ?size }", "t [string], size: integer []"},
		{"SELECT ?t ?size { ?t a :Task { ?t :size ?size } UNION { ?t :age ?size } }", "t: Task [string], size: integer []"},
		{"SELECT ?t ?size { ?t a :Task GRAPH ?g { ?t :size ?size } }", "t: Task [string], size: integer []"},
		{"SELECT ?t ?size FROM <urn:g> { ?t a :Task ; :size ?size }", "t [string], size: integer []"},
		{"SELECT ?who (COUNT(*) AS ?n) (SUM(?size) AS ?all) (MIN(?due) AS ?first) (GROUP_CONCAT(?name) AS ?names) { ?t a :Task ; :owner ?who ; :size ?size ; :due ?due ; :name ?name } GROUP BY ?who",
			"who: Person [string], n [integer], all [string number null], first: date [string null], names [string null]"},
		{"SELECT ?x ?y ?z ?e { VALUES (?x ?y) { (1 'a') (2 UNDEF) } BIND(STRLEN(?y) AS ?z) BIND(EXISTS { ?q a :Task } AS ?e) }", "x [integer], y [string null], z [integer null], e [boolean]"},
		{"SELECT ?t { { SELECT ?t { ?t a :Task } } ?t :name ?name FILTER(?name > 'a') } ORDER BY ?name LIMIT 3", "t: Task [string]"},
		{"SELECT ?a ?b { { ?a a :Task } UNION { ?b a :Person } }", "a: Task [string null], b: Person [string null]"},
		{"SELECT ?x { ?t :owner* ?x }", "x []"},
		{"SELECT ?none { ?t a :Task }", "none []"},
	} {
		q, err := stored.Parse(c.query, "q", s)
		if err != nil {
			if strings.Contains(c.query, "?none") { // refused when it is stored
				continue
			}
			t.Fatalf("%s: %v", c.query, err)
		}
		var got []string
		for _, cell := range q.Columns(s) {
			if cell.Says != "" {
				cell.Name += ": " + cell.Says
			}
			got = append(got, fmt.Sprintf("%s %v", cell.Name, cell.Types))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, got, c.want)
		}
	}
}
