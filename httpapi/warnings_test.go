package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/httpapi"
	"trails/invoke"
)

// TestEveryDoorTellsWhatACallProbablyDidNotMean asks each door of a standard, whose answers have
// no place for warnings, for something that warns, and each door of ours, whose answers have one.
func TestEveryDoorTellsWhatACallProbablyDidNotMean(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, runtimeOptions())
	for capability, args := range map[string]string{
		"note.create":           `{"id":"n1","title":"On trails","status":"draft"}`,
		"trails.meta.query.add": `{"queries":[{"text":"#+ id: none\n#+ description: None.\nSELECT ?s { ?s a :Note ; :status \"Draft\" }"}]}`,
	} {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: capability, Principal: policy.Local("ana", ""), Via: "go", Args: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
	}
	odd := "SELECT ?s { ?s a <https://notes.example/Note> ; <https://notes.example/st\u00e4tus\u202e> ?o }"
	leftOut := `{"@context":{"k":"urn:k"},"@id":"urn:a","k":[{"@id":"urn:b"},{"@id":"urn:not an iri\u00e4"}]}`
	nothing := `DELETE DATA { <urn:x> <urn:y> <urn:z> }`
	for _, c := range []struct {
		method, path, media, body string
		inBody                    bool
	}{
		{"GET", "/sparql?query=" + url.QueryEscape(odd), "", "", false},
		{"POST", "/sparql", "application/sparql-query", odd, false},
		{"POST", "/sparql", "application/x-www-form-urlencoded", "query=" + url.QueryEscape(odd), false},
		{"GET", "/queries/none", "", "", false},
		{"GET", "/kg/Note?where=title%3DOn%20Trails", "", "", false},
		{"GET", "/kg/Note?where=status%3DDraft&format=turtle", "", "", false},
		{"PUT", "/rdf-graphs?graph=urn:g", "application/ld+json", leftOut, false},
		{"POST", "/rdf-graphs?graph=urn:g", "application/ld+json", leftOut, false},
		{"POST", "/sparql", "application/sparql-update", nothing, true},
		{"POST", "/invoke/mutate", "application/json", `{"update":"` + nothing + `"}`, true},
		{"POST", "/invoke/query", "application/json", `{"query":"SELECT ?s { ?s :status \"Draft\" }"}`, true},
		{"POST", "/invoke/load", "application/json", `{"format":"jsonld","data":` + quoted(leftOut) + `}`, true},
		{"POST", "/queries/none", "application/json", `{}`, true},
	} {
		r := newRequest(exchange{method: c.method, path: c.path, body: c.body})
		if c.path == "/queries/none" && c.method == "GET" {
			r.Header.Set("Accept", "text/csv")
		}
		if c.media != "" {
			r.Header.Set("Content-Type", c.media)
		}
		res := do(h, r)
		body := readAll(t, res.Body)
		if res.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s", c.method, c.path, res.StatusCode, body)
			continue
		}
		told := res.Header.Values(httpapi.WarningHeader)
		if c.inBody {
			var answer struct{ Warnings []string }
			if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Warnings) == 0 {
				t.Errorf("%s %s %s has no warnings: %v %s", c.method, c.path, c.body, err, body)
			}
			continue
		}
		if len(told) == 0 {
			t.Errorf("%s %s %s has no %s: %v", c.method, c.path, c.body, httpapi.WarningHeader, res.Header)
		}
		for _, text := range told {
			if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Errorf("%s %s: %q is not safe in a header", c.method, c.path, text)
			}
		}
	}
	plain := do(h, newRequest(exchange{method: "GET", path: "/sparql?query=" + url.QueryEscape("SELECT ?s { ?s a <https://notes.example/Note> }")}))
	if told := plain.Header.Values(httpapi.WarningHeader); plain.StatusCode != http.StatusOK || len(told) > 0 {
		t.Errorf("a query with nothing odd: %d %q", plain.StatusCode, told)
	}
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}
