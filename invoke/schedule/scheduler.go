// Package schedule decides when queries and exports run. Such a run holds a reader of the file, and mostly a
// processor, so only few run at the same time; the others wait in a fair order and hold nothing. See
// docs/decisions/0028-admission.md.
//
// Read [Scheduler.Do] first.
package schedule

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"trails/fault"
)

// Bounds for long runs; see docs/decisions/0028-admission.md.
const (
	// defaultQueryWait is how long a query waits for its turn.
	defaultQueryWait = 15 * time.Second
	// briefOutput is how much of a stream is buffered before a run has its turn.
	briefOutput = 1 << 20
	// longestTurn is how long a turn may last while others are waiting.
	longestTurn = time.Minute
)

// Scheduler runs the queries and exports of a process. Each holds a reader of the file while it runs; some readers
// are reserved for other calls. Most hold a processor, too.
type Scheduler struct {
	// Gate is where calls enter, those that are no queries, too.
	*Gate
	// trials are for short runs, the shorter trial first; most runs need only that.
	trials []trial
	// seats are readers for longer runs; running is for those with a seat that are not waiting for the receiver of
	// their output.
	seats, running *queue
	wait           time.Duration
	most           int // maximum number of runs at the same time
}

// trial lets a query run for a short time, which may suffice.
type trial struct {
	*queue
	time time.Duration
}

// New divides readers: a quarter at most is for trials, a half for what takes
// longer, and the rest for calls that are neither query nor export.
func New(readers int, wait time.Duration) *Scheduler {
	if wait <= 0 {
		wait = defaultQueryWait
	}
	cores := runtime.GOMAXPROCS(0)
	short, long := max(1, min(cores, readers/8)), max(1, min(cores/2, readers/8))
	return &Scheduler{
		Gate: NewGate(readers, wait),
		trials: []trial{
			{newQueue(short, true), 40 * time.Millisecond},
			{newQueue(long, true), 250 * time.Millisecond},
		},
		seats:   newQueue(max(1, readers/2), false),
		running: newQueue(long, false),
		wait:    wait,
		most:    short + 2*long,
	}
}

// AtOnce returns how many run at the same time at most.
func (t *Scheduler) AtOnce() int { return t.most }

// Waiting is how many queries wait for a turn.
func (t *Scheduler) Waiting() int {
	n := t.seats.length() + t.running.length()
	for _, trial := range t.trials {
		n += trial.length()
	}
	return n
}

// errNotOver ends a trial that takes too long.
var errNotOver = errors.New("the query needs a turn of its own")

// Holder is the call of a run, with what it holds and must release while it waits.
type Holder struct {
	// Caller identifies the caller; callers take turns.
	Caller string
	// Output receives the stream of the run; nil when it has none.
	Output io.Writer
	// Release releases what is held before waiting; Resume acquires it again if it is not held. Waits is called with
	// the position in the queue.
	Release func()
	Resume  func(context.Context) error
	Waits   func(place int)
}

// Do runs something that may take long. It starts nearly at once, as a trial. If the trial takes too long, the run
// continues if a turn is free. Otherwise it stops, releases everything, waits, and starts again when its turn has
// come; nothing of its output has been sent before. The run must write to the output that it is given. If no turn
// comes in time, it is fault.Busy.
func (t *Scheduler) Do(ctx context.Context, h Holder, run func(context.Context, io.Writer) (any, error)) (any, error) {
	s := &job{scheduler: t, caller: h.Caller, out: h.Output}
	defer s.end()
	once := func(ctx context.Context) (any, error) {
		if s.out == nil {
			return run(ctx, nil)
		}
		return run(ctx, s)
	}
	value, err := s.tryOut(ctx, h, once)
	if errors.Is(err, errNotOver) {
		if err := s.await(ctx, h, t.wait, s.beginTurn); err != nil {
			return nil, err
		}
		value, err = s.run(ctx, once)
	}
	if err != nil || s.kept.Len() == 0 {
		return value, err
	}
	s.end()
	h.Release() // nothing is held while the receiver of the output is slow
	_, err = s.kept.WriteTo(s.out)
	return value, err
}

// tryOut runs the trials. If there is no room in the second one soon, waiting for a turn is as good.
func (s *job) tryOut(ctx context.Context, h Holder, run func(context.Context) (any, error)) (any, error) {
	patience := s.scheduler.wait
	for ; s.level < len(s.scheduler.trials); s.level++ {
		err := s.await(ctx, h, patience, s.beginTrial)
		if s.level > 0 && fault.Is(err, fault.Busy) {
			break
		}
		if err != nil {
			return nil, err
		}
		if value, err := s.run(ctx, run); !errors.Is(err, errNotOver) {
			return value, err
		}
		patience = s.scheduler.wait / 4
	}
	return nil, errNotOver
}

// await waits for begin, and holds nothing meanwhile; a snapshot taken afterwards is as new as the turn.
func (s *job) await(ctx context.Context, h Holder, patience time.Duration, begin func(ctx context.Context, waits func(place int)) error) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	last := 0
	err := begin(waiting, func(place int) {
		last = place
		h.Release()
		h.Waits(place)
	})
	switch {
	case err != nil && ctx.Err() == nil:
		return s.scheduler.busy(last)
	case err != nil:
		return err
	}
	return h.Resume(ctx)
}

