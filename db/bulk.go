package db

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"runtime/debug"
	"slices"

	"trails/db/inline"
	"trails/fault"
	"trails/rdf"
)

// bulk collects many additions and hands them to SQLite sorted, in chunks, through
// a virtual table: that is several times faster than one statement for each. When
// the load is larger than what is there, all rows are sorted, and the pages of live and of
// its indexes made of them, see [rebuild]; the index of terms is dropped first and built
// after it. All is within the transaction.
//
// SQLite takes a chunk while the next one is gathered. Whatever else needs the
// connection waits for it: see settle.
type bulk struct {
	// ids are those of terms by their keys, of all that are buffered at least. When
	// whole, a term that is not there is new.
	ids   termIDs
	whole bool
	rows  []quadIDs
	terms []termRow
	spare struct { // what SQLite took last, to be filled again
		rows  []quadIDs
		terms []termRow
	}
	running  job   // what has the connection
	inserted int64 // rows that went to live, or to rebuild
	// rebuild, unless it is nil, has the rows that live is to have.
	rebuild *rebuild
	noHash  bool // the index of terms is dropped
	// known, unless it is "", finds the terms that are no more in ids, and seen has the keys of
	// all of these. The index of terms is dropped then, and terms_known in its place.
	known string
	seen  []filter
	large bool // it was worth new statistics
}

// Variables, so that a test reaches the limits with little data.
var (
	chunkRows  = 512 << 10 // 16 MB, and as much again while SQLite takes it
	chunkTerms = 64 << 10  // some 10 MB
	heldKeys   = 6 << 20   // terms that a bulk load knows by their keys: 190 MB
	heldIDs    = 64 << 10  // terms that a transaction remembers by themselves
)

const (
	// smallChunk is a chunk that the indexes take as it comes.
	smallChunk = bulkSize
	// rebuiltRows go to a rebuild together.
	rebuiltRows = 64 << 10
	// fewTerms is a dictionary that is read whole, rather than asked again and again.
	fewTerms = 5 * bulkSize
)

// beginBulk makes what is added from now on a bulk load.
func (w *Writer) beginBulk() error {
	w.bulk = &bulk{whole: w.next <= fewTerms}
	w.dict.keyed = &w.bulk.ids
	if !w.bulk.whole || w.next == 1 {
		return nil
	}
	return w.conn.exec(termColumns, func(s *stmt) error {
		t, err := w.dict.scan(s, 1)
		if err == nil {
			w.bulk.ids.put(w.dict.key(t), s.id(0))
		}
		return err
	})
}

// job is what runs beside the writer; nil when nothing does.
type job chan error

// start runs one. The one before has been settled.
func (j *job) start(do func() error) {
	done := make(job, 1)
	*j = done
	go func() { done <- fault.Guard(do) }()
}

// settle waits for it.
func (j *job) settle() error {
	if *j == nil {
		return nil
	}
	err := <-*j
	*j = nil
	return err
}

// settle waits until no job has the connection.
func (b *bulk) settle() error {
	if b == nil {
		return nil
	}
	return b.running.settle()
}

// exists reports whether the quad is in live. One with a new term is not, and in
// an empty table none is: a quad comes once in a transaction.
func (w *Writer) exists(ids quadIDs) (bool, error) {
	if w.head.Quads == 0 {
		return false, nil
	}
	for _, id := range ids {
		if id > w.start {
			return false, nil
		}
	}
	if err := w.bulk.settle(); err != nil {
		return false, err
	}
	n, err := w.conn.int64("SELECT 1 FROM live WHERE s = ? AND p = ? AND o = ? AND g = ?", ids[posS], ids[posP], ids[posO], ids[posG])
	return n == 1, err
}

func (w *Writer) bufferTerm(row termRow) error {
	w.bulk.terms = append(w.bulk.terms, row)
	if len(w.bulk.terms) < chunkTerms {
		return nil
	}
	return w.spillTerms()
}

// boundIDs keeps what a transaction remembers bounded: what is forgotten is found
// again by its key, or through the index.
func (w *Writer) boundIDs() {
	if len(w.dict.ids) < heldIDs {
		return
	}
	clear(w.dict.ids)
	clear(w.dict.terms)
}

