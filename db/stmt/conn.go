// Package stmt is a connection to SQLite with its prepared statements: how they are prepared, kept and run, how a
// context interrupts them, how a lock is waited for, and what an error of SQLite means. It knows no table.
//
// Read [Conn] first.
package stmt

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

// Conn is a connection with its own pool of prepared statements. Unlike sqlite.Conn's cache it can run one statement
// twice at the same time, which a loop over the rows of one inside another needs. It serves one goroutine at a time.
type Conn struct {
	*sqlite.Conn
	// Temporary counts the bytes of temporary files; nil if they are not counted.
	Temporary *pager.Temporary
	// Prepares, when not nil, is told each statement before it is prepared.
	Prepares  func(sql string)
	idle      map[string][]*Stmt
	busy      map[*Stmt]struct{}
	queries   keptQueries
	interrupt interrupt
	handle    *pager.Handle
}

// Stmt is a prepared statement taken from its connection's pool.
type Stmt struct {
	*sqlite.Stmt
	conn *Conn
	sql  string
	// passing is set if the statement is finalized when it is released, and not pooled.
	passing bool
}

// Open opens the database at path. Triggers and views do not run, temporary files are counted, and statements do not
// wait for locks: [Retry] does, because it observes a context.
func Open(path string) (*Conn, error) {
	raw, temporary, err := pager.Open(path)
	if err != nil {
		return nil, err
	}
	raw.SetBusyTimeout(0)
	c := Of(raw)
	c.Temporary = temporary
	return c, nil
}

// Of is Open for a database that the caller has opened. Its temporary files are not counted.
func Of(c *sqlite.Conn) *Conn {
	h := pager.Of(c)
	h.Disarm()
	return &Conn{Conn: c, idle: map[string][]*Stmt{}, busy: map[*Stmt]struct{}{}, handle: h}
}

// Take returns a statement for sql; the caller releases it.
func (c *Conn) Take(sql string) (*Stmt, error) {
	if list := c.idle[sql]; len(list) > 0 {
		s := list[len(list)-1]
		c.idle[sql] = list[:len(list)-1]
		c.busy[s] = struct{}{}
		return s, nil
	}
	if c.Prepares != nil {
		c.Prepares(sql)
	}
	prepared, rest, err := c.PrepareTransient(sql)
	if err != nil {
		return nil, err
	}
	if rest != 0 {
		prepared.Finalize()
		return nil, fmt.Errorf("statement has %d trailing bytes: %s", rest, sql)
	}
	s := &Stmt{Stmt: prepared, conn: c, sql: sql}
	c.busy[s] = struct{}{}
	return s, nil
}

