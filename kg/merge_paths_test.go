package kg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	commits "trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/sparql"
)

// changeBranch resets, renames or deletes a branch.
func (m *mergeModel) changeBranch(rt *rapid.T, t *testing.T, g *kg.Graph, name string) {
	s := g.Session(ana)
	kind := rapid.SampledFrom([]string{"reset", "reset", "rename", "delete"}).Draw(rt, "change")
	if name == kg.Main {
		for what, err := range map[string]error{
			"reset":  second(s.ResetBranch(t.Context(), name, m.commits[0].id.Whole(), false, kg.Activity{})),
			"rename": first(s.RenameBranch(t.Context(), name, "trunk", false, kg.Activity{})),
			"delete": first(s.DropBranch(t.Context(), name, false, kg.Activity{})),
		} {
			if !fault.Is(err, fault.Denied) {
				rt.Fatalf("%s of main: %v", what, err)
			}
		}
		return
	}
	switch kind {
	case "reset":
		to := m.draw(rt, "to")
		was, is, err := s.ResetBranch(t.Context(), name, m.commits[to].id.Whole(), false, kg.Activity{})
		if err != nil || was.Head.ID != m.commits[m.heads[name]].id || is.Head.ID != m.commits[to].id {
			rt.Fatalf("reset of %s: from %v to %v, %v", name, was.Head.ID, is.Head.ID, err)
		}
		m.heads[name] = to
	case "rename":
		m.made++
		other := fmt.Sprint("draft", m.made)
		if _, err := s.RenameBranch(t.Context(), name, other, false, kg.Activity{}); err != nil {
			rt.Fatal(err)
		}
		m.heads[other] = m.heads[name]
		delete(m.heads, name)
	case "delete":
		var hang []string
		view(t, g, func(snap *kg.Snapshot) error {
			list, err := snap.Branches(t.Context())
			for _, b := range list {
				if b.From == name {
					hang = append(hang, b.Name)
				}
			}
			return err
		})
		_, err := s.DropBranch(t.Context(), name, false, kg.Activity{})
		switch {
		case len(hang) > 0:
			if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), hang[0]) {
				rt.Fatalf("%v was made from %s, and its deletion says %v", hang, name, err)
			}
			return
		case err != nil:
			rt.Fatal(err)
		}
		delete(m.heads, name)
	}
}

// collect drops the commits that no branch has or comes from.
func (m *mergeModel) collect(rt *rapid.T, t *testing.T, g *kg.Graph) {
	needed := map[int]bool{}
	for _, at := range m.heads {
		maps.Copy(needed, m.ancestors(at))
	}
	want := int64(0)
	for i, c := range m.commits {
		if c.state != nil && !needed[i] {
			m.commits[i].state = nil
			want++
		}
	}
	done, err := g.Session(ana).Collect(t.Context(), kg.Collecting{})
	if err != nil {
		rt.Fatal(err)
	}
	for _, u := range done.Dropped {
		want -= u.Commits
	}
	if want != 0 || len(done.Kept) > 0 {
		rt.Fatalf("%d more commits should have been dropped than were; kept: %v", want, done.Kept)
	}
}

// draw returns a commit that is still there.
func (m *mergeModel) draw(rt *rapid.T, label string) int {
	var there []int
	for i, c := range m.commits {
		if c.state != nil {
			there = append(there, i)
		}
	}
	return rapid.SampledFrom(there).Draw(rt, label)
}

func first[T any](_ T, err error) error          { return err }
func second[T, U any](_ T, _ U, err error) error { return err }

// agrees compares all ways to read the states with the model: each branch by its statements, as an export, by a query and
// by its feed, each commit as it was then, the differences of any two, and what another file takes from bundles.
func (m *mergeModel) agrees(rt *rapid.T, t *testing.T, g *kg.Graph) {
	other := newGraph(t, "")
	defer other.Close()
	mustApply(t, other, bundleOf(t, g, kg.Main), kg.Arrival{})
	for _, name := range slices.Sorted(maps.Keys(m.heads)) {
		want := m.commits[m.heads[name]].state
		lines := linesOf(want)
		if got := branchState(t, g, name); !maps.Equal(got, want) {
			rt.Fatalf("%s has %v, want %v", name, got, want)
		}
		same := func(how string, got map[string]bool) {
			if !maps.Equal(got, lines) {
				rt.Fatalf("%s of %s has %v, want %v", how, name, got, lines)
			}
		}
		exported := map[string]bool{}
		for _, line := range strings.Split(exportOf(t, g, name, load.NQuads), "\n") {
			exported[line] = true
		}
		same("an export", data(exported))
		viewOf(t, g.Session(ana).On(name), func(snap *kg.Snapshot) {
			same("a query", found(t, snap))
			fed := map[string]bool{}
			for line := range feedUntil(t, snap, snap.Head()) {
				fed[strings.TrimSpace(line)] = true
			}
			same("the feed", data(fed))
		})
		mustApply(t, other, bundleOf(t, g, name), kg.Arrival{Into: name})
		if got := headsOf(t, other)[name]; got.ID != m.commits[m.heads[name]].id {
			rt.Fatalf("%s was taken as %s", name, got.ID)
		}
		if got := branchState(t, other, name); !maps.Equal(got, want) {
			rt.Fatalf("the other file has %v for %s, want %v", got, name, want)
		}
	}
	verify(t, other)
	states := make([]kg.Commit, len(m.commits))
	for i, c := range m.commits {
		snap := snapshotOf(rt, t, g)
		var err error
		if c.state == nil {
			if _, err := snap.FindState(t.Context(), c.id.Whole()); !fault.Is(err, fault.Missing) {
				rt.Fatalf("commit %s was dropped, and finding it says %v", c.id, err)
			}
			snap.Close()
			continue
		}
		if states[i], err = snap.FindState(t.Context(), c.id.Whole()); err != nil {
			rt.Fatalf("commit %s: %v", c.id, err)
		}
		then, err := snap.At(t.Context(), states[i])
		if err != nil {
			rt.Fatal(err)
		}
		if got := found(t, then); !maps.Equal(got, linesOf(c.state)) {
			rt.Fatalf("at %s there was %v, want %v", c.id, got, c.state)
		}
		then.Close()
	}
	for range 5 {
		a, b := m.draw(rt, "from"), m.draw(rt, "to")
		c, err := snapshotOf(rt, t, g).Compare(t.Context(), states[a], states[b])
		if err != nil {
			rt.Fatal(err)
		}
		state := maps.Clone(m.commits[a].state)
		for change, err := range c.Statements(t.Context()) {
			there := change.Op == commits.OpAdd
			if err != nil || state[change.Quad] == there {
				rt.Fatalf("the difference from %s to %s has %c %v, error %v", states[a].ID, states[b].ID, change.Op, change.Quad, err)
			}
			if state[change.Quad] = true; !there {
				delete(state, change.Quad)
			}
		}
		c.Close()
		if !maps.Equal(state, m.commits[b].state) {
			rt.Fatalf("the difference from %s to %s leads to %v, want %v", states[a].ID, states[b].ID, state, m.commits[b].state)
		}
	}
}