// boundKeys keeps the memory of a long load bounded: what is forgotten is found through an
// index. That is one of the terms so far, which those to come need not be put into: they are in
// the order of their hashes there, so that each would go to another page.
func (w *Writer) boundKeys() error {
	b := w.bulk
	if b.ids.n < heldKeys {
		return nil
	}
	if err := w.spillTerms(); err != nil {
		return err
	}
	if err := b.settle(); err != nil {
		return err
	}
	b.whole = false
	if b.noHash {
		seen := newFilter(b.ids.n)
		for key := range b.ids.keys() {
			seen.add(key)
		}
		among := fmt.Sprintf("id <= %d", w.next-1)
		b.seen, b.known = append(b.seen, seen), termColumns+"INDEXED BY terms_known WHERE hash = ? AND "+among
		w.conn.forget()
		err := w.conn.apply([]string{
			cacheSize(sorterCache),
			"DROP INDEX IF EXISTS terms_known",
			"CREATE INDEX terms_known ON terms (hash) WHERE " + among,
			cacheSize(bulkCache),
		})
		if err != nil {
			return err
		}
	}
	b.ids = termIDs{}
	return nil
}

// knownID returns the id of a term that is no more in ids, 0 when there is none.
func (w *Writer) knownID(t rdf.Term, key termKey) (inline.TermID, error) {
	b := w.bulk
	if b.known != "" && !slices.ContainsFunc(b.seen, func(f filter) bool { return f.mayHave(key) }) {
		return 0, nil
	}
	if err := b.settle(); err != nil {
		return 0, err
	}
	return w.dict.findBy(cmp.Or(b.known, termByHash), t, key.hash())
}

// filter has keys, and perhaps one in a hundred of those that it does not have: a Bloom filter
// with five bits for each.
type filter []uint64

// newFilter has room for n keys: ten to twenty bits for each.
func newFilter(n int) filter { return make(filter, 1<<bits.Len(uint(10*n/64))) }

func (f filter) add(key termKey) {
	for at := range f.places(key) {
		f[at/64] |= 1 << (at % 64)
	}
}

