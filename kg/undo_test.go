package kg_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/servers"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

func undo(t testing.TB, g *kg.Graph, c kg.Commit) (kg.Result, error) {
	t.Helper()
	return g.Session(ana).Undo(t.Context(), kg.Undo{Commit: c.ID})
}

// undo takes back any commits that follow each other, all of them or what they did to some notes: what the model says
// against it is refused, and everything else is the exact inverse. Nothing is ever against all of the last ones.
func (h *history) undo(rt *rapid.T) {
	if len(h.steps) == 0 {
		rt.Skip("nothing to take back")
	}
	first := rapid.IntRange(0, len(h.steps)-1).Draw(rt, "first")
	c := h.steps[rapid.IntRange(first, min(first+3, len(h.steps)-1)).Draw(rt, "last")]
	u := kg.Undo{Commit: c.ID}
	if c.ID != h.steps[first].ID || rapid.Bool().Draw(rt, "after") {
		u.After = h.steps[first].Parent
		c.before = h.steps[first].before
	}
	idle := false // a note is named that did not change
	if rapid.IntRange(0, 2).Draw(rt, "in part") == 0 {
		of := map[rdf.Term]bool{}
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(noteIDs), 1, 2, rapid.ID).Draw(rt, "nodes") {
			u.Nodes, of[rdf.IRI(base+"Note/"+id)] = append(u.Nodes, rdf.IRI(base+"Note/"+id)), true
		}
		c.before, c.after = about(c.before, of), about(c.after, of)
		for _, n := range u.Nodes {
			one := map[rdf.Term]bool{n: true}
			idle = idle || maps.Equal(about(c.before, one), about(c.after, one))
		}
	}
	want := maps.Clone(h.model)
	for q := range c.after {
		if !c.before[q] {
			delete(want, q)
		}
	}
	for q := range c.before {
		if !c.after[q] {
			want[q] = true
		}
	}
	clash, wrong := h.clashes(c, want), broken(want)
	session := h.graph(rt).Session(ana)
	u.Set.DryRun = true
	dry, refused := session.Undo(h.t.Context(), u)
	u.Set.DryRun = false
	r, err := session.Undo(h.t.Context(), u)
	if fmt.Sprint(refused) != fmt.Sprint(err) {
		rt.Fatalf("a dry run says %v, and the undo %v", refused, err)
	}
	done := r
	done.After = done.Before
	if diff := cmp.Diff(done, dry); diff != "" {
		rt.Fatalf("a dry run answers something else: %s", diff)
	}
	switch {
	case idle:
		if !fault.Is(err, fault.InvalidArguments) {
			rt.Fatalf("error %v, but a note of %v was not changed", err, u.Nodes)
		}
	case maps.Equal(want, h.model):
		if err != nil || r.Changed || len(r.Warnings) != 1 {
			rt.Fatalf("it is taken back already: %v, %q", err, r.Warnings)
		}
	case c.ID == h.last.ID && u.Nodes == nil && err != nil:
		rt.Fatalf("the last commit: %v", err)
	case clash != "":
		if !fault.Is(err, fault.Conflict) {
			rt.Fatalf("error %v, but the model says %s", err, clash)
		}
	case len(wrong) > 0:
		if !fault.Is(err, fault.InvalidData) {
			rt.Fatalf("error %v, but the model says %q", err, wrong)
		}
	case err != nil:
		rt.Fatal(err)
	default:
		h.advance(rt, want, r)
	}
}

// about are the statements of a state about some nodes.
func about(state map[rdf.Quad]bool, nodes map[rdf.Term]bool) map[rdf.Quad]bool {
	return set(state).of(func(q rdf.Quad) bool { return nodes[q.Subject] })
}

// clashes says what later commits did to the values of a commit, "" for nothing.
func (h *history) clashes(c step, want map[rdf.Quad]bool) string {
	isType := func(q rdf.Quad) bool { return q.Predicate == rdf.Type && q.Label == nil }
	typed := func(state map[rdf.Quad]bool, s rdf.Term, p func(rdf.Quad) bool) bool {
		for q := range state {
			if q.Subject == s && isType(q) && p(q) {
				return true
			}
		}
		return false
	}
	anyType := func(rdf.Quad) bool { return true }
	for q := range c.after {
		switch {
		case c.before[q]:
		case !h.model[q]:
			return fmt.Sprint("gone ", q)
		case isType(q) && !typed(want, q.Subject, anyType):
			for said := range want {
				if said.Subject == q.Subject && said.Label == nil && h.model[said] && h.since[said] > c.Seq {
					return fmt.Sprint("said since ", said)
				}
			}
		}
	}
	for q := range c.before {
		switch {
		case c.after[q]:
		case h.model[q]:
			return fmt.Sprint("there again ", q)
		case q.Label != nil:
		case !typed(want, q.Subject, anyType):
			if typed(c.before, q.Subject, anyType) {
				return fmt.Sprint("its node is gone ", q)
			}
		case q.Predicate == rdf.IRI(base+"title"):
			for other := range want {
				if other.Subject == q.Subject && other.Predicate == q.Predicate && other != q && h.model[other] {
					return fmt.Sprint("another title ", other)
				}
			}
		}
	}
	return ""
}

