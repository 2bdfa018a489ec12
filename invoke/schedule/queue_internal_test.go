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
)

// letInOrder lets one after another wait in a queue with one place, and returns in which
// order they were let in, and the places that they were told.
func letInOrder(t *testing.T, newest bool, callers ...string) (order []string, places []int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, newest)
		if !q.tryEnter() {
			t.Fatal("a queue with a free place made somebody wait")
		}
		var mu sync.Mutex
		var waits sync.WaitGroup
		for i, caller := range callers {
			waits.Go(func() {
				err := q.enter(t.Context(), caller, func(place int) { places = append(places, place) })
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, fmt.Sprint(caller, i))
				mu.Unlock()
				time.Sleep(time.Second)
				q.leave()
			})
			synctest.Wait()
		}
		if n := q.length(); n != len(callers) {
			t.Errorf("%d wait, want %d", n, len(callers))
		}
		q.leave()
		waits.Wait()
		if !q.tryEnter() {
			t.Error("the place was not given back")
		}
	})
	return order, places
}

func TestCallersAreLetInInTurn(t *testing.T) {
	order, places := letInOrder(t, false, "a", "a", "a", "a", "b", "c", "b")
	if want := []string{"a0", "b4", "c5", "a1", "b6", "a2", "a3"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
	if want := []int{1, 2, 3, 4, 2, 3, 5}; !slices.Equal(places, want) {
		t.Errorf("they were told the places %v, want %v", places, want)
	}
}

func TestWhereTheNewestComesFirstACrowdDelaysNobodyAfterIt(t *testing.T) {
	order, _ := letInOrder(t, true, "a", "a", "a", "b", "a")
	if want := []string{"a4", "b3", "a2", "a1", "a0"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}

func TestWhoStopsWaitingTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, false)
		q.tryEnter()
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- q.enter(ctx, "a", func(int) {}) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) || q.length() != 0 {
			t.Errorf("got %v, and %d wait", err, q.length())
		}
		q.leave()
		if !q.tryEnter() {
			t.Error("the place is lost")
		}
	})
}

// someTurns has a place of each kind.
func someTurns() *Scheduler {
	return &Scheduler{
		trials: []trial{{newQueue(1, true), time.Second}},
		seats:  newQueue(1, false), running: newQueue(1, false), wait: time.Minute,
	}
}

// rests wants that nothing of the turns is held.
func (t *Scheduler) rests() bool {
	for _, q := range []*queue{t.trials[0].queue, t.seats, t.running} {
		if q.free != 1 || q.length() != 0 {
			return false
		}
	}
	return true
}

// after is a run that says something and takes a time, or less when it is told to end.
func after(s *job, text string, d time.Duration) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		if _, err := s.Write([]byte(text)); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
			return text, nil
		}
	}
}

func TestATrialThatLastsGoesOnWhenATurnIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := &job{scheduler: someTurns(), out: &out}
		if err := s.beginTrial(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		value, err := s.run(t.Context(), after(s, "said ", time.Hour))
		if err != nil || value != "said " || !s.seat || s.trial != nil {
			t.Errorf("got %v, %v, %+v", value, err, s)
		}
		s.end()
		if !s.scheduler.rests() {
			t.Errorf("something is held: %+v", s.scheduler)
		}
	})
}

func TestATrialThatLastsBeginsAnewAndNobodyHasSeenAnythingOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := &job{scheduler: someTurns(), out: &out}
		s.scheduler.running.tryEnter() // somebody else
		if err := s.beginTrial(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.run(t.Context(), after(s, "lost ", time.Hour)); !errors.Is(err, errNotOver) || out.Len() > 0 {
			t.Fatalf("got %v, and %q was said", err, out.String())
		}
		s.level = len(s.scheduler.trials)
		s.end()
		s.scheduler.running.leave()
		if err := s.beginTurn(t.Context(), func(int) { t.Error("it had to wait") }); err != nil {
			t.Fatal(err)
		}
		value, err := s.run(t.Context(), after(s, "said ", time.Hour))
		if err != nil || value != "said " || out.String() != "said " {
			t.Errorf("got %v, %v, and %q was said", value, err, out.String())
		}
		s.end()
		if !s.scheduler.rests() {
			t.Errorf("something is held: %+v", s.scheduler)
		}
	})
}

// slow is a reader of output that looks at the turns while it is written to.
type slow struct{ look func() }

func (w slow) Write(p []byte) (int, error) {
	w.look()
	return len(p), nil
}

func TestATurnIsGivenAwayWhileItsReaderIsWaitedFor(t *testing.T) {
	all := someTurns()
	seen := false
	s := &job{scheduler: all, out: slow{func() {
		if seen = true; all.running.free != 1 || all.seats.free != 0 {
			t.Errorf("while it is written there are %d turns and %d seats free, want 1 and 0", all.running.free, all.seats.free)
		}
	}}}
	s.level = len(all.trials)
	if err := s.beginTurn(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t.Context(), after(s, "said ", 0)); err != nil || !seen {
		t.Errorf("%v, written %v", err, seen)
	}
	s.end()
	if !all.rests() {
		t.Errorf("something is held: %+v", all)
	}
}

func TestTheLongestTurnEndsWhenSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &job{scheduler: someTurns(), out: slow{func() {}}}
		s.level = len(s.scheduler.trials)
		if err := s.beginTurn(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Minute, func() { go s.scheduler.seats.enter(ctx, "other", func(int) {}) })
		_, err := s.run(t.Context(), after(s, "", time.Hour))
		if took := time.Since(began); !strings.Contains(fmt.Sprint(err), "other queries wait") || took < 10*time.Minute || took > 10*time.Minute+2*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
		s.end()
		cancel()
	})
}
