package db

import (
	"fmt"
	"testing"
	"time"

	"trails/rdf"
)

// A commit has a change log unless it makes the file, or adds more than an eighth of it.
func TestAMediumLoadKeepsItsChangeLog(t *testing.T) {
	if testing.Short() {
		t.Skip("loads of 150,000 quads, one after the other")
	}
	rows := chunkRows
	defer func() { chunkRows = rows }()
	for _, chunkRows = range []int{rows, 3000} { // in one chunk, and in several, of which a log may be taken back
		t.Run(fmt.Sprintf("chunks of %d", chunkRows), mediumLoads)
	}
}

func mediumLoads(t *testing.T) {
	f := emptyFile(t)
	quads, removed := 0, 0
	// Subjects of the first load come behind those of the others in the canonical order.
	name := func(load, n int) rdf.Quad {
		return rdf.Quad{
			Subject:   rdf.IRI(fmt.Sprintf("urn:%c:%06d", 'z'-rune(load), n/10)),
			Predicate: rdf.IRI(fmt.Sprintf("urn:p:%d", n%10)),
			Object:    rdf.Literal(fmt.Sprint(n), rdf.XSDInteger),
		}
	}
	for i, load := range []struct {
		what           string
		added, removed int
		logged         bool
	}{
		{what: "the first into an empty file", added: 100_000},
		{what: "few", added: 10, logged: true},
		{what: "an eighth", added: 12_501, logged: true},
		{what: "more than an eighth", added: 14_100},
		{what: "more than an eighth, and then removals", added: 20_000, removed: 10, logged: true},
		{what: "removals alone", removed: 11_000, logged: true},
	} {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for n := range load.added {
			if added, err := w.Add(t.Context(), name(i, n)); err != nil || !added {
				t.Fatalf("%s: added %t, %v", load.what, added, err)
			}
			if n == load.added*2/3 { // a read in the middle brings the tables up to date
				if count, err := w.askCount(t.Context(), bgp(triplePattern(nil, nil, nil))); err != nil || count != int64(quads+n+1) {
					t.Fatalf("%s: %d quads in the middle, want %d, %v", load.what, count, quads+n+1, err)
				}
			}
		}
		for n := range load.removed {
			if gone, err := w.Remove(t.Context(), name(0, removed+n)); err != nil || !gone {
				t.Fatalf("%s: removed %t, %v", load.what, gone, err)
			}
		}
		c, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(int64(i)+1, 0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		quads, removed = quads+load.added-load.removed, removed+load.removed
		rows, err := f.writer.Int64("SELECT count(*) FROM changes WHERE line = 1 AND seq = ?", c.Seq)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if load.logged {
			want = int64(load.added + load.removed)
		}
		if c.Bulk == load.logged || rows != want {
			t.Errorf("%s: %d rows in the change log, want %d; without a log: %t", load.what, rows, want, c.Bulk)
		}
	}
	report, err := f.Verify(t.Context(), VerifyOptions{})
	if err != nil || !report.OK() {
		t.Errorf("%v, error %v", report.Problems, err)
	}
}
