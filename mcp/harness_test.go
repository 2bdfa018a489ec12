package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/mcp"
	"trails/mcp/session"
)

const token = "s3cret"

// versions are the SDK's, oldest first.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func options(tok string) mcp.Options {
	return optionsOf(auth.Options{Token: tok, Scopes: policy.NewScopes(policy.Runtime)})
}

// optionsOf are the options of a server that lets these callers in.
func optionsOf(callers auth.Options) mcp.Options {
	callers.ID = cmp.Or(callers.ID, "local:ana")
	return mcp.Options{Version: "0.1.0", Auth: auth.New(callers)}
}

// tokenFor is what a server with these options asks for.
func tokenFor(opts mcp.Options) string {
	if opts.Auth.NeedsToken() {
		return token
	}
	return ""
}

// stdio is a session over pipes. It must be opened in a synctest bubble: what the
// server has to say is complete when every goroutine waits.
type stdio struct {
	t    testing.TB
	in   *io.PipeWriter
	out  buffer
	done chan error
	stop context.CancelFunc
}

func openStdio(t testing.TB, e mcp.Engine, opts mcp.Options) *stdio {
	t.Helper()
	in, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	s := &stdio{t: t, in: w, done: make(chan error, 1), stop: cancel}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.done <- mcp.New(e, opts).RunStdio(ctx, in, &s.out)
	}()
	t.Cleanup(func() {
		cancel()
		w.Close()
		<-ended // calls in flight are cut after a while
	})
	return s
}

// send writes lines, each complete with its newline, and returns what is answered.
func (s *stdio) send(lines ...string) []string {
	s.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			s.t.Fatalf("write: %v", err)
		}
	}
	return s.heard()
}

// heard waits for quiet, and for what the SDK delays by some milliseconds.
func (s *stdio) heard() []string {
	synctest.Wait()
	time.Sleep(50 * time.Millisecond) // of the bubble's clock
	synctest.Wait()
	return s.out.take()
}

// one sends a line that has exactly one answer.
func (s *stdio) one(line string) string {
	s.t.Helper()
	got := s.send(line)
	if len(got) != 1 {
		s.t.Fatalf("%.200s\n  has %d answers: %v", line, len(got), got)
	}
	return got[0]
}

// greet initializes the session.
func (s *stdio) greet(version, bearer string) {
	s.t.Helper()
	if got := s.one(hello(version, bearer)); !strings.Contains(got, `"result"`) {
		s.t.Fatalf("initialize: %s", got)
	}
	if got := s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); len(got) > 0 {
		s.t.Fatalf("initialized: %v", got)
	}
}

// end closes the input and returns what RunStdio did.
func (s *stdio) end() error {
	s.in.Close()
	return <-s.done
}

func hello(version, bearer string) string {
	info := `{"name":"tester","version":"1"}`
	if bearer != "" {
		info = `{"name":"tester","version":"1","authorization":{"bearer":"` + bearer + `"}}`
	}
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":` + info + `}}`
}

// ask is a request as this version writes it.
func ask(version string, id int, method string, params map[string]any, bearer string) string {
	p := map[string]any{}
	for k, v := range params {
		p[k] = v
	}
	meta, _ := p["_meta"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	if version == "2026-07-28" {
		meta["io.modelcontextprotocol/protocolVersion"] = version
		meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": "tester", "version": "1"}
	}
	if bearer != "" {
		meta[session.BearerKey] = bearer
	}
	if len(meta) > 0 {
		p["_meta"] = meta
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": p})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func callTool(name string, args any) map[string]any {
	return map[string]any{"name": name, "arguments": args}
}

// post sends a body to the handler as this version wants it.
func post(t testing.TB, h http.Handler, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// versionHeaders are the headers that a request of this version has.
func versionHeaders(version, method, name string) []string {
	headers := []string{"MCP-Protocol-Version: " + version}
	if version == "2026-07-28" {
		headers = append(headers, "Mcp-Method: "+method)
		if name != "" {
			headers = append(headers, "Mcp-Name: "+name)
		}
	}
	return headers
}

// answer is a JSON-RPC answer, read.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func parse(t testing.TB, text string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return a
}

// code is the error's code, 0 for a result.
func code(t testing.TB, text string) int {
	t.Helper()
	a := parse(t, text)
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

// buffer collects lines from any goroutine.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.TrimSuffix(b.buf.String(), "\n")
	b.buf.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (b *buffer) String() string { return fmt.Sprint(b.take()) }
