package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"trails/fault"
	"trails/httpapi/accept"
	"trails/httpapi/sse"
	"trails/invoke"
)

// feedBeat is how often a stream without news shows that it is alive: more often than proxies cut.
const feedBeat = 20 * time.Second

// changes answers a page of what commits changed, or the pages from there on as events, each with its cursor as its id. A
// browser that reconnects sends the last id, and goes on there.
func (s *server) changes(w http.ResponseWriter, r *http.Request) error {
	query, err := parameters(r, "branch", "type", "id", "start", "cursor", "limit")
	if err != nil {
		return err
	}
	given := map[string]any{"quads": true}
	for name := range query {
		given[name] = query.Get(name)
	}
	if query.Has("limit") {
		if given["limit"], err = strconv.Atoi(query.Get("limit")); err != nil {
			return badParameter("limit", fault.Datatype, query.Get("limit"), "limit must be an integer")
		}
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		delete(given, "start")
		given["cursor"] = last
	}
	args, err := json.Marshal(given)
	if err != nil {
		return err
	}
	c := s.call(r, "changes", args)
	c.Whole = true
	w.Header().Add("Vary", "Accept")
	if accept.Choose(r, "application/json", sse.MediaType) == 1 {
		return s.streamChanges(w, r, c)
	}
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return err
	}
	var page struct{ Cursor string }
	if json.Unmarshal(res.Structured, &page) == nil && page.Cursor != "" && !query.Has("start") {
		linkTo(w, r, "next", "cursor", page.Cursor)
	}
	return s.whole(w, r, res, res.Tag())
}

// streamChanges sends pages until the reader or the server stops. What goes wrong before the first one is an answer of its
// own; later it ends the stream, and is the answer when the reader comes back.
func (s *server) streamChanges(w http.ResponseWriter, r *http.Request, c invoke.Call) error {
	stream, begun := sse.NewWriter(w, streamWriteTimeout), false
	err := s.engine.Follow(r.Context(), c, feedBeat, func(res *invoke.Result) error {
		if res == nil {
			return stream.Beat()
		}
		if !begun {
			begun = true
			if err := stream.Open(); err != nil {
				return err
			}
		}
		var page struct{ Cursor string }
		if err := json.Unmarshal(res.Structured, &page); err != nil {
			return err
		}
		if err := stream.Add("changes", page.Cursor, bytes.TrimSpace(res.Structured)); err != nil {
			return err
		}
		return stream.Flush()
	})
	if begun {
		return nil
	}
	return err
}
