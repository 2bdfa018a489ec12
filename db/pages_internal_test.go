package db

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
)

// manyLinks adds links, and labels of which some take several pages.
func manyLinks(t *testing.T, w *Writer, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		s := rdf.IRI(fmt.Sprintf("urn:test:n%05d", i))
		for _, q := range []rdf.Quad{
			{Subject: s, Predicate: rdf.IRI("urn:test:label"), Object: rdf.String(fmt.Sprintf("%0*d", 1+i%50*200, i))},
			{Subject: s, Predicate: rdf.IRI("urn:test:to"), Object: rdf.IRI(fmt.Sprintf("urn:test:n%05d", i*7%1000))},
		} {
			if _, err := w.Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// samePages compares each page with what the table sqlite_dbpage has: those in the cache, and,
// up and down, those that have to be read. It tells how many there are, and how many of these
// were read in blocks.
func samePages(t *testing.T, c *conn) (pages, ahead int) {
	t.Helper()
	p, err := c.Pages()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	var want [][]byte
	same := func(of scan.Pages, number int) {
		page, err := of.Pin(uint32(number))
		if err != nil {
			t.Fatalf("page %d: %v", number, err)
		}
		defer of.Unpin(page)
		if page.Handle < 0 {
			ahead++
		}
		if string(page.Bytes) != string(want[number-1]) {
			t.Errorf("page %d differs", number)
		}
	}
	err = c.Exec("SELECT pgno, data FROM sqlite_dbpage", func(s *stmt.Stmt) error {
		data := make([]byte, s.ColumnLen(1))
		s.ColumnBytes(1, data)
		want = append(want, data)
		same(p, len(want))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, down := range []bool{false, true} {
		if err := c.Exec("PRAGMA shrink_memory", nil); err != nil {
			t.Fatal(err)
		}
		tree, err := p.Tree("live")
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if down {
				i = len(want) - 1 - i
			}
			same(tree.Pages, i+1)
		}
	}
	return len(want), ahead
}

// TestPagesAreThoseOfTheTransaction compares the pages that a reader and a writer see, before
// and after a commit that the reader does not see.
func TestPagesAreThoseOfTheTransaction(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	write := func(from, to int, end func(*Writer) error) {
		t.Helper()
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		manyLinks(t, w, from, to)
		if pages, ahead := samePages(t, w.conn); pages == 0 || ahead > 0 {
			t.Errorf("a writer has %d pages, of which %d were read ahead", pages, ahead)
		}
		if err := end(w); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(w *Writer) error { _, err := w.Commit(t.Context(), CommitMeta{Author: "a"}, nil); return err }
	write(0, 500, commit)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	before, _ := samePages(t, r.conn)
	write(500, 1500, commit)
	write(1500, 2000, func(*Writer) error { return nil }) // taken back
	if after, _ := samePages(t, r.conn); after != before {
		t.Errorf("a reader has %d pages, and %d behind the commit of another", before, after)
	}
	later, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	after, _ := samePages(t, later.conn)
	if after <= before {
		t.Errorf("a later reader has %d pages, one before had %d", after, before)
	}
	r.Close()
	later.Close()
	if !f.startLogOver(t.Context(), time.Minute) {
		t.Fatal("the log did not start over")
	}
	if later, err = f.Read(t.Context(), View{}); err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	write(2000, 2500, commit) // which the log has, beside pages of the file
	if pages, ahead := samePages(t, later.conn); pages != after || pager.Private && ahead < pages/2 {
		t.Errorf("of %d pages %d were read ahead when the log had begun again", pages, ahead)
	}
	latest, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer latest.Close()
	if pages, ahead := samePages(t, latest.conn); pages <= after || pager.Private && ahead == 0 {
		t.Errorf("of %d pages %d were read ahead where the log has some", pages, ahead)
	}
}

// TestPagesAreGivenBack ends queries early, in all ways. A page that one holds would keep its reader in the log after
// the transaction, and the log could not start over.
func TestPagesAreGivenBack(t *testing.T) {
	f := emptyFile(t)
	q, err := sparql.Parse("SELECT ?a ?b ?l { ?a <urn:test:to> ?b . ?a <urn:test:label> ?l }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(r *Reader) (next func() ([]rdf.Term, error, bool), stop func()) {
		t.Helper()
		plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
		if err != nil {
			t.Fatal(err)
		}
		return iter.Pull2(r.Run(t.Context(), plan, Limits{}))
	}
	links := 0
	for name, end := range map[string]func(*Reader, context.CancelFunc, func()){
		"stopped":               func(_ *Reader, _ context.CancelFunc, stop func()) { stop() },
		"cancelled":             func(_ *Reader, cancel context.CancelFunc, stop func()) { cancel(); stop() },
		"of a reader that ends": func(r *Reader, _ context.CancelFunc, _ func()) { r.Close() },
	} {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		manyLinks(t, w, links, links+3000)
		links += 3000
		_, err = w.Commit(t.Context(), CommitMeta{Author: "a"}, nil)
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := f.Read(ctx, View{})
		if err != nil {
			t.Fatal(err)
		}
		next, stop := run(r)
		for range 10 {
			if _, err, ok := next(); err != nil || !ok {
				t.Fatalf("%s: no row: %v", name, err)
			}
		}
		end(r, cancel, stop)
		r.conn.SetInterrupt(nil)
		if !r.closed {
			if err := r.conn.Exec("COMMIT", nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if busy, err := f.writer.Int64("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil || busy != 0 {
			t.Errorf("%s: pages are still held: %v", name, err)
		}
		stop()
		r.Close()
		cancel()
	}
	c := f.idle[reading][0]
	if p, err := c.Pages(); err == nil {
		p.Release()
		t.Error("pages are read outside of a transaction")
	}
}
