package schedule

import (
	"context"
	"slices"
	"sync"
)

// queue lets a fixed number of runs proceed, and the others wait. Callers take turns, one run of each at a time, so
// that many runs of one caller do not delay the others. It is safe for concurrent use.
type queue struct {
	// newest lets the newest run of a caller proceed first: for short runs, so that a burst does not delay those that
	// come after it.
	newest bool

	mu      sync.Mutex
	free    int
	callers []*line // callers with waiting runs, the next one first
}

// line is the waiting runs of one caller, oldest first.
type line struct {
	caller  string
	waiting []chan struct{} // each is closed to let its run proceed
}

func newQueue(places int, newest bool) *queue { return &queue{free: places, newest: newest} }

// tryEnter proceeds if that needs no waiting; then leave must be called.
func (q *queue) tryEnter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take()
}

func (q *queue) take() bool {
	if q.free == 0 || len(q.callers) > 0 {
		return false
	}
	q.free--
	return true
}

// enter waits until the run may proceed; then leave must be called. Before it waits it reports its position, which
// can only improve if other runs of its caller leave. The error is that of ctx.
func (q *queue) enter(ctx context.Context, caller string, waits func(place int)) error {
	q.mu.Lock()
	if q.take() {
		q.mu.Unlock()
		return nil
	}
	in := make(chan struct{})
	place := q.add(caller, in)
	q.mu.Unlock()
	waits(place)
	select {
	case <-in:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.remove(caller, in) { // it was let in at the same moment
		q.free++
		q.letIn()
	}
	return ctx.Err()
}

// add appends a run, and returns its position.
func (q *queue) add(caller string, in chan struct{}) (place int) {
	at := slices.IndexFunc(q.callers, func(l *line) bool { return l.caller == caller })
	if at < 0 {
		at = len(q.callers)
		q.callers = append(q.callers, &line{caller: caller})
	}
	own := q.callers[at]
	before := len(own.waiting) // of its caller
	if q.newest {
		before = 0
	}
	own.waiting = append(own.waiting, in)
	place = before + 1
	for i, other := range q.callers {
		switch {
		case i < at:
			place += min(before+1, len(other.waiting))
		case i > at:
			place += min(before, len(other.waiting))
		}
	}
	return place
}

// remove removes a run, and reports whether it was still waiting.
func (q *queue) remove(caller string, in chan struct{}) bool {
	for i, l := range q.callers {
		at := slices.Index(l.waiting, in)
		if l.caller != caller || at < 0 {
			continue
		}
		l.waiting = slices.Delete(l.waiting, at, at+1)
		if len(l.waiting) == 0 {
			q.callers = slices.Delete(q.callers, i, i+1)
		}
		return true
	}
	return false
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.letIn()
}

// letIn lets the next runs proceed while there is room. The lock must be held.
func (q *queue) letIn() {
	for q.free > 0 && len(q.callers) > 0 {
		l := q.callers[0]
		q.callers = slices.Delete(q.callers, 0, 1)
		at := 0
		if q.newest {
			at = len(l.waiting) - 1
		}
		close(l.waiting[at])
		q.free--
		if l.waiting = slices.Delete(l.waiting, at, at+1); len(l.waiting) > 0 {
			q.callers = append(q.callers, l)
		}
	}
}

// length is how many wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, l := range q.callers {
		n += len(l.waiting)
	}
	return n
}
