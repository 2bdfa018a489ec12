package schedule

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"trails/fault"
)

// contested is for how long after a call the processor that another actor left free stays so.
const contested = time.Second

// brief is for how long a call holds its place in a [Gate]; what lasts longer goes on without one.
const brief = 50 * time.Millisecond

// Gate lets few calls run at the same time, so that many calls of one actor do not slow down others: actors take turns,
// and one that has no call running hardly waits. A call that lasts gives its place up, and counts as one of its actor
// until its end. It is safe for concurrent use. See docs/decisions/0144-budgets.md.
type Gate struct {
	wait  time.Duration
	cores int
	most  int // calls of one actor, those that last too

	mu     sync.Mutex
	free   int // places for all
	spare  int // places for actors that hold none
	actors map[string]*actor
	order  []*actor // those with waiting calls, the next one first
	seen   [2]sight // the two actors that called last
	// For [Place.Pause]: placed hold a place, and left is closed when one gives it up, nil if nobody waits for that. Of the
	// calls that last, working have their turn, and resting wait for it, the oldest first.
	placed, working, resting []*Place
	left                     chan struct{}
}

// sight is when an actor called last.
type sight struct {
	id string
	at time.Time
}

// actor is somebody with calls that run or wait.
type actor struct {
	id      string
	placed  int           // calls that hold a place
	running int           // calls that run
	waiting []chan *Place // each gets the place of its call, the oldest first
}

// Place is what a call that runs holds in a [Gate]. A nil Place holds nothing.
type Place struct {
	gate  *Gate
	actor *actor
	spare bool // it is one of the spare places
	held  bool // the place is not given up yet
	gone  bool // the call has ended
	timer *time.Timer
	work
}

// NewGate returns a gate for calls that share so many readers of a file. A call waits at most for a time, 15 seconds if
// that is 0.
func NewGate(readers int, wait time.Duration) *Gate {
	if wait <= 0 {
		wait = defaultQueryWait
	}
	cores := runtime.NumCPU()
	return &Gate{wait: wait, cores: cores, most: max(cores, readers/2), free: cores, spare: max(2, cores), actors: map[string]*actor{}}
}

// Enter waits until a call of an actor may run, and returns how long; then [Place.Leave] must be called. The fault Busy is that it had no place in
// time; other errors are that of ctx.
func (g *Gate) Enter(ctx context.Context, id string) (p *Place, waited time.Duration, err error) {
	g.mu.Lock()
	a := g.actors[id]
	if a == nil {
		a = &actor{id: id}
		g.actors[id] = a
	}
	g.see(id)
	if len(a.waiting) == 0 && g.admits(a) {
		p = g.place(a)
		g.mu.Unlock()
		return p, 0, nil
	}
	in := make(chan *Place, 1)
	if len(a.waiting) == 0 {
		g.order = append(g.order, a)
	}
	a.waiting = append(a.waiting, in)
	g.mu.Unlock()
	began := time.Now()
	patient, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	select {
	case p = <-in:
		return p, time.Since(began), nil
	case <-patient.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(a.waiting, in)
	if at < 0 { // it was let in at the same moment
		return <-in, time.Since(began), nil
	}
	g.unqueue(a, at)
	g.forget(a)
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	return nil, 0, fault.New(fault.Busy, "%d calls of yours run, %d wait, and this one had no turn in %s; wait for answers before you send more", a.running, len(a.waiting), g.wait).
		With("waiting", len(a.waiting)).With("retry_after", 1)
}

// see notes that an actor calls.
func (g *Gate) see(id string) {
	if g.seen[0].id != id {
		g.seen[0], g.seen[1] = sight{id: id}, g.seen[0]
	}
	g.seen[0].at = time.Now()
}

// admits reports whether a call of an actor may run now. While others call, too, an actor leaves a processor free.
func (g *Gate) admits(a *actor) bool {
	if a.placed >= max(1, g.cores-1) && g.contestedFor(a, time.Now()) {
		return false
	}
	return a.running < g.most && (g.free > 0 || g.spare > 0 && a.placed == 0)
}

// place gives a place to a call of an actor whom the gate admits.
func (g *Gate) place(a *actor) *Place {
	p := &Place{gate: g, actor: a, held: true, spare: g.free == 0, work: work{began: time.Now()}}
	if p.spare {
		g.spare--
	} else {
		g.free--
	}
	g.placed = append(g.placed, p)
	a.placed++
	a.running++
	p.timer = time.AfterFunc(brief, p.giveUp)
	return p
}

// giveUp gives the place up while the call goes on.
func (p *Place) giveUp() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.free()
	p.gate.letIn()
}

func (p *Place) free() {
	g := p.gate
	switch {
	case !p.held:
		return
	case p.spare:
		g.spare++
	default:
		g.free++
	}
	p.held = false
	g.placed = slices.DeleteFunc(g.placed, func(o *Place) bool { return o == p })
	p.actor.placed--
	if g.left != nil {
		close(g.left)
		g.left = nil
	}
}

// Leave ends the call for the gate. It may be called more than once.
func (p *Place) Leave() {
	if p == nil {
		return
	}
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rest(p)
	if p.gone {
		return
	}
	p.timer.Stop()
	p.free()
	p.gone = true
	p.actor.running--
	g.letIn()
	g.forget(p.actor)
}

// letIn lets waiting calls run while there is room: actors take turns, and an actor's oldest call is first.
func (g *Gate) letIn() {
	for i := 0; i < len(g.order); {
		a := g.order[i]
		if !g.admits(a) {
			i++
			continue
		}
		in := a.waiting[0]
		g.unqueue(a, 0)
		if len(a.waiting) > 0 {
			g.order = append(slices.DeleteFunc(g.order, func(other *actor) bool { return other == a }), a)
		}
		in <- g.place(a)
		i = 0
	}
}

// unqueue takes a call of an actor out of those that wait.
func (g *Gate) unqueue(a *actor, at int) {
	if a.waiting = slices.Delete(a.waiting, at, at+1); len(a.waiting) == 0 {
		g.order = slices.DeleteFunc(g.order, func(other *actor) bool { return other == a })
	}
}

// forget drops an actor without calls.
func (g *Gate) forget(a *actor) {
	if a.running == 0 && len(a.waiting) == 0 {
		delete(g.actors, a.id)
	}
}
