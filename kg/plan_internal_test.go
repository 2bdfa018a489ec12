package kg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/kg/change"
	"trails/kg/load"
	"trails/schema/migration"
)

const plannedSchema = "types:\n  Note:\n    properties:\n      title: {type: string}\n      size: {type: integer}\n"

// notesToPlan is a graph with four notes, of which one has a value of a property that no type
// declares.
func notesToPlan(t *testing.T, now func() time.Time) *Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notes.db")
	by := policy.Local("ana", "test")
	if err := Create(t.Context(), path, CreateOptions{Schema: []byte(plannedSchema), By: by}); err != nil {
		t.Fatal(err)
	}
	g, err := Open(t.Context(), path, Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	for name, data := range map[string]string{
		"a.ndjson": `{"type":"Note","id":"a","data":{"title":"A","size":1}}` + "\n" + `{"type":"Note","id":"b"}` + "\n" + `{"type":"Note","id":"c"}` + "\n" + `{"type":"Note","id":"d"}`,
		"b.ttl":    "<" + g.Base() + "Note/a> <urn:elsewhere> 1 .",
	} {
		in := Load{Options: load.Options{Inputs: []load.Input{{Name: name, Reader: strings.NewReader(data)}}}}
		if _, err := g.Session(by).Load(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func patches(t *testing.T, texts ...string) (all []*migration.Migration) {
	t.Helper()
	for i, text := range texts {
		m, err := migration.Parse(fmt.Sprintf("%04d_p.yaml", i+1), "steps:\n- "+text+"\n")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// A change of schema checks the nodes that may be wrong after it, and no others: a hundred
// migrations that add what no node has yet check none.
func TestAStepChecksTheNodesThatItCanBreak(t *testing.T) {
	g := notesToPlan(t, nil)
	for patch, want := range map[string]int64{
		"- add_property: {Note.due: date}":                                                                          0,
		"- add_property: {Note.tags: {type: string, many: true, pattern: x}}":                                       0,
		"- add_property: {Note.same: {class: Note}}":                                                                0,
		"- add_type: {Mark: {properties: {about: {class: Note}}}}":                                                  0,
		"- add_property: {Note.due: date}\n- add_property: {Note.far: {type: integer, predicate: 'urn:elsewhere'}}": 4,
		"- add_property: {Note.due: {type: date, required: true}}":                                                  4,
		"- add_property: {Note.due: {type: string, has_value: x}}":                                                  4,
		"- add_property: {Note.due: {type: string, required: true, default: x}}":                                    4,
		"- add_property: {Note.due: date}\n- alter_property: {Note.size: {max_value: 3}}":                           4,
		"- alter_property: {Note.size: {description: how long}}":                                                    0,
	} {
		err := g.Session(policy.Local("ana", "test")).View(t.Context(), func(s *Snapshot) error {
			patched, err := s.Schema().Patch([]byte(patch))
			if err != nil {
				return err
			}
			var checked int64
			c := newChecking(s.source, s.compiled.shapes, 100)
			c.report = func(n int64) { checked += n }
			if err := c.schemaChange(t.Context(), s.Schema(), patched.Schema); err != nil {
				return err
			}
			if checked != want {
				t.Errorf("%s checks %d nodes, want %d", patch, checked, want)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
	}
}

// What a step writes of the schema is what differs: how much is there does not count.
func TestAStepWritesOfTheSchemaWhatDiffers(t *testing.T) {
	edits := func(n int) int64 {
		g := notesToPlan(t, nil)
		var texts []string
		for i := range n {
			texts = append(texts, fmt.Sprintf("add_property: {Note.p%d: string}", i))
		}
		given := patches(t, texts...)
		s := g.Session(policy.Local("ana", "test"))
		for range n - 1 {
			if _, _, err := s.ApplyMigration(t.Context(), MigrationChange{Given: given}); err != nil {
				t.Fatal(err)
			}
		}
		var spool change.Spool
		defer spool.Close()
		job := s.migration(MigrationChange{Given: given}, 1, &spool, func(Migrated) {})
		if _, err := s.write(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		return spool.Len()
	}
	if few, many := edits(2), edits(20); few != many {
		t.Errorf("the second migration makes %d edits, the twentieth %d", few, many)
	}
}

// A plan keeps no writer waiting, and says on a copy of the file what it says on the file.
func TestAPlanKeepsNoWriterWaiting(t *testing.T) {
	defer func(was time.Duration) { heldForPlan = was }(heldForPlan)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	by := policy.Local("ana", "test")
	var g *Graph
	planning, writes := false, 0
	g = notesToPlan(t, func() time.Time {
		if planning {
			planning = false
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			w, err := g.file.Write(ctx)
			if err != nil {
				t.Errorf("a writer beside the plan: %v", err)
			} else {
				w.Close()
				writes++
			}
		}
		return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	})
	given := patches(t, "add_property: {Note.due: date}", "drop_property: Note.size", "add_property: {Note.must: {type: date, required: true}}")
	for name, plan := range map[string]func() (string, error){
		"migrations": func() (string, error) {
			plan, all, err := g.Session(by).PlanMigrations(t.Context(), MigrationChange{Given: given})
			said := fmt.Sprint(all.AddedCount, all.RemovedCount, all.Nodes)
			for _, m := range plan {
				said += fmt.Sprintf(" %s %+v %d %v", m.Migration.File(), m.Steps, m.Broken, m.Breaks)
			}
			return said, err
		},
		"a promotion": func() (string, error) {
			from := notesToPlan(t, nil)
			if _, _, err := from.Session(by).ApplyMigration(t.Context(), MigrationChange{Given: patches(t, "drop_property: Note.size")}); err != nil {
				return "", err
			}
			var d Definitions
			if err := from.Session(by).View(t.Context(), func(s *Snapshot) (err error) { d, err = s.Definitions(); return err }); err != nil {
				return "", err
			}
			done, all, err := g.Session(by).PlanPromotion(t.Context(), Promotion{Definitions: d})
			return fmt.Sprintf("%d %d %v %d %+v", all.AddedCount, all.RemovedCount, all.Nodes, done.Loses, done.Schema.Steps), err
		},
	} {
		heldForPlan = time.Hour
		want, err := plan()
		if err != nil {
			t.Fatal(err)
		}
		heldForPlan, planning, writes = 0, true, 0
		got, err := plan()
		if err != nil || got != want || writes != 1 {
			t.Errorf("%s: %d writes beside the plan, which says\n%s\nwant\n%s\nerror %v", name, writes, got, want, err)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
