package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/invoke"
)

// activities are what provenance has of calls through the pages, oldest first, as
// capability and outcome.
func (f fixture) activities(t *testing.T) []string {
	t.Helper()
	read := func() invoke.Document {
		doc, err := f.engine.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: principal, Via: "go"})
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	doc := read()
	for f.engine.ProvenanceQueue() > 1 { // another write was under way, and more waits than this read
		doc = read()
	}
	var prov struct {
		Graph []struct{ Via, Capability, Outcome string } `json:"@graph"`
	}
	if err := json.Unmarshal(doc.Body, &prov); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range prov.Graph {
		if a.Via == "admin" {
			out = append([]string{a.Capability + " " + a.Outcome}, out...)
		}
	}
	return out
}

// Whoever looks at a page does one thing, however much the page asks for.
func TestAPageIsOneActivityAtMost(t *testing.T) {
	testrun.Alone(t)
	for path, want := range map[string]string{
		"/admin":                                "snapshot ok",
		"/admin/types/Requirement":              "entities_list ok",
		"/admin/types/Decision/4":               "entity_get ok",
		"/admin/types/Decision/4/history":       "entity_history ok",
		"/admin/types/Decision/4/graph":         "entity_get ok",
		"/admin/types/Decision/4/graph?depth=2": "entity_graph ok",
		"/admin/commits":                        "commits_find ok",
		"/admin/commits/graph":                  "branches_list ok",
		"/admin/branches":                       "branches_list ok",
		"/admin/diff":                           "diff ok",
		"/admin/merge":                          "branches_list ok",
		"/admin/merge?source=main":              "branches_list ok",
		"/admin/requests":                       "requests_list ok",
		"/admin/requests/1":                     "requests_list failed", // there is none
		"/admin/types/Decision/4?blame=1":       "entity_get ok",
		"/admin/schema":                         "schema_get ok",
		"/admin/query?query=ASK%7B%7D&run=1":    "query ok",
		"/admin/capabilities":                   "",
		"/admin/api":                            "",
		"/admin/capabilities/search/history":    "capability_history ok",
		"/admin/doctor":                         "resources_read ok",
		"/admin/capabilities/standard.update":   "",
		"/admin/types/Decision/nothing-of-this": "entity_get failed",
		"/admin/types/Nothing":                  "",
		"/admin/nothing":                        "",
	} {
		f := newExample(t)
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if got := f.activities(t); strings.Join(got, ", ") != want {
			t.Errorf("GET %s, answered %d, made %q; want %q", path, a.StatusCode, got, want)
		}
	}
}

// What an open page loads, and what its scripts ask for, is no activity.
func TestThePartsOfAPageAreNoActivities(t *testing.T) {
	f := newExample(t)
	page := f.get(t, "/admin/types/Decision/4/graph", 200)
	before := f.activities(t)
	parts := []string{"/admin/types/Decision/4/graph.json", "/admin/query/words.json", "/admin/suggest?type=Decision&property=id&q=a"}
	for _, n := range page.find(tag("link")) {
		parts = append(parts, attribute(n, "href"))
	}
	for _, n := range page.find(tag("script")) {
		parts = append(parts, attribute(n, "src"))
	}
	for _, path := range parts {
		if strings.HasPrefix(path, "/admin/") {
			f.get(t, path, 200)
		}
	}
	server := httptest.NewServer(f)
	defer server.Close()
	events := listen(t, server.URL)
	events.next(t)
	events.Body.Close()
	if diff := cmp.Diff(before, f.activities(t)); diff != "" || len(parts) < 6 {
		t.Errorf("%d parts: %s", len(parts), diff)
	}
}

// A form that is sent is the write it makes, or the refusal; its preview is a dry run.
func TestAFormIsOneActivity(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "ab")
	again := f.press(t, form, call).form(t, form.action)
	again.Set("arg.title", "Long enough")
	f.press(t, again, call)
	if diff := cmp.Diff([]string{"note.create invalid", "note.create ok"}, f.activities(t)); diff != "" {
		t.Error(diff)
	}
}
