package kg_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

// ids are the commits of a graph, oldest first.
func ids(t testing.TB, g *kg.Graph) []string {
	t.Helper()
	var out []string
	view(t, g, func(s *kg.Snapshot) error {
		commits, err := s.Commits(t.Context(), 0, 1000)
		for _, c := range commits {
			out = append([]string{c.ID.Whole()}, out...)
		}
		return err
	})
	return out
}

func TestTheSameHistoryInTwoFilesHasTheSameIDs(t *testing.T) {
	var histories [2][]string
	for i := range histories {
		g := newGraph(t, notes)
		if i == 1 { // what is only in this file must not count
			if err := g.Record(t.Context(), []kg.Activity{{ID: "1", Outcome: "ok"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: titled("x", "X"), DryRun: true}); err != nil {
				t.Fatal(err)
			}
		}
		mustLoad(t, g, "in.ndjson", note("a", "A")+note("b", "B"))
		commit(t, g, titled("a", "Another"))
		if _, err := tryLoad(t, g, kg.Load{Options: load.Options{Mode: load.Overwrite}}, "in.ndjson", note("b", "B")+note("c", "C")); err != nil {
			t.Fatal(err)
		}
		verify(t, g)
		histories[i] = ids(t, g)
	}
	if diff := cmp.Diff(histories[0], histories[1]); diff != "" || len(histories[0]) != 4 {
		t.Errorf("%d commits: %s", len(histories[0]), diff)
	}
}

func TestASnapshotStaysAsItWas(t *testing.T) {
	path := newFile(t, notes)
	g, other := open(t, path), open(t, path)
	mustLoad(t, g, "in.ndjson", note("a", "A"))
	snap, err := g.Session(ana).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	read := func() string {
		var out strings.Builder
		if _, err := snap.Export(t.Context(), &out, load.NQuads, nil); err != nil {
			t.Fatal(err)
		}
		items, err := snap.Table(t.Context(), browse.TableQuery{Type: snap.Schema().Type("Note"), Limit: 10})
		return fmt.Sprint(snap.Head().ID, snap.SchemaVersion(), items, err, out.String())
	}
	before := read()
	for _, writer := range []*kg.Graph{g, other} {
		commit(t, writer, titled("a", "Changed by "+writer.Name()+writer.Path()[:1]))
		mustLoad(t, writer, "in.ndjson", note("b", "B"))
		if _, _, err := writer.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte("types: {}"), AllowDataLoss: true}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := writer.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(notes)}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, read()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestTwoOpenFilesSeeEachOther holds for two processes on one file, for each Graph
// has its own connections and its own memory of the schema.
func TestTwoOpenFilesSeeEachOther(t *testing.T) {
	path := newFile(t, notes)
	a, b := open(t, path), open(t, path)
	mustLoad(t, a, "in.ndjson", note("a", "A"))
	mustLoad(t, b, "in.ndjson", note("b", "B"))
	if diff := cmp.Diff(export(t, a, load.NQuads), export(t, b, load.NQuads)); diff != "" {
		t.Fatal(diff)
	}
	if _, _, err := b.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(strings.Replace(notes, "title: {", "year: {type: year, required: true, default: \"2026\"}\n      title: {", 1))}); err != nil {
		t.Fatal(err)
	}
	loaded := mustLoad(t, a, "in.ndjson", `{"type":"Note","id":"c","data":{"title":"C","year":"1999"}}`)
	if loaded.After.SchemaVersion != 2 || loaded.Before.Parent == (kg.CommitID{}) {
		t.Errorf("got %+v", loaded.After)
	}
	if _, err := a.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: titled("d", "D")}); !fault.Is(err, fault.InvalidData) {
		t.Errorf("the other one's schema does not hold: %v", err)
	}
	verify(t, b)
}

