package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// fake is an engine whose tools misbehave on demand. The zero value is ready.
type fake struct {
	mu      sync.Mutex
	calls   []invoke.Call
	more    []capability.Descriptor // besides the fixed ones
	version string
	changes chan invoke.Change
	refuses error // of every call of fail, if it is not nil
	watches int
	watcher policy.Principal
}

func tool(id string, scope policy.Scope, fields ...capability.Field) capability.Descriptor {
	return capability.Descriptor{
		ID: id, Description: "Does " + id + ".",
		InputShape:     capability.Shape{Closed: true, Fields: fields},
		OutputShape:    capability.Shape{Fields: []capability.Field{{Name: "ok", Type: capability.Boolean}, {Name: "text", Type: capability.String}}},
		PolicyRequired: capability.Requirement{Scope: scope},
	}.Stamped("1.0.0")
}

var fixed = []capability.Descriptor{
	tool("echo", policy.Runtime, capability.Field{Name: "text", Type: capability.String, MaxLength: new(5)}),
	tool("fail", policy.Runtime, capability.Field{Name: "kind", Type: capability.String, Required: true}),
	tool("panic", policy.Runtime),
	tool("slow", policy.Runtime),
	tool("trails.meta.gen.type", policy.Dev),
	tool("trails.meta.schema.plan", policy.Builder),
}

func (f *fake) Tools(_ context.Context, p policy.Principal) (invoke.Tools, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := append(slices.Clone(fixed), f.more...)
	all = slices.DeleteFunc(all, func(d capability.Descriptor) bool {
		return policy.Allow(p, d.PolicyRequired.Scope, d.ID) != nil
	})
	return invoke.Tools{Version: "v" + f.version, Descriptors: all, Listed: all}, nil
}

func (f *fake) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	f.mu.Lock()
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	for _, d := range fixed {
		if name := capability.ToolName(d.ID); name == c.Capability {
			if err := policy.Allow(c.Principal, d.PolicyRequired.Scope, name); err != nil {
				return invoke.Result{}, err
			}
			return f.run(ctx, name, c)
		}
	}
	if text, ok := wordsOf[c.Capability]; ok {
		return invoke.Result{Structured: json.RawMessage(text)}, nil
	}
	return invoke.Result{}, fault.New(fault.UnknownTool, "unknown tool: %s", c.Capability)
}

// wordsOf are the answers of what is no tool.
var wordsOf = map[string]string{
	"prompts_list": `{"prompts":[{"name":"write","title":"Write","description":"Write a node.","arguments":[{"name":"type","description":"Its type.","required":true,"completes":"types"},{"name":"why","description":"Why.","required":false}]}]}`,
	"prompts_get":  `{"description":"Write a node.","messages":[{"role":"user","text":"Write a <Note> & so on."}]}`,
	"suggest":      `{"items":[{"value":"Note","label":"A note"}],"total":101,"more":true}`,
}

func (f *fake) run(ctx context.Context, name string, c invoke.Call) (invoke.Result, error) {
	switch name {
	case "panic":
		panic("boom")
	case "slow":
		<-ctx.Done()
		if strings.Contains(string(c.Args), "fault") {
			return invoke.Result{}, fault.New(fault.TimedOut, "slow was cancelled")
		}
		return invoke.Result{}, ctx.Err()
	case "fail":
		if f.refuses != nil {
			return invoke.Result{}, f.refuses
		}
		var args struct{ Kind string }
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return invoke.Result{}, fmt.Errorf("args: %w", err)
		}
		return invoke.Result{}, failures[args.Kind]
	}
	for i := int64(1); c.Progress != nil && i <= 2; i++ {
		c.Progress(invoke.Progress{Phase: "read", Done: i, Total: 2, Unit: "bytes"})
	}
	return invoke.Result{Structured: json.RawMessage(`{ "ok": true, "text": "<b>&é" }`)}, nil
}

