package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
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
		e := &fakeEngine{parts: invoke.Parts{Records: 1}, output: oneTriple, head: "c0ffee"}
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
	testrun.Alone(t)
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
		"no JSON put":             {"PUT", "/rdf-graphs?graph=urn:a", "application/ld+json", `{"@id":`, 400},
		"more than a body may be": {"PUT", "/rdf-graphs?graph=urn:a", "text/turtle", `<urn:s> <urn:p> "` + strings.Repeat("x", httpapi.MaxBody) + `".`, 413},
		"another method":          {"PATCH", "/rdf-graphs?graph=urn:a", "text/turtle", oneTriple, 405},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{}
			got := do(httpapi.New(e, runtimeOptions()), graphRequest(x.method, x.path, x.media, x.body))
			if got.StatusCode != x.status || got.Header.Get("Location") != "" {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
			if c := e.lastCall().Capability; c != "" {
				t.Errorf("%s was called", c)
			}
		})
	}
}

func TestAMissingGraphIsNotFound(t *testing.T) {
	e := &fakeEngine{}
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

func TestWritesAreOneLoad(t *testing.T) {
	for says, x := range map[string]struct {
		method, path string
		existed      bool
		args         string
		status       int
	}{
		"put":         {"PUT", "/rdf-graphs?graph=urn:a", false, `{"allow_mass_change":true,"base":"urn:a","format":"auto","graph":"urn:a","mode":"replace","one_graph":true}`, 201},
		"put again":   {"PUT", "/rdf-graphs?graph=urn:a", true, `{"allow_mass_change":true,"base":"urn:a","format":"auto","graph":"urn:a","mode":"replace","one_graph":true}`, 204},
		"put default": {"PUT", "/rdf-graphs?default", true, `{"allow_mass_change":true,"base":"http://localhost:8757/rdf-graphs","format":"auto","graph":"urn:trails:graph:default","mode":"replace","one_graph":true}`, 204},
		"post":        {"POST", "/rdf-graphs?graph=urn:a", false, `{"allow_mass_change":true,"base":"urn:a","format":"auto","graph":"urn:a","mode":"merge","one_graph":true}`, 201},
		"delete":      {"DELETE", "/rdf-graphs?graph=urn:a", true, `{"allow_mass_change":true,"format":"auto","graph":"urn:a","mode":"replace","one_graph":true}`, 204},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{parts: invoke.Parts{Existed: x.existed}, commit: "c0ffee"}
			r := graphRequest(x.method, x.path, "text/turtle", "<urn:s> <urn:p> <urn:a/o> .")
			got := do(httpapi.New(e, runtimeOptions()), r)
			if got.StatusCode != x.status || got.Header.Get(httpapi.CommitHeader) != "c0ffee" {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
			if c := e.lastCall(); c.Capability != "load" || string(c.Args) != x.args || len(c.Inputs) != 1 {
				t.Errorf("%s %s %d", c.Capability, c.Args, len(c.Inputs))
			}
		})
	}
}

// Nothing is made of a document without statements: there is no graph then, and no commit.
func TestAPutOfNothingMakesNoGraph(t *testing.T) {
	e := &fakeEngine{}
	if got := do(httpapi.New(e, runtimeOptions()), graphRequest("PUT", "/rdf-graphs?graph=urn:a", "text/turtle", "")); got.StatusCode != http.StatusNoContent || got.Header.Get("ETag") != "" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}

