package kg_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
)

const mergeSchema = `
types:
  T:
    properties:
      one: { type: string }
      many: { type: string, many: true }
      ref: { class: T, many: true }
`

// A set is a state of the graph, in the model.
type set map[rdf.Quad]bool

// modelled is a commit in the model. One that was dropped has no state.
type modelled struct {
	id      kg.CommitID
	parents []int
	state   set
	author  policy.Principal
}

// A mergeModel is the history of all branches: commits by number, and the head of each branch.
type mergeModel struct {
	commits []modelled
	heads   map[string]int
	made    int // how many branches were made
}

func (m *mergeModel) ancestors(i int) map[int]bool {
	all := map[int]bool{i: true}
	for _, p := range m.commits[i].parents {
		maps.Copy(all, m.ancestors(p))
	}
	return all
}

// bases are the common ancestors that are no ancestors of another one, the newest first.
func (m *mergeModel) bases(a, b int) (list []int) {
	common := m.ancestors(a)
	of := m.ancestors(b)
	maps.DeleteFunc(common, func(i int, _ bool) bool { return !of[i] })
	for i := range common {
		best := true
		for k := range common {
			best = best && (k == i || !m.ancestors(k)[i])
		}
		if best {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// base is the state that two commits have in common.
func (m *mergeModel) base(a, b int) set {
	bases := m.bases(a, b)
	first := m.commits[bases[0]].state
	state := maps.Clone(first)
	for _, other := range bases[1:] {
		before, its := m.base(bases[0], other), m.commits[other].state
		for q := range union(before, its) {
			if before[q] != its[q] && before[q] == first[q] {
				state[q] = its[q]
			}
		}
	}
	maps.DeleteFunc(state, func(_ rdf.Quad, there bool) bool { return !there })
	return state
}

func union(a, b set) set {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// of are the statements of a set that match.
func (s set) of(match func(rdf.Quad) bool) set {
	out := set{}
	for q := range s {
		if match(q) {
			out[q] = true
		}
	}
	return out
}

// mergeOf merges by nodes and properties, and counts the clashes.
func mergeOf(base, ours, theirs set, take kg.Side) (merged set, clashes int) {
	merged = set{}
	sides := map[kg.Side]set{kg.NoSide: ours, kg.Ours: ours, kg.Theirs: theirs, kg.AtBase: base}
	subjects := map[rdf.Term]bool{}
	for q := range union(union(base, ours), theirs) {
		subjects[q.Subject] = true
	}
	for s := range subjects {
		of := func(q rdf.Quad) bool { return q.Subject == s }
		b, o, t := base.of(of), ours.of(of), theirs.of(of)
		if len(b.of(isTyping)) > 0 && !maps.Equal(b, t) && !maps.Equal(b, o) && (len(o.of(isTyping)) == 0) != (len(t.of(isTyping)) == 0) {
			clashes++
			maps.Copy(merged, sides[take].of(of))
			continue
		}
		for _, p := range []rdf.IRI{rdf.Type, base0 + "one", base0 + "many", base0 + "ref"} {
			of := func(q rdf.Quad) bool { return q.Subject == s && q.Predicate == p }
			b, o, t := base.of(of), ours.of(of), theirs.of(of)
			if p == base0+"one" && !maps.Equal(b, o) && !maps.Equal(b, t) && !maps.Equal(o, t) {
				clashes++
				maps.Copy(merged, sides[take].of(of))
				continue
			}
			for q := range union(union(b, o), t) {
				if b[q] && o[q] && t[q] || !b[q] && (o[q] || t[q]) {
					merged[q] = true
				}
			}
		}
	}
	return merged, clashes
}

const base0 = rdf.IRI(base)

func isTyping(q rdf.Quad) bool { return q.Predicate == rdf.Type }

// broken reports that a statement refers to a node that is not there, or a node has two values where one may be.
func (s set) broken() bool {
	ones := map[rdf.Term]bool{}
	for q := range s {
		if typed := s[rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: base0 + "T"}]; !typed {
			continue
		}
		if q.Predicate == base0+"one" && ones[q.Subject] {
			return true
		}
		ones[q.Subject] = ones[q.Subject] || q.Predicate == base0+"one"
		if q.Predicate == base0+"ref" && !s[rdf.Quad{Subject: q.Object, Predicate: rdf.Type, Object: base0 + "T"}] {
			return true
		}
	}
	return false
}

// drawState changes some nodes of a state.
func drawState(t *rapid.T, now set) set {
	next := maps.Clone(now)
	for range rapid.IntRange(1, 3).Draw(t, "nodes") {
		s := base0 + rdf.IRI("T/"+rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "node"))
		maps.DeleteFunc(next, func(q rdf.Quad, _ bool) bool { return q.Subject == s })
		if rapid.IntRange(0, 3).Draw(t, "there") == 0 {
			continue
		}
		next[rdf.Quad{Subject: s, Predicate: rdf.Type, Object: base0 + "T"}] = true
		if v := rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "one"); v != "" {
			next[rdf.Quad{Subject: s, Predicate: base0 + "one", Object: rdf.String(v)}] = true
		}
		for _, v := range []string{"k", "l"} {
			if rapid.Bool().Draw(t, "many") {
				next[rdf.Quad{Subject: s, Predicate: base0 + "many", Object: rdf.String(v)}] = true
			}
		}
		if to := rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(t, "ref"); to != "" {
			next[rdf.Quad{Subject: s, Predicate: base0 + "ref", Object: base0 + rdf.IRI("T/"+to)}] = true
		}
	}
	typed := maps.Clone(next)
	maps.DeleteFunc(next, func(q rdf.Quad, _ bool) bool {
		return q.Predicate == base0+"ref" && !typed[rdf.Quad{Subject: q.Object, Predicate: rdf.Type, Object: base0 + "T"}]
	})
	return next
}

func editsTo(from, to set) (edits []change.Edit) {
	for q := range union(from, to) {
		switch {
		case from[q] && !to[q]:
			edits = append(edits, change.Edit{Op: change.Retract, Quad: q})
		case to[q] && !from[q]:
			edits = append(edits, change.Edit{Op: change.Assert, Quad: q})
		}
	}
	return edits
}

// branchState reads the data of a branch.
func branchState(t testing.TB, g *kg.Graph, branch string) set {
	t.Helper()
	state := set{}
	err := g.Session(ana).On(branch).View(t.Context(), func(s *kg.Snapshot) error {
		for q, err := range s.Match(t.Context(), rdf.Quad{Label: rdf.DefaultGraph}) {
			if err != nil {
				return err
			}
			state[q] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Branches are written and merged into each other in any order, also into those that they took over before, reset, renamed
// and deleted, and commits are picked from anywhere. Every read of every commit then agrees with the model.
func TestMergesAgreeWithAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGraph(t, mergeSchema)
		defer g.Close()
		m := &mergeModel{commits: []modelled{{id: head(t, g).ID, state: set{}}}, heads: map[string]int{kg.Main: 0}}
		for range rapid.IntRange(4, 14).Draw(rt, "steps") {
			names := slices.Sorted(maps.Keys(m.heads))
			on := rapid.SampledFrom(names).Draw(rt, "on")
			switch kind := rapid.IntRange(0, 9).Draw(rt, "kind"); {
			case kind == 0 && len(names) < 4:
				m.made++
				name := fmt.Sprint("draft", m.made)
				if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: name, From: on}); err != nil {
					rt.Fatal(err)
				}
				m.heads[name] = m.heads[on]
			case kind < 3 && len(names) > 1:
				m.merge(rt, t, g, rapid.SampledFrom(names).Draw(rt, "source"), on)
			case kind == 6 && len(m.commits) > 1:
				m.pick(rt, t, g, on)
			case kind == 7:
				m.undoBy(rt, t, g, on)
			case kind == 8:
				m.changeBranch(rt, t, g, on)
			case kind == 9:
				m.collect(rt, t, g)
			default:
				m.write(rt, t, g, on)
			}
		}
		m.agrees(rt, t, g)
		verify(t, g)
	})
}

