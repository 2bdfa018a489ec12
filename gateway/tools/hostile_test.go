package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	if os.Getenv("TRAILS_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	if err := hostile().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// hostile is a server that does what a server should not.
func hostile() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "hostile", Version: "1"}, nil)
	add := func(name, schema string, do func(context.Context) string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: do(ctx)}}}, nil
		})
	}
	const any = `{"type":"object"}`
	add("hang", any, func(ctx context.Context) string { <-ctx.Done(); return "" })
	add("exit", any, func(context.Context) string { os.Exit(7); return "" })
	add("flood", any, func(context.Context) string { return strings.Repeat("x", 100<<20) })
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
		{"babble", gateway.UpstreamError},
		{"lie", gateway.SchemaInvalid},
	}
	servers := []gateway.Server{{Name: "github", HTTP: serve(t, github(new(atomic.Int64)))}}
	for _, c := range cases {
		s := gateway.Server{Name: c.tool, Include: []string{c.tool}, Command: []string{os.Args[0]}, Env: map[string]string{"TRAILS_TEST_SERVER": "1"}}
		if c.tool == "hang" {
			s.TimeoutMS = 500
		}
		servers = append(servers, s)
	}
	e := engineOf(t, invoke.Config{}, servers...)
	count := fmt.Sprintf(`{"tool_id":%q,"args":{"count":3}}`, idOf(t, e, "tool_browse", "count"))
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			execute := fmt.Sprintf(`{"tool_id":%q,"args":{}}`, idOf(t, e, "tool_browse", c.tool))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
					if err == nil || fault.Of(err).Details["error"] != c.want {
						t.Fatalf("%v %v, want %s", err, fault.Of(err).Details, c.want)
					}
					t.Logf("%d other calls meanwhile: %v", others, err)
					return
				default:
				}
			}
		})
	}
}
