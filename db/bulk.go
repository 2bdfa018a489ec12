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

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/fault"
	"trails/rdf"
)

// bulk collects many additions and passes them to SQLite sorted, in chunks, through a virtual table. This is several
// times faster than one statement for each. If there are more new rows than old ones, all rows are sorted and the
// pages of live and its indexes are written directly, see [rebuild]; the index of terms is dropped before and built
// again afterwards. All of this is within the transaction.
//
// SQLite inserts one chunk while the next one is collected. Anything else that needs the connection must wait, see
// settle.
type bulk struct {
	// ids maps the keys of terms to ids; it has at least all buffered terms. If whole is set, a term that is not in
	// it is new.
	ids   dictionary.IDs
	whole bool
	rows  []quadIDs
	terms []dictionary.Row
	spare struct { // buffers of the last chunk, for reuse
		rows  []quadIDs
		terms []dictionary.Row
	}
	running  job   // job that uses the connection
	inserted int64 // rows inserted into live or passed to rebuild
	// rebuild, unless nil, has all rows that live will have.
	rebuild *rebuild
	noHash  bool // the index of terms has been dropped
	// known, unless "", is the statement that finds terms which are not in ids any more, and seen has the keys of all
	// of these. Then the index of terms has been dropped, and the index terms_known replaces it.
	known string
	seen  []filter
	large bool // the load is large enough for new statistics
}

// Variables, so that a test can reach the limits with little data.
var (
	chunkRows  = 512 << 10 // 16 MB, and as much again while SQLite takes it
	chunkTerms = 64 << 10  // some 10 MB
	heldKeys   = 6 << 20   // terms that a bulk load remembers by their keys: 190 MB
	heldIDs    = 64 << 10  // terms that a transaction remembers
)

const (
	// smallChunk is the size up to which a chunk is inserted without sorting for the indexes.
	smallChunk = bulkSize
	// rebuiltRows is how many rows are passed to a rebuild at once.
	rebuiltRows = 64 << 10
	// fewTerms is the size up to which the dictionary is read whole instead of term by term.
	fewTerms = 5 * bulkSize
)

// beginBulk starts a bulk load; later additions belong to it.
func (w *Writer) beginBulk() error {
	w.bulk = &bulk{whole: w.next <= fewTerms}
	w.dict.Keyed = &w.bulk.ids
	if !w.bulk.whole || w.next == 1 {
		return nil
	}
	return w.conn.Exec(dictionary.Columns, func(s *stmt.Stmt) error {
		t, err := w.dict.Scan(s, 1)
		if err == nil {
			w.bulk.ids.Put(w.dict.Key(t), s.ID(0))
		}
		return err
	})
}

// job is work beside the writer, in a goroutine; nil when there is none.
type job chan error

// start runs f. The previous job must have been settled.
func (j *job) start(do func() error) {
	done := make(job, 1)
	*j = done
	go func() { done <- fault.Guard(do) }()
}

// settle waits for the end of the job.
func (j *job) settle() error {
	if *j == nil {
		return nil
	}
	err := <-*j
	*j = nil
	return err
}

// settle waits until no job uses the connection.
func (b *bulk) settle() error {
	if b == nil {
		return nil
	}
	return b.running.settle()
}

// exists reports whether the quad is in live. A quad with a new term is not, and an empty table has none; within a
// transaction a quad is added only once.
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
	n, err := w.conn.Int64(leaf.IsMain, ids[posS], ids[posP], ids[posO], ids[posG])
	return n == 1, err
}

func (w *Writer) bufferTerm(row dictionary.Row) error {
	w.bulk.terms = append(w.bulk.terms, row)
	if len(w.bulk.terms) < chunkTerms {
		return nil
	}
	return w.spillTerms()
}

// boundKeys limits the memory of a long load. Forgotten terms are found through an index of the terms so far; later
// terms are not added to it, because they are in the order of their hashes, so that each would change another page.
func (w *Writer) boundKeys() error {
	b := w.bulk
	if b.ids.Len() < heldKeys {
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
		seen := newFilter(b.ids.Len())
		for key := range b.ids.Keys() {
			seen.add(key)
		}
		among := fmt.Sprintf("id <= %d", w.next-1)
		b.seen, b.known = append(b.seen, seen), dictionary.Columns+"INDEXED BY terms_known WHERE hash = ? AND "+among
		w.conn.Forget()
		err := w.conn.Apply([]string{
			cacheSize(sorterCache),
			"DROP INDEX IF EXISTS terms_known",
			"CREATE INDEX terms_known ON terms (hash) WHERE " + among,
			cacheSize(bulkCache),
		})
		if err != nil {
			return err
		}
	}
	b.ids = dictionary.IDs{}
	return nil
}

