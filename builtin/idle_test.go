package builtin_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// people has a reference of one value and of many, and texts.
const people = `
types:
  Team: {iri: preserve, properties: {name: {type: string}}}
  Person:
    iri: preserve
    properties:
      name: {type: string}
      age: {type: integer}
      alias: {type: string, many: true}
      team: {class: Team}
      knows: {class: Person, many: true}
`

// idle are writes that change nothing in the graph of [TestAWriteThatChangesNothingSaysWhy],
// and what they say.
var idle = []struct{ name, capability, args, says string }{
	{"a statement to remove that is not there", "mutate", `{"update": "DELETE DATA { :Person\\/ann :alias \"an\" }"}`, `this changes nothing: Person/ann has no :alias "an"; it has "An", "Annie"`},
	{"a value of another datatype", "mutate", `{"update": "DELETE DATA { :Person\\/ann :age \"3\" }"}`, `this changes nothing: Person/ann has no :age "3"; it has 3`},
	{"a property without values", "mutate", `{"update": "DELETE DATA { :Person\\/bob :age 3 }"}`, `this changes nothing: Person/bob has no :age`},
	{"a node that is not there", "mutate", `{"update": "DELETE DATA { :Person\\/zoe :age 3 }"}`, `this changes nothing: nothing is said of Person/zoe`},
	{"a graph that is not there", "mutate", `{"update": "DELETE DATA { GRAPH <urn:g> { :Person\\/ann :age 3 } }"}`, `this changes nothing: nothing is said of Person/ann in graph <urn:g>`},
	{"several statements to remove", "mutate", `{"update": "DELETE DATA { :Person\\/bob :age 1, 2 }"}`, `this changes nothing: none of 2 to remove is there: Person/bob has no :age`},
	{"a statement that is there", "mutate", `{"update": "INSERT DATA { :Person\\/ann :age 3 }"}`, `this changes nothing: it is there already: Person/ann :age 3`},
	{"several that are there", "mutate", `{"update": "INSERT DATA { :Person\\/ann :age 3 ; :team :Team\\/red }"}`, `this changes nothing: all 2 statements to add are there already, such as Person/ann :age 3`},
	{"a WHERE without a solution", "mutate", `{"update": "DELETE { ?s :age ?a } WHERE { ?s :age ?a FILTER(?a > 10) }"}`, `this changes nothing: WHERE has no solution`},
	{"variables without a value", "mutate", `{"update": "INSERT { ?s :age ?b } WHERE { ?s :age ?a }"}`, `this changes nothing: WHERE has solutions (1), and none makes a statement of the templates: it leaves a variable of theirs unbound, or puts a literal where a node must stand`},
	{"what is put in its own place", "mutate", `{"update": "DELETE { ?s :age ?a } INSERT { ?s :age ?a } WHERE { ?s :age ?a }"}`, `this changes nothing: it is there already: Person/ann :age 3`},
	{"no data", "mutate", `{"update": "INSERT DATA {}"}`, `this changes nothing: it names no statement`},
	{"an empty graph", "mutate", `{"update": "CLEAR GRAPH <urn:g>"}`, `this changes nothing: there is no graph <urn:g>`},
	{"no named graphs", "mutate", `{"update": "DROP NAMED"}`, `this changes nothing: there are no named graphs`},
	{"CREATE", "mutate", `{"update": "CREATE GRAPH <urn:g>"}`, `this changes nothing: a graph is there while it has statements, and needs no CREATE`},
	{"a copy to itself", "mutate", `{"update": "COPY DEFAULT TO DEFAULT"}`, `this changes nothing: it is from a graph to itself`},
	{"SILENT", "mutate", `{"update": "COPY SILENT <urn:g> TO <urn:h>"}`, `this changes nothing: SILENT passes over its refusal: graph <urn:g> is not there`},
	{"operations against each other", "mutate", `{"update": "INSERT DATA { :Person\\/bob :age 3 } ; DELETE DATA { :Person\\/bob :age 3 }"}`, `this changes nothing: what some operations do others take back: Person/bob :age 3`},
	{"a value that is taken away and comes again", "mutate", `{"update": "DELETE DATA { :Person\\/ann :age 3 } ; INSERT DATA { :Person\\/ann :age 3 }"}`, `this changes nothing: what some operations do others take back: Person/ann :age 3`},
	{"by patterns", "mutate", `{"update": "DELETE WHERE { ?s :age ?a } ; INSERT { ?s :age 3 } WHERE { ?s :team ?t }"}`, `this changes nothing: what some operations do others take back: Person/ann :age 3`},
	{"several values that come again", "mutate", `{"update": "DELETE WHERE { ?s :alias ?a } ; INSERT DATA { :Person\\/ann :alias \"An\", \"Annie\" }"}`, `this changes nothing: what some operations do others take back: Person/ann :alias "An" (and 1 more)`},
	{"two operations", "mutate", `{"update": "DELETE DATA { :Person\\/bob :age 3 } ; CLEAR GRAPH <urn:g>"}`, `operation 1 changes nothing: Person/bob has no :age|operation 2 changes nothing: there is no graph <urn:g>`},
	{"a value that is there", "person.update", `{"id": "ann", "age": 3}`, `this changes nothing: it is there already: Person/ann :age 3`},
	{"a property to remove", "person.update", `{"id": "bob", "age": null}`, `this changes nothing: Person/bob has no :age`},
	{"a value to remove", "person.update", `{"id": "ann", "remove": {"alias": ["an"]}}`, `this changes nothing: Person/ann has no :alias "an"; it has "An", "Annie"`},
	{"a value to add", "person.update", `{"id": "ann", "add": {"alias": ["An"]}}`, `this changes nothing: it is there already: Person/ann :alias "An"`},
	{"to remove and to add", "person.update", `{"id": "ann", "add": {"alias": ["An"]}, "remove": {"alias": ["an"]}}`, `this changes nothing: it is there already: Person/ann :alias "An"; Person/ann has no :alias "an"; it has "An", "Annie"`},
	{"no properties", "person.update", `{"id": "ann"}`, `this changes nothing: no value to add or remove is given`},
	{"a link that is there", "link", `{"from": "Person/ann", "property": "team", "to": "Team/red"}`, `this changes nothing: it is there already: Person/ann :team Team/red`},
	{"a link that is not there", "unlink", `{"from": "Person/ann", "property": "team", "to": "Team/blue"}`, `this changes nothing: Person/ann does not refer to Team/blue by team`},
	{"one of many", "unlink", `{"from": "Person/ann", "property": "knows", "to": "Person/bob"}`, `this changes nothing: Person/ann has no :knows`},
	{"a load of what is there", "load", `{"data": "{\"type\":\"Team\",\"id\":\"red\",\"data\":{}}"}`, `this changes nothing: it is there already: Team/red a :Team`},
	{"a load of nothing", "load", `{"data": "\n", "format": "ndjson"}`, `this changes nothing: the data has no statements`},
	{"the schema that is there", "schema_apply", `{"patch": "- alter_property: {Person.age: {type: integer}}"}`, `step 1 changes nothing: alter_property Person.age: it is so already`},
	{"a name that is given away and taken back", "schema_apply", `{"patch": "[{rename_property: {Person.alias: aka}}, {rename_property: {Person.aka: alias}}]"}`, `step 1 changes nothing: rename_property Person.alias: it is so already|step 2 changes nothing: rename_property Person.alias: it is so already`},
	{"a property that comes and goes", "schema_apply", `{"patch": "[{add_property: {Person.due: date}}, {drop_property: Person.due}]"}`, `step 1 changes nothing: add_property Person.due: another step takes it back|step 2 changes nothing: drop_property Person.due: another step takes it back`},
	{"a whole schema that is there", "schema_apply", `{"schema": SCHEMA}`, `this changes nothing: it is so already`},
}

