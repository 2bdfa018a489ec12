package kg_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
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
	"trails/kg/bundle"
	"trails/kg/load"
	"trails/rdf"
)

// bundleOf returns the history of a branch without that of some commits, as a bundle.
func bundleOf(t testing.TB, g *kg.Graph, branch string, without ...kg.Commit) string {
	t.Helper()
	var out bytes.Buffer
	err := g.Session(ana).On(branch).View(t.Context(), func(s *kg.Snapshot) error {
		_, err := s.WriteBundle(t.Context(), &out, kg.Bundling{Without: without})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func applyTo(t testing.TB, g *kg.Graph, text string, a kg.Arrival) (kg.Arrived, error) {
	t.Helper()
	a.Bundle = bytes.NewReader([]byte(text))
	return g.Session(ana).Apply(t.Context(), a)
}

func mustApply(t testing.TB, g *kg.Graph, text string, a kg.Arrival) kg.Arrived {
	t.Helper()
	done, err := applyTo(t, g, text, a)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// headsOf returns the commits that the branches are at.
func headsOf(t testing.TB, g *kg.Graph) map[string]kg.Commit {
	t.Helper()
	heads := map[string]kg.Commit{}
	view(t, g, func(s *kg.Snapshot) error {
		list, err := s.Branches(t.Context())
		for _, b := range list {
			heads[b.Name] = b.Head
		}
		return err
	})
	return heads
}

// Branches are written and merged in one file, and another one takes their commits by bundles, in the middle and at the
// end. Then both have the same heads, states and bundles.
func TestAHistoryIsTheSameInAnotherFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, other := newGraph(t, mergeSchema), newGraph(t, "")
		m := &mergeModel{commits: []modelled{{id: head(t, g).ID, state: set{}}}, heads: map[string]int{kg.Main: 0}}
		have := map[string]kg.Commit{}
		take := func() {
			heads := headsOf(t, g)
			for _, branch := range []string{kg.Main, "draft1", "draft2", "draft3"} {
				if heads[branch].ID.IsZero() {
					continue
				}
				done := mustApply(t, other, bundleOf(t, g, branch, slices.Collect(maps.Values(have))...), kg.Arrival{})
				if done.Diverged || done.Branch != branch || done.After.ID != heads[branch].ID {
					rt.Fatalf("%s was taken as %+v, want the head %s", branch, done, heads[branch].ID)
				}
				have[branch] = heads[branch]
			}
		}
		for range rapid.IntRange(4, 14).Draw(rt, "steps") {
			names := slices.Sorted(maps.Keys(m.heads))
			on := rapid.SampledFrom(names).Draw(rt, "on")
			switch kind := rapid.IntRange(0, 6).Draw(rt, "kind"); {
			case kind == 0 && len(names) < 4:
				name := fmt.Sprint("draft", len(names))
				if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: name, From: on}); err != nil {
					rt.Fatal(err)
				}
				m.heads[name] = m.heads[on]
			case kind < 3 && len(names) > 1:
				m.merge(rt, t, g, rapid.SampledFrom(names).Draw(rt, "source"), on)
			case kind == 3 && rapid.Bool().Draw(rt, "take"):
				take()
			default:
				m.write(rt, t, g, on)
			}
		}
		take()
		take()
		for branch, at := range headsOf(t, g) {
			if got := headsOf(t, other)[branch]; got.ID != at.ID || got.Quads != at.Quads {
				rt.Fatalf("%s is at %s and should be at %s", branch, got.ID, at.ID)
			}
			if got, want := exportOf(t, other, branch, load.NQuads), exportOf(t, g, branch, load.NQuads); got != want {
				rt.Fatalf("%s has\n%s\nand should have\n%s", branch, got, want)
			}
			if bundleOf(t, other, branch) != bundleOf(t, g, branch) {
				rt.Fatalf("the bundles of %s differ", branch)
			}
		}
		verify(t, other)
	})
}

