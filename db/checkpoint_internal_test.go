package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trails/kg/rdf"
)

// logged makes a file whose log is long from the first commit on.
func logged(t *testing.T) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.db")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:test:", Name: "test", Now: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{LongLog: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// commit adds one quad and returns how long the log is then.
func (f *File) commit(t *testing.T, n int) int64 {
	t.Helper()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	q := rdf.Quad{Subject: rdf.IRI(fmt.Sprint("urn:s:", n)), Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o")}
	if _, err := w.Add(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(int64(n), 0)}, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestALongLogStartsOver(t *testing.T) {
	f := logged(t)
	if got := f.commit(t, 1); got != 0 {
		t.Errorf("the log has %d bytes", got)
	}
	if got := f.commit(t, 2); got == 0 {
		t.Error("the next attempt came at once")
	}
	f.pause.tried = time.Time{}
	if got := f.commit(t, 3); got != 0 {
		t.Errorf("the log has %d bytes", got)
	}
}

func TestALongReadKeepsTheLogAndIsNotDisturbed(t *testing.T) {
	f := logged(t)
	r, err := f.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := f.commit(t, 1); got == 0 {
		t.Error("the log was taken from under a reader")
	}
	if r.Head().Seq != 0 {
		t.Errorf("the reader is at commit %d", r.Head().Seq)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	f.pause.tried = time.Time{}
	if got := f.commit(t, 2); got != 0 {
		t.Errorf("afterwards the log has %d bytes", got)
	}
}

func TestReadersWaitUntilAPauseIsOver(t *testing.T) {
	f := logged(t)
	f.pause.begin()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Read(ctx); err == nil {
		t.Error("one read in a pause")
	}
	if len(f.readers) != 0 {
		t.Error("who gave up has kept its place")
	}
	read := make(chan error)
	go func() {
		r, err := f.Read(t.Context())
		if err == nil {
			err = r.Close()
		}
		read <- err
	}()
	f.pause.end()
	if err := <-read; err != nil {
		t.Error(err)
	}
}

func TestProvenanceShortensTheLogToo(t *testing.T) {
	f := logged(t)
	if err := f.Record(t.Context(), []Activity{{ID: "a", Started: time.Unix(0, 0), Ended: time.Unix(1, 0)}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
}
