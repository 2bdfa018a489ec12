package db

import (
	"context"
	"errors"
	"sync"
	"time"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/fault"
)

// Ready returns why a write would fail now, or nil. A running writer, in this or another process, is not a reason,
// unless it has held the lock for longer than heldTooLong. Ready changes nothing, and does not wait for long.
func (f *File) Ready(ctx context.Context) error {
	if f.isClosed() {
		return errClosed
	}
	if err := f.place.Writable(); err != nil {
		return err
	}
	r, err := f.Read(ctx, View{})
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := disk.Probe(f.path); err != nil {
		return err
	}
	return asFault(ctx, f.path, "ready", f.lockMoves(ctx))
}

const (
	// heldTooLong is how long the lock for writing may be held without a commit.
	heldTooLong = 5 * time.Second
	// heldAtLast is how long Ready waits for a lock that seems to be held too long: it may have been held by
	// different writers.
	heldAtLast = time.Second
)

// lockWatch records since when the lock has been seen held while the file stayed the same.
type lockWatch struct {
	mu      sync.Mutex
	since   time.Time // zero if the lock is not known to be held
	version int64
}

// seen records that the lock is held, and returns since when.
func (h *lockWatch) seen(version int64) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() || h.version != version {
		h.since, h.version = time.Now(), version
	}
	return h.since
}

func (h *lockWatch) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = time.Time{}
}

// lockMoves returns why the lock for writing seems stuck, or nil.
func (f *File) lockMoves(ctx context.Context) error {
	free, err := f.tryWrite(ctx, 0)
	if free || err != nil {
		return err
	}
	version, err := f.DataVersion(ctx)
	if err != nil {
		return err
	}
	since := f.stuck.seen(version)
	if time.Since(since) < heldTooLong {
		return nil
	}
	free, err = f.tryWrite(ctx, heldAtLast)
	if free || err != nil {
		return err
	}
	return fault.New(fault.TimedOut, "%s: one write has kept the lock for %s; others wait for it, %s at most: end it, or wait",
		fault.Path(f.path), time.Since(since).Round(time.Second), f.opts.LockWait)
}

// tryWrite takes the lock for writing and releases it; it reports whether it was free.
func (f *File) tryWrite(ctx context.Context, wait time.Duration) (free bool, err error) {
	patient, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	begun := time.Now()
	if !f.write.TryAcquire(1) && f.write.Acquire(patient, 1) != nil {
		return false, nil
	}
	defer f.write.Release(1)
	if err := f.openWriter(ctx, writing); err != nil {
		return false, err
	}
	err = f.lock(ctx, max(0, wait-time.Since(begun)))
	if err != nil && (stmt.Busy(err) || ctx.Err() != nil) {
		return false, nil
	}
	f.stuck.forget()
	if ended := f.writer.End("ROLLBACK"); ended != nil {
		err = errors.Join(err, ended, f.writer.Close())
		f.writer = nil
	}
	return true, err
}
