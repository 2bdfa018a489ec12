package invoke_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/builtin"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// observedEngine hears of its calls and logs at debug.
func observedEngine(t *testing.T) (_ *invoke.Engine, seen *[]invoke.Observation, log *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "o.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: []byte(works), By: invoketest.Ana, Now: invoketest.Clock()}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{Now: invoketest.Clock()})
	if err != nil {
		t.Fatal(err)
	}
	seen, log = new([]invoke.Observation), new(bytes.Buffer)
	e := invoke.New(g, invoke.Config{
		Providers: builtin.Providers(),
		Now:       invoketest.Clock(), Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(o invoke.Observation) { *seen = append(*seen, o) },
	})
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, seen, log
}

func TestEveryCallIsObserved(t *testing.T) {
	e, seen, log := observedEngine(t)
	for _, c := range []struct{ capability, args string }{
		{"note_create", `{"id":"n","text":"secret"}`},
		{"note.create", `{"id":"n","txt":"secret"}`},
		{"nothing.there", `{}`},
	} {
		_, _ = e.Call(t.Context(), invoke.Call{
			Capability: c.capability, Args: json.RawMessage(c.args), Principal: invoketest.Ana, Via: "http", TraceID: "t", ParentSpan: "p",
		})
	}
	start := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	want := []invoke.Observation{
		{Capability: "note.create", Via: "http", Outcome: "ok", TraceID: "t", ParentSpan: "p", Commit: "some"},
		{Capability: "note.create", Via: "http", Outcome: "invalid", Kind: "invalid_data", TraceID: "t", ParentSpan: "p"},
		{Capability: "unknown", Via: "http", Outcome: "denied", Kind: "unknown_tool", TraceID: "t", ParentSpan: "p"},
	}
	for i := range *seen {
		o := &(*seen)[i]
		if o.Started.Before(start) || !o.Ended.After(o.Started) {
			t.Errorf("%s from %s to %s", o.Capability, o.Started, o.Ended)
		}
		if o.Started, o.Ended = (time.Time{}), (time.Time{}); len(o.Commit) == 12 {
			o.Commit = "some"
		}
	}
	if diff := cmp.Diff(want, *seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, line := range []string{
		"level=DEBUG msg=call trace_id=t capability=note.create via=http outcome=ok ms=",
		"level=DEBUG msg=call trace_id=t capability=note.create via=http outcome=invalid ms=",
		"level=DEBUG msg=call trace_id=t capability=unknown via=http outcome=denied ms=",
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log has no %q:\n%s", line, log)
		}
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the log tells what was said:\n%s", log)
	}
}

func TestOnlyAValidTraceparentIsTaken(t *testing.T) {
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	taken := invoke.Trace{ID: trace, Span: span}
	for text, want := range map[string]invoke.Trace{
		"00-" + trace + "-" + span + "-01":                      taken,
		"cc-" + trace + "-" + span + "-01-more":                 taken,
		"00-" + trace + "-" + span + "-01-more":                 {},
		"ff-" + trace + "-" + span + "-01":                      {},
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":     {},
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":    {},
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01":   {},
		"00-" + trace + "-" + span:                              {},
		"":                                                      {},
		"00-" + trace + "-" + span + "-01\n00-" + trace + "-01": {},
	} {
		if got := invoke.ParseTraceparent(text); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	if got := invoke.TraceOf(invoke.WithTrace(t.Context(), taken)); got != taken {
		t.Errorf("through a context: %+v", got)
	}
	if got := invoke.TraceOf(t.Context()); got != (invoke.Trace{}) {
		t.Errorf("of no context: %+v", got)
	}
}