func (m *mergeModel) write(rt *rapid.T, t *testing.T, g *kg.Graph, on string) {
	now := m.commits[m.heads[on]].state
	next := drawState(rt, now)
	author := rapid.SampledFrom([]policy.Principal{ana, bo}).Draw(rt, "author")
	r, err := g.Session(author).On(on).Commit(t.Context(), kg.ChangeSet{Edits: editsTo(now, next)})
	if err != nil {
		rt.Fatal(err)
	}
	if r.Changed {
		m.commits = append(m.commits, modelled{r.After.ID, []int{m.heads[on]}, next, author})
		m.heads[on] = len(m.commits) - 1
	}
}

func (m *mergeModel) merge(rt *rapid.T, t *testing.T, g *kg.Graph, source, target string) {
	a, b := m.heads[target], m.heads[source]
	session := g.Session(ana).On(target)
	if m.ancestors(a)[b] {
		if r, err := session.Merge(t.Context(), kg.Merge{Source: source}); err != nil || !r.UpToDate || r.Changed {
			rt.Fatalf("%s is merged already: %v, %v", source, r, err)
		}
		return
	}
	viewOf(t, session, func(s *kg.Snapshot) {
		theirs, err := s.FindState(t.Context(), source)
		if err != nil {
			rt.Fatal(err)
		}
		_, want := mergeOf(m.base(a, b), m.commits[a].state, m.commits[b].state, kg.NoSide)
		for _, most := range []int64{math.MaxInt64, rapid.Int64Range(0, 60).Draw(rt, "most")} {
			_, count, err := s.Clashes(t.Context(), source, theirs, most)
			if tooLarge := fault.Is(err, fault.TooLarge) && most < math.MaxInt64; !tooLarge && (err != nil || count != want) {
				rt.Fatalf("%d clashes are told of among %d changes, want %d: %v", count, most, want, err)
			}
		}
	})
	r := m.join(rt, t, g, session.Merge, kg.Merge{Source: source}, target, m.base(a, b), m.commits[b].state, true)
	if r.After.Seq > 0 && r.Base.ID != m.commits[m.bases(a, b)[0]].id {
		rt.Fatalf("the base is %v of %v", r.Base.ID, m.bases(a, b))
	}
	if r.Changed {
		if r.After.Parent2 != m.commits[b].id {
			rt.Fatalf("the second parent is %v", r.After.Parent2)
		}
		at := m.heads[target]
		m.commits[at].parents = append(m.commits[at].parents, b)
	}
}

