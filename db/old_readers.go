package db

import (
	"context"
	"errors"
	"time"

	"trails/fault"
)

// An open reader, in any process, keeps the log from starting over. An old reader is ended while others commit to a
// long log, so that they need not wait for it.
const (
	// oldestReader is the maximum age of a reader when the log has just become long. For each eighth of its bound by
	// which the log is longer, it is halved.
	oldestReader = 10 * time.Second
	// youngestReader is the least maximum age of a reader. It is less than the time that writers wait.
	youngestReader = logWait * 4 / 5
	// readerGlance is the interval at which an old reader checks whether it must end.
	readerGlance = 100 * time.Millisecond
	// committing is the time after a commit during which the file counts as being written.
	committing = 2 * time.Second
)

// errGivesWay ends the reads of a reader that gives way to writers.
var errGivesWay = errors.New("what was being read gave way to writers")

// GaveWay reports whether err means that the reader was ended for the sake of writers. The same read can be started
// again at once.
func GaveWay(err error) bool { return errors.Is(err, errGivesWay) }

func gaveWayFault() error {
	return fault.New(fault.Busy, "%v, who commit one after the other while the log is long; take it again, or ask for less at a time", errGivesWay).
		With("retry_after", 1).Because(errGivesWay)
}

// commitsSeen records when old readers of this process have noticed commits.
type commitsSeen struct {
	version   int64
	last, one time.Time // times of the last two checks that found commits; last is the newer one
}

// look records a version of the file, and reports whether the file is being written: two recent checks found new
// commits.
func (c *commitsSeen) look(version int64, now time.Time) bool {
	if version != c.version {
		if c.version != 0 {
			c.one, c.last = c.last, now
		}
		c.version = version
	}
	return now.Sub(c.one) < committing
}

// ageAllowed returns the maximum age of a reader, for a log of this size while others write.
func ageAllowed(size, bound int64) time.Duration {
	return max(youngestReader, oldestReader>>min(stepsPast(size, bound), logSteps))
}

// watchAge starts the timer that ends the reader when it is too old.
func (r *Reader) watchAge() {
	opened := time.Now()
	r.age = time.AfterFunc(oldestReader, func() {
		if r.outlasts.Load() || r.ctx.Err() != nil {
			return
		}
		f := r.file
		if size := f.logSize(); size >= f.opts.LongLog && f.beingWritten(r.ctx) && time.Since(opened) >= ageAllowed(size, f.opts.LongLog) {
			r.giveWay(errGivesWay)
			return
		}
		r.age.Reset(readerGlance)
	})
	r.age.Reset(youngestReader) // only now, because the function uses the field
}

// beingWritten reports whether any process is committing to the file repeatedly.
func (f *File) beingWritten(ctx context.Context) bool {
	version, err := f.DataVersion(ctx)
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits.look(version, time.Now())
}

// Outlast lets the reader stay open however long writers wait. It is for exports and copies, which cannot be started
// again.
func (r *Reader) Outlast() { r.outlasts.Store(true) }

type pauseKey struct{}

// WithPause returns a context whose readers call pause again and again while they work, some 20,000 times a second, and
// wait while it does. It is for work that others should be able to interrupt.
func WithPause(ctx context.Context, pause func()) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// over returns why a read must end: its context has ended, or the reader gave way. Before, it pauses when it is asked to.
func (r *Reader) over(ctx context.Context) error {
	if r.pause != nil {
		r.pause()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.ctx.Err()
}
