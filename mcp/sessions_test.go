package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/mcp"
	"trails/mcp/session"
)

// gated is an engine whose calls wait for the gate, and may ask a question first.
type gated struct {
	fake
	gate chan struct{}
	ask  string
}

func (g *gated) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Capability != "echo" {
		return g.fake.Call(ctx, c)
	}
	if g.ask != "" {
		yes, err := c.Ask(ctx, invoke.Question{Message: g.ask})
		if err != nil || !yes {
			return invoke.Result{Structured: []byte(fmt.Sprintf(`{"asked":%t,"failed":%t}`, yes, err != nil))}, nil
		}
	}
	select {
	case <-g.gate:
	case <-ctx.Done():
		return invoke.Result{}, ctx.Err()
	}
	return g.fake.Call(ctx, c)
}

func echo(id int) string { return ask("2025-11-25", id, "tools/call", callTool("echo", nil), "") }

func TestASessionAnswersNobodyButWhoOpenedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWeb(t, mcp.New(&fake{}, options("")), stateful)
		ana, eve := w.browser("2025-11-25", "ana"), w.browser("2025-11-25", "eve")
		ana.greet()
		eve.session = ana.session
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			res := eve.do(t.Context(), method, "/mcp", fmt.Sprintf(ping, 1))
			res.Body.Close()
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("%s by another: %d", method, res.StatusCode)
			}
		}
		if a := ana.ask("ping", nil); a.Error != nil {
			t.Errorf("its own: %+v", a.Error)
		}
	})
}

// GO-SDK 0.5: over the legacy transport one user's session can be spoken to with
// another's token.
func TestTrap05AnotherTokenCannotPostToALegacySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{}
		w := openWeb(t, mcp.New(e, options("")), legacy)
		ana, eve := w.browser("2024-11-05", "ana"), w.browser("2024-11-05", "eve")
		s := ana.open(http.MethodGet, "/sse", "")
		ana.path = s.heard()[0].data
		eve.path = ana.path
		if status, got := eve.post(hello("2024-11-05", "")); status != http.StatusForbidden || code(t, got) != -32002 {
			t.Errorf("another: %d %s", status, got)
		}
		if status, _ := ana.post(hello("2024-11-05", "")); status != http.StatusAccepted {
			t.Errorf("its own: %d", status)
		}
		if got := messages(s.heard()); len(got) != 1 || code(t, got[0]) != 0 {
			t.Errorf("heard %v", got)
		}
	})
}

func TestTheTokenIsAskedForAtEveryDoor(t *testing.T) {
	server := mcp.New(&fake{}, options(token))
	for name, h := range map[string]http.Handler{"stateful": server.StatefulHandler(), "sse": server.SSEHandler()} {
		if w := post(t, h, hello("2025-11-25", token)); w.Code != http.StatusUnauthorized || code(t, w.Body.String()) != -32001 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestSessionsAreBoundedForEverybodyAndForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcp.New(&fake{}, withSessions(session.Options{Max: 3, MaxPerCaller: 2}))
		w := openWeb(t, server, stateful)
		open := func(token string) (*browser, int, string) {
			b := w.browser("2025-11-25", token)
			res := b.do(t.Context(), http.MethodPost, "/mcp", hello("2025-11-25", ""))
			defer res.Body.Close()
			b.session = res.Header.Get("Mcp-Session-Id")
			return b, res.StatusCode, res.Header.Get("Retry-After")
		}
		first, _, _ := open("ana")
		open("ana")
		if _, status, retry := open("ana"); status != http.StatusTooManyRequests || retry == "" {
			t.Errorf("the third of one caller: %d, retry after %q", status, retry)
		}
		open("eve")
		if _, status, retry := open("eve"); status != http.StatusServiceUnavailable || retry == "" {
			t.Errorf("the fourth of all: %d, retry after %q", status, retry)
		}
		if diff := cmp.Diff(map[string]int{"mcp-http": 3}, server.Sessions()); diff != "" {
			t.Error(diff)
		}
		first.do(t.Context(), http.MethodDelete, "/mcp", "").Body.Close()
		if _, status, _ := open("eve"); status != http.StatusOK {
			t.Errorf("after one has ended: %d", status)
		}
	})
}

func TestAFailedHandshakeLeavesNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcp.New(&fake{}, options(""))
		b := openWeb(t, server, stateful).browser("2025-11-25", "")
		bad := strings.Replace(hello("2025-11-25", ""), `"name":"tester"`, `"name":5`, 1)
		if status, got := b.post(bad); status != http.StatusOK || code(t, got) != -32602 || b.session != "" {
			t.Errorf("%d %s, session %q", status, got, b.session)
		}
		if open := server.Sessions(); len(open) > 0 {
			t.Errorf("left open: %v", open)
		}
	})
}

func TestACallGoesOnWhenItsSenderIsCutAndIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{})}
		b := openWeb(t, mcp.New(e, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		call := b.open(http.MethodPost, "/mcp", echo(1))
		prime := call.heard()
		call.cut()
		quiet()
		close(e.gate)
		resumed := b.get("Last-Event-ID: " + prime[0].id)
		if got := messages(resumed.heard()); len(got) != 1 || !strings.Contains(got[0], `"id":1,"result"`) {
			t.Errorf("resumed: %v", got)
		}
		if !resumed.isOver() {
			t.Error("the stream goes on after the answer")
		}
	})
}

func TestWhatIsPurgedIsNotLostSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		b := openWeb(t, mcp.New(e, withSessions(session.Options{HistoryPerSession: 1})), stateful).browser("2025-11-25", "")
		b.greet()
		params := callTool("echo", nil)
		params["_meta"] = map[string]any{"progressToken": 1} // so that there is something to resume after
		call := b.open(http.MethodPost, "/mcp", ask("2025-11-25", 77, "tools/call", params, ""))
		answer := call.heard()
		b.subscribe("trails://kg/Note", "trails://kg/Note/1")
		s := b.get()
		for i := range 3 {
			e.changes <- invoke.Change{Head: fmt.Sprint(i), Types: []string{"Note"}}
			quiet()
		}
		if got := messages(s.heard()); len(got) != 3 {
			t.Fatalf("live: %v", got)
		}
		s.cut()
		quiet()

		res := b.do(t.Context(), http.MethodGet, "/mcp", "", "Last-Event-ID: "+answer[0].id)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("an answer that is gone: %d", res.StatusCode)
		}
		want := []string{
			updated("trails://kg/Note", "2"), // the one that is kept
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`,
			resynced("trails://kg/Note", "2"),
			resynced("trails://kg/Note/1", "2"),
		}
		if diff := cmp.Diff(want, messages(b.get("Last-Event-ID: _1").heard())); diff != "" {
			t.Errorf("notifications that are gone (-want +got):\n%s", diff)
		}
	})
}

func TestAResumedStreamDisplacesTheOneThatWasCutUnnoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openWeb(t, mcp.New(&fake{}, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		old := b.get()
		id := old.heard()[0].id
		resumed := b.get("Last-Event-ID: " + id)
		quiet()
		if !old.isOver() || resumed.isOver() {
			t.Errorf("the old one is over: %t, the new one: %t", old.isOver(), resumed.isOver())
		}
	})
}

func TestASilentStreamShowsThatItIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openWeb(t, mcp.New(&fake{}, withSessions(session.Options{KeepAlive: 10 * time.Second})), stateful).browser("2025-06-18", "")
		b.greet()
		s := b.get()
		time.Sleep(time.Minute + time.Second)
		if got := s.comments.Load(); got != 7 {
			t.Errorf("%d comments in a minute, with the first", got)
		}
	})
}

// A session's handlers ask the client over the stream of the call, and the answer is
// a message of its own. An answer to nothing is not passed on.
func TestAPersonIsAskedOverTheStreamOfTheCall(t *testing.T) {
	doors := map[string]func(t *testing.T, w *web) (*browser, func() []string){
		"stateful": func(_ *testing.T, w *web) (*browser, func() []string) {
			return w.browser("2025-11-25", ""), nil
		},
		"sse": func(_ *testing.T, w *web) (*browser, func() []string) {
			b := w.browser("2025-11-25", "")
			s := b.open(http.MethodGet, "/sse", "")
			b.path = s.heard()[0].data
			return b, func() []string { return messages(s.heard()) }
		},
	}
	for name, open := range doors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &gated{gate: make(chan struct{}), ask: "Really?"}
				server := mcp.New(e, options(""))
				door := stateful
				if name == "sse" {
					door = legacy
				}
				b, heard := open(t, openWeb(t, server, door))
				b.post(strings.Replace(hello("2025-11-25", ""), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
				b.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				if heard == nil {
					s := b.open(http.MethodPost, b.path, echo(1))
					heard = func() []string { return messages(s.heard()) }
				} else {
					heard()
					b.post(echo(1))
				}
				asked := heard()
				if len(asked) != 1 || parse(t, asked[0]).Method != "elicitation/create" {
					t.Fatalf("asked: %v", asked)
				}
				id := string(parse(t, asked[0]).ID)
				b.post(`{"jsonrpc":"2.0","id":99,"result":{"action":"accept","content":{"confirm":true}}}`)
				if got := heard(); len(got) > 0 {
					t.Errorf("an answer to nothing is taken: %v", got)
				}
				b.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"confirm":true}}}`)
				close(e.gate)
				if got := heard(); len(got) != 1 || !strings.Contains(got[0], `"ok":true`) {
					t.Errorf("answered: %v", got)
				}
			})
		})
	}
}

func TestARequestWhoseIDIsInFlightIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{})}
		b := openWeb(t, mcp.New(e, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		call := b.open(http.MethodPost, "/mcp", echo(1))
		if status, got := b.post(echo(1)); status != http.StatusBadRequest || code(t, got) != -32600 {
			t.Errorf("%d %s", status, got)
		}
		close(e.gate)
		if got := messages(call.heard()); len(got) != 1 || code(t, got[0]) != 0 {
			t.Errorf("the first: %v", got)
		}
	})
}

func TestACancelledCallEndsItsStreamWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{})}
		b := openWeb(t, mcp.New(e, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		call := b.open(http.MethodPost, "/mcp", echo(1))
		b.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		if got := messages(call.heard()); len(got) > 0 || !call.isOver() {
			t.Errorf("over %t: %v", call.isOver(), got)
		}
	})
}

func TestDeleteCancelsWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{})}
		server := mcp.New(e, options(""))
		b := openWeb(t, server, stateful).browser("2025-11-25", "")
		b.greet()
		call, s := b.open(http.MethodPost, "/mcp", echo(1)), b.get()
		b.do(t.Context(), http.MethodDelete, "/mcp", "").Body.Close()
		if !call.isOver() || !s.isOver() || len(server.Sessions()) > 0 {
			t.Errorf("over: %t, %t; open: %v", call.isOver(), s.isOver(), server.Sessions())
		}
	})
}

func TestCloseLetsCallsFinishAndEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{}), fake: fake{changes: make(chan invoke.Change)}}
		server := mcp.New(e, options(""))
		w := openWeb(t, server, stateful)
		idle, busy := w.browser("2025-11-25", ""), w.browser("2025-11-25", "")
		idle.greet()
		busy.greet()
		quietStream, call := idle.get(), busy.open(http.MethodPost, "/mcp", echo(1))
		newest := w.browser("2026-07-28", "").listen("trails://kg/Note")
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			server.Close()
		}()
		if !quietStream.isOver() || !newest.isOver() || call.isOver() {
			t.Errorf("over: idle %t, subscription %t, in flight %t", quietStream.isOver(), newest.isOver(), call.isOver())
		}
		if status, got := w.browser("2025-11-25", "").post(hello("2025-11-25", "")); status != http.StatusServiceUnavailable || code(t, got) != -32003 {
			t.Errorf("a new one: %d %s", status, got)
		}
		close(e.gate)
		<-closed
		if got := messages(call.heard()); len(got) != 1 || code(t, got[0]) != 0 {
			t.Errorf("in flight: %v", got)
		}
		if open := server.Sessions(); len(open) > 0 {
			t.Errorf("left open: %v", open)
		}
	})
}

func TestCloseWaitsTenSecondsForACallAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &gated{gate: make(chan struct{})}
		server := mcp.New(e, options(""))
		b := openWeb(t, server, stateful).browser("2025-11-25", "")
		b.greet()
		call := b.open(http.MethodPost, "/mcp", echo(1))
		quiet()
		start := time.Now()
		server.Close()
		if took := time.Since(start); took != 10*time.Second || !call.isOver() {
			t.Errorf("closed after %s; over: %t", took, call.isOver())
		}
	})
}

// What a session's calls carry is of the request that made them, not of the one that
// opened the session.
func TestACallOfASessionCarriesItsOwnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{}
		b := openWeb(t, mcp.New(e, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		b.post(echo(1), "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		c := e.lastCall()
		if c.Via != "mcp-http" || c.Principal.ID != "anonymous" || c.Principal.Client != "tester" || c.Principal.Version != "1" || c.TraceID != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%+v", c)
		}
		b.post(echo(2))
		if got := e.lastCall().TraceID; got != "" {
			t.Errorf("the next one is part of trace %s", got)
		}
	})
}