// TestConditionsOfAWrite are those of RFC 9110, section 13, on a graph that is there
// and on one that is not.
func TestConditionsOfAWrite(t *testing.T) {
	testrun.Alone(t)
	const there, missing = "/rdf-graphs?graph=urn:a", "/rdf-graphs?graph=urn:b"
	for _, x := range []struct {
		header, tags, method, path string
		status                     int
	}{
		{"If-None-Match", "*", "PUT", there, 412},
		{"If-None-Match", "*", "PUT", missing, 201},
		{"If-None-Match", "*", "POST", there, 412},
		{"If-None-Match", "*", "PUT", "/rdf-graphs?default", 412},
		{"If-None-Match", "HEAD", "PUT", there, 412},
		{"If-None-Match", "HEAD", "PUT", missing, 201},
		{"If-None-Match", `"c0ffee"`, "PUT", there, 204},
		{"If-None-Match", "*", "POST", "/rdf-graphs", 412},
		{"If-Match", "*", "PUT", there, 204},
		{"If-Match", "*", "PUT", missing, 412},
		{"If-Match", "*", "PUT", "/rdf-graphs?default", 204},
		{"If-Match", "HEAD", "PUT", there, 204},
		{"If-Match", `"c0ffee", HEAD`, "DELETE", there, 204},
		{"If-Match", "HEAD", "PUT", missing, 412},
		{"If-Match", `"c0ffee"`, "PUT", there, 412},
		{"If-Match", "*", "DELETE", missing, 412},
		{"If-Match", "HEAD", "POST", "/rdf-graphs", 201},
		{"If-Match", "c0ffee", "PUT", there, 400},
	} {
		t.Run(x.method+" "+x.path+" "+x.header+" "+x.tags, func(t *testing.T) {
			h := graphStoreOn(t)
			if got := do(h, graphRequest("PUT", there, "text/turtle", oneTriple)); got.StatusCode != 201 {
				t.Fatal(got.StatusCode)
			}
			head := do(h, graphRequest("GET", there, "", "")).Header.Get("ETag")
			r := graphRequest(x.method, x.path, "text/turtle", "<urn:s> <urn:p> 2 .")
			r.Header.Set(x.header, strings.ReplaceAll(x.tags, "HEAD", head))
			if got := do(h, r); got.StatusCode != x.status {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
		})
	}
}

func graphStoreOn(t *testing.T) http.Handler {
	t.Helper()
	h, err := (&stores{t: t}).service(nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestAGraphThatIsPutAgainMakesNoCommit, whatever it was written in.
func TestAGraphThatIsPutAgainMakesNoCommit(t *testing.T) {
	h := graphStoreOn(t)
	put := func(media, body string) string {
		got := do(h, graphRequest("PUT", "/rdf-graphs?graph=urn:a", media, body))
		if got.StatusCode/100 != 2 {
			t.Fatalf("status %d: %s", got.StatusCode, readAll(t, got.Body))
		}
		return got.Header.Get(httpapi.CommitHeader)
	}
	if put("text/turtle", `<urn:s> <urn:p> <o>, [ <urn:q> 1 ] .`) == "" {
		t.Fatal("nothing was put")
	}
	for media, body := range map[string]string{
		"text/turtle":           `<urn:s> <urn:p> _:x, <o> . _:x <urn:q> 1 .`,
		"application/n-triples": "<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> _:b .\n_:b <urn:q> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n",
		"application/ld+json":   `{"@id":"urn:s","urn:p":[{"@id":"urn:o"},{"urn:q":1}]}`,
	} {
		if commit := put(media, body); commit != "" {
			t.Errorf("%s made commit %s", media, commit)
		}
	}
	for _, form := range []string{"turtle", "ntriples", "jsonld"} {
		got := do(h, graphRequest("GET", "/rdf-graphs?graph=urn:a&format="+form, "", ""))
		if commit := put(got.Header.Get("Content-Type"), readAll(t, got.Body)); commit != "" {
			t.Errorf("%s, put as it was had, made commit %s", form, commit)
		}
	}
}

func TestJSONLDIsPutAndHad(t *testing.T) {
	h := graphStoreOn(t)
	for says, x := range map[string]struct {
		body   string
		status int
	}{
		"triples":               {`{"@id":"s","urn:p":"x"}`, 201},
		"another graph":         {`{"@id":"urn:b","@graph":[{"@id":"urn:s","urn:p":1}]}`, 422},
		"a context of the web":  {`{"@context":"https://example.org/context","p":1}`, 404},
		"the graph's context":   {`{"@context":"trails://schema","@id":"urn:s","urn:p":"x"}`, 204},
		"this server's context": {`{"@context":"http://localhost:8757/schema?format=jsonld","@id":"urn:s","urn:p":"x"}`, 204},
		"JSON that is no graph": {`{"@id":5}`, 400},
	} {
		if got := do(h, graphRequest("PUT", "/rdf-graphs?graph=http://a/b/", "application/ld+json", x.body)); got.StatusCode/100 != x.status/100 {
			t.Errorf("%s: status %d, want %d: %s", says, got.StatusCode, x.status, readAll(t, got.Body))
		}
	}
	r := graphRequest("GET", "/rdf-graphs?graph=http://a/b/", "", "")
	r.Header.Set("Accept", "application/ld+json")
	got := do(h, r)
	if body := readAll(t, got.Body); got.Header.Get("Content-Type") != "application/ld+json" || strings.Count(body, "@graph") != 1 || !strings.Contains(body, `"urn:p":"x"`) {
		t.Errorf("%v %s", got.Header, body)
	}
}

// TestALargeGraphIsPut: a PUT takes what a body may have.
func TestALargeGraphIsPut(t *testing.T) {
	testrun.Alone(t)
	h := graphStoreOn(t)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "<urn:s:%d> <urn:p> \"%0100d\" .\n", i, i)
	}
	if got := do(h, graphRequest("PUT", "/rdf-graphs?graph=urn:a", "text/turtle", text.String())); got.StatusCode != 201 {
		t.Fatalf("status %d: %s", got.StatusCode, readAll(t, got.Body))
	}
	more := text.String() + "<urn:s:1> <urn:p> 1 .\n"
	if got := do(h, graphRequest("PUT", "/rdf-graphs?graph=urn:a", "text/turtle", more)); got.StatusCode != 204 {
		t.Fatalf("status %d: %s", got.StatusCode, readAll(t, got.Body))
	}
}

func TestAFailedPostNamesNoGraph(t *testing.T) {
	e := &fakeEngine{fails: map[string]error{"load": fault.New(fault.Denied, "no")}}
	got := do(httpapi.New(e, runtimeOptions()), graphRequest("POST", "/rdf-graphs", "text/turtle", oneTriple))
	if got.StatusCode != http.StatusForbidden || got.Header.Get("Location") != "" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}
