package invoke_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"trails/invoke"
	"trails/invoke/invoketest"
)

// TestReportsKeepTheirPace: the first of a burst comes at once, the rest as one
// report 25 ms later, and what another process wrote within 100 ms.
func TestReportsKeepTheirPace(t *testing.T) {
	path := worksFile(t)
	synctest.Test(t, func(t *testing.T) {
		here, there := invoketest.Open(t, path, invoke.Config{}), invoketest.Open(t, path, invoke.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		changes := here.Watch(ctx, invoketest.Ana)
		start := time.Now()
		first := write(t, here, "note_create", `{"id":"0"}`)
		if c := <-changes; c.Head != first || time.Since(start) >= 25*time.Millisecond {
			t.Errorf("the first came after %s: %+v", time.Since(start), c)
		}
		var last string
		for i := range 9 {
			last = write(t, here, "note_create", `{"id":"%d"}`, i+1)
		}
		if c := <-changes; c.Head != last || len(c.Instances) != 9 || time.Since(start) < 25*time.Millisecond {
			t.Errorf("the rest came after %s: %+v", time.Since(start), c)
		}
		time.Sleep(time.Second)
		start = time.Now()
		foreign := write(t, there, "note_create", `{"id":"f"}`)
		if c := <-changes; c.Head != foreign || time.Since(start) > 110*time.Millisecond {
			t.Errorf("a foreign one came after %s: %+v", time.Since(start), c)
		}
	})
}

// TestNothingRunsOnWhenWatchersHaveGone relies on synctest, which fails when a
// goroutine is left.
func TestNothingRunsOnWhenWatchersHaveGone(t *testing.T) {
	path := worksFile(t)
	synctest.Test(t, func(t *testing.T) {
		e := invoketest.Open(t, path, invoke.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		left, stayed := e.Watch(ctx, invoketest.Ana), e.Watch(t.Context(), invoketest.Ana)
		first := write(t, e, "note_create", `{}`)
		hear(t, stayed, first)
		cancel()
		for range left { // what it had not taken, then the end
		}
		if open, _ := e.Watchers(); open != 1 {
			t.Errorf("%d watchers after one of two has left", open)
		}
		second := write(t, e, "note_create", `{}`)
		hear(t, stayed, second)
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for c := range stayed {
			t.Errorf("after the engine was closed: %+v", c)
		}
		for c := range e.Watch(t.Context(), invoketest.Ana) {
			t.Errorf("of a closed engine: %+v", c)
		}
	})
}

func TestAWatcherMayComeBack(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		changes := e.Watch(ctx, invoketest.Ana)
		hear(t, changes, write(t, e, "note_create", `{}`))
		cancel()
		for range changes {
		}
		write(t, e, "note_create", `{}`) // is no news to the next one
	}
}

// TestAStalledWatcherDelaysNobody: it takes nothing while others hear all, and then
// hears all of it in one report.
func TestAStalledWatcherDelaysNobody(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	stalled, brisk := e.Watch(t.Context(), invoketest.Ana), e.Watch(t.Context(), invoketest.Ana)
	var want []string
	var last string
	for i := range 5 {
		last = write(t, e, "note_create", `{"id":"n%d"}`, i)
		hear(t, brisk, last)
		want = append(want, fmt.Sprintf("trails://kg/Note/n%d", i))
	}
	if open, behind := e.Watchers(); open != 2 || behind != 1 {
		t.Errorf("%d watchers, %d behind", open, behind)
	}
	if c := <-stalled; c.Head != last || !slices.Equal(c.Instances, want) {
		t.Errorf("got %+v, want %v", c, want)
	}
}

// many is NDJSON of n notes.
func many(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"Note","id":"n%d","data":{"text":"%d"}}`+"\n", from+i, from+i)
	}
	return b.String()
}

func TestTooManyInstancesAreAResyncOfTheirTypes(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	write(t, e, "book_create", `{"title":"a type that is not touched"}`)
	stalled, brisk := e.Watch(t.Context(), invoketest.Ana), e.Watch(t.Context(), invoketest.Ana)

	fits := write(t, e, "load", `{"data":%q}`, many(0, 3000))
	if c := hear(t, brisk, fits); c.Resync || len(c.Instances) != 3000 {
		t.Errorf("3,000: resync %v, %d instances", c.Resync, len(c.Instances))
	}
	write(t, e, "load", `{"data":%q}`, many(3000, 3000)) // too many when folded with the first
	large := write(t, e, "load", `{"data":%q}`, many(10_000, 4500))
	if c := hear(t, brisk, large); !c.Resync || !slices.Equal(c.Types, []string{"Note"}) {
		t.Errorf("4,500 instances: resync %v of %v", c.Resync, c.Types)
	}
	if c := <-stalled; !c.Resync || len(c.Instances) != 0 || !slices.Equal(c.Types, []string{"Note"}) {
		t.Errorf("folded: resync %v of %v, %d instances", c.Resync, c.Types, len(c.Instances))
	}
}

// TestABulkLoadIsAResyncOfEverything: such a commit has no change log, and invoketest.Nobody
// scans the graph for a watcher.
func TestABulkLoadIsAResyncOfEverything(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	changes := e.Watch(t.Context(), invoketest.Ana)
	bulk := write(t, e, "load", `{"data":%q}`, many(0, 6000))
	c := hear(t, changes, bulk)
	if !c.Resync || c.Schema || len(c.Instances) != 0 || !slices.Equal(c.Types, []string{"Book", "Note", "Song", "Work"}) {
		t.Errorf("got resync %v of %v, %d instances", c.Resync, c.Types, len(c.Instances))
	}
}

func TestAThousandWatchersHearOneWrite(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	var watchers []<-chan invoke.Change
	for range 1000 {
		watchers = append(watchers, e.Watch(t.Context(), invoketest.Ana))
	}
	commit := write(t, e, "note_create", `{"id":"n"}`)
	for i, changes := range watchers {
		if c := <-changes; c.Head != commit || !slices.Equal(c.Instances, []string{"trails://kg/Note/n"}) {
			t.Fatalf("watcher %d: %+v", i, c)
		}
	}
}

// TestWhatASlowWatcherHearsCoversWhatWasDone: however the reports are folded,
// every address that a write changed is named, or its type is to be read again.
func TestWhatASlowWatcherHearsCoversWhatWasDone(t *testing.T) {
	path := worksFile(t)
	writers := []*invoketest.Engine{invoketest.Open(t, path, invoke.Config{}), invoketest.Open(t, path, invoke.Config{})}
	rapid.Check(t, func(rt *rapid.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		changes := writers[0].Watch(ctx, invoketest.Ana)
		want := map[string]bool{}
		var heard invoke.Change
		take := func(c invoke.Change) {
			heard.Head, heard.Instances = c.Head, union(heard.Instances, c.Instances)
			if c.Resync {
				heard.Types = union(heard.Types, c.Types)
			}
		}
		last := ""
		for range rapid.IntRange(1, 12).Draw(rt, "writes") {
			w := rapid.SampledFrom(writers).Draw(rt, "writer")
			id := rapid.SampledFrom([]string{"a", "b", "c/d"}).Draw(rt, "id")
			what := rapid.SampledFrom([]string{"create", "update", "delete"}).Draw(rt, "what")
			args := fmt.Sprintf(`{"id":%q,"text":"%d"}`, id, len(want)+rapid.IntRange(0, 1<<30).Draw(rt, "text"))
			if what == "delete" {
				args = fmt.Sprintf(`{"id":%q}`, id)
			}
			// One that is there already, or is not there, changes nothing.
			if commit, ok := try(t, w, "note_"+what, args); ok {
				last = commit
				want[invoke.Address("Note", id)] = true
			}
			if rapid.Bool().Draw(rt, "takes") {
				select {
				case c := <-changes:
					take(c)
				default:
				}
			}
		}
		for heard.Head != last {
			take(<-changes)
		}
		for uri := range want {
			if !slices.Contains(heard.Instances, uri) && !slices.Contains(heard.Types, "Note") {
				rt.Errorf("nothing was heard of %s; heard %+v", uri, heard)
			}
		}
	})
}

// try makes a call that may be refused, and returns the commit when there is one.
func try(t testing.TB, e *invoketest.Engine, capability, args string) (string, bool) {
	t.Helper()
	r, err := e.Do(t, capability, args)
	if err != nil {
		return "", false
	}
	return commitIn(t, r.Structured)
}

// TestWatchersComeAndGoWhileOthersWrite ends with every goroutine gone, which
// synctest checks.
func TestWatchersComeAndGoWhileOthersWrite(t *testing.T) {
	path := worksFile(t)
	synctest.Test(t, func(t *testing.T) {
		engines := []*invoketest.Engine{invoketest.Open(t, path, invoke.Config{}), invoketest.Open(t, path, invoke.Config{})}
		var all sync.WaitGroup
		for i, e := range engines {
			all.Go(func() {
				for n := range 20 {
					write(t, e, "note_create", `{"id":"n%d-%d"}`, i, n)
					time.Sleep(10 * time.Millisecond)
				}
			})
			for range 3 {
				all.Go(func() {
					for range 5 {
						ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
						for range e.Watch(ctx, invoketest.Ana) {
							time.Sleep(7 * time.Millisecond)
						}
						cancel()
					}
				})
			}
		}
		all.Wait()
		for _, e := range engines {
			if open, behind := e.Watchers(); open+behind != 0 {
				t.Errorf("%d watchers left, %d behind", open, behind)
			}
		}
	})
}
