package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/rdf"
)

// Writer is one write transaction. It is also a Reader of its own state. It must be used by one goroutine at a time,
// and ends with Commit, Keep or Close; Close after the others does nothing, so it may be deferred.
type Writer struct {
	*Reader
	seen    *Reader     // see Restrict
	line    int64       // number of the branch
	on      statements  // of the branch
	seq     history.Seq // number of the next commit
	hash    *history.ChangeHash
	log     changeLog
	bulk    *bulk         // nil while changes are written directly
	next    inline.TermID // next free id of the dictionary
	err     error         // error that broke the transaction
	swollen bool          // it was a bulk load until a quad was removed
	settled bool          // Settle was called, so the transaction can only be closed
	decides bool          // see Decide
	// protected is whether the branch is; see MayCommit.
	protected bool
	start     inline.TermID // last id of the terms in the state before the changes
	// unindexed are the texts that the transaction leaves out of the index of words.
	unindexed wordindex.Unindexed
}

// Write begins a write transaction on main.
func (f *File) Write(ctx context.Context) (*Writer, error) { return f.WriteOn(ctx, Main) }

// WriteOn begins a write transaction on a branch. It waits for earlier writers of this process and for other processes.
// Waiting longer than [Options.LockWait], or than ctx allows, is the fault TimedOut; an unknown branch is Missing.
func (f *File) WriteOn(ctx context.Context, branch string) (*Writer, error) {
	as := writing
	if branch != "" && branch != Main {
		as = branching
	}
	return f.writeAs(ctx, branch, nil, as)
}

// WriteNew is WriteOn for a branch that is made from a commit in the same transaction; see [Writer.AddBranch].
func (f *File) WriteNew(ctx context.Context, branch string, from history.Commit) (*Writer, error) {
	return f.writeAs(ctx, branch, &from, branching)
}

// writeAs begins a write transaction on the connection of a role; from, when set, is what its branch is made from.
func (f *File) writeAs(ctx context.Context, branch string, from *history.Commit, as role) (*Writer, error) {
	f.waiting.Add(1)
	err := f.write.Acquire(ctx, 1)
	f.waiting.Add(-1)
	if err != nil {
		return nil, asFault(ctx, f.path, "write", err)
	}
	w, err := f.beginWrite(ctx, branch, from, as)
	if err != nil {
		f.write.Release(1)
		return nil, asFault(ctx, f.path, "write", err)
	}
	return w, nil
}

// Waiting returns how many goroutines of this process are waiting in [File.Write].
func (f *File) Waiting() int { return int(f.waiting.Load()) }

func (f *File) beginWrite(ctx context.Context, branch string, from *history.Commit, as role) (*Writer, error) {
	c, err := f.begin(ctx, f.opts.LockWait, as)
	if err != nil {
		return nil, err
	}
	c.InterruptBy(ctx)
	w := &Writer{Reader: &Reader{file: f, conn: c, ctx: ctx}, hash: history.NewChangeHash()}
	if from != nil {
		err = w.addBranch(branch, *from)
	}
	if err == nil {
		err = w.load(branch)
	}
	if err != nil {
		return nil, errors.Join(err, c.End("ROLLBACK"))
	}
	return w, nil
}

// begin begins a transaction on the writer's connection, see lock.
func (f *File) begin(ctx context.Context, wait time.Duration, as role) (*conn, error) {
	if f.isClosed() {
		return nil, errClosed
	}
	if err := f.openWriter(ctx, as); err != nil {
		return nil, err
	}
	return f.writer, f.lock(ctx, wait)
}

// openWriter makes the connection of a role that of the writer.
func (f *File) openWriter(ctx context.Context, as role) error {
	if f.writer == nil || f.writer.role != as {
		f.writer, f.otherWriter = f.otherWriter, f.writer
	}
	if f.writer != nil {
		return f.fit(f.writer)
	}
	if err := f.Foreign(); err != nil {
		return err
	}
	c, err := f.connect(ctx, as)
	if err != nil {
		return err
	}
	if err := registerFeeds(c); err != nil {
		c.Close()
		return err
	}
	f.writer = c
	return nil
}

