package kg_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/schema/migration"
)

// Each kind of step alone moves schema and data, says what it is, and goes back to the very
// statements that were there: by steps of its own, or, where it loses something, by the
// history.
func TestEachStepThereAndBack(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		step, says string
		byHistory  bool
		leaves     string // a part of a statement that is there after it, and was not before
	}{
		{"rename_type: {Person: Human}", "rename type Person to Human", false, ":Human>"},
		{"rename_property: {Person.nick: alias}", "rename property Person.nick to alias", false, `:alias> "annie"`},
		{"add_type: {Dog: {properties: {name: string}}}", "add type Dog (1 property)", false, ":Dog>"},
		{"drop_type: Person", "drop type Person", true, ""},
		{"alter_type: {Person: {description: Somebody}}", "change Person description", false, `"Somebody"`},
		{"add_property: {Person.age: integer}", "add property Person.age (integer)", false, ":age>"},
		{"add_property: {Person.active: {type: boolean, required: true, default: true}}", "add property Person.active (boolean, required, default true)", false, `:active> "true"`},
		{"drop_property: Person.note", "drop property Person.note", true, ""},
		{"alter_property: {Person.nick: {max_length: 40}}", "widen Person.nick max_length: 20 → 40", false, `"40"`},
		{"alter_property: {Person.nick: {max_length: null}}", "widen Person.nick max_length: 20 → none", false, ""},
		{"alter_property: {Person.nick: {max_length: 19}}", "narrow Person.nick max_length: 20 → 19", false, `"19"`},
		{"alter_property: {Person.nick: {pattern: '^[a-z ]+$'}}", "narrow Person.nick pattern: none → ^[a-z ]+$", false, `"^[a-z ]+$"`},
		{"alter_property: {Person.name: {required: false}}", "widen cardinality of Person.name min_count: 1 → 0", false, ""},
		{"alter_property: {Person.note: {many: true}}", "widen cardinality of Person.note max_count: 1 → none", false, ""},
		{"alter_property: {Person.knows: {max_count: 2}}", "narrow cardinality of Person.knows max_count: none → 2", false, `"2"`},
		{"alter_property: {Person.state: {one_of: [new, known, gone]}}", `extend enum Person.state one_of: ["new","known"] → ["new","known","gone"]`, false, `"gone"`},
		{"alter_property: {Person.state: {one_of: [known]}}", `narrow Person.state one_of: ["new","known"] → ["known"]`, false, ""},
		{"alter_property: {Person.knows: {class: null, type: iri}}", "change type of Person.knows class: Person → none", false, ""},
		{"convert_property: {Person.size: decimal}", "change type of Person.size: integer → decimal", false, `"7"^^<http://www.w3.org/2001/XMLSchema#decimal>`},
		{"convert_property: {Person.size: string}", "change type of Person.size: integer → string", false, `:size> "7" .`},
		{"convert_property: {Person.born: datetime}", "change type of Person.born: date → datetime", false, `"1990-02-01T00:00:00Z"`},
		{`split_property: {Person.full: {into: {first: string, last: string}, at: " "}}`, "split Person.full into first and last", false, `:last> "Lee Smith"`},
		{`merge_property: {Person.address: {from: [street, town], with: ", "}}`, "merge Person.street and town into address", true, `:address> "Main 1, York"`},
		{`update: {forward: 'INSERT {?p :state "new"} WHERE {?p a :Person FILTER NOT EXISTS {?p :state ?s}}', reverse: 'DELETE WHERE {?p :state "new"}'}`,
			`update of data: INSERT {?p :state "new"} WHERE {?p a :Person FILTER NOT EXISTS {?p :state ?s}}`, false, `:state> "new"`},
		{"update: {forward: 'DELETE WHERE {?p :note ?n}', reverse: history}", "update of data: DELETE WHERE {?p :note ?n}", true, ""},
	} {
		t.Run(c.step, func(t *testing.T) {
			g := people(t, beforeMigrations, peopleBefore)
			was := export(t, g, load.NQuads)
			given := migrations(t, "0001_x.yaml", "steps:\n- "+c.step+"\n")
			done, err := migrate(t, g, given)
			if err != nil {
				t.Fatal(err)
			}
			if got := saidOf(done); got != c.says || (done.ByHistory != "") != c.byHistory {
				t.Errorf("it says %q, and goes back by the history because of %q; want %q, %t", got, done.ByHistory, c.says, c.byHistory)
			}
			left := 0
			for line := range strings.Lines(export(t, g, load.NQuads)) {
				if !strings.Contains(line, migrationNode) && strings.Contains(line, c.leaves) && !strings.Contains(was, line) {
					left++
				}
			}
			if c.leaves != "" && left == 0 {
				t.Errorf("nothing new has %s", c.leaves)
			}
			if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(was, "\n"), strings.Split(export(t, g, load.NQuads), "\n")); d != "" {
				t.Errorf("back from it:\n%s", d)
			}
		})
	}
}

// No step about values takes the language of a text away: it names the text and the way that
// says what is lost.
func TestALanguageIsNotLostByAStep(t *testing.T) {
	const tagged = `{type: lang_string, many: true}`
	for _, c := range []struct{ step, way string }{
		{"convert_property: {Person.name: {type: string, many: true}}", "alter_property: {Person.name: {type: string}}\n- update: {forward: 'DELETE {?p :name ?n} INSERT {?p :name ?plain} WHERE {?p :name ?n BIND(STR(?n) AS ?plain)}', reverse: history}"},
		{"convert_property: {Person.name: {type: integer, many: true}}", ""},
		{`split_property: {Person.title: {into: {first: string, last: string}, at: " "}}`, ""},
		{`merge_property: {Person.all: {from: [title, note], with: " "}}`, ""},
		{`merge_property: {Person.all: {from: [note, title], with: " "}}`, ""},
		{"convert_property: {Person.name: {type: lang_string, many: true, description: Names}}", "convert_property: {Person.name: {type: lang_string, many: true, description: Names}}"},
	} {
		g := people(t, "types: {Person: {properties: {name: "+tagged+", title: lang_string, note: string}}}",
			`{"type":"Person","id":"p","data":{"name":[{"lang":"en","value":"1"},{"lang":"fr","value":"1"}],"title":{"lang":"fr","value":"chat noir"},"note":"n"}}`+"\n")
		before := export(t, g, load.NQuads)
		if c.step != c.way {
			_, err := migrate(t, g, migrations(t, "0001_a.yaml", "steps:\n- "+c.step+"\n"))
			if !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "would lose its language") || !strings.Contains(err.Error(), "write an update with STR") {
				t.Errorf("%s: %v", c.step, err)
			}
		}
		if export(t, g, load.NQuads) != before {
			t.Errorf("%s changed the graph", c.step)
		}
		if c.way == "" {
			continue
		}
		done, err := migrate(t, g, migrations(t, "0001_a.yaml", "steps:\n- "+c.way+"\n"))
		var loses int64
		for _, step := range done.Steps {
			loses += step.Removes
		}
		if kept := strings.Contains(export(t, g, load.NQuads), `"1"@fr`); err != nil || kept != (loses == 0) {
			t.Errorf("%s: loses %d and keeps the language: %t, %v", c.way, loses, kept, err)
		}
	}
}

// migrationNode is in the statements of the record of a migration.
var migrationNode = string(migration.Record{Number: 1}.Node())

// saidOf is what the steps of a migration say.
func saidOf(m kg.Migrated) string {
	var said []string
	for _, s := range m.Steps {
		said = append(said, s.What)
	}
	return strings.Join(said, "; ")
}
