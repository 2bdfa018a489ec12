package db

import (
	"fmt"
	"testing"
	"time"

	"trails/db/disk"
	"trails/db/extsort"
	"trails/db/pager"
	"trails/db/scan"
	"trails/rdf"
)

// A load that was read from and then undone leaves the file as it was, for this connection and
// for others, and the next load is whole.
func TestARebuildIsUndone(t *testing.T) {
	if !pager.Private {
		t.Skip("no page is written with the tag sqlite_public")
	}
	f := emptyFile(t)
	load := func(from, to int, commit bool) {
		t.Helper()
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for i := from; i < to; i++ {
			q := rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:s:%06d", i)), Predicate: rdf.IRI("urn:p"), Object: rdf.String(fmt.Sprint(i % 1000))}
			if i%10 == 0 {
				q.Label = rdf.IRI("urn:g")
			}
			if _, err := w.Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		if !w.rebuilds() {
			t.Fatal("live is not made anew")
		}
		if got, err := w.askCount(t.Context(), bgp(triplePattern(nil, rdf.IRI("urn:p"), nil))); err != nil || got != int64(to-(to+9)/10) {
			t.Fatalf("%d quads, %v", got, err)
		}
		if commit {
			if _, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(1, 0)}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	verify := func(want int64) {
		t.Helper()
		if got, err := f.writer.Int64("SELECT count(*) FROM live INDEXED BY live_osp"); err != nil || got != want {
			t.Errorf("%d rows, want %d, %v", got, want, err)
		}
		report, err := f.Verify(t.Context(), VerifyOptions{})
		if err != nil || !report.OK() {
			t.Errorf("%v, error %v", report.Problems, err)
		}
	}
	load(0, 20_000, false)
	verify(0)
	load(0, 20_000, true)
	verify(20_000)
	load(20_000, 60_000, false)
	verify(20_000)
	load(20_000, 60_000, true)
	verify(60_000)
}

// The page with the byte that SQLite locks is passed over: it cannot be written.
func TestNoTreeHasTheLockedPage(t *testing.T) {
	f := emptyFile(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	locked := uint32(lockedByte/disk.PageSize + 1)
	pages, err := w.conn.newPages()
	if err != nil {
		t.Fatal(err)
	}
	defer pages.release()
	pages.next = locked - 1
	var sorter extsort.Sorter
	for i := range int64(2_000) {
		err := sorter.Add(func(record []byte) []byte { return scan.AppendOrdered(record, i) })
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := sorter.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	if err := pages.build(t.Context(), 2, rows); err != nil || pages.next < locked+3 {
		t.Errorf("the next page is %d, %v", pages.next, err)
	}
	if err := pages.put(locked, pages.first); err == nil {
		t.Error("SQLite took the locked page")
	}
}
