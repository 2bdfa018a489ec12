package db

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/stmt"
	"trails/rdf"
)

// View selects the state of the file to read. The zero View is the head of main.
type View struct {
	// Branch is the branch whose head is read; "" is main.
	Branch string
	// At is the commit whose state is read, of whatever branch; the zero id is the head.
	At history.CommitID
	// Rights are those of the reader; nil are all.
	Rights *Rights
}

// isNewest reports whether the view is all of the head of main, which the tables of main have.
func (v View) isNewest() bool {
	return v.At.IsZero() && (v.Branch == "" || v.Branch == Main) && v.Rights.hidesNothing()
}

// Reader is one fixed state of the file. Later writes do not change it. For an earlier commit it has the statements and
// the history as of that commit; the graphs of provenance and of capabilities are the current ones. It must be used by
// one goroutine at a time; a Match may run inside another. Whoever opens a Reader closes it.
type Reader struct {
	file *File
	conn *conn
	head history.Commit
	// branch is the name of the branch that is read.
	branch string
	// newest means that the head of main is read, if not all of it.
	newest bool
	// mainSchema is the number of the commit that made the schema of main.
	mainSchema history.Seq
	// rights is the key of what the reader may see, "" for all.
	rights string
	// caches are the caches of the epoch of this state.
	caches *caches
	dict   dictionary.Dictionary
	// at are the graphs that [Reader.GraphAt] named.
	at     map[rdf.Term]*graphAt
	ctx    context.Context // of the transaction; ending it interrupts SQLite
	opener context.Context // of Read, which ends ctx, too; nil in a Writer
	// before, when set, writes buffered changes before a read.
	before func(context.Context) error
	closed bool
	// place is what it has of those that may be open at the same time, nil if it is not one of them.
	place *place
	// For a reader that is not part of a Writer: giveWay ends the context of its transaction, and the timer age calls
	// it when the reader is too old, unless it outlasts.
	giveWay  context.CancelCauseFunc
	age      *time.Timer
	outlasts atomic.Bool
	// pause is what [WithPause] was given, nil without it.
	pause func()
}

// Read opens a Reader of the current state of a view. While [Options.Readers] are open it waits, unless ctx is one of
// [File.AsOne] that has a Reader open. An unknown commit is the fault Missing, and so is an unknown branch. A reader that is
// old while others write to a long log is ended: its reads fail with the fault Busy, which [GaveWay] recognizes. See
// [Reader.Outlast].
func (f *File) Read(ctx context.Context, v View) (*Reader, error) {
	p, err := f.admit(ctx)
	if err != nil {
		return nil, asFault(ctx, f.path, "read", err)
	}
	r, err := f.read(ctx, v)
	if err != nil {
		f.dismiss(p)
		return nil, err
	}
	r.place = p
	return r, nil
}

// read opens a reader that is not counted.
func (f *File) read(ctx context.Context, v View) (*Reader, error) {
	c, err := f.readConn(ctx, v)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f, conn: c, opener: ctx}
	r.ctx, r.giveWay = context.WithCancelCause(ctx)
	r.watchAge()
	c.InterruptBy(r.ctx)
	if r.pause, _ = ctx.Value(pauseKey{}).(func()); r.pause != nil {
		c.Pause(r.pause)
	}
	if err := stmt.Retry(ctx, f.opts.LockWait, func() error { return r.begin(v) }); err != nil {
		r.Close()
		return nil, asFault(ctx, f.path, "read", err)
	}
	return r, nil
}

// Readers returns how many readers can be open at the same time; those of [File.AsOne] are one.
func (f *File) Readers() int { return f.opts.Readers }

// headWait is how long LatestHead tries to read: long enough when the file is idle.
const headWait = 50 * time.Millisecond

// LatestHead returns the current head as a reader with rights sees it or, if no reader is free and all may be seen, the
// one that was read or written last by this process; otherwise the zero Commit. It hardly waits.
func (f *File) LatestHead(ctx context.Context, rights *Rights) history.Commit {
	ctx, cancel := context.WithTimeout(ctx, headWait)
	defer cancel()
	if r, err := f.Read(ctx, View{Rights: rights}); err == nil {
		defer r.Close()
		return r.Head()
	}
	if last := f.caches.Load().lastHead.Load(); last != nil && rights.hidesNothing() {
		return *last
	}
	return history.Commit{}
}

func (f *File) readConn(ctx context.Context, v View) (*conn, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, errClosed
	}
	role := reading
	switch {
	case !v.Rights.hidesNothing():
		role = restricted
	case !v.isNewest():
		role = past
	}
	var c *conn
	if n := len(f.idle[role]); n > 0 {
		c = f.idle[role][n-1]
		f.idle[role] = f.idle[role][:n-1]
	}
	shares := c != nil && c.shares
	var instead *conn
	if !shares {
		shares, instead = f.share(role)
	}
	f.mu.Unlock()
	err := error(nil)
	if instead != nil {
		instead.Close() // it is idle, so nothing of it is lost
	}
	if c == nil {
		c, err = f.connect(ctx, role)
	}
	if err == nil {
		c.shares = shares
		if err = f.fit(c); err != nil {
			c.Close()
			err = asFault(ctx, f.path, "read", err)
		}
	}
	if err != nil {
		f.lost(shares)
		return nil, err
	}
	return c, nil
}