func TestManyWritersLoseNothing(t *testing.T) {
	path := newFile(t, notes)
	const writers, each = 4, 15
	var group sync.WaitGroup
	for w := range writers {
		g := open(t, path)
		group.Go(func() {
			for i := range each {
				if _, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: titled(fmt.Sprintf("%d-%d", w, i), "T")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	g := open(t, path)
	if got := strings.Count(export(t, g, load.NDJSON), "\n"); got != writers*each {
		t.Errorf("%d of %d notes are there", got, writers*each)
	}
	if got := len(ids(t, g)); got != writers*each+1 {
		t.Errorf("there are %d commits", got)
	}
	verify(t, g)
}

func TestOfManyWithOneIfCommitOneWins(t *testing.T) {
	path := newFile(t, notes)
	at := head(t, open(t, path)).ID
	var group sync.WaitGroup
	results := make([]error, 6)
	for w := range results {
		g := open(t, path)
		group.Go(func() {
			_, results[w] = g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: titled(fmt.Sprint(w), "T"), IfCommit: &at})
		})
	}
	group.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.Precondition) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

// TestRandomHistories runs commits, loads, undos and refused changes, in two
// open files by turns, against a set of quads in memory.
func TestRandomHistories(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(rt *rapid.T) {
		path := newFile(t, notes)
		h := &history{t: t, model: map[rdf.Quad]bool{}, since: map[rdf.Quad]kg.Seq{}}
		for range 2 {
			g, err := kg.Open(t.Context(), path, kg.Options{Now: clock()})
			if err != nil {
				rt.Fatal(err)
			}
			defer g.Close()
			h.graphs = append(h.graphs, g)
		}
		for q := range h.quads() {
			h.model[q] = true
		}
		h.last = head(t, h.graphs[0])
		rt.Repeat(map[string]func(*rapid.T){
			"commit": h.commit,
			"load":   h.load,
			"undo":   h.undo,
			"":       h.check,
		})
		verify(t, h.graphs[0])
	})
}

type history struct {
	t      *testing.T
	graphs []*kg.Graph
	model  map[rdf.Quad]bool
	last   kg.Commit
	// steps are the commits, and since is the one that a quad was last added by.
	steps []step
	since map[rdf.Quad]kg.Seq
}

// step is a commit with the states before and after it.
type step struct {
	kg.Commit
	before, after map[rdf.Quad]bool
}

func (h *history) graph(rt *rapid.T) *kg.Graph {
	return rapid.SampledFrom(h.graphs).Draw(rt, "process")
}

// commit makes random edits of few notes; what the schema refuses must change nothing.
func (h *history) commit(rt *rapid.T) {
	edits := rapid.SliceOfN(noteEditGen(), 1, 6).Draw(rt, "edits")
	set := kg.ChangeSet{Edits: edits, DryRun: rapid.IntRange(0, 4).Draw(rt, "dry") == 0}
	if rapid.IntRange(0, 3).Draw(rt, "if_commit") == 0 {
		set.IfCommit = &h.last.ID
	}
	r, err := h.graph(rt).Session(ana).Commit(h.t.Context(), set)
	want := h.after(edits)
	if wrong := broken(want); (err != nil) != (len(wrong) > 0) {
		rt.Fatalf("error %v, but the model says %q", err, wrong)
	}
	if err == nil && !set.DryRun {
		h.advance(rt, want, r)
	}
}

// after applies edits to the model: removals, then additions.
func (h *history) after(edits []change.Edit) map[rdf.Quad]bool {
	want := map[rdf.Quad]bool{}
	for q := range h.model {
		want[q] = true
	}
	for _, e := range edits {
		for q := range want {
			whole := e.Op == change.Erase && q.Subject == e.Quad.Subject
			values := e.Op == change.Clear && q.Subject == e.Quad.Subject && q.Predicate == e.Quad.Predicate
			if q.Label == nil && (whole || values) || e.Op == change.Retract && q == e.Quad {
				delete(want, q)
			}
		}
	}
	for _, e := range edits {
		if e.Op == change.Assert {
			want[e.Quad] = true
		}
	}
	return want
}

// broken says what is wrong with the notes of a state: a note has one title, and
// cites notes.
func broken(state map[rdf.Quad]bool) []string {
	titles, isNote := map[rdf.Term]int{}, map[rdf.Term]bool{}
	for q := range state {
		switch {
		case q.Label != nil:
		case q.Predicate == rdf.IRI(base+"title"):
			titles[q.Subject]++
		case q.Predicate == rdf.Type && q.Object == rdf.IRI(base+"Note"):
			isNote[q.Subject] = true
		}
	}
	var out []string
	for s := range isNote {
		if titles[s] != 1 {
			out = append(out, fmt.Sprintf("%s has %d titles", s, titles[s]))
		}
	}
	for q := range state {
		if q.Predicate == rdf.IRI(base+"cites") && isNote[q.Subject] && !isNote[q.Object] {
			out = append(out, fmt.Sprintf("%s cites %s", q.Subject, q.Object))
		}
	}
	return out
}

// load adds a whole note with its edges.
func (h *history) load(rt *rapid.T) {
	id := rapid.SampledFrom(noteIDs).Draw(rt, "id")
	title := rapid.SampledFrom([]string{"T", "U"}).Draw(rt, "title")
	text := note(id, title) + fmt.Sprintf("{\"edge\":\"cites\",\"from\":\"Note/%s\",\"to\":\"Note/%s\"}\n", id, id)
	edits := titled(id, title)
	edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI(base + "Note/" + id), Predicate: rdf.IRI(base + "cites"), Object: rdf.IRI(base + "Note/" + id)}})
	want := h.after(edits)
	loaded, err := tryLoad(h.t, h.graph(rt), kg.Load{}, "in.ndjson", text)
	if wrong := broken(want); (err != nil) != (len(wrong) > 0) {
		rt.Fatalf("error %v, but the model says %q", err, wrong)
	}
	if err == nil {
		h.advance(rt, want, loaded.Result)
	}
}