// A branch that is new in a file comes with a merge of commits that were made on it and beside it.
func TestANewBranchComesWithItsMerges(t *testing.T) {
	g, other := newGraph(t, mergeSchema), newGraph(t, "")
	mustApply(t, other, bundleOf(t, g, kg.Main), kg.Arrival{})
	for _, b := range [][2]string{{"draft", kg.Main}, {"beside", "draft"}} {
		if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: b[0], From: b[1]}); err != nil {
			t.Fatal(err)
		}
		for _, node := range []string{b[0], b[0] + "2"} {
			_, err := g.Session(ana).On(b[0]).Commit(t.Context(), kg.ChangeSet{Edits: editsTo(set{}, set{
				{Subject: base0 + rdf.IRI("T/"+node), Predicate: rdf.Type, Object: base0 + "T"}: true,
			})})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := g.Session(ana).On("draft").Merge(t.Context(), kg.Merge{Source: "beside"}); err != nil {
		t.Fatal(err)
	}
	done := mustApply(t, other, bundleOf(t, g, "draft"), kg.Arrival{})
	if want := headsOf(t, g)["draft"].ID; done.Branch != "draft" || headsOf(t, other)["draft"].ID != want {
		t.Errorf("it was taken as %+v, want the head %s", done, want)
	}
	verify(t, other)
}

