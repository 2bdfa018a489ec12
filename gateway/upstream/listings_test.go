package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/upstream"
)

// listed is a server that counts how often it lists its tools.
func listed(t *testing.T, name string) (gateway.Kept, *mcp.Server, *atomic.Int32) {
	t.Helper()
	var lists atomic.Int32
	s := server()
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
			}
			return next(ctx, method, r)
		}
	})
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return gateway.Kept{Server: gateway.Server{Name: name, HTTP: at.URL}}, s, &lists
}

// names are the servers of listings, and how many things each offers.
func names(all []gateway.Listing) map[string]int {
	out := map[string]int{}
	for _, l := range all {
		out[l.Server.Name] = len(l.Offered)
	}
	return out
}

func TestListingsAreKeptUntilTheServerSaysOtherwise(t *testing.T) {
	p := open(t)
	k, s, lists := listed(t, "one")
	list := func() (int, uint64) {
		t.Helper()
		generation := p.Generation()
		all, missing, err := p.Listings(t.Context(), []gateway.Kept{k})
		if err != nil || len(missing) > 0 || len(all) != 1 {
			t.Fatal(all, missing, err)
		}
		return len(all[0].Offered), generation
	}
	first, began := list()
	if n, generation := list(); n != first || generation != began || lists.Load() != 1 {
		t.Errorf("it lists %d and then %d, in the generations %d and %d, and was asked %d times", first, n, began, generation, lists.Load())
	}
	mcp.AddTool(s, &mcp.Tool{Name: "new"}, func(context.Context, *mcp.CallToolRequest, asked) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	for deadline := time.Now().Add(10 * time.Second); p.Generation() == began; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not noticed that the server offers something else")
		}
	}
	second, changed := list()
	if second != first+1 || lists.Load() != 2 {
		t.Errorf("it lists %d and then %d, and was asked %d times", first, second, lists.Load())
	}
	p.Refresh("other")
	if _, generation := list(); generation != changed || lists.Load() != 2 {
		t.Error("another server was refreshed, and this one was asked")
	}
	p.Refresh("one")
	if _, generation := list(); generation == changed || lists.Load() != 3 {
		t.Errorf("it was refreshed, and asked %d times", lists.Load())
	}
	few := k
	few.Include = []string{"echo"}
	all, _, err := p.Listings(t.Context(), []gateway.Kept{few})
	if err != nil || len(all) != 1 || len(all[0].Offered) != 1 {
		t.Errorf("a definition that takes one takes %v, %v", all, err)
	}
}

