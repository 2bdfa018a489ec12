package stored_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/capability/stored"
	"trails/schema"
)

const carrySchema = `
prefixes: {ex: "http://ex.org/"}
types:
  Person:
    properties:
      name: {type: string, required: true}
  Task:
    properties:
      title: {type: string, required: true}
      owner: {class: Person}
      due: date
      state: {type: string, one_of: [open, done]}
      rank: {type: integer, predicate: "http://ex.org/rank"}
  Note:
    properties:
      title: {type: string, required: true}
      about: {class: Task}
`

// carry makes a patch of carrySchema, and says what it does to one stored query.
func carry(t *testing.T, query, patch string) string {
	t.Helper()
	head, err := schema.ParseYAML([]byte(carrySchema), "urn:trails:test:")
	if err != nil {
		t.Fatal(err)
	}
	patched, err := head.Patch([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	kept := stored.FromQuads(stored.QuadsOf("q", query), head)
	if kept[0].Err != nil {
		t.Fatal(kept[0].Err)
	}
	all, err := stored.Carry(t.Context(), kept, head, patched)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range all {
		if c.Text != c.Was {
			fmt.Fprintf(&b, "%d renamed\n%s\n", c.Renamed, c.Text)
		}
		for _, f := range c.Broken {
			fmt.Fprintln(&b, f)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestARenamingCarriesStoredQueries(t *testing.T) {
	for _, c := range []struct{ name, query, patch, want string }{
		{"a property", "# :due\nSELECT ?t  { ?t :due ?d ; <urn:trails:test:due> ?e } # due", "rename_property: {Task.due: deadline}",
			"2 renamed\n# :due\nSELECT ?t  { ?t :deadline ?d ; <urn:trails:test:deadline> ?e } # due"},
		{"a type, and the parameters of it", "#+ description: of a Task\n#+ params: {t: ref(Task), many: {type: 'list(ref(Task))', nullable: true}, o: {default: Task/1, class: Task}}\nASK { ?t a :Task VALUES ?x { :Task } ?many :due ?d . ?o :due ?d }",
			"rename_type: {Task: Job}", "6 renamed\n#+ description: of a Task\n#+ params: {t: ref(Job), many: {type: 'list(ref(Job))', nullable: true}, o: {default: Job/1, class: Job}}\nASK { ?t a :Job VALUES ?x { :Job } ?many :due ?d . ?o :due ?d }"},
		{"the type of a view", "#+ view: \"types/Task?by=state\"\nASK { ?t a :Task }", "rename_type: {Task: Job}", "2 renamed\n#+ view: \"types/Job?by=state\"\nASK { ?t a :Job }"},
		{"both", "ASK { ?t a :Task ; :due ?d }", "- rename_type: {Task: Job}\n- rename_property: {Job.due: deadline}", "2 renamed\nASK { ?t a :Job ; :deadline ?d }"},
		{"a property whose predicate stays", "ASK { ?t ex:rank ?d }", "rename_property: {Task.rank: place}", ""},
		{"a property of two types where the type is known", "SELECT ?x { ?n a :Note ; :title ?x . ?t :due ?d ; :title ?x ; ^:about/:title ?y }", "rename_property: {Task.title: heading}",
			"1 renamed\nSELECT ?x { ?n a :Note ; :title ?x . ?t :due ?d ; :heading ?x ; ^:about/:title ?y }"},
		{"a property of two types where it is not", "SELECT ?x\n{ ?n :title ?x }", "rename_property: {Task.title: heading}",
			"q, line 2, column 6: :title means :heading of one type and :title of another; write which one is meant"},
		{"by the type of a parameter", "#+ params: {n: ref(Task)}\nSELECT ?x { ?n :title ?x }", "rename_property: {Task.title: heading}",
			"1 renamed\n#+ params: {n: ref(Task)}\nSELECT ?x { ?n :heading ?x }"},
		{"an update", "INSERT { ?t :state 'done' } WHERE { ?t :due ?d ; :state ?s };\nDELETE WHERE { ?t :state 'open' ; :owner ?o }", "rename_property: {Task.state: status}",
			"3 renamed\nINSERT { ?t :status 'done' } WHERE { ?t :due ?d ; :status ?s };\nDELETE WHERE { ?t :status 'open' ; :owner ?o }"},
		{"a prefix", "ASK { ?t ex:rank 1 }", "- prefixes: {ex: null}\n- alter_property: {Task.rank: {predicate: \"http://ex.org/rank\"}}", "1 renamed\nASK { ?t <http://ex.org/rank> 1 }"},
		{"what it does not name", "ASK { ?t :due ?d }", "rename_type: {Note: Memo}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := carry(t, c.query, c.patch); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestAChangeOfSchemaThatBreaksAStoredQueryIsFound(t *testing.T) {
	for _, c := range []struct{ name, query, patch, want string }{
		{"a property goes", "SELECT ?t\n{ ?t a :Task ; :due ?d }", "drop_property: Task.due", "q, line 2, column 16: the new schema has no :due"},
		{"a property of two types goes from one", "SELECT ?x { ?t :due ?d ; :title ?x }", "drop_property: Task.title", "q, line 1, column 26: ?t :title ?x can never match under the schema"},
		{"a type goes", "SELECT ?t {\n  ?t a :Note }", "drop_type: Note", "q, line 2, column 8: the new schema has no :Note"},
		{"a type of a parameter goes", "#+ description: x\n#+ params: {n: ref(Note)}\nSELECT ?x { ?n ?p ?x }", "drop_type: Note", `q, line 2: params.n.class: there is no type "Note"`},
		{"a value goes", "ASK { ?t :state 'done' }", "alter_property: {Task.state: {one_of: [open]}}", "can never match under the schema"},
		{"a datatype changes", "ASK { ?t a :Task ; ex:rank ?r FILTER(?r > 3) }", "alter_property: {Task.rank: {type: string}}", "q, line 1, column 20: ?r > 3 is never true"},
		{"a parameter's type fits no more", "#+ params: {d: date}\nASK { ?t :due ?d }", "alter_property: {Task.due: {type: datetime}}", "q, line 2, column 10: ?t :due ?d can never match"},
		{"a reference leads elsewhere", "ASK { ?n :about ?t . ?t :due ?d }", "alter_property: {Note.about: {class: Person}}", "can never match under the schema"},
		{"a type becomes abstract", "SELECT ?n { ?n a :Person }", "- add_type: {Worker: {extends: Person}}\n- alter_type: {Person: {abstract: true}}", "is abstract"},
		{"what was wrong before stays", "ASK { ?n :due ?d ; :about ?t }", "alter_property: {Note.about: {class: Person}}", ""},
		{"what adds breaks nothing", "ASK { ?n a :Person ; :name ?x }", "- add_type: {Worker: {extends: Person}}\n- add_property: {Note.due: date}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := carry(t, c.query, c.patch); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
