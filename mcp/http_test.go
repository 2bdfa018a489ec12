package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/fault"
	"trails/invoke"
	"trails/mcp"
)

// GO-SDK 0.5: over the legacy transport one user's session can be spoken to with
// another's token. It is not served: every request shows who it is from.
func TestTrap05TheLegacySSETransportIsNotServed(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	for _, path := range []string{"/sse", "/mcp", "/messages?sessionid=x"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
		r.Header.Set("Accept", "text/event-stream")
		h.ServeHTTP(w, r)
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
			t.Errorf("GET %s: %d %v", path, w.Code, w.Header())
		}
	}
}

// streamWriter remembers the deadlines that it was given before each write.
type streamWriter struct {
	header    http.Header
	deadlines []string
}

func (w *streamWriter) Header() http.Header         { return w.header }
func (w *streamWriter) WriteHeader(int)             {}
func (w *streamWriter) Flush()                      {}
func (w *streamWriter) Write(p []byte) (int, error) { w.note("write"); return len(p), nil }
func (w *streamWriter) note(what string)            { w.deadlines = append(w.deadlines, what) }

func (w *streamWriter) SetReadDeadline(at time.Time) error {
	w.note(fmt.Sprintf("read %t", at.IsZero()))
	return nil
}

func (w *streamWriter) SetWriteDeadline(at time.Time) error {
	w.note(fmt.Sprintf("write within 5s %t", time.Until(at) > 0 && time.Until(at) <= 5*time.Second))
	return nil
}

// GO-SDK 0.7: the SDK writes to one subscriber after the other, without a timeout.
func TestTrap07ASubscriberHasFiveSecondsForEachEvent(t *testing.T) {
	w := &streamWriter{header: http.Header{}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp",
		strings.NewReader(ask("2026-07-28", 1, "subscriptions/listen", map[string]any{"notifications": map[string]any{}}, "")))
	for _, header := range append(versionHeaders("2026-07-28", "subscriptions/listen", ""), "Content-Type: application/json", "Accept: */*") {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	mcp.New(&fake{}, options("")).Handler().ServeHTTP(w, r)
	got := strings.Join(w.deadlines, ", ")
	event := "read true, write within 5s true, write"
	if got != event+", "+event { // the acknowledgement, and the result: nothing was subscribed to
		t.Errorf("got %s", got)
	}
}

// GO-SDK 0.8: a stateless server advertises what it cannot do, and takes
// subscriptions that it forgets.
func TestTrap08AStatelessServerAdvertisesAndTakesOnlyWhatItCanDo(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	for _, version := range versions[:4] {
		if got := post(t, h, hello(version, "")).Body.String(); !strings.Contains(got, `"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}},"completions":{},"prompts":{},"resources":{},"tools":{}}`) {
			t.Errorf("%s: %s", version, got)
		}
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			w := post(t, h, ask(version, 1, method, map[string]any{"uri": "trails://schema"}, ""), versionHeaders(version, method, "")...)
			if code(t, w.Body.String()) != -32601 {
				t.Errorf("%s %s: %s", version, method, w.Body)
			}
		}
	}
	w := post(t, h, ask("2026-07-28", 1, "server/discover", nil, ""), versionHeaders("2026-07-28", "server/discover", "")...)
	if got := w.Body.String(); !strings.Contains(got, `"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}},"completions":{},"prompts":{},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`) {
		t.Errorf("discover: %s", got)
	}
}