// TestALargeLoadIsTakenBack has no change log, and with what was changed of it since is
// refused by the nodes' names.
func TestALargeLoadIsTakenBack(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, notes)
	mustLoad(t, g, "small", note("z", "Z"))
	before := export(t, g, load.NQuads)
	var text strings.Builder
	const n = 6000
	for i := range n {
		text.WriteString(note(fmt.Sprintf("n%04d", i), "T"))
	}
	loaded := mustLoad(t, g, "large", text.String())
	if !loaded.After.Bulk {
		t.Fatal("the load has a change log")
	}
	whole := export(t, g, load.NQuads)

	var edits []change.Edit
	for i := range 30 {
		edits = append(edits, titled(fmt.Sprintf("n%04d", i), "Another")...)
	}
	changed := commit(t, g, edits)
	_, err := undo(t, g, loaded.After)
	f := fault.Of(err)
	clashes, _ := f.Details["clashes"].([]kg.Clash)
	if f.Kind != fault.Conflict || f.Details["count"] != 30 || len(clashes) != kg.MaxClashes || len(f.Message) > 2000 {
		t.Fatalf("got %d clashes of %v in %d bytes: %v", len(clashes), f.Details["count"], len(f.Message), err)
	}
	want := kg.Clash{Node: "Note/n0000", What: "title has another value now", Property: "title", Commit: changed.After.ID.String()}
	if diff := cmp.Diff(want, clashes[0]); diff != "" {
		t.Error(diff)
	}
	if _, err := undo(t, g, changed.After); err != nil {
		t.Fatal(err)
	}
	r, err := undo(t, g, loaded.After)
	if err != nil {
		t.Fatal(err)
	}
	if r.NodeCount != n || len(r.Nodes) != kg.MaxNodes || r.RemovedCount != 2*n {
		t.Errorf("%d nodes, %d listed, %d statements", r.NodeCount, len(r.Nodes), r.RemovedCount)
	}
	if diff := cmp.Diff(before, export(t, g, load.NQuads)); diff != "" {
		t.Error(diff)
	}
	if _, err := undo(t, g, r.After); err != nil {
		t.Fatal(err)
	}
	if now := export(t, g, load.NQuads); now != whole {
		t.Error("the undo of the undo is not what there was")
	}
	verify(t, g)
}

func TestACommitThatIsNotThereIsMissing(t *testing.T) {
	g := newGraph(t, notes)
	if _, err := undo(t, g, kg.Commit{ID: kg.CommitID{1}}); !fault.Is(err, fault.Missing) {
		t.Error(err)
	}
}

// A commit of definitions other than the schema is refused with the call that takes it back.
func TestWhatUndoRefusesNamesTheCallThatTakesItBack(t *testing.T) {
	given := migrations(t, "0001_x.yaml", "steps:\n- update: {forward: 'INSERT {?n :also \"x\"} WHERE {?n a :Note}', reverse: history}\n")
	g := people(t, massSchema, massData(3))
	for _, c := range []struct {
		do   func() error
		want string
	}{
		{func() error { _, err := migrate(t, g, given); return err }, "trails.meta.migrate.rollback"},
		{func() error { _, err := rollBack(t, g, kg.MigrationRollback{}); return err }, "trails.meta.migrate.apply"},
		{func() error {
			_, err := servers.Put(t.Context(), g.Session(ana), gateway.Server{Name: "files", HTTP: "http://localhost:1"}, kg.ChangeSet{})
			return err
		}, "trails.meta.gateway.remove"},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		last := head(t, g)
		_, err := undo(t, g, last)
		if err != nil && strings.Contains(err.Error(), "the call undo takes it back") {
			_, err = g.Session(ana).UndoSchema(t.Context(), kg.Undo{Commit: last.ID})
		}
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
