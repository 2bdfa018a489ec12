package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/fault"
	"trails/mcp/proxy"
)

// Messages pass in both directions as they are: members that nobody knows, ids of every kind, escapes.
func TestMessagesPassAsTheyAre(t *testing.T) {
	answers := map[string]string{
		"a": `{"later":[1.0,1e2],"id":7,"result":{"text":"A\u00e9<>&","n":12345678901234567890},"jsonrpc":"2.0"}`,
		"b": `{"jsonrpc":"2.0","id":"é","error":{"code":-32602,"message":"no","data":null,"more":true}}`,
		"c": "{\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": 8,\n  \"result\": {}\n}\n",
		"d": `[{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":10,"result":{}}]`,
	}
	var got atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.Store(string(body))
		for name, answer := range answers {
			if strings.Contains(string(body), `"method":"`+name) {
				jsonAnswer(w, "%s", answer)
				return
			}
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer s.Close()
	h := connect(t, s.URL)
	for name, message := range map[string]string{
		"a": `{"method":"a","params":{"x":1.0,"y":"\u0041<"},"jsonrpc":"2.0","id":7,"extra":{}}`,
		"b": `{"jsonrpc":"2.0","id":"\u00e9","method":"b"}`,
		"c": `{"jsonrpc":"2.0", "id":8, "method":"c"}`,
		"d": `[{"jsonrpc":"2.0","id":9,"method":"d"},{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","id":10,"method":"d"}]`,
	} {
		message = strings.ReplaceAll(message, `"method": "`, `"method":"`)
		h.send("%s", message)
		want := strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(answers[name]))
		if line := h.next(); line != want {
			t.Errorf("%s is answered by %s, and the server said %s", name, line, want)
		}
		if got.Load() != message {
			t.Errorf("the server got %v, and the host sent %s", got.Load(), message)
		}
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

func TestTheTransportIsSaidInHeaders(t *testing.T) {
	type request struct {
		method string
		http.Header
	}
	requests := make(chan request, 20)
	f := newFake(t, ok)
	inner := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- request{r.Method, r.Header.Clone()}
		inner.ServeHTTP(w, r)
	})
	h := connect(t, f.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return "s3cret", nil } })
	take := func() request { return <-requests }
	check := func(r request, method, version, session string) {
		t.Helper()
		if r.method != method || r.Get("MCP-Protocol-Version") != version || r.Get("Mcp-Session-Id") != session || r.Get("Authorization") != "Bearer s3cret" {
			t.Errorf("%s %v; want %s, version %q, session %q", r.method, r.Header, method, version, session)
		}
		if accept := r.Get("Accept"); method != "DELETE" && !strings.Contains(accept, "text/event-stream") || method == "POST" && (!strings.Contains(accept, "application/json") || r.Get("Content-Type") != "application/json") {
			t.Errorf("%s accepts %s, and sends %s", method, accept, r.Get("Content-Type"))
		}
	}
	h.handshake()
	check(take(), "POST", "", "")
	check(take(), "POST", "2025-06-18", "s1")
	check(take(), "GET", "2025-06-18", "s1")
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	h.expect(`"id":1`)
	r := take()
	check(r, "POST", "2025-06-18", "s1")
	if r.Get("Mcp-Method") != "" {
		t.Errorf("the method is in a header of %v", r.Header)
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
	check(take(), "DELETE", "2025-06-18", "s1")

	// The protocol without sessions repeats method and name.
	h = connect(t, f.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return "s3cret", nil } })
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for method, name := range map[string]string{"tools/call": `"name":"étude"`, "resources/read": `"uri":"étude","name":"other"`, "prompts/get": `"name":"étude"`, "tools/list": `"cursor":""`} {
		h.send(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,%s}}`, method, name, meta)
		h.next()
		r := take()
		check(r, "POST", "2026-07-28", "")
		if want := map[bool]string{true: "étude"}[method != "tools/list"]; r.Get("Mcp-Method") != method || r.Get("Mcp-Name") != want {
			t.Errorf("%s: %v", method, r.Header)
		}
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	if r := take(); r.Get("Mcp-Method") != "notifications/cancelled" || r.Get("MCP-Protocol-Version") != "2026-07-28" {
		t.Errorf("a notification: %v", r.Header)
	}
	// A name that no header can have is left to the server to refuse.
	h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a\nAuthorization: other",%s}}`, meta)
	h.next()
	if r := take(); r.Get("Mcp-Name") != "" || r.Get("Authorization") != "Bearer s3cret" {
		t.Errorf("a name with a line end: %v", r.Header)
	}
}