// failures has one error for each kind of fault, and some that are none.
var failures = map[string]error{
	"internal":          fault.New(fault.Internal, "internal error").With("trace_id", "0af7651916cd43dd8448eb211c80319c"),
	"plain":             errors.New("secret cause"),
	"cancelled":         context.Canceled,
	"invalid_data":      fault.Invalid([]fault.FieldError{{Field: "status", Code: fault.OneOf, Message: "status must be one of a, b", Value: "<draft>&", Constraint: []string{"a", "b"}}}),
	"invalid_arguments": fault.Arguments(fault.FieldError{Field: "text", Code: fault.MaxLength, Message: "text must have at most 5 characters", Value: "too long", Constraint: 5}),
	"filter":            fault.New(fault.InvalidArguments, "Invalid params").With("field", "n").With("reason", "type_mismatch").With("expected_datatype", "xsd:integer"),
	"unauthenticated":   fault.New(fault.Unauthenticated, "Authentication failed"),
	"scope_denied":      policy.Allow(policy.Principal{Authenticated: true, Scopes: policy.NewScopes(policy.Runtime)}, policy.Dev, "x"),
	"denied":            fault.New(fault.Denied, "denied: change on Secret"),
	"exhausted":         fault.New(fault.Exhausted, "budget exhausted").With("limit", 10).With("used", 10).With("retry_after", 3),
	"not_found":         fault.New(fault.NotFound, "Resource not found").With("uri", "trails://nothing"),
	"missing":           fault.New(fault.Missing, "there is no Requirement %q", "R1").With("id", "R1"),
	"precondition":      fault.New(fault.Precondition, "the head is b, not a").With("head", "b"),
	"conflict":          fault.New(fault.Conflict, "R1 exists"),
	"malformed":         fault.New(fault.Malformed, "no such <syntax>").With("line", 3),
	"too_large":         fault.New(fault.TooLarge, "more than 1000 rows"),
	"timed_out":         fault.New(fault.TimedOut, "the write lock was not free"),
	"unusable":          fault.New(fault.Unusable, "the disk is full"),
}

func (f *fake) Resources(context.Context, policy.Principal) ([]invoke.Resource, error) {
	return []invoke.Resource{
		{URI: "trails://schema", Name: "schema", Description: "Types and constraints.", MIME: "application/json"},
		{URI: "trails://kg/Note", Name: "Note", Description: "List all Note instances.", MIME: "application/json", Template: "trails://kg/Note{?where,limit,offset}"},
	}, nil
}

func (f *fake) Read(_ context.Context, uri string, c invoke.Call) (invoke.Document, error) {
	f.mu.Lock()
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme != "trails":
		return invoke.Document{}, fault.New(fault.NotFound, "no resource at %s", uri)
	case strings.HasPrefix(u.Query().Get("where"), "n="):
		return invoke.Document{}, failures["filter"]
	case u.Path == "/Note/panic":
		panic("boom")
	case u.Path == "/Note/gone":
		return invoke.Document{}, failures["missing"]
	case u.Host == "kg" && strings.HasPrefix(u.Path, "/Note/"):
		return invoke.Document{URI: uri, MIME: "application/ld+json", Body: []byte(`{"@id":"urn:x:Note/<1>"}`)}, nil
	case u.Host == "binary":
		return invoke.Document{URI: uri, MIME: "application/octet-stream", Body: []byte{0xff, 0xfe}}, nil
	case u.Host == "kg" && u.Path == "/Note", u.Host == "schema":
		return invoke.Document{URI: uri, MIME: "application/json", Body: []byte(`[]`)}, nil
	}
	return invoke.Document{}, fault.New(fault.NotFound, "no resource at %s", uri)
}

func (f *fake) Sight(context.Context, policy.Principal) (string, error) { return "", nil }

func (f *fake) WatchOn(ctx context.Context, p policy.Principal, _ string) <-chan invoke.Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches, f.watcher = f.watches+1, p
	if f.changes == nil {
		f.changes = make(chan invoke.Change)
	}
	return f.changes
}

func (f *fake) lastCall() invoke.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[len(f.calls)-1]
}

func (f *fake) called() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}
