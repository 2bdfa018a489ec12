package invoke_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// How long a read of a light caller takes beside one that floods the process, as a multiple of that time when the process
// is idle: the 99th of a hundred, and the median. The flood comes from 64 places at once, each with an address of its own.
func BenchmarkLightCallerBesideAFlood(b *testing.B) {
	var data strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&data, `{"type":"Note","id":"n%d","data":{"title":"note %d"}}`+"\n", i, i)
	}
	load, err := json.Marshal(map[string]string{"data": data.String()})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "fair.db")
	invoketest.Create(b, path, kg.CreateOptions{Schema: []byte("types:\n  Note: {properties: {title: string}}\n"), By: invoketest.Ana})
	e, closes := process(b, path, time.Now)
	defer closes()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + e.QueriesAtOnce())) // as a program that serves does
	if err := calls(b, e, invoketest.Ana, "load", string(load)); err != nil {
		b.Fatal(err)
	}
	(&invoketest.Engine{Engine: e}).Govern(b, cedar.Starter)
	for _, flood := range []struct{ capability, args string }{
		{"", ""}, // one goroutine that only computes: what a busy processor costs by itself
		{"get", `{"ids":["Note/n7"]}`},
		{"list", `{"type":"Note","limit":200}`},
		{"query", `{"query":"SELECT (COUNT(*) AS ?n) { ?a :title ?x . ?b :title ?y FILTER(?x < ?y) }"}`},
		{"note.update", `{"id":"n8","title":"TITLE"}`},
	} {
		b.Run("by "+cmp.Or(flood.capability, "nothing"), func(b *testing.B) {
			for b.Loop() {
				idle := light(b, e, 400)
				stop := make(chan struct{})
				var all sync.WaitGroup
				if flood.capability == "" {
					all.Go(func() { spin(stop) })
				}
				for i := range 64 {
					if flood.capability == "" {
						break
					}
					all.Go(func() {
						ctx := invoke.WithCaller(b.Context(), fmt.Sprint(i))
						for n := 0; ; n++ {
							select {
							case <-stop:
								return
							default:
							}
							args := strings.Replace(flood.args, "TITLE", fmt.Sprint(i, n), 1)
							_, err := e.Call(ctx, invoke.Call{Capability: flood.capability, Args: json.RawMessage(args), Principal: flooder})
							if err != nil && !fault.Is(err, fault.Busy) && !fault.Is(err, fault.TimedOut) {
								b.Error(err)
								return
							}
						}
					})
				}
				time.Sleep(time.Second)
				beside := light(b, e, 400)
				close(stop)
				all.Wait()
				b.ReportMetric(float64(idle[len(idle)*99/100].Microseconds()), "µs-idle-p99")
				b.ReportMetric(float64(beside[len(beside)*99/100].Microseconds()), "µs-p99")
				b.ReportMetric(float64(beside[len(beside)*99/100])/float64(idle[len(idle)*99/100]), "times-p99")
				b.ReportMetric(float64(beside[len(beside)*9/10])/float64(idle[len(idle)*9/10]), "times-p90")
				b.ReportMetric(float64(beside[len(beside)/2])/float64(idle[len(idle)/2]), "times-p50")
			}
		})
	}
}

// spin computes until stop is closed.
func spin(stop <-chan struct{}) {
	var over atomic.Bool
	go func() { <-stop; over.Store(true) }()
	for !over.Load() {
	}
}

var flooder = policy.Principal{ID: "token:flood", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}

// light calls so often, with a rest after each call, and returns how long the calls took, sorted.
func light(b *testing.B, e *invoke.Engine, n int) (took []time.Duration) {
	b.Helper()
	for range n {
		time.Sleep(2 * time.Millisecond)
		began := time.Now()
		if err := calls(b, e, token("light"), "get", `{"ids":["Note/n5"]}`); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took
}
