package kg

import (
	"context"
	"sync"
	"time"

	"trails/db"
	"trails/fault"
)

// Moved tells a watcher that the branch has a new head.
type Moved struct {
	// Before is the head at the last report, Head the one now.
	Before, Head Commit
	// Schema reports that the schema is not the one of the last report, or may not be because a backup was restored;
	// then Before belongs to another history.
	Schema bool
}

// The pace of watching; see docs/decisions/0011-watching.md.
const (
	// watchInterval is how often another process's writes are looked for.
	watchInterval = 100 * time.Millisecond
	// watchPause is the least time between two reports.
	watchPause = 25 * time.Millisecond
	// watchAgain is how long a watcher rests after a panic.
	watchAgain = time.Second
)

// Watch reports heads of the session's branch that are newer than the current one, made by any process, as the session
// sees them, until ctx ends or there is no such branch any more; then the channel is closed. Reports that were not received
// are merged into one.
func (s *Session) Watch(ctx context.Context) <-chan Moved {
	g := s.graph
	w := &watching{graph: g, view: db.View{Branch: s.branch, Rights: s.rights}, out: make(chan Moved, 1), woken: g.bell.listen()}
	w.read = w.readFile
	w.last, w.epoch, _ = w.read(ctx) // the current head is not reported
	go w.run(ctx)
	return w.out
}

// watching is the state of one watcher.
type watching struct {
	graph   *Graph
	view    db.View // what is watched
	gone    bool    // there is no such branch any more
	out     chan Moved
	woken   chan struct{} // by a commit of this process
	read    func(context.Context) (head Commit, epoch string, changed bool)
	version int64 // version of the file when last was read; 0 before
	last    Commit
	epoch   string // epoch of last
}

func (w *watching) run(ctx context.Context) {
	defer close(w.out)
	defer w.graph.bell.forget(w.woken)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.woken:
		case <-tick.C:
		}
		var told bool
		err := fault.Guard(func() error { told = w.look(ctx); return nil })
		switch {
		case err != nil:
			w.graph.log.Error("watching: the file could not be looked at", "error", fault.Whole(err))
			w.version = 0 // what was read but not reported is read again
			pause(ctx, watchAgain)
		case w.gone:
			return
		case told:
			pause(ctx, watchPause)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// look reports the head if it has changed.
func (w *watching) look(ctx context.Context) bool {
	head, epoch, changed := w.read(ctx)
	if !changed || head.ID == w.last.ID && epoch == w.epoch {
		return false
	}
	tell(w.out, Moved{Before: w.last, Head: head, Schema: head.SchemaSeq != w.last.SchemaSeq || epoch != w.epoch})
	w.last, w.epoch = head, epoch
	return true
}

// readFile returns the head if the file has changed. What cannot be read now is read again next time. The version is
// read first: a write in between is then seen twice, not missed.
func (w *watching) readFile(ctx context.Context) (head Commit, epoch string, changed bool) {
	version, err := w.graph.file.DataVersion(ctx)
	if err != nil || version == w.version {
		return Commit{}, "", false
	}
	r, err := w.graph.file.Read(ctx, w.view)
	if err != nil {
		w.gone = fault.Is(err, fault.Missing)
		return Commit{}, "", false
	}
	defer r.Close()
	w.version = version
	return r.Head(), r.Epoch(), true
}

// tell reports that the head moved, merged with a report that has not been received yet.
func tell(out chan Moved, news Moved) {
	select {
	case old := <-out:
		news.Before, news.Schema = old.Before, news.Schema || old.Schema
	default:
	}
	out <- news
}

// bell wakes the watchers of a process after a commit of this process. Ringing never waits. The zero bell has no
// listeners.
type bell struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

func (b *bell) listen() chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[chan struct{}]struct{}{}
	}
	woken := make(chan struct{}, 1)
	b.listeners[woken] = struct{}{}
	return woken
}

func (b *bell) forget(woken chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners, woken)
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for woken := range b.listeners {
		select {
		case woken <- struct{}{}:
		default: // it is awake already
		}
	}
}
