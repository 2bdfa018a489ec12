package db

import (
	"context"
	"os"
	"sync"
	"time"
)

// SQLite starts its log over only when a checkpoint has copied all of it and no
// reader looks at it any more. It copies by itself (wal_autocheckpoint), but where
// reads overlap without a gap the second never comes true, and the log grows for as
// long as that goes on (https://sqlite.org/wal.html, section 6). So a log that has
// become long makes the readers of this process wait for a moment.
const (
	// pauseAtMost is how long the readers that are open may take to finish; a long
	// export keeps the log, and is not waited for.
	pauseAtMost = 50 * time.Millisecond
	// pauseEvery bounds what attempts in vain cost.
	pauseEvery = 5 * time.Second
)

// pause holds back those who want to read.
type pause struct {
	mu    sync.Mutex
	over  chan struct{} // nil when nobody has to wait
	tried time.Time     // the last time; the writer's alone
}

// waiting returns what is closed when reading may go on, nil when it may now.
func (p *pause) waiting() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// takeReader waits for a free reader and for the end of a pause.
func (f *File) takeReader(ctx context.Context) error {
	for {
		select {
		case f.readers <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		over := f.pause.waiting()
		if over == nil {
			return nil
		}
		<-f.readers
		select {
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *pause) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = make(chan struct{})
}

func (p *pause) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.over)
	p.over = nil
}

// shortenLog lets a long log start over, if the readers leave it alone for long
// enough. The caller holds the token for writing, and no transaction. What goes wrong
// is no trouble of the write that has just been made: the log stays as it is.
func (f *File) shortenLog() {
	if info, err := os.Stat(f.path + "-wal"); err != nil || info.Size() < f.opts.LongLog || time.Since(f.pause.tried) < pauseEvery {
		return
	}
	f.pause.begin()
	defer f.pause.end()
	f.pause.tried = time.Now()
	for end := time.Now().Add(pauseAtMost); len(f.readers) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return
		}
	}
	_ = f.writer.once("PRAGMA wal_checkpoint(TRUNCATE)")
}
