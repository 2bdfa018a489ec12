package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/mcp"
	"trails/mcp/session"
)

// web is an HTTP server and the way to it, over pipes: inside a synctest bubble its
// timeouts pass at once, and everything is quiet when every goroutine waits. A pipe
// holds nothing, so a client that does not read stalls the server at once.
type web struct {
	t     testing.TB
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
	http  *http.Client
}

var stateful, legacy = (*mcp.Server).StatefulHandler, (*mcp.Server).SSEHandler

func openWeb(t testing.TB, s *mcp.Server, door func(*mcp.Server) http.Handler) *web {
	t.Helper()
	w := &web{t: t, conns: make(chan net.Conn), over: make(chan struct{})}
	srv := &http.Server{Handler: resolved(door(s)), ReadTimeout: time.Minute, WriteTimeout: 15 * time.Minute}
	go srv.Serve(w)
	pool := &http.Transport{DialContext: w.dial}
	w.http = &http.Client{Transport: pool}
	t.Cleanup(func() {
		s.Close()
		srv.Close()
		pool.CloseIdleConnections()
	})
	return w
}

// resolved stands for an edge that knows callers by tokens of their own.
func resolved(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if own := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); own != "" && own != token {
			r = r.WithContext(auth.WithPrincipal(r.Context(), policy.Principal{ID: own, Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}))
		}
		next.ServeHTTP(w, r)
	})
}

func (w *web) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case w.conns <- there:
		return here, nil
	case <-w.over:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *web) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.over:
		return nil, net.ErrClosed
	}
}

func (w *web) Close() error {
	w.once.Do(func() { close(w.over) })
	return nil
}

func (w *web) Addr() net.Addr { return &net.UnixAddr{Name: "web", Net: "unix"} }

// browser is one client of the stateful door, or of the legacy one.
type browser struct {
	*web
	version, token, session string
	path                    string // "/mcp", or where the legacy endpoint wants messages
	id                      int
}

func (w *web) browser(version, token string) *browser {
	return &browser{web: w, version: version, token: token, path: "/mcp"}
}

// do sends a request. The caller closes the body.
func (b *browser) do(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	if b.session != "" {
		r.Header.Set("Mcp-Session-Id", b.session)
		r.Header.Set("MCP-Protocol-Version", b.version)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// post sends a message and returns the status and what is answered: a body, or the
// data of the last event.
func (b *browser) post(body string, headers ...string) (status int, answer string) {
	b.t.Helper()
	res := b.do(b.t.Context(), http.MethodPost, b.path, body, headers...)
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		b.session = id
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res.StatusCode, strings.TrimSpace(string(text))
	}
	for line := range strings.Lines(string(text)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			answer = strings.TrimSpace(data)
		}
	}
	return res.StatusCode, answer
}

// greet opens a session.
func (b *browser) greet() {
	b.t.Helper()
	if status, got := b.post(hello(b.version, "")); status != http.StatusOK || b.session == "" {
		b.t.Fatalf("initialize: %d %s", status, got)
	}
	if status, got := b.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != http.StatusAccepted || got != "" {
		b.t.Fatalf("initialized: %d %s", status, got)
	}
}

// ask makes a request and returns its answer.
func (b *browser) ask(method string, params map[string]any) answer {
	b.t.Helper()
	b.id++
	status, got := b.post(ask(b.version, b.id, method, params, ""))
	if status != http.StatusOK {
		b.t.Fatalf("%s: %d %s", method, status, got)
	}
	return parse(b.t, got)
}

func (b *browser) subscribe(uris ...string) {
	b.t.Helper()
	for _, uri := range uris {
		if a := b.ask("resources/subscribe", map[string]any{"uri": uri}); a.Error != nil {
			b.t.Fatalf("subscribe to %s: %+v", uri, a.Error)
		}
	}
}

// stream is one connection that reads events.
type stream struct {
	status int
	cut    context.CancelFunc
	ended  chan struct{}

	comments atomic.Int64

	mu     sync.Mutex
	events []event
}

type event struct{ name, id, data string }

// open reads a stream until it ends or is cut.
func (b *browser) open(method, path, body string, headers ...string) *stream {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	res := b.do(ctx, method, path, body, headers...)
	s := &stream{status: res.StatusCode, cut: cancel, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		defer res.Body.Close()
		s.read(res.Body)
	}()
	b.t.Cleanup(func() {
		cancel()
		<-s.ended
	})
	return s
}

// get opens the session's stream, or resumes one.
func (b *browser) get(headers ...string) *stream {
	b.t.Helper()
	return b.open(http.MethodGet, b.path, "", headers...)
}

func (s *stream) read(body io.Reader) {
	var e event
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if value != "" {
				s.comments.Add(1)
			}
			if e != (event{}) {
				s.add(e)
			}
			e = event{}
		default: // not an event: a refusal
			e.data = lines.Text()
		}
	}
	if e != (event{}) {
		s.add(e)
	}
}

func (s *stream) add(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// heard waits for quiet and returns what has come since.
func (s *stream) heard() []event {
	quiet()
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.events = nil
	return events
}

// quiet waits for what the server delays by some milliseconds.
func quiet() {
	synctest.Wait()
	time.Sleep(60 * time.Millisecond) // of the bubble's clock
	synctest.Wait()
}

// messages are the data of events that are messages.
func messages(events []event) []string {
	var all []string
	for _, e := range events {
		if e.name == "message" {
			all = append(all, e.data)
		}
	}
	return all
}

// isOver reports that the stream has ended.
func (s *stream) isOver() bool {
	synctest.Wait()
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

func updated(uri, commit string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"trails/commit":"%s"},"uri":"%s"}}`, commit, uri)
}

func resynced(uri, commit string) string {
	return strings.Replace(updated(uri, commit), `"}`, `","trails/resync":true}`, 1)
}

// withSessions are options whose sessions have these bounds.
func withSessions(o session.Options) mcp.Options {
	opts := options("")
	opts.Sessions = o
	return opts
}
