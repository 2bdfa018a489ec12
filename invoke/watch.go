package invoke

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// Watch reports that the graph moved, in this process or another one, until ctx
// ends or the engine closes; then the channel is closed. For a caller whose reads would
// be refused it is closed at once. It never waits for the reader of the channel: what is
// not taken in time is folded into one report. One reader of the file serves all
// watchers of an engine.
func (e *Engine) Watch(ctx context.Context, p policy.Principal) <-chan Change {
	if !e.mayWatch(ctx, p) {
		nothing := make(chan Change)
		close(nothing)
		return nothing
	}
	return e.watchers.join(ctx)
}

// mayWatch reports whether p may read what a watcher is told of.
func (e *Engine) mayWatch(ctx context.Context, p policy.Principal) bool {
	if e.config.Policy == nil {
		return policy.Allow(p, policy.Runtime, ReadResource) == nil
	}
	return e.withCatalog(ctx, p, func(c *catalog) error { return e.mayRead(ctx, p, c) }) == nil
}

// Watchers returns how many channels of [Engine.Watch] are open, and how many of
// them hold a report that nobody has taken yet.
func (e *Engine) Watchers() (open, behind int) { return e.watchers.count() }

// follower reads the history once for everybody who watches the engine's graph. It
// runs while there is somebody.
type follower struct {
	graph *kg.Graph
	log   *slog.Logger
	// touched tells what a move was about; it is the graph's.
	touched  func(context.Context, kg.Moved) (kg.Touched, error)
	catalogs *catalogs

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	rounds   int64  // reports so far
	stop     func() // ends the reading and waits for it; nil when nobody watches
	closed   bool
}

// watcher is one channel of Watch. The follower's lock guards it.
type watcher struct {
	// out holds one report at most. Only the follower sends, under its lock: after
	// it has taken back what was there, a send does not wait.
	out chan Change
	// since is the round of the oldest report that went into what out holds.
	since int64
	// unbind takes back what waits for the context to end.
	unbind func() bool
}

func newFollower(g *kg.Graph, catalogs *catalogs, log *slog.Logger) *follower {
	return &follower{graph: g, catalogs: catalogs, log: log, touched: g.Touched, watchers: map[*watcher]struct{}{}}
}

func (f *follower) join(ctx context.Context) <-chan Change {
	w := &watcher{out: make(chan Change, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || ctx.Err() != nil {
		close(w.out)
		return w.out
	}
	f.watchers[w] = struct{}{}
	w.unbind = context.AfterFunc(ctx, func() { f.leave(w) })
	if f.stop == nil {
		f.stop = f.start()
	}
	return w.out
}

// start begins to read. What is committed when it returns is no news.
func (f *follower) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	moves, done := f.graph.Watch(ctx), make(chan struct{})
	go func() {
		defer close(done)
		f.follow(ctx, moves)
	}()
	return func() {
		cancel()
		<-done
	}
}

// leave ends one watcher; the last one's channel is closed when the reading has ended.
func (f *follower) leave(w *watcher) {
	f.mu.Lock()
	if _, here := f.watchers[w]; !here {
		f.mu.Unlock()
		return
	}
	delete(f.watchers, w)
	stop := func() {}
	if len(f.watchers) == 0 {
		stop, f.stop = f.stop, nil
	}
	f.mu.Unlock()
	stop()
	close(w.out)
}

// close ends every watcher, and lets no new one in.
func (f *follower) close() {
	f.mu.Lock()
	stop, left := f.stop, f.watchers
	f.closed, f.stop, f.watchers = true, nil, nil
	f.mu.Unlock()
	if stop != nil {
		stop()
	}
	for w := range left {
		w.unbind()
		close(w.out)
	}
}

func (f *follower) count() (open, behind int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watchers {
		behind += len(w.out)
	}
	return len(f.watchers), behind
}

// follow hands on what kg reports until that ends.
func (f *follower) follow(ctx context.Context, moves <-chan kg.Moved) {
	for m := range moves {
		c, ok := f.look(ctx, m)
		if !ok {
			continue
		}
		if err := fault.Guard(func() error { f.tell(c); return nil }); err != nil {
			f.log.Error("watching: a change was not told", "error", fault.Whole(err))
		}
	}
}

// lookAgain is how long to wait when the file cannot be read.
const lookAgain = 100 * time.Millisecond

// look finds out what a move was about, and tries until it does or ctx ends, whatever
// keeps it from that.
func (f *follower) look(ctx context.Context, m kg.Moved) (Change, bool) {
	for failed := false; ; failed = true {
		var c Change
		err := fault.Guard(func() error {
			touched, err := f.touched(ctx, m)
			if err != nil {
				return err
			}
			offered, err := f.offered(ctx)
			c = changeOf(m, touched)
			c.Offer = c.Schema || offered.Offer
			return err
		})
		if err == nil {
			return c, true
		}
		if !failed && ctx.Err() == nil {
			f.log.Warn("watching: the history cannot be read; trying again", "error", fault.Whole(err))
		}
		select {
		case <-ctx.Done():
			return Change{}, false
		case <-time.After(lookAgain):
		}
	}
}

// offered finds out whether a provider offers something else than when it was asked last.
func (f *follower) offered(ctx context.Context) (c Change, err error) {
	err = f.graph.Session(policy.Principal{}).View(ctx, func(s *kg.Snapshot) error {
		if head := s.Head(); head.ID != (kg.CommitID{}) {
			c.Head = head.ID.String()
		}
		c.Offer = f.catalogs.moved(s)
		return nil
	})
	return c, err
}

// tell gives a change to everybody. Watchers that are equally far behind get the
// same fold, which is made once.
func (f *follower) tell(news Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rounds++
	folds := map[int64]Change{}
	for w := range f.watchers {
		select {
		case old := <-w.out:
			folded, made := folds[w.since]
			if !made {
				folded = fold(old, news)
				folds[w.since] = folded
			}
			w.out <- folded
		default:
			w.since = f.rounds
			w.out <- news
		}
	}
}
