package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
)

// health answers GET /health, with and without a token. So the call has the runtime scope,
// whatever the process has, and it is no activity (decision 31). Who has not shown the token
// that is asked for learns that the process lives, and nothing of the graph.
func (s *server) health(w http.ResponseWriter, r *http.Request) error {
	if _, known := auth.PrincipalOf(r.Context()); !known {
		return writeJSON(w, []byte(`{"status":"ok"}`))
	}
	c := s.call(r, "health", nil)
	c.Principal.Scopes = policy.NewScopes(policy.Runtime)
	return s.run(w, r.WithContext(invoke.Furniture(r.Context())), c)
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
		s.log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.String("trace_id", traceOf(r)), slog.String("cause", f.Whole()))
		why, given := f.Details["reason"].(string)
		if !given {
			why = "the log says why"
		}
		refuseOutside(w, r, http.StatusServiceUnavailable, "a write would fail now: "+why)
		return nil
	}
	return writeJSON(w, []byte(`{"status":"ready"}`))
}
