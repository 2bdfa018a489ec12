package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability"
	"trails/httpapi"
)

// The page has every operation of the document, with its fields, and each try-it leads to
// the form of the capability.
func TestTheAPIPageHasTheOperationsOfTheDocument(t *testing.T) {
	f := newNotes(t)
	server := httpapi.New(f.engine, httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.AllScopes()})})
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost:8757/openapi.json", nil))
	var doc struct {
		Paths map[string]map[string]struct {
			XTrails struct{ ID string } `json:"x-trails"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	page := f.get(t, "/admin/api", http.StatusOK)
	operations := 0
	for path, methods := range doc.Paths {
		if !strings.Contains(page.text, path) {
			t.Errorf("the page has no %s", path)
		}
		if id := methods["post"].XTrails.ID; id != "" {
			operations++
			if len(page.links("/admin/capabilities/"+id)) == 0 {
				t.Errorf("%s has no form", id)
			}
		}
	}
	for _, want := range []string{"allow_mass_change", string(capability.DateTime)} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if operations < 20 {
		t.Errorf("only %d operations", operations)
	}
}
