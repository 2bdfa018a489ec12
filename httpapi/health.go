package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"trails/policy"
)

// health answers GET /health, with and without a token: whoever watches over the
// process has none. So the call has the runtime scope, whatever the process has.
func (s *server) health(w http.ResponseWriter, r *http.Request) error {
	c := s.call(r)
	c.Capability = "health"
	c.Principal.Scopes = policy.NewScopes(policy.Runtime)
	return s.run(w, r, c)
}

// guide is what GET / tells a person who typed the address into a browser.
var guide = [][2]string{
	{"POST /mcp", "Model Context Protocol, Streamable HTTP"},
	{"POST /invoke/{capability}", "one call; the body is its arguments as JSON"},
	{"GET  /capabilities", "what can be called"},
	{"GET  /kg", "the types"},
	{"GET  /kg/{Type}?where=field=value&limit=&offset=", "entities of a type"},
	{"GET  /kg/{Type}/{id}", "one entity, as JSON-LD"},
	{"GET  /schema", "types, properties and constraints"},
	{"GET  /commits?limit=&before=", "history, newest first"},
	{"GET  /commits/{id}", "one commit and its changes"},
	{"GET  /prov", "the latest activities, as PROV-O JSON-LD"},
	{"GET  /stats", "counts"},
	{"GET  /doctor", "what is wrong, if anything"},
	{"GET  /health", "alive, version, head commit"},
}

// index tells programs what there is and sends a browser to the pages.
func (s *server) index(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "Accept")
	if s.opts.Admin != nil && choose(accepted(r.Header.Values("Accept")), []string{"text/plain", "text/html"}) == 1 {
		w.Header().Set("Location", "/admin")
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	var b strings.Builder
	b.WriteString("trails: a versioned graph in one file\n\n")
	for _, a := range guide {
		fmt.Fprintf(&b, "%-50s %s\n", a[0], a[1])
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // a reader that left is no concern of ours
	return nil
}
