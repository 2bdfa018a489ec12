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

// health answers GET /health, with and without a token. Its call always has the runtime scope, and is not recorded
// (decision 31). Callers without a required token only learn that the process is running.
func (s *server) health(w http.ResponseWriter, r *http.Request) error {
	if !auth.Known(r.Context()) {
		return writeJSON(w, []byte(`{"status":"ok"}`))
	}
	c := s.call(r, "health", nil)
	c.Principal.Scopes = policy.NewScopes(policy.Runtime)
	return s.run(w, r.WithContext(invoke.Furniture(r.Context())), c)
}

// readyWait is the time limit of the check.
const readyWait = 2 * time.Second

// ready answers GET /ready: whether calls can be served now. During shutdown it says no, so that a proxy sends
// requests elsewhere.
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

// measured lets who may see the whole graph read its metrics: they name the capabilities that were called, and count what
// others did.
func (s *server) measured(metrics http.Handler) http.Handler {
	if metrics == nil {
		return nil
	}
	return s.answer(func(w http.ResponseWriter, r *http.Request) error {
		p := auth.PrincipalOf(r.Context())
		all, err := s.engine.SeesAll(r.Context(), p)
		switch {
		case err != nil:
			return err
		case !all:
			return fault.New(fault.Denied, "the metrics are of the whole graph, and %s may see a part of it; ask somebody who may see all", p.Author())
		}
		metrics.ServeHTTP(w, r)
		return nil
	})
}
