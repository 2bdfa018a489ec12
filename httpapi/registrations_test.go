package httpapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"trails/auth"
	"trails/builtin"
	"trails/httpapi"
	"trails/invoke"
	"trails/kg"
	"trails/mcp"
	"trails/policy"
)

// generations has two types, and the first a third, whose capabilities all name a generation.
func generations(n int) string {
	text := "types:\n"
	for i := range 2 + n%2 {
		text += fmt.Sprintf("  Kind%d:\n    properties:\n      name: {type: string, required: true, one_of: [generation-%d]}\n", i, n)
	}
	return text
}

var generation = regexp.MustCompile(`generation-\d+`)

// Another engine on the same file changes, adds and removes capabilities while a client reads
// all that is made of them. No answer has two generations in it, and those that are read
// under one tag have one; TRAILS_REGISTRATIONS says how often, instead of 20 times.
func TestNoDocumentHasTwoVersionsOfTheRegistry(t *testing.T) {
	times := 20
	if n, err := strconv.Atoi(os.Getenv("TRAILS_REGISTRATIONS")); err == nil {
		times = n
	}
	path := filepath.Join(t.TempDir(), "kinds.trails")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: []byte(generations(0))}); err != nil {
		t.Fatal(err)
	}
	open := func() *invoke.Engine {
		g, err := kg.Open(t.Context(), path, kg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := invoke.New(g, invoke.Config{Providers: builtin.Providers(), Version: "test", Log: slog.New(slog.DiscardHandler)})
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
	reader, writer := open(), open()
	who := auth.New(auth.Options{Scopes: policy.AllScopes()})
	agents := mcp.New(reader, mcp.Options{Auth: who})
	defer agents.Close()
	h := httpapi.New(reader, httpapi.Options{Auth: who, MCP: agents.Handler()})

	var over atomic.Bool
	changed, turn := make(chan error, 1), make(chan struct{}, 1) // a change for each request, at most
	go func() {
		defer over.Store(true)
		for n := range times {
			<-turn
			_, err := writer.Call(t.Context(), invoke.Call{Capability: "schema_apply", Principal: policy.Principal{ID: "writer", Scopes: policy.AllScopes(), Authenticated: true},
				Args: fmt.Appendf(nil, `{"schema":%q,"allow_data_loss":true}`, generations(n+1))})
			if err != nil {
				changed <- err
				return
			}
		}
		changed <- nil
	}()
	read := func(x exchange) (res *http.Response, one string) {
		select {
		case turn <- struct{}{}:
		default:
		}
		res = do(h, newRequest(x))
		for _, g := range generation.FindAllString(readAll(t, res.Body), -1) {
			if one != "" && g != one {
				t.Fatalf("%s has %s and %s", x.path, one, g)
			}
			one = g
		}
		return res, one
	}
	seen, together, parted := map[string]bool{}, 0, 0
	for !over.Load() {
		_, listed := read(exchange{method: "POST", path: "/mcp", header: http.Header{"Accept": {"application/json, text/event-stream"}},
			body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`})
		seen[listed] = true
		first, of := read(exchange{method: "GET", path: "/.well-known/wot"})
		for _, path := range []string{"/openapi.json", "/capabilities", "/kinds/card"} {
			res, other := read(exchange{method: "GET", path: path, header: http.Header{"If-Match": {first.Header.Get("ETag")}}})
			switch {
			case res.StatusCode == http.StatusPreconditionFailed:
				parted++
			case res.StatusCode != http.StatusOK || other != of:
				t.Fatalf("%s: %d %s beside %s", path, res.StatusCode, other, of)
			default:
				together++
			}
		}
	}
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	if len(seen) < 2 || seen[""] || together == 0 {
		t.Errorf("%d generations were listed: %s; %d documents of one tag, %d refused", len(seen), strings.Join(keysOf(seen), " "), together, parted)
	}
	t.Logf("%d generations listed, %d documents of one tag, %d refused", len(seen), together, parted)
}

func keysOf(set map[string]bool) (names []string) {
	for name := range set {
		names = append(names, strconv.Quote(name))
	}
	return names
}