func (f filter) mayHave(key termKey) bool {
	for at := range f.places(key) {
		if f[at/64]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// places are the bits of a key, whose bytes are those of a hash.
func (f filter) places(key termKey) iter.Seq[uint64] {
	at, step := binary.BigEndian.Uint64(key[:8]), binary.BigEndian.Uint64(key[8:])
	return func(yield func(uint64) bool) {
		for range 5 {
			if !yield(at & uint64(64*len(f)-1)) {
				return
			}
			at += step
		}
	}
}

// full reports whether the buffered rows are as many as go on together.
func (w *Writer) full() bool {
	rows := len(w.bulk.rows)
	return rows >= chunkRows || rows >= rebuiltRows && w.rebuilds()
}

// flush brings the tables up to date with what was buffered, for a read.
func (w *Writer) flush(ctx context.Context) error {
	if w.bulk == nil {
		return nil
	}
	if err := w.spillTerms(); err != nil {
		return w.broken(ctx, "flush", err)
	}
	if err := w.spill(ctx); err != nil {
		return w.broken(ctx, "flush", err)
	}
	if err := w.bulk.settle(); err != nil {
		return w.broken(ctx, "flush", err)
	}
	if err := w.rebuildLive(ctx); err != nil {
		return w.broken(ctx, "flush", err)
	}
	return w.broken(ctx, "index", w.indexTerms())
}

const termsIndex = "CREATE INDEX terms_hash ON terms (hash)"

// indexTerms builds the index of terms again, if it was dropped. SQLite's sorter has the memory
// that the load needed.
func (w *Writer) indexTerms() error {
	if !w.bulk.noHash {
		return nil
	}
	w.bulk.noHash = false
	w.bulk.rows, w.bulk.spare.rows = nil, nil
	debug.FreeOSMemory()
	if err := w.conn.once(cacheSize(sorterCache)); err != nil {
		return err
	}
	if w.bulk.known != "" {
		w.bulk.known, w.bulk.seen = "", nil
		w.conn.forget()
		if err := w.conn.once("DROP INDEX terms_known"); err != nil {
			return err
		}
	}
	return w.conn.apply([]string{termsIndex, cacheSize(indexedCache)})
}

// finishBulk gives the planner its statistics after a large load: those of the terms.
// With statistics of live SQLite would read all of it to make a Bloom filter, before
// the first row of a query with many; which index a pattern needs says the lowering. Of
// the other tables, statistics from the time of a file's first commits would have SQLite
// scan them for ever after.
func (w *Writer) finishBulk() error {
	if !w.bulk.large {
		return nil
	}
	return w.conn.apply([]string{"ANALYZE terms", "DELETE FROM sqlite_stat1 WHERE tbl = 'live'"})
}

// spill puts the buffered rows into live.
func (w *Writer) spill(ctx context.Context) error {
	b := w.bulk
	if len(b.rows) == 0 {
		return nil
	}
	if b.rebuild == nil {
		if err := b.settle(); err != nil {
			return err
		}
		if err := w.beginRebuild(ctx); err != nil {
			return err
		}
		if err := w.enlarge(len(b.rows)); err != nil {
			return err
		}
	}
	rows, logged := b.rows, !w.log.skipped
	b.rows, b.spare.rows = b.spare.rows[:0], rows
	b.inserted += int64(len(rows))
	if b.rebuild != nil {
		return b.rebuild.add(ctx, rows, w.seq)
	}
	w.log.written = w.log.written || logged
	b.running.start(func() error {
		slices.SortFunc(rows, compareIDs)
		return w.insertRows(ctx, rows, logged)
	})
	return nil
}

// insertRows puts sorted rows into live, and into the change log.
func (w *Writer) insertRows(ctx context.Context, rows []quadIDs, logged bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	feed := w.conn.feed
	feed.quads = rows
	// OR FAIL: a statement that could be undone by itself would have SQLite copy
	// every page that it touches; an error here ends the whole transaction anyway.
	err := w.conn.exec("INSERT OR FAIL INTO live (s, p, o, g, added) SELECT s, p, o, g, ? FROM feed_quads", nil, w.seq)
	if err == nil && logged {
		err = w.conn.exec("INSERT OR FAIL INTO changes (line, seq, s, p, o, g, op) SELECT ?, ?, s, p, o, g, ? FROM feed_quads", nil, mainLine, w.seq, int64(OpAdd))
	}
	feed.quads = nil
	return err
}

// enlarge gives a large load the memory that it is worth: little to a rebuild, which writes
// each page once. A cache that grows and shrinks costs time, too.
func (w *Writer) enlarge(rows int) error {
	if w.bulk.large || rows < smallChunk {
		return nil
	}
	w.bulk.large = true
	cache := bulkCache
	if w.bulk.rebuild != nil {
		cache = sorterCache
	}
	return w.conn.apply([]string{cacheSize(cache), "PRAGMA threads = 2"})
}

func compareIDs(a, b quadIDs) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}

// spillTerms puts the buffered terms into the dictionary.
func (w *Writer) spillTerms() error {
	b := w.bulk
	if len(b.terms) == 0 {
		return nil
	}
	if err := b.settle(); err != nil {
		return err
	}
	if err := w.dropHash(); err != nil {
		return err
	}
	terms := b.terms
	b.terms, b.spare.terms = b.spare.terms[:0], terms
	last := terms[len(terms)-1].id
	after, many := w.takeMany(last)
	b.running.start(func() error {
		feed := w.conn.feed
		feed.terms = terms
		err := w.conn.exec("INSERT OR FAIL INTO terms (id, kind, value, datatype, lang, hash) SELECT id, kind, value, datatype, lang, hash FROM feed_terms", nil)
		feed.terms = nil
		if err == nil && many {
			err = w.conn.indexTexts(after, last)
		}
		return err
	})
	return nil
}

// dropHash drops the index of terms when nothing is asked of it before it is built anew.
func (w *Writer) dropHash() error {
	if !w.bulk.whole || w.bulk.noHash || len(w.bulk.terms) < smallChunk {
		return nil
	}
	w.bulk.noHash = true
	w.conn.forget()
	return w.conn.once("DROP INDEX terms_hash")
}
