package db_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/dbtest"
	"trails/db/disk"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
)

// sound returns the bytes of a closed file with some data.
func sound(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.db")
	if err := db.Create(t.Context(), path, db.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	write(t, f, entities(500), nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAFileThatCannotBeUsedIsNamedAndLeftAsItIs(t *testing.T) {
	good := sound(t)
	patched := func(offset int, value uint32) []byte {
		b := bytes.Clone(good)
		binary.BigEndian.PutUint32(b[offset:], value)
		return b
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":                  {nil, "is empty"},
		"text":                   {[]byte("hello, this is no database\n"), "is not a trails file"},
		"text of some length":    {bytes.Repeat([]byte("hello "), 10_000), "is not a trails file"},
		"the header's beginning": {good[:50], "is not a trails file"},
		"another application":    {patched(68, 0x12345678), "another application"},
		"no application":         {patched(68, 0), "another application"},
		"a newer format":         {patched(60, disk.Format+1), "use a newer trails"},
		"half of it":             {good[:len(good)/2], "is truncated"},
		"all but one byte":       {good[:len(good)-1], "is truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.db")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := db.Open(t.Context(), path, db.Options{})
			if !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), c.says) || !strings.Contains(fault.Whole(err), path) || strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(after, c.content) {
				t.Error("the file was changed")
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("left beside it: %v", left)
			}
		})
	}
}

func TestAFileOfGarbagePagesIsDamaged(t *testing.T) {
	b := sound(t)
	for i := 100; i < len(b); i++ {
		b[i] = byte(i * 31)
	}
	path := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), path, db.Options{}); !fault.Is(err, fault.Unusable) {
		t.Errorf("got %v", err)
	}
}

func TestAMissingFileIsMissingAndNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := db.Open(t.Context(), path, db.Options{}); !fault.Is(err, fault.Missing) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was made")
	}
	if _, err := db.Open(t.Context(), t.TempDir(), db.Options{}); !fault.Is(err, fault.Unusable) {
		t.Errorf("a directory: %v", err)
	}
}

