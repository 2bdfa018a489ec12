package kg_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"trails/kg"
)

// These tests wait for the watcher as long as they must.

func TestAWatcherHearsOwnAndForeignWrites(t *testing.T) {
	path := newFile(t, notes)
	g, other := open(t, path), open(t, path)
	moves := g.Session(ana).Watch(t.Context())
	for i, from := range []*kg.Graph{g, other, g} {
		made := commit(t, from, titled("a", strings.Repeat("x", i+1)))
		if m := <-moves; m.Head.ID != made.After.ID || m.Schema {
			t.Errorf("write %d: got %v", i, m)
		}
	}
	if _, _, err := other.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(strings.Replace(notes, "title: {", "year: {type: year}\n      title: {", 1))}); err != nil {
		t.Fatal(err)
	}
	if m := <-moves; !m.Schema || m.Head.ID != head(t, g).ID {
		t.Errorf("a schema: got %v", m)
	}
}

func TestReportsThatAreNotTakenAreFolded(t *testing.T) {
	g := newGraph(t, notes)
	moves, second := g.Session(ana).Watch(t.Context()), g.Session(ana).Watch(t.Context())
	if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte("types: {}")}); err != nil {
		t.Fatal(err)
	}
	<-second // the schema has been seen
	var last kg.Result
	for i := range 3 {
		last = commit(t, g, titled("a", strings.Repeat("x", i+1)))
	}
	for m := range second { // the last write has been seen, by this one
		if m.Head.ID == last.After.ID {
			break
		}
	}
	for m := range moves {
		if m.Head.ID == last.After.ID {
			if !m.Schema {
				t.Error("the change of schema was lost in the fold")
			}
			break
		}
		// This watcher may be a look behind the other one.
		if m.Schema {
			return
		}
	}
}

func TestWhatWasThereAtTheCallIsNoNews(t *testing.T) {
	path := newFile(t, notes)
	g, other := open(t, path), open(t, path)
	commit(t, other, titled("a", "A"))
	moves := g.Session(ana).Watch(t.Context())
	second := commit(t, other, titled("a", "B")) // between the call and the first look
	if m := <-moves; m.Head.ID != second.After.ID {
		t.Errorf("got commit %d, want %d", m.Head.Seq, second.After.Seq)
	}
}

func TestProvenanceAloneMovesNothing(t *testing.T) {
	g := newGraph(t, notes)
	moves := g.Session(ana).Watch(t.Context())
	if err := g.Record(t.Context(), []kg.Activity{{ID: "1", Capability: "health", Outcome: "ok"}}); err != nil {
		t.Fatal(err)
	}
	made := commit(t, g, titled("a", "A"))
	if m := <-moves; m.Head.ID != made.After.ID {
		t.Errorf("got commit %d", m.Head.Seq)
	}
}

func TestAWatcherEndsWithItsContext(t *testing.T) {
	g := newGraph(t, notes)
	ctx, cancel := context.WithCancel(t.Context())
	moves := g.Session(ana).Watch(ctx)
	cancel()
	for range moves {
		t.Error("a report after the end")
	}
}

// A backup that another process restores may change everything, although the commits have
// the same numbers and the schema was made by the same one.
func TestAWatcherHearsOfARestore(t *testing.T) {
	g := newGraph(t, notes)
	mustLoad(t, g, "in.ndjson", note("a", "A"))
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := g.Backup(t.Context(), backup, kg.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	commit(t, g, titled("a", "Lost"))
	before := head(t, g)
	moves := g.Session(ana).Watch(t.Context())
	done, err := kg.Restore(t.Context(), g.Path(), backup, kg.RestoreOptions{By: ana})
	if err != nil {
		t.Fatal(err)
	}
	m := <-moves
	if m.Before.ID != before.ID || m.Head.ID != done.After.ID || !m.Schema {
		t.Errorf("got %+v", m)
	}
	touched, err := g.Session(ana).Touched(t.Context(), m)
	if err != nil || !touched.Cut || len(touched.Types) != len(touched.Schema.Types) {
		t.Errorf("touched: %+v, error %v", touched, err)
	}
	commit(t, g, titled("a", "New"))
	if m := <-moves; m.Schema || m.Head.Seq != before.Seq {
		t.Errorf("after the restore: %+v", m)
	}
	view(t, g, func(s *kg.Snapshot) error {
		made, err := s.Activities(t.Context(), kg.ActivityFilter{Capability: "restore"}, 2)
		if err != nil || len(made) != 1 || made[0].Agent != "local:ana" {
			t.Errorf("the restore is recorded as %+v, error %v", made, err)
		}
		return err
	})
}
