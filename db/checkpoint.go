package db

import (
	"context"
	"math/bits"
	"time"
)

// SQLite starts its log over only when a checkpoint has copied all of it and no reader uses it any more. It copies by
// itself (wal_autocheckpoint), but where processes read and write without a gap there is always a reader, and the log
// grows (https://sqlite.org/wal.html, section 6). So a writer that finds a long log first makes it start over, or
// waits while another process does, and old readers are ended; see docs/decisions/0027-log-size.md and
// 0098-old-readers.md.
const (
	// logWait is how long a checkpoint keeps the lock for writing while it waits for readers. New readers do not
	// prolong the wait: once everything is copied they read the file, not the log.
	logWait = 200 * time.Millisecond
	// logGlance is how long a checkpoint waits after a finished write.
	logGlance      = 50 * time.Millisecond
	logGlanceAgain = 5 * time.Second
)

// logStage says how far a long log is beyond its bound, and in which time slot. All processes compute the same stage,
// and each tries a checkpoint once per stage. So they try together, and none writes on while another waits for the
// lock. The zero stage means that the log is not long.
type logStage struct{ step, slot int64 }

// logSteps is the number of steps from the bound to twice the bound. After that each doubling of the excess is one
// more step.
const logSteps = 8

// stepsPast returns by how many steps a log is longer than its bound.
func stepsPast(size, bound int64) int64 { return (size - bound) / max(1, bound/logSteps) }

// logStageOf returns the stage of a long log. A writer waits for at most logWait in each stage, which is 5% of the
// time.
func logStageOf(size, bound int64, now time.Time) (at logStage) {
	at.step = stepsPast(size, bound)
	if at.step >= logSteps {
		at.step = logSteps + int64(bits.Len64(uint64(at.step/logSteps))) - 1
	}
	at.slot = now.UnixNano() / int64(20*logWait)
	return at
}

// shortenLog makes a long log start over, before a write that may wait. The caller holds the token for writing, and
// has no open transaction. If it fails, the log stays as it is and the write goes on.
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
	if ctx.Err() == nil && most >= f.opts.LockWait { // the attempt took its full time
		f.logInVain = logStageOf(f.logSize(), f.opts.LongLog, time.Now())
	}
}

// shortenLogAfter does the same after a write, so that the last of many writes does not leave a long log. It waits
// only briefly.
func (f *File) shortenLogAfter() {
	if f.logSize() >= f.opts.LongLog && time.Since(f.logGlanced) >= logGlanceAgain {
		f.logGlanced = time.Now()
		f.startLogOver(context.Background(), logGlance)
	}
}

// startLogOver tries a checkpoint, and reports whether the log has started over, by this process or another.
func (f *File) startLogOver(ctx context.Context, wait time.Duration) bool {
	// The checkpoint holds the lock for writing while it waits for the current readers. It returns at once if another
	// process is at it; writing on would keep that process from getting the lock.
	f.writer.SetBusyTimeout(wait)
	defer f.writer.SetBusyTimeout(0)
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		busy, err := f.writer.Int64("PRAGMA wal_checkpoint(TRUNCATE)")
		if err == nil && busy == 0 || f.logSize() < f.opts.LongLog {
			return true
		}
		if err != nil || ctx.Err() != nil || time.Now().After(end) {
			return false
		}
	}
}

func (f *File) logSize() int64 { return sizeOf(f.path + "-wal") }
