package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/e2e/testrun"
)

// Types may have the name of a part of a page: no page has an id twice. All pages count types
// alike, those that are abstract, too.
func TestPagesTellTypesFromTheirOwnParts(t *testing.T) {
	testrun.Alone(t)
	names := []string{"Main", "Live", "Theme", "Announce", "Addresses", "Problems", "Preview", "Form", "Conflict", "Pick", "List", "Search", "Found", "Columns", "Picture", "TheGraph", "TrailsItself"}
	text := "types:\n  Thing: {abstract: true, properties: {name: {type: string}}}\n"
	for _, name := range names {
		text += "  " + name + ": {extends: [Thing], properties: {of" + name + ": {type: string}}}\n"
	}
	f := newFixture(t, []byte(text), admin.Options{})
	pages := []string{"/admin", "/admin/schema", "/admin/capabilities", "/admin/api", "/admin/query", "/admin/commits", "/admin/gateway"}
	for _, name := range names {
		pages = append(pages, "/admin/types/"+name, "/admin/capabilities/"+strings.ToLower(name[:1])+snake(name[1:])+".create")
	}
	for _, path := range pages {
		checkPage(t, path, f.get(t, path, http.StatusOK))
	}
	overview := f.get(t, "/admin", http.StatusOK)
	says(t, overview, "18 types")
}

// snake writes the rest of a name as ids of capabilities have it.
func snake(rest string) string {
	var b strings.Builder
	for _, c := range rest {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(c)))
	}
	return b.String()
}
