package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/e2e/testrun"
	"trails/httpapi"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

const notesSchema = `
base: https://notes.example/
types:
  Note:
    description: A short text
    label: title
    properties:
      title: {type: string, required: true, min_length: 3}
      status: {type: string, one_of: [draft, final]}
  Page:
    iri: preserve
    properties:
      title: {type: string, required: true}
`

// notesEngine is the call path over a new real graph.
func notesEngine(t testing.TB) *invoke.Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notes.trails")
	invoketest.Create(t, path, kg.CreateOptions{Schema: []byte(notesSchema)})
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers(), Version: "test", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Whoever watches over the process asks every few seconds, for years.
func TestLivenessIsNoActivity(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.AllScopes()})})
	for range 3 {
		for _, path := range []string{"/health", "/ready", "/"} {
			if res := do(h, newRequest(exchange{method: "GET", path: path})); res.StatusCode != 200 {
				t.Errorf("GET %s: %d", path, res.StatusCode)
			}
		}
	}
	if n := e.ProvenanceQueue(); n != 0 {
		t.Errorf("%d activities wait", n)
	}
	doc, err := e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: policy.Anonymous("", policy.AllScopes())})
	if err != nil || strings.Count(string(doc.Body), "urn:uuid:") != 1 { // that of the schema, with which the graph began
		t.Errorf("recorded are %s, error %v", doc.Body, err)
	}
}

// TestGoldenTranscripts replays the requests of each transcript against a new graph
// and compares what comes back. TRAILS_UPDATE_MCP_SNAPSHOTS=1 rewrites them.
func TestGoldenTranscripts(t *testing.T) {
	testrun.Alone(t)
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e := notesEngine(t)
	h := httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.NewScopes(policy.Runtime)})})
	before := string(txtar.Format(archive))
	var out []txtar.File
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, "request") {
			answer := txtar.File{Name: strings.Replace(f.Name, "request", "response", 1), Data: exchangeText(t, e, h, f.Data)}
			out = append(out, f, answer)
		}
	}
	archive.Files = out
	if os.Getenv("TRAILS_UPDATE_MCP_SNAPSHOTS") == "1" {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(before, string(txtar.Format(archive))); diff != "" {
		t.Error(diff)
	}
}

