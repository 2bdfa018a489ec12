package invoke

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// Watch is [Engine.WatchOn] main.
func (e *Engine) Watch(ctx context.Context, p policy.Principal) <-chan Change {
	return e.WatchOn(ctx, p, kg.Main)
}

// WatchOn reports changes of a branch by any process, until ctx ends or the engine closes; then the channel is closed.
// For a caller who may not read the branch it is closed at once. It never waits for the receiver: changes that are not
// received in time are merged into one. All watchers of a branch with the same rights share one reader of the file. That
// the branch is deleted, renamed or reset, or that there is one of the name again, is a change of everything.
func (e *Engine) WatchOn(ctx context.Context, p policy.Principal, branch string) <-chan Change {
	if !e.mayWatch(ctx, p, refOf(branch)) {
		nothing := make(chan Change)
		close(nothing)
		return nothing
	}
	return e.join(ctx, p, branch)
}

// mayWatch reports whether p may read what watchers of a branch are told.
func (e *Engine) mayWatch(ctx context.Context, p policy.Principal, branch string) bool {
	return e.withCatalog(ctx, p, kg.Main, func(c *catalog, a *kg.Authority) error { return e.mayRead(ctx, a, p, Ref{Branch: branch}, c) }) == nil
}

// Sight identifies what p may see of the graph, and by which policies: callers with the same one are told the same changes.
func (e *Engine) Sight(ctx context.Context, p policy.Principal) (string, error) {
	return e.session(p).Sight(ctx)
}

// Watchers returns the number of open channels of [Engine.Watch], and how many of them hold an unreceived change.
func (e *Engine) Watchers() (open, behind int) {
	for _, f := range e.allFollowers() {
		here, late := f.count()
		open, behind = open+here, behind+late
	}
	return open, behind
}

// watched identifies a follower: a branch, "" for main, and what its watchers may see.
type watched struct{ branch, sight string }

// join adds a watcher of a branch to those who see the same of it. Who watches must be allowed to.
func (e *Engine) join(ctx context.Context, p policy.Principal, branch string) <-chan Change {
	s := e.session(p).On(refOf(branch))
	sight, err := e.Sight(ctx, p)
	if err != nil {
		e.config.Log.Warn("watching: the policies cannot be read", "error", fault.Whole(err))
		nothing := make(chan Change)
		close(nothing)
		return nothing
	}
	key := watched{refOf(branch), sight}
	e.following.Lock()
	defer e.following.Unlock()
	f := e.followers[key]
	if f == nil {
		f = newFollower(s, e.catalogs, e.config.Log)
		f.branch, f.closed = key.branch, e.closed
		f.lapse = func() { e.lapse(key, f) }
		f.idle = func() { e.forget(key) }
		e.followers[key] = f
	}
	return f.join(ctx)
}

// lapse ends a follower whose watchers may see something else now. They may watch again.
func (e *Engine) lapse(key watched, f *follower) {
	e.following.Lock()
	if e.followers[key] == f {
		delete(e.followers, key)
	}
	e.following.Unlock()
	f.close()
}

// forget drops a follower that nobody watches. That of all of main stays.
func (e *Engine) forget(key watched) {
	e.following.Lock()
	defer e.following.Unlock()
	if f := e.followers[key]; f != nil && key != (watched{}) {
		if open, _ := f.count(); open == 0 {
			delete(e.followers, key)
		}
	}
}

func (e *Engine) allFollowers() []*follower {
	e.following.Lock()
	defer e.following.Unlock()
	return slices.Collect(maps.Values(e.followers))
}

// follower reads the history once for all watchers who may see the same. It runs while there are any.
type follower struct {
	session *kg.Session
	branch  string // of the session, "" for main
	log     *slog.Logger
	idle    func() // called when the last watcher has left
	lapse   func() // called when the watchers may see something else
	// touched returns the changed instances of a move; it is kg.Session.Touched.
	touched  func(context.Context, kg.Moved) (kg.Touched, error)
	catalogs *catalogs

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	rounds   int64  // reports so far
	stop     func() // stops reading and waits for the end; nil without watchers
	closed   bool
}

// watcher is one channel of Watch. The follower's lock guards it.
type watcher struct {
	// out holds at most one change. Only the follower sends, under its lock: since it first takes back the unreceived
	// change, sending does not wait.
	out chan Change
	// since is the round of the oldest change merged into out.
	since int64
	// unbind removes the callback for the end of the context.
	unbind func() bool
}

func newFollower(s *kg.Session, catalogs *catalogs, log *slog.Logger) *follower {
	return &follower{session: s, catalogs: catalogs, log: log, idle: func() {}, lapse: func() {}, touched: s.Touched, watchers: map[*watcher]struct{}{}}
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

// start starts reading. What is committed before it returns is not reported.
func (f *follower) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	moves, done := f.session.Watch(ctx), make(chan struct{})
	go func() {
		defer close(done)
		f.follow(ctx, moves)
	}()
	return func() {
		cancel()
		<-done
	}
}

// leave removes one watcher; the channel of the last one is closed after reading has ended.
func (f *follower) leave(w *watcher) {
	f.mu.Lock()
	if _, here := f.watchers[w]; !here {
		f.mu.Unlock()
		return
	}
	delete(f.watchers, w)
	stop, idle := func() {}, func() {}
	if len(f.watchers) == 0 {
		stop, f.stop = f.stop, nil
		idle = f.idle
	}
	f.mu.Unlock()
	stop()
	close(w.out)
	idle()
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

// follow passes on what kg reports until that ends.
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
	if ctx.Err() == nil {
		go f.lapse() // it waits for the end of this
	}
}

// lookAgain is how long to wait if the file cannot be read.
const lookAgain = 100 * time.Millisecond

// look finds out what a move changed, and retries until it succeeds or ctx ends.
func (f *follower) look(ctx context.Context, m kg.Moved) (Change, bool) {
	for failed := false; ; failed = true {
		var c Change
		err := fault.Guard(func() (err error) {
			c, err = f.changeFrom(ctx, m)
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

func (f *follower) changeFrom(ctx context.Context, m kg.Moved) (Change, error) {
	if m.Gone {
		return Change{Schema: true, Resync: true}, nil
	}
	touched, err := f.touched(ctx, m)
	if fault.Is(err, fault.Missing) { // the branch has gone meanwhile
		return Change{Head: m.Head.ID.String(), Schema: true, Resync: true}, nil
	}
	if err != nil {
		return Change{}, err
	}
	c := changeOf(m, touched)
	if f.branch != "" { // tools and other lists are of main
		return c, nil
	}
	offered, err := f.offered(ctx)
	c.Offer = c.Schema || offered.Offer
	return c, err
}

// offered reports whether a provider offers something else than before.
func (f *follower) offered(ctx context.Context) (c Change, err error) {
	err = f.session.View(ctx, func(s *kg.Snapshot) error {
		if head := s.Head(); head.ID != (kg.CommitID{}) {
			c.Head = head.ID.String()
		}
		c.Offer = f.catalogs.moved(s)
		return nil
	})
	return c, err
}

// tell sends a change to all watchers. Watchers with the same unreceived changes share one merged change.
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
