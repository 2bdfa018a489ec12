package db

import (
	"context"
	"errors"
	"time"

	"trails/fault"
)

// A reader keeps the log from starting over for as long as it is open, in whatever process. One
// that is old gives way while others commit to a long log, so that they need not wait for it.
const (
	// oldestReader is the age until which a reader stays when the log has just become long. Each
	// eighth of its bound that the log is longer halves the age.
	oldestReader = 10 * time.Second
	// youngestReader is the age until which a reader always stays: less than writers wait.
	youngestReader = logWait * 4 / 5
	// readerGlance is how often an old reader looks whether it has to give way.
	readerGlance = 100 * time.Millisecond
	// committing is for how long a file counts as being written to after a commit.
	committing = 2 * time.Second
)

// errGivesWay ends what a reader reads when it gives way.
var errGivesWay = errors.New("what was being read gave way to writers")

// GaveWay reports whether an error is that its reader gave way to writers: the same read can be
// begun anew at once.
func GaveWay(err error) bool { return errors.Is(err, errGivesWay) }

func gaveWayFault() error {
	return fault.New(fault.Busy, "%v, who commit one after the other while the log is long; take it again, or ask for less at a time", errGivesWay).
		With("retry_after", 1).Because(errGivesWay)
}

// commitsSeen is when old readers of this process have seen, by looking now and then, that somebody
// had committed.
type commitsSeen struct {
	version   int64
	last, one time.Time // the newest look that found commits, and the one before
}

// look notes that the version of the file is this, and reports whether it is being written to:
// two looks of the last seconds found commits that the one before had not.
func (c *commitsSeen) look(version int64, now time.Time) bool {
	if version != c.version {
		if c.version != 0 {
			c.one, c.last = c.last, now
		}
		c.version = version
	}
	return now.Sub(c.one) < committing
}

// ageAllowed is how old a reader of a log of this size may become while others write.
func ageAllowed(size, bound int64) time.Duration {
	return max(youngestReader, oldestReader>>min(stepsPast(size, bound), logSteps))
}

// watchAge makes the reader give way when it is due, until it is closed.
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
	r.age.Reset(youngestReader) // now that the field is set
}

// beingWritten reports whether somebody, in whatever process, commits to the file again and again.
func (f *File) beingWritten(ctx context.Context) bool {
	version, err := f.DataVersion(ctx)
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits.look(version, time.Now())
}

// Outlast lets the reader stay however long others wait for it: it is of an export or a copy, which
// cannot be begun anew.
func (r *Reader) Outlast() { r.outlasts.Store(true) }

// over is why a read must end: its own context, or that the reader gives way.
func (r *Reader) over(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.ctx.Err()
}