// peopleData is what there is of people.
const peopleData = `{"data": "{\"type\":\"Team\",\"id\":\"red\",\"data\":{}}\n{\"type\":\"Team\",\"id\":\"blue\",\"data\":{}}\n{\"type\":\"Person\",\"id\":\"ann\",\"data\":{\"age\":3,\"alias\":[\"Annie\",\"An\"],\"team\":\"Team/red\"}}\n{\"type\":\"Person\",\"id\":\"bob\",\"data\":{\"knows\":[\"Person/ann\"]}}"}`

// partly are writes of which a part changes nothing, and what they say; those that change all
// that they name say nothing.
var partly = []struct{ name, capability, args, says string }{
	{"all of it", "person.update", `{"id": "ann", "age": 4, "add": {"alias": ["Ann"]}, "remove": {"alias": ["An"]}}`, ``},
	{"a value that stays beside one that does not", "person.update", `{"id": "ann", "age": 3, "name": "Ann"}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/ann :age 3`},
	{"all values of a list", "person.update", `{"id": "ann", "alias": ["An", "Anna"]}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/ann :alias "An"`},
	{"a property to remove that there is none of", "person.update", `{"id": "bob", "age": null, "name": "Bob"}`, `a part of this changes nothing: Person/bob has no :age`},
	{"values to remove", "person.update", `{"id": "ann", "remove": {"alias": ["An", "an"]}}`, `a part of this changes nothing: 1 of 2 to remove is not there: Person/ann has no :alias "an"; it has "Annie"`},
	{"values to add", "person.update", `{"id": "ann", "add": {"alias": ["An", "Ann"]}}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/ann :alias "An"`},
	{"one to remove and one to add", "person.update", `{"id": "ann", "remove": {"alias": ["an"]}, "add": {"alias": ["Ann"]}}`, `a part of this changes nothing: Person/ann has no :alias "an"; it has "An", "Annie", "Ann"`},
	{"by the verb", "update", `{"id": "Person/ann", "set": {"age": 3, "name": "Ann"}}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/ann :age 3`},
	{"what is unset", "update", `{"id": "Person/ann", "unset": ["age", "name"]}`, `a part of this changes nothing: 1 of 2 to remove is not there: Person/ann has no :name`},
	{"a link beside a new one", "person.update", `{"id": "bob", "add": {"knows": ["Person/ann", "Person/bob"]}}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/bob :knows Person/ann`},
	{"statements to add", "mutate", `{"update": "INSERT DATA { :Person\\/ann :age 3 ; :alias \"Ann\", \"An\" }"}`, `a part of this changes nothing: 2 of 3 statements to add are there already, such as: Person/ann :age 3`},
	{"statements to remove", "mutate", `{"update": "DELETE DATA { :Person\\/ann :age 3 . :Person\\/bob :age 3 }"}`, `a part of this changes nothing: 1 of 2 to remove is not there: Person/bob has no :age`},
	{"deletes that match nothing", "mutate", `{"update": "DELETE { ?s :age 5 } INSERT { ?s :age 4 } WHERE { ?s a :Person MINUS { ?s :age ?a } }"}`, `a part of this changes nothing: Person/bob has no :age 5; it has 4`},
	{"a template without a value", "mutate", `{"update": "DELETE { ?s :age ?a } INSERT { ?s :age 4 } WHERE { ?s a :Person MINUS { ?s :age ?b } OPTIONAL { ?s :age ?a } }"}`, `a part of this changes nothing: { ?s :age ?a } makes no statement: WHERE has solutions (1), which leave a variable of it unbound, or put a literal where a node must stand`},
	{"two patterns without a value", "mutate", `{"update": "INSERT { ?s :age 4 . ?s :alias ?a . ?s :name ?n } WHERE { ?s a :Person MINUS { ?s :age ?b } OPTIONAL { ?s :alias ?a } OPTIONAL { ?s :name ?n } }"}`, `a part of this changes nothing: { ?s :alias ?a } (and 1 more) makes no statement: WHERE has solutions (1), which leave a variable of it unbound, or put a literal where a node must stand`},
	{"some that are put in their own place", "mutate", `{"update": "DELETE { ?s :age ?a } INSERT { ?s :age 3 } WHERE { ?s a :Person OPTIONAL { ?s :age ?a } }"}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/ann :age 3`},
	{"two operations", "mutate", `{"update": "DELETE DATA { :Person\\/bob :age 4 } ; INSERT DATA { :Person\\/bob :age 4 }"}`, `operation 1 changes nothing: Person/bob has no :age`},
	{"a part of one of two operations", "mutate", `{"update": "DELETE DATA { :Person\\/bob :age 4 . :Person\\/ann :age 3 } ; INSERT DATA { :Person\\/bob :age 4 }"}`, `a part of operation 1 changes nothing: 1 of 2 to remove is not there: Person/bob has no :age`},
	{"a template of one of two operations", "mutate", `{"update": "INSERT DATA { :Person\\/bob :age 4 } ; INSERT { ?s :alias ?a . ?s :name \"B\" } WHERE { ?s :age 4 OPTIONAL { ?s :alias ?a } }"}`, `a part of operation 2 changes nothing: { ?s :alias ?a } makes no statement: WHERE has solutions (1), which leave a variable of it unbound, or put a literal where a node must stand`},
	{"a value that comes again beside one that is new", "mutate", `{"update": "DELETE DATA { :Person\\/ann :age 3 } ; INSERT DATA { :Person\\/ann :age 3 ; :name \"Ann\" }"}`, `a part of this changes nothing: what some operations do others take back: Person/ann :age 3`},
	{"a value that another takes the place of", "mutate", `{"update": "DELETE DATA { :Person\\/ann :age 3 } ; INSERT DATA { :Person\\/ann :age 4 }"}`, ``},
	{"a step of a patch beside one that changes", "schema_apply", `{"patch": "[{add_property: {Person.due: date}}, {alter_property: {Person.age: {type: integer}}}]"}`, `step 2 changes nothing: alter_property Person.age: it is so already`},
	{"a part of a step of a patch", "schema_apply", `{"patch": "[{alter_property: {Person.name: {description: N}, Person.age: {type: integer}}}]"}`, `a part of step 1 changes nothing: alter_property Person.age: it is so already`},
	{"steps of a migration", "trails.meta.migrate.apply", `{"migrations": [{"name": "0001_a.yaml", "text": "steps:\n- add_property: {Person.due: date}\n- alter_property: {Person.age: {type: integer}}\n- update: {forward: 'DELETE WHERE { ?s :age 99 }', reverse: history}\n- update: {forward: 'INSERT { ?s :age 3 } WHERE { ?s :age 3 }', reverse: history}\n- update: {forward: 'DELETE { ?s :age 3 } INSERT { ?s :age 4 } WHERE { ?s :age 3 }', reverse: history}\n- convert_property: {Person.age: integer}\n"}]}`, `step 2 changes nothing: alter_property Person.age: it is so already|step 3 changes nothing: WHERE has no solution|step 4 changes nothing: it is there already: Person/ann :age 3|step 6 changes nothing: convert_property Person.age: it is so already`},
	{"the update of a migration", "trails.meta.migrate.apply", `{"migrations": [{"name": "0001_a.yaml", "text": "steps: [{update: {forward: 'INSERT { ?s :age 3 } WHERE { ?s :age 3 }', reverse: history}}]"}]}`, `step 1 changes nothing: what it would add is there already, and what it would remove is not`},
	{"records that are there", "load", `{"data": "{\"type\":\"Team\",\"id\":\"red\",\"data\":{}}\n{\"type\":\"Team\",\"id\":\"green\",\"data\":{}}\n{\"type\":\"Person\",\"id\":\"ann\",\"data\":{\"age\":3,\"name\":\"Ann\"}}"}`, `a part of this changes nothing: 1 of 3 nodes is as the data says already: Team/red`},
	{"links of a load", "load", `{"data": "{\"edge\":\"knows\",\"from\":\"Person/bob\",\"to\":\"Person/ann\"}\n{\"edge\":\"knows\",\"from\":\"Person/bob\",\"to\":\"Person/bob\"}"}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/bob :knows Person/ann`},
	{"statements of a load", "load", `{"data": "<urn:trails:example:Person/bob> <urn:trails:example:knows> <urn:trails:example:Person/ann>, <urn:trails:example:Person/bob> .", "format": "turtle"}`, `a part of this changes nothing: 1 of 2 statements to add is there already: Person/bob :knows Person/ann`},
	{"new records", "load", `{"data": "{\"type\":\"Team\",\"id\":\"green\",\"data\":{\"name\":\"Green\"}}"}`, ``},
	{"a new node", "person.create", `{"id": "zoe", "age": 3}`, ``},
	{"a new link", "link", `{"from": "Person/ann", "property": "team", "to": "Team/blue"}`, ``},
	{"a node that goes", "person.delete", `{"id": "ann", "detach": true}`, ``},
}

