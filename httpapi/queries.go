package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"

	"trails/fault"
)

// queryList answers GET /queries: the stored queries.
func (s *server) queryList(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	return s.run(w, r, s.call(r, "stored_query_list", nil))
}

// askQuery answers GET /queries/{name} in the preferred form. The parameters are those of the address, a list has
// several values, and at is the commit to query, unless a parameter has that name. Stored updates are refused.
func (s *server) askQuery(w http.ResponseWriter, r *http.Request) error {
	name, err := segment(r, "name")
	if err != nil {
		return err
	}
	texts, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.New(fault.Malformed, "the query of the address does not parse: %s", err)
	}
	args, err := json.Marshal(map[string]any{"name": name, "texts": texts, "reads": true})
	if err != nil {
		return err
	}
	chosen, ok, err := chooseForm(w, r, nil, storedForms)
	if err != nil || !ok {
		return err
	}
	c := s.call(r, "stored_query_run", args)
	if chosen == storedForms[0] {
		return s.run(w, r, c)
	}
	c.Format = chosen.name
	return s.stream(w, r, c, chosen, nil)
}

// storedForms are the forms of the answer to a stored query: the JSON of its tool, or a format of results or graphs.
// If the query has no such form, the call reports it.
var storedForms = append(append([]form{{"", mediaJSON[0]}}, tableForms[:4]...), graphForms...)

// postQuery answers POST /queries/{name}: the body is what its tool takes, {"params": …, "at": …}.
func (s *server) postQuery(w http.ResponseWriter, r *http.Request) error {
	name, err := segment(r, "name")
	if err != nil {
		return err
	}
	args, err := arguments(r)
	if err != nil {
		return err
	}
	if args, err = s.onCommit(r, args); err != nil {
		return err
	}
	if args, err = withMember(args, "name", name); err != nil {
		return err
	}
	return s.run(w, r, s.call(r, "stored_query_run", args))
}
