// Package invoketest makes engines on new graphs, with all built-in capabilities, and runs transcripts of
// calls. It is for tests of capabilities.
package invoketest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/builtin"
	"trails/example"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// Callers in tests.
var (
	Ana     = policy.Local("ana", "test")
	Nobody  = policy.Anonymous("test", policy.NewScopes(policy.Runtime))
	Callers = map[string]policy.Principal{
		"ana":       Ana,
		"nobody":    Nobody,
		"stranger":  policy.Anonymous("test", policy.AllScopes()),
		"scopeless": {ID: "token:none", Authenticated: true},
		"runtime":   {ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true},
		"builder":   {ID: "token:ci", Scopes: policy.NewScopes(policy.Builder), Authenticated: true},
	}
)

// Clock returns a clock that advances by a second with each reading.
func Clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// Engine is an engine on its own graph, with its log.
type Engine struct {
	*invoke.Engine
	Log *bytes.Buffer // to be read once the engine is closed or idle

	providers []invoke.Provider
}

// New opens an engine on a new file.
func New(t testing.TB, schema string, config invoke.Config) *Engine {
	t.Helper()
	return Open(t, newFile(t, schema), config)
}

func newFile(t testing.TB, schema string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "example.db")
	Create(t, path, kg.CreateOptions{Schema: []byte(schema), By: Ana, Now: Clock()})
	return path
}

// Govern sets the policies of the graph.
func (e *Engine) Govern(t testing.TB, policies string) {
	t.Helper()
	if _, err := e.Graph().Session(Ana).ChangePolicies(t.Context(), kg.PolicyChange{Text: policies}); err != nil {
		t.Fatal(err)
	}
}

// made caches files by their options: copying one is faster than creating it.
var made sync.Map

// Create creates a file at path, or copies one that was created with the same options.
func Create(t testing.TB, path string, o kg.CreateOptions) {
	t.Helper()
	alike := fmt.Sprintf("%q %q %q %q %+v", filepath.Base(path), o.Name, o.Base, o.Schema, o.By)
	if file, ok := made.Load(alike); ok {
		if err := os.WriteFile(path, file.([]byte), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := kg.Create(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	made.Store(alike, file)
}

// Open opens an engine and closes it at the end of the test. It offers the built-in capabilities, unless config
// has providers.
func Open(t testing.TB, path string, config invoke.Config) *Engine {
	t.Helper()
	return open(t, path, config, kg.Readers)
}

func open(t testing.TB, path string, config invoke.Config, readers int) *Engine {
	t.Helper()
	now := Clock()
	g, err := kg.Open(t.Context(), path, kg.Options{Now: now, LockWait: 10 * time.Second, Readers: readers})
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{Log: new(bytes.Buffer)}
	var traces atomic.Int64
	if config.Providers == nil {
		config.Providers = builtin.Providers()
	}
	config.Version, config.Now = "test", now
	config.Log = slog.New(slog.NewTextHandler(e.Log, nil))
	config.NewTraceID = func() string { return fmt.Sprintf("trace-%d", traces.Add(1)) }
	e.Engine, e.providers = invoke.New(g, config), config.Providers
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

// Example returns an engine on the example graph.
func Example(t testing.TB) *Engine {
	t.Helper()
	e := New(t, string(example.Schema), invoke.Config{})
	args, err := json.Marshal(map[string]string{"data": string(example.Data), "message": "the example"})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "load", string(args))
	return e
}

// Do calls as Ana.
func (e *Engine) Do(t testing.TB, capability, args string) (invoke.Result, error) {
	t.Helper()
	return e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: Ana, Via: "test", Whole: true})
}

// Must makes a call that must succeed, and decodes its result.
func (e *Engine) Must(t testing.TB, capability, args string) map[string]any {
	t.Helper()
	r, err := e.Do(t, capability, args)
	if err != nil {
		t.Fatalf("%s %s: %v", capability, args, err)
	}
	var out map[string]any
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Refused makes a call that must be refused.
func (e *Engine) Refused(t testing.TB, c invoke.Call, want fault.Kind) *fault.Error {
	t.Helper()
	r, err := e.Call(t.Context(), c)
	if !fault.Is(err, want) {
		t.Fatalf("%s %s: got %s, %v, want %s", c.Capability, c.Args, r.Structured, err, want)
	}
	return fault.Of(err)
}

// Activities returns the recorded calls, newest first.
func (e *Engine) Activities(t testing.TB) []kg.Activity {
	t.Helper()
	_, _ = e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: Ana, Via: "flush"}) // called for its flush
	var out []kg.Activity
	err := e.Graph().Session(Ana).View(t.Context(), func(s *kg.Snapshot) (err error) {
		out, err = s.Activities(t.Context(), kg.ActivityFilter{}, 10_000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Indented returns indented JSON.
func Indented(t testing.TB, raw []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return strings.TrimSpace(out.String())
}
