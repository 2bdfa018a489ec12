package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/schema/migration"
)

const beforeMigrations = `
types:
  Person:
    label: name
    properties:
      name: {type: string, required: true}
      full: string
      state: {type: string, one_of: [new, known]}
      size: {type: integer}
      born: date
      nick: {type: string, max_length: 20}
      note: string
      street: string
      town: string
      knows: {class: Person, many: true}
`

// tenMigrations are one of each kind.
var tenMigrations = []string{
	"0001_type.yaml", "description: People are humans.\nsteps:\n- rename_type: {Person: Human}\n",
	"0002_property.yaml", "steps:\n- rename_property: {Human.knows: friend}\n",
	"0003_add.yaml", "steps:\n- add_property: {Human.active: {type: boolean, required: true, default: true}}\n",
	"0004_split.yaml", "steps:\n- split_property: {Human.full: {into: {first: string, last: string}, at: \" \"}}\n",
	"0005_merge.yaml", "steps:\n- merge_property: {Human.address: {from: [street, town], with: \", \"}}\n",
	"0006_narrow.yaml", "steps:\n- update:\n    forward: |\n      DELETE { ?h :nick ?n } INSERT { ?h :nick ?short }\n      WHERE { ?h :nick ?n BIND(SUBSTR(?n, 1, 10) AS ?short) FILTER(?n != ?short) }\n    reverse: history\n- alter_property: {Human.nick: {max_length: 10}}\n",
	"0007_widen.yaml", "steps:\n- alter_property: {Human.name: {required: false}}\n- alter_property: {Human.note: {many: true}}\n",
	"0008_convert.yaml", "steps:\n- convert_property: {Human.size: decimal}\n- convert_property: {Human.born: datetime}\n",
	"0009_enum.yaml", "steps:\n- alter_property: {Human.state: {one_of: [new, known, gone]}}\n- update:\n    forward: INSERT { ?h :state \"new\" } WHERE { ?h a :Human FILTER NOT EXISTS { ?h :state ?s } }\n    reverse: DELETE { ?h :state \"new\" } WHERE { ?h a :Human ; :state \"new\" }\n",
	"0010_drop.yaml", "steps:\n- drop_property: Human.note\n",
}

const peopleBefore = `{"type":"Person","id":"p1","data":{"name":"Ann","full":"Ann Lee Smith","state":"known","size":7,"born":"1990-02-01","nick":"annie","note":"a","street":"Main 1","town":"York"}}
{"type":"Person","id":"p2","data":{"name":"Plato","full":"Plato","size":12,"nick":"one from the cave","town":"Athens","knows":["Person/p1"]}}
{"type":"Person","id":"p3","data":{"name":"Zed","note":"z","street":"Side 2"}}
{"type":"Person","id":"p4","data":{"name":"Eve","state":"known","knows":["Person/p1","Person/p4"]}}
`

// peopleElsewhere is said of people in a named graph, and of a node that is of no type.
const peopleElsewhere = `<urn:trails:t:Person/p1> <urn:trails:t:knows> <urn:trails:t:Person/p3> <urn:g> .
<urn:else> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:trails:t:Person> <urn:g> .
<urn:else> <urn:trails:t:knows> <urn:trails:t:Person/p3> .
`

