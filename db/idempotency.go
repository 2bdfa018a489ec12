package db

import (
	"context"
	"time"
)

// IdempotentKey makes a repeated write answer with the first one's result.
type IdempotentKey struct {
	// Key is the caller's, together with whatever keeps callers apart.
	Key string
	// Digest is of the call's arguments: the same key for another call is a mistake
	// that the caller reports.
	Digest []byte
	// Result makes the bytes to remember, once the commit's id is known. It must not
	// use the Writer.
	Result func(Commit) ([]byte, error)
}

// Idempotent is what an earlier write left under a key.
type Idempotent struct {
	Digest, Result []byte
	Time           time.Time
}

// keptKeys is how many of the latest keys the file remembers.
const keptKeys = 100_000

func (c *conn) insertIdempotent(key string, digest, result []byte, now time.Time) error {
	if digest == nil {
		digest = []byte{}
	}
	if result == nil {
		result = []byte{}
	}
	last, err := c.int64("SELECT max(seq) FROM idempotency")
	if err != nil {
		return err
	}
	row := []any{last + 1, key, digest, result, now.UnixMicro()}
	err = c.exec("INSERT INTO idempotency (seq, key, digest, result, ts, sum) VALUES (?, ?, ?, ?, ?, ?)", nil,
		append(row, idempotencySums.sum(nil, row...))...)
	if err != nil {
		return err
	}
	return c.exec("DELETE FROM idempotency WHERE seq <= (SELECT max(seq) FROM idempotency) - ?", nil, keptKeys)
}

// FindIdempotent returns what an earlier write left under key; false when nothing.
// Only the Writer's answer is still true when the write is made.
func (r *Reader) FindIdempotent(ctx context.Context, key string) (found Idempotent, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return found, false, r.fail(ctx, "idempotency", err)
	}
	err = r.conn.exec("SELECT digest, result, ts FROM idempotency WHERE key = ?", func(s *stmt) error {
		found = Idempotent{Digest: s.blob(0), Result: s.blob(1), Time: fromMicros(s.ColumnInt64(2))}
		ok = true
		return nil
	}, key)
	return found, ok, r.fail(ctx, "idempotency", err)
}
