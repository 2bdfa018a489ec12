package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/httpapi"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
)

// sparqlRequest is one request to /sparql; media is its Content-Type.
type sparqlRequest struct {
	method, query, media, body string
	header                     http.Header
}

func (x sparqlRequest) request() *http.Request {
	path := "/sparql"
	if x.query != "" {
		path += "?" + x.query
	}
	r := newRequest(exchange{method: x.method, path: path, body: x.body, header: x.header})
	r.Header.Set("Content-Type", x.media)
	if x.media == "" {
		r.Header.Del("Content-Type")
	}
	return r
}

const (
	formType   = "application/x-www-form-urlencoded"
	queryType  = "application/sparql-query"
	updateType = "application/sparql-update"
)

func TestOperationsBecomeCalls(t *testing.T) {
	for says, x := range map[string]struct {
		request          sparqlRequest
		capability, args string
	}{
		"query by GET":    {sparqlRequest{"GET", "query=ASK%20%7B%7D", "", "", nil}, "query", `{"query":"ASK {}"}`},
		"query by form":   {sparqlRequest{"POST", "", formType, "query=ASK+%7B%7D", nil}, "query", `{"query":"ASK {}"}`},
		"query by body":   {sparqlRequest{"POST", "", queryType, "ASK {}", nil}, "query", `{"query":"ASK {}"}`},
		"charset in caps": {sparqlRequest{"POST", "", queryType + "; charset=UTF-8", "ASK {}", nil}, "query", `{"query":"ASK {}"}`},
		"deep braces":     {sparqlRequest{"POST", "", queryType, strings.Repeat("{", 200), nil}, "query", `{"query":"` + strings.Repeat("{", 200) + `"}`},
		"graphs of a query, some in the form": {
			sparqlRequest{"POST", "default-graph-uri=urn:a&named-graph-uri=urn:c", formType, "query=ASK+%7B%7D&default-graph-uri=urn:b", nil},
			"query", `{"query":"ASK {}","default_graph_uri":["urn:a","urn:b"],"named_graph_uri":["urn:c"]}`,
		},
		"a query of an earlier commit":       {sparqlRequest{"GET", "query=ASK%20%7B%7D&at=c0ffee", "", "", nil}, "query", `{"query":"ASK {}","at":"c0ffee"}`},
		"a query of a branch":                {sparqlRequest{"GET", "query=ASK%20%7B%7D&branch=review", "", "", nil}, "query", `{"query":"ASK {}","branch":"review"}`},
		"other parameters are nothing to us": {sparqlRequest{"GET", "query=ASK%20%7B%7D&output=json&results=json", "", "", nil}, "query", `{"query":"ASK {}"}`},
		"update by form":                     {sparqlRequest{"POST", "", formType, "update=CLEAR+ALL", nil}, "mutate", `{"update":"CLEAR ALL"}`},
		"update by body with graphs": {
			sparqlRequest{"POST", "using-graph-uri=urn:a&using-named-graph-uri=urn:b", updateType, "CLEAR ALL", nil},
			"mutate", `{"update":"CLEAR ALL","using_graph_uri":["urn:a"],"using_named_graph_uri":["urn:b"]}`,
		},
		"update on a commit": {
			sparqlRequest{"POST", "", updateType, "CLEAR ALL", header("If-Match", `"c0ffee"`)},
			"mutate", `{"update":"CLEAR ALL","if_commit":"c0ffee"}`,
		},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{}
			if got := do(httpapi.New(e, runtimeOptions()), x.request.request()); got.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", got.StatusCode, readAll(t, got.Body))
			}
			c := e.lastCall()
			if diff := cmp.Diff(x.capability, c.Capability); diff != "" {
				t.Error(diff)
			}
			want := decoded(t, x.args)
			want["base"] = "http://localhost:8757/sparql"
			if x.capability == "mutate" {
				want["allow_mass_change"] = true // the protocol knows no bound
			}
			if diff := cmp.Diff(want, decoded(t, string(c.Args))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestWhatIsNoOperationIsRefusedBeforeTheCall(t *testing.T) {
	for says, x := range map[string]struct {
		request sparqlRequest
		status  int
	}{
		"two queries":               {sparqlRequest{"GET", "query=ASK{}&query=ASK{}", "", "", nil}, 400},
		"a query in both places":    {sparqlRequest{"POST", "query=ASK{}", queryType, "ASK {}", nil}, 400},
		"two commits":               {sparqlRequest{"GET", "query=ASK{}&at=c0ffee&at=head", "", "", nil}, 400},
		"a query and an update":     {sparqlRequest{"POST", "", formType, "query=ASK{}&update=CLEAR+ALL", nil}, 400},
		"an update by GET":          {sparqlRequest{"GET", "update=CLEAR+ALL", "", "", nil}, 400},
		"a form without either":     {sparqlRequest{"POST", "", formType, "format=json", nil}, 400},
		"graphs of an update":       {sparqlRequest{"GET", "query=ASK{}&using-graph-uri=urn:a", "", "", nil}, 400},
		"graphs of a query":         {sparqlRequest{"POST", "default-graph-uri=urn:a", updateType, "CLEAR ALL", nil}, 400},
		"a broken form":             {sparqlRequest{"POST", "", formType, "query=%zz", nil}, 400},
		"a broken address":          {sparqlRequest{"GET", "query=%zz", "", "", nil}, 400},
		"bytes that are not UTF-8":  {sparqlRequest{"POST", "", queryType, "ASK {} #\xff", nil}, 400},
		"a body of no media type":   {sparqlRequest{"POST", "", "", "ASK {}", nil}, 415},
		"a body of another":         {sparqlRequest{"POST", "", "text/plain", "ASK {}", nil}, 415},
		"another charset":           {sparqlRequest{"POST", "", queryType + "; charset=UTF-16", "ASK {}", nil}, 415},
		"a coding":                  {sparqlRequest{"POST", "", queryType, "ASK {}", header("Content-Encoding", "gzip")}, 415},
		"another method":            {sparqlRequest{"PUT", "query=ASK{}", "", "", nil}, 405},
		"no such form":              {sparqlRequest{"GET", "query=ASK{}&format=turtle", "", "", nil}, 400},
		"no form that is wanted":    {sparqlRequest{"GET", "query=ASK{}", "", "", header("Accept", "text/turtle")}, 406},
		"no graph form is wanted":   {sparqlRequest{"GET", "query=DESCRIBE<urn:a>", "", "", header("Accept", "text/csv")}, 406},
		"no description is wanted":  {sparqlRequest{"GET", "", "", "", header("Accept", "text/csv")}, 406},
		"If-Match that is no tag":   {sparqlRequest{"POST", "", updateType, "CLEAR ALL", header("If-Match", "x")}, 400},
		"another site's form write": {sparqlRequest{"POST", "", formType, "update=CLEAR+ALL", header("Sec-Fetch-Site", "cross-site")}, 403},
	} {
		t.Run(says, func(t *testing.T) {
			e := &fakeEngine{}
			got := do(httpapi.New(e, runtimeOptions()), x.request.request())
			if got.StatusCode != x.status || got.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("status %d, want %d: %s", got.StatusCode, x.status, readAll(t, got.Body))
			}
			if e.asked() != 0 {
				t.Error("the call was made")
			}
		})
	}
}

func TestAnswersComeInTheFormThatIsLikedBest(t *testing.T) {
	for _, x := range []struct{ query, accept, name, media string }{
		{"ASK {}", "", "json", "application/sparql-results+json"},
		{"SELECT * {}", "*/*", "json", "application/sparql-results+json"},
		{"SELECT * {}", "application/sparql-results+xml, text/csv;q=0.5", "xml", "application/sparql-results+xml"},
		{"SELECT * {}", "text/*, application/*;q=0.1", "csv", "text/csv; charset=utf-8"},
		{"SELECT * {}", "text/tab-separated-values", "tsv", "text/tab-separated-values; charset=utf-8"},
		{"SELECT * {}", "application/json", "json", "application/json"},
		{"no query", "", "json", "application/sparql-results+json"},
		{"DESCRIBE <x>", "", "turtle", "text/turtle; charset=utf-8"},
		{"CONSTRUCT WHERE {}", "application/n-triples", "ntriples", "application/n-triples"},
		{"CONSTRUCT WHERE {}", "application/ld+json", "jsonld", "application/ld+json"},
	} {
		e := &fakeEngine{}
		r := sparqlRequest{"GET", "query=" + url.QueryEscape(x.query), "", "", header("Accept", x.accept)}
		got := do(httpapi.New(e, runtimeOptions()), r.request())
		if e.lastCall().Format != x.name || got.Header.Get("Content-Type") != x.media || got.Header.Get("Vary") != "Accept" {
			t.Errorf("%s as %q: %q, %v", x.query, x.accept, e.lastCall().Format, got.Header)
		}
	}
}

func TestAnAnswerHasATagOfItsCommitAndItsContent(t *testing.T) {
	e := &fakeEngine{head: "c0ffee", output: `{"boolean":true}`}
	h := httpapi.New(e, runtimeOptions())
	ask := func(tag string) *http.Response {
		return do(h, sparqlRequest{"GET", "query=ASK{}", "", "", header("If-None-Match", tag)}.request())
	}
	first := ask(`"other"`)
	tag := first.Header.Get("ETag")
	if body := readAll(t, first.Body); body != e.output || !strings.HasPrefix(tag, `W/"c0ffee.`) {
		t.Fatalf("%q, %q", tag, body)
	}
	if again := ask(tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("the same answer: status %d", again.StatusCode)
	}
	e.output = `{"boolean":false}`
	if other := ask(tag); other.StatusCode != http.StatusOK {
		t.Errorf("another answer at the same commit: status %d", other.StatusCode)
	}
	if post := do(h, sparqlRequest{"POST", "", queryType, "ASK {}", nil}.request()); post.Header.Get("ETag") != "" {
		t.Error("an answer to POST has a tag")
	}
}

func TestRefusalsOfQueriesSayWhyAndWhere(t *testing.T) {
	for kind, status := range map[fault.Kind]int{
		fault.Malformed: 400, fault.Denied: 403, fault.ScopeDenied: 403, fault.TimedOut: 408, fault.TooLarge: 413,
	} {
		e := &fakeEngine{output: "{", err: fault.New(kind, "no").With("line", 3).With("column", 7)}
		got := do(httpapi.New(e, runtimeOptions()), sparqlRequest{"GET", "query=ASK{}", "", "", nil}.request())
		body := readAll(t, got.Body)
		if got.StatusCode != status || !strings.Contains(body, `"line":3`) || !strings.Contains(body, `"column":7`) {
			t.Errorf("%s: %d %s", kind, got.StatusCode, body)
		}
	}
}

func TestALongAnswerStreamsWithoutATag(t *testing.T) {
	e := &fakeEngine{head: "c0ffee", output: strings.Repeat("x", 100_000)}
	got := do(httpapi.New(e, runtimeOptions()), sparqlRequest{"GET", "query=ASK{}", "", "", nil}.request())
	if body := readAll(t, got.Body); body != e.output || got.Header.Get("ETag") != "" || got.StatusCode != 200 {
		t.Errorf("%d bytes, %v", len(body), got.Header)
	}
}

// TestAnErrorAfterTheBeginningCutsTheConnection goes over a real one: a reader must
// not take the part for the whole.
func TestAnErrorAfterTheBeginningCutsTheConnection(t *testing.T) {
	e := &fakeEngine{output: strings.Repeat("x", 100_000), err: fault.New(fault.TimedOut, "too slow")}
	srv := httptest.NewServer(httpapi.New(e, runtimeOptions()))
	defer srv.Close()
	got, err := srv.Client().Get(srv.URL + "/sparql?query=ASK%7B%7D")
	if err != nil {
		return // cut before anything of it arrived
	}
	defer got.Body.Close()
	if n, err := io.Copy(io.Discard, got.Body); err == nil {
		t.Errorf("a whole answer of %d bytes", n)
	}
}

func TestTheServiceDescribesItself(t *testing.T) {
	h := httpapi.New(&fakeEngine{}, runtimeOptions())
	for accept, read := range map[string]rdftest.NewReader{
		"text/turtle":           func(r io.Reader, base string) rdfio.Reader { return rdfio.NewTurtleReader(r, base, rdfio.Limits{}) },
		"application/n-triples": func(r io.Reader, _ string) rdfio.Reader { return rdfio.NewNTriplesReader(r, rdfio.Limits{}) },
		"application/ld+json": func(r io.Reader, base string) rdfio.Reader {
			return rdfio.NewJSONLDReader(r, base, rdfio.Limits{}, nil)
		},
	} {
		got := do(h, sparqlRequest{"GET", "", "", "", header("Accept", accept)}.request())
		quads, err := rdftest.All(read(got.Body, "http://localhost:8757/sparql"))
		if err != nil {
			t.Fatalf("%s: %v", accept, err)
		}
		endpoint := rdf.IRI("http://localhost:8757/sparql")
		if !has(quads, sd+"endpoint", endpoint) || !has(quads, rdf.Type, sd+"Service") || !has(quads, sd+"supportedLanguage", sd+"SPARQL11Query") {
			t.Errorf("%s: %v", accept, quads)
		}
	}
}

const sd = rdf.IRI("http://www.w3.org/ns/sparql-service-description#")

func has(quads []rdf.Quad, property, value rdf.IRI) bool {
	for _, q := range quads {
		if q.Predicate == property && q.Object == value {
			return true
		}
	}
	return false
}

func TestHEADHasNoBody(t *testing.T) {
	e := &fakeEngine{output: "{}"}
	srv := httptest.NewServer(httpapi.New(e, runtimeOptions()))
	defer srv.Close()
	got, err := srv.Client().Head(srv.URL + "/sparql?query=ASK%7B%7D")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/sparql-results+json" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}
