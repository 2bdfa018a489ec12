package db

import (
	"context"
	"time"
	"trails/db/history"
	"trails/db/stmt"
)

// IdempotentKey makes a repeated write return the result of the first one.
type IdempotentKey struct {
	// Key is the caller's key, with a prefix that separates callers.
	Key string
	// Digest is the digest of the call's arguments. The caller refuses a key that was used with another digest.
	Digest []byte
	// Result returns the bytes to store, once the id of the commit is known. It must not use the Writer.
	Result func(history.Commit) ([]byte, error)
}

// Idempotent is the stored result of an earlier write.
type Idempotent struct {
	Digest, Result []byte
	Time           time.Time
}

// keptKeys is how many of the latest keys the file keeps.
const keptKeys = 100_000

func (c *conn) insertIdempotent(key string, digest, result []byte, now time.Time) error {
	if digest == nil {
		digest = []byte{}
	}
	if result == nil {
		result = []byte{}
	}
	last, err := c.Int64("SELECT max(seq) FROM idempotency")
	if err != nil {
		return err
	}
	row := []any{last + 1, key, digest, result, now.UnixMicro()}
	err = c.Exec("INSERT INTO idempotency (seq, key, digest, result, ts, sum) VALUES (?, ?, ?, ?, ?, ?)", nil,
		append(row, idempotencySums.sum(nil, row...))...)
	if err != nil {
		return err
	}
	return c.Exec("DELETE FROM idempotency WHERE seq <= (SELECT max(seq) FROM idempotency) - ?", nil, keptKeys)
}

// FindIdempotent returns the result stored under key; ok is false if there is none. Only with a Writer is the answer
// still valid when the write is made.
func (r *Reader) FindIdempotent(ctx context.Context, key string) (found Idempotent, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return found, false, r.fail(ctx, "idempotency", err)
	}
	err = r.conn.Exec("SELECT digest, result, ts FROM idempotency WHERE key = ?", func(s *stmt.Stmt) error {
		found = Idempotent{Digest: s.Blob(0), Result: s.Blob(1), Time: s.Time(2)}
		ok = true
		return nil
	}, key)
	return found, ok, r.fail(ctx, "idempotency", err)
}
