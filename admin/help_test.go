package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/docs/guide"
	"trails/fault"
	"trails/invoke"
)

func TestEveryPageHasAHelpInTheWordsOfTheGuide(t *testing.T) {
	f := newExample(t)
	for path, want := range map[string][]string{
		"/admin":                                 {"what happened last", "snapshot", "trails stats FILE"},
		"/admin/types/Requirement":               {"a list with filters", "list", "Tick rows"},
		"/admin/types/Requirement/R-001":         {"what refers to it", "trails get FILE"},
		"/admin/types/Component/kg/history":      {"Restore this version", "history"},
		"/admin/types/Component/kg/tree":         {"as a list that is folded"},
		"/admin/types/Component/kg/graph":        {"stand in groups"},
		"/admin/commits":                         {"the commits in sentences", "commits_find", "trails log FILE"},
		"/admin/commits/graph":                   {"the commits of all branches as a picture"},
		"/admin/commits/3f0c52d1":                {"one commit", "commits_get"},
		"/admin/branches":                        {"branches_list"},
		"/admin/schema":                          {"schema_get"},
		"/admin/schema/edit":                     {"schema_apply"},
		"/admin/query":                           {"an editor for SPARQL", "trails query FILE"},
		"/admin/import":                          {"import_plan", "trails import FILE DATA"},
		"/admin/capabilities/requirement.create": {"Preview shows what would change"},
		"/admin/doctor":                          {"trails doctor FILE"},
		"/admin/tokens":                          {"trails token list FILE"},
	} {
		a := f.get(t, "/admin/help?page="+url.QueryEscape(path), http.StatusOK)
		checkPage(t, "/admin/help", a)
		for _, has := range want {
			if !strings.Contains(mainText(a), has) {
				t.Errorf("the help for %s has no %q: %s", path, has, mainText(a))
			}
		}
	}
	if text := mainText(f.get(t, "/admin/help?page=/admin/commits/graph", http.StatusOK)); strings.Contains(text, "node by node") {
		t.Errorf("the help for the graph of commits is that of a commit: %s", text)
	}
	links := f.get(t, "/admin/commits?author=ana", http.StatusOK).find(func(n *html.Node) bool { return attribute(n, "id") == "help" })
	if len(links) != 1 || attribute(links[0], "href") != "/admin/help?page=%2Fadmin%2Fcommits" {
		t.Errorf("%d links lead to the help", len(links))
	}
}

// Every page that is read has a line in the guide, and says how an agent and the command line do the same.
func TestTheHelpOfEveryPageSaysHowItIsDoneWithoutABrowser(t *testing.T) {
	f := newExample(t)
	without := []string{"/admin/help", "/admin/help/tour", "/admin/branch", "/admin/schema/{form}"} // help, a link of the header, and files
	for _, pattern := range admin.ReadPages() {
		if slices.Contains(without, pattern) || strings.HasPrefix(pattern, "/admin/gateway/") { // which have the words of a section
			continue
		}
		path := strings.NewReplacer("{type}", "Requirement", "{id}", "R-001", "{number}", "1").Replace(pattern)
		help := mainText(f.get(t, "/admin/help?page="+url.QueryEscape(path), http.StatusOK))
		for _, wants := range []string{"What it shows", "An agent calls", "the command line"} {
			if !strings.Contains(help, wants) || strings.Contains(help, "has no line for this page") {
				t.Errorf("the help for %s does not have %q: %s", path, wants, help)
			}
		}
	}
}

// The tools that the help names are there.
func TestToolsOfTheHelpExist(t *testing.T) {
	f := newExample(t)
	named := regexp.MustCompile("(?m)^\\| `/admin[^|]* \\| (`[^|]*`) \\| `trails ").FindAllStringSubmatch(guide.Pages, -1)
	if len(named) < 20 {
		t.Fatalf("the help names the tools of %d pages", len(named))
	}
	for _, row := range named {
		for tool := range strings.SplitSeq(row[1], ", ") {
			tool = strings.Trim(tool, "`")
			if tool == "tool_browse" {
				continue // of a graph with other servers
			}
			id := tool
			if strings.HasPrefix(tool, "trails_meta_") {
				id = strings.ReplaceAll(tool, "_", ".")
			}
			_, err := f.engine.Call(t.Context(), invoke.Call{Capability: id, Args: json.RawMessage(`{}`), Principal: principal, Via: "test"})
			if fault.Is(err, fault.UnknownTool) {
				t.Errorf("%s: %v", tool, err)
			}
		}
	}
}

func TestTheTourIsOfferedOnce(t *testing.T) {
	f := newExample(t)
	with := func(cookies []*http.Cookie) answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin", nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		return f.do(t, r)
	}
	if text := mainText(with(nil)); !strings.Contains(text, "A tour of five steps") {
		t.Fatalf("who is new is not offered the tour: %s", text)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/help/tour", strings.NewReader(""))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	refused := f.do(t, r)
	if refused.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", refused.StatusCode)
	}
	if text := mainText(with(refused.Cookies())); strings.Contains(text, "A tour of five steps") {
		t.Error("it is offered again to who refused it")
	}
	one := f // a graph of the same host, for whose pages the browser sends the same cookies
	f = newFixture(t, []byte("base: \"urn:trails:other:\"\ntypes: {Thing: {properties: {name: string}}}"), admin.Options{})
	if text := mainText(with(refused.Cookies())); !strings.Contains(text, "A tour of five steps") {
		t.Error("it is not offered for another graph")
	}
	f = one
	at, steps := "/admin/help/tour", 0
	for at != "" {
		a := f.get(t, at, http.StatusOK)
		checkPage(t, at, a)
		steps++
		opens := a.find(func(n *html.Node) bool {
			return n.Data == "a" && n.FirstChild != nil && strings.HasPrefix(n.FirstChild.Data, "Open ")
		})
		if len(opens) != 1 {
			t.Fatalf("step %d opens %d pages", steps, len(opens))
		}
		f.get(t, attribute(opens[0], "href"), http.StatusOK)
		if text := mainText(with(a.Cookies())); strings.Contains(text, "A tour of five steps") {
			t.Error("it is offered again to who took it")
		}
		at = ""
		for _, next := range a.find(func(n *html.Node) bool { return attribute(n, "rel") == "next" }) {
			at = attribute(next, "href")
		}
	}
	if steps != 5 {
		t.Errorf("the tour has %d steps", steps)
	}
	f.get(t, "/admin/help/tour?step=6", http.StatusBadRequest)
}
