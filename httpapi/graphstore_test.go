package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/httpapi"
	"trails/kg/fault"
)

func graphRequest(method, path, media, body string) *http.Request {
	r := newRequest(exchange{method: method, path: path, body: body})
	r.Header.Set("Content-Type", media)
	return r
}

const oneTriple = "<urn:s> <urn:p> <o> .\n"

func TestGraphsAreNamedByParameterOrAddress(t *testing.T) {
	for path, graph := range map[string]string{
		"/rdf-graphs?default":               `"graph":"urn:trails:graph:default"`,
		"/rdf-graphs?graph=urn%3Aa":         `"graph":"urn:a"`,
		"/rdf-graphs?graph=urn:%2531":       `"graph":"urn:%31"`,
		"/rdf-graphs/people/a%20b?format=x": "",
		"/rdf-graphs/people/a%20b":          `"graph":"http://localhost:8757/rdf-graphs/people/a%20b"`,
	} {
		e := &fakeEngine{result: `{"records":1}`, output: oneTriple, head: "c0ffee"}
		got := do(httpapi.New(e, runtimeOptions()), graphRequest("GET", path, "", ""))
		if graph == "" {
			if got.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: status %d", path, got.StatusCode)
			}
			continue
		}
		if body := readAll(t, got.Body); body != oneTriple || !strings.Contains(string(e.lastCall().Args), graph) {
			t.Errorf("%s: %s, %s", path, e.lastCall().Args, body)
		}
		if got.Header.Get("Content-Type") != "text/turtle; charset=utf-8" || !strings.HasPrefix(got.Header.Get("ETag"), `W/"c0ffee.`) {
			t.Errorf("%s: %v", path, got.Header)
		}
	}
}

func TestWhatIsNoGraphOrDocumentIsRefused(t *testing.T) {
	for says, x := range map[string]struct {
		method, path, media, body string
		status                    int
	}{
		"no graph":                {"GET", "/rdf-graphs", "", "", 400},
		"two graphs":              {"GET", "/rdf-graphs?graph=urn:a&graph=urn:b", "", "", 400},
		"a graph and the default": {"GET", "/rdf-graphs?graph=urn:a&default", "", "", 400},
		"a graph twice named":     {"GET", "/rdf-graphs/a?graph=urn:a", "", "", 400},
		"a relative name":         {"GET", "/rdf-graphs?graph=a", "", "", 400},
		"a name that ends early":  {"DELETE", "/rdf-graphs?graph=urn:a%3E%7D%3BCLEAR%20ALL", "", "", 400},
		"no store to put":         {"PUT", "/rdf-graphs", "text/turtle", oneTriple, 400},
		"another media type":      {"PUT", "/rdf-graphs?graph=urn:a", "text/plain", oneTriple, 415},
		"another charset":         {"POST", "/rdf-graphs?graph=urn:a", "text/turtle; charset=latin1", oneTriple, 415},
		"a syntax error put":      {"PUT", "/rdf-graphs?graph=urn:a", "text/turtle", "<urn:s> .", 400},
		"a syntax error posted":   {"POST", "/rdf-graphs?graph=urn:a", "text/turtle", "<urn:s> .", 400},
		"a form without parts":    {"POST", "/rdf-graphs?graph=urn:a", "multipart/form-data; boundary=x", "--x--\r\n", 400},
		"a form of other things":  {"POST", "/rdf-graphs?graph=urn:a", "multipart/form-data; boundary=x", "--x\r\n\r\nhello\r\n--x--\r\n", 400},
		"more than a PUT takes":   {"PUT", "/rdf-graphs?graph=urn:a", "text/turtle", `<urn:s> <urn:p> "` + strings.Repeat("x", 1<<20) + `".`, 413},
		"another method":          {"PATCH", "/rdf-graphs?graph=urn:a", "text/turtle", oneTriple, 405},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{result: `{"boolean":false}`}
			got := do(httpapi.New(e, runtimeOptions()), graphRequest(x.method, x.path, x.media, x.body))
			if got.StatusCode != x.status || got.Header.Get("Location") != "" {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
			if c := e.lastCall().Capability; c != "" && c != "query" {
				t.Errorf("%s was called", c)
			}
		})
	}
}

func TestAMissingGraphIsNotFound(t *testing.T) {
	e := &fakeEngine{result: `{"records":0,"removed":0}`}
	h := httpapi.New(e, runtimeOptions())
	for _, method := range []string{"GET", "HEAD", "DELETE"} {
		if got := do(h, graphRequest(method, "/rdf-graphs?graph=urn:a", "", "")); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", method, got.StatusCode)
		}
	}
	if got := do(h, graphRequest("GET", "/rdf-graphs?default", "", "")); got.StatusCode != http.StatusOK {
		t.Errorf("the default graph: status %d", got.StatusCode)
	}
}

func TestWritesAreOneUpdateOrOneLoad(t *testing.T) {
	for says, x := range map[string]struct {
		method, path, capability, args string
		status                         int
	}{
		"put":         {"PUT", "/rdf-graphs?graph=urn:a", "mutate", `{"update":"DROP SILENT GRAPH \u003curn:a\u003e;\nINSERT DATA {GRAPH \u003curn:a\u003e {\n\u003curn:s\u003e \u003curn:p\u003e \u003curn:a/o\u003e .\n}}"}`, 201},
		"put default": {"PUT", "/rdf-graphs?default", "mutate", `{"update":"DROP DEFAULT;\nINSERT DATA {\n\u003curn:s\u003e \u003curn:p\u003e \u003curn:a/o\u003e .\n}"}`, 204},
		"post":        {"POST", "/rdf-graphs?graph=urn:a", "load", `{"base":"urn:a","format":"auto","graph":"urn:a"}`, 201},
		"delete":      {"DELETE", "/rdf-graphs?graph=urn:a", "mutate", `{"update":"DROP SILENT GRAPH \u003curn:a\u003e"}`, 204},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{result: `{"boolean":false,"removed":3,"commit":"c0ffee","branch":"main"}`}
			r := graphRequest(x.method, x.path, "text/turtle", "<urn:s> <urn:p> <urn:a/o> .")
			got := do(httpapi.New(e, runtimeOptions()), r)
			if got.StatusCode != x.status || got.Header.Get(httpapi.CommitHeader) != "c0ffee" {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
			if c := e.lastCall(); c.Capability != x.capability || string(c.Args) != x.args {
				t.Errorf("%s %s", c.Capability, c.Args)
			}
		})
	}
}

func TestAFailedPostNamesNoGraph(t *testing.T) {
	e := &fakeEngine{result: `{"boolean":false}`, fails: map[string]error{"load": fault.New(fault.Denied, "no")}}
	got := do(httpapi.New(e, runtimeOptions()), graphRequest("POST", "/rdf-graphs", "text/turtle", oneTriple))
	if got.StatusCode != http.StatusForbidden || got.Header.Get("Location") != "" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}
