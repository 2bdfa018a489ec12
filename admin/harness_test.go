package admin_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/example"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// fixture is the pages of one real graph.
type fixture struct {
	http.Handler
	engine *invoke.Engine
}

// newFixture serves a new graph with this schema.
func newFixture(t testing.TB, schema []byte, opts admin.Options) fixture {
	t.Helper()
	return newFixtureOf(t, schema, opts, invoke.Config{})
}

// newFixtureOf is newFixture with settings of the call path.
func newFixtureOf(t testing.TB, schema []byte, opts admin.Options, c invoke.Config) fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.trails")
	invoketest.Create(t, path, kg.CreateOptions{Schema: schema})
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Providers, c.Version, c.Log = builtin.Providers(), "test", slog.New(slog.DiscardHandler)
	e := invoke.New(g, c)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return fixture{known(admin.New(e, opts)), e}
}

// newExample serves the example graph.
func newExample(t testing.TB) fixture {
	t.Helper()
	f := newFixture(t, example.Schema, admin.Options{})
	f.call(t, "load", map[string]any{"data": string(example.Data), "message": "The example"})
	return f
}

// principal is who reads the pages in tests.
var principal = policy.Local("ana", "")

// known stands for the edge that resolved the caller.
func known(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), principal)))
	})
}

// call writes or reads past the pages, as an agent would.
func (f fixture) call(t testing.TB, capability string, args map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := f.engine.Call(t.Context(), invoke.Call{Capability: capability, Args: text, Principal: principal, Via: "mcp-http"})
	if err != nil {
		t.Fatalf("%s %s: %v", capability, text, err)
	}
	var out map[string]any
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// answer is what a request was answered with.
type answer struct {
	*http.Response
	text string
	doc  *html.Node
}

func (f fixture) do(t testing.TB, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	a := answer{Response: w.Result(), text: w.Body.String()}
	doc, err := html.Parse(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	a.doc = doc
	return a
}

// get reads one page, which must have this status.
func (f fixture) get(t testing.TB, path string, status int) answer {
	t.Helper()
	a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if a.StatusCode != status {
		t.Fatalf("GET %s: got %d, want %d:\n%s", path, a.StatusCode, status, mainText(a))
	}
	return a
}

// find returns the elements that match, in document order.
func (a answer) find(match func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	for n := range a.doc.Descendants() {
		if n.Type == html.ElementNode && match(n) {
			out = append(out, n)
		}
	}
	return out
}

// byID returns the element with this id.
func (a answer) byID(t testing.TB, id string) *html.Node {
	t.Helper()
	found := a.find(func(n *html.Node) bool { return attribute(n, "id") == id })
	if len(found) != 1 {
		t.Fatalf("%d elements have the id %s", len(found), id)
	}
	return found[0]
}

// leads returns the addresses of the links that begin so.
func (a answer) leads(prefix string) []string {
	var out []string
	for _, n := range a.find(tag("a")) {
		if href := attribute(n, "href"); strings.HasPrefix(href, prefix) {
			out = append(out, href)
		}
	}
	return out
}

func tag(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf is what an element says, with single spaces.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// mainText is what the page says in its main part.
func mainText(a answer) string {
	for _, n := range a.find(tag("main")) {
		return textOf(n)
	}
	return a.text
}

// rows are the texts of a table's cells.
func rows(table *html.Node) [][]string {
	var out [][]string
	for tr := range table.Descendants() {
		if tr.Data != "tr" {
			continue
		}
		var cells []string
		for c := range tr.ChildNodes() {
			if (c.Data == "td" || c.Data == "th") && attribute(c, "class") != "tick" {
				cells = append(cells, textOf(c))
			}
		}
		out = append(out, cells)
	}
	return out
}
