package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"trails/fault"
)

// commits answers GET /commits?limit=&before=.
func (s *server) commits(w http.ResponseWriter, r *http.Request) error {
	return s.history(w, r, "commits_list", "limit", "before")
}

// commit answers GET /commits/{id}?limit=.
func (s *server) commit(w http.ResponseWriter, r *http.Request) error {
	return s.history(w, r, "commits_get", "limit")
}

// history makes one of the calls that read the log, with the query as arguments.
func (s *server) history(w http.ResponseWriter, r *http.Request, capability string, allowed ...string) error {
	args, err := historyArguments(r, allowed)
	if err != nil {
		return err
	}
	c := s.call(r)
	c.Capability, c.Args = capability, args
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return err
	}
	linkOlder(w, r, res.Structured)
	w.Header().Set("Content-Type", "application/json")
	etag := ""
	if res.Head != "" {
		etag = entityTag(res.Head, "")
	}
	return s.reply(w, r, etag, line(res.Structured))
}

func historyArguments(r *http.Request, allowed []string) (json.RawMessage, error) {
	query, err := parameters(r, allowed...)
	if err != nil {
		return nil, err
	}
	args := map[string]any{}
	if id, err := segment(r, "id"); err != nil {
		return nil, err
	} else if id != "" {
		args["id"] = id
	}
	if query.Has("before") {
		args["before"] = query.Get("before")
	}
	if query.Has("limit") {
		limit, err := strconv.ParseInt(query.Get("limit"), 10, 64)
		if err != nil {
			return nil, badParameter("limit", fault.Datatype, query.Get("limit"), "limit must be an integer")
		}
		args["limit"] = limit
	}
	return json.Marshal(args)
}
