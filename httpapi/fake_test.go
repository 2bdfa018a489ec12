package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// fakeEngine stands for the call path where only the transport is in question: it
// notes what it was asked and answers what the test says.
type fakeEngine struct {
	mu    sync.Mutex
	calls []invoke.Call
	reads []string

	result   string
	parts    invoke.Parts
	commit   string // that a call made; "" for none
	output   string // is streamed before the call answers or fails
	document string
	head     string
	page     *invoke.Page
	err      error
	panics   bool
	hangs    bool             // until the request is stopped
	fails    map[string]error // by capability
}

func (f *fakeEngine) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	f.hang(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
	if err := f.fails[c.Capability]; err != nil {
		return invoke.Result{}, err
	}
	if f.panics {
		panic("a bug")
	}
	if c.Output != nil {
		if _, err := io.WriteString(c.Output, f.output); err != nil {
			return invoke.Result{}, err
		}
	}
	if f.err != nil {
		return invoke.Result{}, f.err
	}
	result := f.result
	if result == "" {
		result = "{}"
	}
	out := invoke.Result{Structured: json.RawMessage(result), Parts: f.parts, TraceID: c.TraceID, Head: f.head}
	if f.commit != "" {
		out.Written = &invoke.Written{Commit: &f.commit}
	}
	return out, nil
}

func (f *fakeEngine) Follow(ctx context.Context, c invoke.Call, _ time.Duration, each func(*invoke.Result) error) error {
	res, err := f.Call(ctx, c)
	if err == nil {
		err = each(&res)
	}
	return err
}

func (f *fakeEngine) Tools(_ context.Context, p policy.Principal) (invoke.Tools, error) {
	if !p.Scopes.Has(policy.Runtime) {
		return invoke.Tools{}, fault.New(fault.ScopeDenied, "scope denied")
	}
	return invoke.Tools{Version: "v1", Descriptors: []capability.Descriptor{{ID: "note.create", Version: "1.0.0"}}}, nil
}

func (f *fakeEngine) SeesAll(_ context.Context, p policy.Principal) (bool, error) {
	return p.ID != "token:part", nil
}

func (f *fakeEngine) hang(ctx context.Context) {
	if f.hangs {
		<-ctx.Done()
	}
}

func (f *fakeEngine) Read(ctx context.Context, uri string, c invoke.Call) (invoke.Document, error) {
	f.hang(ctx)
	if ctx.Err() != nil {
		return invoke.Document{}, fault.New(fault.TimedOut, "%s was cancelled", uri)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, uri)
	f.calls = append(f.calls, c)
	if f.err != nil {
		return invoke.Document{}, f.err
	}
	mime := map[string]string{"": "application/ld+json", "json": "application/json", "jsonld": "application/ld+json", "turtle": "text/turtle"}[c.Format]
	return invoke.Document{URI: uri, MIME: mime, Body: []byte(f.document), Head: f.head, Page: f.page}, nil
}

func (f *fakeEngine) Ready(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fakeEngine) lastCall() invoke.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		return invoke.Call{}
	}
	return f.calls[len(f.calls)-1]
}

func (f *fakeEngine) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}
