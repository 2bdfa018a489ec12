package admin_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/builtin"
	"trails/e2e/testrun"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/text/tokens"
)

// forge is an upstream server whose words try to be markup, and that can change what it says.
type forge struct {
	said  sync.Map // the descriptions of its tools, by name
	calls atomic.Int64
}

// ServeHTTP answers as Streamable HTTP does. A call of a tool is answered with more than is
// passed on.
func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		ID     json.RawMessage
		Method string
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&asked) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var result any
	switch asked.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "forge", "version": "1"}}
	case "tools/list":
		list := []any{}
		f.said.Range(func(name, description any) bool {
			schema := map[string]any{"type": "object", "required": []string{"title"}, "properties": map[string]any{"title": map[string]any{"type": "string", "description": "<img src=x>"}}}
			list = append(list, map[string]any{"name": name, "description": description, "inputSchema": schema})
			return true
		})
		result = map[string]any{"tools": list}
	case "tools/call":
		f.calls.Add(1)
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("A <b>bold</b> line of the answer.\n", 1000)}}}
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": result}) // the caller may have gone
}

// newGateway serves a graph that names the server forge, and one that cannot be reached.
func newGateway(t *testing.T) (fixture, *forge) {
	t.Helper()
	server := &forge{}
	server.said.Store("open_issue", "Open an issue. <b>bold</b> <script>alert(1)</script>")
	server.said.Store("close_issue", "Close an issue.")
	server.said.Store("list_repos", "List repositories.")
	web := httptest.NewServer(server)
	path := filepath.Join(t.TempDir(), "graph.trails")
	invoketest.Create(t, path, kg.CreateOptions{Schema: []byte(formSchema)})
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }})
	e := invoke.New(g, invoke.Config{Providers: builtin.Options{Upstreams: pool, Gateway: tools.New(pool, embed.Open(embed.Config{}), false)}.Providers(), Version: "test", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		pool.Close()
		web.CloseClientConnections()
		web.Close()
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	f := fixture{known(admin.New(e, admin.Options{})), e}
	f.call(t, "trails.meta.gateway.add", map[string]any{"definition": map[string]any{"name": "forge", "http": web.URL}})
	f.call(t, "trails.meta.gateway.add", map[string]any{"definition": map[string]any{"name": "gone", "command": []string{"/nonexistent/<b>bold</b>"}}})
	return f, server
}

// hrefs are the addresses that a page links to below another one.
func (a answer) hrefs(begin string) []string {
	var out []string
	for _, n := range a.find(tag("a")) {
		if href := attribute(n, "href"); strings.HasPrefix(href, begin) {
			out = append(out, href)
		}
	}
	return out
}

// plainText holds that what a server says became no markup, and the page to what all promise.
func plainText(t *testing.T, path string, a answer) {
	t.Helper()
	checkPage(t, path, a)
	checkAttributes(t, path, a)
	if bad := a.find(func(n *html.Node) bool { return n.Data == "img" || n.Data == "b" && textOf(n) == "bold" }); len(bad) > 0 {
		t.Errorf("%s: what a server says became markup", path)
	}
}

func TestThePageOfTheGatewayListsServersAndStartsNone(t *testing.T) {
	f, _ := newGateway(t)
	a := f.get(t, "/admin/gateway", 200)
	plainText(t, "/admin/gateway", a)
	text := mainText(a)
	for _, want := range []string{"forge", "idle", "/nonexistent/<b>bold</b>", "No tool of a server was called lately", "No result is kept for you"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "up ") {
		t.Errorf("a server was started:\n%s", text)
	}
}

func TestThePageOfTheGatewaySaysHowTheEndpointOfEmbeddingsStands(t *testing.T) {
	f, _ := newGateway(t)
	f.call(t, "trails.meta.gateway.configure", map[string]any{"settings": map[string]any{"embeddings": map[string]any{"url": "http://127.0.0.1:1/<b>bold</b>", "model": "m"}}})
	a := f.get(t, "/admin/gateway", 200)
	plainText(t, "/admin/gateway", a)
	if text := mainText(a); !strings.Contains(text, "Embeddings: untrusted nobody at this machine has agreed that texts are sent to http://127.0.0.1:1/") || !strings.Contains(text, "0 vectors in memory") {
		t.Errorf("the page says\n%s", text)
	}
}

func TestTheGatewayShowsWhatAnAgentReads(t *testing.T) {
	testrun.Alone(t)
	f, _ := newGateway(t)
	f.call(t, "trails.meta.gateway.remove", map[string]any{"name": "gone"})
	res, err := f.engine.Call(t.Context(), invoke.Call{Capability: "tool_browse", Args: json.RawMessage(`{"query":"open an issue"}`), Principal: principal, Via: "mcp-http"})
	if err != nil {
		t.Fatal(err)
	}
	a := f.get(t, "/admin/gateway?query=open+an+issue", 200)
	plainText(t, "a query", a)
	var shown []string
	for _, n := range a.find(tag("pre")) {
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				shown = append(shown, d.Data)
			}
		}
	}
	if len(shown) != 1 || shown[0] != res.Text {
		t.Errorf("the page shows %q, an agent reads %q", shown, res.Text)
	}
	if want := "What the agent reads: " + strconv.Itoa(tokens.Count(res.Text)) + " tokens"; !strings.Contains(mainText(a), want) {
		t.Errorf("the page does not say %q", want)
	}
	// The tree leads from / to a single tool.
	path, steps := "/admin/gateway?path=%2F", 0
	for ; strings.Contains(path, "?path="); steps++ {
		a = f.get(t, path, 200)
		plainText(t, path, a)
		links := a.hrefs("/admin/gateway?path=" + url.QueryEscape("/forge"))
		path = links[len(links)-1]
		if tools := a.hrefs("/admin/gateway/tools/forge"); len(tools) > 0 {
			path = tools[0]
		}
		if steps > 5 {
			t.Fatal("the tree has no end")
		}
	}
	a = f.get(t, path, 200)
	plainText(t, path, a)
	if text := mainText(a); !strings.Contains(text, `"required": [ "title" ]`) || !strings.Contains(text, "List repositories.") {
		t.Errorf("the page of a tool says\n%s", text)
	}
	if forms := a.hrefs("/admin/capabilities/tool_execute?"); len(forms) != 1 {
		t.Errorf("%d forms", len(forms))
	} else {
		f.get(t, forms[0], 200)
	}
	for address, code := range map[string]int{"?path=%2Fnothing": 404, "?path=nothing": 400, "?query=a&path=%2F": 400, "/tools/nothing": 404, "/nothing": 404, "/artifacts/nothing": 404} {
		checkPage(t, address, f.get(t, "/admin/gateway"+address, code))
	}
}