// The stream that answers a request brings notifications and requests of the server before the answer.
func TestAnAnswerMayBeAStream(t *testing.T) {
	asked := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request, m wire) {
		events(w, ": a comment\nevent: ping\ndata: {}", `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}`, "event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\ndata: \"method\":\"elicitation/create\"}", "data: no message")
		<-asked
		events(w, `data: {"jsonrpc":"2.0","id":99,"result":{"of":"nobody"}}`, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"done":true}}`, m.ID))
	})
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	h.expect("notifications/progress")
	if line := h.expect("elicitation/create"); line != `{"jsonrpc":"2.0","id":"q", "method":"elicitation/create"}` {
		t.Errorf("two lines of data are %s", line)
	}
	h.send(`{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}`)
	eventually(t, "the host's answer does not arrive", func() bool { return len(f.requests(`"action":"accept"`)) == 1 })
	close(asked)
	h.expect(`"id":1`, `"done":true`)
	if err := h.end(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(h.log.String(), "no message") {
		t.Errorf("an event that is no message is not in the log:\n%s", h.log)
	}
}

// A stream that breaks off is resumed after its last event, and each message arrives once.
func TestABrokenStreamIsResumed(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request, _ wire) {
		events(w, "id: a_1\nretry: 10\ndata:", "id: a_2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}")
		_, _ = io.WriteString(w, "id: a_3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"second\"}\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	var resumed []string
	f.listen = func(w http.ResponseWriter, r *http.Request) {
		after := r.Header.Get("Last-Event-ID")
		f.mu.Lock()
		resumed = append(resumed, after)
		n := len(resumed)
		f.mu.Unlock()
		switch {
		case after == "":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case n == 2:
			w.WriteHeader(http.StatusOK) // no stream
			panic(http.ErrAbortHandler)
		default:
			events(w, "id: a_4\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"second\"}", `data: {"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	}
	h := connect(t, f.URL)
	h.handshake()
	eventually(t, "no stream is opened", func() bool { return len(f.requests("GET")) == 1 })
	f.mu.Lock()
	resumed = []string{"", ""}
	f.mu.Unlock()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	h.expect("first")
	h.expect("second")
	h.expect(`"id":1`, "result")
	f.mu.Lock()
	defer f.mu.Unlock()
	if last := resumed[len(resumed)-1]; last != "a_2" {
		t.Errorf("it was resumed after %q", resumed)
	}
}

// A stream that has brought its answer is read to its end, so that the next request needs no new connection.
func TestConnectionsAreUsedAgain(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		events(w, `data: {"jsonrpc":"2.0","id":1,"result":{}}`)
		time.Sleep(5 * time.Millisecond) // the end comes later
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	h := connect(t, s.URL)
	for range 50 {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		h.expect(`"id":1`)
		time.Sleep(20 * time.Millisecond)
	}
	if n := connections.Load(); n > 25 { // on a busy machine a request may come before the end of the stream
		t.Errorf("50 requests needed %d connections", n)
	}
}

