package kg_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
)

// titled is a change that gives a note a title.
func titled(id, title string) []change.Edit {
	subject := rdf.IRI(base + "Note/" + id)
	return []change.Edit{
		{Op: change.Assert, Quad: rdf.Quad{Subject: subject, Predicate: rdf.Type, Object: rdf.IRI(base + "Note")}},
		{Op: change.Clear, Quad: rdf.Quad{Subject: subject, Predicate: rdf.IRI(base + "title")}},
		{Op: change.Assert, Quad: rdf.Quad{Subject: subject, Predicate: rdf.IRI(base + "title"), Object: rdf.Literal(title, "")}},
	}
}

func commit(t testing.TB, g *kg.Graph, edits []change.Edit) kg.Result {
	t.Helper()
	r, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: edits})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAResultSaysWhereTheBranchWasAndIs(t *testing.T) {
	g := newGraph(t, notes)
	before := head(t, g)
	r := commit(t, g, titled("a", "A"))
	if r.Before.ID != before.ID || r.After.ID != head(t, g).ID || r.After.Parent != before.ID || !r.Changed {
		t.Errorf("before %v after %v", r.Before.ID, r.After.ID)
	}
	if r.After.Time != time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC) || r.After.Author != "local:ana" || r.After.SchemaVersion != 1 {
		t.Errorf("got %+v", r.After)
	}
}

// TestACommitCarriesItsActivity holds for callers that say all of it, and for a Go
// program that says nothing.
func TestACommitCarriesItsActivity(t *testing.T) {
	g := newGraph(t, notes)
	started := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	said := kg.Activity{
		ID: "0190", Capability: "note.create", Version: "1", Agent: "somebody", Via: "test", Started: started, Outcome: "ok",
		TraceID: "t", Inputs: []byte{1}, Used: []string{"urn:x"},
	}
	_, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: titled("a", "A"), Activity: said})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, g, titled("b", "B"))
	var got []kg.Activity
	view(t, g, func(s *kg.Snapshot) (err error) {
		got, err = s.Activities(t.Context(), kg.ActivityFilter{}, 10)
		return err
	})

	for i := range got {
		got[i].Seq = 0
		if len(got[i].ID) == 36 {
			got[i].ID = "made"
		}
	}
	first := said
	first.CommitSeq, first.Ended, first.CostMicros = 2, started.Add(6*time.Second), 6_000_000
	first.Generated = []string{base + "Note/a"}
	at := started.Add(7 * time.Second)
	second := kg.Activity{ID: "made", Agent: "local:ana", Started: at, Ended: at, Outcome: "ok", CommitSeq: 3, Generated: []string{base + "Note/b"}}
	if diff := cmp.Diff([]kg.Activity{second, first}, got[:2]); diff != "" {
		t.Error(diff)
	}
	if initial := got[2]; initial.ID != "made" || initial.Started.IsZero() || initial.CommitSeq != 1 {
		t.Errorf("the commit of a new file: %+v", initial)
	}
}

func TestAReplayGivesBackTheNote(t *testing.T) {
	g := newGraph(t, notes)
	set := kg.ChangeSet{Edits: titled("a", "A"), Key: kg.IdempotencyKey{Key: "k", Note: "urn:first"}}
	first, err := g.Session(ana).Commit(t.Context(), set)
	if err != nil || first.Replayed || first.Note != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	set.Edits, set.Key.Note = titled("b", "B"), "urn:second"
	again, err := g.Session(ana).Commit(t.Context(), set)
	if err != nil || !again.Replayed || again.Note != "urn:first" || again.After.ID != first.After.ID {
		t.Fatalf("%+v, %v", again, err)
	}
}

