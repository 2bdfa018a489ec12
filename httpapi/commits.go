package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"trails/fault"
)

// history answers an address of the log, with the query as arguments, and names the next
// page, which the answer says how to reach.
func (s *server) history(capability string, allowed ...string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		query, err := parameters(r, allowed...)
		if err != nil {
			return err
		}
		given := map[string]any{}
		if id, err := segment(r, "id"); err != nil {
			return err
		} else if id != "" {
			given["id"], given["quads"] = id, true
		} else {
			given["whole"] = true
		}
		if query.Has("before") {
			given["before"] = query.Get("before")
		}
		for _, name := range []string{"limit", "offset"} {
			if !query.Has(name) {
				continue
			}
			n, err := strconv.ParseInt(query.Get(name), 10, 64)
			if err != nil {
				return badParameter(name, fault.Datatype, query.Get(name), name+" must be an integer")
			}
			given[name] = n
		}
		args, err := json.Marshal(given)
		if err != nil {
			return err
		}
		c := s.call(r, capability, args)
		c.Whole = true
		res, err := s.engine.Call(r.Context(), c)
		if err != nil {
			return err
		}
		var log struct{ Next string } // "" where it is null
		if json.Unmarshal(res.Structured, &log) == nil && query.Has("before") {
			linkTo(w, r, "first", "before", "")
		}
		if log.Next != "" {
			linkTo(w, r, "next", "before", log.Next)
		}
		w.Header().Set("Content-Type", "application/json")
		etag := ""
		if res.Head != "" {
			etag = entityTag(res.Head, "")
		}
		return s.reply(w, r, etag, line(res.Structured))
	}
}

// versions answers the versions of a capability.
func (s *server) versions(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	id, err := segment(r, "id")
	if err != nil {
		return err
	}
	args, err := json.Marshal(map[string]any{"id": id})
	if err != nil {
		return err
	}
	c := s.call(r, "capability_history", args)
	c.Whole = true
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return s.reply(w, r, "", line(res.Structured))
}