// A stream may end without an empty line. What it ends with is an event if it is a message, and is asked for again
// otherwise.
func TestTheEndOfAStreamMayBeAnEvent(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request, m wire) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Connection", "close")
		if m.Method == "whole" {
			fmt.Fprintf(w, "id: 1\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", m.ID)
			return
		}
		fmt.Fprintf(w, "id: 1\nretry: 10\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,", m.ID)
	})
	f.listen = func(w http.ResponseWriter, r *http.Request) {
		after := r.Header.Get("Last-Event-ID")
		if after == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		events(w, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":2,"result":{"after":%q}}`, after))
	}
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"whole"}`)
	h.expect(`"id":1`, "result")
	h.send(`{"jsonrpc":"2.0","id":2,"method":"part"}`)
	h.expect(`"id":2`, `"after":"1"`)
}

// A stream that cannot be resumed costs its request an error that says what may have happened.
func TestAStreamThatIsLostIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		event  string
		resume int
	}{"without ids": {`data: {"jsonrpc":"2.0","method":"first"}`, 0}, "with ids that the server refuses": {"id: 1\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}", 400}, "by a server that resumes nothing": {"id: 1\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}", 405}} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) {
				if m.Method == "ping" {
					ok(w, r, m)
					return
				}
				events(w, c.event)
				panic(http.ErrAbortHandler)
			})
			f.listen = func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Last-Event-ID") == "" {
					w.WriteHeader(http.StatusMethodNotAllowed)
				} else {
					w.WriteHeader(c.resume)
				}
			}
			h := connect(t, f.URL)
			h.handshake()
			h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
			h.expect("first")
			h.expect(`"id":1`, "-32603", "ended the connection before the answer", "may have done what was requested")
			h.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			h.expect(`"id":2`, "did")
		})
	}
}

// The stream of what a server sends by itself is opened again where it ended.
func TestTheStreamOfASessionGoesOn(t *testing.T) {
	f := newFake(t, ok)
	after := make(chan string, 10)
	n := 0
	f.listen = func(w http.ResponseWriter, r *http.Request) {
		after <- r.Header.Get("Last-Event-ID")
		n++
		events(w, fmt.Sprintf("id: %d\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"n\":%d}}", n, n))
		switch n {
		case 1: // the server ends it
		case 2:
			panic(http.ErrAbortHandler)
		default:
			<-r.Context().Done()
		}
	}
	h := connect(t, f.URL)
	h.handshake()
	for i, want := range []string{"", "1", "2"} {
		h.expect(fmt.Sprintf(`"n":%d`, i+1))
		if got := <-after; got != want {
			t.Errorf("stream %d begins after %q, not %q", i, got, want)
		}
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

// A session that the server has lost is replaced once, whatever number of requests hear of it, with all that the host
// had in it. The host hears that things may have changed.
func TestALostSessionIsReplaced(t *testing.T) {
	for name, status := range map[string]int{"as the standard has it": 404, "as libraries have it": 400} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, ok)
			inner := f.Config.Handler
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				f.mu.Lock()
				known, is := f.sessions[r.Header.Get("Mcp-Session-Id")]
				f.mu.Unlock()
				if is && !known && status == 400 {
					http.Error(w, "Bad Request: No valid Session ID provided", status)
					return
				}
				inner.ServeHTTP(w, r)
			})
			var streams atomic.Int32
			f.listen = func(w http.ResponseWriter, r *http.Request) {
				streams.Add(1)
				defer streams.Add(-1)
				events(w, "data:")
				<-r.Context().Done()
			}
			h := connect(t, f.URL)
			h.handshake()
			eventually(t, "no stream is opened", func() bool { return streams.Load() == 1 })
			for i, m := range []string{`"resources/subscribe","params":{"uri":"x:1"}`, `"resources/subscribe","params":{"uri":"x:2"}`, `"resources/unsubscribe","params":{"uri":"x:1"}`, `"logging/setLevel","params":{"level":"debug"}`} {
				h.send(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i+1, m)
				h.expect(fmt.Sprintf(`"id":%d`, i+1))
			}
			f.forget()
			const n = 20
			for i := range n {
				h.send(`{"jsonrpc":"2.0","id":"after %d","method":"tools/call"}`, i)
			}
			news := map[string]int{}
			for range n + 2 {
				line := h.next()
				for _, kind := range []string{"tools/list_changed", `"uri":"x:2"`, `"did":"tools/call"`} {
					if strings.Contains(line, kind) {
						news[kind]++
					}
				}
			}
			if news["tools/list_changed"] != 1 || news[`"uri":"x:2"`] != 1 || news[`"did":"tools/call"`] != n {
				t.Errorf("the host heard %v", news)
			}
			for part, want := range map[string]int{"initialize\"": 2, "POST s2 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"": 1, "POST s2 {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/subscribe\"": 1, "x:1": 2, "POST s2 {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"logging/setLevel\"": 1} {
				if got := f.requests(part); len(got) != want {
					t.Errorf("%s: %q", part, got)
				}
			}
			if got := f.requests(hello); len(got) != 2 || !strings.HasPrefix(got[1], "POST  {") {
				t.Errorf("the handshake: %q", got)
			}
			eventually(t, "the stream of the lost session stays open", func() bool { return len(f.requests("GET s2")) == 1 && streams.Load() == 1 })
			h.handshake()
			eventually(t, "the stream of a session that the host has replaced stays open", func() bool { return len(f.requests("GET s3")) == 1 && streams.Load() == 1 })
			if err := h.end(); err != nil || len(f.requests("DELETE s3")) != 1 {
				t.Errorf("%v, %q", err, f.requests("DELETE"))
			}
		})
	}
}

// A session belongs to the token that began it. A token that is put in its place while the proxy runs has a session of its
// own, and the host sees none of it.
func TestAnotherTokenBeginsAnotherSession(t *testing.T) {
	f := newFake(t, ok)
	var owners sync.Map
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		if owner, is := owners.Load(r.Header.Get("Mcp-Session-Id")); is && owner != token {
			http.Error(w, `{"detail":"the session belongs to another caller"}`, http.StatusForbidden)
			return
		}
		f.ServeHTTP(w, r)
		if id := w.Header().Get("Mcp-Session-Id"); id != "" {
			owners.Store(id, token)
		}
	}))
	defer s.Close()
	var token atomic.Value
	token.Store("first")
	h := connect(t, s.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return token.Load().(string), nil } })
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://1"}}`)
	h.expect(`"id":1`, "did")
	token.Store("second")
	h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)
	for line := h.next(); !strings.Contains(line, `"id":2`); line = h.next() {
		if strings.Contains(line, "error") {
			t.Fatal(line)
		}
	}
	if n := len(f.requests("resources/subscribe")); n != 2 {
		t.Errorf("%d subscriptions", n)
	}
	owners.Range(func(id, _ any) bool { owners.Store(id, "nobody"); return true })
	h.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`)
	h.expect(`"id":3`, "-32002", "belongs to another caller", "for another token") // with the token that began it that is a refusal
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

// A host that only listens hears of changes in a new session, too.
func TestTheStreamReplacesALostSession(t *testing.T) {
	f := newFake(t, ok)
	restart := make(chan struct{})
	f.listen = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") != "s1" {
			events(w, `data: {"jsonrpc":"2.0","method":"news"}`)
			<-r.Context().Done()
			return
		}
		events(w, "retry: 10\ndata:")
		<-restart
		f.forget()
	}
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a\"b"}}`)
	h.expect(`"id":1`)
	close(restart)
	heard := h.next() + h.next() + h.next()
	for _, part := range []string{"tools/list_changed", `"uri":"a\"b"`, "news"} {
		if !strings.Contains(heard, part) {
			t.Errorf("the host heard %s", heard)
		}
	}
}

