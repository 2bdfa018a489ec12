package admin

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// asOf is what a page says of the earlier commit that it shows.
type asOf struct {
	// Commit is the commit, and Now the same page of the newest one.
	Commit, Now string
}

// atOf returns the commit that a page is asked to show. Pages of types, nodes and the schema can show an earlier one; the
// page of queries reads at with what else is asked, and in the address of a form, at is an argument of what the form
// calls.
func atOf(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/admin/types/") || strings.HasPrefix(r.URL.Path, "/admin/schema") {
		return r.URL.Query().Get("at")
	}
	return ""
}

// asOfPage returns what a page says of its commit.
func asOfPage(r *http.Request, commit string) *asOf {
	q := r.URL.Query()
	q.Del("at")
	return &asOf{Commit: commit, Now: withQuery(r.URL.EscapedPath(), q)}
}

// Links and forms of pages, and of documents for programs, that can show an earlier commit. A link with rel="alternate"
// leads to now.
var (
	datedLink = regexp.MustCompile(`(rel="alternate" )?(href|data-graph)="(/admin/(?:types/[^"?#]*|schema(?:/[a-z]+)?)|/kg/[^"?#]*|/schema)(\?[^"#]*)?`)
	datedForm = regexp.MustCompile(`<form [^>]*method="get" action="/admin/types/[^"]*"[^>]*>`)
)

// lead makes the links and forms of a rendered page lead to pages of the same commit. A page is a view of one state, so
// that what it links to is of that state; each part that makes a link would have to know it otherwise.
func (a *asOf) lead(page []byte) []byte {
	at := "at=" + url.QueryEscape(a.Commit)
	page = datedLink.ReplaceAllFunc(page, func(link []byte) []byte {
		switch text := string(link); {
		case strings.HasPrefix(text, `rel="alternate" `):
			return link
		case strings.Contains(text, "?"):
			return []byte(text + "&amp;" + at)
		default:
			return []byte(text + "?" + at)
		}
	})
	hidden := `<input type="hidden" name="at" value="` + html.EscapeString(a.Commit) + `">`
	return datedForm.ReplaceAllFunc(page, func(form []byte) []byte { return slices.Concat(form, []byte(hidden)) })
}

// dated are the capabilities that pages ask of a commit.
var dated = map[string]bool{"query": true, "schema_get": true, "entities_list": true, "entity_get": true, "entity_history": true, "entity_graph": true}