// pick takes a commit of any branch, or those behind one of its ancestors, to a branch.
func (m *mergeModel) pick(rt *rapid.T, t *testing.T, g *kg.Graph, target string) {
	last := m.draw(rt, "picked")
	if last == 0 {
		return
	}
	after, source := m.commits[last].parents[0], m.commits[last].id.Whole()
	if rapid.Bool().Draw(rt, "several") {
		for after > 0 && rapid.Bool().Draw(rt, "further") {
			after = m.commits[after].parents[0]
		}
		source = m.commits[after].id.Whole() + ".." + source
	}
	pick := func(ctx context.Context, merge kg.Merge) (done kg.Merged, err error) {
		session := g.Session(ana).On(target)
		var picked kg.Picked
		err = session.View(ctx, func(s *kg.Snapshot) error {
			picked, err = s.FindPicked(ctx, source)
			return err
		})
		if err != nil {
			return done, err
		}
		return session.Pick(ctx, picked, merge)
	}
	r := m.join(rt, t, g, pick, kg.Merge{Source: source}, target, m.commits[after].state, m.commits[last].state, false)
	if r.Changed && !r.After.Parent2.IsZero() {
		rt.Fatalf("a second parent %v", r.After.Parent2)
	}
}

// bo is the one whose writes are taken back.
var bo = policy.Principal{ID: "local:bo", Scopes: ana.Scopes, Authenticated: true, Owns: true}