// lock begins a transaction on the writer's connection, with the lock for writing. It waits for other processes up to
// wait. Before that it makes a long log start over.
func (f *File) lock(ctx context.Context, wait time.Duration) error {
	c := f.writer
	err := stmt.Retry(ctx, wait, func() error {
		f.shortenLog(ctx, wait)
		return c.Exec("BEGIN IMMEDIATE", nil)
	})
	if err != nil {
		return err
	}
	if err = c.checkFormat(f.path); err == nil {
		err = f.place.Writable()
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, c.End("ROLLBACK"))
	if f.place.Here() != nil {
		c.leaveLog()
	}
	return err
}

// load reads the state at the beginning of the transaction.
func (w *Writer) load(branch string) (err error) {
	if w.head, err = w.readHead(branch); err != nil {
		return err
	}
	w.line, w.on = mainLine, onMain{w.conn}
	if w.conn.role == branching {
		line, err := w.conn.lineOf(w.branch)
		if err != nil {
			return err
		}
		if err := w.onLine(line); err != nil {
			return err
		}
	}
	var last history.Seq
	err = w.conn.Exec("SELECT protected, (SELECT max(seq) FROM main.commits) FROM lines WHERE line = ?", func(s *stmt.Stmt) error {
		w.protected, last = s.ColumnBool(0), s.Seq(1)
		return nil
	}, w.line)
	if err != nil {
		return err
	}
	var terms, indexed inline.TermID
	err = w.conn.Exec("SELECT max(id), (SELECT term FROM words_until) FROM terms", func(s *stmt.Stmt) error {
		terms, indexed = s.ID(0), s.ID(1)
		return nil
	})
	if err != nil {
		return err
	}
	if w.unindexed, err = wordindex.CountUnindexed(w.conn.Conn, indexed, terms, w.caches.unindexed.Load()); err != nil {
		return err
	}
	w.seq, w.next, w.start = last+1, terms+1, terms
	w.dict = dictionary.ForWriting(w.conn.Conn, w.caches.terms, terms)
	w.before = w.flush
	if w.head.Quads == 0 && w.conn.role == writing {
		return w.beginBulk()
	}
	return nil
}

// onLine makes a connection that shows views show a line, and the transaction change its statements.
func (w *Writer) onLine(line int64) (err error) {
	if w.conn.chain, err = w.conn.chainOf(line, scan.Forever-1); err != nil {
		return err
	}
	w.line, w.on = line, onMain{w.conn}
	if n := len(w.conn.chain); n > 1 {
		w.on = onBranch{w.conn, line, history.Seq(w.conn.chain[n-2].Until)}
	}
	return nil
}

// usable returns why the transaction cannot go on, or nil.
func (w *Writer) usable(ctx context.Context) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errors.New("the writer has ended")
	}
	return ctx.Err()
}

// Settle makes the current state the base of further changes, as a commit would, so that one transaction can try
// several changes one after the other. From then on the Writer can only be closed. Its head stays the commit at the
// beginning; only the number of quads changes.
func (w *Writer) Settle(ctx context.Context) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if err := w.endBulk(ctx); err != nil {
		return w.broken(ctx, "settle", err)
	}
	w.head.Quads += w.hash.Added - w.hash.Removed
	w.seq, w.start, w.settled = w.seq+1, w.next-1, true
	w.hash, w.log = history.NewChangeHash(), changeLog{}
	return nil
}

// broken records the error that ends the transaction.
func (w *Writer) broken(ctx context.Context, op string, err error) error {
	if err != nil && w.err == nil {
		w.err = w.fail(ctx, op, err)
	}
	return w.err
}

