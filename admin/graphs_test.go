package admin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/admin"
	"trails/httpapi"
)

// TestThePageOfGraphsShowsNothingAsMarkup has names that are markup, as of a file that somebody put into the folder.
func TestThePageOfGraphsShowsNothingAsMarkup(t *testing.T) {
	w := httptest.NewRecorder()
	p := httpapi.GraphsPage{GraphList: httpapi.GraphList{
		Graphs:  []httpapi.ServedGraph{{ID: "notes", File: "notes.trails", Open: true, MCP: "http://x/graphs/notes/mcp"}},
		LeftOut: []httpapi.LeftOut{{File: "<script>.trails", Reason: "<b>why</b>"}}, Others: "there are more",
	}, AsksForToken: true}
	if err := admin.Graphs(w, httptest.NewRequest(http.MethodGet, "/graphs", nil), http.StatusOK, p); err != nil {
		t.Fatal(err)
	}
	text := w.Body.String()
	for _, want := range []string{`href="/graphs/notes/admin"`, "&lt;script&gt;.trails", "&lt;b&gt;why&lt;/b&gt;", "there are more", `name="token"`} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %s: %s", want, text)
		}
	}
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(text, "<script>") {
		t.Errorf("policy %q of %s", got, text)
	}
}