// busy is the fault that no turn came in time.
func (t *Scheduler) busy(place int) error {
	return fault.New(fault.Busy, "other queries are running, and this one had no turn in %s: it began as number %d of those that wait; try again later, or restrict it", t.wait, place).
		With("limit", t.wait.Seconds()).With("used", t.wait.Seconds()).With("place", place).With("waiting", t.Waiting()).
		With("retry_after", max(1, int(t.wait.Seconds())))
}

// job is one run of a query or export, with the turns that it holds. It is also the Output of its call, which it
// buffers while the run may have to start again.
type job struct {
	scheduler *Scheduler
	caller    string
	out       io.Writer
	// level is the current trial, or the number of trials during its turn.
	level int

	mu      sync.Mutex
	ctx     context.Context // of the run, which also ends a write that is waiting for its turn
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	trial   *queue // the trial in which it holds a place, or nil
	seat    bool   // it holds a seat
	running bool   // and a turn
	kept    bytes.Buffer
}

func (s *job) beginTrial(ctx context.Context, waits func(int)) error {
	s.end()
	if err := s.scheduler.trials[s.level].enter(ctx, s.caller, waits); err != nil {
		return err
	}
	s.trial = s.scheduler.trials[s.level].queue
	return nil
}

func (s *job) beginTurn(ctx context.Context, waits func(int)) error {
	s.end()
	if err := s.scheduler.seats.enter(ctx, s.caller, waits); err != nil {
		return err
	}
	s.seat = true
	if err := s.scheduler.running.enter(ctx, s.caller, waits); err != nil {
		return err
	}
	s.running = true
	return nil
}

// run runs once. A trial that takes too long continues if there is room for it, and ends with errNotOver otherwise.
func (s *job) run(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	s.ctx, s.cancel = ctx, cancel
	s.begin()
	s.mu.Unlock()
	value, err := run(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	if why := context.Cause(ctx); err != nil && (errors.Is(why, errNotOver) || fault.Is(why, fault.Busy)) {
		s.kept.Reset()
		return nil, why
	}
	return value, err
}

// begin starts the timer for what is now held.
func (s *job) begin() {
	if s.trial != nil {
		s.timer = time.AfterFunc(s.scheduler.trials[s.level].time, s.lasts)
		return
	}
	s.timer = time.AfterFunc(longestTurn, s.overstays)
}

// lasts is called when the time of a trial is over.
func (s *job) lasts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trial == nil || s.takeTurn() {
		return
	}
	if next := s.level + 1; next < len(s.scheduler.trials) && s.scheduler.trials[next].tryEnter() {
		s.trial.leave()
		s.trial, s.level = s.scheduler.trials[next].queue, next
		s.begin()
		return
	}
	s.cancel(errNotOver)
}

// takeTurn exchanges the place in a trial for a free turn.
func (s *job) takeTurn() bool {
	if !s.scheduler.seats.tryEnter() {
		return false
	}
	if !s.scheduler.running.tryEnter() {
		s.scheduler.seats.leave()
		return false
	}
	s.trial.leave()
	s.timer.Stop()
	s.trial, s.seat, s.running = nil, true, true
	s.begin()
	return true
}

// overstays ends a run after the longest turn, as soon as another one waits.
func (s *job) overstays() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.seat {
		return
	}
	if s.scheduler.seats.length()+s.scheduler.running.length() == 0 {
		s.timer.Reset(time.Second)
		return
	}
	s.cancel(fault.New(fault.Busy, "other queries wait, and this one had run for %s; restrict it, or ask for a part of it at a time", longestTurn).
		With("limit", longestTurn.Seconds()).With("used", longestTurn.Seconds()).With("retry_after", 1))
}

// Write buffers the output of a trial. A run with a turn gives it up while it waits for its receiver.
func (s *job) Write(p []byte) (int, error) {
	s.mu.Lock()
	if s.trial != nil && s.kept.Len()+len(p) <= briefOutput {
		defer s.mu.Unlock()
		return s.kept.Write(p)
	}
	if s.trial != nil && !s.takeTurn() {
		defer s.mu.Unlock()
		s.level = len(s.scheduler.trials) // another trial would get no further
		s.cancel(errNotOver)
		return 0, errNotOver
	}
	kept := bytes.Clone(s.kept.Bytes())
	s.kept.Reset()
	s.running = false
	s.mu.Unlock()

	s.scheduler.running.leave()
	if len(kept) > 0 {
		if _, err := s.out.Write(kept); err != nil {
			return 0, err
		}
	}
	n, err := s.out.Write(p)
	if err != nil {
		return n, err
	}
	if err := s.scheduler.running.enter(s.ctx, s.caller, func(int) {}); err != nil {
		return n, context.Cause(s.ctx)
	}
	s.mu.Lock()
	s.running = true
	s.mu.Unlock()
	return n, nil
}

// end gives back what is held.
func (s *job) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trial != nil {
		s.trial.leave()
	}
	if s.running {
		s.scheduler.running.leave()
	}
	if s.seat {
		s.scheduler.seats.leave()
	}
	s.trial, s.seat, s.running = nil, false, false
}