// A server that comes back with another version is not taken for the one that the host knows.
func TestANewSessionOfAnotherVersionIsRefused(t *testing.T) {
	f := newFake(t, ok)
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	h.expect(`"id":1`)
	f.mu.Lock()
	f.version = "2025-03-26"
	f.mu.Unlock()
	f.forget()
	h.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	h.expect(`"id":2`, "2025-03-26 of the protocol in the place of 2025-06-18; restart")
	// The host may begin anew by itself.
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	h.expect(`"id":3`, "did")
}

// Notifications hold back the requests after them, and nothing holds back the host's answers.
func TestMessagesKeepTheirOrder(t *testing.T) {
	f := newFake(t, ok)
	inner, open := f.Config.Handler, make(chan struct{})
	var seen atomic.Value
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "roots/list_changed") {
			seen.Store(true)
			<-open
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		inner.ServeHTTP(w, r)
	})
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	eventually(t, "the notification does not arrive", func() bool { return seen.Load() != nil })
	h.send(`{"jsonrpc":"2.0","id":"q","result":{}}`)
	eventually(t, "the answer does not arrive", func() bool { return len(f.requests(`"q"`)) == 1 })
	if got := f.requests("ping"); len(got) != 0 {
		t.Errorf("a request came before the notification: %q", got)
	}
	close(open)
	h.expect(`"id":1`, "did")
}

// A handshake that the server has not taken to its end is repeated before the next request; without one there is
// nothing to repeat.
func TestAHandshakeIsBroughtToItsEnd(t *testing.T) {
	f := newFake(t, ok)
	inner, refuse := f.Config.Handler, true
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if refuse && strings.Contains(string(body), "notifications/initialized") {
			refuse = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		inner.ServeHTTP(w, r)
	})
	h := connect(t, f.URL)
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	h.expect(`"id":1`, "-32603", "404")
	refuse = true
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	h.expect("tools/list_changed")
	h.expect(`"id":2`, "did")
	if got := f.requests("POST s2"); len(got) != 2 || !strings.Contains(got[0], "initialized") || len(f.requests(hello)) != 2 {
		t.Errorf("the server got %q", f.requests("POST"))
	}
}

