package kg_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

// based is a graph under a base of its own, with data.
func based(t *testing.T, base, schema, data string) *kg.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.trails")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Base: base, Schema: []byte(schema), By: ana}); err != nil {
		t.Fatal(err)
	}
	g := open(t, path)
	if data != "" {
		if _, err := tryLoad(t, g, kg.Load{}, "data.ndjson", data); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func definitions(t *testing.T, g *kg.Graph) (d kg.Definitions) {
	t.Helper()
	view(t, g, func(s *kg.Snapshot) (err error) { d, err = s.Definitions(); return err })
	return d
}

func promote(t *testing.T, g *kg.Graph, p kg.Promotion) (kg.Promoted, kg.Result, error) {
	t.Helper()
	return g.Session(ana).Promote(t.Context(), p)
}

func storeQueries(t *testing.T, g *kg.Graph, texts ...string) {
	t.Helper()
	var c kg.QueryChange
	for _, text := range texts {
		c.Add = append(c.Add, kg.QueryText{Text: text})
	}
	if _, _, err := g.Session(ana).ChangeQueries(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

const whoIsNew = "#+ id: who_is_new\nSELECT ?name { ?h a :Human ; :state \"new\" ; :name ?name } ORDER BY ?name"

// A copy with data and a base of its own is brought to where ten migrations led, with its
// data, and back.
func TestDefinitionsArePromotedWithWhatTheyDoToTheData(t *testing.T) {
	from := based(t, "urn:dev:", beforeMigrations, "")
	given := migrations(t, tenMigrations...)
	for range given {
		if _, err := migrate(t, from, given); err != nil {
			t.Fatal(err)
		}
	}
	storeQueries(t, from, whoIsNew)
	to := based(t, "urn:production:", beforeMigrations, peopleBefore)
	storeQueries(t, to, "#+ id: who_is_new\nSELECT ?name { ?p a :Person ; :name ?name }")
	was := export(t, to, load.NQuads)
	p := kg.Promotion{Definitions: definitions(t, from)}

	plan, _, err := to.Session(ana).PlanPromotion(t.Context(), p)
	if err != nil || len(plan.Migrations) != 10 || len(plan.Schema.Steps) != 0 || plan.Broken != 0 {
		t.Fatalf("planned %d migrations and %v, %d broken: %v", len(plan.Migrations), plan.Schema.Steps, plan.Broken, err)
	}
	if want := []kg.QueryStep{{ID: "who_is_new", Was: "#+ id: who_is_new\nSELECT ?name { ?p a :Person ; :name ?name }", Text: whoIsNew}}; !cmp.Equal(plan.Queries, want) {
		t.Errorf("the queries go as %v", plan.Queries)
	}
	if export(t, to, load.NQuads) != was {
		t.Fatal("a plan changed the graph")
	}
	if _, _, err := promote(t, to, p); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "Human.note") {
		t.Fatalf("what loses data is not refused: %v", err)
	}
	p.AllowDataLoss = true
	done, result, err := promote(t, to, p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan.Migrations[0].Steps, done.Migrations[0].Steps); diff != "" {
		t.Errorf("planned (-) and done (+):\n%s", diff)
	}
	if now, want := definitions(t, to), definitions(t, from); string(now.Schema) != string(want.Schema) || !cmp.Equal(now.Queries, want.Queries) || len(now.Migrations) != 10 {
		t.Errorf("after it the file defines\n%s\nand not\n%s", now.Schema, want.Schema)
	}
	end := export(t, to, load.NQuads)
	for _, want := range []string{`"Lee Smith"`, `"Main 1, York"`, "<urn:production:Human>"} {
		if !strings.Contains(end, want) {
			t.Errorf("%s is not in the end", want)
		}
	}
	if strings.Contains(end, "urn:dev:") {
		t.Error("the base of the other file came along")
	}
	if _, again, err := promote(t, to, p); err != nil || again.Changed {
		t.Errorf("promoted once more it makes %v, error %v", again.After, err)
	}
	if r, err := to.Verify(t.Context(), kg.VerifyOptions{}); err != nil || !r.OK() {
		t.Errorf("verify: %v %v", err, r.Problems)
	}
	_, err = to.Session(ana).Undo(t.Context(), kg.Undo{Commit: result.After.ID})
	_, back := rollBack(t, to, kg.MigrationRollback{})
	for _, err := range []error{err, back} {
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "promote --undo") {
			t.Errorf("what takes back a promotion is not named: %v", err)
		}
	}
	if _, err := to.Session(ana).UndoPromotion(t.Context(), kg.Undo{Commit: result.After.ID}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(was, "\n"), strings.Split(export(t, to, load.NQuads), "\n")); diff != "" {
		t.Errorf("undone it is not what it was:\n%s", diff)
	}
}

const tasks = "types:\n  Task: {label: title, properties: {title: {type: string, required: true}, state: string}}\n"

func TestAPromotionLosesNothingThatItDoesNotSay(t *testing.T) {
	from := based(t, "urn:dev:", tasks, "")
	storeQueries(t, from, "#+ id: tasks\nSELECT ?t { ?t a :Task }")
	to := based(t, "urn:production:", "types: {}\n", "")
	if _, _, err := promote(t, to, kg.Promotion{Definitions: definitions(t, from)}); err != nil {
		t.Fatal(err)
	}
	if _, err := tryLoad(t, to, kg.Load{}, "data.ndjson", `{"type":"Task","id":"a","data":{"title":"A"}}`); err != nil {
		t.Fatal(err)
	}
	change := func(g *kg.Graph, schema string) {
		t.Helper()
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(schema), AllowDataLoss: true}); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(name string, p kg.Promotion, kind fault.Kind, said ...string) {
		t.Helper()
		was := export(t, to, load.NQuads)
		_, _, err := promote(t, to, p)
		text := ""
		if err != nil {
			text = err.Error()
			for _, f := range fault.Of(err).Fields {
				text += "\n" + f.Node + " " + f.Message
			}
		}
		for _, want := range said {
			if !fault.Is(err, kind) || !strings.Contains(text, want) {
				t.Errorf("%s: got %v, want %s with %q", name, text, kind, want)
			}
		}
		if export(t, to, load.NQuads) != was {
			t.Errorf("%s changed the graph", name)
		}
	}

	// The data stands against it.
	change(from, strings.Replace(tasks, "state: string", "state: {type: string, required: true}", 1))
	p := kg.Promotion{Definitions: definitions(t, from)}
	refused("what the data contradicts", p, fault.InvalidData, "Task/a")
	if plan, _, err := to.Session(ana).PlanPromotion(t.Context(), p); err != nil || plan.Broken != 1 || plan.Breaks[0].Node != "Task/a" {
		t.Errorf("the plan of it breaks %v, error %v", plan.Breaks, err)
	}
	change(from, strings.Replace(tasks, "state: string", "due: date", 1))
	p = kg.Promotion{Definitions: definitions(t, from)}

	// This file was changed since.
	storeQueries(t, to, "#+ id: tasks\nSELECT ?t ?title { ?t a :Task ; :title ?title }", "#+ id: mended\nSELECT ?t { ?t a :Task }")
	refused("what was changed here", p, fault.Conflict, "stored query mended, stored query tasks")
	p.Replace = true
	done, result, err := promote(t, to, p)
	if err != nil || !cmp.Equal(done.Own, []string{"stored query mended", "stored query tasks"}) {
		t.Errorf("replaced it loses %v, error %v", done.Own, err)
	}
	if now := definitions(t, to); len(now.Queries) != 1 || !strings.Contains(string(now.Schema), "due") {
		t.Errorf("replaced the file defines %v and\n%s", now.Queries, now.Schema)
	}

	// This file is newer.
	if _, err := migrate(t, to, migrations(t, "0001_more.yaml", "steps:\n- add_property: {Task.size: integer}\n")); err != nil {
		t.Fatal(err)
	}
	refused("what is older than this file", p, fault.Conflict, "0001_more.yaml")
	if _, err := to.Session(ana).UndoPromotion(t.Context(), kg.Undo{Commit: result.After.ID}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "take back commit "+head(t, to).ID.String()+" first") {
		t.Errorf("a promotion below a migration is undone: %v", err)
	}
}
