package invoke_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"trails/invoke"
	"trails/invoke/invoketest"
)

// watched is an engine with n watchers that take what they hear.
func watched(b *testing.B, n int) *invoketest.Engine {
	b.Helper()
	e := invoketest.Open(b, worksFile(b), invoke.Config{})
	for range n {
		changes := e.Watch(b.Context(), invoketest.Ana)
		go func() {
			for range changes {
			}
		}()
	}
	return e
}

// BenchmarkWriteWithWatchers is what a writer waits for one call while 1,000
// watch, beside what it waits while nobody does: in turns of a hundred calls, so
// that both meet the same machine. The metrics are medians.
func BenchmarkWriteWithWatchers(b *testing.B) {
	var took [2][]time.Duration
	engines := [2]*invoketest.Engine{watched(b, 0), watched(b, 1000)}
	for n := 0; b.Loop(); n++ {
		turn := n / 100 % 2
		start := time.Now()
		write(b, engines[turn], "note_create", `{"text":"T"}`)
		took[turn] = append(took[turn], time.Since(start))
	}
	without, with := median(took[0]), median(took[1])
	b.ReportMetric(without, "µs-without")
	b.ReportMetric(with, "µs-with-1000")
	if without > 0 {
		b.ReportMetric(with/without, "with/without")
	}
}

// median is the middle of a list in microseconds, 0 of an empty one.
func median(list []time.Duration) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return float64(list[len(list)/2].Nanoseconds()) / 1e3
}

// BenchmarkUntilAllHaveHeard is the time from a call until each of the watchers
// has heard of it. Calls follow each other at once, so that each meets the pause
// between two reports.
func BenchmarkUntilAllHaveHeard(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("watchers=%d", n), func(b *testing.B) {
			e := invoketest.Open(b, worksFile(b), invoke.Config{})
			var heard sync.WaitGroup
			for range n {
				changes := e.Watch(b.Context(), invoketest.Ana)
				go func() {
					for range changes {
						heard.Done()
					}
				}()
			}
			for b.Loop() {
				heard.Add(n)
				write(b, e, "note_create", `{"text":"T"}`)
				heard.Wait()
			}
		})
	}
}
