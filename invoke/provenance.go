package invoke

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"trails/kg"
	"trails/kg/fault"
)

// Bounds on provenance that waits in memory.
const (
	flushEvery = time.Second
	flushAt    = 256    // activities that wake the recorder early
	keepAtMost = 10_000 // beyond this the oldest are dropped, and the log says so
)

// recorder keeps the provenance of calls that wrote nothing: batched, bounded,
// flushed at least once a second and when the engine closes.
type recorder struct {
	graph *kg.Graph
	log   *slog.Logger
	wake  chan struct{}
	stop  context.CancelFunc
	done  chan struct{}

	flushing sync.Mutex // one flush at a time
	mu       sync.Mutex
	waiting  []kg.Activity
	dropped  int
}

func newRecorder(g *kg.Graph, log *slog.Logger) *recorder {
	ctx, stop := context.WithCancel(context.Background())
	r := &recorder{graph: g, log: log, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

// add takes one activity and never waits.
func (r *recorder) add(a kg.Activity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= keepAtMost {
		r.waiting = r.waiting[1:]
		r.dropped++
	}
	r.waiting = append(r.waiting, a)
	if len(r.waiting) >= flushAt {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// length is how many activities wait.
func (r *recorder) length() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting)
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
		if err := r.flush(ctx); err != nil && ctx.Err() == nil && !fault.Is(err, fault.TimedOut) {
			r.log.Error("provenance was not recorded", "error", err)
		}
	}
}

// flush writes what waits; what cannot be written yet waits on.
func (r *recorder) flush(ctx context.Context) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	batch, dropped := r.take()
	if dropped > 0 {
		r.log.Warn("provenance of calls was dropped: more than can be kept waiting", "dropped", dropped)
	}
	if len(batch) == 0 {
		return nil
	}
	err := r.graph.Record(ctx, batch)
	if err != nil {
		r.putBack(batch)
	}
	return err
}

func (r *recorder) take() ([]kg.Activity, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch, dropped := r.waiting, r.dropped
	r.waiting, r.dropped = nil, 0
	return batch, dropped
}

func (r *recorder) putBack(batch []kg.Activity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := keepAtMost - len(r.waiting)
	if len(batch) > room {
		r.dropped += len(batch) - room
		batch = batch[len(batch)-room:]
	}
	r.waiting = append(batch, r.waiting...)
}

// closeWait bounds how long a process that wants to end waits for others to stop
// writing: a read must not hang on somebody else's load.
const closeWait = 5 * time.Second

// close flushes a last time, trying for a while when others write. What cannot be
// written then is lost, and the log says so.
func (r *recorder) close(ctx context.Context) error {
	r.stop()
	<-r.done
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	for {
		err := r.flush(ctx)
		if !fault.Is(err, fault.TimedOut) {
			return err
		}
		if ctx.Err() != nil {
			r.log.Warn("provenance of calls was not recorded: another process is writing")
			return nil
		}
	}
}