// knownID returns the id of a term that is not in ids any more, 0 if there is none.
func (w *Writer) knownID(t rdf.Term, key dictionary.Key) (inline.TermID, error) {
	b := w.bulk
	if b.known != "" && !slices.ContainsFunc(b.seen, func(f filter) bool { return f.mayHave(key) }) {
		return 0, nil
	}
	if err := b.settle(); err != nil {
		return 0, err
	}
	return w.dict.FindBy(cmp.Or(b.known, dictionary.ByHash), t, key.Hash())
}

// filter is a Bloom filter of keys with five bits each. One in a hundred keys that were not added passes it.
type filter []uint64

// newFilter returns a filter for n keys, with ten to twenty bits for each.
func newFilter(n int) filter { return make(filter, 1<<bits.Len(uint(10*n/64))) }

func (f filter) add(key dictionary.Key) {
	for at := range f.places(key) {
		f[at/64] |= 1 << (at % 64)
	}
}

func (f filter) mayHave(key dictionary.Key) bool {
	for at := range f.places(key) {
		if f[at/64]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// places returns the bits of a key; the bytes of a key are already a hash.
func (f filter) places(key dictionary.Key) iter.Seq[uint64] {
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

// full reports whether enough rows are buffered to pass them on.
func (w *Writer) full() bool {
	rows := len(w.bulk.rows)
	return rows >= chunkRows || rows >= rebuiltRows && w.rebuilds()
}

// flush writes everything that is buffered, before a read.
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

// indexTerms builds the index of terms again, if it was dropped. The sorter gets the memory that the load needed.
func (w *Writer) indexTerms() error {
	if !w.bulk.noHash {
		return nil
	}
	w.bulk.noHash = false
	w.bulk.rows, w.bulk.spare.rows = nil, nil
	debug.FreeOSMemory()
	if err := w.conn.Once(cacheSize(sorterCache)); err != nil {
		return err
	}
	if w.bulk.known != "" {
		w.bulk.known, w.bulk.seen = "", nil
		w.conn.Forget()
		if err := w.conn.Once("DROP INDEX terms_known"); err != nil {
			return err
		}
	}
	return w.conn.Apply([]string{termsIndex, cacheSize(indexedCache)})
}

// finishBulk updates the planner's statistics of the terms after a large load. There are none of live: with them
// SQLite would read the whole table to make a Bloom filter before the first row of a query with many patterns;
// package lower chooses the indexes anyway. There are none of other tables: statistics from a file's first commits
// would make SQLite scan these tables later on.
func (w *Writer) finishBulk() error {
	if !w.bulk.large {
		return nil
	}
	return w.conn.Apply([]string{"ANALYZE terms", leaf.ForgetStatistics})
}

// spill passes the buffered rows to live or to the rebuild.
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

// insertRows inserts sorted rows into live and into the change log.
func (w *Writer) insertRows(ctx context.Context, rows []quadIDs, logged bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	feed := w.conn.feed
	feed.quads = rows
	err := w.conn.Exec(leaf.AddFed, nil, w.seq)
	if err == nil && logged {
		err = w.conn.Exec("INSERT OR FAIL INTO changes (line, seq, s, p, o, g, op) SELECT ?, ?, s, p, o, g, ? FROM feed_quads", nil, mainLine, w.seq, int64(history.OpAdd))
	}
	feed.quads = nil
	return err
}

// enlarge sets the cache for a large load: small for a rebuild, which writes each page once. Changing the size again
// and again costs time, too.
func (w *Writer) enlarge(rows int) error {
	if w.bulk.large || rows < smallChunk {
		return nil
	}
	w.bulk.large = true
	cache := bulkCache
	if w.bulk.rebuild != nil {
		cache = sorterCache
	}
	return w.conn.Apply([]string{cacheSize(cache), "PRAGMA threads = 2"})
}

func compareIDs(a, b quadIDs) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}

// spillTerms inserts the buffered terms into the dictionary.
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
	last := terms[len(terms)-1].ID
	after, many := w.unindexed.TakeMany(last)
	b.running.start(func() error {
		feed := w.conn.feed
		feed.terms = terms
		err := w.conn.Exec("INSERT OR FAIL INTO terms (id, kind, value, datatype, lang, hash) SELECT id, kind, value, datatype, lang, hash FROM feed_terms", nil)
		feed.terms = nil
		if err == nil && many {
			err = wordindex.Add(w.conn.Conn, after, last)
		}
		return err
	})
	return nil
}

// dropHash drops the index of terms if it will not be used before it is built again.
func (w *Writer) dropHash() error {
	if !w.bulk.whole || w.bulk.noHash || len(w.bulk.terms) < smallChunk {
		return nil
	}
	w.bulk.noHash = true
	w.conn.Forget()
	return w.conn.Once("DROP INDEX terms_hash")
}
