package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"trails/fault"
	"trails/invoke"
)

// Limits of event streams.
const (
	maxWatchers = 256
	heartbeat   = 20 * time.Second // shorter than what proxies cut
	maxNamed    = 200              // instances named in one event
)

// watchers counts the open event streams.
type watchers struct{ open atomic.Int64 }

func (n *watchers) enter() bool {
	if n.open.Add(1) > maxWatchers {
		n.leave()
		return false
	}
	return true
}

func (n *watchers) leave() { n.open.Add(-1) }

// event is what an open page hears of a change.
type event struct {
	Head      string   `json:"head"`
	Schema    bool     `json:"schema"`
	Types     []string `json:"types"`
	Instances []string `json:"instances"`
	Resync    bool     `json:"resync"`
}

func eventOf(c invoke.Change) event {
	e := event{Head: c.Head, Schema: c.Schema, Types: c.Types, Instances: c.Instances, Resync: c.Resync}
	if len(e.Instances) > maxNamed {
		e.Instances, e.Resync = nil, true
	}
	return e
}

// events answers /admin/events: what changes in the graph, as server-sent events,
// until the request's context ends: the reader left, or the server stops. It watches before it says
// where the head is, so that nothing falls between the two.
func (s *site) events(w http.ResponseWriter, r *http.Request) error {
	if !s.watchers.enter() {
		w.Header().Set("Retry-After", "10")
		return fault.New(fault.Unusable, "too many pages are open")
	}
	defer s.watchers.leave()
	changes := s.engine.Watch(r.Context(), principalOf(r))
	a := s.asker(w, r)
	var health struct{ Head string }
	if err := a.ask("health", nil, &health); err != nil {
		return err
	}
	stream := newStream(w)
	if stream.send("hello", event{Head: health.Head}) != nil {
		return nil
	}
	follow(stream, changes)
	return nil
}

// follow sends changes, and a sign of life in between, until one side ends.
func follow(stream *stream, changes <-chan invoke.Change) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case c, more := <-changes:
			if !more {
				return
			}
			err = stream.send("change", eventOf(c))
		case <-beat.C:
			err = stream.comment("still here")
		}
		if err != nil { // the reader left
			return
		}
	}
}

// stream writes server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// writeWait is how long a reader may stall before its stream is cut.
const writeWait = 10 * time.Second

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w, http.NewResponseController(w)}
	_ = s.control.SetReadDeadline(time.Time{}) // the server's own is for requests; not all writers have one
	w.WriteHeader(http.StatusOK)
	return s
}

func (s *stream) send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	return s.write("event: " + name + "\ndata: " + string(data) + "\n\n")
}

func (s *stream) comment(text string) error { return s.write(": " + text + "\n\n") }

// write sends text at once. The deadline is renewed each time: the server's own
// would end the stream, and without any a stalled reader would stay for ever.
func (s *stream) write(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeWait))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}
