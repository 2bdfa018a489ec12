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
	"trails/extsort"
	"trails/fault"
	"trails/rdf"
)

// bulk collects many additions and hands them to SQLite sorted, in chunks, through
// a virtual table: that is several times faster than one statement for each. When
// the load is larger than what is there, the indexes are dropped first and built
// after it, all within the transaction.
//
// SQLite takes a chunk while the next one is gathered. Whatever else needs the
// connection waits for it: see settle.
type bulk struct {
	// ids are those of terms by their keys, of all that are buffered at least. When
	// whole, a term that is not there is new.
	ids   map[termKey]inline.TermID
	whole bool
	rows  []quadIDs
	terms []termRow
	spare struct { // what SQLite took last, to be filled again
		rows  []quadIDs
		terms []termRow
	}
	running  chan error // the job that has the connection; nil when none has
	inserted int64      // rows that went to live, or to sorted
	// sorted, unless it is nil, has rows that are not in live yet: see sortFrom.
	sorted  *extsort.Sorter
	noIndex bool // the indexes of live are dropped
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
	heldKeys   = 6 << 20   // terms that a bulk load knows by their keys: 200 MB
	heldIDs    = 64 << 10  // terms that a transaction remembers by themselves
	// From sortFrom rows on, those of a load without a change log go to live at its end, all in
	// order. Subjects have ids in the order in which they were first named, so that each chunk
	// would change pages all over live, of which the cache has a part.
	sortFrom int64 = 4 << 20
)

const (
	// smallChunk is a chunk that the indexes take as it comes.
	smallChunk = bulkSize
	// asideRows are on the way to and from what is set aside.
	asideRows = 64 << 10
	// fewTerms is a dictionary that is read whole, rather than asked again and again.
	fewTerms = 5 * bulkSize
)

// beginBulk makes what is added from now on a bulk load.
func (w *Writer) beginBulk() error {
	w.bulk = &bulk{ids: map[termKey]inline.TermID{}, whole: w.next <= fewTerms}
	if !w.bulk.whole || w.next == 1 {
		return nil
	}
	return w.conn.exec(termColumns, func(s *stmt) error {
		t, err := w.dict.scan(s, 1)
		if err == nil {
			w.bulk.ids[w.dict.key(t)] = s.id(0)
		}
		return err
	})
}

// start runs a job beside the caller. The one before has been settled.
func (b *bulk) start(job func() error) {
	done := make(chan error, 1)
	b.running = done
	go func() { done <- fault.Guard(job) }()
}

