package db

import (
	"fmt"
	"testing"
	"time"

	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// A disk that is full after n more pages: wherever that strikes, the file is as it
// was before and the next write works.
func TestAFullDiskChangesNothing(t *testing.T) {
	testrun.Alone(t)
	for _, quads := range []int{500, 12_000} {
		t.Run(fmt.Sprint(quads), func(t *testing.T) { fillDisk(t, quads) })
	}
}

func fillDisk(t *testing.T, quads int) {
	f := emptyFile(t)
	if _, err := put(t, f, "first", 10); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for step, extra := 0, int64(0); ; step, extra = step+1, extra+1+extra/2 {
		pages, err := f.writer.Int64("PRAGMA page_count")
		if err != nil {
			t.Fatal(err)
		}
		limit(t, f, pages+extra)
		before := f.headNow(t)
		c, err := put(t, f, fmt.Sprintf("step%d", step), quads)
		if err == nil {
			if c.Seq != before.Seq+1 {
				t.Errorf("commit %d after %d", c.Seq, before.Seq)
			}
			break
		}
		refused++
		if !fault.Is(err, fault.Unusable) {
			t.Fatalf("with %d pages more: %v", extra, err)
		}
		if after := f.headNow(t); after != before {
			t.Errorf("with %d pages more the head moved from %d to %d", extra, before.Seq, after.Seq)
		}
	}
	if refused == 0 {
		t.Error("the disk was never full")
	}
	report, err := f.Verify(t.Context(), VerifyOptions{})
	if err != nil || !report.OK() {
		t.Errorf("%v, error %v", report.Problems, err)
	}
}

func limit(t *testing.T, f *File, pages int64) {
	t.Helper()
	if err := f.writer.Once(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
		t.Fatal(err)
	}
}

func (f *File) headNow(t *testing.T) history.Commit {
	t.Helper()
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Head()
}

func put(t *testing.T, f *File, name string, quads int) (history.Commit, error) {
	t.Helper()
	w, err := f.Write(t.Context())
	if err != nil {
		return history.Commit{}, err
	}
	defer w.Close()
	for i := range quads {
		s := rdf.IRI(fmt.Sprintf("urn:%s/%06d", name, i))
		if _, err := w.Add(t.Context(), rdf.Quad{Subject: s, Predicate: rdf.IRI("urn:p"), Object: rdf.String(name)}); err != nil {
			return history.Commit{}, err
		}
	}
	return w.Commit(t.Context(), CommitMeta{Time: time.Unix(1, 0)}, nil)
}