// Some servers answer 404 to a method that they do not have, which is no lost session.
func TestAnUnknownMethodIsNoLostSession(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request, m wire) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
	})
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`)
	h.expect(`"id":1`, "-32601")
	if n := len(f.requests("initialize\"")); n != 1 {
		t.Errorf("the handshake was made %d times", n)
	}
}

// Requests go to the origin of the URL alone.
func TestRedirectsStayAtTheOrigin(t *testing.T) {
	var stolen atomic.Pointer[http.Request]
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen.Store(r)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer elsewhere.Close()
	for _, c := range []struct {
		status int
		to     string
		says   []string
	}{
		{307, elsewhere.URL + "/mcp", []string{"-32002", elsewhere.URL, "nothing was sent there"}},
		{308, elsewhere.URL + "/mcp", []string{"-32002", elsewhere.URL}},
		{302, elsewhere.URL + "/mcp", []string{"-32002", elsewhere.URL}},
		{302, elsewhere.URL + "/login?state=s3cret-state", []string{"-32002", "302 Found to " + elsewhere.URL + "/login, and nothing was sent there", "a page to sign in", "pass on requests with a token"}},
		{303, "/login", []string{"-32603", "303 See Other", "/login, and nothing was sent there", "a page to sign in"}},
		{307, "HERE-BY-NAME/mcp", []string{"-32002", "http://localhost:"}},
		{301, "/there", []string{"-32603", "/there, and nothing was sent there. If the server has moved, start the proxy with the new URL"}},
		{303, "/there", []string{"-32603", "/there"}},
		{307, "/mcp", []string{"-32603", "redirects a request more than 5 times"}},
		{307, "/there", []string{"did"}},
		{308, "/there", []string{"did"}},
	} {
		t.Run(fmt.Sprint(c.status, " to ", c.to), func(t *testing.T) {
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/there" {
					http.Redirect(w, r, strings.Replace(c.to, "HERE-BY-NAME", strings.Replace(s.URL, "127.0.0.1", "localhost", 1), 1), c.status)
					return
				}
				if r.Header.Get("Authorization") != "Bearer s3cret" {
					t.Errorf("without the token: %v", r.Header)
				}
				ok(w, r, wire{ID: []byte("1"), Method: "ping"})
			}))
			defer s.Close()
			h := connect(t, s.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return "s3cret", nil } })
			h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			h.expect(append(c.says, `"id":1`)...)
			if r := stolen.Load(); r != nil {
				t.Errorf("%s %s was sent elsewhere, with %v", r.Method, r.URL, r.Header)
			}
		})
	}
}

func TestTheTokenIsNotSentInPlainText(t *testing.T) {
	for address, want := range map[string]bool{
		"http://kg.example.org/mcp": true, "http://192.168.0.1": true, "http://127.0.0.1.example.org": true,
		"https://kg.example.org/mcp": false, "http://127.0.0.1:1": false, "http://[::1]:1": false, "http://localhost:1": false,
	} {
		u, err := proxy.ParseURL(address)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{"", "s3cret"} {
			err = proxy.Run(t.Context(), strings.NewReader(""), io.Discard, proxy.Options{URL: u, Token: func() (string, error) { return token, nil }, Log: slog.New(slog.DiscardHandler)})
			if fault.Is(err, fault.Denied) != (want && token != "") {
				t.Errorf("%s with the token %q: %v", address, token, err)
			}
		}
	}
}

// Of requests with one id nobody could tell the answers apart, so that a batch with two is not sent; and of the answers of a
// batch those that nobody waits for are left out.
func TestABatchHasEachIDOnce(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request, m wire) {
		jsonAnswer(w, `[{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":1,"result":{"n":2}},{"jsonrpc":"2.0","id":7,"result":{"n":3}},{"jsonrpc":"2.0","id":2,"result":{"n":4}}]`)
	})
	f.version = "2025-03-26"
	h := connect(t, f.URL)
	h.handshake()
	h.send(`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":"1","method":"x"}]`)
	h.expect(`"id":1`, "-32600", "nothing of it was sent")
	h.expect(`"id":"1"`, "-32600")
	h.send(`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]`)
	if got, want := h.next(), `[{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":2,"result":{"n":4}}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if sent := f.requests(`"method":"x"`); len(sent) != 1 {
		t.Errorf("sent: %q", sent)
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

// What is no answer of MCP is an error of its request, which says what to do, and the next request works.
func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		media, body string
		header      string
		says        []string
	}{
		"a page":                     {200, "text/html", "<h1>Welcome</h1>", "", []string{"-32603", "<h1>Welcome</h1>", "text/html", "MCP endpoint", "a page to sign in"}},
		"nothing":                    {200, "application/json", "", "", []string{"-32603"}},
		"accepted":                   {202, "", "", "", []string{"-32603", "202"}},
		"no JSON":                    {200, "application/json", `{"jsonrpc":`, "", []string{"-32603", "no answer of MCP"}},
		"no JSON-RPC":                {200, "application/json", `{"ok":true}`, "", []string{"-32603", "no answer of MCP"}},
		"another id":                 {200, "application/json", `{"jsonrpc":"2.0","id":2,"result":{}}`, "", []string{"-32603", "another request"}},
		"an error without id":        {200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, "", []string{"-32700", "Parse error"}},
		"an error with its status":   {400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch","data":{"x":1}}}`, "", []string{"-32020", `"data":{"x":1}`}},
		"a bad request":              {400, "text/plain", "said by somebody", "", []string{"-32603", "400 Bad Request"}},
		"no such address":            {404, "text/html", "<h1>Not found</h1>", "", []string{"-32603", "nothing speaks MCP at /mcp"}},
		"no such method":             {405, "", "", "", []string{"-32603", "nothing speaks MCP"}},
		"a bug":                      {500, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops s3cret"}}`, "", []string{"-32603", `500 Internal Server Error: \"oops [token]\"`}},
		"too many":                   {429, "", "", "7", []string{"-32003", `"retry_after":7`, "try again later"}},
		"too many, until a date":     {429, "", "", "Fri, 31 Dec 9999 23:59:59 GMT", []string{"-32003", `"retry_after":`}},
		"too many, until long ago":   {503, "", "", "-5", []string{"-32003", `"data":{"kind":"busy"}`}},
		"no UTF-8":                   {200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xe9\"}", "", []string{"-32603", "no answer of MCP"}},
		"away behind a gateway":      {502, "text/html", "<h1>Bad Gateway</h1>", "", []string{"-32603", "502 Bad Gateway"}},
		"not known":                  {401, "application/problem+json", `{"detail":"Authentication failed"}`, "", []string{"-32001", "does not accept the token", "set TRAILS_TOKEN_TEST", "Authentication failed"}},
		"not known, in JSON-RPC":     {401, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`, "", []string{"-32001", "set TRAILS_TOKEN_TEST"}},
		"not allowed":                {403, "text/plain", "", "", []string{"-32002", "403 Forbidden", "set TRAILS_TOKEN_TEST"}},
		"a stream without an answer": {200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n", "", []string{`"method":"x"`}},
	} {
		t.Run(name, func(t *testing.T) {
			good := false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if good {
					ok(w, r, wire{ID: []byte("2"), Method: "ping"})
					return
				}
				w.Header().Set("Content-Type", c.media)
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			h := connect(t, s.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return "s3cret", nil } })
			h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			line := h.expect(c.says...)
			if strings.Contains(line, `"method":"x"`) {
				line = h.expect("ended the connection")
			}
			if !strings.Contains(line, `"id":1`) || strings.Contains(line, "s3cret") {
				t.Errorf("it is told %s", line)
			}
			good = true
			h.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			h.expect(`"id":2`, "did")
			if err := h.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a server says of a token in its challenge is told.
func TestChallengesAreTold(t *testing.T) {
	var status atomic.Int64
	var challenge atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", challenge.Load().(string))
		w.WriteHeader(int(status.Load()))
	}))
	defer s.Close()
	h := connect(t, s.URL, func(o *proxy.Options) { o.Token = func() (string, error) { return "s3cret", nil } })
	for _, c := range []struct {
		status          int64
		challenge, says string
	}{
		{401, `Bearer realm="x", error="invalid_token", error_description="The token has expired"`, `401 Unauthorized: \"The token has expired\"`},
		{403, `Bearer error="insufficient_scope", scope="builder dev"`, `403 Forbidden: \"insufficient_scope; scope builder dev\"`},
		{401, `Bearer error="s3cret"`, `401 Unauthorized: \"[token]\"`},
		{401, `Bearer resource_metadata="https://kg.example.org/x"`, `(401 Unauthorized)`},
		{401, `Bearer error="`, `(401 Unauthorized)`},
	} {
		status.Store(c.status)
		challenge.Store(c.challenge)
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		h.expect(`"id":1`, c.says, "set TRAILS_TOKEN_TEST")
	}
}

