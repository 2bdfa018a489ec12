package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"trails/kg/fault"
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

// readyWait is how long the file may take to show that it can be used.
const readyWait = 2 * time.Second

// ready answers GET /ready: whether calls are welcome now. It says no as soon as
// the process is told to stop, so that a proxy sends them elsewhere.
func (s *server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.traffic.stopping() {
		refuseOutside(w, r, http.StatusServiceUnavailable, "the process is stopping")
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyWait)
	defer cancel()
	if err := s.engine.Ready(ctx); err != nil {
		f := fault.Of(err)
		s.log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.String("trace_id", traceOf(r)), slog.Any("cause", cause(f)))
		refuseOutside(w, r, http.StatusServiceUnavailable, "the file cannot be read and written now; the log says why")
		return nil
	}
	return writeJSON(w, []byte(`{"status":"ready"}`))
}

// guide is what GET / tells a person who typed the address into a browser.
var guide = [][2]string{
	{"POST /mcp", "Model Context Protocol, Streamable HTTP"},
	{"POST /invoke/{capability}", "one call; the body is its arguments as JSON"},
	{"POST /invoke", "up to 100 calls in order; the body is {\"calls\": [{\"capability\", \"arguments\"}]}"},
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
	{"GET  /ready", "whether calls are welcome now"},
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
