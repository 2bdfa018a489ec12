package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"trails/auth"
	"trails/fault"
	"trails/httpapi/sse"
)

// Limits of event streams.
const (
	maxWatchers = 256
	heartbeat   = 20 * time.Second // shorter than what proxies cut
	maxNamed    = 200              // instances named in one event
	writeWait   = 10 * time.Second // how long a reader may stall before its stream is cut
)

// event is what an open page is sent of a change.
type event struct {
	Head      string   `json:"head"`
	Schema    bool     `json:"schema"`
	Types     []string `json:"types"`
	Instances []string `json:"instances"`
	Resync    bool     `json:"resync"`
}

// events answers /admin/events: changes of the branch as server-sent events, until the browser or the server stops. It
// starts watching before it reads the head, so that no change in between is missed.
func (s *site) events(w http.ResponseWriter, r *http.Request) error {
	defer s.watchers.Add(-1)
	if s.watchers.Add(1) > maxWatchers {
		w.Header().Set("Retry-After", "10")
		return fault.New(fault.Unusable, "%d pages are open already, and no more are told of changes; close some", maxWatchers)
	}
	branch := stateOf(r).Branch
	changes := s.engine.WatchOn(r.Context(), auth.PrincipalOf(r.Context()), branch)
	a := s.asker(w, r)
	var health struct{ Head string }
	if err := a.ask("health", nil, &health); err != nil {
		return err
	}
	if branch != "" {
		health.Head = s.frameOf(w, r).Head
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
			e := event{Head: c.Head, Schema: c.Schema, Types: c.Types, Instances: c.Instances, Resync: c.Resync}
			if len(e.Instances) > maxNamed {
				e.Instances, e.Resync = nil, true
			}
			err = send("change", e)
		case <-beat.C:
			err = stream.Beat()
		}
	}
	return nil // the connection is closed, or its reader takes nothing
}