// forged returns a bundle with one commit behind a head, whose id is right.
func forged(t testing.TB, g *kg.Graph, parent kg.Commit, schemaVersion int64, lines ...string) string {
	t.Helper()
	c := kg.Commit{Parent: parent.ID, Time: parent.Time, Author: "mallory", Message: "a gift", SchemaVersion: schemaVersion}
	sum := commits.NewChangeHash()
	for _, line := range lines {
		sum.KeepLine(line[0], []byte(line[2:]))
	}
	c.Added, c.Removed = sum.Added, sum.Removed
	c.ID = sum.CommitID(c)
	var out bytes.Buffer
	w, err := bundle.NewWriter(&out, bundle.Header{Base: string(g.Base()), Branch: kg.Main, Head: c.ID.Whole(), Commits: 1, Needs: []string{parent.ID.Whole()}}, false)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Record(bundle.RecordOf(c, 0))
	for _, line := range lines {
		err = errors.Join(err, w.Change([]byte(line)))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// resealed gives a bundle that was changed the digest that it should have.
func resealed(text string) string {
	end := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	return fmt.Sprintf("%s{\"sha256\":\"%x\"}\n", text[:end], sha256.Sum256([]byte(text[:end])))
}

// smallBundle is a file, one with its first commits, and a bundle of the others: two, and their merge.
func smallBundle(t testing.TB) (g, other *kg.Graph, text string) {
	t.Helper()
	g, other = newGraph(t, mergeSchema), newGraph(t, "")
	mustApply(t, other, bundleOf(t, g, kg.Main), kg.Arrival{})
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	since := head(t, g)
	for branch, node := range map[string]string{kg.Main: "a", "draft": "b"} {
		_, err := g.Session(ana).On(branch).Commit(t.Context(), kg.ChangeSet{Message: "add " + node, Edits: editsTo(set{}, set{
			{Subject: base0 + rdf.IRI("T/"+node), Predicate: rdf.Type, Object: base0 + "T"}:          true,
			{Subject: base0 + rdf.IRI("T/"+node), Predicate: base0 + "one", Object: rdf.String("x")}: true,
		})})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"}); err != nil {
		t.Fatal(err)
	}
	return g, other, bundleOf(t, g, kg.Main, since)
}

// A byte of a bundle is another one, with the digest as it was and with the digest of the changed bundle: it is refused,
// or has the same commits all the same. Cut anywhere, it is refused.
func TestAChangedBundleIsRefusedOrTheSame(t *testing.T) {
	testrun.Alone(t)
	g, other, text := smallBundle(t)
	before, want := headsOf(t, other), head(t, g).ID
	applied := func(text string) bool {
		done, err := applyTo(t, other, text, kg.Arrival{DryRun: true})
		if err == nil && done.After.ID != want {
			t.Fatalf("it has the head %s, of\n%s", done.After.ID, text)
		}
		if err != nil && (fault.Of(err) == nil || fault.Is(err, fault.Internal)) {
			t.Fatalf("%v, of\n%s", err, text)
		}
		return err == nil
	}
	for i := range text {
		for _, flip := range []byte{1, 0x80, text[i] ^ '"', text[i] ^ '\n'} {
			changed := text[:i] + string([]byte{text[i] ^ flip}) + text[i+1:]
			if changed == text {
				continue
			}
			if applied(changed) {
				t.Fatalf("byte %d was changed and nobody noticed:\n%s", i, changed)
			}
			if again := resealed(changed); again != text && strings.Count(again, "\n") == strings.Count(text, "\n") {
				applied(again)
			}
		}
		if applied(text[:i]) {
			t.Fatalf("it is cut at byte %d and nobody noticed", i)
		}
	}
	if got := headsOf(t, other); !maps.Equal(got, before) {
		t.Fatalf("it is at %v now", got)
	}
	if done := mustApply(t, other, text, kg.Arrival{}); done.Commits != 3 || done.After.ID != want {
		t.Fatalf("the bundle itself was taken as %+v", done)
	}
	if done := mustApply(t, other, text, kg.Arrival{}); !done.UpToDate {
		t.Fatalf("the second time it was taken as %+v", done)
	}
	verify(t, other)
}

// What does not fit is refused, with what is to be done, and changes nothing.
func TestABundleThatDoesNotFitIsRefused(t *testing.T) {
	g, other, text := smallBundle(t)
	at := head(t, other)
	schemaLine := "+ <" + base + "T> <http://www.w3.org/2000/01/rdf-schema#comment> \"x\" <urn:trails:graph:schema> ."
	t1 := "<" + base + "T/t1>"
	typed := "+ " + t1 + " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <" + base + "T> ."
	for name, c := range map[string]struct {
		text string
		kind fault.Kind
		says string
	}{
		"no bundle":                   {"hello\n", fault.Malformed, "line 1"},
		"empty":                       {"", fault.Malformed, "cut"},
		"a newer version":             {strings.Replace(text, `"trails_bundle":1`, `"trails_bundle":2`, 1), fault.Unusable, "newer trails"},
		"another base":                {resealed(strings.Replace(text, base, "urn:other:", 1)), fault.Conflict, "another graph"},
		"missing commits":             {bundleOf(t, g, kg.Main, head(t, g)), fault.Missing, "not here"},
		"a value too many":            {forged(t, g, at, 1, typed, "+ "+t1+" <"+base+"one> \"x\" .", "+ "+t1+" <"+base+"one> \"y\" ."), fault.InvalidData, "one"},
		"a reference to nothing":      {forged(t, g, at, 1, typed, "+ "+t1+" <"+base+"ref> <"+base+"T/none> ."), fault.InvalidData, "T/none"},
		"a name that nobody declares": {forged(t, g, at, 1, typed, "+ "+t1+" <"+base+"nothing> \"x\" ."), fault.InvalidData, "nothing"},
		"a graph of trails":           {forged(t, g, at, 1, "+ <urn:a> <urn:b> <urn:c> <urn:trails:graph:prov> ."), fault.InvalidData, "kept by trails"},
		"added twice":                 {forged(t, g, at, 1, "- <urn:a> <urn:b> <urn:c> ."), fault.Malformed, "not there"},
		"a version of the schema":     {forged(t, g, at, 7, typed), fault.Malformed, "content"},
		"a change of the schema":      {forged(t, g, at, 1, schemaLine), fault.Malformed, "content"},
		"another first commit":        {forged(t, g, kg.Commit{}, 0, typed), fault.Malformed, "names a commit"},
		"a line that is too long":     {strings.Repeat("x", 20<<20), fault.TooLarge, "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := applyTo(t, other, c.text, kg.Arrival{}); !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it is refused with %v", err)
			}
			if got := head(t, other); got.ID != at.ID {
				t.Errorf("the head is %s now", got.ID)
			}
		})
	}
	if done := mustApply(t, other, forged(t, g, at, 1, typed), kg.Arrival{}); done.Commits != 1 {
		t.Errorf("a good one was taken as %+v", done)
	}
	verify(t, other)
}