func TestCreateRefusesWhatExists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.Create(t.Context(), path, db.CreateOptions{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "mine" {
		t.Error("the file was changed")
	}
	if err := db.Create(t.Context(), filepath.Join(path, "below", "x.db"), db.CreateOptions{}); !fault.Is(err, fault.Unusable) {
		t.Errorf("below a file: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}

func TestAReadOnlyFileIsRefused(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := filepath.Join(t.TempDir(), "ro.db")
	if err := os.WriteFile(path, sound(t), 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), path, db.Options{}); !fault.Is(err, fault.Unusable) {
		t.Errorf("got %v", err)
	}
}

func TestMetaIsKept(t *testing.T) {
	f := create(t)
	want := db.Meta{Base: "urn:test:", Name: "test", Created: epoch, Format: disk.Format}
	if diff := gocmp.Diff(want, f.Meta()); diff != "" {
		t.Error(diff)
	}
}

func TestTheWaitForTheLockEnds(t *testing.T) {
	f := create(t)
	other, err := db.Open(t.Context(), f.Path(), db.Options{LockWait: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write(t.Context()); !fault.Is(err, fault.TimedOut) || !strings.Contains(err.Error(), "another process is writing") {
		t.Errorf("got %v", err)
	}
	if err := other.Record(t.Context(), []db.Activity{{ID: "x"}}); !fault.Is(err, fault.TimedOut) {
		t.Errorf("record: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := f.Write(ctx); !fault.Is(err, fault.TimedOut) {
		t.Errorf("in the queue: %v", err)
	}
	w.Close()
	if _, err := tryWrite(t.Context(), other, []rdf.Quad{q("a", "p", iri("o"))}, nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestACancelledWriteChangesNothing(t *testing.T) {
	stops := []int{10_001, 1, 50, 15_000} // the tables have some of 10,001 already
	if testing.Short() {
		stops = stops[:2]
	}
	for _, stopAt := range stops {
		f := create(t)
		write(t, f, entities(20), nil)
		before := state(t, f)
		ctx, cancel := context.WithCancel(t.Context())
		w, err := f.Write(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range stopAt {
			if _, err := w.Add(ctx, q(fmt.Sprintf("new%06d", i), "p", rdf.String(fmt.Sprint(i)))); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if _, err := w.Commit(ctx, db.CommitMeta{Time: epoch}, nil); err == nil {
			t.Error("a cancelled commit succeeded")
		}
		if diff := gocmp.Diff(before, state(t, f)); diff != "" {
			t.Error(diff)
		}
		write(t, f, []rdf.Quad{q("after", "p", iri("o"))}, nil)
		if report := verify(t, f); !report.OK() {
			t.Errorf("%v", report.Problems)
		}
	}
}

// A child writes as fast as it can and says what was acknowledged, until it is killed.
func TestKilledInMidCommit(t *testing.T) {
	if path, ok := dbtest.Child(); ok {
		writeForever(t, path)
		return
	}
	f := create(t)
	path := f.Path()
	runs := 8
	if testing.Short() {
		runs = 2
	}
	acknowledged := map[string]bool{}
	for range runs {
		child := dbtest.Start(t, "TestKilledInMidCommit", path)
		for range 30 {
			said, ok := child.Line()
			if !ok {
				t.Fatal("the child ended")
			}
			acknowledged[said] = true
		}
		for _, said := range child.Kill() {
			acknowledged[said] = true
		}
	}
	for id := range acknowledged {
		if !strings.HasPrefix(id, "commit ") {
			continue
		}
		if _, err := read1(f, func(r *db.Reader) (history.Commit, error) {
			return r.CommitByID(context.Background(), strings.TrimPrefix(id, "commit "))
		}); err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
		}
	}
	if report := verify(t, f); !report.OK() {
		t.Errorf("%v", report.Problems)
	}
}

func read1[T any](f *db.File, do func(*db.Reader) (T, error)) (T, error) {
	r, err := f.Read(context.Background(), db.View{})
	if err != nil {
		var zero T
		return zero, err
	}
	defer r.Close()
	return do(r)
}

func writeForever(t *testing.T, path string) {
	f, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		s := fmt.Sprintf("p%d/%d", os.Getpid(), i)
		c, err := tryWrite(t.Context(), f, []rdf.Quad{q(s, "a", rdf.String(s)), q(s, "b", iri(s))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("commit " + c.ID.Whole())
	}
}

// Several processes write to one file at once: none fails, and nothing is lost.
func TestProcessesShareTheFile(t *testing.T) {
	const each = 50
	if path, ok := dbtest.Child(); ok {
		f := open(t, path)
		for i := range each {
			s := fmt.Sprintf("p%d/%d", os.Getpid(), i)
			write(t, f, []rdf.Quad{q(s, "a", rdf.String(s)), q(s, "b", iri("shared"))}, nil)
		}
		return
	}
	f := create(t)
	before, err := f.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var children []*dbtest.Process
	for range 4 {
		children = append(children, dbtest.Start(t, "TestProcessesShareTheFile", f.Path()))
	}
	for i := range each {
		write(t, f, []rdf.Quad{q(fmt.Sprintf("parent/%d", i), "a", iri("shared"))}, nil)
	}
	for _, c := range children {
		c.Wait()
	}
	r := read(t, f)
	if r.Head().Seq != 5*each || r.Head().Quads != 4*each*2+each {
		t.Errorf("head %+v", r.Head())
	}
	if after, err := f.DataVersion(t.Context()); err != nil || after == before {
		t.Errorf("data version %d then %d, error %v", before, after, err)
	}
	if report := verify(t, f); !report.OK() {
		t.Errorf("%v", report.Problems)
	}
}
