package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/mcp"
)

// listen opens a subscription of the protocol without sessions.
func (b *browser) listen(uris ...string) *stream {
	b.t.Helper()
	body := ask("2026-07-28", 7, "subscriptions/listen", map[string]any{"notifications": map[string]any{
		"toolsListChanged": true, "resourceSubscriptions": uris}}, "")
	return b.open(http.MethodPost, "/mcp", body, versionHeaders("2026-07-28", "subscriptions/listen", "")...)
}

func forSubscription(text string) string {
	return strings.Replace(text, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/subscriptionId":7,`, 1)
}

func TestTheStatelessDoorListens(t *testing.T) {
	for name, door := range map[string]func(*mcp.Server) http.Handler{
		"stateless": (*mcp.Server).Handler, "stateful": (*mcp.Server).StatefulHandler,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &fake{changes: make(chan invoke.Change)}
				server := mcp.New(e, options(""))
				w := openWeb(t, server, door)
				s := w.browser("2026-07-28", "").listen("trails://kg/Note", "trails://kg/Note/new", "trails://schema")
				want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["trails://kg/Note","trails://kg/Note/new","trails://schema"]}}}`
				if diff := cmp.Diff([]string{want}, messages(s.heard())); diff != "" {
					t.Fatal(diff)
				}
				if open := server.Sessions()["mcp-listen"]; open != 1 {
					t.Errorf("%d subscriptions are open", open)
				}
				e.changes <- invoke.Change{Head: "c1", Types: []string{"Note"}, Instances: []string{"trails://kg/Note/new"}}
				told := []string{forSubscription(updated("trails://kg/Note", "c1")), forSubscription(updated("trails://kg/Note/new", "c1"))}
				if diff := cmp.Diff(told, messages(s.heard())); diff != "" {
					t.Error(diff)
				}
				s.cut()
				quiet()
				if open := server.Sessions(); len(open) > 0 {
					t.Errorf("left open: %v", open)
				}
			})
		})
	}
}

func TestASubscriptionIsRefusedBeforeItBegins(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("trails://kg/Note/%d", i)
	}
	for _, c := range []struct {
		uris []string
		code int
		has  string
	}{
		{[]string{"trails://kg/Note", "trails://kg/Note?where=a=b"}, -32602, `"subscribe":"trails://kg/Note"`},
		{[]string{"trails://kg/Nosuch/1"}, -32602, "Resource not found"},
		{[]string{"trails://prov/latest"}, -32602, "nobody is told"},
		{[]string{"trails://kg/Note/" + strings.Repeat("x", 2000)}, -32602, "1024 bytes"},
		{many, -32003, `"limit":1000`},
	} {
		body := ask("2026-07-28", 7, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": c.uris}}, "")
		w := post(t, h, body, versionHeaders("2026-07-28", "subscriptions/listen", "")...)
		if got := w.Body.String(); code(t, got) != c.code || !strings.Contains(got, c.has) {
			t.Errorf("%.60v: %d %.300s", c.uris, w.Code, got)
		}
	}
}

func TestOneSessionHasAThousandSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		for i := range 1000 {
			s.one(ask("2025-11-25", i, "resources/subscribe", map[string]any{"uri": fmt.Sprintf("trails://kg/Note/%d", i)}, ""))
		}
		again := ask("2025-11-25", 1000, "resources/subscribe", map[string]any{"uri": "trails://kg/Note/5"}, "")
		if got := s.one(again); code(t, got) != 0 {
			t.Errorf("one that there is: %s", got)
		}
		one := ask("2025-11-25", 1001, "resources/subscribe", map[string]any{"uri": "trails://kg/Note/1000"}, "")
		if got := s.one(one); code(t, got) != -32003 {
			t.Errorf("one more: %s", got)
		}
		s.one(ask("2025-11-25", 1002, "resources/unsubscribe", map[string]any{"uri": "trails://kg/Note/5"}, ""))
		if got := s.one(strings.Replace(one, "1001", "1003", 1)); code(t, got) != 0 {
			t.Errorf("after one was ended: %s", got)
		}
	})
}

func TestSubscriptionsOverStdioFireInTheClientsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		s := openStdio(t, e, options(""))
		s.greet("2025-06-18", "")
		s.one(ask("2025-06-18", 1, "resources/subscribe", map[string]any{"uri": "trails://kg/Note/%61%3Ab"}, ""))
		e.changes <- invoke.Change{Head: "c1", Types: []string{"Note"}, Instances: []string{invoke.Address("Note", "a:b"), invoke.Address("Note", "c")}}
		if diff := cmp.Diff([]string{updated("trails://kg/Note/%61%3Ab", "c1")}, s.heard()); diff != "" {
			t.Error(diff)
		}
		s.one(ask("2025-06-18", 2, "resources/unsubscribe", map[string]any{"uri": "trails://kg/Note/a:b"}, ""))
		e.changes <- invoke.Change{Head: "c2", Types: []string{"Note"}, Instances: []string{invoke.Address("Note", "a:b")}}
		if got := s.heard(); len(got) > 0 {
			t.Errorf("after the end: %v", got)
		}
	})
}

func TestTheSubscriptionsOfOneStdioClientAreBoundedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		listen := func(id, from int) string {
			var uris []string
			for i := range 600 {
				uris = append(uris, fmt.Sprintf("trails://kg/Note/%d", from+i))
			}
			return s.one(ask("2026-07-28", id, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": uris}}, ""))
		}
		if got := listen(1, 0); code(t, got) != 0 {
			t.Errorf("the first: %.200s", got)
		}
		if got := listen(2, 600); code(t, got) != -32003 {
			t.Errorf("the second: %.200s", got)
		}
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		if got := listen(3, 600); code(t, got) != 0 {
			t.Errorf("after the first: %.200s", got)
		}
	})
}

// Changes that come faster than a client is told are told once.
func TestChangesOfOneAddressAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		b := openWeb(t, mcp.New(e, options("")), stateful).browser("2025-11-25", "")
		b.greet()
		b.subscribe("trails://kg/Note", "trails://schema")
		s := b.get()
		s.heard()
		for i := range 100 {
			e.changes <- invoke.Change{Head: fmt.Sprint(i), Types: []string{"Note"}}
			time.Sleep(time.Millisecond)
		}
		got := messages(s.heard())
		if len(got) < 2 || len(got) > 4 { // every 50 ms
			t.Errorf("100 changes in 100 ms are told %d times", len(got))
		}
		if last := got[len(got)-1]; last != updated("trails://kg/Note", "99") {
			t.Errorf("the last is %s", last)
		}
	})
}

// GO-SDK 0.7: a client that does not read blocks nobody.
func TestTrap07AStalledReaderDelaysNobodyAndIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		server := mcp.New(e, options(""))
		w := openWeb(t, server, stateful)
		uris := make([]string, 200)
		for i := range uris {
			uris[i] = fmt.Sprintf("trails://kg/Note/%d", i)
		}
		stalled := w.browser("2025-11-25", "")
		stalled.greet()
		stalled.subscribe(uris...)
		res := stalled.do(t.Context(), http.MethodGet, "/mcp", "") // and nobody reads it
		defer res.Body.Close()
		var others []*stream
		for range 10 {
			b := w.browser("2025-11-25", "")
			b.greet()
			b.subscribe("trails://kg/Note/7")
			s := b.get()
			s.heard()
			others = append(others, s)
		}
		for i := range 50 {
			began := time.Now()
			e.changes <- invoke.Change{Head: fmt.Sprint(i), Types: []string{"Note"}, Instances: uris}
			if took := time.Since(began); took > 0 {
				t.Fatalf("the writer waits %s", took)
			}
			for n, s := range others {
				if got := messages(s.heard()); !slices.Equal(got, []string{updated("trails://kg/Note/7", fmt.Sprint(i))}) {
					t.Fatalf("reader %d hears %v of commit %d", n, got, i)
				}
			}
			if n := server.PendingNotifications(); n > len(uris) {
				t.Fatalf("%d notifications wait for one reader of %d addresses", n, len(uris))
			}
		}
		time.Sleep(6 * time.Second)
		// It was cut: the stream is free, and nothing is lost.
		back := stalled.get()
		got := messages(back.heard())
		if back.status != http.StatusOK || len(got) < len(uris) {
			t.Errorf("when it comes back: %d, %d notifications", back.status, len(got))
		}
		want := map[string]bool{}
		for _, uri := range uris {
			want[updated(uri, "49")] = true
		}
		for _, text := range got {
			delete(want, text)
		}
		if len(want) > 0 {
			t.Errorf("%d addresses are not told of the last commit", len(want))
		}
	})
}

// What lies in the mailbox of a client that is away, and what is kept for it, stays
// within its bounds however much is written.
func TestAClientThatIsAwayIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		server := mcp.New(e, options(""))
		b := openWeb(t, server, stateful).browser("2025-11-25", "")
		b.greet()
		b.subscribe("trails://kg/Note", "trails://kg/Note/1")
		for i := range 10_000 {
			e.changes <- invoke.Change{Head: fmt.Sprint(i), Types: []string{"Note"}, Instances: []string{"trails://kg/Note/1"}}
		}
		synctest.Wait()
		if n := server.PendingNotifications(); n != 2 {
			t.Errorf("%d notifications wait", n)
		}
		want := []string{updated("trails://kg/Note", "9999"), updated("trails://kg/Note/1", "9999")}
		if diff := cmp.Diff(want, messages(b.get().heard())); diff != "" {
			t.Error(diff)
		}
	})
}

// Where nothing resumes, a reader that stalls is cut for good.
func TestAStalledReaderWithoutASessionToComeBackToIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		door  func(*mcp.Server) http.Handler
		stall func(t *testing.T, w *web, uris []string) *http.Response
	}{
		"mcp-listen": {(*mcp.Server).Handler, func(t *testing.T, w *web, uris []string) *http.Response {
			body := ask("2026-07-28", 7, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": uris}}, "")
			return w.browser("", "").do(t.Context(), http.MethodPost, "/mcp", body, versionHeaders("2026-07-28", "subscriptions/listen", "")...)
		}},
		"mcp-sse": {legacy, func(t *testing.T, w *web, uris []string) *http.Response {
			b := w.browser("2025-11-25", "")
			res := b.do(t.Context(), http.MethodGet, "/sse", "")
			lines := bufio.NewScanner(res.Body)
			for b.path == "/mcp" && lines.Scan() {
				if path, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					b.path = path
				}
			}
			b.post(hello("2025-11-25", ""))
			for i, uri := range uris {
				b.post(ask("2025-11-25", i+1, "resources/subscribe", map[string]any{"uri": uri}, ""))
			}
			return res
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &fake{changes: make(chan invoke.Change)}
				server := mcp.New(e, options(""))
				w := openWeb(t, server, c.door)
				uris := make([]string, 50)
				for i := range uris {
					uris[i] = fmt.Sprintf("trails://kg/Note/%d", i)
				}
				res := c.stall(t, w, uris)
				defer res.Body.Close()
				if diff := cmp.Diff(map[string]int{name: 1}, server.Sessions()); diff != "" {
					t.Fatal(diff)
				}
				for i := range 50 {
					e.changes <- invoke.Change{Head: fmt.Sprint(i), Types: []string{"Note"}, Instances: uris}
					quiet()
				}
				time.Sleep(6 * time.Second)
				if open := server.Sessions(); len(open) > 0 {
					t.Errorf("left open: %v", open)
				}
				if n := server.PendingNotifications(); n > 0 {
					t.Errorf("%d notifications wait for nobody", n)
				}
			})
		})
	}
}

// A subscription to an address of a branch hears of that branch alone, also of its end and of its return. One of main hears
// of main.
func TestASubscriptionIsOfOneBranch(t *testing.T) {
	e := openGraph(t)
	s := converse(t, e, options(""))
	write(t, e, "branches_create", `{"name": "draft"}`)
	write(t, e, "branches_create", `{"name": "other"}`)
	const node, kind, stats, feed = "trails://kg/Requirement/R-001", "trails://kg/Requirement", "trails://stats", "trails://changes"
	draft := func(uris ...string) (all []string) {
		for _, uri := range uris {
			all = append(all, uri+"?branch=draft")
		}
		return all
	}
	for _, uri := range append(draft(node, kind, stats, feed, "trails://kg/Requirement/R-002"), node, feed, kind+"?branch=main") {
		if a := s.ask("resources/subscribe", map[string]any{"uri": uri}); a.Error != nil {
			t.Fatalf("%s: %+v", uri, a.Error)
		}
	}
	for uri, says := range map[string]string{
		node + "?branch=drfat":                  `no branch \"drfat\"`,
		node + "?branch=":                       "branch is the name of one branch",
		kind + "?branch=draft&where=priority=1": "subscribe to trails://kg/Requirement?branch=draft",
		"trails://kg/Nothing?branch=draft":      "Resource not found",
	} {
		a := s.ask("resources/subscribe", map[string]any{"uri": uri})
		if text, _ := json.Marshal(a); a.Error == nil || !strings.Contains(string(text), says) {
			t.Errorf("%s: %s", uri, text)
		}
	}
	// heard reads notifications until all of these addresses were told, and no other one was; each names the commit.
	heard := func(step, commit string, uris ...string) {
		t.Helper()
		left := uris
		for len(left) > 0 {
			var p struct {
				URI  string
				Meta struct {
					Commit string `json:"trails/commit"`
				} `json:"_meta"`
			}
			n := s.next()
			if n.Method != "notifications/resources/updated" {
				continue
			}
			if err := json.Unmarshal(n.Params, &p); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(uris, p.URI) || p.Meta.Commit != commit {
				t.Fatalf("%s: heard of %s at %q, want %v at %q", step, p.URI, p.Meta.Commit, uris, commit)
			}
			left = slices.DeleteFunc(slices.Clone(left), func(uri string) bool { return uri == p.URI })
		}
	}
	head := func(branch string) string {
		c, err := e.Graph().Session(ana).On(branch).StateNamed(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return c.ID.String()
	}
	update := func(branch string, priority int) string {
		write(t, e, "requirement.update", fmt.Sprintf(`{"id": "R-001", "priority": %d, "branch": %q}`, priority, branch))
		return head(branch)
	}
	heard("a change of main", update("main", 4), node, feed, kind+"?branch=main")
	update("other", 5)
	heard("a change of the branch", update("draft", 5), draft(node, kind, stats, feed)...)
	all := draft(node, kind, stats, feed, "trails://kg/Requirement/R-002")
	heard("main again", update("main", 2), node, feed, kind+"?branch=main")
	write(t, e, "branches_reset", `{"name": "draft", "to": "main"}`)
	heard("the branch reset", head("main"), all...)
	write(t, e, "branches_rename", `{"name": "draft", "to": "renamed"}`)
	heard("the branch renamed", "", all...)
	update("renamed", 4)
	write(t, e, "branches_create", `{"name": "draft", "from": "renamed"}`)
	heard("one of the name again", head("draft"), all...)
	write(t, e, "branches_delete", `{"name": "draft"}`)
	heard("the branch deleted", "", all...)
	for _, uri := range all {
		s.ask("resources/unsubscribe", map[string]any{"uri": uri})
	}
	open := 0
	for tries := 0; tries < 1000 && open != 1; tries++ { // a watch ends soon after what was asked of it
		time.Sleep(10 * time.Millisecond)
		open, _ = e.Watchers()
	}
	if open != 1 {
		t.Errorf("%d watches are open without subscriptions of branches", open)
	}
}