// undoBy takes back what bo wrote on a branch since one of its commits.
func (m *mergeModel) undoBy(rt *rapid.T, t *testing.T, g *kg.Graph, on string) {
	var line []int // the newest first
	for at := m.heads[on]; at > 0; at = m.commits[at].parents[0] {
		line = append(line, at)
	}
	since := 0
	if len(line) > 0 && rapid.Bool().Draw(rt, "since one of them") {
		since = rapid.SampledFrom(line).Draw(rt, "since")
	}
	net, left, made, first := map[rdf.Quad]bool{}, map[rdf.Term]set{}, map[rdf.Term]bool{}, 0
	for _, at := range slices.Backward(line) {
		c := m.commits[at]
		if at <= since || c.author.ID != bo.ID {
			continue
		}
		before := m.commits[c.parents[0]].state
		if first == 0 {
			first = at
		}
		for q := range union(before, c.state) {
			was, changed := net[q]
			if before[q] == c.state[q] {
				continue
			}
			left[q.Subject] = c.state
			made[q.Subject] = made[q.Subject] || q.Predicate == rdf.Type
			if changed && was != c.state[q] {
				delete(net, q)
			} else {
				net[q] = c.state[q]
			}
		}
	}
	undo := func(ctx context.Context, merge kg.Merge) (kg.Merged, error) {
		var authored kg.Authored
		err := g.Session(ana).On(on).View(ctx, func(s *kg.Snapshot) (err error) {
			authored.Actor = bo.ID
			authored.Since, err = s.FindCommit(ctx, m.commits[since].id.Whole())
			return err
		})
		if err != nil {
			return kg.Merged{}, err
		}
		done, _, err := g.Session(ana).On(on).UndoBy(ctx, authored, merge)
		return done, err
	}
	if first == 0 {
		if _, err := undo(t.Context(), kg.Merge{}); !fault.Is(err, fault.Missing) {
			rt.Fatalf("there is nothing of bo, and it says %v", err)
		}
		return
	}
	with := maps.Clone(m.commits[m.commits[first].parents[0]].state)
	for q, there := range net {
		if with[q] = there; !there {
			delete(with, q)
		}
	}
	// A node that is gone was last what bo left.
	isT := func(node rdf.Term) rdf.Quad {
		return rdf.Quad{Subject: node, Predicate: rdf.Type, Object: base0 + "T"}
	}
	for node, state := range left {
		if !m.commits[m.heads[on]].state[isT(node)] {
			maps.DeleteFunc(with, func(q rdf.Quad, _ bool) bool { return q.Subject == node })
			for q := range state {
				if q.Subject == node {
					with[q] = true
				}
			}
		}
	}
	without := maps.Clone(with)
	for q, there := range net {
		if without[q] = !there; there {
			delete(without, q)
		}
	}
	for node := range left { // no values without the type
		if !m.commits[m.heads[on]].state[isT(node)] && made[node] && !without[isT(node)] {
			maps.DeleteFunc(without, func(q rdf.Quad, _ bool) bool { return q.Subject == node && !with[q] })
		}
	}
	m.join(rt, t, g, undo, kg.Merge{}, on, with, without, false)
}

// join merges a state into a branch. If the branch has the changes already, some ways of merging record that.
func (m *mergeModel) join(rt *rapid.T, t *testing.T, g *kg.Graph, run func(context.Context, kg.Merge) (kg.Merged, error), merge kg.Merge, target string, base, theirs set, records bool) kg.Merged {
	ours := m.commits[m.heads[target]].state
	merge.Take = rapid.SampledFrom([]kg.Side{kg.NoSide, kg.NoSide, kg.Ours, kg.Theirs, kg.AtBase}).Draw(rt, "take")
	want, clashes := mergeOf(base, ours, theirs, merge.Take)
	try := merge
	try.Set.DryRun = true
	dry, failed := run(t.Context(), try)
	r, err := run(t.Context(), merge)
	switch {
	case merge.Take == kg.NoSide && clashes > 0:
		if !fault.Is(err, fault.Conflict) || fault.Of(err).Details["count"] != clashes || failed != nil || dry.ClashCount != clashes {
			rt.Fatalf("%d clashes, and it says %v; dry %v, %v", clashes, err, dry.ClashCount, failed)
		}
	case want.broken():
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "break the schema") || failed == nil {
			rt.Fatalf("the schema forbids it, and it says %v, dry %v", err, failed)
		}
	case err != nil || failed != nil:
		rt.Fatalf("merge %s into %s: %v, dry %v", merge.Source, target, err, failed)
	case r.ClashCount != clashes || dry.AddedCount != r.AddedCount || r.Changed != (records && !maps.Equal(base, theirs) || !maps.Equal(ours, want)) || dry.Changed != r.Changed:
		rt.Fatalf("base %v\n ours %v\n theirs %v\n got %v: %d clashes of %d, changed %v", base, ours, theirs, r.Clashes, r.ClashCount, clashes, r.Changed)
	case r.Changed:
		m.commits = append(m.commits, modelled{r.After.ID, []int{m.heads[target]}, want, ana})
		m.heads[target] = len(m.commits) - 1
	}
	if got := branchState(t, g, target); !maps.Equal(got, m.commits[m.heads[target]].state) {
		rt.Fatalf("merge %s into %s, taking %q: got %v, want %v", merge.Source, target, merge.Take, got, m.commits[m.heads[target]].state)
	}
	return r
}