// GO-SDK 0.10: what the SDK refuses before the session is plain text.
func TestTrap10EveryRefusalOverHTTPIsJSONRPC(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 32<<20) + `"}}}`
	deep := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}}`
	for _, c := range []struct {
		name, body   string
		headers      []string
		status, code int
	}{
		{"an empty body", "", nil, 400, -32700},
		{"malformed JSON", "{", nil, 400, -32700},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", nil, 400, -32700},
		{"trailing bytes", fmt.Sprintf(ping, 1) + "x", nil, 400, -32700},
		{"a batch of the oldest version", "[" + fmt.Sprintf(ping, 1) + "]", []string{"MCP-Protocol-Version: 2024-11-05"}, 400, -32600},
		{"a body too large", big, nil, 413, -32600},
		{"a body too deep", deep, nil, 400, -32600},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, nil, 200, -32601},
		{"missing params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 200, -32602},
		{"a version that is not", fmt.Sprintf(ping, 1), []string{"MCP-Protocol-Version: 2023-01-01"}, 400, -32600},
		{"no _meta in the newest version", fmt.Sprintf(ping, 1), versionHeaders("2026-07-28", "ping", ""), 400, -32602},
		{"a version of the future", ask("2026-07-28", 1, "tools/list", nil, ""), []string{"MCP-Protocol-Version: 2099-01-01"}, 400, -32020},
		{"no Mcp-Method", ask("2026-07-28", 1, "tools/list", nil, ""), []string{"MCP-Protocol-Version: 2026-07-28"}, 400, -32020},
		{"another Mcp-Name", ask("2026-07-28", 1, "tools/call", callTool("echo", nil), ""), versionHeaders("2026-07-28", "tools/call", "other"), 400, -32020},
		{"a method that the newest version has no more", ask("2026-07-28", 1, "ping", nil, ""), versionHeaders("2026-07-28", "ping", ""), 404, -32601},
		{"text", fmt.Sprintf(ping, 1), []string{"Content-Type: text/plain"}, 415, -32600},
		{"no type", fmt.Sprintf(ping, 1), []string{"Content-Type: "}, 415, -32600},
		{"a client that takes no events", fmt.Sprintf(ping, 1), []string{"Accept: application/json"}, 400, -32600},
		{"Last-Event-ID", fmt.Sprintf(ping, 1), []string{"Last-Event-ID: 1"}, 400, -32600},
		{"another origin", fmt.Sprintf(ping, 1), []string{"Origin: http://evil.example"}, 403, -32600},
		{"another site", fmt.Sprintf(ping, 1), []string{"Sec-Fetch-Site: cross-site"}, 403, -32600},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := post(t, mcp.New(&fake{}, options("")).Handler(), c.body, c.headers...)
			if media := w.Header().Get("Content-Type"); w.Code != c.status || media != "application/json" || code(t, w.Body.String()) != c.code {
				t.Errorf("%d %s %s", w.Code, media, w.Body)
			}
		})
	}
}

// GO-SDK 1.3: a page that rebinds its name to this address has another Host.
func TestTrapSection1AnotherHostIsRefusedOnLoopback(t *testing.T) {
	srv := httptest.NewServer(mcp.New(&fake{}, options("")).Handler())
	defer srv.Close()
	for host, want := range map[string]int{"evil.example": 403, "localhost": 200, "127.0.0.1:1": 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(fmt.Sprintf(ping, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "*/*")
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", host, res.StatusCode, res.Header)
		}
	}
}

// GO-SDK 1.1: in the newest version an error has an HTTP status of its own.
func TestTrapSection1TheNewestVersionsErrorsHaveAStatus(t *testing.T) {
	opts := options(token)
	opts.ToolErrors = mcp.ToolErrorsProtocol
	h := mcp.New(&fake{}, opts).Handler()
	for kind, want := range map[string]int{"invalid_data": 400, "not_found": 400, "missing": 200, "plain": 200, "exhausted": 200, "scope_denied": 200} {
		for _, version := range versions {
			headers := append(versionHeaders(version, "tools/call", "fail"), "Authorization: Bearer "+token)
			w := post(t, h, ask(version, 1, "tools/call", callTool("fail", map[string]any{"kind": kind}), ""), headers...)
			status := want
			if version != "2026-07-28" {
				status = http.StatusOK
			}
			if w.Code != status {
				t.Errorf("%s %s: %d, want %d", version, kind, w.Code, status)
			}
		}
	}
}

func TestACallOverHTTPNeedsNoInitialize(t *testing.T) {
	e := &fake{}
	h := mcp.New(e, options("")).Handler()
	w := post(t, h, ask("2025-11-25", 1, "tools/call", callTool("echo", map[string]any{}), ""), "User-Agent: node")
	if w.Code != 200 || code(t, w.Body.String()) != 0 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if p := e.lastCall().Principal; p.ID != "anonymous" || p.Client != "node" || p.Authenticated {
		t.Errorf("%+v", p)
	}
}

func TestTheCallersTraceIsFollowed(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	e := &fake{}
	h := mcp.New(e, options("")).Handler()
	with := func(meta any) string {
		params := callTool("echo", nil)
		params["_meta"] = map[string]any{"traceparent": meta}
		return ask("2025-11-25", 1, "tools/call", params, "")
	}
	for _, c := range []struct {
		name, body string
		header     string
		want       string
	}{
		{"in _meta", with(parent), "", "0af7651916cd43dd8448eb211c80319c"},
		{"in the header", with(nil), parent, "0af7651916cd43dd8448eb211c80319c"},
		{"in both, _meta wins", with(parent), strings.Replace(parent, "0af7", "ffff", 1), "0af7651916cd43dd8448eb211c80319c"},
		{"not one", with("00-xyz"), "", ""},
		{"not text", with(5), "", ""},
		{"of version 00 with more after it", with(parent + "-x"), "", ""},
		{"of a later version with more after it", with("01" + parent[2:] + "-x"), "", "0af7651916cd43dd8448eb211c80319c"},
		{"all zero", with("00-00000000000000000000000000000000-b7ad6b7169203331-01"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			post(t, h, c.body, "Traceparent: "+c.header)
			if got := e.lastCall().TraceID; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(with(nil)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "*/*")
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(invoke.WithTrace(t.Context(), invoke.Trace{ID: "chosen"})))
	if got := e.lastCall().TraceID; got != "chosen" {
		t.Errorf("of the handler around: %q", got)
	}
}

// listen opens a subscription on a real connection.
func listen(t *testing.T, url string, want string) *bufio.Scanner {
	t.Helper()
	body := ask("2026-07-28", 1, "subscriptions/listen", map[string]any{"notifications": map[string]any{want: true}}, "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range append(versionHeaders("2026-07-28", "subscriptions/listen", ""), "Content-Type: application/json", "Accept: application/json, text/event-stream") {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if media := res.Header.Get("Content-Type"); res.StatusCode != 200 || media != "text/event-stream" {
		t.Fatalf("%d %s", res.StatusCode, media)
	}
	return bufio.NewScanner(res.Body)
}

// next returns the data of the next event.
func next(t *testing.T, events *bufio.Scanner) string {
	t.Helper()
	for events.Scan() {
		if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatal("the stream ended:", events.Err())
	return ""
}

// shortReads serves with a read timeout, which must not end a stream.
func shortReads(t *testing.T, h http.Handler) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadTimeout: time.Second, WriteTimeout: time.Second}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return "http://" + ln.Addr().String()
}

// A call whose request the server cuts ends, and its answer says why.
func TestACallThatTheServerCutsIsToldSo(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cut := context.WithCancelCause(t.Context())
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"`+version+`","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`))
				for _, header := range append(versionHeaders(version, "tools/call", "slow"), "Content-Type: application/json", "Accept: application/json, text/event-stream") {
					name, value, _ := strings.Cut(header, ": ")
					r.Header.Set(name, value)
				}
				w, e := httptest.NewRecorder(), &fake{}
				over := make(chan struct{})
				go func() { defer close(over); mcp.New(e, options("")).Handler().ServeHTTP(w, r) }()
				synctest.Wait()
				if len(e.calls) != 1 {
					t.Fatalf("%d calls: %s", len(e.calls), w.Body)
				}
				cut(fault.New(fault.TimedOut, "the server was stopped"))
				<-over
				if got := w.Body.String(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "the server was stopped") {
					t.Errorf("it is told %q", got)
				}
			})
		})
	}
}
