package kg

import (
	"context"
	"sync"
	"time"

	"trails/fault"
)

// Moved tells a watcher that the branch has a new head.
type Moved struct {
	// Before is the head at the last report, Head the one now.
	Before, Head Commit
	// Schema reports that the schema is not the one of the last report, or may not be because a backup was restored, or
	// the branch was made, deleted or renamed; then Before may belong to another history.
	Schema bool
	// Gone reports that there is no such branch any more. Head is then the zero Commit.
	Gone bool
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
// sees them, until ctx ends; then the channel is closed. The end of the branch is reported, and so is another branch of
// that name. Reports that were not received are merged into one. All watchers of a graph share one look at the file.
// The channel is closed, too, when the policies let the session see something else than at the beginning.
func (s *Session) Watch(ctx context.Context) <-chan Moved {
	g := s.graph
	w := &watching{graph: g, session: s, out: make(chan Moved, 1), woken: g.bell.listen()}
	w.read = w.readFile
	w.last, _ = w.read(ctx) // the current head is not reported
	go w.run(ctx)
	return w.out
}

// watching is the state of one watcher.
type watching struct {
	graph   *Graph
	session *Session // whose branch is watched
	out     chan Moved
	woken   chan struct{} // when the file has changed
	read    func(context.Context) (branchHead, error)
	last    branchHead
}

// branchHead is what a watcher knows of its branch.
type branchHead struct {
	commit Commit
	epoch  string
	gone   bool // there is no such branch
	sight  string
}

func (w *watching) run(ctx context.Context) {
	defer close(w.out)
	defer w.graph.bell.forget(w.woken)
	var again <-chan time.Time // set if the file could not be read
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.woken:
		case <-again:
		}
		var told, lapsed bool
		var unread error
		err := fault.Guard(func() error { told, lapsed, unread = w.look(ctx); return nil })
		again = nil
		switch {
		case lapsed:
			return
		case err != nil:
			w.graph.log.Error("watching: the file could not be looked at", "error", fault.Whole(err))
			again = time.After(watchAgain)
			pause(ctx, watchAgain)
		case unread != nil:
			again = time.After(watchInterval)
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

// look reports the head if it has changed. lapsed means that the session may see something else now.
func (w *watching) look(ctx context.Context) (told, lapsed bool, err error) {
	now, err := w.read(ctx)
	if err == nil && now.sight != w.last.sight && w.last.sight != "" {
		return false, true, nil
	}
	if err != nil || now.commit.ID == w.last.commit.ID && now.epoch == w.last.epoch && now.gone == w.last.gone {
		return false, false, err
	}
	schema := now.commit.SchemaSeq != w.last.commit.SchemaSeq || now.epoch != w.last.epoch || now.gone != w.last.gone
	tell(w.out, Moved{Before: w.last.commit, Head: now.commit, Schema: schema, Gone: now.gone})
	w.last = now
	return true, false, nil
}

// readFile returns the head.
func (w *watching) readFile(ctx context.Context) (branchHead, error) {
	snap, err := w.session.Snapshot(ctx)
	if fault.Is(err, fault.Missing) {
		return branchHead{gone: true, sight: w.last.sight}, nil
	}
	if err != nil {
		return branchHead{}, err
	}
	defer snap.Close()
	return branchHead{commit: snap.Head(), epoch: snap.source.Epoch(), sight: snap.Sight()}, nil
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

// bell wakes the watchers of a process when the file has changed: after a commit of this process at once, and otherwise
// when it next looks at the version of the file, once for all of them. It looks while there are watchers.
type bell struct {
	version func(context.Context) (int64, error) // of the file

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	rung      chan struct{} // by a commit of this process
	stop      func()        // stops looking, and waits for its end; nil without listeners
}

// listen adds a listener. It is woken for every change of the file after listen returns.
func (b *bell) listen() chan struct{} {
	// Read without the lock, for which ring would wait after a commit. If it cannot be read it is 0, and the first version
	// that can be read wakes everybody.
	last, _ := b.version(context.Background())
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners, b.rung = map[chan struct{}]struct{}{}, make(chan struct{}, 1)
	}
	woken := make(chan struct{}, 1)
	b.listeners[woken] = struct{}{}
	if b.stop == nil {
		b.stop = b.start(last)
	}
	return woken
}

// forget removes a listener.
func (b *bell) forget(woken chan struct{}) {
	b.mu.Lock()
	delete(b.listeners, woken)
	stop := func() {}
	if len(b.listeners) == 0 && b.stop != nil {
		stop, b.stop = b.stop, nil
	}
	b.mu.Unlock()
	stop()
}

// start looks at the file until it is stopped. The listeners have heard of the version last.
func (b *bell) start(last int64) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-b.rung:
			case <-tick.C:
			}
			if version, err := b.version(ctx); err == nil && version != last {
				last = version
				b.wake()
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// ring makes the bell look at once. It never waits.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	wake(b.rung)
}

// wake wakes every listener.
func (b *bell) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for woken := range b.listeners {
		wake(woken)
	}
}

// wake sends a value to a channel of capacity one, unless it is full or nil.
func wake(waiting chan struct{}) {
	select {
	case waiting <- struct{}{}:
	default: // it is awake already
	}
}
