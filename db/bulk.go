package db

import (
	"cmp"
	"context"
	"slices"
)

// bulk collects many additions and hands them to SQLite sorted, in chunks, through
// a virtual table: that is several times faster than one statement for each. When
// the load is larger than what is there, the indexes are dropped first and built
// after it, all within the transaction.
type bulk struct {
	// newTerms: the dictionary was empty and every term since is in dict.ids, so
	// that a term which is not there is new.
	newTerms bool
	rows     []quadIDs
	terms    []termRow
	inserted int64 // rows that went to live
	noIndex  bool  // the indexes of live are dropped
	noHash   bool  // the index of terms is dropped
	large    bool  // it was worth new statistics
}

// Variables, so that a test reaches the limits with little data.
var (
	chunkRows  = 2 << 20  // 64 MB
	chunkTerms = 64 << 10 // some 10 MB
	heldTerms  = 1 << 20  // terms that one transaction remembers
)

// smallChunk is a chunk that the indexes take as it comes.
const smallChunk = bulkSize

func newBulk(newTerms bool) *bulk { return &bulk{newTerms: newTerms} }

func (w *Writer) buffer(ctx context.Context, ids quadIDs) (bool, error) {
	if there, err := w.exists(ids); err != nil || there {
		return false, err
	}
	w.bulk.rows = append(w.bulk.rows, ids)
	if len(w.bulk.rows) < chunkRows {
		return true, nil
	}
	return true, w.spill(ctx)
}

// exists reports whether the quad is in live. One with a new term is not, and in
// an empty table none is: a quad comes once in a transaction.
func (w *Writer) exists(ids quadIDs) (bool, error) {
	if w.head.Quads == 0 {
		return false, nil
	}
	for _, id := range ids {
		if id > w.dict.committed {
			return false, nil
		}
	}
	n, err := w.conn.int64("SELECT 1 FROM live WHERE s = ? AND p = ? AND o = ? AND g = ?", ids[posS], ids[posP], ids[posO], ids[posG])
	return n == 1, err
}

func (w *Writer) bufferTerm(row termRow) error {
	w.bulk.terms = append(w.bulk.terms, row)
	if len(w.bulk.terms) >= chunkTerms {
		if err := w.spillTerms(); err != nil {
			return err
		}
	}
	return w.boundTerms()
}

// boundTerms keeps the memory of a long load bounded: what is forgotten is found
// through the index again.
func (w *Writer) boundTerms() error {
	if len(w.dict.ids) < heldTerms {
		return nil
	}
	if w.bulk != nil {
		if err := w.spillTerms(); err != nil {
			return err
		}
		if err := w.indexTerms(); err != nil {
			return err
		}
		w.bulk.newTerms = false
	}
	clear(w.dict.ids)
	clear(w.dict.terms)
	return nil
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
	return w.broken(ctx, "index", w.restore())
}

// restore builds the indexes that were dropped.
func (w *Writer) restore() error {
	if err := w.indexTerms(); err != nil {
		return err
	}
	if !w.bulk.noIndex {
		return nil
	}
	w.bulk.noIndex = false
	w.bulk.rows = nil // the sorter needs the memory now
	return w.conn.apply(append([]string{cacheSize(sorterCache)}, liveIndexes...))
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
	return w.conn.once(termsIndex)
}

// finishBulk gives the planner its statistics after a large load: those of the two
// tables that queries join. Of the others, statistics from the time of a file's
// first commits would have SQLite scan them for ever after.
func (w *Writer) finishBulk() error {
	if !w.bulk.large {
		return nil
	}
	return w.conn.apply([]string{"ANALYZE live", "ANALYZE terms"})
}

// spill puts the buffered rows into live.
func (w *Writer) spill(ctx context.Context) error {
	rows := w.bulk.rows
	if len(rows) == 0 {
		return nil
	}
	if err := w.enlarge(len(rows)); err != nil {
		return err
	}
	if err := w.dropIndexes(int64(len(rows))); err != nil {
		return err
	}
	slices.SortFunc(rows, compareIDs)
	if err := ctx.Err(); err != nil {
		return err
	}
	feed := w.conn.feed
	feed.quads = rows
	// OR FAIL: a statement that could be undone by itself would have SQLite copy
	// every page that it touches; an error here ends the whole transaction anyway.
	err := w.conn.exec("INSERT OR FAIL INTO live (s, p, o, g, added) SELECT s, p, o, g, ? FROM feed_quads", nil, w.seq)
	feed.quads = nil
	w.bulk.inserted += int64(len(rows))
	w.bulk.rows = rows[:0]
	return err
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
	if len(w.bulk.terms) == 0 {
		return nil
	}
	if w.bulk.newTerms && !w.bulk.noHash && len(w.bulk.terms) >= smallChunk {
		w.bulk.noHash = true
		w.conn.forget()
		if err := w.conn.once("DROP INDEX terms_hash"); err != nil {
			return err
		}
	}
	feed := w.conn.feed
	feed.terms = w.bulk.terms
	err := w.conn.exec("INSERT OR FAIL INTO terms (id, kind, value, datatype, lang, hash) SELECT id, kind, value, datatype, lang, hash FROM feed_terms", nil)
	feed.terms = nil
	w.bulk.terms = w.bulk.terms[:0]
	return err
}