// Another site cannot have servers reached by a link to these pages.
func TestALinkOfAnotherSiteBrowsesNothing(t *testing.T) {
	f, _ := newGateway(t)
	for _, path := range []string{"/admin/gateway?query=issue", "/admin/gateway?path=%2F"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := f.do(t, r); a.StatusCode != 200 || len(a.find(tag("pre"))) > 0 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}

func TestAToolIsTriedAndCalledByItsForm(t *testing.T) {
	testrun.Alone(t)
	f, server := newGateway(t)
	a := f.get(t, "/admin/gateway/forge", 200)
	plainText(t, "a server", a)
	links := a.hrefs("/admin/gateway/tools/")
	if len(links) != 3 {
		t.Fatalf("the server has %d tools", len(links))
	}
	form := f.blank(t, "tool_execute", strings.TrimPrefix(f.get(t, links[0], 200).hrefs("/admin/capabilities/tool_execute?")[0], "/admin/capabilities/tool_execute"))
	form.Set("arg.args", `{"title":"One"}`)
	tried := f.press(t, form, dryRun)
	if text := mainText(tried); tried.StatusCode != 200 || !strings.Contains(text, "schema_validation") || strings.Contains(text, "Nothing would change") {
		t.Errorf("a dry run is answered with %d %s", tried.StatusCode, text)
	}
	done := f.press(t, form, call)
	if text := mainText(done); done.StatusCode != 200 || !strings.Contains(text, "original_chars") {
		t.Fatalf("a call is answered with %d %s", done.StatusCode, text)
	}
	plainText(t, "a result", done)
	if f.press(t, form, call); server.calls.Load() != 1 {
		t.Errorf("a form that was sent twice made %d calls", server.calls.Load())
	}
	a = f.get(t, "/admin/gateway", 200)
	plainText(t, "after a call", a)
	kept := a.hrefs("/admin/gateway/artifacts/")
	if len(kept) != 1 || !strings.Contains(mainText(a), "1 for you") || len(a.hrefs("/admin/gateway/tools/forge")) != 2 {
		t.Fatalf("the page after a call says\n%s", mainText(a))
	}
	a = f.get(t, kept[0], 200)
	plainText(t, "a kept result", a)
	next := a.find(func(n *html.Node) bool { return attribute(n, "rel") == "next" })
	if len(next) != 1 || !strings.Contains(mainText(a), "A <b>bold</b> line of the answer.") {
		t.Fatalf("a kept result is shown as\n%s", mainText(a))
	}
	plainText(t, "the next part", f.get(t, attribute(next[0], "href"), 200))
	for _, wrong := range []string{"nothing", `{"type":"nothing"}`} {
		checkPage(t, wrong, f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, kept[0]+"?selector="+url.QueryEscape(wrong), nil)))
	}
}

