package upstream_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/upstream"
)

// wired is one request of JSON-RPC.
type wired struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name            string
		Cursor          string
		ProtocolVersion string
	}
}

// result is what a plain server answers, "" for a notification and for a call of a tool.
func (s wired) result() string {
	switch s.Method {
	case "initialize":
		return `{"protocolVersion":"` + s.Params.ProtocolVersion + `","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"plain","version":"1"}}`
	case "tools/list":
		return `{"tools":[{"name":"count","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object"}}]}`
	case "resources/list", "resources/templates/list", "prompts/list":
		return `{"resources":[],"resourceTemplates":[],"prompts":[]}`
	}
	return ""
}

// raw is a server over standard input and output that knows no library. MODE says how it misbehaves.
func raw() {
	mode := os.Getenv("MODE")
	out := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	switch mode {
	case "a banner":
		fmt.Println("Starting server v1.0\n[INFO] listening\n{not: a message}\n\n[]")
	case "a banner without an end of line":
		fmt.Print("Starting... ")
	case "it ends before it is greeted":
		fmt.Fprintln(os.Stderr, "first line\nError: API_KEY is not set")
		os.Exit(3)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var r wired
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		result := r.result()
		switch {
		case mode == "a line between messages":
			fmt.Println("DEBUG: " + r.Method)
		case mode == "it lists no resources" && strings.HasPrefix(r.Method, "resources/"), mode == "it lists no prompts" && r.Method == "prompts/list":
			out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
			continue
		case mode == "it fails to list prompts" && r.Method == "prompts/list":
			out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no database"}}`, r.ID)
			continue
		case mode == "its pages have one cursor" && r.Method == "prompts/list":
			result = `{"prompts":[],"nextCursor":"a"}`
		case mode == "its pages go round" && r.Method == "prompts/list":
			result = fmt.Sprintf(`{"prompts":[],"nextCursor":%q}`, map[string]string{"": "a", "a": "b", "b": "a"}[r.Params.Cursor])
		case mode == "it ends in a call" && r.Method == "tools/call":
			fmt.Fprintln(os.Stderr, "Segmentation fault")
			os.Exit(139)
		case mode == "its lists change without a pause" && r.Method == "tools/call":
			for range 5_000 {
				out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}
		if r.Method == "tools/call" {
			result = `{"content":[{"type":"text","text":"1"}]}`
			if r.Params.Name == "odd" {
				result = `{"content":[{"type":"text","text":"1"},{"type":"future","z":1},{"text":"no type"}]}`
			}
		}
		out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
	}
}

// TestAServerThatMisbehavesStaysUsableForTheRest prints what is no message, refuses what it says
// that it has, and answers with what the protocol does not know. Its tools can be called.
func TestAServerThatMisbehavesStaysUsableForTheRest(t *testing.T) {
	for mode, problem := range map[string]string{
		"": "", "a banner": "", "a banner without an end of line": "", "a line between messages": "", "it lists no resources": "", "it lists no prompts": "",
		"it fails to list prompts": "does not list its prompts: no database", "its lists change without a pause": "",
		"its pages have one cursor": "what comes after page 2", "its pages go round": "what comes after page 3",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var changes atomic.Int32
			p := open(t, func(c *upstream.Config) { c.Changed = func(string) { changes.Add(1) } })
			s := command(t, "raw", func(s *gateway.Server) { s.Env["MODE"], s.TimeoutMS = mode, 20_000 })
			c, err := p.Catalog(t.Context(), s)
			if err != nil || len(c.Offered) != 2 || (len(c.Problems) > 0) != (problem != "") || problem != "" && !strings.Contains(c.Problems[0].Message, problem) {
				t.Errorf("it offers %v, %v, %v", c.Offered, c.Problems, err)
			}
			for _, tool := range []string{"count", "odd", "count"} {
				said, err := call(t, p, s, tool, "", upstream.Hooks{})
				if err != nil || !strings.HasPrefix(said, "1") || tool == "odd" && (!strings.Contains(said, `not known: "future"`) || strings.Count(said, "not known") != 2) {
					t.Errorf("%s answers %q, %v", tool, said, err)
				}
			}
			if h := p.Health(s); h.State != upstream.Up || h.Failed != 0 {
				t.Errorf("it stands as %+v", h)
			}
			if n := changes.Load(); n > 10 { // of 15,000
				t.Errorf("%d changes are passed on", n)
			}
		})
	}
}

