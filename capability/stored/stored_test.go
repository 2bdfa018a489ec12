package stored_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/capability/stored"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

func testSchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.ParseYAML([]byte(`
types:
  Person:
    properties:
      name: {type: string, required: true}
  Task:
    properties:
      title: {type: string, required: true}
      owner: {class: Person}
      due: date
`), "urn:trails:test:")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const tasks = `
#+ id: open_tasks
#+ description: Tasks of an owner.
#+ instruction: Search the owner first.
#+ params:
#+   owner: {type: ref(Person), description: Whose}
#+   before: {type: date, default: 2030-01-01}
#+   titles: {type: list(string), nullable: true}
# a comment between
SELECT ?task ?title WHERE { ?task :owner ?owner ; :due ?due ; :title ?title FILTER(?due < ?before) FILTER(!BOUND(?titles) || ?title != ?titles) }`

func TestAQueryIsItsTextAndWhatItsFirstLinesSay(t *testing.T) {
	s := testSchema(t)
	q, err := stored.Parse(tasks, "file", s)
	if err != nil {
		t.Fatal(err)
	}
	if q.ID != "open_tasks" || q.Capability() != "open_tasks" || !q.Exposed || q.Kind() != "query" || q.Signature() != "owner: Person, before: date?, titles: list(string)?" {
		t.Errorf("got %+v", q)
	}
	d := q.Descriptor(s).Completed()
	params, _ := d.InputShape.Field("params")
	var fields []string
	for _, f := range params.Fields {
		fields = append(fields, fmt.Sprintf("%s %s %s required=%t many=%t nullable=%t", f.Name, f.Type, f.NodeType, f.Required, f.Many, f.Nullable))
	}
	want := "owner iri Person required=true many=false nullable=false; before date  required=false many=false nullable=false; titles string  required=false many=true nullable=true"
	if got := strings.Join(fields, "; "); got != want || !params.Required || d.Description != "Tasks of an owner. Search the owner first." {
		t.Errorf("got %s\nof %s", got, d.Description)
	}
	again, err := stored.Parse(q.Text, "", s)
	if err != nil || again.ID != q.ID {
		t.Errorf("from its own text: %v", err)
	}
	if all := stored.FromQuads(stored.QuadsOf(q.ID, q.Text), s); len(all) != 1 || all[0].Err != nil || all[0].Query.Signature() != q.Signature() {
		t.Errorf("from its quads: %+v", all)
	}
}