// A server whose certificate is not one to trust, or that speaks no TLS, was sent nothing, and that is told.
func TestNothingIsSentWithoutTrust(t *testing.T) {
	answer := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	untrusted, plain := httptest.NewUnstartedServer(answer), httptest.NewServer(answer)
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	defer plain.Close()
	for address, why := range map[string]string{untrusted.URL: "the certificate is not one to trust", strings.Replace(plain.URL, "http:", "https:", 1): "it does not speak TLS"} {
		h := connect(t, address)
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		h.expect(`"id":1`, "nothing was sent", why)
		if err := h.end(); err != nil {
			t.Error(err)
		}
	}
}

func TestAWantedTokenIsAskedFor(t *testing.T) {
	var token atomic.Value
	token.Store("")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ok(w, r, wire{ID: []byte("1"), Method: "ping"})
	}))
	defer s.Close()
	h := connect(t, s.URL, func(o *proxy.Options) {
		o.Token = func() (string, error) {
			if token.Load() == "bad" {
				return "", fault.New(fault.Unusable, "the file is open to all")
			}
			return token.Load().(string), nil
		}
	})
	for _, c := range []struct{ token, says string }{{"", "wants a token"}, {"wrong", "does not accept the token"}, {"bad", "the file is open to all"}, {"s3cret", "did"}} {
		token.Store(c.token)
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		h.expect(`"id":1`, c.says)
	}
}

