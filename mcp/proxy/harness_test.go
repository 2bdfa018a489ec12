package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/e2e/testrun"
	"trails/mcp/proxy"
)

// host is a program that speaks MCP over stdio with a proxy.
type host struct {
	t     *testing.T
	in    *io.PipeWriter
	out   chan string
	ended chan error
	stop  context.CancelFunc
	log   *testrun.Output
}

// connect starts a proxy for the server at an address.
func connect(t *testing.T, address string, set ...func(*proxy.Options)) *host {
	t.Helper()
	u, err := proxy.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	inOf, in := io.Pipe()
	out, outOf := io.Pipe()
	h := &host{t: t, in: in, out: make(chan string, 1024), ended: make(chan error, 1), stop: stop, log: &testrun.Output{}}
	o := proxy.Options{URL: u, HowGiven: "set TRAILS_TOKEN_TEST", Log: slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, f := range set {
		f(&o)
	}
	go func() {
		err := proxy.Run(ctx, inOf, outOf, o)
		_, _ = inOf.Close(), outOf.Close()
		h.ended <- err
	}()
	go func() {
		defer close(h.out)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			h.out <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		stop()
	})
	return h
}

func (h *host) send(format string, args ...any) {
	h.t.Helper()
	if _, err := fmt.Fprintf(h.in, format+"\n", args...); err != nil {
		h.t.Errorf("send: %v", err)
	}
}

// next returns the next line of the proxy.
func (h *host) next() string {
	h.t.Helper()
	select {
	case line, ok := <-h.out:
		if !ok {
			h.t.Fatalf("there is no further line; the log:\n%s", h.log)
		}
		if !json.Valid([]byte(line)) {
			h.t.Fatalf("no JSON: %s", line)
		}
		return line
	case <-time.After(20 * time.Second):
		h.t.Fatalf("the proxy is silent; the log:\n%s", h.log)
		return ""
	}
}

// expect wants the next line to have all parts.
func (h *host) expect(parts ...string) string {
	h.t.Helper()
	line := h.next()
	for _, part := range parts {
		if !strings.Contains(line, part) {
			h.t.Fatalf("the next line has no %q: %s\nthe log:\n%s", part, line, h.log)
		}
	}
	return line
}

// end closes the host's side, and waits for the proxy's.
func (h *host) end() error {
	h.t.Helper()
	_ = h.in.Close()
	return h.wait()
}

func (h *host) wait() error {
	h.t.Helper()
	select {
	case err := <-h.ended:
		return err
	case <-time.After(20 * time.Second):
		h.t.Fatalf("the proxy does not end; the log:\n%s", h.log)
		return nil
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`

// handshake begins a session.
func (h *host) handshake() {
	h.t.Helper()
	h.send(hello)
	h.expect(`"id":0`, `"protocolVersion"`)
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// wire is a message as a test reads it.
type wire struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// fake is a server of MCP with sessions, in which a test answers what is no handshake.
type fake struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request, m wire)

	mu       sync.Mutex
	sessions map[string]bool // those that are known
	got      []string        // a line for each request: METHOD session message
	version  string
	listen   http.HandlerFunc // GET
}

func newFake(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, m wire)) *fake {
	f := &fake{answer: answer, sessions: map[string]bool{}, version: "2025-06-18"}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() { f.CloseClientConnections(); f.Close() })
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m wire
	_ = json.Unmarshal(body, &m)
	id := r.Header.Get("Mcp-Session-Id")
	f.mu.Lock()
	f.got = append(f.got, strings.TrimSpace(r.Method+" "+id+" "+string(body)))
	known, listen, version, n := f.sessions[id], f.listen, f.version, len(f.sessions)
	f.mu.Unlock()
	switch {
	case m.Method == "initialize":
		id = fmt.Sprint("s", n+1)
		f.mu.Lock()
		f.sessions[id] = true
		f.mu.Unlock()
		w.Header().Set("Mcp-Session-Id", id)
		jsonAnswer(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}}`, m.ID, version)
	case !known:
		http.Error(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no such thing"}}`, http.StatusNotFound)
	case r.Method == http.MethodGet && listen != nil:
		listen(w, r)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case strings.HasPrefix(string(body), "["):
		f.answer(w, r, m)
	case m.ID == nil || m.Method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		f.answer(w, r, m)
	}
}

// forget ends all sessions, as a restart does.
func (f *fake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.sessions {
		f.sessions[id] = false
	}
}

// requests are those with a text in them.
func (f *fake) requests(part string) (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range f.got {
		if strings.Contains(line, part) {
			all = append(all, line)
		}
	}
	return all
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func jsonAnswer(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, format, args...)
}

func ok(w http.ResponseWriter, _ *http.Request, m wire) {
	jsonAnswer(w, `{"jsonrpc":"2.0","id":%s,"result":{"did":%q}}`, m.ID, m.Method)
}

// events writes events and flushes them.
func events(w http.ResponseWriter, all ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		_, _ = io.WriteString(w, e+"\n\n")
	}
	_ = http.NewResponseController(w).Flush()
}