func TestEveryKindOfParameterHasItsType(t *testing.T) {
	for kind, want := range map[string]string{
		"string": "string", "bool": "boolean", "int": "integer", "bigint": "big_integer", "float": "float", "decimal": "decimal", "date": "date",
		"datetime": "datetime", "iri": "iri", "ref(Task)": "Task", "blob": "bytes", "vector": "vector", "list": "list(string)", "list(int)": "list(integer)", "list(ref(Task))": "list(Task)",
	} {
		q, err := stored.Parse("#+ params: {p: "+kind+"}\nASK { ?s ?x ?p }", "a", testSchema(t))
		if err != nil || q.Signature() != "p: "+want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestWhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no name", "ASK {}", `id: the query needs a name`},
		{"a name that is none", "#+ id: Open Tasks\nASK {}", `line 1: id: capability id "Open Tasks" must be dotted lower case`},
		{"one of ours", "#+ id: trails.meta.x\nASK {}", `line 1: id: names that begin with trails. belong to trails itself`},
		{"an unknown key", "#+ id: a\n#+ parms: {}\nASK {}", `did you mean "params"?`},
		{"a key twice", "#+ id: a\n#+ id: b\nASK {}", `line 2: id: this is here twice; keep one`},
		{"no YAML", "#+ id: [\nASK {}", `the front matter is not YAML`},
		{"no mapping", "#+ just text\nASK {}", `line 1: the front matter must be a mapping`},
		{"an alias", "#+ id: &x a\n#+ description: *x\nASK {}", `anchors and aliases`},
		{"an unknown type", "#+ id: a\n#+ params:\n#+   p: txt\nASK { ?s ?x ?p }", `line 3: params.p.type: there is no datatype "txt"`},
		{"an unknown class", "#+ id: a\n#+ params: {p: ref(Persn)}\nASK { ?s ?x ?p }", `line 2: params.p.class: there is no type "Persn"; did you mean "Person"?`},
		{"a default that does not fit", "#+ id: a\n#+ params: {p: {type: int, default: x}}\nASK { ?s ?x ?p }", `params.p.default`},
		{"what is no matter of a parameter", "#+ id: a\n#+ params: {p: {type: int, unique: true}}\nASK { ?s ?x ?p }", `params.p.unique: a parameter is no statement`},
		{"nullable is no word", "#+ id: a\n#+ params: {p: {type: int, nullable: maybe}}\nASK { ?s ?x ?p }", `nullable: this must be true or false`},
		{"an unused parameter", "#+ id: a\n#+ params: {p: int}\nASK { ?s ?x ?y }", `line 2: params.p: the text names no variable ?p`},
		{"a parameter with a value", "#+ id: a\n#+ params: {p: int}\nASK { BIND(1 AS ?p) }", `the text gives ?p a value itself`},
		{"an unbound variable", "#+ id: a\nSELECT ?x { ?s ?p ?o FILTER(?y) }", `line 2, column 29: query: ?y has no value: no pattern binds it`},
		{"what can be left out and is compared", "#+ id: a\n#+ params: {p: {type: int, nullable: true}}\nASK { ?s ?q ?o FILTER(?o < ?p) }", `line 2: params.p: when ?p is left out, what is compared with it is never true`},
		{"an unknown cost", "#+ id: a\n#+ cost: cheap\nASK {}", `cost: there are`},
		{"no SPARQL", "#+ id: a\nSELECT * {\n  ?s ?p }", `line 3, column 9`},
		{"nothing", "#+ id: a\n", `there is no query and no update`},
		{"too long", "#+ id: a\nASK {} #" + strings.Repeat("x", 1<<18), `at most 262144 are allowed`},
		{"no text", "#+ id: a\n#+ description: \xff\nASK {}", `not valid UTF-8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := stored.Parse(c.text, "", testSchema(t))
			if err == nil {
				t.Fatal("it was taken")
			}
			said := fault.Of(err).Message
			for _, f := range fault.Of(err).Fields {
				said += "\n" + f.Source + ": " + f.Message
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("got %s\nwant %s", said, c.want)
			}
		})
	}
}

func TestValuesAreTermsOfTheirTypes(t *testing.T) {
	s := testSchema(t)
	q, err := stored.Parse(tasks, "", s)
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		`{"owner": "ana"}`: `[urn:trails:test:Person/ana 2030-01-01] 0`,
		`{"owner": "Person/ana", "before": "2026-01-01", "titles": ["a", "b"]}`: `[urn:trails:test:Person/ana 2026-01-01] 2`,
		`{"owner": "Person/ana", "titles": []}`:                                 `[urn:trails:test:Person/ana 2030-01-01] 0`,
		`{}`:                                                                    `params.owner: owner is required`,
		`{"owner": 3, "before": 4}`:                                             `params.before: before`,
		`{"owner": "\" . } DROP"}`:                                              `[urn:trails:test:Person/%22%20.%20%7D%20DROP 2030-01-01] 0`, // an id
	} {
		var args map[string]any
		if err := json.Unmarshal([]byte(given), &args); err != nil {
			t.Fatal(err)
		}
		values, err := q.Values(s, args)
		got := ""
		if err != nil {
			f := fault.Of(err).Fields[0]
			got = f.Field + ": " + f.Message
		} else {
			rows := 0
			for _, table := range values.Tables {
				rows += len(table.Rows)
			}
			got = fmt.Sprintf("[%v %v] %d", rdf.Lexical(values.Terms["owner"]), rdf.Lexical(values.Terms["before"]), rows)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", given, got, want)
		}
	}
}
