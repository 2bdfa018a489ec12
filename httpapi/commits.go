package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"trails/fault"
)

// history answers an address of the log, with the query as arguments, and with the flag set unless it is "". It links
// to the next page.
func (s *server) history(capability, flag string, allowed ...string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		query, err := parameters(r, allowed...)
		if err != nil {
			return err
		}
		given := map[string]any{}
		if flag != "" {
			given[flag] = true
		}
		if id, err := segment(r, "id"); err != nil {
			return err
		} else if id != "" {
			given["id"] = id
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
		if flag == "" { // versions of a capability also depend on the program
			return s.whole(w, r, res, res.Tag())
		}
		return s.whole(w, r, res, res.Head)
	}
}