// Release resets s and gives it back; a second call does nothing.
func (s *Stmt) Release() {
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
func (c *Conn) releaseAll() {
	for s := range c.busy {
		s.Release()
	}
	c.handle.Release()
}

// End ends the transaction, if one is open, whatever the state of the context.
func (c *Conn) End(how string) error {
	c.uninterrupted()
	c.releaseAll()
	if c.AutocommitEnabled() {
		return nil
	}
	return c.Exec(how, nil)
}

// Forget finalizes the pooled statements, so that no plan outlives a dropped index.
func (c *Conn) Forget() {
	c.releaseAll()
	for _, list := range c.idle {
		for _, s := range list {
			_ = s.Finalize()
		}
	}
	clear(c.idle)
}

// Close finalizes the statements and closes the connection.
func (c *Conn) Close() error {
	c.SetInterrupt(nil)
	c.Forget()
	err := c.Conn.Close()
	if err == nil && c.Temporary != nil {
		c.Temporary.Forget()
	}
	return err
}

// Pause lets SQLite call pause again and again while statements run, until pause is nil; see [pager.Handle.Pause].
func (c *Conn) Pause(pause func()) { c.handle.Pause(pause) }

// Exec runs sql with args, and calls row for each row; row may be nil.
func (c *Conn) Exec(sql string, row func(*Stmt) error, args ...any) error {
	s, err := c.Take(sql)
	if err != nil {
		return err
	}
	defer s.Release()
	for i, arg := range args {
		s.Bind(i+1, arg)
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

// RootOf returns the root page of an index or a table.
func (c *Conn) RootOf(name string) (int64, error) {
	return c.Int64("SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
}

// Pages starts reading pages of the main file.
func (c *Conn) Pages() (*pager.Pages, error) { return c.handle.Pages(c.RootOf) }

// Once is Exec without pooling the statement, for pragmas and DDL.
func (c *Conn) Once(sql string) error {
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

// Apply runs statements that have no rows, in their order, without pooling them.
func (c *Conn) Apply(list []string) error {
	for _, sql := range list {
		if err := c.Once(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// Int64 returns the first column of the first row, 0 without one.
func (c *Conn) Int64(sql string, args ...any) (n int64, err error) {
	err = c.Exec(sql, func(s *Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}

// ID returns the first column of the first row as an id, 0 without one.
func (c *Conn) ID(sql string, args ...any) (inline.TermID, error) {
	n, err := c.Int64(sql, args...)
	return inline.TermID(n), err
}

// Seq returns the first column of the first row as the number of a commit, 0 without one.
func (c *Conn) Seq(sql string, args ...any) (history.Seq, error) {
	n, err := c.Int64(sql, args...)
	return history.Seq(n), err
}

// Bind binds an argument of a type that a column has.
func (s *Stmt) Bind(i int, arg any) {
	switch v := arg.(type) {
	case nil:
		s.BindNull(i)
	case int:
		s.BindInt64(i, int64(v))
	case int64:
		s.BindInt64(i, v)
	case inline.TermID:
		s.BindID(i, v)
	case history.Seq:
		s.BindInt64(i, int64(v))
	case string:
		s.BindText(i, v)
	case []byte: // an empty slice is an empty blob
		if v == nil {
			s.BindNull(i)
		} else {
			s.BindBytes(i, v)
		}
	default:
		panic(fmt.Sprintf("stmt: cannot bind a %T", arg))
	}
}

// BindID binds an id.
func (s *Stmt) BindID(i int, id inline.TermID) { s.BindInt64(i, int64(id)) }

// ID reads an id.
func (s *Stmt) ID(i int) inline.TermID { return inline.TermID(s.ColumnInt64(i)) }

// Seq reads the number of a commit.
func (s *Stmt) Seq(i int) history.Seq { return history.Seq(s.ColumnInt64(i)) }

// Time reads microseconds since 1970.
func (s *Stmt) Time(i int) time.Time { return time.UnixMicro(s.ColumnInt64(i)).UTC() }

// Blob returns a copy of a column's bytes, nil for NULL.
func (s *Stmt) Blob(i int) []byte {
	if s.ColumnIsNull(i) {
		return nil
	}
	b := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, b)
	return b
}

// Values returns the first n columns of the current row: integers, texts and blobs; others are nil.
func (s *Stmt) Values(n int) []any {
	list := make([]any, n)
	for i := range list {
		switch s.ColumnType(i) {
		case sqlite.TypeInteger:
			list[i] = s.ColumnInt64(i)
		case sqlite.TypeText:
			list[i] = s.ColumnText(i)
		case sqlite.TypeBlob:
			list[i] = s.Blob(i)
		case sqlite.TypeNull, sqlite.TypeFloat:
		}
	}
	return list
}

// The waits between two attempts to get a lock. They are short at first, so that a queue of small writes moves, and
// random, so that several processes do not try at the same time.
const (
	firstWait = 500 * time.Microsecond
	longWait  = 10 * time.Millisecond
)

// Retry calls try until it succeeds, fails other than by a lock, ctx ends, or wait has passed. The error is then
// SQLITE_BUSY or that of ctx.
func Retry(ctx context.Context, wait time.Duration, try func() error) error {
	deadline := time.Now().Add(wait)
	pause := firstWait
	for {
		err := try()
		if err == nil || !Busy(err) {
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