// A server that is away costs each request an error, and requests work once it is back.
func TestAServerThatIsAwayIsTold(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ok(w, r, wire{ID: []byte("1"), Method: "ping"}) }))
	address := s.Listener.Addr().String()
	_ = s.Listener.Close()
	h := connect(t, "http://"+address)
	for range 2 {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		h.expect(`"id":1`, "-32603", "http://"+address+" is not reached, and nothing was sent", "once it is back")
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	eventually(t, "a lost notification is not in the log", func() bool { return strings.Contains(h.log.String(), "notifications/roots/list_changed") })
	again := &http.Server{Addr: address, Handler: s.Config.Handler}
	go func() { _ = again.ListenAndServe() }()
	defer func() { _ = again.Close() }()
	eventually(t, "it does not come back", func() bool {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		return strings.Contains(h.next(), "did")
	})
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

// A wrong line is answered, and the next one passes.
func TestBadLinesAreAnswered(t *testing.T) {
	f := newFake(t, ok)
	h := connect(t, f.URL)
	h.handshake()
	for _, c := range []struct{ line, want string }{
		{`{"jsonrpc":`, `"id":null,"error":{"code":-32700`},
		{`"text"`, `"id":null,"error":{"code":-32600`},
		{`[]`, `"id":null,"error":{"code":-32600`},
		{`{"id":5}`, `"id":5,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":"q","method":7}`, `"error":{"code":-32600`},
		{"", ""},
		{" \t{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"} \r", `"id":6,"result"`},
	} {
		h.send("%s", c.line)
		if c.want != "" {
			h.expect(c.want)
		}
	}
	_, _ = io.WriteString(h.in, `{"jsonrpc":"2.0","id":7,"method":"`+strings.Repeat("x", 32<<20)+`"}`+"\n")
	h.expect(`"id":null`, "larger than 33554432 bytes")
	h.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	h.expect(`"id":8`, "did")
}

// What a server may send is bounded in bytes.
func TestAnswersAreBounded(t *testing.T) {
	chunk := strings.Repeat("x", 1<<20)
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) {
		switch m.Method {
		case "much":
			jsonAnswer(w, `{"jsonrpc":"2.0","id":%s,"result":"`, m.ID)
			for range 33 {
				_, _ = io.WriteString(w, chunk)
			}
			_, _ = io.WriteString(w, `"}`)
		case "much at once":
			events(w, "data: "+strings.Repeat(chunk, 33))
		case "many lines":
			w.Header().Set("Content-Type", "text/event-stream")
			for range 34 {
				if _, err := io.WriteString(w, "data: "+chunk+"\n"); err != nil {
					return
				}
			}
		case "big":
			jsonAnswer(w, `{"jsonrpc":"2.0","id":%s,"result":"%s"}`, m.ID, strings.Repeat(chunk, 20))
		default:
			ok(w, r, m)
		}
	})
	h := connect(t, f.URL)
	h.handshake()
	for method, want := range map[string]string{"much": "larger than 33554432 bytes", "much at once": "larger than 33554432 bytes", "many lines": "larger than 33554432 bytes", "big": chunk, "ping": "did"} {
		h.send(`{"jsonrpc":"2.0","id":%q,"method":%q}`, method, method)
		h.expect(want, method)
	}
}

// A server may not be silent while it owes an answer, but may take its time: a comment in the stream is enough. A
// subscription owes none.
func TestASilentServerIsGivenUp(t *testing.T) {
	const silence = 2 * time.Second
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) {
		switch m.Method {
		case "silent":
			<-r.Context().Done()
		case "silent stream":
			events(w, `data: {"jsonrpc":"2.0","method":"begun"}`)
			<-r.Context().Done()
		case "slow":
			for range 20 {
				time.Sleep(silence / 15)
				events(w, ": still there")
			}
			events(w, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"did":"slow"}}`, m.ID))
		case "subscriptions/listen":
			events(w, `data: {"jsonrpc":"2.0","method":"begun"}`)
			time.Sleep(silence * 4 / 3)
			events(w, `data: {"jsonrpc":"2.0","method":"late"}`)
			<-r.Context().Done()
		}
	})
	h := connect(t, f.URL, func(o *proxy.Options) { o.Silence = silence })
	h.handshake()
	for _, method := range []string{"silent", "silent stream", "slow", "subscriptions/listen"} {
		h.send(`{"jsonrpc":"2.0","id":%q,"method":%q}`, method, method)
	}
	heard := ""
	for range 6 {
		heard += h.next() + "\n"
	}
	for _, part := range []string{`"id":"silent","error":{"code":-32603,"message":"the server at ` + f.URL + ` was silent for 2s`, `"id":"silent stream","error"`, `"id":"slow","result"`, `"method":"late"`} {
		if !strings.Contains(heard, part) {
			t.Errorf("%s is not in %s", part, heard)
		}
	}
	if err := h.end(); err != nil { // it does not wait for a subscription
		t.Error(err)
	}
}