// truthTable is the table of another engine that merges graphs. Two things differ: it has a fast-forward, where here a
// commit of its own says who merged and when; and there each edge is a row of its own, where here it is a value of a
// property, so that the same edge from both sides is one.
type truthTable struct {
	Cells []struct {
		Source    string `json:"source_op"`
		Target    string `json:"target_op"`
		Outcome   string `json:"outcome"`
		Conflicts []struct {
			Kind string `json:"kind"`
		} `json:"conflicts"`
		State struct {
			Persons int  `json:"persons"`
			Knows   int  `json:"knows"`
			Age     *int `json:"alice_age"`
			Eve     bool `json:"eve"`
		} `json:"state"`
	} `json:"cells"`
}

// Clashes are looked for among so many changes, and not at all if there are more.
func TestClashesAreLookedForAmongSoManyChanges(t *testing.T) {
	g := newGraph(t, mergeSchema)
	say := func(on, value string) {
		t.Helper()
		q := rdf.Quad{Subject: base0 + "T/a", Predicate: base0 + "one"}
		edits := []change.Edit{{Op: change.Clear, Quad: q}}
		q.Object = rdf.String(value)
		if _, err := g.Session(ana).On(on).Commit(t.Context(), kg.ChangeSet{Edits: append(edits, change.Edit{Op: change.Assert, Quad: q})}); err != nil {
			t.Fatal(err)
		}
	}
	among := func(changes int64) {
		t.Helper()
		theirs := headsOf(t, g)["draft"]
		viewOf(t, g.Session(ana), func(s *kg.Snapshot) {
			if _, count, err := s.Clashes(t.Context(), "draft", theirs, changes); err != nil || count != 1 {
				t.Errorf("%d clashes among %d changes: %v", count, changes, err)
			}
			if _, _, err := s.Clashes(t.Context(), "draft", theirs, changes-1); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "dry_run") {
				t.Errorf("among %d changes: %v", changes-1, err)
			}
		})
	}
	commit(t, g, []change.Edit{{Op: change.Assert, Quad: rdf.Quad{Subject: base0 + "T/a", Predicate: rdf.Type, Object: base0 + "T"}}})
	say(kg.Main, "base")
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	say(kg.Main, "ours")
	say("draft", "theirs")
	among(6) // two commits, each with a value that goes and one that comes

	// Each takes what the other had, so both of these commits are the newest that they have in common.
	was := headsOf(t, g)
	for target, source := range map[string]string{"draft": kg.Main, kg.Main: "draft"} {
		if _, err := g.Session(ana).On(target).Merge(t.Context(), kg.Merge{Source: source, Commit: was[source].ID, Take: kg.Theirs}); err != nil {
			t.Fatal(err)
		}
	}
	say(kg.Main, "ours again")
	say("draft", "theirs again")
	// The merge of the two is found among the first 6, and from one of them 2 commits lead to one head, and 4 to the other.
	among(6 + 6 + 12)

	// That there is nothing to merge is read from the histories, too.
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft", Take: kg.Theirs}); err != nil {
		t.Fatal(err)
	}
	viewOf(t, g.Session(ana), func(s *kg.Snapshot) {
		if _, _, err := s.Clashes(t.Context(), "draft", headsOf(t, g)["draft"], 10); !fault.Is(err, fault.TooLarge) {
			t.Errorf("of a branch that is merged: %v", err)
		}
	})
}

