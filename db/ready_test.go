package db_test

import (
	"os"
	"testing"

	"trails/db"
	"trails/kg/fault"
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
