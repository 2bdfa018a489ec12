package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"trails/fault"
	"trails/httpapi/sse"
	"trails/invoke"
)

// Limits of event streams.
const (
	maxWatchers = 256
	heartbeat   = 20 * time.Second // shorter than what proxies cut
	maxNamed    = 200              // instances named in one event
	writeWait   = 10 * time.Second // how long a reader may stall before its stream is cut
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
// until the browser closes the stream or the server stops. It watches before it reads
// the head, so that no change is missed between the two.
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
	stream := sse.NewWriter(w, writeWait)
	send := func(name string, e event) error {
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event: %w", err)
		}
		if err := stream.Add(name, "", data); err != nil {
			return err
		}
		return stream.Flush()
	}
	err := stream.Open()
	if err == nil {
		err = send("hello", event{Head: health.Head})
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for err == nil {
		select {
		case c, more := <-changes:
			if !more {
				return nil
			}
			err = send("change", eventOf(c))
		case <-beat.C:
			err = stream.Beat()
		}
	}
	return nil // the connection is closed, or its reader takes nothing
}