func snapshotOf(rt *rapid.T, t *testing.T, g *kg.Graph) *kg.Snapshot {
	snap, err := g.Session(ana).Snapshot(t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	return snap
}

// linesOf are the statements of a set as N-Quads lines.
func linesOf(s set) map[string]bool {
	lines := map[string]bool{}
	for q := range s {
		lines[strings.TrimSpace(string(rdf.AppendQuad(nil, q)))] = true
	}
	return lines
}

// data are the lines about nodes of the type T; others are of the schema.
func data(lines map[string]bool) map[string]bool {
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return !strings.HasPrefix(line, "<"+base+"T/") })
	return lines
}

// found are the statements that a query finds.
func found(t *testing.T, snap *kg.Snapshot) map[string]bool {
	t.Helper()
	q, err := sparql.Parse("SELECT ?s ?p ?o { ?s ?p ?o }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := snap.Query(t.Context(), q, kg.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := set{}
	for row, err := range a.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all[rdf.Quad{Subject: row[0], Predicate: row[1], Object: row[2]}] = true
	}
	return linesOf(all)
}

// A draft that is reset again and again to the commit before its head is a long row of lines: it reads right, merges, and
// ends with a refusal that says what to do.
func TestABranchIsResetManyTimes(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, mergeSchema)
	draft := g.Session(ana).On("draft")
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	state, resets := set{}, 0
	var refused error
	for ; refused == nil && resets < 1000; resets++ {
		var kept kg.Commit
		for i, node := range []string{"kept", "lost"} {
			next := maps.Clone(state)
			next[rdf.Quad{Subject: base0 + rdf.IRI(fmt.Sprint("T/", node, resets)), Predicate: rdf.Type, Object: base0 + "T"}] = true
			r, err := draft.Commit(t.Context(), kg.ChangeSet{Edits: editsTo(state, next)})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				state, kept = next, r.After
			}
		}
		_, _, refused = draft.ResetBranch(t.Context(), "draft", kept.ID.Whole(), false, kg.Activity{})
	}
	if resets < 100 || !fault.Is(refused, fault.TooLarge) || !strings.Contains(refused.Error(), "make it from one of the first") {
		t.Fatalf("%d resets, and the last says %v", resets, refused)
	}
	state[rdf.Quad{Subject: base0 + rdf.IRI(fmt.Sprint("T/lost", resets-1)), Predicate: rdf.Type, Object: base0 + "T"}] = true
	if got := branchState(t, g, "draft"); !maps.Equal(got, state) {
		t.Errorf("the draft has %d statements, want %d", len(got), len(state))
	}
	viewOf(t, draft, func(snap *kg.Snapshot) {
		if got := found(t, snap); !maps.Equal(got, linesOf(state)) {
			t.Errorf("a query finds %d statements, want %d", len(got), len(state))
		}
	})
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"}); err != nil {
		t.Fatal(err)
	}
	if got := branchState(t, g, kg.Main); !maps.Equal(got, state) {
		t.Errorf("main has %d statements, want %d", len(got), len(state))
	}
	verify(t, g)
}

// A stored query of one side that reads what the other side dropped is merged, and its trouble is told, once.
func TestAMergeTellsOfTheStoredQueriesThatItBreaks(t *testing.T) {
	g := newGraph(t, mergeSchema)
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Session(ana).On("draft").ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- drop_property: T.one")}); err != nil {
		t.Fatal(err)
	}
	store := func(name, property string) (kg.Result, error) {
		_, r, err := g.Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Add: []kg.QueryText{{Name: name, Text: "#+ params: {of: ref(T)}\nSELECT ?v { ?of :" + property + " ?v }"}}})
		return r, err
	}
	if r, err := store("ones", "one"); err != nil || len(r.Warnings) > 0 {
		t.Fatal(r.Warnings, err)
	}
	for _, dry := range []bool{true, false} {
		r, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft", Set: kg.ChangeSet{DryRun: dry}})
		if told := strings.Join(r.Warnings, "\n"); err != nil || !strings.Contains(told, "the stored query ones does not fit the schema any more: ") || !strings.Contains(told, "one") {
			t.Errorf("dry %v: %q, %v", dry, told, err)
		}
	}
	if r, err := store("manys", "many"); err != nil || len(r.Warnings) > 0 {
		t.Errorf("it is told again: %q, %v", r.Warnings, err)
	}
}
