//go:build unix

package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/invoke"
	"trails/mcp"
)

// BenchmarkThousandSubscribers writes while 1,000 sessions over HTTP are subscribed
// to what is written, each with its stream open: how long until all have heard (250
// ms at most), and how long the write itself takes beside the same on another file,
// in turn, that one listener watches (1.2 times at most).
func BenchmarkThousandSubscribers(b *testing.B) {
	const subscribers = 1000
	needFiles(b, 3*subscribers)
	e, other := openFile(b, exampleFile(b)), openFile(b, exampleFile(b))
	changes := other.Watch(b.Context(), policy.Local("ana", ""))
	server := mcp.New(e, options(""))
	web := httptest.NewServer(server.StatefulHandler())
	b.Cleanup(func() {
		server.Close()
		web.Close()
	})
	crowd := gather(b, web.URL, subscribers)
	b.ResetTimer()
	var all, beside, alone []time.Duration
	for i := 0; b.Loop(); i++ {
		alone = append(alone, timed(func() { change(b, other, i) }))
		<-changes
		write := timed(func() { change(b, e, i) })
		written := time.Now()
		crowd.wait(b)
		beside, all = append(beside, write), append(all, write+time.Since(written))
	}
	b.ReportMetric(millis(slices.Max(all)), "ms/all-notified-max")
	b.ReportMetric(millis(median(all)), "ms/all-notified")
	b.ReportMetric(millis(median(beside)), "ms/write")
	b.ReportMetric(millis(median(alone)), "ms/write-alone")
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "×write-alone")
}

func needFiles(b *testing.B, n uint64) {
	b.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < n {
		b.Skipf("SKIPPED: %d OPEN FILES ARE ALLOWED, AND %d ARE NEEDED", limit.Cur, n)
	}
}

// change changes one instance. A round has a number of its own: what is there already
// is no change.
func change(b *testing.B, e *invoke.Engine, round int) {
	b.Helper()
	args := fmt.Sprintf(`{"id":"R-001","title":"Round %d of many"}`, round)
	if _, err := e.Call(context.Background(), invoke.Call{Capability: "requirement_update", Args: json.RawMessage(args), Principal: ana, Via: "go"}); err != nil {
		b.Fatal(err)
	}
}

// timed times one thing that happens after a moment of rest.
func timed(do func()) time.Duration {
	time.Sleep(20 * time.Millisecond)
	began := time.Now()
	do()
	return time.Since(began)
}

func median(took []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[len(sorted)/2]
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// crowd is many clients that wait for the same news.
type crowd struct {
	heard chan struct{}
	size  int
}

func (c *crowd) wait(b *testing.B) {
	b.Helper()
	late := time.After(30 * time.Second)
	for n := range c.size {
		select {
		case <-c.heard:
		case <-late:
			b.Fatalf("%d of %d clients have heard", n, c.size)
		}
	}
}

// gather opens sessions with their streams, and subscribes each.
func gather(b *testing.B, url string, n int) *crowd {
	b.Helper()
	c := &crowd{heard: make(chan struct{}, n), size: n}
	pool := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	b.Cleanup(pool.CloseIdleConnections)
	var wg sync.WaitGroup
	gate := make(chan struct{}, 8)
	for range n {
		wg.Add(1)
		gate <- struct{}{}
		go func() {
			defer wg.Done()
			defer func() { <-gate }()
			c.join(b, pool, url)
		}()
	}
	wg.Wait()
	return c
}

func (c *crowd) join(b *testing.B, pool *http.Client, url string) {
	send := func(method, body, session string) *http.Response {
		r, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return nil
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		res, err := pool.Do(r)
		if err != nil || res.StatusCode >= 300 {
			b.Error("a client cannot join:", err, res)
			return nil
		}
		return res
	}
	hi := send(http.MethodPost, hello("2025-06-18", ""), "")
	if hi == nil {
		return
	}
	hi.Body.Close()
	session := hi.Header.Get("Mcp-Session-Id")
	sub := send(http.MethodPost, ask("2025-06-18", 1, "resources/subscribe", map[string]any{"uri": "trails://kg/Requirement/R-001"}, ""), session)
	stream := send(http.MethodGet, "", session)
	if sub == nil || stream == nil {
		return
	}
	sub.Body.Close()
	b.Cleanup(func() { stream.Body.Close() })
	go c.listen(stream)
}

func (c *crowd) listen(stream *http.Response) {
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() {
		if bytes.HasPrefix(lines.Bytes(), []byte("data: ")) {
			c.heard <- struct{}{}
		}
	}
}
