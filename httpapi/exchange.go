package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"trails/auth"
	"trails/httpapi/sse"
)

// streamWriteTimeout is how long sending one event may take. A stream lives as long as it is read, without the
// deadlines of other requests.
const streamWriteTimeout = 5 * time.Second

// traffic is what the servers of a process are answering.
type traffic struct {
	most, mostOfOne int // requests that may be in flight: of all, and of one caller of a graph

	mu         sync.Mutex
	inFlight   int
	streams    map[*exchange]struct{}
	maxStreams int
	// shared means that several graphs share the places: each has at most as many as are still free then, so that none
	// takes the last ones.
	shared  bool
	closing bool // the process is shutting down
}

// held is what one graph has of the traffic, under its lock.
type held struct {
	inFlight, streams int
	callers           map[string]int // of inFlight, by caller
}

// enter takes a place for a caller of a graph, if one is free, and otherwise returns the status of the refusal.
func (t *traffic) enter(graph *held, caller string) (refused int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.room(graph.inFlight, t.inFlight, t.most):
		return http.StatusServiceUnavailable
	case graph.callers[caller] >= t.mostOfOne:
		return http.StatusTooManyRequests
	}
	if graph.callers == nil {
		graph.callers = map[string]int{}
	}
	t.inFlight++
	graph.inFlight++
	graph.callers[caller]++
	return 0
}

// leave gives the place of a caller back.
func (t *traffic) leave(graph *held, caller string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
	graph.inFlight--
	if graph.callers[caller]--; graph.callers[caller] == 0 {
		delete(graph.callers, caller)
	}
}

// room reports whether a graph that has own of all places in use may have one more.
func (t *traffic) room(own, all, most int) bool {
	return all < most && (!t.shared || own < most-all)
}

// openStream counts a stream; false if there is no room.
func (t *traffic) openStream(x *exchange) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing || !t.room(x.graph.streams, len(t.streams), t.maxStreams) {
		return false
	}
	t.streams[x] = struct{}{}
	x.graph.streams++
	return true
}

// endStream counts it no more.
func (t *traffic) endStream(x *exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.streams, x)
	x.graph.streams--
}

// close refuses new streams and ends open ones, except for those that others end.
func (t *traffic) close(others func(*http.Request) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing = true
	for x := range t.streams {
		if !others(x.request) {
			x.cancel(errStopping)
		}
	}
}

// endStreams ends the streams of one graph.
func (t *traffic) endStreams(graph *held) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for x := range t.streams {
		if x.graph == graph {
			x.cancel(errStopping)
		}
	}
}

func (t *traffic) stopping() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closing
}

var errStopping = errors.New("the process is stopping")

// exchange is one request with its answer. If the answer becomes a stream of events, it gives up its place in flight
// and has no time limit.
type exchange struct {
	http.ResponseWriter
	request *http.Request
	caller  string
	traffic *traffic
	graph   *held
	cancel  context.CancelCauseFunc
	timer   *time.Timer

	mu         sync.Mutex // a stream may be written to by another goroutine than its handler's
	started    bool       // the answer
	holdsPlace bool
	stream     bool
	refused    bool // the answer would be a stream, and there are too many
}

// begin starts to answer r, which holds a place unless its address is exempt.
func (s *server) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	x := &exchange{ResponseWriter: w, caller: callerOf(r), traffic: s.traffic, graph: &s.held, cancel: cancel, holdsPlace: !watched[r.URL.Path]}
	x.timer = time.AfterFunc(s.limits.of(r), func() {
		x.cancel(s.limits.tooSlow(r))
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.started && !x.stream { // it may be waiting for its reader, which no context ends
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // a writer without deadlines needs none
		}
	})
	x.request = r.WithContext(ctx)
	return x, x.request
}

// callerOf identifies who sent a request: who is known, from whatever address, or all others at one address.
func callerOf(r *http.Request) string {
	if p := auth.PrincipalOf(r.Context()); p.Authenticated {
		return p.ID
	}
	return "\x00" + auth.ClientAddr(r)
}

// end releases what begin acquired.
func (x *exchange) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer.Stop()
	x.cancel(nil)
	if x.stream {
		x.traffic.endStream(x)
		x.allowWrite() // for the end of the stream itself
	}
	x.leavePlace()
}

func (x *exchange) leavePlace() {
	if x.holdsPlace {
		x.holdsPlace = false
		x.traffic.leave(x.graph, x.caller)
	}
}

func (x *exchange) allowWrite() {
	sse.Extend(http.NewResponseController(x.ResponseWriter), streamWriteTimeout)
}

// Unwrap is for [http.ResponseController].
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader begins the answer.
func (x *exchange) WriteHeader(status int) {
	if _, refused := x.start(); !refused {
		x.ResponseWriter.WriteHeader(status)
	}
}

// Write writes a part of the answer; of a stream, one event.
func (x *exchange) Write(p []byte) (int, error) {
	stream, refused := x.start()
	if refused {
		return len(p), nil
	}
	if stream {
		x.allowWrite()
	}
	return x.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (x *exchange) Flush() {
	if _, refused := x.start(); !refused {
		_ = http.NewResponseController(x.ResponseWriter).Flush() // a writer that keeps nothing back has nothing to flush
	}
}

// start decides, once, whether the answer is a stream, and refuses it if there are too many.
//
// Only a stream that waits for changes counts. The answer of one call may also come as events; MCP's header tells
// which method was called.
func (x *exchange) start() (stream, refused bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.started {
		return x.stream, x.refused
	}
	x.started = true
	waits := isRead(x.request) || x.request.Header.Get("Mcp-Method") == "subscriptions/listen"
	if !waits || !strings.HasPrefix(x.Header().Get("Content-Type"), sse.MediaType) {
		return false, false
	}
	if !x.traffic.openStream(x) {
		x.refused = true
		x.cancel(errStopping)
		x.Header().Set("Retry-After", "1")
		refuseOutside(x.ResponseWriter, x.request, http.StatusServiceUnavailable, "no more event streams can be opened; try again")
		return false, true
	}
	x.stream = true
	x.timer.Stop()
	x.leavePlace()
	x.allowWrite()
	return true, false
}