func TestACommandThatEndsSaysItsLastWords(t *testing.T) {
	for mode, want := range map[string]string{"it ends before it is greeted": "exit status 3) and wrote at last: first line / Error: API_KEY is not set", "it ends in a call": "exit status 139) and wrote at last: Segmentation fault"} {
		t.Run(mode, func(t *testing.T) {
			p, s := open(t), command(t, "raw", func(s *gateway.Server) { s.Env["MODE"] = mode })
			for range 2 { // at once, and while it rests
				_, err := call(t, p, s, "count", "", upstream.Hooks{})
				if code(err) != gateway.UpstreamUnavailable || !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
			}
			if h := p.Health(s); !strings.Contains(h.Problem, want) {
				t.Error(h.Problem)
			}
		})
	}
}

// web is a plain server over HTTP whose answers a test decides.
func web(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, s wired) bool) (server gateway.Server, begun *atomic.Int32) {
	t.Helper()
	begun = &atomic.Int32{}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var s wired
		_ = json.Unmarshal(body, &s) // nothing for GET
		if s.Method == "initialize" {
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", begun.Add(1)))
		}
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case answer(w, r, s):
		case s.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			result := s.result()
			if result == "" {
				result = `{"content":[{"type":"text","text":"done"}]}`
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, s.ID, result)
		}
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return gateway.Server{Name: "fake", HTTP: at.URL, TimeoutMS: 20_000}, begun
}