func TestAServerThatFailsHidesNoOther(t *testing.T) {
	p := open(t, func(c *upstream.Config) { c.Trusts = func(s gateway.Server) bool { return s.Name != "stranger" } })
	good, _, _ := listed(t, "good")
	hangs := gateway.Kept{Server: command(t, "silent", func(s *gateway.Server) {
		s.Name, s.TimeoutMS, s.Env["TRAILS_TEST_PID"] = "hangs", 700, os.DevNull
	})}
	gone := gateway.Kept{Server: gateway.Server{Name: "gone", HTTP: "http://127.0.0.1:1/mcp"}}
	stranger, _, _ := listed(t, "stranger")
	later := gateway.Kept{Server: gateway.Server{Name: "later"}, Err: fault.New(fault.Malformed, "a later program wrote it")}
	before := p.Generation()
	all, missing, err := p.Listings(t.Context(), []gateway.Kept{gone, good, hangs, later, stranger})
	if err != nil || len(all) != 1 || names(all)["good"] == 0 {
		t.Fatal(all, err)
	}
	for i, want := range []upstream.Unavailable{
		{Server: "gone", Problem: &gateway.Error{Code: gateway.UpstreamUnavailable}}, {Server: "hangs", Problem: &gateway.Error{Code: gateway.UpstreamTimeout}},
		{Server: "later", Problem: &gateway.Error{Code: gateway.UpstreamError}}, {Server: "stranger", Problem: &gateway.Error{Code: gateway.PermissionDenied}},
	} {
		if i >= len(missing) || missing[i].Server != want.Server || missing[i].Problem.Code != want.Problem.Code {
			t.Fatalf("not available are %v, and not %v", missing, want)
		}
	}
	// A failure is kept as long as the server rests, and then looked into again.
	for p.Generation() == before { // this ends, or the test does
		time.Sleep(20 * time.Millisecond)
	}
	gone.Required = true
	if all, _, err := p.Listings(t.Context(), []gateway.Kept{gone, good}); all != nil || code(err) != gateway.UpstreamUnavailable {
		t.Errorf("one that is required is not there, and the answer is %v, %v", all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Refresh("good")
	if _, _, err := p.Listings(ctx, []gateway.Kept{good}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone is told %v", err)
	}
}

func TestAServerThatNobodyNamesAnyMoreEnds(t *testing.T) {
	noted := t.TempDir() + "/pid"
	p := open(t, func(c *upstream.Config) { c.Lingering = 50 * time.Millisecond })
	k := gateway.Kept{Server: command(t, "noted", func(s *gateway.Server) { s.Env["TRAILS_TEST_PID"] = noted })}
	if _, _, err := p.Listings(t.Context(), []gateway.Kept{k}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	running := func() bool {
		process, err := os.FindProcess(pid)
		return err == nil && process.Signal(syscall.Signal(0)) == nil
	}
	// Somebody names it again before its time is over.
	for _, servers := range [][]gateway.Kept{nil, {k}} {
		if _, _, err := p.Listings(t.Context(), servers); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	if !running() {
		t.Fatal("it ended although it is named")
	}
	changed := k
	changed.Env = map[string]string{"TRAILS_TEST_SERVER": "1", "TRAILS_TEST_PID": os.DevNull}
	if _, _, err := p.Listings(t.Context(), []gateway.Kept{changed}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); running(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("its definition is another one, and it runs on")
		}
	}
}

// accepted has all accepted that a server offers now.
func accepted(t *testing.T, k gateway.Kept) gateway.Kept {
	t.Helper()
	c, err := open(t).Catalog(t.Context(), k.Server)
	if err != nil {
		t.Fatal(err)
	}
	add, _, err := k.Accepted.Accept(k.Server, k.Accepted.Review(k.Server, c.Offered))
	if err != nil {
		t.Fatal(err)
	}
	return gateway.FromQuads(append(add, k.Quad()))[0]
}

func TestAPinnedServerIsListedAsItWasAccepted(t *testing.T) {
	k, s, lists := listed(t, "one")
	k.Pin = true
	k = accepted(t, k)
	lists.Store(0)
	p := open(t)
	list := func() *gateway.Directory {
		t.Helper()
		all, missing, err := p.Listings(t.Context(), []gateway.Kept{k})
		if err != nil || len(missing) > 0 {
			t.Fatal(missing, err)
		}
		return gateway.NewDirectory(nil, all)
	}
	before := p.Generation()
	if d := list(); d.Catalog(gateway.Tool).Len() != 9 || d.Catalog(gateway.Prompt).Len() != 1 || lists.Load() != 0 || p.Health(k.Server).State != upstream.Idle {
		t.Errorf("listed are %d tools, and the server was asked %d times", d.Catalog(gateway.Tool).Len(), lists.Load())
	}

	// Before the first call the server says what it offers by now.
	hook := func(context.Context, *mcp.CallToolRequest, asked) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Reads your letters, too."}, hook)
	mcp.AddTool(s, &mcp.Tool{Name: "new"}, hook)
	s.RemoveTools("fail")
	s.RemovePrompts("greet")
	for tool, want := range map[string]gateway.Code{"env": "", "echo": gateway.HydrateFailed, "fail": gateway.HydrateFailed, "new": gateway.HydrateFailed} {
		if _, err := call(t, p, k.Server, tool, "HOME", upstream.Hooks{}); code(err) != want {
			t.Errorf("%s is answered %v", tool, err)
		}
	}
	if _, err := p.Prompt(t.Context(), k.Server, "greet", nil, upstream.Hooks{}); code(err) != gateway.HydrateFailed {
		t.Errorf("a prompt that is gone is answered %v", err)
	}
	if parts, err := p.Read(t.Context(), k.Server, "fake://one", upstream.Hooks{}); err != nil || len(parts) != 1 {
		t.Errorf("the resource is %v, %v", parts, err)
	}
	if p.Generation() == before {
		t.Error("nobody hears that the listing may be another one")
	}
	d := list()
	if d.Catalog(gateway.Tool).Len() != 7 || len(d.Held()) != 2 {
		t.Errorf("listed are %d tools, held back %v", d.Catalog(gateway.Tool).Len(), d.Held())
	}
	k = accepted(t, k)
	list()
	if _, err := call(t, p, k.Server, "echo", "x", upstream.Hooks{}); err != nil {
		t.Errorf("what was accepted anew is answered %v", err)
	}
}

func TestAPinnedServerThatIsDownIsNotListed(t *testing.T) {
	k := gateway.Kept{Server: command(t, "good", func(s *gateway.Server) { s.Pin = true })}
	k = accepted(t, k)
	p := open(t)
	if all, _, err := p.Listings(t.Context(), []gateway.Kept{k}); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if _, err := call(t, p, k.Server, "exit", "", upstream.Hooks{}); code(err) != gateway.UpstreamUnavailable {
		t.Fatal(err)
	}
	until := p.Health(k.Server).Until
	all, missing, err := p.Listings(t.Context(), []gateway.Kept{k})
	if time.Now().After(until) {
		t.Skip("the machine is so slow that the server has rested already")
	}
	if err != nil || len(all) != 0 || len(missing) != 1 || missing[0].Problem.Code != gateway.UpstreamUnavailable {
		t.Errorf("it is listed as %v, %v, %v", all, missing, err)
	}
}
