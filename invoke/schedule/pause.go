package schedule

import (
	"slices"
	"time"
)

// Bounds for calls that pause.
const (
	// longestPause is how long a call waits at once for short calls of others.
	longestPause = 5 * time.Millisecond
	// pausesPerWork is how much longer a call may have waited for short calls than it has worked.
	pausesPerWork = 4
	// stint is how long a lasting call works until it is the next one's turn.
	stint = 5 * time.Millisecond
)

// work is what a call has to do with others while it runs.
type work struct {
	began, since time.Time     // of the call, and of its stint
	paused       time.Duration // how long it waited for short calls
	rested       time.Duration // how long it waited for its turn
	on           bool          // it is one of those that work in turns
	turn         chan struct{} // closed when its turn comes; nil if it does not wait
}

// Pause is for a call to call again and again while it computes. While others call, too, it waits for two reasons: a call
// that lasts waits for the end of short calls of other actors, and so does a short one whose actor has more of them
// waiting. And calls that last work in turns, so that they leave a processor free.
func (p *Place) Pause() {
	if p == nil {
		return
	}
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if p.held && len(p.actor.waiting) == 0 || !g.contestedFor(p.actor, now) {
		g.rest(p)
		return
	}
	p.letPass(now)
	if !p.held {
		p.takeTurn()
	}
}

// Paused is how long the call has waited in [Place.Pause].
func (p *Place) Paused() time.Duration {
	if p == nil {
		return 0
	}
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	return p.paused + p.rested
}

// contestedFor reports whether another actor has called lately.
func (g *Gate) contestedFor(a *actor, now time.Time) bool {
	other := g.seen[0]
	if other.id == a.id {
		other = g.seen[1]
	}
	return now.Sub(other.at) < contested
}

// letPass waits while others have short calls.
func (p *Place) letPass(now time.Time) {
	g := p.gate
	end := now.Add(longestPause)
	for g.othersAreShort(p.actor) && now.Before(end) && p.paused < longestPause+pausesPerWork*(now.Sub(p.began)-p.paused) {
		g.rest(p)
		if g.left == nil {
			g.left = make(chan struct{})
		}
		g.await(g.left, end.Sub(now))
		before := now
		now = time.Now()
		p.paused += now.Sub(before)
	}
}

// othersAreShort reports whether another actor has a call that holds a place, and none that waits.
func (g *Gate) othersAreShort(a *actor) bool {
	return slices.ContainsFunc(g.placed, func(p *Place) bool { return p.actor.id != a.id && len(p.actor.waiting) == 0 })
}

// takeTurn waits for a turn if the call has none, or if its stint is over and others wait.
func (p *Place) takeTurn() {
	g := p.gate
	if p.on && (len(g.resting) == 0 || time.Since(p.since) < stint) {
		return
	}
	g.rest(p)
	before := time.Now()
	defer func() { p.rested += time.Since(before) }()
	for len(g.working) >= max(1, g.cores-1) {
		if p.turn == nil {
			p.turn = make(chan struct{})
			g.resting = append(g.resting, p)
		}
		if g.await(p.turn, stint); p.on {
			return
		}
		g.working = slices.DeleteFunc(g.working, func(o *Place) bool { // waits for something else, and may never pause again
			o.on = o.on && time.Since(o.since) < 2*stint
			return !o.on
		})
	}
	g.resting = slices.DeleteFunc(g.resting, func(o *Place) bool { return o == p })
	g.starts(p)
}

func (g *Gate) starts(p *Place) {
	p.on, p.since, p.turn = true, time.Now(), nil
	g.working = append(g.working, p)
}

// rest ends the turn of a call, and begins that of the one which has waited longest.
func (g *Gate) rest(p *Place) {
	if !p.on {
		return
	}
	p.on = false
	g.working = slices.DeleteFunc(g.working, func(o *Place) bool { return o == p })
	if len(g.resting) > 0 {
		next := g.resting[0]
		g.resting = slices.Delete(g.resting, 0, 1)
		close(next.turn)
		g.starts(next)
	}
}

// await unlocks the gate until c is closed or a time has passed.
func (g *Gate) await(c chan struct{}, most time.Duration) {
	g.mu.Unlock()
	defer g.mu.Lock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	}
}
