package kg_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db/dbtest"
	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
)

// reporting is a reader that prints a line for each read, with its number.
type reporting struct {
	io.Reader
	reads int
}

// Read implements io.Reader.
func (r *reporting) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	r.reads++
	fmt.Println("read", r.reads)
	return n, err
}

// applyAll applies a bundle as a process of its own, and says how far it is.
func applyAll(t *testing.T, arg string) {
	path, name, _ := strings.Cut(arg, " ")
	text, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Session(ana).Apply(t.Context(), kg.Arrival{Bundle: &reporting{Reader: text}}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("applied")
}

// A process that applies a bundle is killed at several places: the file has all commits of it or none, and takes it
// afterwards.
func TestABundleOfAKilledProcessIsThereOrNot(t *testing.T) {
	testrun.Alone(t)
	if arg, ok := dbtest.Child(); ok {
		applyAll(t, arg)
		return
	}
	path := newFile(t, mergeSchema)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := open(t, path)
	since := head(t, g)
	for n := range 16 {
		var edits []change.Edit
		for i := range 200 {
			node := base0 + rdf.IRI(fmt.Sprintf("T/n%d-%d", n, i))
			edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.Type, Object: base0 + "T"}})
			edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: base0 + "one", Object: rdf.String(fmt.Sprint(i))}})
		}
		if _, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: edits}); err != nil {
			t.Fatal(err)
		}
	}
	after := head(t, g)
	name := filepath.Join(t.TempDir(), "x.bundle")
	if err := os.WriteFile(name, []byte(bundleOf(t, g, kg.Main, since)), 0o600); err != nil {
		t.Fatal(err)
	}
	for kill := 1; ; kill += 1 + kill/4 {
		other := filepath.Join(t.TempDir(), "other.db")
		if err := os.WriteFile(other, before, 0o600); err != nil {
			t.Fatal(err)
		}
		whole := dbtest.Start(t, t.Name(), other+" "+name).KillAfter(fmt.Sprint("read ", kill), 0)
		taken := open(t, other)
		got := head(t, taken)
		if got.ID != after.ID && (got.ID != since.ID || whole) {
			t.Fatalf("killed after %d reads it is at %s, neither before nor after", kill, got.ID)
		}
		t.Logf("killed after %d reads: at %s", kill, got.ID)
		if done := mustApply(t, taken, bundleOf(t, g, kg.Main, since), kg.Arrival{}); done.After.ID != after.ID {
			t.Fatalf("afterwards it is at %s", done.After.ID)
		}
		verify(t, taken)
		if whole {
			return
		}
	}
}

// mergeAll merges the branch draft as a process of its own, and says how far it is.
func mergeAll(t *testing.T, path string) {
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	fmt.Println("begins")
	if _, err = g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("merged")
}

// A process that merges is killed at several places: the merge is there as a whole or not at all, the draft is as it was,
// and the merge is made afterwards.
func TestAMergeOfAKilledProcessIsThereOrNot(t *testing.T) {
	testrun.Alone(t)
	if path, ok := dbtest.Child(); ok {
		mergeAll(t, path)
		return
	}
	const nodes = 3000
	changed := func(property rdf.IRI, value string) (edits []change.Edit) {
		for i := range nodes {
			q := rdf.Quad{Subject: base0 + rdf.IRI(fmt.Sprint("T/n", i)), Predicate: base0 + property, Object: rdf.String(value)}
			edits = append(edits, change.Edit{Op: change.Assert, Quad: q})
		}
		return edits
	}
	path := newFile(t, mergeSchema)
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made := changed("one", "x")
	for i := range nodes {
		made = append(made, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: base0 + rdf.IRI(fmt.Sprint("T/n", i)), Predicate: rdf.Type, Object: base0 + "T"}})
	}
	commit(t, g, made)
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Session(ana).On("draft").Commit(t.Context(), kg.ChangeSet{Edits: changed("many", "of the draft")}); err != nil {
		t.Fatal(err)
	}
	commit(t, g, changed("many", "of main"))
	was := headsOf(t, g)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[bool]int{}
	for after, whole := time.Duration(0), false; !whole; after += 20 * time.Millisecond {
		file := filepath.Join(t.TempDir(), "killed.db")
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		whole = dbtest.Start(t, t.Name(), file).KillAfter("begins", after)
		left := open(t, file)
		now := headsOf(t, left)
		merged := now[kg.Main].ID != was[kg.Main].ID
		if outcomes[merged]++; now["draft"].ID != was["draft"].ID || merged && now[kg.Main].Parent2 != was["draft"].ID || whole && !merged {
			t.Fatalf("killed after %v main is at %v and the draft at %v", after, now[kg.Main].ID, now["draft"].ID)
		}
		r, err := left.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"})
		if err != nil || r.UpToDate != merged {
			t.Fatalf("afterwards: up to date %v, %v", r.UpToDate, err)
		}
		if got := len(branchState(t, left, kg.Main)); got != 4*nodes {
			t.Fatalf("killed after %v it has %d statements at the end", after, got)
		}
		verify(t, left)
	}
	t.Logf("merged or not: %v", outcomes)
}
