package db

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"trails/db/inline"
	"trails/rdf"
)

// View says which state of the file is read. The zero View is the head of main. How a view
// becomes tables is known to this package alone.
type View struct {
	// At is the commit that left the state; the zero id is the head.
	At CommitID
}

// Reader is the file in one view as it was when the Reader was opened, whatever is written
// meanwhile. In the view of an earlier commit, statements are those that it left, and queries
// and Match read them; the graphs of the system are those of the file as it is now, and what
// tells of the history of statements ends with an error. It serves one goroutine at a time; a Match may run inside another.
// Whoever opens it closes it.
type Reader struct {
	file *File
	conn *conn
	head Commit
	// caches are those of the epoch of this state.
	caches *caches
	dict   dictionary
	ctx    context.Context // the transaction's: ending it interrupts SQLite
	// before, when set, brings the tables up to date before a read.
	before func(context.Context) error
	closed bool
	// Of a reader that was opened by itself: giveWay ends its transaction's context, age does so
	// when it is due and the reader does not outlast.
	giveWay  context.CancelCauseFunc
	age      *time.Timer
	outlasts atomic.Bool
}

// Read pins the current state of a view. It waits for a free reader while as many
// are open as [Options.Readers] allows. It is the fault Missing that there is no commit of
// the view's id. An earlier commit costs what was removed since, and each statement that is
// then read some microseconds more. A reader that is old while others write to a long log gives
// way: what it reads ends with the fault Busy, of which [GaveWay] holds. See [Reader.Outlast].
func (f *File) Read(ctx context.Context, v View) (*Reader, error) {
	if err := f.readers.Acquire(ctx, 1); err != nil {
		return nil, asFault(ctx, f.path, "read", err)
	}
	c, err := f.readConn(ctx, v)
	if err != nil {
		f.readers.Release(1)
		return nil, err
	}
	r := &Reader{file: f, conn: c}
	r.ctx, r.giveWay = context.WithCancelCause(ctx)
	r.watchAge()
	c.interruptBy(r.ctx)
	if err := retry(ctx, f.opts.LockWait, func() error { return r.begin(v) }); err != nil {
		r.Close()
		return nil, asFault(ctx, f.path, "read", err)
	}
	return r, nil
}

// Readers returns how many readers can be open at once.
func (f *File) Readers() int { return f.opts.Readers }

// headWait is how long LatestHead tries to read: long enough for a file at rest.
const headWait = 50 * time.Millisecond

// LatestHead returns the head as it is now, or, when no reader is free, the one that was
// read last; the zero Commit if none was. It hardly waits.
func (f *File) LatestHead(ctx context.Context) Commit {
	ctx, cancel := context.WithTimeout(ctx, headWait)
	defer cancel()
	if r, err := f.Read(ctx, View{}); err == nil {
		defer r.Close()
		return r.Head()
	}
	if last := f.caches.Load().lastHead.Load(); last != nil {
		return *last
	}
	return Commit{}
}

func (f *File) readConn(ctx context.Context, v View) (*conn, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, errClosed
	}
	if !v.At.IsZero() {
		f.mu.Unlock()
		return f.connect(ctx, past)
	}
	if n := len(f.idle); n > 0 {
		c := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return c, nil
	}
	role := reading
	if f.open >= cachedReaders() {
		role = crowding
	}
	f.open++
	f.mu.Unlock()
	c, err := f.connect(ctx, role)
	if err != nil {
		f.lost()
	}
	return c, err
}

// lost forgets a reader's connection that was closed.
func (f *File) lost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open--
}

// giveBack makes a connection idle. Those with a small cache are taken last.
func (f *File) giveBack(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.role == crowding {
		f.idle = slices.Insert(f.idle, 0, c)
		return
	}
	f.idle = append(f.idle, c)
}

// begin starts the transaction and reads at once: the snapshot is taken by the
// first read, not by BEGIN.
func (r *Reader) begin(v View) (err error) {
	if err := r.conn.exec("BEGIN", nil); err != nil {
		return err
	}
	if err = r.conn.checkFormat(r.file.path); err == nil {
		r.head, err = r.readHead()
	}
	if err == nil {
		err = r.file.inPlace()
	}
	if err == nil && !v.At.IsZero() {
		err = r.goBack(v.At)
	}
	if err != nil {
		err = errors.Join(err, r.conn.exec("ROLLBACK", nil))
		if r.file.inPlace() != nil {
			r.conn.leaveLog()
		}
		return err
	}
	r.dict = readingDictionary(r.conn, r.caches.terms)
	return nil
}