// Add adds q, and reports whether it was new. The quads that one Writer adds and removes must come in the order of
// their canonical lines, each once.
func (w *Writer) Add(ctx context.Context, q rdf.Quad) (bool, error) {
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	added, err := w.add(ctx, q)
	return added, w.broken(ctx, "add", err)
}

func (w *Writer) add(ctx context.Context, q rdf.Quad) (bool, error) {
	if err := w.hash.Next(q); err != nil {
		return false, err
	}
	ids, err := w.intern(q)
	if err != nil {
		return false, err
	}
	added, err := w.insert(ctx, ids)
	if err != nil || !added {
		return false, err
	}
	w.hash.Keep(history.OpAdd)
	return true, w.logChange(ids, history.OpAdd)
}

// Remove removes q and reports whether it was there.
func (w *Writer) Remove(ctx context.Context, q rdf.Quad) (bool, error) {
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	removed, err := w.remove(ctx, q)
	return removed, w.broken(ctx, "remove", err)
}

func (w *Writer) remove(ctx context.Context, q rdf.Quad) (bool, error) {
	if err := w.hash.Next(q); err != nil {
		return false, err
	}
	if err := w.bulk.settle(); err != nil {
		return false, err
	}
	ids, ok, err := w.known(q)
	if err != nil || !ok {
		return false, err
	}
	if err := w.endBulk(ctx); err != nil {
		return false, err
	}
	added, ok, err := w.on.take(ids, w.seq)
	if err != nil || !ok {
		return false, err
	}
	if err := w.on.retire(ids, added, w.seq); err != nil {
		return false, err
	}
	w.hash.Keep(history.OpRemove)
	return true, w.logChange(ids, history.OpRemove)
}

// quadIDs are a quad's terms as ids.
type quadIDs [4]inline.TermID

// known returns the ids of a quad's terms; false if one has no id.
func (w *Writer) known(q rdf.Quad) (ids quadIDs, ok bool, err error) {
	for i, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if t == nil {
			continue
		}
		if ids[i], ok, err = w.dict.Lookup(t); err != nil || !ok {
			return ids, false, err
		}
	}
	return ids, true, nil
}

// insert adds a statement; in a bulk load it buffers it.
func (w *Writer) insert(ctx context.Context, ids quadIDs) (bool, error) {
	if w.bulk != nil {
		if there, err := w.exists(ids); err != nil || there {
			return false, err
		}
		w.bulk.rows = append(w.bulk.rows, ids)
		if !w.full() {
			return true, nil
		}
		return true, w.spill(ctx)
	}
	return w.on.add(ids, w.seq)
}

// changeLog collects the rows for the table changes.
type changeLog struct {
	rows    []changeRow // of changes that are not bulk additions
	skipped bool        // the commit has no change log
	written bool        // some rows have been written to the table
}

type changeRow struct {
	quadIDs
	op int64
}

// bulkSize is the number of additions from which a transaction becomes a bulk load.
const bulkSize = 10_000

// skipsLog reports whether a commit that only adds has no change log: the file was empty, or scanning it is as fast
// as reading a log of so large a part of it.
func (w *Writer) skipsLog() bool { return w.hash.Added > max(bulkSize-1, w.head.Quads/8) }

// logChange logs a change that was just made. Bulk additions are logged with their chunk.
func (w *Writer) logChange(ids quadIDs, op int64) error {
	if w.bulk == nil {
		w.log.rows = append(w.log.rows, changeRow{ids, op})
	}
	switch {
	case w.hash.Removed > 0 || w.swollen || w.conn.role == branching: // later changes are written one by one
		if len(w.log.rows) >= bulkSize {
			return w.writeLog()
		}
	case w.bulk == nil && w.hash.Added >= bulkSize:
		return w.beginBulk()
	case w.bulk != nil && !w.log.skipped && w.skipsLog():
		w.log.skipped, w.log.rows = true, nil
		if !w.log.written {
			return nil
		}
		w.log.written = false
		if err := w.bulk.settle(); err != nil {
			return err
		}
		return w.conn.Exec("DELETE FROM changes WHERE line = ? AND seq = ?", nil, mainLine, w.seq)
	}
	return nil
}

