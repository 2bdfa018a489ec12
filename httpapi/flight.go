package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// streamWriteTimeout is how long one event may take to reach its reader. A stream
// lives as long as it is read, whatever the deadlines of requests that end.
const streamWriteTimeout = 5 * time.Second

// traffic is what a server answers at the moment.
type traffic struct {
	places chan struct{} // one for each request that may be in flight

	mu      sync.Mutex
	streams map[*flight]struct{}
	most    int  // of streams
	closing bool // the process was told to stop
}

func newTraffic(l Limits) *traffic {
	return &traffic{places: make(chan struct{}, l.InFlight), streams: map[*flight]struct{}{}, most: l.Streams}
}

// enter takes a place, if there is one.
func (t *traffic) enter() bool {
	select {
	case t.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t *traffic) leave() { <-t.places }

// open counts a stream; false when there is no room for it.
func (t *traffic) open(f *flight) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing || len(t.streams) >= t.most {
		return false
	}
	t.streams[f] = struct{}{}
	return true
}

func (t *traffic) forget(f *flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.streams, f)
}

// close lets no more streams begin and cuts those that nobody else ends: they would
// outlast any grace.
func (t *traffic) close(others func(*http.Request) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing = true
	for f := range t.streams {
		if !others(f.request) {
			f.cancel(errStopping)
		}
	}
}

func (t *traffic) stopping() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closing
}

var errStopping = errors.New("the process is stopping")

// flight is one request being answered. It becomes a stream when its answer turns
// out to be one: then it gives its place to others, and no limit of time is on it.
type flight struct {
	http.ResponseWriter
	request *http.Request
	traffic *traffic
	cancel  context.CancelCauseFunc
	timer   *time.Timer

	mu      sync.Mutex // a stream may be written to by another goroutine than its handler's
	begun   bool
	placed  bool // it holds a place
	stream  bool
	refused bool // it wanted to be a stream, and there are too many
}

// takeOff begins to answer r, which holds a place unless it is one of the watched.
func (s *server) takeOff(w http.ResponseWriter, r *http.Request) (*flight, *http.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	f := &flight{
		ResponseWriter: w, traffic: s.traffic, cancel: cancel, placed: !watched[r.URL.Path],
	}
	f.timer = time.AfterFunc(s.limits.of(r), func() { f.outOfTime(s.limits.tooSlow(r)) })
	f.request = r.WithContext(ctx)
	return f, f.request
}

// outOfTime ends a request at its limit. One whose answer has begun may be waiting for
// its reader, which hears of no context.
func (f *flight) outOfTime(why error) {
	f.cancel(why)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun && !f.stream {
		_ = http.NewResponseController(f.ResponseWriter).SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // a writer without deadlines needs none
	}
}

// land ends what takeOff began.
func (f *flight) land() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Stop()
	f.cancel(nil)
	if f.stream {
		f.traffic.forget(f)
		f.extend() // for the end of the stream itself
	}
	f.givePlace()
}

func (f *flight) givePlace() {
	if f.placed {
		f.placed = false
		f.traffic.leave()
	}
}

// Unwrap is for [http.ResponseController].
func (f *flight) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// WriteHeader begins the answer.
func (f *flight) WriteHeader(status int) {
	if f.begin(); !f.isRefused() {
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write writes a part of the answer; of a stream, one event.
func (f *flight) Write(p []byte) (int, error) {
	f.begin()
	if f.isRefused() {
		return len(p), nil
	}
	if f.isStream() {
		f.extend()
	}
	return f.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (f *flight) Flush() {
	if f.begin(); !f.isRefused() {
		_ = http.NewResponseController(f.ResponseWriter).Flush() // a writer that keeps nothing back has nothing to flush
	}
}

func (f *flight) isStream() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stream
}

func (f *flight) isRefused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// begin looks, once, whether the answer is a stream.
func (f *flight) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun {
		return
	}
	f.begun = true
	if !lasts(f.request) || !strings.HasPrefix(f.Header().Get("Content-Type"), "text/event-stream") {
		return
	}
	if !f.traffic.open(f) {
		f.refused = true
		f.cancel(errStopping)
		f.Header().Set("Retry-After", "1")
		refuseOutside(f.ResponseWriter, f.request, http.StatusServiceUnavailable, "no more event streams can be opened; try again")
		return
	}
	f.stream = true
	f.timer.Stop()
	f.givePlace()
	f.extend()
}

// lasts tells a stream that waits for news from the answer of one call that comes
// as events, which is a call like any other: MCP's header names what was asked.
func lasts(r *http.Request) bool {
	return isRead(r) || r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

func (f *flight) extend() {
	rc := http.NewResponseController(f.ResponseWriter)
	_ = rc.SetReadDeadline(time.Time{})                         // a writer without deadlines needs none
	_ = rc.SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // likewise
}
