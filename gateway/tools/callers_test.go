package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// bank is a server that knows callers by their credentials, and repeats what it was shown.
func bank(t testing.TB, calls *atomic.Int64) gateway.Server {
	t.Helper()
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		shown := r.Header.Get("Authorization")
		who, _, _ := strings.Cut(strings.TrimPrefix(shown, "Bearer "), "-")
		s := mcp.NewServer(&mcp.Implementation{Name: "bank", Version: "1"}, nil)
		add := func(name, says string) {
			mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Tell the " + name + ".", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest, asked) (*mcp.CallToolResult, any, error) {
				calls.Add(1)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: says}}}, nil, nil
			})
		}
		add("owner", who)
		add("credential", "it is "+shown)
		add("statement", strings.Repeat("a line of "+who+" and "+shown+". ", 300))
		add("vault-of-"+who, "gold")
		return s
	}, nil)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("Authorization"), "-s3cret") {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return gateway.Server{Name: "bank", HTTP: at.URL, CallerHeader: "Authorization"}
}

// Two people come by one token, as everybody does over HTTP, with credentials of their own: what
// the server tells the one is neither listed, kept, remembered nor shown for the other, and the
// credential is in nothing that stays.
func TestCallersOfOneNameWithCredentialsOfTheirOwn(t *testing.T) {
	calls := new(atomic.Int64)
	var observed strings.Builder
	var mu sync.Mutex
	e := engineOf(t, invoke.Config{Observe: func(o invoke.Observation) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&observed, "%+v\n", o)
	}}, bank(t, calls))
	e.Must(t, "trails.meta.gateway.configure", `{"settings":{"cache":{"read_only":true},"tolerant_args":true,"rate_limits":{"meta_tools":{"tool_execute":{"max_calls_per_session":60}}}}}`)
	as := func(credential string) context.Context {
		r := httptest.NewRequest(http.MethodPost, "/", http.NoBody).WithContext(t.Context())
		r.Header.Set("Trails-Upstream-Bank", credential)
		return auth.TakeCredentials(r).Context()
	}
	ask := func(ctx context.Context, name, args string) (invoke.Result, error) {
		return e.Call(ctx, invoke.Call{Capability: name, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test"})
	}
	people := map[string]context.Context{"ann": as("Bearer ann-s3cret"), "bob": as("Bearer bob-s3cret")}
	var work sync.WaitGroup
	handles := sync.Map{}
	for who, ctx := range people {
		work.Go(func() {
			for range 5 {
				r, err := ask(ctx, "tool_browse", `{"query":"vault","top_k":50}`)
				if err != nil || !strings.Contains(r.Text, "vault-of-"+who) || strings.Count(r.Text, "bank:vault-of") != 1 {
					t.Errorf("%s is shown %s, %v", who, r.Text, err)
				}
				r, err = ask(ctx, "tool_execute", `{"tool_id":"bank:owner#ca4e3edc","args":{}}`)
				if err != nil || r.Text != who {
					t.Errorf("%s is told %q, %v", who, r.Text, err)
				}
				r, err = ask(ctx, "tool_execute", `{"tool_id":"bank:credential#939cf900","args":{}}`)
				if err != nil || r.Text != "it is [credential]" {
					t.Errorf("%s is told %q, %v", who, r.Text, err)
				}
			}
			r, err := ask(ctx, "tool_execute", `{"tool_id":"bank:statement#2d555ace","args":{}}`)
			if err != nil {
				t.Error(err)
				return
			}
			var out struct{ Artifacts []struct{ Handle string } }
			if err := json.Unmarshal(r.Structured, &out); err != nil || len(out.Artifacts) != 1 {
				t.Errorf("%s %v", r.Structured, err)
				return
			}
			handles.Store(who, out.Artifacts[0].Handle)
		})
	}
	work.Wait()
	if t.Failed() {
		return
	}
	if n := calls.Load(); n != 6 {
		t.Errorf("the server was called %d times, want 6: each of three tools for each of two", n)
	}
	ann, _ := handles.Load("ann")
	view := fmt.Sprintf(`{"handle":%q,"selector":{"type":"head","chars":13}}`, ann)
	if r, err := ask(people["ann"], "tool_view", view); err != nil || r.Text != "a line of ann" {
		t.Errorf("%q %v", r.Text, err)
	}
	for name, ctx := range map[string]context.Context{"bob": people["bob"], "without one": t.Context(), "with a wrong one": as("Bearer eve-guess")} {
		if _, err := ask(ctx, "tool_view", view); fault.Of(err).Details["error"] != gateway.ViewFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without a credential nothing is sent, and the answer names the way out.
	for credential, ctx := range map[string]context.Context{"": t.Context(), "Bearer eve-wrong-one": as("Bearer eve-wrong-one")} {
		_, err := ask(ctx, "tool_execute", `{"tool_id":"bank:owner#00000000","args":{}}`)
		if f := fault.Of(err); f.Details["error"] != gateway.AuthFailed || !strings.Contains(f.Message, "the upstream bank") || !strings.Contains(f.Message, "Trails-Upstream-Bank") {
			t.Errorf("%q: %v", credential, err)
		}
		if r, err := ask(ctx, "tool_browse", `{"query":"vault"}`); err != nil || strings.Contains(r.Text, "bank:vault-of") || !strings.Contains(r.Told(), "warning: the upstream bank is unavailable") {
			t.Errorf("%q is shown %s, %v", credential, r.Text, err)
		}
	}
	if n := calls.Load(); n != 6 {
		t.Errorf("%d calls", n)
	}
	// All of them are counted as one caller.
	limited := false
	for i := range 60 {
		_, err := ask(as(fmt.Sprintf("Bearer n%d-s3cret", i)), "tool_execute", `{"tool_id":"search","args":{"text":"x"}}`)
		limited = limited || fault.Of(err) != nil && fault.Of(err).Details["error"] == gateway.RateLimited
	}
	if !limited {
		t.Error("another credential is counted anew")
	}
	left := observed.String() + fmt.Sprintf("%+v", e.Activities(t))
	files, err := filepath.Glob(e.Graph().Path() + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("s3cret")) || bytes.Contains(text, []byte("eve-wrong")) {
			t.Errorf("%s has a credential", filepath.Base(file))
		}
	}
	if strings.Contains(left, "s3cret") || strings.Contains(left, "eve-wrong") {
		t.Errorf("it has a credential: %s", left)
	}
}
