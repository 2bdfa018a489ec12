package invoke

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"trails/fault"
	"trails/kg"
)

// Bounds on provenance that waits in memory.
const (
	flushEvery = time.Second
	flushAt    = 256 // activities that make the recorder write at once
	// keepAtMost bounds the reads that wait, and the refusals; beyond it the oldest are
	// dropped, and the log says so.
	keepAtMost = 10_000
)

// recorder writes the provenance of calls that wrote nothing: in batches, bounded, at least once a second and when
// the engine closes.
type recorder struct {
	graph *kg.Graph
	log   *slog.Logger
	also  func(context.Context) // is called after each flush
	wake  chan struct{}
	stop  context.CancelFunc
	done  chan struct{}

	flushing sync.Mutex // one flush at a time
	mu       sync.Mutex
	// reads and refusals wait separately, so that many reads do not displace refusals.
	reads, refusals  []*arrival
	arrived, dropped int
}

// arrival is a waiting activity with its sequence number.
type arrival struct {
	kg.Activity
	nth int
}

func newRecorder(g *kg.Graph, log *slog.Logger, also func(context.Context)) *recorder {
	ctx, stop := context.WithCancel(context.Background())
	r := &recorder{graph: g, log: log, also: also, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

// add takes one activity and never waits.
func (r *recorder) add(a kg.Activity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived++
	queue := r.queueOf(a)
	*queue = append(*queue, &arrival{a, r.arrived})
	r.bound(queue)
	if len(r.reads)+len(r.refusals) >= flushAt {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

func (r *recorder) queueOf(a kg.Activity) *[]*arrival {
	if a.Refused() {
		return &r.refusals
	}
	return &r.reads
}

// bound drops the oldest of a queue that is too long.
func (r *recorder) bound(queue *[]*arrival) {
	if over := len(*queue) - keepAtMost; over > 0 {
		*queue = (*queue)[over:]
		r.dropped += over
	}
}

// length is how many activities wait.
func (r *recorder) length() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.reads) + len(r.refusals)
}

func (r *recorder) run(ctx context.Context) {
	defer close(r.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-r.wake:
		}
		if err := fault.Guard(func() error { defer r.also(ctx); return r.flush(ctx) }); err != nil && ctx.Err() == nil && !fault.Is(err, fault.TimedOut) {
			r.log.Error("provenance was not recorded", "error", fault.Whole(err))
		}
	}
}

// flush writes the waiting activities, here and in files beside the graph; those that cannot be written yet stay.
func (r *recorder) flush(ctx context.Context) error { return r.pass(ctx, r.graph.Record) }

// pass passes all waiting activities to keep, and puts them back if that fails.
func (r *recorder) pass(ctx context.Context, keep func(context.Context, []kg.Activity) error) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	waiting, dropped := r.take()
	if dropped > 0 {
		r.log.Warn("provenance of calls was dropped: more than can be kept waiting", "dropped", dropped)
	}
	batch := make([]kg.Activity, len(waiting))
	for i, a := range waiting {
		batch[i] = a.Activity
	}
	err := fault.Guard(func() error { return keep(ctx, batch) })
	if err != nil {
		r.putBack(waiting)
	}
	return err
}

// take returns the waiting activities in order of arrival.
func (r *recorder) take() ([]*arrival, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, dropped := append(r.reads, r.refusals...), r.dropped
	r.reads, r.refusals, r.dropped = nil, nil, 0
	slices.SortStableFunc(all, func(a, b *arrival) int { return a.nth - b.nth })
	return all, dropped
}

func (r *recorder) putBack(waiting []*arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	newReads, newRefusals := r.reads, r.refusals
	r.reads, r.refusals = nil, nil
	for _, a := range waiting {
		queue := r.queueOf(a.Activity)
		*queue = append(*queue, a)
	}
	r.reads, r.refusals = append(r.reads, newReads...), append(r.refusals, newRefusals...)
	r.bound(&r.reads)
	r.bound(&r.refusals)
}

// closeWait bounds how long a process that wants to end waits for other writers, so that its end does not depend on
// somebody else's load. Writing itself is not bounded.
const closeWait = 250 * time.Millisecond

// close flushes a last time. If others are writing, the activities are set aside in a file, for the next process that
// records some. If that fails, they are lost, and the fault is Unusable.
func (r *recorder) close(ctx context.Context) error {
	r.stop()
	<-r.done
	for began := time.Now(); time.Since(began) < closeWait && ctx.Err() == nil; {
		err := r.flush(ctx)
		if err == nil || r.length() == 0 {
			return nil // files of others can wait
		}
		if fault.Is(err, fault.Unusable) {
			return r.lost(err)
		}
		if !fault.Is(err, fault.TimedOut) {
			return err
		}
	}
	if err := r.pass(ctx, r.graph.SetAside); err != nil {
		return r.lost(fmt.Errorf("another process is writing, and nothing could be set aside: %w", err))
	}
	return nil
}

// lost reports that the waiting activities cannot be stored.
func (r *recorder) lost(why error) error {
	r.log.Error("provenance was lost", "calls", r.length(), "error", fault.Whole(why))
	return fault.New(fault.Unusable, "the provenance of %d calls was lost", r.length()).Because(why)
}
