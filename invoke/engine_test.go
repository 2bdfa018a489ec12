package invoke_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/example"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/policy"
)

// The callers of these tests.
var (
	ana     = policy.Local("ana", "test")
	nobody  = policy.Anonymous("test", policy.NewScopes(policy.Runtime))
	callers = map[string]policy.Principal{
		"ana":       ana,
		"nobody":    nobody,
		"stranger":  policy.Anonymous("test", policy.AllScopes()),
		"scopeless": {ID: "token:none", Authenticated: true},
		"runtime":   {ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true},
		"builder":   {ID: "token:ci", Scopes: policy.NewScopes(policy.Builder), Authenticated: true},
	}
)

// clock returns a clock that goes a second further with each look.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// engine is an engine on a graph of its own, with what it logs.
type engine struct {
	*invoke.Engine
	graph *kg.Graph
	log   *bytes.Buffer // read it after the engine is closed, or when nothing runs
}

// newEngine opens an engine on a new file.
func newEngine(t testing.TB, schema string, config invoke.Config) *engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "example.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: []byte(schema), By: ana, Now: clock()}); err != nil {
		t.Fatal(err)
	}
	return openEngine(t, path, config)
}

func openEngine(t testing.TB, path string, config invoke.Config) *engine {
	t.Helper()
	now := clock()
	g, err := kg.Open(t.Context(), path, kg.Options{Now: now, LockWait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{graph: g, log: new(bytes.Buffer)}
	var traces atomic.Int64
	config.Version, config.Now = "test", now
	config.Log = slog.New(slog.NewTextHandler(e.log, nil))
	config.NewTraceID = func() string { return fmt.Sprintf("trace-%d", traces.Add(1)) }
	e.Engine = invoke.New(g, config)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// exampleEngine has the example graph.
func exampleEngine(t testing.TB) *engine {
	t.Helper()
	e := newEngine(t, string(example.Schema), invoke.Config{})
	args, err := json.Marshal(map[string]string{"data": string(example.Data), "message": "the example"})
	if err != nil {
		t.Fatal(err)
	}
	e.must(t, "load", string(args))
	return e
}

// call makes one call as ana.
func (e *engine) call(t testing.TB, capability, args string) (invoke.Result, error) {
	t.Helper()
	return e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: ana, Via: "test"})
}

// must makes one call that succeeds, and decodes its result.
func (e *engine) must(t testing.TB, capability, args string) map[string]any {
	t.Helper()
	r, err := e.call(t, capability, args)
	if err != nil {
		t.Fatalf("%s %s: %v", capability, args, err)
	}
	var out map[string]any
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// refused makes one call that is refused.
func (e *engine) refused(t testing.TB, c invoke.Call, want fault.Kind) *fault.Error {
	t.Helper()
	r, err := e.Call(t.Context(), c)
	if !fault.Is(err, want) {
		t.Fatalf("%s %s: got %s, %v, want %s", c.Capability, c.Args, r.Structured, err, want)
	}
	return fault.Of(err)
}

// activities are the recorded calls, newest first, after a flush.
func (e *engine) activities(t testing.TB) []kg.Activity {
	t.Helper()
	e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: ana, Via: "flush"})
	var out []kg.Activity
	err := e.graph.Session(ana).View(t.Context(), func(s *kg.Snapshot) (err error) {
		out, err = s.Activities(t.Context(), kg.ActivityFilter{}, 10_000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// indented is JSON as people read it.
func indented(t testing.TB, raw []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return strings.TrimSpace(out.String())
}
