package kg_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/sparql"
)

const massSchema = `
types:
  Note:
    label: title
    properties:
      title: {type: string, required: false}
      also: {type: string, many: true}
      size: {type: integer}
  Mark:
    properties:
      about: {class: Note}
`

func massData(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"Note","id":"n%d","data":{"title":"t%d","size":%d}}`+"\n", i, i, i)
		fmt.Fprintf(&b, `{"type":"Mark","id":"m%d","data":{"about":"Note/n%d"}}`+"\n", i, i)
	}
	return b.String()
}

// What the plan of a migration says that its updates remove is what goes, by type: "safe" is
// said where nothing is lost.
func TestAnUpdateIsPlannedWithWhatItRemoves(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		update  string
		removes map[string]int64
		moves   int64
	}{
		{"INSERT { ?n :also \"x\" } WHERE { ?n a :Note }", nil, 0},
		{"DELETE { ?n :also ?x } WHERE { ?n :also ?x }", nil, 0},
		{"DELETE { ?n :title ?t } INSERT { ?n :title ?t } WHERE { ?n :title ?t }", nil, 0},
		{"DELETE { ?n :title ?t } INSERT { ?n :also ?t } WHERE { ?n :title ?t }", nil, 3},
		{"DELETE { ?n :title ?t } INSERT { ?n :title ?u } WHERE { ?n :title ?t BIND(UCASE(?t) AS ?u) }", map[string]int64{"Note": 3}, 0},
		{"DELETE { ?n :size ?t } WHERE { ?n :size ?t FILTER(?t > 0) }", map[string]int64{"Note": 2}, 0},
		{"DELETE WHERE { ?m :about ?n }", map[string]int64{"Mark": 3}, 0},
		{"DELETE WHERE { ?s ?p ?o }", map[string]int64{"Note": 9, "Mark": 6}, 0},
		{"CLEAR DEFAULT", map[string]int64{"Note": 9, "Mark": 6}, 0},
		{"DELETE WHERE { ?m a :Mark ; :about ?n } ; DELETE WHERE { ?n a :Note ; :title ?t ; :size ?s }", map[string]int64{"Note": 9, "Mark": 6}, 0},
		{"DELETE WHERE { ?n :title ?t } ; INSERT { ?n :title \"new\" } WHERE { ?n a :Note }", map[string]int64{"Note": 3}, 0},
		{"INSERT DATA { <urn:x> <urn:p> 1 } ; DELETE WHERE { <urn:x> ?p ?o }", map[string]int64{"": 1}, 0},
		{"INSERT { ?n <urn:a> ?t ; <urn:b> ?t } WHERE { ?n :title ?t } ; DELETE { ?n <urn:a> ?t ; <urn:b> ?t } INSERT { ?n <urn:c> ?t } WHERE { ?n <urn:a> ?t }", map[string]int64{"Note": 3}, 3},
		{"INSERT { ?n <urn:a> ?t ; <urn:b> ?t } WHERE { ?n :title ?t } ; DELETE { ?n <urn:a> ?t ; <urn:b> ?t } INSERT { ?n <urn:c> ?t ; <urn:d> ?t } WHERE { ?n <urn:a> ?t }", nil, 6},
		{"DELETE { ?n a ?t } INSERT { ?n <urn:was> ?t } WHERE { ?n a ?t FILTER(?t = :Mark) }", map[string]int64{"Mark": 3}, 0},
		{"INSERT DATA { GRAPH <urn:g> { <urn:x> a <urn:T> ; <urn:p> 1, 2 . <urn:y> <urn:p> 3 } } ; MOVE <urn:g> TO <urn:h>", nil, 4},
		{"INSERT DATA { GRAPH <urn:g> { <urn:x> <urn:p> 1, 2 } GRAPH <urn:h> { <urn:x> <urn:p> 2, 3 } } ; MOVE <urn:g> TO <urn:h>", map[string]int64{"": 2}, 1},
		{"INSERT DATA { GRAPH <urn:g> { <urn:x> <urn:p> 1, 2 } } ; COPY <urn:g> TO <urn:h>", nil, 0},
		{"INSERT DATA { GRAPH <urn:g> { <urn:x> <urn:p> 1, 2 } } ; ADD <urn:g> TO DEFAULT ; DELETE { GRAPH <urn:g> { ?s ?p ?o } } INSERT { GRAPH <urn:h> { ?s ?p ?o } } WHERE { GRAPH <urn:g> { ?s ?p ?o } }", nil, 2},
		{"MOVE DEFAULT TO <urn:h>", map[string]int64{"Note": 9, "Mark": 6}, 0},
	} {
		g := people(t, massSchema, massData(3))
		given := migrations(t, "0001_one.yaml", "steps:\n- update:\n    forward: |\n      "+c.update+"\n    reverse: history\n")
		change := kg.MigrationChange{Given: given}
		plan, _, err := g.Session(ana).PlanMigrations(t.Context(), change)
		if err != nil || len(plan) != 1 || len(plan[0].Steps) != 1 {
			t.Fatalf("%s: planned %+v, error %v", c.update, plan, err)
		}
		step := plan[0].Steps[0]
		var all int64
		for _, n := range c.removes {
			all += n
		}
		if !maps.Equal(step.RemovesOf, c.removes) || step.Removes != all || step.Moves != c.moves || (len(step.Losing) > 0) != (all > 0) {
			t.Errorf("%s: plans %+v, want to remove %v and to move %d", c.update, step, c.removes, c.moves)
		}
		done, result, err := g.Session(ana).ApplyMigration(t.Context(), change)
		if err != nil {
			t.Fatalf("%s: %v", c.update, err)
		}
		if !maps.Equal(done.Steps[0].RemovesOf, c.removes) || result.Loses < min(all, result.RemovedCount) {
			t.Errorf("%s: did %+v and lost %d", c.update, done.Steps[0], result.Loses)
		}
	}
}

func updates(t *testing.T, text string, set kg.ChangeSet) func(*kg.Graph) error {
	return func(g *kg.Graph) error {
		u, err := sparql.ParseUpdate(text, sparql.Options{Prefixes: map[string]string{"": g.Base()}})
		if err == nil {
			_, err = g.Session(ana).Update(t.Context(), u, set, kg.UpdateOptions{})
		}
		return err
	}
}

// Whatever removes more statements than it may is refused, by every action, and changes nothing;
// what gives them another name removes none.
func TestEveryActionHasTheBound(t *testing.T) {
	const most = 5
	wipe := "steps:\n- update:\n    forward: DELETE WHERE { ?n :size ?s }\n    reverse: history\n"
	renamedFirst := "steps:\n- rename_property: {Note.title: name}\n" + wipe[len("steps:\n"):]
	set := kg.ChangeSet{MaxRemoved: most}
	apply := func(text string) func(*kg.Graph) error {
		return func(g *kg.Graph) error {
			_, _, err := g.Session(ana).ApplyMigration(t.Context(), kg.MigrationChange{Given: migrations(t, "0001_one.yaml", text), Set: set})
			return err
		}
	}
	patch := func(text string) func(*kg.Graph) error {
		return func(g *kg.Graph) error {
			_, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(text), AllowDataLoss: true, Set: set})
			return err
		}
	}
	for _, c := range []struct {
		what string
		mass bool
		do   func(*kg.Graph) error
	}{
		{"a migration with an update", true, apply(wipe)},
		{"a migration that moves as much before", true, apply(renamedFirst)},
		{"a migration that renames a property", false, apply("steps:\n- rename_property: {Note.title: name}\n")},
		{"a migration that renames a type", false, apply("steps:\n- rename_type: {Note: Card}\n")},
		{"a migration that drops a property", true, apply("steps:\n- drop_property: Note.size\n")},
		{"a patch that renames", false, patch("- rename_property: {Note.title: name}")},
		{"a patch that drops a property", true, patch("- drop_property: Note.size")},
		{"a whole schema without a property", true, func(g *kg.Graph) error {
			_, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(strings.Replace(massSchema, "      size: {type: integer}\n", "", 1)), AllowDataLoss: true, Set: set})
			return err
		}},
		{"a promotion with an update", true, func(g *kg.Graph) error {
			from := people(t, massSchema, "")
			if _, err := migrate(t, from, migrations(t, "0001_one.yaml", wipe)); err != nil {
				t.Fatal(err)
			}
			_, _, err := promote(t, g, kg.Promotion{Definitions: definitions(t, from), AllowDataLoss: true, Replace: true, Set: set})
			return err
		}},
		{"a rollback by history", true, func(g *kg.Graph) error {
			if _, err := migrate(t, g, migrations(t, "0001_one.yaml", "steps:\n- update:\n    forward: INSERT { ?n :also \"x\" } WHERE { ?n a :Note }\n    reverse: history\n")); err != nil {
				t.Fatal(err)
			}
			_, _, err := g.Session(ana).RollBackMigration(t.Context(), kg.MigrationRollback{Set: set})
			return err
		}},
		{"an update that removes", true, updates(t, "DELETE { ?n :size ?s } INSERT { ?n :also \"new\" } WHERE { ?n :size ?s }", set)},
		{"an update that moves values", false, updates(t, "DELETE { ?n :title ?s } INSERT { ?n :also ?s } WHERE { ?n :title ?s }", set)},
		{"an update that moves a graph", false, func(g *kg.Graph) error {
			if err := updates(t, "INSERT { GRAPH <urn:g> { ?n :size ?s } } WHERE { ?n :size ?s }", set)(g); err != nil {
				t.Fatal(err)
			}
			return updates(t, "MOVE <urn:g> TO <urn:h>", set)(g)
		}},
	} {
		g := people(t, massSchema, massData(10))
		err := c.do(g)
		var mass *kg.MassChange
		switch {
		case !c.mass && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.mass && (!errors.As(err, &mass) || !fault.Is(err, fault.Conflict) || mass.Removes != 10):
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