func migrations(t testing.TB, texts ...string) []*migration.Migration {
	t.Helper()
	var all []*migration.Migration
	for i := 0; i < len(texts); i += 2 {
		m, err := migration.Parse(texts[i], texts[i+1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func migrate(t testing.TB, g *kg.Graph, given []*migration.Migration) (kg.Migrated, error) {
	t.Helper()
	done, _, err := g.Session(ana).ApplyMigration(t.Context(), kg.MigrationChange{Given: given})
	return done, err
}

func rollBack(t testing.TB, g *kg.Graph, r kg.MigrationRollback) (kg.Migrated, error) {
	t.Helper()
	done, _, err := g.Session(ana).RollBackMigration(t.Context(), r)
	return done, err
}

func people(t testing.TB, schema, data string) *kg.Graph {
	t.Helper()
	g := createAt(t, newPath(t, t.TempDir()), schema)
	t.Cleanup(func() { g.Close() })
	if _, err := tryLoad(t, g, kg.Load{}, "people.ndjson", data); err != nil {
		t.Fatal(err)
	}
	return g
}

// A graph goes through ten migrations and back. Each way back ends at the very statements
// that were there before, schema and records included.
func TestTenMigrationsThereAndBack(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	if _, err := tryLoad(t, g, kg.Load{}, "elsewhere.nq", peopleElsewhere); err != nil {
		t.Fatal(err)
	}
	given := migrations(t, tenMigrations...)
	was := export(t, g, load.NQuads)
	plan, _, err := g.Session(ana).PlanMigrations(t.Context(), kg.MigrationChange{Given: given})
	if err != nil || len(plan) != 10 {
		t.Fatalf("planned %d: %v", len(plan), err)
	}
	if export(t, g, load.NQuads) != was {
		t.Fatal("a plan changed the graph")
	}
	var states []string
	for i := range given {
		states = append(states, export(t, g, load.NQuads))
		done, err := migrate(t, g, given)
		if err != nil {
			t.Fatalf("%s: %v", given[i].File(), err)
		}
		if done.Migration != given[i] || done.Left != len(given)-i-1 {
			t.Fatalf("applied %v with %d left", done.Migration, done.Left)
		}
		if diff := cmp.Diff(plan[i].Steps, done.Steps); diff != "" {
			t.Errorf("%s: planned (-) and done (+):\n%s", given[i].File(), diff)
		}
	}
	if done, err := migrate(t, g, given); err != nil || done.Migration != nil {
		t.Fatalf("one more: %v %v", done, err)
	}
	end := export(t, g, load.NQuads)
	for _, want := range []string{`"Lee Smith"`, `"Main 1, York"`, `"one from t"`, `1990-02-01T00:00:00Z`, `"7"^^<http://www.w3.org/2001/XMLSchema#decimal>`} {
		if !strings.Contains(end, want) {
			t.Errorf("%s is not in the end", want)
		}
	}
	for i := len(given) - 1; i >= 0; i-- {
		done, err := rollBack(t, g, kg.MigrationRollback{Number: i + 1})
		if err != nil {
			t.Fatalf("back from %s: %v", given[i].File(), err)
		}
		byHistory := i == 4 || i == 5 || i == 9
		if (done.ByHistory != "") != byHistory {
			t.Errorf("%s goes back by history: %q", given[i].File(), done.ByHistory)
		}
		if diff := cmp.Diff(strings.Split(states[i], "\n"), strings.Split(export(t, g, load.NQuads), "\n")); diff != "" {
			t.Fatalf("back from %s:\n%s", given[i].File(), diff)
		}
	}
	for range given {
		if _, err := migrate(t, g, given); err != nil {
			t.Fatalf("again: %v", err)
		}
	}
	for _, want := range []string{"<urn:trails:t:Person/p1> <urn:trails:t:friend> <urn:trails:t:Person/p3> <urn:g>", "<urn:trails:t:Human> <urn:g>", "<urn:else> <urn:trails:t:friend>"} {
		if !strings.Contains(end, want) {
			t.Errorf("%s is not in the end", want)
		}
	}
	again := export(t, g, load.NQuads)
	if withoutTimes(again) != withoutTimes(end) {
		t.Error("applied again it ends elsewhere")
	}
	if r, err := g.Verify(t.Context(), kg.VerifyOptions{}); err != nil || !r.OK() {
		t.Errorf("verify: %v %v", err, r.Problems)
	}
}

// longPlan is five kinds of migrations, over and over: later ones depend on what earlier ones
// brought, and take some of it back.
func longPlan(n int) (texts []string) {
	for i := range n {
		steps := [...]string{
			fmt.Sprintf("- add_property: {Person.extra%[1]d: string}\n- update:\n    forward: 'INSERT DATA { <urn:trails:t:Person/n%[1]d> a :Person ; :name \"new\" ; :extra%[1]d \"x\" . <urn:trails:t:Person/o%[1]d> a :Person ; :name \"other\" }'\n    reverse: history\n", i),
			"- update:\n    forward: 'DELETE { ?p :name \"new\" } INSERT { ?p :name \"named\" ; :knows ?q } WHERE { ?p :name \"new\" . ?q :name \"other\" }'\n    reverse: history\n",
			"- rename_property: {Person.nick: alias}\n",
			"- rename_property: {Person.alias: nick}\n",
			fmt.Sprintf("- update:\n    forward: 'DELETE { ?p ?r ?o . ?s :knows ?p } WHERE { ?p :name \"other\" . ?s :knows ?p . ?p ?r ?o }'\n    reverse: history\n- drop_property: Person.extra%d\n", i-4),
		}[i%5]
		texts = append(texts, fmt.Sprintf("%04d_step.yaml", i+1), "steps:\n"+steps)
	}
	return texts
}

// A plan of sixty says what applying them one after the other does, each and together, and
// ends at the one that is refused.
func TestALongPlan(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	texts := longPlan(60)
	refused := append(texts[:len(texts):len(texts)], "0061_narrow.yaml", "steps:\n- alter_property: {Person.nick: {max_length: 10}}\n", "0062_more.yaml", "steps: []\n")
	plan, all, err := g.Session(ana).PlanMigrations(t.Context(), kg.MigrationChange{Given: migrations(t, refused...)})
	if err != nil || len(plan) != 61 || plan[60].Broken != 1 || plan[60].Breaks[0].Node != "Person/p2" || plan[60].Left != 1 {
		t.Fatalf("planned %d, the last %+v: %v", len(plan), plan[len(plan)-1], err)
	}
	before := strings.Split(withoutTimes(export(t, g, load.NQuads)), "\n")
	for i, given := 0, migrations(t, texts...); i < len(given); i++ {
		done, err := migrate(t, g, given)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan[i].Steps, done.Steps); diff != "" || plan[i].Broken > 0 || plan[i].Left != done.Left+2 {
			t.Errorf("%s: planned (-) and done (+):\n%s", given[i].File(), diff)
		}
	}
	missing := func(from, in []string) (n int64) {
		for _, line := range from {
			if !slices.Contains(in, line) {
				n++
			}
		}
		return n
	}
	after := strings.Split(withoutTimes(export(t, g, load.NQuads)), "\n")
	if added, removed := missing(after, before)+60, missing(before, after); all.AddedCount != added || all.RemovedCount != removed { // and 60 times
		t.Errorf("the plan adds %d and removes %d, the migrations %d and %d", all.AddedCount, all.RemovedCount, added, removed)
	}
}

// What a plan costs for each of its migrations grows with the schema alone, which has a record
// of each that went before.
func BenchmarkPlanMigrations(b *testing.B) {
	for _, n := range []int{25, 50, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := people(b, beforeMigrations, peopleBefore)
			given := migrations(b, longPlan(n)...)
			for b.Loop() {
				if plan, _, err := g.Session(ana).PlanMigrations(b.Context(), kg.MigrationChange{Given: given}); err != nil || len(plan) != n {
					b.Fatalf("planned %d: %v", len(plan), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/migration")
		})
	}
}

func withoutTimes(export string) string {
	var out []string
	for _, line := range strings.Split(export, "\n") {
		if !strings.Contains(line, "migrationTime") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// What came after a migration goes along on its way back, or refuses it with the nodes.
func TestLaterDataGoesBackOrIsNamed(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct{ name, migration, later, want string }{
		{"a rename takes later data along", "- rename_property: {Person.nick: alias}", `{"type":"Person","id":"p9","data":{"name":"New","alias":"n"}}`, ""},
		{"a split joins later data", `- split_property: {Person.full: {into: [first, last], at: " "}}`, `{"type":"Person","id":"p9","data":{"name":"New","first":"A","last":"B"}}`, ""},
		{"what was added is lost", "- add_property: {Person.age: integer}", `{"type":"Person","id":"p1","data":{"age":3}}`, "by drop property Person.age: Person/p1"},
		{"a default that was filled in is not", "- add_property: {Person.on: {type: boolean, required: true, default: true}}", `{"type":"Person","id":"p9","data":{"name":"New"}}`, ""},
		{"another value than the default is", "- add_property: {Person.on: {type: boolean, required: true, default: true}}", `{"type":"Person","id":"p9","data":{"name":"New","on":false}}`, "Person/p9"},
		{"a type with nodes is lost", "- add_type: {Dog: {properties: {name: string}}}", `{"type":"Dog","id":"d1","data":{"name":"Rex"}}`, "Dog/d1"},
		{"a longer text is named", "- alter_property: {Person.nick: {max_length: 40}}", `{"type":"Person","id":"p9","data":{"name":"New","nick":"123456789012345678901234567890"}}`, "Person/p9"},
		{"a value since, by history", "- drop_property: Person.note\n- alter_property: {Person.full: {description: x}}\n- update: {forward: 'DELETE {?p :nick ?n} WHERE {?p :nick ?n}', reverse: history}", `{"type":"Person","id":"p1","data":{"nick":"other"}}`, "Person/p1: nick has another value now"},
		{"what an update added goes back by its reverse", "- update: {forward: 'INSERT {?p <urn:n> ?n} WHERE {?p :name ?n}', reverse: 'DELETE {?p <urn:n> ?n} WHERE {?p <urn:n> ?n}'}", `{"type":"Person","id":"p9","data":{"name":"New"}}`, ""},
		{"what it renamed afterwards, too", "- add_property: {Person.mark: string}\n- update: {forward: 'INSERT {?p :mark ?n} WHERE {?p :name ?n}', reverse: 'DELETE {?p :mark ?n} WHERE {?p :mark ?n}'}\n- rename_property: {Person.mark: sign}", `{"type":"Person","id":"p9","data":{"name":"New"}}`, ""},
		{"what a reverse computes anew is not lost", "- update: {forward: 'DELETE {?p :nick ?n} INSERT {?p :nick ?m} WHERE {?p :nick ?n BIND(UCASE(?n) AS ?m)}', reverse: 'DELETE {?p :nick ?n} INSERT {?p :nick ?m} WHERE {?p :nick ?n BIND(LCASE(?n) AS ?m)}'}", `{"type":"Person","id":"p9","data":{"name":"New","nick":"NN"}}`, ""},
		{"what a reverse removes besides is", "- update: {forward: 'INSERT {?p <urn:n> ?n} WHERE {?p :name ?n}', reverse: 'DELETE WHERE {?p :nick ?n}'}", `{"type":"Person","id":"p9","data":{"name":"New","nick":"NN"}}`, "Person/p9"},
		{"all of it, too", "- update: {forward: 'INSERT {?p <urn:n> ?n} WHERE {?p :name ?n}', reverse: 'DELETE WHERE {?s ?p ?o}'}", `{"type":"Person","id":"p9","data":{"name":"New"}}`, "that it did not add would be lost, by update of data: DELETE WHERE {?s ?p ?o}"},
		{"a value that came since is", "- add_property: {Person.mark: string}\n- update: {forward: 'INSERT {?p :mark ?n} WHERE {?p :name ?n}', reverse: 'DELETE {?p :mark ?n} WHERE {?p :mark ?n}'}", `{"type":"Person","id":"p9","data":{"name":"New","mark":"since"}}`, "Person/p9"},
		{"a fraction is no integer", "- convert_property: {Person.size: decimal}", `{"type":"Person","id":"p1","data":{"size":1.5}}`, `Person/p1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := people(t, beforeMigrations, peopleBefore)
			if _, err := migrate(t, g, migrations(t, "0001_x.yaml", "steps:\n"+c.migration+"\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := tryLoad(t, g, kg.Load{}, "later.ndjson", c.later); err != nil {
				t.Fatal(err)
			}
			was := export(t, g, load.NQuads)
			_, err := rollBack(t, g, kg.MigrationRollback{})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if export(t, g, load.NQuads) != was {
				t.Error("it changed the graph")
			}
		})
	}
}

// What is wrong is refused with its place, and nothing is changed.
func TestMigrationsThatAreRefused(t *testing.T) {
	testrun.Alone(t)
	first := []string{"0001_a.yaml", "steps:\n- add_property: {Person.age: integer}\n"}
	for _, c := range []struct {
		name  string
		given []string
		want  string
	}{
		{"a text that changed", []string{"0001_a.yaml", "steps:\n- add_property: {Person.age: decimal}\n"}, "0001_a.yaml: its text changed after it was applied"},
		{"a gap", append(first[:2:2], "0003_c.yaml", "steps: []\n"), "0003_c.yaml: number 2 is missing before it"},
		{"two of one number", append(first[:2:2], "0002_b.yaml", "steps: []\n", "0002_c.yaml", "steps: []\n"), "0002_c.yaml: 0002_b.yaml has the same number"},
		{"another with an applied number", []string{"0001_b.yaml", "steps: []\n"}, "number 1 was applied as 0001_a.yaml"},
		{"a step that is none", []string{"0002_b.yaml", "steps:\n- add_property: {Person.x: string}\n- drop_propery: Person.x\n"}, `0002_b.yaml line 3, step 2: there is no step "drop_propery"; did you mean "drop_property"?`},
		{"a property that is not there", []string{"0002_b.yaml", "steps:\n- update: {forward: 'DELETE {} WHERE {}', reverse: history}\n- drop_property: Person.x\n"}, "0002_b.yaml line 3, step 2"},
		{"SPARQL that is none", []string{"0002_b.yaml", "steps:\n- update:\n    forward: |\n      DELETE { ?p :nick ?n }\n      WHEN { ?p :nick ?n }\n    reverse: history\n"}, "0002_b.yaml line 2, step 1, the update from line 4 on: "},
		{"an update of comments alone", []string{"0002_b.yaml", "steps:\n- update: {forward: '# later', reverse: history}\n"}, "0002_b.yaml line 2, step 1: update: line 2: there is nothing to do in it"},
		{"a way back of comments alone", []string{"0002_b.yaml", "steps:\n- update:\n    forward: DELETE {} WHERE {}\n    reverse: |\n      # none\n"}, "line 5: there is nothing to do in it"},
		{"LOAD", []string{"0002_b.yaml", "steps:\n- update: {forward: 'LOAD <http://example.org/>', reverse: history}\n"}, "LOAD cannot be in it"},
		{"an update of the schema", []string{"0002_b.yaml", "steps:\n- update: {forward: 'INSERT DATA { GRAPH <urn:trails:graph:schema> { <urn:a> <urn:b> <urn:c> } }', reverse: history}\n"}, "holds the schema"},
		{"an update of a name that is not declared", []string{"0002_b.yaml", "steps:\n- update: {forward: 'INSERT { ?p :nic ?n } WHERE { ?p :nick ?n }', reverse: history}\n"}, "nic"},
		{"data that is too long", []string{"0002_b.yaml", "steps:\n- alter_property: {Person.nick: {max_length: 10}}\n"}, "Person/p2"},
		{"a text that is no number", []string{"0002_b.yaml", "steps:\n- convert_property: {Person.note: integer}\n"}, "Person/p1: change type of Person.note: string → integer: \"a\" is no integer"},
		{"a reference that is no text", []string{"0002_b.yaml", "steps:\n- convert_property: {Person.knows: string}\n"}, "Person.knows has values of the type iri"},
		{"half of it", []string{"0002_b.yaml", "steps:\n- rename_type: {Person: Human}\n- update: {forward: 'DELETE {?p :name ?n} WHERE {?p :name ?n}', reverse: history}\n"}, "required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := people(t, beforeMigrations, peopleBefore)
			if _, err := migrate(t, g, migrations(t, first...)); err != nil {
				t.Fatal(err)
			}
			was := export(t, g, load.NQuads)
			_, err := migrate(t, g, migrations(t, c.given...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			plan, _, planned := g.Session(ana).PlanMigrations(t.Context(), kg.MigrationChange{Given: migrations(t, c.given...)})
			if planned == nil && len(plan) > 0 && plan[len(plan)-1].Broken > 0 {
				planned = fault.Invalid(plan[len(plan)-1].Breaks)
			}
			if fmt.Sprint(planned) != fmt.Sprint(err) {
				t.Errorf("the plan says %v", planned)
			}
			if export(t, g, load.NQuads) != was {
				t.Error("it changed the graph")
			}
		})
	}
}

// A rollback needs the schema that the migration left.
func TestARollbackOverASchemaThatChanged(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	if _, err := rollBack(t, g, kg.MigrationRollback{}); !fault.Is(err, fault.Missing) {
		t.Errorf("without migrations: %v", err)
	}
	given := migrations(t, "0001_a.yaml", "steps:\n- rename_property: {Person.nick: alias}\n")
	if _, err := migrate(t, g, given); err != nil {
		t.Fatal(err)
	}
	apply := func(patch string) {
		t.Helper()
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(patch)}); err != nil {
			t.Fatal(err)
		}
	}
	apply("- add_type: {Dog: {}}")
	apply("- alter_property: {Person.alias: {max_length: 30}}")
	was := export(t, g, load.NQuads)
	if _, err := rollBack(t, g, kg.MigrationRollback{}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "0001_a.yaml cannot be rolled back") {
		t.Errorf("got %v", err)
	}
	if _, err := rollBack(t, g, kg.MigrationRollback{Number: 2}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if export(t, g, load.NQuads) != was {
		t.Error("it changed the graph")
	}
	apply("- alter_property: {Person.alias: {max_length: 20}}")
	if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
		t.Fatal(err)
	}
	view(t, g, func(s *kg.Snapshot) error {
		if d := s.Schema(); d.Type("Dog") == nil || d.Property(d.Type("Person"), "nick") == nil || len(s.Applied()) > 0 {
			t.Errorf("left:\n%s", d.YAML())
		}
		return nil
	})
}

// A rollback that a later change of the schema stands against names the commits that made it, and works when the
// schema is changed back, also where the schema before the migration cannot be computed from the one now.
func TestARollbackNamesTheCommitsThatStandAgainstIt(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	if _, err := migrate(t, g, migrations(t, "0001_a.yaml", "steps:\n- rename_property: {Person.nick: alias}\n")); err != nil {
		t.Fatal(err)
	}
	var commits []kg.Commit
	for _, patch := range []string{"- rename_type: {Person: Human}", "- add_type: {Dog: {}}"} {
		_, result, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(patch)})
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, result.After)
	}
	_, err := rollBack(t, g, kg.MigrationRollback{})
	says := fmt.Sprintf("by other means, in commit %s \"add type Dog (0 properties)\", commit %s \"rename type Person to Human\" (", commits[1].ID, commits[0].ID)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sh:") || !strings.Contains(err.Error(), "change the schema back with a patch") {
		t.Errorf("got %v, want what says %q", err, says)
	}
	for i := range 4 {
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: fmt.Appendf(nil, "- add_type: {Dog%d: {}}", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rollBack(t, g, kg.MigrationRollback{}); err == nil || strings.Count(err.Error(), "commit ") != 5 || !strings.Contains(err.Error(), ", and earlier ones (") {
		t.Errorf("of six commits: %v", err)
	}
	if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- rename_type: {Human: Person}")}); err != nil {
		t.Fatal(err)
	}
	if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
		t.Error(err)
	}
}

// Undo leaves the commit of a migration alone, and says what takes it back.
func TestUndoOfAMigrationNamesTheRollback(t *testing.T) {
	g := people(t, beforeMigrations, peopleBefore)
	given := migrations(t, "0001_a.yaml", "steps:\n- rename_property: {Person.nick: alias}\n", "0002_b.yaml", "steps:\n- update: {forward: 'DELETE {?p :note ?n} WHERE {?p :note ?n}', reverse: history}\n")
	var made []kg.CommitID
	for range given {
		_, result, err := g.Session(ana).ApplyMigration(t.Context(), kg.MigrationChange{Given: given})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, result.After.ID)
	}
	for i, want := range []string{"applied the migration 0001_a.yaml, and 1 came after it; migrate rollback", "applied the migration 0002_b.yaml; migrate rollback"} {
		if _, err := g.Session(ana).Undo(t.Context(), kg.Undo{Commit: made[i]}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for range given {
		if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Session(ana).Undo(t.Context(), kg.Undo{Commit: made[1]}); !fault.Is(err, fault.Conflict) || strings.Contains(err.Error(), "rollback") {
		t.Errorf("after it was rolled back: %v", err)
	}
}

// Stored queries take new names along, there and back; what would break one is refused.
func TestMigrationsCarryStoredQueries(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	text := "#+ params: {of: ref(Person)}\nSELECT ?nick { ?of :nick ?nick }"
	if _, _, err := g.Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Add: []kg.QueryText{{Name: "nicks", Text: text}}}); err != nil {
		t.Fatal(err)
	}
	was := export(t, g, load.NQuads)
	plan, _, err := g.Session(ana).PlanMigrations(t.Context(), kg.MigrationChange{Given: migrations(t, "0001_names.yaml", "steps:\n- rename_property: {Person.nick: alias}\n")})
	if err != nil || len(plan) != 1 || len(plan[0].Queries) != 1 || plan[0].Queries[0].Renamed != 1 {
		t.Errorf("planned %+v: %v", plan, err)
	}
	for _, c := range []struct{ steps, query, change string }{
		{"- drop_property: Person.nick", "nicks, line 2, column 20: ", "line 2, step 1"},
		{"- rename_property: {Person.nick: alias}\n- update: {forward: 'INSERT DATA {}', reverse: 'INSERT DATA {}'}\n- add_type: {Dog: {}}\n- drop_type: Person", "nicks, line 1: ", "line 4, step 3 to 4"},
		{`- split_property: {Person.nick: {into: [a, b], at: " "}}`, "nicks, line 2, column 20: ", "line 2, step 1"},
	} {
		_, err := migrate(t, g, migrations(t, "0001_drop.yaml", "steps:\n"+c.steps+"\n"))
		if !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), c.query) || !strings.Contains(err.Error(), "correct or remove the stored query first, or change 0001_drop.yaml "+c.change) {
			t.Errorf("%s: %v", c.steps, err)
		}
	}
	if export(t, g, load.NQuads) != was {
		t.Fatal("a refused migration changed the graph")
	}
	if _, err := migrate(t, g, migrations(t, "0001_names.yaml", "steps:\n- rename_type: {Person: Human}\n- update: {forward: 'INSERT DATA {}', reverse: 'INSERT DATA {}'}\n- rename_property: {Human.nick: alias}\n")); err != nil {
		t.Fatal(err)
	}
	view(t, g, func(s *kg.Snapshot) error {
		if q := s.Stored()[0]; q.Err != nil || !strings.Contains(q.Text, ":alias") || !strings.Contains(q.Text, "ref(Human)") {
			t.Errorf("the query is %q, %v", q.Text, q.Err)
		}
		return nil
	})
	if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
		t.Fatal(err)
	}
	if export(t, g, load.NQuads) != was {
		t.Error("the way back ends elsewhere")
	}
}

// The way back by the history restores the queries that the migration changed, and refuses to
// break one that came later.
func TestTheWayBackByHistoryKeepsStoredQueries(t *testing.T) {
	testrun.Alone(t)
	g := people(t, beforeMigrations, peopleBefore)
	store := func(name, property string) {
		t.Helper()
		text := "SELECT ?p { ?p a :Person ; :" + property + " ?n }"
		if _, _, err := g.Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Add: []kg.QueryText{{Name: name, Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	store("early", "nick")
	was := export(t, g, load.NQuads)
	if _, err := migrate(t, g, migrations(t, "0001_a.yaml", "steps:\n- rename_property: {Person.nick: alias}\n- drop_property: Person.note\n")); err != nil {
		t.Fatal(err)
	}
	store("late", "alias")
	with := export(t, g, load.NQuads)
	if _, err := rollBack(t, g, kg.MigrationRollback{}); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "late, line 1") || strings.Contains(err.Error(), "early") {
		t.Errorf("got %v", err)
	}
	if export(t, g, load.NQuads) != with {
		t.Error("a refused rollback changed the graph")
	}
	if _, _, err := g.Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Remove: []string{"late"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := rollBack(t, g, kg.MigrationRollback{}); err != nil {
		t.Fatal(err)
	}
	if export(t, g, load.NQuads) != was {
		t.Error("the way back ends elsewhere")
	}
}