// The schema that an address names decides which types there are: that of its branch, or of its commit.
func TestATypeOfABranchIsReadAndSubscribedTo(t *testing.T) {
	e := openGraph(t)
	s := converse(t, e, options(""))
	write(t, e, "branches_create", `{"name": "draft"}`)
	write(t, e, "schema_apply", `{"branch": "draft", "patch": "[{add_type: {Risk: {properties: {title: string}}}}]"}`)
	write(t, e, "risk.create", `{"branch": "draft", "id": "fire", "title": "Fire"}`)
	branch, err := e.Graph().Session(ana).On("draft").StateNamed(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"branch=draft", "at=draft", "at=" + branch.ID.String()} {
		if got := s.read("trails://kg/Risk/fire?" + of); !strings.Contains(got, "Fire") {
			t.Errorf("the node, %s: %s", of, got)
		}
		if got := s.read("trails://kg/Risk?limit=5&" + of); !strings.Contains(got, "Risk/fire") {
			t.Errorf("the type, %s: %s", of, got)
		}
	}
	for _, uri := range []string{"trails://kg/Risk", "trails://kg/Risk/fire", "trails://kg/Risk?at=draft~2", "trails://kg/Nothing?branch=draft", "trails://kg?branch=draft", "trails://kg/?branch=draft", "trails://kg//Risk?branch=draft"} {
		if a := s.ask("resources/read", map[string]any{"uri": uri}); a.Error == nil || a.Error.Message != "Resource not found" {
			t.Errorf("%s: %+v", uri, a)
		}
	}
	for uri, refused := range map[string]bool{"trails://kg/Risk?branch=draft": false, "trails://kg/Risk/fire?branch=draft": false, "trails://kg/Risk": true} {
		if a := s.ask("resources/subscribe", map[string]any{"uri": uri}); (a.Error != nil) != refused {
			t.Errorf("a subscription of %s: %+v", uri, a.Error)
		}
	}
	write(t, e, "risk.update", `{"branch": "draft", "id": "fire", "title": "Blaze"}`)
	told := map[string]bool{}
	for len(told) < 2 {
		var p struct{ URI string }
		if n := s.next(); n.Method == "notifications/resources/updated" && json.Unmarshal(n.Params, &p) == nil {
			told[p.URI] = true
		}
	}
	if !told["trails://kg/Risk?branch=draft"] || !told["trails://kg/Risk/fire?branch=draft"] {
		t.Errorf("told of %v", told)
	}
	if list := s.ask("resources/list", nil); strings.Contains(string(list.Result), "Risk") || strings.Contains(string(list.Result), `"trails://kg"`) {
		t.Errorf("main lists %s", list.Result)
	}
}
