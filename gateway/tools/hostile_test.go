package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/gateway"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// TestMain lets this program be the servers that misbehave.
func TestMain(m *testing.M) {
	flood, err := strconv.Atoi(os.Getenv("TRAILS_TEST_SERVER"))
	if err != nil {
		os.Exit(m.Run())
	}
	if err := hostile(flood).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// hostile is a server that does what a server should not. It floods with so many bytes.
func hostile(flood int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "hostile", Version: "1"}, nil)
	add := func(name, schema string, do func(context.Context) string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: do(ctx)}}}, nil
		})
	}
	const any = `{"type":"object"}`
	add("hang", any, func(ctx context.Context) string { <-ctx.Done(); return "" })
	add("exit", any, func(context.Context) string { os.Exit(7); return "" })
	add("flood", any, func(context.Context) string { return strings.Repeat("x", flood) })
	add("babble", any, func(context.Context) string { fmt.Println("hello, this is no message"); return "" })
	add("lie", `{"type":"object","properties":{"n":{"type":"nothing"}}}`, func(context.Context) string { return "" })
	return s
}

// Each server that misbehaves is another one, so that no call waits for what another has left.
func TestServersThatMisbehaveAnswerForThemselvesAlone(t *testing.T) {
	cases := []struct {
		tool string
		want gateway.Code
	}{
		{"hang", gateway.UpstreamTimeout},
		{"exit", gateway.UpstreamUnavailable},
		{"flood", gateway.UpstreamError},
		{"babble", ""}, // what is no message is passed over
		{"lie", gateway.SchemaInvalid},
	}
	flood := 100 << 20
	if testing.Short() {
		flood = 40 << 20 // the limit is 32
	}
	servers := []gateway.Server{{Name: "github", HTTP: serve(t, github(new(atomic.Int64)))}}
	for _, c := range cases {
		s := gateway.Server{Name: c.tool, Include: []string{c.tool}, Command: []string{os.Args[0]}, Env: map[string]string{"TRAILS_TEST_SERVER": strconv.Itoa(flood)}}
		switch c.tool {
		case "hang":
			s.TimeoutMS = 3_000 // in which it can start on a slow machine, too
		case "flood":
			s.TimeoutMS = 240_000
		}
		servers = append(servers, s)
	}
	e := engineOf(t, invoke.Config{}, servers...)
	count := fmt.Sprintf(`{"tool_id":%q,"args":{"count":3}}`, idOf(t, e, "tool_browse", "count"))
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			execute := fmt.Sprintf(`{"tool_id":%q,"args":{}}`, idOf(t, e, "tool_browse", c.tool))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				_, err := e.Call(ctx, invoke.Call{Capability: "tool_execute", Args: json.RawMessage(execute), Principal: invoketest.Ana, Via: "test"})
				failed <- err
			}()
			for others := 0; ; others++ {
				answered(t, e, "tool_execute", count)
				select {
				case err := <-failed:
					if c.want == "" && err == nil {
						return
					}
					if err == nil || fault.Of(err).Details["error"] != c.want {
						t.Fatalf("%v %v, want %s", err, fault.Of(err).Details, c.want)
					}
					t.Logf("%d other calls meanwhile: %v", others, err)
					return
				case <-time.After(5 * time.Millisecond): // the one that misbehaves needs the processor, too
				}
			}
		})
	}
}

// A server that answers otherwise than its own output schema says: the answer passes, since the
// work is done, with a warning that has none of its values, and is not kept for the next call.
func TestAnAnswerThatBreaksItsOwnOutputSchema(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "liar", Version: "1"}, nil)
	calls := 0
	add := func(name, schema string, answer *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(schema), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { calls++; return answer, nil })
	}
	says := func(text string, structured any, failed bool) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: structured, IsError: failed}
	}
	const schema = `{"type":"object","properties":{"n":{"type":"integer"},"code":{"type":"string","pattern":"^[0-9]+$"}},"required":["n"]}`
	add("right", schema, says(`{"n":1}`, map[string]any{"n": 1}, false))
	add("wrong", schema, says("a text", map[string]any{"n": "one", "code": "hidden"}, false))
	add("missing", schema, says("a text", nil, false))
	add("fails", schema, says("it broke", nil, true))
	add("none", `{"type":"object","properties":{"n":{"type":"nothing"}}}`, says("a text", map[string]any{"n": 1}, false))
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "liar", HTTP: serve(t, s)})
	e.Must(t, "trails.meta.gateway.configure", `{"settings":{"cache":{"read_only":true}}}`)
	for name, want := range map[string]struct {
		warns string
		calls int // of two
	}{
		"right":   {"", 1},
		"wrong":   {`its structured content breaks pattern at "/code", type at "/n"`, 2},
		"missing": {"it has no structured content", 2},
		"fails":   {"", 2},
		"none":    {"nothing that it answers is held against it", 2},
	} {
		calls = 0
		id := idOf(t, e, "tool_browse", name)
		for range 2 {
			r, out := answered(t, e, "tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":{}}`, id))
			warned := strings.Join(r.Warnings, "\n")
			if (warned == "") != (want.warns == "") || !strings.Contains(warned, want.warns) || want.warns != "" && !strings.Contains(r.Told(), "warning: "+warned) {
				t.Errorf("%s warns %q, and says %q", name, warned, r.Text)
			}
			if strings.Contains(warned, "hidden") || out["result"] == nil || r.Failed != (name == "fails") {
				t.Errorf("%s: %s %v", name, warned, out)
			}
		}
		if calls != want.calls {
			t.Errorf("%s was called %d times, want %d", name, calls, want.calls)
		}
	}
}