// Commits that take more from a branch than a call may are refused, unless that is meant.
func TestABundleThatRemovesMuchIsMeant(t *testing.T) {
	g, other, text := smallBundle(t)
	mustApply(t, other, text, kg.Arrival{})
	at := head(t, g)
	mustUpdate(t, g, `DELETE WHERE { ?s ?p ?o }`)
	gone := bundleOf(t, g, kg.Main, at)
	var m *kg.MassChange
	if _, err := applyTo(t, other, gone, kg.Arrival{MaxRemoved: 3}); !fault.Is(err, fault.Conflict) || !errors.As(err, &m) || m.Removes != 4 || m.NodeCount != 2 || m.Head.ID != at.ID || head(t, other).ID != at.ID {
		t.Fatalf("four statements, and three may go: %v, %+v", err, m)
	}
	mustApply(t, other, gone, kg.Arrival{MaxRemoved: 3, DryRun: true})
	mustApply(t, other, gone, kg.Arrival{MaxRemoved: 4})
}

// Where both files have commits of their own, those that come stand on a branch beside, which is merged and goes back.
func TestTwoFilesThatDivergedComeTogether(t *testing.T) {
	g, other, text := smallBundle(t)
	mustUpdate(t, other, `INSERT DATA { <urn:own> <urn:p> "x" }`)
	if _, err := applyTo(t, other, text, kg.Arrival{}); !fault.Is(err, fault.Precondition) {
		t.Fatalf("without a name for another branch: %v", err)
	}
	done := mustApply(t, other, text, kg.Arrival{Beside: "theirs/main"})
	if !done.Diverged || done.Branch != "theirs/main" || headsOf(t, other)["theirs/main"].ID != head(t, g).ID {
		t.Fatalf("it was taken as %+v", done)
	}
	if done := mustApply(t, other, text, kg.Arrival{Beside: "theirs/main"}); !done.UpToDate {
		t.Fatalf("the second time it was taken as %+v", done)
	}
	mustUpdate(t, g, `INSERT DATA { <urn:later> <urn:p> "x" }`)
	if done := mustApply(t, other, bundleOf(t, g, kg.Main), kg.Arrival{Beside: "theirs/main"}); done.Commits != 1 || done.Branch != "theirs/main" {
		t.Fatalf("the next commit was taken as %+v", done)
	}
	if _, err := other.Session(ana).Merge(t.Context(), kg.Merge{Source: "theirs/main"}); err != nil {
		t.Fatal(err)
	}
	// The merge comes after a commit that main of the first file does not have as its head, so it is merged there, too.
	if _, err := applyTo(t, g, bundleOf(t, other, kg.Main, head(t, g)), kg.Arrival{}); !fault.Is(err, fault.Precondition) {
		t.Fatalf("the merge does not continue main: %v", err)
	}
	if done := mustApply(t, g, bundleOf(t, other, kg.Main), kg.Arrival{Beside: "mine/main"}); !done.Diverged {
		t.Fatalf("the merge was taken as %+v", done)
	}
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "mine/main"}); err != nil {
		t.Fatal(err)
	}
	if got, want := export(t, g, load.NQuads), export(t, other, load.NQuads); got != want {
		t.Errorf("one file has\n%s\nand the other one\n%s", got, want)
	}
	verify(t, g)
	verify(t, other)
}