func TestTheTruthTableOfMerges(t *testing.T) {
	dir := os.Getenv("TRAILS_VECTORS")
	if dir == "" {
		dir = "../../shared/vectors"
	}
	text, err := os.ReadFile(filepath.Join(dir, "merge_truth_table.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table truthTable
	if err := json.Unmarshal(text, &table); err != nil || len(table.Cells) != 49 {
		t.Fatalf("%d cells, %v", len(table.Cells), err)
	}
	for _, cell := range table.Cells {
		t.Run(cell.Source+" "+cell.Target, func(t *testing.T) {
			g := newGraph(t, truthSchema)
			mustLoad(t, g, "base.ndjson", truthBase)
			if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "feature"}); err != nil {
				t.Fatal(err)
			}
			truthStep(t, g, "feature", cell.Source, cell.Source == cell.Target)
			truthStep(t, g, kg.Main, cell.Target, cell.Source == cell.Target)
			r, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "feature"})
			outcome := "merged"
			switch {
			case fault.Is(err, fault.Conflict):
				outcome = "conflict"
			case err != nil:
				t.Fatal(err)
			case r.UpToDate:
				outcome = "already_up_to_date"
			}
			want := cell.Outcome
			if want == "fast_forward" {
				want = "merged"
			}
			if cell.Source == "addEdge" && cell.Target == "addEdge" {
				cell.State.Knows--
			}
			if outcome != want {
				t.Fatalf("%s, want %s: %v", outcome, want, err)
			}
			state := branchState(t, g, kg.Main)
			persons := state.of(func(q rdf.Quad) bool { return q.Predicate == rdf.Type && q.Object == base0+"Person" })
			knows := state.of(func(q rdf.Quad) bool { return q.Predicate == base0+"knows" })
			eve := state.of(func(q rdf.Quad) bool { return q.Subject == base0+"Person/Eve" })
			age := state.of(func(q rdf.Quad) bool { return q.Subject == base0+"Person/Alice" && q.Predicate == base0+"age" })
			if len(persons) != cell.State.Persons || len(knows) != cell.State.Knows || (len(eve) > 0) != cell.State.Eve || (len(age) > 0) != (cell.State.Age != nil) {
				t.Errorf("%d persons, %d edges, eve %v, %v; want %+v", len(persons), len(knows), len(eve) > 0, age, cell.State)
			}
			for q := range age {
				if rdf.Lexical(q.Object) != fmt.Sprint(*cell.State.Age) {
					t.Errorf("alice is %v, want %d", q.Object, *cell.State.Age)
				}
			}
		})
	}
}

const truthSchema = `
types:
  Person:
    key: name
    properties:
      name: { type: string, required: true }
      age: { type: integer }
      knows: { class: Person, many: true }
`

const truthBase = `{"type":"Person","id":"Alice","data":{"name":"Alice","age":30}}
{"type":"Person","id":"Bob","data":{"name":"Bob","age":25,"knows":["Carol"]}}
{"type":"Person","id":"Carol","data":{"name":"Carol","age":40}}
{"type":"Person","id":"Dan","data":{"name":"Dan","age":50}}
`

func truthStep(t *testing.T, g *kg.Graph, branch, op string, both bool) {
	t.Helper()
	person := func(name string) rdf.IRI { return base0 + rdf.IRI("Person/"+name) }
	edge := rdf.Quad{Subject: person("Alice"), Predicate: base0 + "knows", Object: person("Carol")}
	number := func(n int) rdf.Term { return rdf.Literal(fmt.Sprint(n), rdf.XSDInteger) }
	second := both && branch == kg.Main
	var steps [][]change.Edit
	switch op {
	case "addNode":
		age := 22
		if !second && both {
			age = 21
		}
		steps = [][]change.Edit{{
			{Op: change.Assert, Quad: rdf.Quad{Subject: person("Eve"), Predicate: rdf.Type, Object: base0 + "Person"}},
			{Op: change.Assert, Quad: rdf.Quad{Subject: person("Eve"), Predicate: base0 + "name", Object: rdf.String("Eve")}},
			{Op: change.Assert, Quad: rdf.Quad{Subject: person("Eve"), Predicate: base0 + "age", Object: number(age)}},
		}}
	case "removeNode":
		steps = [][]change.Edit{{{Op: change.Erase, Quad: rdf.Quad{Subject: person("Alice")}}}}
	case "addEdge":
		steps = [][]change.Edit{{{Op: change.Assert, Quad: edge}}}
	case "removeEdge":
		steps = [][]change.Edit{{{Op: change.Clear, Quad: rdf.Quad{Subject: person("Bob"), Predicate: base0 + "knows"}}}}
	case "setProperty":
		age := 31
		if second {
			age = 32
		}
		steps = [][]change.Edit{{
			{Op: change.Clear, Quad: rdf.Quad{Subject: person("Alice"), Predicate: base0 + "age"}},
			{Op: change.Assert, Quad: rdf.Quad{Subject: person("Alice"), Predicate: base0 + "age", Object: number(age)}},
		}}
	case "netZeroEdge":
		steps = [][]change.Edit{{{Op: change.Assert, Quad: edge}}, {{Op: change.Retract, Quad: edge}}}
	}
	for _, edits := range steps {
		if _, err := g.Session(ana).On(branch).Commit(t.Context(), kg.ChangeSet{Edits: edits}); err != nil {
			t.Fatal(err)
		}
	}
}