// TestASessionThatTheServerHasForgottenIsBegunAnew lets a server forget its sessions, and say so in
// each way that servers have. The call is made again at once, and done once.
func TestASessionThatTheServerHasForgottenIsBegunAnew(t *testing.T) {
	for name, refuse := range map[string]struct {
		status      int
		media, body string
	}{
		"with an id of the server's own": {404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32001,"message":"Session not found"}}`},
		"with the id null":               {404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`},
		"with the id of the call":        {404, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}`},
		"as other JSON":                  {404, "application/json", `{"error":"Session not found"}`},
		"without a body":                 {404, "", ""},
		"as a page":                      {404, "text/html", "<html>not found</html>"},
		"by 400":                         {400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			forgotten, done := map[string]bool{}, 0
			s, begun := web(t, func(w http.ResponseWriter, r *http.Request, asked wired) bool {
				mu.Lock()
				defer mu.Unlock()
				if id := r.Header.Get("Mcp-Session-Id"); id != "" && forgotten[id] {
					w.Header().Set("Content-Type", refuse.media)
					w.WriteHeader(refuse.status)
					fmt.Fprint(w, strings.ReplaceAll(refuse.body, "ID", string(asked.ID)))
					return true
				}
				if asked.Method == "tools/call" {
					done++
				}
				return false
			})
			p := open(t)
			for i := range 3 {
				if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" {
					t.Fatalf("call %d: %q, %v", i, said, err)
				}
				mu.Lock()
				forgotten[fmt.Sprint("s", begun.Load())] = true
				mu.Unlock()
			}
			if done != 3 || begun.Load() != 3 {
				t.Errorf("%d calls are done in %d sessions", done, begun.Load())
			}
		})
	}
}

// TestAStatusIsOfItsCallAlone answers one call with each status, and the next one as it should.
func TestAStatusIsOfItsCallAlone(t *testing.T) {
	for status, want := range map[int]gateway.Code{
		400: gateway.UpstreamError, 401: gateway.AuthFailed, 403: gateway.PermissionDenied, 404: gateway.UpstreamUnavailable, 405: gateway.UpstreamError, 408: gateway.UpstreamTimeout,
		409: gateway.UpstreamError, 410: gateway.UpstreamError, 413: gateway.UpstreamError, 415: gateway.UpstreamError, 422: gateway.UpstreamError, 429: gateway.RateLimited,
		500: gateway.UpstreamUnavailable, 501: gateway.UpstreamUnavailable, 502: gateway.UpstreamUnavailable, 503: gateway.UpstreamUnavailable, 504: gateway.UpstreamTimeout, 520: gateway.UpstreamUnavailable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Params.Name != "odd" {
					return false
				}
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				fmt.Fprint(w, "a trace for people, token=abc")
				return true
			})
			p := open(t)
			_, err := call(t, p, s, "odd", "", upstream.Hooks{})
			var e *gateway.Error
			if !errors.As(err, &e) || e.Code != want || e.Details["retry_after"] != 7.0 || strings.Contains(e.Message, "people") || !strings.Contains(e.Message, fmt.Sprint(status)) {
				t.Errorf("%+v", e)
			}
			if retryable := want == gateway.UpstreamUnavailable || want == gateway.UpstreamTimeout || want == gateway.RateLimited; e != nil && e.Retryable != retryable {
				t.Errorf("retryable: %t", e.Retryable)
			}
			if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" {
				t.Errorf("the next call: %q, %v", said, err)
			}
			if status != 404 && begun.Load() != 1 { // 404 is how a session is forgotten
				t.Errorf("%d sessions", begun.Load())
			}
		})
	}
}

// TestAnAnswerThatIsNoMessageIsOfItsCallAlone has pages, other JSON and nothing in its place.
func TestAnAnswerThatIsNoMessageIsOfItsCallAlone(t *testing.T) {
	for media, body := range map[string]string{"text/html": "<html>", "application/json": "[1", "application/json; charset=utf-8": `{"a":1}`, "": "", "not/a/type": "x"} {
		t.Run(media, func(t *testing.T) {
			s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Params.Name == "odd" {
					w.Header().Set("Content-Type", media)
					fmt.Fprint(w, body)
				}
				return asked.Params.Name == "odd"
			})
			p := open(t)
			if _, err := call(t, p, s, "odd", "", upstream.Hooks{}); code(err) != gateway.UpstreamError {
				t.Error(err)
			}
			if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" || begun.Load() != 1 {
				t.Errorf("%q, %v, %d sessions", said, err, begun.Load())
			}
		})
	}
}

// TestWrongFieldsOfAServerAreFields is trails behind trails, by a status and by JSON-RPC.
func TestWrongFieldsOfAServerAreFields(t *testing.T) {
	for _, status := range []int{200, 400, 422} {
		s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
			if asked.Params.Name == "odd" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"validation failed on 1 field","data":{"fields":[{"field":"age","code":"max_value","message":"age is at most 5\u001b","value":9,"constraint":5}],"count":1}}}`, asked.ID)
			}
			return asked.Params.Name == "odd"
		})
		p := open(t)
		_, err := call(t, p, s, "odd", "", upstream.Hooks{})
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.ArgsInvalid || e.Retryable {
			t.Fatalf("%d: %v", status, err)
		}
		f := e.Fault()
		if f.Kind != fault.InvalidData || len(f.Fields) != 1 || f.Fields[0].Field != "age" || f.Fields[0].Code != "max_value" || f.Fields[0].Message != `age is at most 5\x1b` || f.Fields[0].Value != 9.0 {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

// TestAServerThatSaysNothingIsNotWaitedForByOthers lists what there is without it, and hears of it later.
func TestAServerThatSaysNothingIsNotWaitedForByOthers(t *testing.T) {
	release := make(chan struct{})
	slow, _ := web(t, func(_ http.ResponseWriter, r *http.Request, asked wired) bool {
		if asked.Method == "tools/list" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	})
	quick, _ := web(t, func(http.ResponseWriter, *http.Request, wired) bool { return false })
	slow.Name, quick.Name = "slow", "quick"
	p := open(t, func(c *upstream.Config) { c.Patience = 50 * time.Millisecond })
	all := []gateway.Kept{{Server: slow}, {Server: quick}}
	var listings []gateway.Listing
	for deadline := time.Now().Add(20 * time.Second); len(listings) == 0 && time.Now().Before(deadline); {
		var missing []upstream.Unavailable
		var err error
		if listings, missing, err = p.Listings(t.Context(), all); err != nil || len(missing) == 0 || missing[0].Server != "slow" || missing[0].Problem.Code != gateway.UpstreamTimeout {
			t.Fatalf("%v, %v", missing, err)
		}
	}
	before := p.Generation()
	close(release)
	for deadline := time.Now().Add(20 * time.Second); p.Generation() == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody hears that it has answered")
		}
	}
	all[0].Required = true
	if listings, missing, err := p.Listings(t.Context(), all); err != nil || len(listings) != 2 {
		t.Errorf("%v, %v, %v", listings, missing, err)
	}
}
