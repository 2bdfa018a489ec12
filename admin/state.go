package admin

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	h "trails/admin/html"
)

// state is which state of the graph a page shows: a branch, "" for main, and a commit of it, "" for the newest.
type state struct{ Branch, At string }

// stateOf returns the state that a page is asked to show. The page of queries and the forms read at for themselves.
func stateOf(r *http.Request) state {
	s := state{Branch: branchNamed(r.URL.Query().Get("branch"))}
	if dated(r.URL.Path) {
		s.At = r.URL.Query().Get("at")
	}
	return s
}

// mainBranch is the branch that each file has.
const mainBranch = "main"

// branchNamed is the branch of this name, "" for main.
func branchNamed(name string) string {
	if name == mainBranch {
		return ""
	}
	return name
}

// asOf is what a page says of the earlier commit that it shows.
type asOf struct {
	// Commit is the commit, and Now the same page of the newest one.
	Commit, Now string
}

// asOfPage returns what a page says of its commit.
func asOfPage(r *http.Request, commit string) *asOf {
	q := r.URL.Query()
	q.Del("at")
	return &asOf{Commit: commit, Now: withQuery(r.URL.EscapedPath(), q)}
}

// Lead makes an address lead to the same state, if what is there can show it and the address names none itself. It is what
// [html.Href] and its like ask while the page is written.
func (s state) Lead(to string) string {
	address, fragment, marked := strings.Cut(to, "#")
	path, asked, _ := strings.Cut(address, "?")
	given, err := url.ParseQuery(asked)
	if err != nil {
		return to
	}
	add := func(name, value string) {
		if value != "" && !given.Has(name) {
			asked += textIf(asked != "", "&", "") + name + "=" + url.QueryEscape(value)
		}
	}
	if dated(path) {
		add("at", s.At)
	}
	if branched(path) {
		add("branch", s.Branch)
	}
	return path + textIf(asked != "", "?"+asked, "") + textIf(marked, "#"+fragment, "")
}

// dated reports an address that shows the graph at a commit, on these pages or for programs.
func dated(path string) bool {
	schema := path == "/schema" || path == "/admin/schema" || strings.HasPrefix(path, "/admin/schema/") && path != schemaEditURL
	return schema || path == "/admin" || path == pathsURL || path == treesURL || strings.HasPrefix(path, "/admin/types/") || strings.HasPrefix(path, "/kg/")
}

// branched reports an address that shows the graph of a branch.
func branched(path string) bool {
	if slices.Contains([]string{"/admin/login", "/admin/logout", "/admin/theme", branchURL, OperatorPath}, path) {
		return false
	}
	return path == "/admin" || strings.HasPrefix(path, "/admin/") && !strings.HasPrefix(path, "/admin/static/") || path == "/sparql" || dated(path)
}

// Capabilities that pages ask of a commit and of a branch.
var (
	ofCommit = map[string]bool{"query": true, "schema_get": true, "entities_list": true, "entity_get": true, "entity_history": true, "entity_graph": true, "paths": true, "blame": true, "snapshot": true, "commits_find": true}
	ofBranch = map[string]bool{"commits_list": true, "commit_view": true, "suggest": true, "resources_read": true, showPoliciesID: true, planPoliciesID: true, explainPoliciesID: true}
)

// view adds the state to the arguments of a call, if its capability reads one and they name none.
func (s state) view(capability string, args map[string]any) {
	if s.At != "" && ofCommit[capability] {
		args["at"] = s.At
	}
	if _, named := args["branch"]; s.Branch != "" && !named && (ofCommit[capability] || ofBranch[capability]) {
		args["branch"] = s.Branch
	}
}

// leading is a page in the making, whose links lead to pages of the same state.
type leading struct {
	bytes.Buffer
	state
	prefix   string
	location string
}

// within is a part of a page whose links lead to pages of another state; the zero value is that of the page.
type within struct {
	of   state
	part h.Node
}

// Render writes the part.
func (n *within) Render(w io.Writer) error {
	l, ok := w.(*leading)
	if !ok || n.of == (state{}) {
		return n.part.Render(w) //nolint:wrapcheck // a part of a page is that page
	}
	page := l.state
	l.state = state{firstOf(n.of.Branch, page.Branch), n.of.At}
	err := n.part.Render(w)
	l.state = page
	return err //nolint:wrapcheck // a part of a page is that page
}

// Location is the page's own address, see [html.Located].
func (l *leading) Location() string { return l.location }

// Prefix is the path below which the graph is served, see [html.Site].
func (l *leading) Prefix() string { return l.prefix }