// advance takes a change that was accepted.
func (h *history) advance(rt *rapid.T, want map[rdf.Quad]bool, r kg.Result) {
	added, removed := 0, 0
	for q := range want {
		if !h.model[q] {
			added++
		}
	}
	for q := range h.model {
		if !want[q] {
			removed++
		}
	}
	if r.AddedCount != int64(added) || r.RemovedCount != int64(removed) || r.Changed != (added+removed > 0) || r.Before.ID != h.last.ID {
		rt.Fatalf("got +%d -%d from %s, want +%d -%d from %s", r.AddedCount, r.RemovedCount, r.Before.ID, added, removed, h.last.ID)
	}
	if r.Changed {
		h.steps = append(h.steps, step{r.After, h.model, want})
	}
	for q := range want {
		if !h.model[q] {
			h.since[q] = r.After.Seq
		}
	}
	h.model, h.last = want, r.After
}

// check holds both open files against the model.
func (h *history) check(rt *rapid.T) {
	for _, g := range h.graphs {
		if got := head(h.t, g); got.ID != h.last.ID || got.Quads != int64(len(h.model)) {
			rt.Fatalf("the head is %d with %d quads, want %d with %d", got.Seq, got.Quads, h.last.Seq, len(h.model))
		}
	}
	got := map[rdf.Quad]bool{}
	for q := range h.quads() {
		got[q] = true
	}
	if diff := cmp.Diff(h.model, got); diff != "" {
		rt.Fatal(diff)
	}
}

func (h *history) quads() func(func(rdf.Quad) bool) {
	return func(yield func(rdf.Quad) bool) {
		view(h.t, h.graphs[0], func(s *kg.Snapshot) error {
			for q, err := range s.Match(h.t.Context(), rdf.Quad{}) {
				if err != nil || !yield(q) {
					return err
				}
			}
			return nil
		})
	}
}

var noteIDs = []string{"1", "2", "3"}

// noteEditGen draws edits that are often accepted: mostly whole titles.
func noteEditGen() *rapid.Generator[change.Edit] {
	return rapid.Custom(func(t *rapid.T) change.Edit {
		iri := func(s string) rdf.Term { return rdf.IRI(base + s) }
		q := rdf.Quad{Subject: iri("Note/" + rapid.SampledFrom(noteIDs).Draw(t, "note"))}
		switch rapid.IntRange(0, 4).Draw(t, "predicate") {
		case 0:
			q.Predicate, q.Object = rdf.Type, iri("Note")
		case 1:
			q.Predicate, q.Object = iri("title"), rdf.Literal(rapid.SampledFrom([]string{"T", "U"}).Draw(t, "title"), "")
		case 2:
			q.Predicate, q.Object = iri("cites"), iri("Note/"+rapid.SampledFrom(noteIDs).Draw(t, "cited"))
		case 3:
			q.Predicate, q.Object = rdf.IRI("urn:other"), rdf.Literal(rapid.SampledFrom([]string{"1", "01"}).Draw(t, "number"), rdf.XSDInteger)
		default:
			q.Predicate, q.Object, q.Label = rdf.IRI("urn:other"), iri("x"), rdf.IRI("urn:g")
		}
		op := rapid.SampledFrom([]change.Op{change.Assert, change.Assert, change.Assert, change.Retract, change.Clear, change.Erase}).Draw(t, "op")
		if op == change.Clear || op == change.Erase {
			q.Label = nil
		}
		return change.Edit{Op: op, Quad: q}
	})
}
