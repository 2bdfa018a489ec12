package db

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/rdf"
)

// testLog is a bound on the log that a few commits reach.
const testLog = 1 << 20

// logged opens a file as each of so many processes would.
func logged(t *testing.T, processes int) []*File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.db")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:test:", Name: "test", Now: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	files := make([]*File, processes)
	for i := range files {
		f, err := Open(t.Context(), path, Options{LongLog: testLog})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	return files
}

// commitOne adds one quad.
func commitOne(ctx context.Context, f *File, s string) error {
	w, err := f.Write(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	q := rdf.Quad{Subject: rdf.IRI("urn:s:" + s), Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o:" + s)}
	if _, err := w.Add(ctx, q); err != nil {
		return err
	}
	_, err = w.Commit(ctx, CommitMeta{Author: "test", Time: time.Unix(1, 0)}, nil)
	return err
}

// lengthen commits until the log is as long as its bound.
func lengthen(t *testing.T, f *File, name string) {
	t.Helper()
	f.logGlanced = time.Now() // not at the end of a write
	for n := 0; f.logSize() < testLog; n++ {
		if err := commitOne(t.Context(), f, fmt.Sprint(name, n)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALongLogStartsOverBeforeTheNextWrite(t *testing.T) {
	f := logged(t, 1)[0]
	lengthen(t, f, "a")
	if err := commitOne(t.Context(), f, "next"); err != nil {
		t.Fatal(err)
	}
	if got := f.logSize(); got >= testLog/2 {
		t.Errorf("the log has %d bytes", got)
	}
}

func TestProvenanceMakesALongLogStartOverToo(t *testing.T) {
	f := logged(t, 1)[0]
	lengthen(t, f, "a")
	if err := f.Record(t.Context(), []Activity{{ID: "a", Started: time.Unix(0, 0), Ended: time.Unix(1, 0)}}); err != nil {
		t.Fatal(err)
	}
	if got := f.logSize(); got >= testLog/2 {
		t.Errorf("the log has %d bytes", got)
	}
}

func TestTheLastWriteLeavesNoLongLog(t *testing.T) {
	f := logged(t, 1)[0]
	lengthen(t, f, "a")
	f.logInVain = logStageOf(f.logSize(), testLog, time.Now()) // so that the commit does not begin with it
	f.logGlanced = time.Time{}
	if err := commitOne(t.Context(), f, "last"); err != nil {
		t.Fatal(err)
	}
	if got := f.logSize(); got != 0 {
		t.Errorf("after a commit the log has %d bytes", got)
	}
}

// Readers that overlap without a gap and writers that write without a gap, each as in a
// process of its own: nobody's luck decides how long the log becomes.
func TestTheLogHasACeilingWhoeverReadsAndWrites(t *testing.T) {
	const writers, readers, commits = 4, 3, 400
	files := logged(t, writers+readers)
	var longest atomic.Int64
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for i, f := range files[writers:] {
		reading.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				r, err := f.Read(t.Context(), View{})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(5+i) * time.Millisecond)
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i, f := range files[:writers] {
		writing.Go(func() {
			for n := range commits {
				if err := commitOne(t.Context(), f, fmt.Sprintf("%d-%d", i, n)); err != nil {
					t.Error(err)
					return
				}
				longest.Store(max(longest.Load(), f.logSize()))
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	if got := longest.Load(); got < testLog || got >= 2*testLog {
		t.Errorf("the log had %d bytes, want from %d to %d", got, testLog, 2*testLog)
	}
}

func TestALongReadKeepsTheLogAndIsNotDisturbed(t *testing.T) {
	f := logged(t, 1)[0]
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	lengthen(t, f, "a")
	began := time.Now()
	if err := commitOne(t.Context(), f, "next"); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); waited < logWait {
		t.Errorf("the write waited %v for the reader, want %v", waited, logWait)
	}
	at := f.logInVain
	if at == (logStage{}) || f.logSize() < testLog {
		t.Error("the log was taken from under a reader")
	}
	began = time.Now()
	if err := commitOne(t.Context(), f, "after"); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); f.logInVain == at && waited >= logWait {
		t.Errorf("the next write waited %v, too", waited)
	}
	if n, err := r.askCount(t.Context(), bgp(triplePattern(nil, nil, nil))); r.Head().Seq != 0 || n != 0 || err != nil {
		t.Errorf("the reader is at commit %d and sees %d quads, %v", r.Head().Seq, n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	f.logInVain = logStage{}
	if err := commitOne(t.Context(), f, "last"); err != nil {
		t.Fatal(err)
	}
	if got := f.logSize(); got >= testLog/2 {
		t.Errorf("afterwards the log has %d bytes", got)
	}
}

// A writer that waits for readers hears its caller.
func TestWhoWaitsForReadersHearsItsContext(t *testing.T) {
	f := logged(t, 1)[0]
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lengthen(t, f, "a")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := commitOne(ctx, f, "next"); err == nil {
		t.Error("a write was made after its context had ended")
	}
	if f.logInVain != (logStage{}) {
		t.Error("the next writer is not to try, though this one gave up")
	}
}

func TestStagesOfALongLog(t *testing.T) {
	const bound = 64 << 20
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		size int64
		step int64
	}{
		{bound, 0},
		{bound + bound/8 - 1, 0},
		{bound + bound/8, 1},
		{2*bound - 1, 7},
		{2 * bound, 8},
		{3*bound - 1, 8},
		{3 * bound, 9},
		{5 * bound, 10},
		{9 * bound, 11},
		{17 * bound, 12},
		{1 << 50, 8 + 23},
	} {
		at := logStageOf(c.size, bound, now)
		if at.step != c.step {
			t.Errorf("%d bytes: step %d, want %d", c.size, at.step, c.step)
		}
		if later := logStageOf(c.size, bound, now.Add(20*logWait)); later.slot != at.slot+1 {
			t.Errorf("%d bytes: the next slot does not come after %v", c.size, 20*logWait)
		}
	}
}
