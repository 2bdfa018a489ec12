package schedule

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// lasting enters and goes on without a place, as a query does.
func lasting(t *testing.T, g *Gate, id string) *Place {
	t.Helper()
	p := enter(t, g, id)
	p.Leave()
	return p
}

// A call that lasts waits for a short one of another actor, but not for long, nor for one of its own, nor for those of an
// actor who has more waiting. A short one does so if its actor has more waiting.
func TestCallsPauseForShortOnesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(16, time.Minute)
		g.cores, g.free, g.spare = 2, 2, 0
		pause := func(p *Place) time.Duration {
			time.Sleep(10 * time.Millisecond) // works meanwhile
			began := time.Now()
			p.Pause()
			return time.Since(began)
		}
		long := lasting(t, g, "long")
		own := enter(t, g, "long")
		if took := pause(long); took != 0 {
			t.Errorf("waited %s for a call of the same actor", took)
		}
		own.Leave()
		short := enter(t, g, "short")
		time.AfterFunc(12*time.Millisecond, short.Leave)
		if took := pause(long); took != 2*time.Millisecond {
			t.Errorf("waited %s for a call that was over after 2 ms", took)
		}
		short = enter(t, g, "short")
		if took := pause(long); took != longestPause {
			t.Errorf("waited %s for a call that goes on, want %s", took, longestPause)
		}
		if took := pause(short); took != 0 {
			t.Errorf("a short call waited %s", took)
		}
		second := enter(t, g, "third")
		go func() { enter(t, g, "short").Leave() }() // no place is free
		synctest.Wait()
		if took := pause(short); took != longestPause {
			t.Errorf("a short call of an actor with more waiting waited %s", took)
		}
		second.Leave()
		synctest.Wait()
		short.Leave()
		long.Leave()
	})
}

// However many short calls others make, a call that lasts works a fifth of the time.
func TestShortCallsDoNotStopALongOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(16, time.Minute)
		var over atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for !over.Load() {
				p := enter(t, g, "short")
				time.Sleep(time.Millisecond)
				p.Leave()
			}
		}()
		p := lasting(t, g, "long")
		began, worked := time.Now(), time.Duration(0)
		for time.Since(began) < time.Second {
			time.Sleep(50 * time.Microsecond)
			worked += 50 * time.Microsecond
			p.Pause()
		}
		over.Store(true)
		<-ended
		if worked < 190*time.Millisecond || worked > 300*time.Millisecond {
			t.Errorf("worked %s of a second, want a fifth", worked)
		}
		p.Leave()
	})
}

// While others call, too, calls that last work one after the other on two processors, a stint at a time; one that is busy
// with something else does not keep the rest waiting. When nobody else calls any more all work at once.
func TestCallsThatLastWorkInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(16, time.Minute)
		g.cores = 2
		const calls, unit = 3, 50 * time.Microsecond
		enter(t, g, "short").Leave()
		idle := lasting(t, g, "long")
		idle.Pause() // has its turn, and never pauses again
		began := time.Now()
		var all sync.WaitGroup
		for n := range calls {
			p := lasting(t, g, "long")
			all.Go(func() {
				var beside, alone time.Duration
				for time.Since(began) < 2*contested {
					p.Pause()
					time.Sleep(unit)
					if time.Since(began) < contested {
						beside += unit
					} else {
						alone += unit
					}
				}
				p.Leave()
				if third := contested / calls; beside < third-4*stint || beside > third+2*stint {
					t.Errorf("call %d worked %s of the time while others called, want %s", n, beside, third)
				}
				if alone < contested-2*stint {
					t.Errorf("call %d worked %s of %s when nobody else called", n, alone, contested)
				}
			})
		}
		all.Wait()
		idle.Leave()
		if len(g.working)+len(g.resting) > 0 {
			t.Errorf("left: %d working, %d resting", len(g.working), len(g.resting))
		}
	})
}
