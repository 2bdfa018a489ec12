package kg_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
)

// reporting is a reader that prints a line for each read.
type reporting struct{ io.Reader }

// Read implements io.Reader.
func (r reporting) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	fmt.Println("read", n)
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
	if _, err := g.Session(ana).Apply(t.Context(), kg.Arrival{Bundle: reporting{text}}); err != nil {
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
	reads := 0
	for kill := 0; ; kill += 1 + reads/4 {
		other := filepath.Join(t.TempDir(), "other.db")
		if err := os.WriteFile(other, before, 0o600); err != nil {
			t.Fatal(err)
		}
		child := dbtest.Start(t, "TestABundleOfAKilledProcessIsThereOrNot", other+" "+name)
		n := 0
		for said, more := child.Line(); more && n <= kill && said != "applied"; said, more = child.Line() {
			n++
		}
		whole := n <= kill
		if whole {
			child.Wait()
		} else {
			child.Kill()
		}
		reads = n
		taken := open(t, other)
		got := head(t, taken)
		if got.ID != after.ID && (got.ID != since.ID || whole) {
			t.Fatalf("killed after %d reads it is at %s, neither before nor after", n, got.ID)
		}
		t.Logf("killed after %d reads: at %s", n, got.ID)
		if done := mustApply(t, taken, bundleOf(t, g, kg.Main, since), kg.Arrival{}); done.After.ID != after.ID {
			t.Fatalf("afterwards it is at %s", done.After.ID)
		}
		verify(t, taken)
		if whole {
			return
		}
	}
}
