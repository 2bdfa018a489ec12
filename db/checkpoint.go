package db

import (
	"context"
	"math/bits"
	"time"
)

// SQLite starts its log over only when a checkpoint has copied all of it and no reader
// looks at it any more. It copies by itself (wal_autocheckpoint), but where processes
// read and write without a gap the second never comes true, and the log grows for as
// long as that goes on (https://sqlite.org/wal.html, section 6). So whoever writes to a
// log that is long makes it start over first, or waits while another process does, and
// readers that are old give way; see docs/decisions/0027-log-size.md and 0098-old-readers.md.
const (
	// logWait is how long a checkpoint keeps the lock for writing while it waits for
	// readers. Those that come meanwhile do not prolong it: once all is copied they
	// read the file, not the log.
	logWait = 500 * time.Millisecond
	// logGlance is how long a write that is done already waits.
	logGlance      = 50 * time.Millisecond
	logGlanceAgain = 5 * time.Second
)

// logStage says how far a long log is past its bound, and when. Every process finds it
// at the same stage, and tries to make it start over once at each: together, so that none
// writes on while another one waits for the lock. The zero stage is of no long log.
type logStage struct{ step, slot int64 }

// logSteps is the number of steps to twice the bound. Then there is one more whenever
// the excess has doubled.
const logSteps = 8

// stepsPast is by how many steps a log is longer than its bound.
func stepsPast(size, bound int64) int64 { return (size - bound) / max(1, bound/logSteps) }

// logStageOf returns the stage of a long log. Writers wait at each for logWait: 5% of the time
// at most.
func logStageOf(size, bound int64, now time.Time) (at logStage) {
	at.step = stepsPast(size, bound)
	if at.step >= logSteps {
		at.step = logSteps + int64(bits.Len64(uint64(at.step/logSteps))) - 1
	}
	at.slot = now.UnixNano() / int64(20*logWait)
	return at
}

// shortenLog makes a long log start over, before a write that may wait for so long. The
// caller holds the token for writing, and no transaction. What goes wrong is no trouble
// of the write: the log stays as it is.
func (f *File) shortenLog(ctx context.Context, most time.Duration) {
	size := f.logSize()
	if size < f.opts.LongLog {
		f.logInVain = logStage{}
		return
	}
	at := logStageOf(size, f.opts.LongLog, time.Now())
	if at == f.logInVain || f.startLogOver(ctx, min(logWait, most)) {
		return
	}
	if ctx.Err() == nil && most >= f.opts.LockWait { // the attempt was a whole one
		f.logInVain = logStageOf(f.logSize(), f.opts.LongLog, time.Now())
	}
}

// shortenLogAfter does the same after a write, so that the last one of many does not
// leave a long log behind. It waits for little: the write is done.
func (f *File) shortenLogAfter() {
	if f.logSize() >= f.opts.LongLog && time.Since(f.logGlanced) >= logGlanceAgain {
		f.logGlanced = time.Now()
		f.startLogOver(context.Background(), logGlance)
	}
}

// startLogOver reports whether the log has started over, by this process or another.
func (f *File) startLogOver(ctx context.Context, wait time.Duration) bool {
	// The checkpoint takes the lock for writing and keeps it while it waits for the
	// readers that are there. It ends at once when another process is at it: to write
	// on would keep that one from the lock.
	f.writer.SetBusyTimeout(wait)
	defer f.writer.SetBusyTimeout(0)
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		busy, err := f.writer.int64("PRAGMA wal_checkpoint(TRUNCATE)")
		if err == nil && busy == 0 || f.logSize() < f.opts.LongLog {
			return true
		}
		if err != nil || ctx.Err() != nil || time.Now().After(end) {
			return false
		}
	}
}

func (f *File) logSize() int64 { return sizeOf(f.path + "-wal") }