// settle waits until no job has the connection.
func (b *bulk) settle() error {
	if b == nil || b.running == nil {
		return nil
	}
	err := <-b.running
	b.running = nil
	return err
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
	if len(b.ids) < heldKeys {
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
		seen := newFilter(len(b.ids))
		for key := range b.ids {
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
	clear(b.ids)
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
func (b *bulk) full() bool {
	if b.sorted != nil {
		return len(b.rows) >= min(chunkRows, asideRows)
	}
	return len(b.rows) >= chunkRows
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
	if err := w.insertSorted(ctx); err != nil {
		return w.broken(ctx, "flush", err)
	}
	return w.broken(ctx, "index", w.restore())
}

// restore builds the indexes that were dropped.
func (w *Writer) restore() error {
	b := w.bulk
	sorting := b.large && (b.noHash || b.noIndex)
	if sorting {
		if err := w.makeRoom(); err != nil {
			return err
		}
	}
	if err := w.indexTerms(); err != nil {
		return err
	}
	if b.noIndex {
		b.noIndex = false
		if err := w.conn.apply(liveIndexes); err != nil {
			return err
		}
	}
	if !sorting {
		return nil
	}
	return w.conn.once(cacheSize(indexedCache))
}

// makeRoom gives the memory that the load needed to SQLite's sorter.
func (w *Writer) makeRoom() error {
	w.bulk.rows, w.bulk.spare.rows = nil, nil
	debug.FreeOSMemory()
	return w.conn.once(cacheSize(sorterCache))
}

// The indexes again, as migrations/ makes them.
var liveIndexes = []string{
	"CREATE INDEX live_pos ON live (p, o, s, g, added)",
	"CREATE INDEX live_osp ON live (o, s, p, g, added)",
	"CREATE INDEX live_g ON live (g, p, o, s, added) WHERE g <> 0",
}

const termsIndex = "CREATE INDEX terms_hash ON terms (hash)"

func (w *Writer) indexTerms() error {
	if !w.bulk.noHash {
		return nil
	}
	w.bulk.noHash = false
	if w.bulk.known != "" {
		w.bulk.known, w.bulk.seen = "", nil
		w.conn.forget()
		if err := w.conn.once("DROP INDEX terms_known"); err != nil {
			return err
		}
	}
	return w.conn.once(termsIndex)
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
	if err := b.settle(); err != nil {
		return err
	}
	if err := w.enlarge(len(b.rows)); err != nil {
		return err
	}
	if err := w.dropIndexes(int64(len(b.rows))); err != nil {
		return err
	}
	rows, logged := b.rows, !w.log.skipped
	b.rows, b.spare.rows = b.spare.rows[:0], rows
	b.inserted += int64(len(rows))
	w.log.written = w.log.written || logged
	if b.noIndex && !logged && b.inserted > sortFrom {
		return b.sort(rows)
	}
	b.start(func() error {
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

// sort sets rows aside for insertSorted.
func (b *bulk) sort(rows []quadIDs) error {
	if b.sorted == nil {
		b.sorted = &extsort.Sorter{ChunkBytes: 8 << 20}
		b.rows, b.spare.rows = nil, nil // the memory of a chunk is not needed any more
	}
	for _, row := range rows {
		err := b.sorted.Add(func(record []byte) []byte {
			for _, id := range row {
				record = binary.BigEndian.AppendUint64(record, uint64(id)^1<<63) // bytes in the order of the numbers
			}
			return record
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// insertSorted puts what was set aside into live.
func (w *Writer) insertSorted(ctx context.Context) error {
	b := w.bulk
	if b.sorted == nil {
		return nil
	}
	defer b.close()
	cursor, err := b.sorted.Sorted()
	if err != nil {
		return err
	}
	for {
		rows := b.spare.rows[:0]
		for len(rows) < asideRows {
			record, ok := cursor.Peek()
			if !ok {
				break
			}
			var row quadIDs
			for i := range row {
				row[i] = inline.TermID(binary.BigEndian.Uint64(record[8*i:]) ^ 1<<63)
			}
			rows = append(rows, row)
			if err := cursor.Advance(); err != nil {
				return err
			}
		}
		if b.spare.rows = rows; len(rows) == 0 {
			return nil
		}
		if err := w.insertRows(ctx, rows, false); err != nil {
			return err
		}
	}
}

// close removes what was set aside.
func (b *bulk) close() {
	if b == nil || b.sorted == nil {
		return
	}
	_ = b.sorted.Close()
	b.sorted = nil
}

// enlarge gives a large load the memory that it is worth.
func (w *Writer) enlarge(rows int) error {
	if w.bulk.large || rows < smallChunk {
		return nil
	}
	w.bulk.large = true
	return w.conn.apply([]string{cacheSize(bulkCache), "PRAGMA threads = 2"})
}

// dropIndexes drops the indexes when building them anew is less work.
func (w *Writer) dropIndexes(rows int64) error {
	if w.bulk.noIndex || rows < smallChunk || rows < w.head.Quads+w.bulk.inserted {
		return nil
	}
	w.bulk.noIndex = true
	w.conn.forget()
	return w.conn.apply([]string{"DROP INDEX live_pos", "DROP INDEX live_osp", "DROP INDEX live_g"})
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
	b.start(func() error {
		feed := w.conn.feed
		feed.terms = terms
		err := w.conn.exec("INSERT OR FAIL INTO terms (id, kind, value, datatype, lang, hash) SELECT id, kind, value, datatype, lang, hash FROM feed_terms", nil)
		feed.terms = nil
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
