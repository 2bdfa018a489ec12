package stored_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"trails/capability/stored"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

const writeSchema = `
prefixes: {ex: "http://ex.org/"}
types:
  Person:
    properties:
      name: {type: string, required: true}
  Worker:
    extends: Person
    properties:
      grade: {type: integer, min_value: 1, max_value: 9}
  Task:
    properties:
      title: {type: string, required: true, max_length: 5, pattern: "^[a-z]*$"}
      state: {type: string, one_of: [open, done], required: true, default: open}
      owner: {class: Person}
      tags: {type: string, many: true}
`

func TestAnUpdateThatCouldNeverBeValidIsRefused(t *testing.T) {
	s, err := schema.ParseYAML([]byte(writeSchema), "urn:trails:test:")
	if err != nil {
		t.Fatal(err)
	}
	checker, err := stored.NewChecker(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, refused, doubt string }{
		{"a new node without what it needs", "INSERT { [] a :Task ; :owner ?p } WHERE { ?p a :Person }", "line 1, column 15: INSERT: title is required, and nothing here gives a value", ""},
		{"a node of a function", "INSERT { ?t a :Task }\nWHERE { BIND(UUID() AS ?t) }", "line 1, column 15: INSERT: title is required", ""},
		{"with a value of the text", "INSERT { [] a :Task ; :title 'a' } WHERE {}", "", ""},
		{"with a value of a variable", "INSERT { [] a :Task ; :title ?x } WHERE { ?p :name ?x }", "", ""},
		{"with a property that is a variable", "INSERT { [] a :Task ; ?p ?x } WHERE { ?t a :Task ; ?p ?x }", "", ""},
		{"a node that may be there", "#+ params: {t: ref(Task)}\nINSERT { ?t a :Task } WHERE {}", "", "title is required, and nothing here gives a value; it fails for a node that has none yet"},
		{"a node that has it", "INSERT { ?t a :Task } WHERE { ?t :title ?x }", "", ""},
		{"a value that is not listed", "INSERT { ?t :state 'gone' } WHERE { ?t a :Task }", "line 1, column 13: INSERT: state must be", ""},
		{"a value of a parameter's node", "#+ params: {t: ref(Task)}\nDELETE { ?t :state ?s } INSERT { ?t :state 'gone' }\nWHERE { ?t :state ?s }", "line 2, column 37: INSERT: state must be", ""},
		{"a value of whatever node", "INSERT { ?t :state 'gone' } WHERE { ?t :owner ?p }", "", "line 1, column 13: INSERT: state must be"},
		{"a value too long", "INSERT DATA { <urn:x> a :Task ; :title 'abcdef' }", "title must have at most 5", ""},
		{"a value of another form", "INSERT { ?t :title 'A' } WHERE { ?t a :Task }", "title", ""},
		{"a value out of bounds", "#+ params: {w: ref(Worker)}\nINSERT { ?w :grade 10 } WHERE {}", "grade must be", ""},
		{"a value of another datatype", "INSERT { ?w :grade 'x' } WHERE { ?w a :Worker }", "grade must be", ""},
		{"two values of one", "INSERT { ?t :state 'open', 'done' } WHERE { ?t a :Task }", "state", ""},
		{"two of many", "INSERT { ?t :tags 'a', 'b' } WHERE { ?t a :Task }", "", ""},
		{"an undeclared property", "INSERT { ?t :titel 'a' } WHERE { ?t a :Task }", "line 1, column 13: INSERT:", ""},
		{"an undeclared class", "INSERT { ?t a :Tusk } WHERE { ?t ex:p 'a' }", "line 1, column 15: INSERT:", ""},
		{"one in a graph", "INSERT { GRAPH ex:g { ?t :titel 'a' } } WHERE { ?t a :Task }", "INSERT:", ""},
		{"another vocabulary", "INSERT { ?t ex:titel 'a' } WHERE { ?t a :Task }", "", ""},
		{"a parameter of another type", "#+ params: {x: int}\nINSERT { ?t :title ?x } WHERE { ?t a :Task }", "line 2, column 13: INSERT: title is string, and the parameter ?x is integer", ""},
		{"a parameter that fits", "#+ params: {x: string, p: ref(Worker)}\nINSERT { ?t :title ?x ; :owner ?p } WHERE { ?t a :Task }", "", ""},
		{"what is taken back", "INSERT { ?t :state 'gone' } WHERE { ?t a :Task }; DELETE WHERE { ?t :state 'gone' }", "", "can never match"},
		{"a property that is needed and removed", "#+ params: {t: ref(Task)}\nDELETE { ?t :title ?x } WHERE { ?t :title ?x }", "", "line 2, column 13: DELETE takes title, which Task needs"},
		{"and replaced", "DELETE { ?t :title ?x } INSERT { ?t :title ?y } WHERE { ?t a :Task ; :title ?x BIND(CONCAT(?x, 'a') AS ?y) }", "", ""},
		{"with the node", "DELETE { ?t ?p ?o ; :title ?x } WHERE { ?t a :Task ; :title ?x ; ?p ?o }", "", ""},
		{"what nothing knows", "SELECT ?t { ?t a :Task ; :titel ?x }", "", "line 1, column 26: neither the schema nor the data has the property :titel"},
		{"what cannot match by a parameter", "#+ params: {x: int}\nSELECT ?t { ?t :title ?x }", "", "line 2, column 16: ?t :title ?x can never match"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := stored.Parse(c.text, "q", s)
			if err != nil {
				t.Fatal(err)
			}
			refused, err := checker.Refused(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			doubts, err := checker.Doubts(t.Context(), empty{}, q)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(refused); !strings.Contains(got, c.refused) || c.refused == "" && got != "[]" {
				t.Errorf("refused is %s\nwant %s", got, c.refused)
			}
			if got := fmt.Sprint(doubts); c.doubt != "" && !strings.Contains(got, c.doubt) || c.doubt == "" && c.refused == "" && got != "[]" {
				t.Errorf("doubts are %s\nwant %s", got, c.doubt)
			}
		})
	}
}

// empty is a graph without statements.
type empty struct{}

func (empty) Match(context.Context, rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(func(rdf.Quad, error) bool) {}
}
func (empty) Predicates(context.Context) ([]rdf.IRI, error)            { return nil, nil }
func (empty) Datatype(context.Context, rdf.IRI) rdf.IRI                { return "" }
func (empty) Graphs(context.Context, int) ([]rdf.IRI, error)           { return nil, nil }
func (empty) Absent(context.Context, rdf.IRI) (string, error)          { return "", nil }
func (empty) Alike(context.Context, rdf.IRI, string) (rdf.Term, error) { return nil, nil }
func (empty) Named(context.Context, string) ([]rdf.IRI, error)         { return nil, nil }
func (empty) Solved(context.Context, sparql.Op) (bool, error)          { return true, nil }
