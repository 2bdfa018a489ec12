package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/fault"
)

func TestAFileIsReadyWhateverOthersDo(t *testing.T) {
	f := create(t)
	other, err := db.Open(t.Context(), f.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, ready := range []*db.File{f, other} {
		if err := ready.Ready(t.Context()); err != nil {
			t.Errorf("nobody writes: %v", err)
		}
	}
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ready := range []*db.File{f, other} {
		if err := ready.Ready(t.Context()); err != nil {
			t.Errorf("one writes: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := other.Write(t.Context())
	if err != nil {
		t.Fatalf("the lock was kept: %v", err)
	}
	again.Close()
}

func TestAFileThatIsGoneIsNotReady(t *testing.T) {
	f := create(t)
	if err := os.Rename(f.Path(), f.Path()+".old"); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); !fault.Is(err, fault.Unusable) {
		t.Errorf("moved: got %v", err)
	}
	if err := os.WriteFile(f.Path(), []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); !fault.Is(err, fault.Unusable) {
		t.Errorf("replaced: got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if f.Ready(t.Context()) == nil {
		t.Error("a closed file is ready")
	}
}

// A server whose writes would wait says so, unless others commit meanwhile.
func TestALockThatIsHeldTooLongIsNotReady(t *testing.T) {
	f := create(t)
	other, err := db.Open(t.Context(), f.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	w, err := other.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ready := range []*db.File{f, other} { // of another process, and of one's own
		if err := ready.Ready(t.Context()); err != nil {
			t.Errorf("one write has just begun: %v", err)
		}
	}
	time.Sleep(5200 * time.Millisecond)
	for _, ready := range []*db.File{f, other} {
		began := time.Now()
		if err := ready.Ready(t.Context()); !fault.Is(err, fault.TimedOut) || !strings.Contains(err.Error(), "kept the lock for") {
			t.Errorf("one write goes on: %v", err)
		}
		if took := time.Since(began); took > 50*time.Second { // of the minute that a write waits
			t.Errorf("to see that took %s", took)
		}
	}
	w.Add(t.Context(), q("a", "p", iri("o")))
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch}, nil); err != nil {
		t.Fatal(err)
	}
	again, err := other.Write(t.Context()) // the next one
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for _, ready := range []*db.File{f, other} {
		if err := ready.Ready(t.Context()); err != nil {
			t.Errorf("another write has just begun: %v", err)
		}
	}
}

func TestReadyLeavesNothingBesideTheFile(t *testing.T) {
	f := create(t)
	count := func() int {
		entries, err := os.ReadDir(filepath.Dir(f.Path()))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := count()
	for range 3 {
		if err := f.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after := count(); after != before {
		t.Errorf("%d files were %d", after, before)
	}
}