// A merge of changes that the branch has already, or that are decided against, is a commit. What was decided is not asked again, and what the source changes
// later clashes with what it had then.
func TestAMergeThatChangesNothingLasts(t *testing.T) {
	g := newGraph(t, mergeSchema)
	titled := func(text string) set {
		s := set{{Subject: base0 + "T/a", Predicate: rdf.Type, Object: base0 + "T"}: true}
		s[rdf.Quad{Subject: base0 + "T/a", Predicate: base0 + "one", Object: rdf.String(text)}] = true
		return s
	}
	commit(t, g, editsTo(set{}, titled("at first")))
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	now := "at first"
	onDraft := func(text string) {
		t.Helper()
		if _, err := g.Session(ana).On("draft").Commit(t.Context(), kg.ChangeSet{Edits: editsTo(titled(now), titled(text))}); err != nil {
			t.Fatal(err)
		}
		now = text
	}
	onDraft("on the draft")
	commit(t, g, editsTo(titled("at first"), titled("on main")))
	merge := func(m kg.Merge) kg.Merged {
		t.Helper()
		m.Source = "draft"
		r, err := g.Session(ana).Merge(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := merge(kg.Merge{Take: kg.Ours, Squash: true}); r.Changed || !strings.Contains(r.Warnings[0], "without squash a commit records it") {
		t.Fatalf("a squash has no second parent to record the decision: %+v", r)
	}
	if r := merge(kg.Merge{Take: kg.Ours, Set: kg.ChangeSet{DryRun: true}}); !r.Changed || r.After.ID != r.Before.ID {
		t.Fatalf("a dry run says what would be: %+v", r)
	}
	number, _, err := g.Session(ana).Ask(t.Context(), kg.Merge{Source: "draft", Take: kg.Ours}, "branches_merge", "{}")
	if err != nil || number == 0 {
		t.Fatalf("it may be asked for: %d, %v", number, err)
	}
	r := merge(kg.Merge{Take: kg.Ours})
	if !r.Changed || r.After.Parent2 != r.Source.ID || r.After.Added+r.After.Removed != 0 || len(r.Warnings) != 1 {
		t.Fatalf("the decision is a commit: %+v", r)
	}
	if r := merge(kg.Merge{}); !r.UpToDate {
		t.Fatalf("it is asked again: %+v", r)
	}
	onDraft("on the draft, later")
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "was on the draft;") {
		t.Fatalf("what changed since then is a clash: %v", err)
	}
	if r := merge(kg.Merge{Take: kg.Theirs}); r.AddedCount != 1 {
		t.Fatalf("and may be taken: %+v", r)
	}
	onDraft("on both")
	commit(t, g, editsTo(titled("on the draft, later"), titled("on both")))
	if r := merge(kg.Merge{}); !r.Changed || r.ClashCount != 0 || !strings.Contains(r.Warnings[0], "is so on main already: the commit changes nothing") {
		t.Fatalf("what both did is recorded, too: %+v", r)
	}
	commit(t, g, editsTo(titled("on both"), titled("at last")))
	if r := merge(kg.Merge{}); !r.UpToDate {
		t.Fatalf("%+v", r)
	}
	now = "on both"
	onDraft("on the draft, net zero")
	onDraft("on both")
	if r := merge(kg.Merge{}); r.Changed || r.UpToDate || !strings.Contains(r.Warnings[0], "so no commit is made") {
		t.Fatalf("what was taken back on the draft is nothing to record: %+v", r)
	}
	if diff := cmp.Diff(titled("at last"), branchState(t, g, kg.Main)); diff != "" {
		t.Error(diff)
	}
	viewOf(t, g.Session(ana), func(s *kg.Snapshot) {
		entries := 0
		for e, err := range s.Feed(t.Context(), kg.FeedPlace{Commit: r.Before}, kg.FeedFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if entries++; entries == 1 && (e.Commit.ID != r.After.ID || e.Node != nil || e.Passed != 0) {
				t.Errorf("the feed leaves the commit out: %+v", e)
			}
		}
	})
	verify(t, g)
}

// What makes a merge invalid need not be a field of a node: a schema that cannot be enforced is told as it is for any
// write.
func TestAMergeUnderASchemaThatCannotBeEnforcedSaysSo(t *testing.T) {
	path := newFile(t, "types: {Person: {iri: preserve, properties: {name: {type: string}}}}")
	g := open(t, path)
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	person := rdf.Quad{Subject: base0 + "Person/a", Predicate: rdf.Type, Object: base0 + "Person"}
	if _, err := g.Session(ana).On("draft").Commit(t.Context(), kg.ChangeSet{Edits: []change.Edit{{Op: change.Assert, Quad: person}}}); err != nil {
		t.Fatal(err)
	}
	addToSchema(t, path, `@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:x:S> sh:targetNode <urn:trails:t:Person/a> ; sh:nodeKind sh:Literal .`)
	_, err := open(t, path).Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"})
	if !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "not supported: sh:targetNode") {
		t.Errorf("got %v", err)
	}
}

