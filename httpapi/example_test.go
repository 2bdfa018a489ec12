package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/capability"
	"trails/example"
	"trails/invoke"
	"trails/kg"
	"trails/mcp"
)

// Greeting is what the capability of the example takes and answers.
type Greeting struct {
	Name string `json:"name" doc:"Who is greeted." min:"1" max:"40"`
}

// A program with an HTTP server of its own mounts the MCP server and the pages beside
// what it serves. Its capability is a tool at the one and a form at the other.
func Example_inAnotherMux() {
	dir, err := os.MkdirTemp("", "trails")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "shop.trails")
	if err := kg.Create(ctx, path, kg.CreateOptions{Schema: example.Schema}); err != nil {
		panic(err)
	}
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		panic(err)
	}
	defer g.Close()

	greet := invoke.Define(capability.Descriptor{ID: "shop.greet", Description: "Greet somebody."},
		func(_ context.Context, _ *invoke.Request, in Greeting) (Greeting, error) {
			return Greeting{Name: "Hello, " + in.Name}, nil
		})
	own := invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{greet}})
	e := invoke.New(g, invoke.Config{Providers: append(builtin.Providers(), own), Log: slog.New(slog.DiscardHandler)})
	defer e.Close(ctx)

	// The program knows its users, and says who asks.
	signedIn := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), policy.Local("ana", "shop"))))
		})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the shop") })
	mux.Handle("/mcp", signedIn(mcp.New(e, mcp.Options{}).Handler()))
	mux.Handle("/admin/", signedIn(admin.New(e, admin.Options{})))
	srv := httptest.NewServer(mux)
	defer srv.Close()

	ask := func(method, path, body string) string {
		req, err := http.NewRequest(method, srv.URL+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream, text/html")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			panic(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	fmt.Println(ask("GET", "/", ""))
	fmt.Println(ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shop_greet","arguments":{"name":"Ana"}}}`))
	fmt.Println(strings.Contains(ask("GET", "/admin/capabilities/shop.greet", ""), "Who is greeted."))
	// Output:
	// the shop
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"name: Hello, Ana"}],"structuredContent":{"name":"Hello, Ana"}}}
	// true
}