// Close ends the transaction and gives the connection back; a second call does
// nothing. A Match that still runs ends with an error.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	defer r.file.readers.Release(1)
	r.age.Stop()
	defer r.giveWay(nil)
	if r.conn.role == past {
		return asFault(r.ctx, r.file.path, "close reader", errors.Join(r.conn.end("ROLLBACK"), r.conn.close()))
	}
	if err := r.conn.end("COMMIT"); err != nil {
		r.conn.close()
		r.file.lost()
		return asFault(r.ctx, r.file.path, "close reader", err)
	}
	r.file.giveBack(r.conn)
	return nil
}

// end finishes the transaction, if one is open, whatever the context says.
func (c *conn) end(how string) error {
	c.uninterrupted()
	c.releaseAll()
	if c.AutocommitEnabled() {
		return nil
	}
	return c.exec(how, nil)
}

// Head returns the commit that this state is; the zero Commit before the first.
func (r *Reader) Head() Commit { return r.head }

// Epoch names the time since the file was made, or since a backup was last restored. The
// numbers of commits, [Commit.Seq] and [Commit.SchemaSeq], say nothing of another epoch.
func (r *Reader) Epoch() string { return r.caches.epoch }

// ready is the first thing that every read does.
func (r *Reader) ready(ctx context.Context) error {
	if r.closed {
		return errors.New("the reader is closed")
	}
	if err := r.over(ctx); err != nil {
		return err
	}
	if r.before == nil {
		return nil
	}
	return r.before(ctx)
}

// fail wraps what stopped a read.
func (r *Reader) fail(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil {
		ctx = r.ctx
	}
	return asFault(ctx, r.file.path, op, err)
}

// steps runs a statement to its end, asking ctx now and then: ctx may be a
// shorter one than the transaction's.
func (r *Reader) steps(ctx context.Context, s *stmt, row func() (more bool, err error)) error {
	for n := 1; ; n++ {
		if r.closed {
			return errors.New("the reader is closed")
		}
		if n%256 == 0 {
			if err := r.over(ctx); err != nil {
				return err
			}
		}
		found, err := s.Step()
		if err != nil || !found {
			return err
		}
		if more, err := row(); err != nil || !more {
			return err
		}
	}
}

// number returns the first column of the first row, 0 without one.
func (r *Reader) number(ctx context.Context, op, sql string, args ...any) (int64, error) {
	if err := r.ready(ctx); err != nil {
		return 0, r.fail(ctx, op, err)
	}
	n, err := r.conn.int64(sql, args...)
	return n, r.fail(ctx, op, err)
}

// ids looks terms up; false when one of them is in no quad of the file.
func (r *Reader) ids(terms ...rdf.Term) ([]inline.TermID, bool, error) {
	ids := make([]inline.TermID, len(terms))
	for i, t := range terms {
		id, ok, err := r.dict.lookup(t)
		if err != nil || !ok {
			return nil, false, err
		}
		ids[i] = id
	}
	return ids, true, nil
}

// known is ready and ids in one.
func (r *Reader) known(ctx context.Context, terms ...rdf.Term) ([]inline.TermID, bool, error) {
	if err := r.ready(ctx); err != nil {
		return nil, false, err
	}
	return r.ids(terms...)
}

// rows runs a statement with args and hands each row to row, until that wants no more.
func (r *Reader) rows(ctx context.Context, sql string, row func(*stmt) (more bool, err error), args ...any) error {
	s, err := r.conn.take(sql)
	if err != nil {
		return err
	}
	defer s.release()
	for i, arg := range args {
		s.bind(i+1, arg)
	}
	return r.steps(ctx, s, func() (bool, error) { return row(s) })
}

// column reads the first column of a statement's rows.
func column[T inline.TermID | Seq](ctx context.Context, r *Reader, sql string, args ...any) (list []T, err error) {
	err = r.rows(ctx, sql, func(s *stmt) (bool, error) {
		list = append(list, T(s.ColumnInt64(0)))
		return true, nil
	}, args...)
	return list, err
}
