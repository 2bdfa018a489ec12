package httpapi_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/httpapi"
	"trails/invoke"
	"trails/rdf/rdfio"
)

// graphDoors are the addresses that answer with a graph, by their route.
var graphDoors = map[string][]string{
	"/kg/{Type}":      {"/kg/Note"},
	"/kg/{Type}/{id}": {"/kg/Note/n1"},
	"/schema":         {"/schema"},
	"/prov":           {"/prov"},
	"/rdf-graphs":     {"/rdf-graphs?default"},
	"/queries/{name}": {"/queries/all"},
	"/sparql": {
		"/sparql", "/sparql?query=" + url.QueryEscape("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"),
		"/sparql?query=" + url.QueryEscape("DESCRIBE <https://notes.example/Note/n1>"),
	},
}

// TestEveryDoorOfAGraphAnswersInEveryForm asks by Accept and by ?format=, and reads what comes.
// A route that is listed with a form of graphs and is not here fails the test.
func TestEveryDoorOfAGraphAnswersInEveryForm(t *testing.T) {
	testrun.Alone(t)
	e := notesEngine(t)
	h := httpapi.New(e, runtimeOptions())
	for capability, args := range map[string]string{
		"note.create":           `{"id":"n1","title":"On trails","status":"draft"}`,
		"trails.meta.query.add": `{"queries":[{"text":"#+ id: all\n#+ description: All of it.\nCONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"}]}`,
	} {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: capability, Principal: policy.Local("ana", ""), Via: "go", Args: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, route := range httpapi.Routes() {
		answers := slices.Contains(route.Answers, "text/turtle")
		if answers && graphDoors[route.Path] == nil {
			t.Errorf("%s answers with graphs, and is not tried", route.Path)
		} else if answers {
			for _, f := range rdfio.GraphForms {
				if !slices.Contains(route.Answers, f.Media) {
					t.Errorf("%s is not listed with %s", route.Path, f.Media)
				}
			}
		}
		for _, door := range graphDoors[route.Path] {
			if !answers {
				continue
			}
			statements := map[string]int{}
			for _, f := range rdfio.GraphForms {
				byAccept := newRequest(exchange{method: "GET", path: door})
				byAccept.Header.Set("Accept", f.Media)
				joint := "?"
				if strings.Contains(door, "?") {
					joint = "&"
				}
				ways := map[string]*http.Request{"by Accept": byAccept}
				if route.Path != "/queries/{name}" { // whose parameters are the query's own
					ways["by name"] = newRequest(exchange{method: "GET", path: door + joint + "format=" + f.Name})
				}
				for way, r := range ways {
					res := do(h, r)
					media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
					body := readAll(t, res.Body)
					if res.StatusCode != http.StatusOK || media != f.Media {
						t.Errorf("%s as %s %s: %d %s %.200s", door, f.Name, way, res.StatusCode, media, body)
						continue
					}
					statements[f.Name] = countStatements(t, h, f.Media, body)
				}
			}
			for name, n := range statements {
				if door == "/schema" && name == "jsonld" {
					continue // the context of all other documents
				}
				if n == 0 || route.Path != "/prov" && n != statements["ntriples"] { // each read is an activity of its own
					t.Errorf("%s has %d statements as %s and %d as N-Triples", door, n, name, statements["ntriples"])
				}
			}
		}
	}
}

// countStatements reads a document of a media type of graphs.
func countStatements(t *testing.T, h http.Handler, media, text string) (n int) {
	t.Helper()
	formats := map[string]rdfio.Format{
		"text/turtle": rdfio.Turtle, "application/n-triples": rdfio.NTriples, "application/ld+json": rdfio.JSONLD, "application/rdf+xml": rdfio.RDFXML,
	}
	contexts := func(string) ([]byte, bool) {
		return []byte(readAll(t, do(h, newRequest(exchange{method: "GET", path: "/schema?format=jsonld"})).Body)), true
	}
	r, err := rdfio.NewReader(formats[media], strings.NewReader(text), "http://localhost/", rdfio.Limits{}, contexts)
	if err != nil {
		t.Fatal(err)
	}
	for {
		switch _, err := r.Read(); {
		case errors.Is(err, io.EOF):
			return n
		case err != nil:
			t.Errorf("%s cannot be read: %v\n%.400s", media, err, text)
			return n
		}
		n++
	}
}
