package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"zombiezen.com/go/sqlite"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/pager"
)

// conn is one connection with its own pool of prepared statements. Unlike
// sqlite.Conn's cache it can run one statement twice at the same time, which a
// loop over one Match inside another needs. It serves one goroutine at a time.
type conn struct {
	*sqlite.Conn
	role      role
	temporary *pager.Temporary // nil when temporary files are not counted
	idle      map[string][]*stmt
	busy      map[*stmt]struct{}
	feed      *feed // rows that the writer streams into SQLite
	interrupt interrupt
	handle    *pager.Handle
	// questions are the queries that run on this connection; nil before the first.
	questions *questions
}

// stmt is a prepared statement taken from its connection's pool.
type stmt struct {
	*sqlite.Stmt
	conn *conn
	sql  string
	// passing is set when the statement is not pooled.
	passing bool
}

func newConn(c *sqlite.Conn) *conn {
	h := pager.Of(c)
	h.Disarm()
	return &conn{Conn: c, idle: map[string][]*stmt{}, busy: map[*stmt]struct{}{}, handle: h}
}

// take returns a statement for sql; the caller releases it.
func (c *conn) take(sql string) (*stmt, error) {
	if list := c.idle[sql]; len(list) > 0 {
		s := list[len(list)-1]
		c.idle[sql] = list[:len(list)-1]
		c.busy[s] = struct{}{}
		return s, nil
	}
	prepared, rest, err := c.PrepareTransient(c.text(sql))
	if err != nil {
		return nil, err
	}
	if rest != 0 {
		prepared.Finalize()
		return nil, fmt.Errorf("statement has %d trailing bytes: %s", rest, sql)
	}
	s := &stmt{Stmt: prepared, conn: c, sql: sql}
	c.busy[s] = struct{}{}
	return s, nil
}

// release resets s and gives it back; a second call does nothing.
func (s *stmt) release() {
	if _, ok := s.conn.busy[s]; !ok {
		return
	}
	delete(s.conn.busy, s)
	// The error is that of the last step, which the caller has seen.
	_ = s.Reset()
	if s.passing {
		_ = s.Finalize()
		return
	}
	s.conn.idle[s.sql] = append(s.conn.idle[s.sql], s)
}

// releaseAll ends the running statements, before the transaction ends.
func (c *conn) releaseAll() {
	for s := range c.busy {
		s.release()
	}
	c.handle.Release()
}

// forget finalizes the pooled statements, so that no plan outlives a dropped index.
func (c *conn) forget() {
	c.releaseAll()
	for _, list := range c.idle {
		for _, s := range list {
			_ = s.Finalize()
		}
	}
	clear(c.idle)
}

func (c *conn) close() error {
	c.SetInterrupt(nil)
	c.forget()
	err := c.Close()
	if err == nil && c.temporary != nil {
		c.temporary.Forget()
	}
	return err
}

// exec runs sql with args and hands each row to row, which may be nil.
func (c *conn) exec(sql string, row func(*stmt) error, args ...any) error {
	s, err := c.take(sql)
	if err != nil {
		return err
	}
	defer s.release()
	for i, arg := range args {
		s.bind(i+1, arg)
	}
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		if row == nil {
			continue
		}
		if err := row(s); err != nil {
			return err
		}
	}
}

// rootOf returns the root page of an index or a table.
func (c *conn) rootOf(name string) (int64, error) {
	return c.int64("SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
}

// pages starts reading pages of the main file.
func (c *conn) pages() (*pager.Pages, error) { return c.handle.Pages(c.rootOf) }

// once is exec without pooling the statement, for pragmas and DDL.
func (c *conn) once(sql string) error {
	s, _, err := c.PrepareTransient(sql)
	if err != nil {
		return err
	}
	defer s.Finalize()
	for {
		if more, err := s.Step(); err != nil || !more {
			return err
		}
	}
}

// int64 returns the first column of the first row, 0 without one.
func (c *conn) int64(sql string, args ...any) (n int64, err error) {
	err = c.exec(sql, func(s *stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}

// id returns the first column of the first row as an id, 0 without one.
func (c *conn) id(sql string, args ...any) (inline.TermID, error) {
	n, err := c.int64(sql, args...)
	return inline.TermID(n), err
}

// seq returns the first column of the first row as the number of a commit, 0 without one.
func (c *conn) seq(sql string, args ...any) (history.Seq, error) {
	n, err := c.int64(sql, args...)
	return history.Seq(n), err
}

func (s *stmt) bind(i int, arg any) {
	switch v := arg.(type) {
	case nil:
		s.BindNull(i)
	case int:
		s.BindInt64(i, int64(v))
	case int64:
		s.BindInt64(i, v)
	case inline.TermID:
		s.bindID(i, v)
	case history.Seq:
		s.BindInt64(i, int64(v))
	case string:
		s.BindText(i, v)
	case []byte:
		s.bindBlob(i, v)
	default:
		panic(fmt.Sprintf("db: cannot bind a %T", arg))
	}
}

func (s *stmt) bindID(i int, id inline.TermID) { s.BindInt64(i, int64(id)) }

func (s *stmt) id(i int) inline.TermID { return inline.TermID(s.ColumnInt64(i)) }

// idValue and idOf convert ids for functions and virtual tables.
func idValue(id inline.TermID) sqlite.Value { return sqlite.IntegerValue(int64(id)) }

func idOf(v sqlite.Value) inline.TermID { return inline.TermID(v.Int64()) }

func (s *stmt) seq(i int) history.Seq { return history.Seq(s.ColumnInt64(i)) }

// fromMicros converts microseconds since 1970 to a time.
func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

// bindBlob binds nil as NULL and an empty slice as an empty blob.
func (s *stmt) bindBlob(i int, v []byte) {
	if v == nil {
		s.BindNull(i)
		return
	}
	s.BindBytes(i, v)
}

// blob returns a copy of a column's bytes, nil for NULL.
func (s *stmt) blob(i int) []byte {
	if s.ColumnIsNull(i) {
		return nil
	}
	b := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, b)
	return b
}

// The waits between two attempts to get a lock. They are short at first, so that a queue of small writes moves, and
// random, so that several processes do not try at the same time.
const (
	firstWait = 500 * time.Microsecond
	longWait  = 10 * time.Millisecond
)

// retry calls try until it succeeds, fails other than by a lock, ctx ends, or wait has passed. The error is then
// SQLITE_BUSY or that of ctx.
func retry(ctx context.Context, wait time.Duration, try func() error) error {
	deadline := time.Now().Add(wait)
	pause := firstWait
	for {
		err := try()
		if err == nil || !isBusy(err) {
			return err
		}
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause = min(pause*2, longWait)
	}
}
