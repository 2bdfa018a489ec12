package invoke

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/kg"
)

func TestEveryCallGoesThroughTheStagesInThisOrder(t *testing.T) {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	want := []string{"decode", "view", "pin", "find", "scope", "policy", "budget", "arguments", "past", "consent", "handler", "result"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// well answers.
var well = Capability{
	Descriptor: capability.Descriptor{ID: "test.well", Description: "Test."},
	Handle:     func(context.Context, *Request) (any, error) { return map[string]bool{"well": true}, nil },
}

// withHandler returns an engine that has the capabilities test.it and test.well.
func withHandler(t *testing.T, scope policy.Scope, env string, h Handler) (*Engine, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	it := Capability{Descriptor: capability.Descriptor{ID: "test.it", Description: "Test.", PolicyRequired: capability.Requirement{Scope: scope}}, Handle: h}
	e := New(g, Config{Env: env, Log: slog.New(slog.NewTextHandler(log, nil)), Providers: []Provider{Fixed(Offer{Capabilities: []Capability{it, well}})}})
	t.Cleanup(func() { e.Close(context.Background()); g.Close() })
	return e, log
}

func TestAPanicIsAnInternalErrorAndTheEngineLives(t *testing.T) {
	for name, h := range map[string]Handler{
		"a panic":               func(context.Context, *Request) (any, error) { panic("secret detail") },
		"a failed assertion":    func(context.Context, *Request) (any, error) { return any("secret detail").(error), nil },
		"an error of ours":      func(context.Context, *Request) (any, error) { return nil, errors.New("secret detail") },
		"a result that is none": func(context.Context, *Request) (any, error) { return make(chan int), nil },
	} {
		t.Run(name, func(t *testing.T) {
			e, log := withHandler(t, policy.Runtime, "", h)
			ana := policy.Local("ana", "")
			_, err := e.Call(t.Context(), Call{Capability: "test.it", Principal: ana, TraceID: "0123"})
			f := fault.Of(err)
			if f.Kind != fault.Internal || f.Error() != "internal error" || f.Details["trace_id"] != "0123" || errors.Unwrap(f) != nil {
				t.Errorf("got %#v", f)
			}
			if !strings.Contains(log.String(), "trace_id=0123") || !strings.Contains(log.String(), "capability=test.it") {
				t.Errorf("the log says %s", log)
			}
			if _, err := e.Call(t.Context(), Call{Capability: "test.well", Principal: ana}); err != nil {
				t.Errorf("the engine is dead: %v", err)
			}
			// The snapshot was given back: as many calls as there are readers, and more, find one.
			for range 10 {
				e.Call(t.Context(), Call{Capability: "test.it", Principal: ana})
			}
			// While the versions of capabilities are written down the file has another writer.
			err = e.prov.flush(t.Context())
			for deadline := time.Now().Add(2 * time.Minute); fault.Is(err, fault.TimedOut) && time.Now().Before(deadline); {
				err = e.prov.flush(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			err = e.graph.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
				all, err := s.Activities(t.Context(), kg.ActivityFilter{}, 100)
				all = slices.DeleteFunc(all, func(a kg.Activity) bool { return a.Error != "internal" })
				if len(all) != 11 {
					t.Errorf("provenance: %v", all)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPanicInAListIsAnInternalError(t *testing.T) {
	log := new(bytes.Buffer)
	e := &Engine{config: Config{Log: slog.New(slog.NewTextHandler(log, nil)), NewTraceID: func() string { return "0123" }}} // without a graph
	_, err := e.Tools(t.Context(), policy.Principal{})
	_, other := e.Resources(t.Context(), policy.Principal{})
	for _, err := range []error{err, other} {
		if f := fault.Of(err); f.Kind != fault.Internal || f.Details["trace_id"] != "0123" || !strings.Contains(log.String(), "nil pointer") {
			t.Errorf("got %v; the log says %s", err, log)
		}
	}
}

func TestDevToolsAreHiddenAndRefusedInProduction(t *testing.T) {
	done := func(context.Context, *Request) (any, error) { return map[string]any{}, nil }
	for env, want := range map[string]fault.Kind{"production": fault.UnknownTool, "dev": fault.Internal, "": fault.Internal} {
		e, _ := withHandler(t, policy.Dev, env, done)
		ana := policy.Local("ana", "")
		_, err := e.Call(t.Context(), Call{Capability: "test_it", Principal: ana})
		if err != nil && (fault.Of(err).Kind != want || err.Error() != "unknown tool: test_it") {
			t.Errorf("env %q: got %v", env, err)
		}
		tools, listErr := e.Tools(t.Context(), ana)
		if listErr != nil {
			t.Fatal(listErr)
		}
		listed := false
		for _, d := range tools.Descriptors {
			listed = listed || d.ID == "test.it"
		}
		if listed != (env != "production") || listed != (err == nil) {
			t.Errorf("env %q: listed %t, called %v", env, listed, err)
		}
	}
}

func TestACallThatIsStoppedSaysSo(t *testing.T) {
	wait := func(ctx context.Context, _ *Request) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	e, log := withHandler(t, policy.Runtime, "", wait)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Call(ctx, Call{Capability: "test.it", Principal: policy.Local("ana", "")})
	if !fault.Is(err, fault.TimedOut) || err.Error() != "test.it was cancelled" {
		t.Errorf("cancelled: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, err = e.Call(ctx, Call{Capability: "test.it", Principal: policy.Local("ana", "")})
	if !fault.Is(err, fault.TimedOut) || err.Error() != "test.it took too long and was stopped" {
		t.Errorf("out of time: %v", err)
	}
	limited, stop := context.WithCancelCause(t.Context())
	stop(fault.New(fault.TimedOut, "the request took longer than 30s"))
	_, err = e.Call(limited, Call{Capability: "test.it", Principal: policy.Local("ana", "")})
	if !fault.Is(err, fault.TimedOut) || err.Error() != "the request took longer than 30s" {
		t.Errorf("stopped by the limit of its door: %v", err)
	}
	if log.Len() > 0 {
		t.Errorf("that is no fault of ours, but the log says %s", log)
	}
	if err := e.prov.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = e.graph.Session(policy.Local("ana", "")).View(t.Context(), func(s *kg.Snapshot) error {
		recorded, err := s.Activities(t.Context(), kg.ActivityFilter{Refused: true}, 10)
		for _, a := range recorded {
			if a.Error != fault.TimedOut.String() {
				t.Errorf("%s is recorded as %s", a.Capability, a.Error)
			}
		}
		if len(recorded) != 3 {
			t.Errorf("%d calls are recorded", len(recorded))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEveryKindHasAnOutcome(t *testing.T) {
	want := map[string][]fault.Kind{
		"invalid": {fault.InvalidData, fault.InvalidArguments, fault.Malformed, fault.TooLarge},
		"denied":  {fault.UnknownTool, fault.Unauthenticated, fault.ScopeDenied, fault.Denied, fault.Exhausted, fault.Busy},
		"failed":  {fault.Internal, fault.NotFound, fault.Missing, fault.Precondition, fault.Conflict, fault.TimedOut, fault.Unusable},
	}
	for outcome, kinds := range want {
		for _, kind := range kinds {
			e, _ := withHandler(t, policy.Runtime, "", func(context.Context, *Request) (any, error) { return nil, fault.New(kind, "so") })
			r := &Request{engine: e}
			r.finish(fault.New(kind, "so"))
			if r.activity.Outcome != outcome || r.activity.Error != kind.String() {
				t.Errorf("%s: got %s, %s", kind, r.activity.Outcome, r.activity.Error)
			}
		}
	}
}