func TestWhatAServerOffersIsAcceptedAsItWasShown(t *testing.T) {
	f, server := newGateway(t)
	accepted := func() (review answer) {
		t.Helper()
		review = f.get(t, "/admin/gateway/forge?refresh=1", 200)
		plainText(t, "a review", review)
		links := review.hrefs("/admin/capabilities/trails.meta.gateway.accept?")
		if len(links) != 1 {
			t.Fatalf("a review has %d links to accept:\n%s", len(links), mainText(review))
		}
		form := f.blank(t, "trails.meta.gateway.accept", strings.TrimPrefix(links[0], "/admin/capabilities/trails.meta.gateway.accept"))
		if done := f.press(t, form, call); done.StatusCode != 200 || !strings.Contains(mainText(done), "3 added, 0 removed") && !strings.Contains(mainText(done), "1 added, 1 removed") {
			t.Fatalf("accepting is answered with %d %s", done.StatusCode, mainText(done))
		}
		return review
	}
	accepted()
	if text := mainText(f.get(t, "/admin/gateway/forge", 200)); strings.Count(text, "accepted") != 3 {
		t.Errorf("the server says\n%s", text)
	}
	server.said.Store("list_repos", "List what is <b>bold</b>.")
	if text := mainText(accepted()); !strings.Contains(text, "List repositories.") || !strings.Contains(text, "List what is <b>bold</b>.") {
		t.Errorf("the difference is\n%s", text)
	}
	if text := mainText(f.get(t, "/admin/gateway/forge?refresh=1", 200)); !strings.Contains(text, "All 3 are as they were accepted") {
		t.Errorf("the review says\n%s", text)
	}
	a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/gateway/gone", nil))
	plainText(t, "a server that is down", a)
	if text := mainText(a); a.StatusCode < 400 || !strings.Contains(text, "It does not say what it offers") || !strings.Contains(text, "/nonexistent/") {
		t.Errorf("a server that is down is shown with %d as\n%s", a.StatusCode, text)
	}
}

func TestAPageOfTheGatewayIsOneActivity(t *testing.T) {
	testrun.Alone(t)
	for path, want := range map[string]string{
		"/admin/gateway":                "gateway_list ok",
		"/admin/gateway?query=issue":    "tool_browse ok",
		"/admin/gateway/forge":          "gateway_show ok",
		"/admin/gateway/tools/nothing":  "tool_hydrate failed",
		"/admin/gateway/artifacts/none": "tool_view failed",
	} {
		f, _ := newGateway(t)
		f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if got := f.activities(t); strings.Join(got, ", ") != want {
			t.Errorf("GET %s made %q; want %q", path, got, want)
		}
	}
}
