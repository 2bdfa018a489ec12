package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth/policy"
	"trails/builtin"
	"trails/example"
	"trails/invoke"
	"trails/kg"
	"trails/mcp"
	"trails/mcp/session"
)

var ana = policy.Local("ana", "")

// exampleFile is a file with the example graph, that any number of engines may open.
func exampleFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.trails")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Name: "example", Schema: example.Schema, By: ana}); err != nil {
		t.Fatal(err)
	}
	load := invoke.Call{Capability: "load", Principal: ana, Via: "go", Args: json.RawMessage(`{"format":"ndjson"}`),
		Inputs: []invoke.Input{{Name: "data.ndjson", Reader: bytes.NewReader(example.Data)}}}
	if _, err := openFile(t, path).Call(t.Context(), load); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t testing.TB, path string) *invoke.Engine {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers(), Version: "0.1.0"})
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

func write(t testing.TB, e *invoke.Engine, capability, args string) {
	t.Helper()
	if _, err := e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: ana, Via: "go"}); err != nil {
		t.Fatal(err)
	}
}

// doors open a way to a server for the SDK's own client.
var doors = map[string]func(t *testing.T, s *mcp.Server) sdk.Transport{
	"stdio": func(t *testing.T, s *mcp.Server) sdk.Transport {
		inR, in := io.Pipe()
		out, outW := io.Pipe()
		ctx := context.WithoutCancel(t.Context()) // it ends with its input
		go func() {
			_ = s.RunStdio(ctx, inR, outW)
			outW.Close()
		}()
		return &sdk.IOTransport{Reader: out, Writer: in}
	},
	"stateless": func(t *testing.T, s *mcp.Server) sdk.Transport {
		return &sdk.StreamableClientTransport{Endpoint: serving(t, s, s.Handler()), HTTPClient: &http.Client{}}
	},
	"stateful": func(t *testing.T, s *mcp.Server) sdk.Transport {
		return &sdk.StreamableClientTransport{Endpoint: serving(t, s, s.StatefulHandler()), HTTPClient: &http.Client{}}
	},
	"sse": func(t *testing.T, s *mcp.Server) sdk.Transport {
		return &sdk.SSEClientTransport{Endpoint: serving(t, s, s.SSEHandler()) + "/sse", HTTPClient: &http.Client{}}
	},
}

func serving(t *testing.T, s *mcp.Server, h http.Handler) string {
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Close()
		web.Close()
	})
	return web.URL
}

// A client of one process hears of what another one writes, at every door: of a type,
// of an instance, of one that is not there yet, and of a schema.
func TestAClientHearsOfWhatAnotherProcessWrites(t *testing.T) {
	for name, open := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := exampleFile(t)
			here, there := openFile(t, path), openFile(t, path)
			heard := make(chan string, 1000)
			client := sdk.NewClient(&sdk.Implementation{Name: "go", Version: "1"}, &sdk.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
					heard <- fmt.Sprint(r.Params.URI, " ", r.Params.Meta[session.CommitKey] != nil)
				},
				ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { heard <- "tools" },
				ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { heard <- "resources" },
			})
			session, err := client.Connect(t.Context(), open(t, mcp.New(here, options(""))), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			for _, uri := range []string{"trails://kg/Requirement", "trails://kg/Requirement/R-900", "trails://schema"} {
				if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
					t.Fatal(uri, err)
				}
			}
			hears(t, heard, []string{"trails://kg/Requirement true", "trails://kg/Requirement/R-900 true"}, func(i int) {
				if i == 0 {
					write(t, there, "requirement_create", `{"code":"R-900","title":"Be written elsewhere","status":"proposed","priority":1}`)
					return
				}
				write(t, there, "requirement_update", fmt.Sprintf(`{"id":"R-900","title":"Be written elsewhere, %d"}`, i))
			})
			hears(t, heard, []string{"tools", "resources", "trails://schema true"}, func(i int) {
				schema := string(example.Schema) + fmt.Sprintf("\n  Risk%d:\n    properties:\n      name: {type: string}\n", i)
				text, _ := json.Marshal(schema)
				write(t, there, "schema_apply", `{"schema":`+string(text)+`,"allow_data_loss":true}`)
			})
		})
	}
}

// hears writes until everything was heard: the SDK's client does not say when a
// subscription has begun.
func hears(t *testing.T, heard <-chan string, want []string, write func(i int)) {
	t.Helper()
	missing := map[string]bool{}
	for _, w := range want {
		missing[w] = true
	}
	for i := 0; len(missing) > 0; i++ {
		write(i)
		for late := time.After(time.Second); len(missing) > 0 && late != nil; {
			select {
			case h := <-heard:
				delete(missing, h)
			case <-late:
				late = nil
			}
		}
		if i > 30 {
			t.Fatalf("never heard %v, but %d", missing, len(heard))
		}
	}
}

// What is unsubscribed is not heard of any more, and what is heard was committed.
func TestAnUnsubscribedClientHearsNothing(t *testing.T) {
	e := openFile(t, exampleFile(t))
	s := converse(t, e, options(""))
	uri := map[string]any{"uri": "trails://kg/Requirement"}
	s.ask("resources/subscribe", uri)
	write(t, e, "requirement_create", `{"code":"R-901","title":"Be heard of","status":"proposed","priority":1}`)
	if a := s.next(); a.Method != "notifications/resources/updated" {
		t.Fatalf("heard %+v", a)
	}
	s.ask("resources/unsubscribe", uri)
	s.ask("resources/subscribe", map[string]any{"uri": "trails://kg/Component"})
	write(t, e, "requirement_create", `{"code":"R-902","title":"Be heard of","status":"proposed","priority":1}`)
	write(t, e, "component_create", `{"name":"x-y","path":"x/y","title":"The end of it","row":"logic"}`)
	if a := s.next(); string(a.Params) == "" || !bytes.Contains(a.Params, []byte("trails://kg/Component")) {
		t.Errorf("heard %s", a.Params)
	}
}