func TestRequestsInFlightAreBounded(t *testing.T) {
	open := make(chan struct{})
	var once sync.Once
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) { <-open; ok(w, r, m) })
	defer once.Do(func() { close(open) })
	h := connect(t, f.URL)
	h.handshake()
	eventually(t, "the handshake does not end", func() bool { return len(f.requests("GET")) == 1 })
	h.send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	h.send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	h.expect(`"id":0`, "-32600", "in flight already")
	for i := range 256 {
		h.send(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+1)
	}
	h.expect(`"id":256`, "-32003", `"limit":256`)
	once.Do(func() { close(open) })
	for range 256 {
		h.expect("did")
	}
}

// A request that the host cancels ends at the server, and is not answered.
func TestACancelledRequestEnds(t *testing.T) {
	ended := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) {
		if m.Method == "ping" {
			ok(w, r, m)
			return
		}
		<-r.Context().Done()
		close(ended)
	})
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":"x","method":"tools/call"}`)
	eventually(t, "the request does not arrive", func() bool { return len(f.requests("tools/call")) == 1 })
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	<-ended
	h.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	h.expect(`"id":2`)
	all := f.requests(`"x"`)
	if len(all) != 2 || !strings.Contains(all[1], "notifications/cancelled") {
		t.Errorf("the server got %q", all)
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
	if line, more := <-h.out; more {
		t.Errorf("it is answered: %s", line)
	}
}

// At the end of its input the proxy waits for answers; told to stop it does not for long, and says so.
func TestTheProxyEnds(t *testing.T) {
	open, ended := make(chan struct{}), make(chan struct{}, 4)
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, m wire) {
		select {
		case <-open:
			ok(w, r, m)
		case <-r.Context().Done():
		}
		ended <- struct{}{}
	})
	f.listen = func(w http.ResponseWriter, r *http.Request) { events(w, "data:"); <-r.Context().Done() }
	h := connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	eventually(t, "the request does not arrive", func() bool { return len(f.requests("tools/call")) == 1 })
	h.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}`)
	eventually(t, "the subscription does not arrive", func() bool { return len(f.requests("subscriptions/listen")) == 1 })
	h.stop()
	h.expect(`"id":1`, "-32603", "timed_out", "may have done what was requested")
	if err := h.wait(); err != nil || len(f.requests("DELETE s1")) != 1 {
		t.Errorf("told to stop: %v, %q", err, f.requests("DELETE"))
	}
	<-ended
	<-ended
	if line, more := <-h.out; more {
		t.Errorf("after the end there is %s", line)
	}

	h = connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	eventually(t, "the request does not arrive", func() bool { return len(f.requests("tools/call")) == 2 })
	h.stop()
	open <- struct{}{}
	h.expect(`"id":1`, "did")
	if err := h.wait(); err != nil || len(f.requests("DELETE s2")) != 1 {
		t.Errorf("told to stop just before an answer: %v, %q", err, f.requests("DELETE"))
	}

	h = connect(t, f.URL)
	h.handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	_ = h.in.Close()
	eventually(t, "the request does not arrive", func() bool { return len(f.requests("tools/call")) == 3 })
	close(open)
	h.expect(`"id":1`, "did")
	if err := h.wait(); err != nil || len(f.requests("DELETE s3")) != 1 {
		t.Errorf("at the end of input: %v, %q", err, f.requests("DELETE"))
	}
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestAFailedWriteEndsTheProxy(t *testing.T) {
	f := newFake(t, ok)
	u, err := proxy.ParseURL(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	in, stdin := io.Pipe()
	defer func() { _ = stdin.Close() }()
	go func() { _, _ = io.WriteString(stdin, hello+"\n") }()
	if err := proxy.Run(t.Context(), in, failing{}, proxy.Options{URL: u, Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"https://kg.example.org":              "https://kg.example.org/mcp",
		"https://kg.example.org/":             "https://kg.example.org/mcp",
		"https://kg.example.org?x=1":          "https://kg.example.org/mcp?x=1",
		"http://[::1]:8757":                   "http://[::1]:8757/mcp",
		"https://kg.example.org/graphs/a/mcp": "https://kg.example.org/graphs/a/mcp",
		"kg.example.org":                      "",
		"kg.example.org:8757":                 "",
		"ftp://kg.example.org":                "",
		"https://":                            "",
		"https://user:s3cret@kg.example.org":  "",
		"https://user:s3cret@":                "",
		"https://kg.example.org/#a":           "",
		"https://kg.example.org:99999":        "",
		"http://127.0.0.1:0":                  "",
		"http://127.0.0.1:65535":              "http://127.0.0.1:65535/mcp",
		"%":                                   "",
	} {
		u, err := proxy.ParseURL(text)
		switch {
		case want == "" && (!fault.Is(err, fault.InvalidArguments) || strings.Contains(err.Error(), "s3cret")):
			t.Errorf("%s: %v, %v", text, u, err)
		case want != "" && (err != nil || u.String() != want):
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
}