// A write, or an operation of an update, that changes nothing says why, whether it is tried or
// made, and so does one of which a part changes nothing; one that changes all of it does not.
func TestAWriteThatChangesNothingSaysWhy(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, people, invoke.Config{})
	e.Must(t, "load", peopleData)
	for _, w := range idle {
		for _, dry := range []string{"", `"dry_run": true, `} {
			did := e.Must(t, w.capability, "{"+dry+strings.ReplaceAll(w.args[1:], "SCHEMA", strconv.Quote(people)))
			if got := strings.Join(changesNothing(did), "|"); got != w.says || did["commit"] != nil || fmt.Sprint(did["added"], did["removed"]) != "0 0" {
				t.Errorf("%s: got %s and %v, want %s", w.name, got, did, w.says)
			}
		}
	}
	for _, w := range partly {
		for _, dry := range []string{`"dry_run": true, `, ""} {
			did := e.Must(t, w.capability, "{"+dry+strings.ReplaceAll(w.args[1:], "SCHEMA", strconv.Quote(people)))
			if got := strings.Join(changesNothing(did), "|"); got != w.says || fmt.Sprint(did["added"], did["removed"]) == "0 0" {
				t.Errorf("%s: got %q and %v, want %q", w.name, got, did, w.says)
			}
			switch {
			case dry != "":
			case w.capability == "trails.meta.migrate.apply":
				e.Must(t, "trails.meta.migrate.rollback", `{}`)
			default:
				e.Must(t, "undo", fmt.Sprintf(`{"commit": %q}`, did["commit"]))
			}
		}
	}
}

// changesNothing are the warnings of an answer that say so.
func changesNothing(did map[string]any) (told []string) {
	texts, _ := did["warnings"].([]any)
	for _, text := range texts {
		if strings.Contains(text.(string), "changes nothing") {
			told = append(told, text.(string))
		}
	}
	return told
}