// share reports whether one more connection may share the memory of page caches. It may instead of an idle one of another
// role, which is to be closed.
func (f *File) share(r role) (may bool, instead *conn) {
	if f.sharing < f.cachedReaders() {
		f.sharing++
		return true, nil
	}
	for other := range f.idle {
		at := slices.IndexFunc(f.idle[other], func(c *conn) bool { return c.shares })
		if role(other) != r && at >= 0 {
			instead = f.idle[other][at]
			f.idle[other] = slices.Delete(f.idle[other], at, at+1)
			return true, instead
		}
	}
	return false, nil
}

// lost forgets the connection of a reader, after it was closed.
func (f *File) lost(shares bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if shares {
		f.sharing--
	}
}

// giveBack makes a connection idle. Connections with a small cache are reused last.
func (f *File) giveBack(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.sight, c.rights = nil, nil
	at := len(f.idle[c.role])
	if !c.shares {
		at = 0
	}
	f.idle[c.role] = slices.Insert(f.idle[c.role], at, c)
}

// begin starts the transaction and reads at once, because SQLite takes the snapshot at the first read and not at
// BEGIN.
func (r *Reader) begin(v View) (err error) {
	if err := r.conn.Exec("BEGIN", nil); err != nil {
		return err
	}
	r.conn.chain, r.conn.sight, r.conn.rights = nil, nil, v.Rights
	r.newest = v.At.IsZero() && (v.Branch == "" || v.Branch == Main)
	if err = r.conn.checkFormat(r.file.path); err == nil {
		r.head, err = r.readHead(v.Branch)
	}
	if err == nil {
		err = r.file.place.Here()
	}
	if err == nil {
		r.dict = dictionary.ForReading(r.conn.Conn, r.caches.terms)
	}
	if err == nil && !v.isNewest() {
		err = r.show(v)
	}
	if err != nil {
		err = errors.Join(err, r.conn.Exec("ROLLBACK", nil))
		if r.file.place.Here() != nil {
			r.conn.leaveLog()
		}
		return err
	}
	return nil
}

// Close ends the transaction and gives the connection back; a second call does nothing. A Match that is still running
// ends with an error.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.place != nil {
		defer r.file.dismiss(r.place)
	}
	r.age.Stop()
	defer r.giveWay(nil)
	r.conn.Pause(nil)
	if err := r.conn.End("COMMIT"); err != nil {
		r.conn.Close()
		r.file.lost(r.conn.shares)
		return asFault(r.ctx, r.file.path, "close reader", err)
	}
	if s := r.conn.sight; s != nil && s.keeps != nil {
		s.keeps.keep(&s.stretches)
	}
	r.file.giveBack(r.conn)
	return nil
}

// Head returns the commit of this state; the zero Commit before the first.
func (r *Reader) Head() history.Commit { return r.head }

// Rights returns a key of what the reader may see, "" for all: by its rights, and by what the newest schemas say.
func (r *Reader) Rights() string { return r.rights }

// Epoch identifies the time since the file was created or a backup was last restored. [Commit.Seq] and
// [Commit.SchemaSeq] are only comparable within an epoch.
func (r *Reader) Epoch() string { return r.caches.epoch }

// ready must be called first by every read.
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

// fail wraps an error of a read.
func (r *Reader) fail(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil {
		ctx = r.ctx
	}
	return asFault(ctx, r.file.path, op, err)
}

// steps runs a statement to its end. It also checks ctx, which may end before the context of the transaction.
func (r *Reader) steps(ctx context.Context, s *stmt.Stmt, row func() (more bool, err error)) error {
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
	n, err := r.conn.Int64(sql, args...)
	return n, r.fail(ctx, op, err)
}

// ids looks up terms; ok is false if one of them is in no quad of the file.
func (r *Reader) ids(terms ...rdf.Term) ([]inline.TermID, bool, error) {
	ids := make([]inline.TermID, len(terms))
	for i, t := range terms {
		id, ok, err := r.dict.Lookup(t)
		if err != nil || !ok {
			return nil, false, err
		}
		ids[i] = id
	}
	return ids, true, nil
}

// known is ready and then ids.
func (r *Reader) known(ctx context.Context, terms ...rdf.Term) ([]inline.TermID, bool, error) {
	if err := r.ready(ctx); err != nil {
		return nil, false, err
	}
	return r.ids(terms...)
}

// rows runs a statement with args, and calls row for each row until it returns false.
func (r *Reader) rows(ctx context.Context, sql string, row func(*stmt.Stmt) (more bool, err error), args ...any) error {
	s, err := r.conn.Take(sql)
	if err != nil {
		return err
	}
	defer s.Release()
	for i, arg := range args {
		s.Bind(i+1, arg)
	}
	return r.steps(ctx, s, func() (bool, error) { return row(s) })
}

// column reads the first column of a statement's rows.
func column[T inline.TermID | history.Seq](ctx context.Context, r *Reader, sql string, args ...any) (list []T, err error) {
	err = r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		list = append(list, T(s.ColumnInt64(0)))
		return true, nil
	}, args...)
	return list, err
}