func TestKeysOfTwoPrincipalsAreApart(t *testing.T) {
	g := newGraph(t, notes)
	set := kg.ChangeSet{Edits: titled("a", "A"), Key: kg.IdempotencyKey{Key: "k", Digest: [32]byte{1}}}
	if _, err := g.Session(ana).Commit(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	set.Edits, set.Key.Digest = titled("b", "B"), [32]byte{2}
	r, err := g.Session(policy.Local("bo", "")).Commit(t.Context(), set)
	if err != nil || r.Replayed {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestEditsMadeUnderAnotherSchemaAreAConflict(t *testing.T) {
	g := newGraph(t, notes)
	set := kg.ChangeSet{Edits: titled("a", "A")}
	view(t, g, func(s *kg.Snapshot) error { set.Schema = s.Schema(); return nil })
	apply := func(source string) {
		t.Helper()
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(source)}); err != nil {
			t.Fatal(err)
		}
	}
	apply(strings.Replace(notes, "title: {", "titel: {type: string}\n      title: {", 1))
	if _, err := g.Session(ana).Commit(t.Context(), set); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	apply(notes) // what it was is as good as if nothing had been
	if _, err := g.Session(ana).Commit(t.Context(), set); err != nil {
		t.Error(err)
	}
}

func TestAChangeOfAnySizeIsReportedWithABound(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	var edits []change.Edit
	for i := range kg.MaxReported + 10 {
		edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: rdf.Label, Object: rdf.Literal(strconv.Itoa(i), "")}})
	}
	r := commit(t, g, edits)
	if len(r.Added) != kg.MaxReported || r.AddedCount != kg.MaxReported+10 {
		t.Errorf("%d listed of %d", len(r.Added), r.AddedCount)
	}
	r = commit(t, g, []change.Edit{{Op: change.Erase, Quad: rdf.Quad{Subject: rdf.IRI("urn:s")}}})
	if len(r.Removed) != kg.MaxReported || r.RemovedCount != kg.MaxReported+10 {
		t.Errorf("%d listed of %d", len(r.Removed), r.RemovedCount)
	}
	verify(t, g)
}

func TestACancelledCommitChangesNothing(t *testing.T) {
	g := newGraph(t, notes)
	before := head(t, g)
	_, err := g.Session(ana).Commit(cancelled(t), kg.ChangeSet{Edits: titled("a", "A")})
	if err == nil || head(t, g).ID != before.ID {
		t.Errorf("got %v", err)
	}
	commit(t, g, titled("a", "A")) // the lock is free
}

func TestOpeningWhatCannotBeOpenedSaysWhy(t *testing.T) {
	if _, err := kg.Open(t.Context(), t.TempDir()+"/none.db", kg.Options{}); !fault.Is(err, fault.Missing) {
		t.Errorf("a missing file: %v", err)
	}
	path := newFile(t, notes)
	if err := kg.Create(t.Context(), path, kg.CreateOptions{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("an existing file: %v", err)
	}
	bad := t.TempDir() + "/bad.db"
	if err := kg.Create(t.Context(), bad, kg.CreateOptions{Schema: []byte("types: [")}); !fault.Is(err, fault.Malformed) {
		t.Errorf("a bad schema: %v", err)
	}
	if _, err := kg.Open(t.Context(), bad, kg.Options{}); !fault.Is(err, fault.Missing) {
		t.Errorf("a refused schema left a file: %v", err)
	}
}

func TestANewFileHasABase(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		opts kg.CreateOptions
		want string
	}{
		"of the file's name":      {"My Notes.2026.db", kg.CreateOptions{}, "urn:trails:my-notes:"},
		"of a file without a one": {"....db", kg.CreateOptions{}, "urn:trails:graph:"},
		"of a given name":         {"x.db", kg.CreateOptions{Name: "demo"}, "urn:trails:demo:"},
		"of the schema":           {"x.db", kg.CreateOptions{Schema: []byte("base: \"urn:b:\"\ntypes: {}")}, "urn:b:"},
		"as it is given":          {"x.db", kg.CreateOptions{Base: "http://example.org/"}, "http://example.org/"},
	} {
		path := t.TempDir() + "/" + c.file
		if err := kg.Create(t.Context(), path, c.opts); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := open(t, path).Base(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	for _, opts := range []kg.CreateOptions{{Base: "no iri"}, {Base: "urn:a:", Schema: []byte("base: \"urn:b:\"\ntypes: {}")}, {Name: "a b"}} {
		if err := kg.Create(t.Context(), t.TempDir()+"/x.db", opts); err == nil || fault.Of(err).Kind == fault.Internal {
			t.Errorf("%+v: got %v", opts, err)
		}
	}
}