func (w *Writer) writeLog() error {
	for _, r := range w.log.rows {
		s, err := w.conn.Take("INSERT INTO main.changes (line, seq, s, p, o, g, op) VALUES (?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		s.BindInt64(1, w.line)
		s.BindInt64(2, int64(w.seq))
		for i, id := range r.quadIDs {
			s.BindID(i+3, id)
		}
		s.BindInt64(7, r.op)
		_, err = s.Step()
		s.Release()
		if err != nil {
			return fmt.Errorf("log change: %w", err)
		}
	}
	w.log.written = w.log.written || len(w.log.rows) > 0
	w.log.rows = w.log.rows[:0]
	return nil
}

// endBulk ends a bulk load before the first removal: everything buffered is written, and the additions get their
// change log.
func (w *Writer) endBulk(ctx context.Context) error {
	if w.bulk == nil {
		return nil
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.finishBulk(); err != nil {
		return err
	}
	w.bulk, w.dict.Keyed, w.swollen = nil, nil, true
	if !w.log.skipped {
		return nil
	}
	w.log.skipped, w.log.written = false, true
	return w.conn.Exec(leaf.LogAdded, nil, mainLine, int64(history.OpAdd), w.seq)
}

// finish writes everything for the commit.
func (w *Writer) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	if w.bulk != nil {
		if err := w.finishBulk(); err != nil {
			return err
		}
	}
	if err := w.unindexed.AddMany(w.conn.Conn, w.next-1); err != nil {
		return err
	}
	return w.writeLog()
}

// Keep ends a transaction that changed no quads but recorded something else: activities or idempotent results. It
// makes no commit.
func (w *Writer) Keep(ctx context.Context) error {
	err := w.usable(ctx)
	if err == nil && (w.settled || w.hash.Added+w.hash.Removed > 0) {
		err = errors.New("there are changes to commit")
	}
	if err == nil {
		err = w.unindexed.AddMany(w.conn.Conn, w.next-1) // of a draft that was undone
	}
	if err == nil {
		err = w.endWith("COMMIT")
	}
	if err != nil {
		w.Close()
		return w.fail(ctx, "keep", err)
	}
	return nil
}

// Close rolls back, unless the Writer has ended.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	return w.endWith("ROLLBACK")
}

// endWith ends the transaction, and lets the next writer in. COMMIT is not interrupted, because its outcome must be
// known.
func (w *Writer) endWith(how string) error {
	// If a chunk fails now, that does not matter: this is a rollback, since a commit has settled all chunks before.
	_ = w.bulk.settle()
	w.bulk.stopRebuild()
	var err error
	if how == "COMMIT" {
		err = w.file.commitSealed()
	} else {
		err = w.conn.End(how)
	}
	if err != nil {
		err = errors.Join(err, w.conn.End("ROLLBACK"))
	}
	w.closed = true
	if w.seen != nil {
		err = errors.Join(err, w.seen.Close())
	}
	if how == "COMMIT" && err == nil {
		left := w.unindexed
		left.Last = w.next - 1
		w.caches.unindexed.Store(&left)
		w.dict.Commit()
	}
	if w.bulk != nil || w.swollen {
		w.conn.Forget()
		err = errors.Join(err, w.conn.Apply([]string{cacheSize(w.conn.cache), "PRAGMA shrink_memory"}))
	}
	if err != nil {
		// The state of the connection is not known, so the next writer gets a new one.
		w.conn.Close()
		w.file.writer = nil
	} else {
		w.file.shortenLogAfter()
	}
	w.file.write.Release(1)
	return w.fail(context.Background(), "end transaction", err)
}