// exchangeText sends a request written as text: its head, an empty line, its body.
func exchangeText(t *testing.T, e *invoke.Engine, h http.Handler, text []byte) []byte {
	t.Helper()
	head, body, _ := strings.Cut(string(text), "\n\n")
	body = strings.TrimSuffix(body, "\n")
	head = strings.TrimSuffix(head, "\n")
	raw := strings.ReplaceAll(head, "\n", "\r\n") + fmt.Sprintf("\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil {
		t.Fatalf("%v in %q", err, raw)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	invoketest.CommitsAreTold(t, e.Graph(), fmt.Sprint(w.Header())+w.Body.String())
	return []byte(steady(responseText(w)))
}

func responseText(w *httptest.ResponseRecorder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", w.Code, http.StatusText(w.Code))
	for _, name := range []string{"Content-Type", "ETag", httpapi.CommitHeader, "Allow", "WWW-Authenticate", "Retry-After", "Location", "Link"} {
		for _, v := range w.Header().Values(name) {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	return b.String() + "\n" + strings.TrimRight(w.Body.String(), "\n") + "\n"
}

// volatile is what differs from run to run.
var volatile = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`[0-9a-f]{64}`), "HASH"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`"trace_id":"[0-9a-f]{32}"`), `"trace_id":"TRACE"`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\+[0-9a-f]{12}"`), `+DIGEST"`},
	{regexp.MustCompile(`\b[0-9a-f]{12}\.[0-9a-f]{16}"`), `COMMIT.DIGEST"`},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "COMMIT"},
}

func steady(s string) string {
	for _, v := range volatile {
		s = v.pattern.ReplaceAllString(s, v.name)
	}
	return s
}

// TestResourcesAreTheSameBytesAsTheEngines holds the promise that an address here
// and the trails:// one behind it have one body.
func TestResourcesAreTheSameBytesAsTheEngines(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.AllScopes()})})
	for _, args := range []string{`{"id":"n1","title":"On trails","status":"draft"}`, `{"id":"a b/c%d","title":"Odd"}`} {
		if res := do(h, newRequest(exchange{method: "POST", path: "/invoke/note.create", body: args})); res.StatusCode != 200 {
			t.Fatalf("%s: %d %s", args, res.StatusCode, readAll(t, res.Body))
		}
	}
	if res := do(h, newRequest(exchange{method: "POST", path: "/invoke/page_create", body: `{"id":"http://a.example/b?c#d","title":"Kept"}`})); res.StatusCode != 200 {
		t.Fatal(readAll(t, res.Body))
	}
	for path, uri := range map[string]string{
		"/kg":                            "trails://kg/types",
		"/schema":                        "trails://schema",
		"/kg/Note":                       "trails://kg/Note",
		"/kg/Note?where=status=draft":    "trails://kg/Note?where=status=draft",
		"/kg/Note?where=title=On+trails": "trails://kg/Note?where=title=On%20trails",
		"/kg/Note?limit=1&offset=1":      "trails://kg/Note?limit=1&offset=1",
		"/kg/Note/n1":                    "trails://kg/Note/n1",
		"/kg/Page/http%3A%2F%2Fa.example%2Fb%3Fc%23d": "trails://kg/Page/http%3A%2F%2Fa.example%2Fb%3Fc%23d",
	} {
		doc, err := e.Read(t.Context(), uri, invoke.Call{Principal: policy.Anonymous("", policy.AllScopes()), Whole: true, Context: "http://localhost:8757/schema?format=jsonld"})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		got, _ := io.ReadAll(res.Body)
		if !bytes.Equal(got, doc.Body) || res.Header.Get("Content-Type") != doc.MIME {
			t.Errorf("GET %s: got %d %s %s, want %s %s", path, res.StatusCode, res.Header.Get("Content-Type"), got, doc.MIME, doc.Body)
		}
	}
}

// The graph that holds the schema is read like any other, and written by no door of data.
func TestTheSchemasGraphIsNotWrittenAsAGraph(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, runtimeOptions())
	get := func(path string) string {
		return readAll(t, do(h, graphRequest("GET", path, "", "")).Body)
	}
	const path = "/rdf-graphs?graph=urn:trails:graph:schema"
	schema, health := get(path), get("/kg")
	for _, r := range [][3]string{
		{"PUT", "text/turtle", oneTriple}, {"PUT", "text/turtle", schema}, {"POST", "text/turtle", oneTriple}, {"DELETE", "", ""},
	} {
		got := do(h, graphRequest(r[0], path, r[1], strings.ReplaceAll(r[2], "<o>", "<urn:o>")))
		if body := readAll(t, got.Body); got.StatusCode != http.StatusForbidden || !strings.Contains(body, "holds the schema") {
			t.Errorf("%s: %d %s", r[0], got.StatusCode, body)
		}
	}
	update := newRequest(exchange{method: "POST", path: "/sparql", body: "DROP GRAPH <urn:trails:graph:schema>"})
	update.Header.Set("Content-Type", "application/sparql-update")
	if got := do(h, update); got.StatusCode != http.StatusForbidden {
		t.Errorf("update: %d %s", got.StatusCode, readAll(t, got.Body))
	}
	if schema == "" || get(path) != schema || get("/kg") != health {
		t.Error("the schema changed")
	}
}

// A type that is only on a branch has its addresses there.
func TestAddressesOfATypeOfABranch(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.AllScopes()})})
	for _, c := range [][2]string{
		{"branches_create", `{"name": "draft"}`},
		{"schema_apply", `{"branch": "draft", "patch": "[{add_type: {Risk: {properties: {title: string}}}}]"}`},
		{"risk.create", `{"branch": "draft", "id": "fire", "title": "Fire"}`},
	} {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: c[0], Args: []byte(c[1]), Principal: invoketest.Ana, Via: "go"}); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]int{
		"/kg/Risk?branch=draft": 200, "/kg/Risk/fire?branch=draft": 200, "/kg/Risk/fire?at=draft": 200,
		"/kg/Risk": 404, "/kg/Risk/fire": 404, "/kg/Risk/fire?at=draft~2": 404, "/kg/Nothing?branch=draft": 404,
	} {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != want || want == 200 && !strings.Contains(string(body), "fire") {
			t.Errorf("GET %s: %d %s", path, res.StatusCode, body)
		}
	}
}
