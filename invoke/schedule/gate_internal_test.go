package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trails/fault"
)

// aGate is a gate with one place for all and one spare one, for three calls of an actor.
func aGate() *Gate {
	return &Gate{wait: time.Minute, cores: 2, most: 3, free: 1, spare: 1, actors: map[string]*actor{}}
}

// enter enters, and fails the test on an error.
func enter(t *testing.T, g *Gate, id string) *Place {
	t.Helper()
	p, _, err := g.Enter(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// enterAtOnce enters, and fails the test if that takes any time.
func enterAtOnce(t *testing.T, g *Gate, id string) *Place {
	t.Helper()
	p, waited, err := g.Enter(t.Context(), id)
	if err != nil || waited != 0 {
		t.Fatalf("%s waited %s, %v", id, waited, err)
	}
	return p
}

// rests wants that nothing of a gate is held, and nobody remembered.
func (g *Gate) rests(t *testing.T, free, spare int) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free != free || g.spare != spare || len(g.actors) > 0 || len(g.order) > 0 {
		t.Errorf("held: %+v", g)
	}
}

// Many calls of one actor let the one of another through, and actors take turns.
func TestActorsTakeTurnsAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aGate()
		first := enterAtOnce(t, g, "flood")
		enterAtOnce(t, g, "light").Leave() // has the spare place
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		second := enterAtOnce(t, g, "second") // and there is no other
		for i, id := range []string{"flood", "flood", "flood", "light", "flood", "third"} {
			all.Go(func() {
				p := enter(t, g, id)
				mu.Lock()
				order = append(order, fmt.Sprint(id, i))
				mu.Unlock()
				time.Sleep(time.Millisecond)
				p.Leave()
			})
			synctest.Wait()
		}
		first.Leave()
		all.Wait()
		second.Leave()
		if want := []string{"flood0", "light3", "third5", "flood1", "flood2", "flood4"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		g.rests(t, 1, 1)
	})
}

// While another one calls, too, an actor has one processor fewer; a second later it has all.
func TestAnActorLeavesAProcessorFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aGate()
		g.free = 2
		enterAtOnce(t, g, "light").Leave()
		p := enterAtOnce(t, g, "flood")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, _, err := g.Enter(ctx, "flood"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second call of an actor: %v", err)
		}
		time.Sleep(2 * contested)
		p.Leave()
		one, two := enterAtOnce(t, g, "flood"), enterAtOnce(t, g, "flood")
		one.Leave()
		two.Leave()
		g.rests(t, 2, 1)
	})
}

// A call that lasts gives its place to others, and counts as one of its actor's, who has not more than so many.
func TestALongCallGivesItsPlaceUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aGate()
		var long []*Place
		for range g.most {
			long = append(long, enter(t, g, "flood"))
			time.Sleep(2 * brief)
		}
		began := time.Now()
		_, _, err := g.Enter(t.Context(), "flood")
		if f := fault.Of(err); f.Kind != fault.Busy || time.Since(began) != g.wait || !strings.Contains(f.Message, "3 calls of yours run, 0 wait") {
			t.Errorf("one more after %s: %v", time.Since(began), err)
		}
		enter(t, g, "light").Leave()
		time.AfterFunc(time.Second, long[0].Leave)
		p, waited, err := g.Enter(t.Context(), "flood")
		if err != nil || waited != time.Second {
			t.Errorf("waited %s, %v", waited, err)
		}
		for _, p := range append(long, p) {
			p.Leave()
			p.Leave() // again does nothing
		}
		g.rests(t, 1, 1)
	})
}