// A node that one author changed and others deleted, made by others in between: what is put back is the node as that author
// left it, and only if it is decided.
func TestTheUndoOfAnAuthorKnowsNodesThatAreGone(t *testing.T) {
	node := base0 + rdf.IRI("T/a")
	is := rdf.Quad{Subject: node, Predicate: rdf.Type, Object: base0 + "T"}
	said := func(p rdf.IRI, v string) rdf.Quad {
		return rdf.Quad{Subject: node, Predicate: base0 + p, Object: rdf.String(v)}
	}
	const mine, others = "bo", "ana"
	type step struct {
		by    string
		state []rdf.Quad
	}
	for name, c := range map[string]struct {
		steps     []step
		clashes   int
		theirs    []rdf.Quad // taken
		unchanged bool
	}{
		"made, changed, deleted": {
			steps:   []step{{others, []rdf.Quad{is, said("one", "x")}}, {mine, []rdf.Quad{is, said("one", "y"), said("many", "k")}}, {others, nil}},
			clashes: 1, theirs: []rdf.Quad{is, said("one", "x")},
		},
		"what others said in between is kept": {
			steps: []step{
				{others, []rdf.Quad{is, said("one", "x")}}, {mine, []rdf.Quad{is, said("one", "y")}},
				{others, []rdf.Quad{is, said("one", "y"), said("many", "l")}}, {mine, []rdf.Quad{is, said("one", "y"), said("many", "k"), said("many", "l")}}, {others, nil},
			},
			clashes: 1, theirs: []rdf.Quad{is, said("one", "x"), said("many", "l")},
		},
		"deleted by the author alone": {
			steps:  []step{{others, []rdf.Quad{is, said("one", "x")}}, {mine, nil}},
			theirs: []rdf.Quad{is, said("one", "x")},
		},
		"made and deleted by the author, made by others in between": {
			steps:     []step{{mine, []rdf.Quad{is, said("one", "x")}}, {others, nil}, {others, []rdf.Quad{is, said("one", "y")}}, {mine, nil}},
			unchanged: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, mergeSchema)
			commit(t, g, editsTo(set{}, set{{Subject: base0 + "T/z", Predicate: rdf.Type, Object: base0 + "T"}: true}))
			var since kg.Commit
			now := set{}
			for i, s := range c.steps {
				next := set{}
				for _, q := range s.state {
					next[q] = true
				}
				author := ana
				if s.by == mine {
					author = bo
				}
				r, err := g.Session(author).Commit(t.Context(), kg.ChangeSet{Edits: editsTo(now, next)})
				if err != nil {
					t.Fatal(err)
				}
				if now = next; i == 0 {
					since = r.Before
				}
			}
			ask := func(m kg.Merge) (kg.Merged, error) {
				done, _, err := g.Session(ana).UndoBy(t.Context(), kg.Authored{Actor: bo.ID, Since: since}, m)
				return done, err
			}
			if r, err := ask(kg.Merge{Set: kg.ChangeSet{DryRun: true}}); err != nil || r.Open != c.clashes {
				t.Fatalf("%d clashes, want %d: %v, %v", r.Open, c.clashes, r.Clashes, err)
			}
			want := set{{Subject: base0 + "T/z", Predicate: rdf.Type, Object: base0 + "T"}: true}
			for _, q := range c.theirs {
				want[q] = true
			}
			if r, err := ask(kg.Merge{Take: kg.Theirs}); err != nil || r.Changed == c.unchanged {
				t.Fatalf("changed %v: %v", r.Changed, err)
			}
			if diff := cmp.Diff(want, branchState(t, g, kg.Main)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
