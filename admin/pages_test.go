package admin_test

import (
	stdcmp "cmp"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// linked are the texts of the links to an address.
func linked(a answer, href string) []string {
	var out []string
	for _, n := range a.find(func(n *html.Node) bool { return attribute(n, "href") == href }) {
		out = append(out, textOf(n))
	}
	return out
}

func TestTheOverviewTellsWhatIsInTheGraph(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin", 200)
	says(t, a, "46 instances", "Component 17", "Loaded", "http://example.com/mcp", "checks found nothing")
	if strings.Contains(a.text, "Other calls") {
		t.Error("calls that made a commit stand twice")
	}
	f.call(t, "snapshot", map[string]any{})
	if calls := rows(f.get(t, "/admin", 200).byID(t, "h-calls").Parent.Parent); len(calls) != 2 || calls[1][0] != "snapshot" || !strings.HasPrefix(calls[1][1], "ok") {
		t.Errorf("the other calls are %v", calls)
	}
}

func TestTheSchemaPageTellsConstraints(t *testing.T) {
	f := newExample(t)
	says(t, f.get(t, "/admin/schema", 200), "min_length 3", "one of proposed, accepted, met", "sh:minLength", "unique together title, decided")
	if a := f.get(t, "/admin/schema/yaml", 200); !strings.Contains(a.text, "base: 'urn:trails:example:'") || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/yaml") {
		t.Errorf("got %s %.200s", a.Header.Get("Content-Type"), a.text)
	}
}

func TestAListIsFilteredSortedAndPagedByItsAddress(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/types/Requirement?where=status%3Dmet&sort=code&desc=1&limit=3&col=code&col=priority", 200)
	table := rows(a.find(tag("table"))[0])
	if diff := cmp.Diff([]string{"Title + sort also by Title", "Code ▼", "Priority + sort also by Priority"}, table[0]); diff != "" {
		t.Error(diff)
	}
	if len(table) != 4 || table[1][1] < table[2][1] {
		t.Errorf("got %v", table)
	}
	says(t, a, "1–3 of", "met")
	if got := linked(a, "/admin/types/Requirement?col=code&col=priority&desc=1&limit=3&offset=3&sort=code&where=status%3Dmet"); len(got) != 1 || got[0] != "Next" {
		t.Errorf("the next page is linked as %v", got)
	}
	if got := linked(a, "/admin/types/Requirement?col=code&col=priority&desc=1&limit=3&sort=code"); len(got) < 1 || !strings.HasPrefix(got[0], "Remove filter: Status") {
		t.Errorf("the filter is taken away by %v", got)
	}
	head := a.find(func(n *html.Node) bool { return attribute(n, "aria-sort") == "descending" })
	if len(head) != 1 || !strings.HasPrefix(textOf(head[0]), "Code") {
		t.Errorf("%d heads say that they sort", len(head))
	}
}

func TestAListIsSortedBySeveralColumns(t *testing.T) {
	f := newExample(t)
	const sorted = "/admin/types/Requirement?col=status&col=priority&col=code&sort="
	a := f.get(t, sorted+"status%2C-priority%2Ccode", 200)
	table := rows(a.find(tag("table"))[0])
	want := []string{"Title", "Status ▲1 sorts at place 1 ⇅ turn the direction of Status", "Priority ▼2 sorts at place 2 ⇅ turn the direction of Priority", "Code ▲3 sorts at place 3 ⇅ turn the direction of Code"}
	if diff := cmp.Diff(want, table[0]); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSortedFunc(table[1:], func(x, y []string) int {
		return stdcmp.Or(stdcmp.Compare(x[1], y[1]), -stdcmp.Compare(x[2], y[2]), stdcmp.Compare(x[3], y[3]))
	}) {
		t.Errorf("got %v", table)
	}
	for _, c := range []struct{ at, to, says string }{
		{"status", "status%2Cpriority", "+ sort also by Priority"},
		{"status&desc=1", "-status%2Cpriority", "+ sort also by Priority"},
		{"-status%2Cpriority", "-status%2C-priority", "⇅ turn the direction of Priority"},
		{"-status%2Cpriority", "code", "Code"},
	} {
		if got := linked(f.get(t, sorted+c.at, 200), sorted+c.to); len(got) != 1 || got[0] != c.says {
			t.Errorf("from %s to %s: %q, want %q", c.at, c.to, got, c.says)
		}
	}
	for query, says := range map[string]string{
		"status%2Cstatus": "status is named twice", "status%2Ccode%2Cpriority%2Ctitle": "at most 3 properties", "status%2Cnowhere": "nowhere",
	} {
		if a := f.get(t, sorted+query, 400); !strings.Contains(a.text, says) {
			t.Errorf("%s: %.300s", query, mainText(a))
		}
	}
	csv := f.get(t, sorted+"status%2C-priority%2Ccode&format=csv", 200).text
	if lines := strings.Split(csv, "\n"); !strings.HasSuffix(lines[1], strings.Join(table[1][1:], ",")) {
		t.Errorf("the file begins with %q, want %v", lines[1], table[1])
	}
}

func TestTheFormOfAFilterLeadsToTheFiltersAddress(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/types/Requirement?sort=code&property=status&value=a%3Db+%26", 303)
	if got, want := a.Header.Get("Location"), "/admin/types/Requirement?sort=code&where=status%3Da%3Db+%26"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFacetsAreLinksWithCounts(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/types/Component", 200)
	if got := linked(a, "/admin/types/Component?where=row%3Dlogic"); len(got) != 1 || got[0] != "logic 6" {
		t.Errorf("got %v", got)
	}
	a = f.get(t, "/admin/types/Component?where=row%3Dlogic", 200)
	if n := len(rows(a.find(tag("table"))[0])); n != 7 {
		t.Errorf("%d rows", n)
	}
}

func TestAnInstanceShowsItsPropertiesLinksAndHistory(t *testing.T) {
	f := newExample(t)
	f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 4, "message": "Less urgent"})
	a := f.get(t, "/admin/types/Requirement/R-001", 200)
	says(t, a, "Everything lives in one SQLite file", "integer, required", "Component Satisfies", "The SQLite file", "Less urgent", "was 1", "is 4", "trails://kg/Requirement/R-001")
	for _, twin := range []string{"json", "jsonld", "turtle"} {
		if got := linked(a, "/kg/Requirement/R-001?format="+twin); len(got) != 2 {
			t.Errorf("%s is linked %d times, want in the head and in the foot", twin, len(got))
		}
	}
	says(t, f.get(t, "/admin/types/Standard/rdf11", 404), "there is", "All Standard")
}

func TestACommitTellsWhoDidWhatToWhich(t *testing.T) {
	f := newExample(t)
	id, _ := f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 4, "message": "Less urgent"})["commit"].(string)
	a := f.get(t, "/admin/commits/"+id, 200)
	says(t, a, "Less urgent", id, "local:ana", "requirement.update through mcp-http", "Trace", "changedEverything lives", "was 1", "is 4")
	says(t, f.get(t, "/admin/commits", 200), "Less urgent", "+1 −1", "The example")
	says(t, f.get(t, "/admin/commits?schema=1", 200), "initial schema")
	f.get(t, "/admin/commits/0000000000", 404)
}

func TestADeletedInstanceSaysWhichCommitDeletedIt(t *testing.T) {
	f := newExample(t)
	f.call(t, "standard.create", map[string]any{"name": "gone", "title": "Gone soon", "url": "https://example.org/gone"})
	id, _ := f.call(t, "standard.delete", map[string]any{"id": "gone"})["commit"].(string)
	a := f.get(t, "/admin/types/Standard/gone", 410)
	says(t, a, "Deleted", id)
	if got := linked(a, "/admin/types/Standard/gone/history"); len(got) != 1 {
		t.Errorf("its history is linked %d times", len(got))
	}
	says(t, f.get(t, "/admin/types/Standard/gone/history", 200), "deleted", "was Gone soon", "is Gone soon")
}

func TestTheNeighbourhoodIsListedToo(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/types/Component/kg/graph?depth=2&direction=out", 200)
	says(t, a, "Around The graph as a value", "The SQLite file", "Depends on")
	if n := len(a.find(func(n *html.Node) bool {
		return n.Data == "option" && attribute(n, "selected") == "" && hasAttribute(n, "selected")
	})); n != 3 {
		t.Errorf("%d choices are marked, want 3", n)
	}
}

func TestWhatIsNotThereIsAPageThatSaysWhereToGo(t *testing.T) {
	f := newExample(t)
	for path, wants := range map[string][]string{
		"/admin/nowhere":                    {"no page at this address", "overview"},
		"/admin/types/Compnent":             {"there is no type Compnent", "Component"},
		"/admin/types/Component/no-such":    {"404", "All Component"},
		"/admin/types/Nope/x/graph":         {"there is no type Nope"},
		"/admin/types/Nope/x/history":       {"there is no type Nope"},
		"/admin/types/Component/x/graph":    {"404"},
		"/admin/types/%3Cscript%3E":         {"there is no type <script>"},
		"/admin/schema/xml":                 {"yaml or turtle"},
		"/admin/types/Component/a/b/c/d":    {"no page"},
		"/admin/commits/not-a-commit-id-zz": nil,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		a := f.do(t, r)
		if a.StatusCode != 404 && a.StatusCode != 400 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
		checkPage(t, path, a)
		says(t, a, wants...)
	}
}

func TestWrongParametersAreNamed(t *testing.T) {
	f := newExample(t)
	for path, want := range map[string]string{
		"/admin?x=1":                                                         `no parameter "x"`,
		"/admin/types/Component?limit=many":                                  "limit is not a whole number",
		"/admin/types/Component?limit=1001":                                  "limit is at most 1000",
		"/admin/types/Component?offset=-1":                                   "offset is at least 0",
		"/admin/types/Component?where=status":                                "property=value",
		"/admin/types/Component?where=nope%3D1":                              "nope",
		"/admin/types/Component?sort=nope":                                   "nope",
		"/admin/types/Component?col=nope":                                    "nope",
		"/admin/types/Component?desc=2":                                      "desc",
		"/admin/types/Requirement?where=priority%3Dx":                        "priority",
		"/admin/types/Component?a%3Bb=%zz":                                   "does not parse",
		"/admin/types/Component/kg?property=nope":                            "nope",
		"/admin/types/Component/kg/graph?depth=5":                            "depth is at most 4",
		"/admin/types/Component/kg/graph?direction=x":                        "direction",
		"/admin/types/Component/kg/history?limit=0":                          "limit is at least 1",
		"/admin/commits?before=zz":                                           `"zz" names no commit`,
		"/admin/commits?limit=0":                                             "limit is at least 1",
		"/admin/commits/head?offset=x":                                       "offset is not a whole number",
		"/admin/types/Component?" + strings.Repeat("where=row%3Dlogic&", 17): "at most 16 filters",
	} {
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if a.StatusCode != 400 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
		says(t, a, want)
	}
}

func TestPagesAreGuardedAndAnswerHead(t *testing.T) {
	f := newExample(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for _, path := range []string{"/admin", "/admin/types/Component", "/admin/schema", "/admin/nowhere"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		want := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)).StatusCode
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != want || !strings.Contains(policy, "default-src 'none'; script-src 'self'; style-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("HEAD %s: %d %v", path, res.StatusCode, res.Header)
		}
	}
}

func TestOtherMethodsAreRefusedWithThoseThatAreAllowed(t *testing.T) {
	f := newExample(t)
	for method, allow := range map[string]string{"POST": "GET", "DELETE": "GET"} {
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), method, "/admin/schema", nil))
		if a.StatusCode != 405 || a.Header.Get("Allow") != allow {
			t.Errorf("%s: %d, Allow %q", method, a.StatusCode, a.Header.Get("Allow"))
		}
	}
	if a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/", nil)); a.StatusCode != 301 || a.Header.Get("Location") != "/admin" {
		t.Errorf("/admin/: %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
}

func TestTheThemeIsKeptInACookie(t *testing.T) {
	f := newExample(t)
	for _, c := range []struct{ theme, back, location, cookie string }{
		{"dark", "/admin/schema?x", "/admin/schema?x", "dark"},
		{"light", "https://evil.example/", "/admin", "light"},
		{"light", "//evil.example/admin", "/admin", "light"},
		{"dark", `/admin\..\evil`, "/admin", "dark"},
		{"neon", "/admin", "/admin", ""},
	} {
		form := url.Values{"theme": {c.theme}, "return": {c.back}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/theme", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a := f.do(t, r)
		if a.StatusCode != 303 || a.Header.Get("Location") != c.location || len(a.Cookies()) != 2 || a.Cookies()[0].Value != c.cookie || a.Cookies()[0].Path != "/" || a.Cookies()[1].Value != "" {
			t.Errorf("%+v: got %d to %s with %v", c, a.StatusCode, a.Header.Get("Location"), a.Cookies())
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin", nil)
	r.AddCookie(&http.Cookie{Name: "trails-theme", Value: "dark"})
	if got := attribute(f.do(t, r).find(tag("html"))[0], "data-theme"); got != "dark" {
		t.Errorf("the page's theme is %q", got)
	}
}

// A page of an earlier commit shows what was there then, says so, offers no change, and leads to pages of that commit
// and back to now.
// The page of queries asks an earlier commit, by its address and by its form: the answer, what it links to, and its files
// are of that commit.
func TestAQueryAsksAnEarlierCommit(t *testing.T) {
	f := newExample(t)
	then := fmt.Sprint(f.call(t, "health", map[string]any{})["head"])
	f.call(t, "requirement.update", map[string]any{"id": "R-001", "title": "Another title of it"})
	query := "SELECT ?r ?t { ?r a :Requirement ; :title ?t } ORDER BY ?r LIMIT 1"
	get := func(at string) answer {
		values := url.Values{"query": {query}, "run": {"1"}, "at": {at}}
		return f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/query?"+values.Encode(), nil))
	}
	if now := get(""); !strings.Contains(mainText(now), "Another title of it") || strings.Contains(now.text, "As of commit") {
		t.Errorf("the newest commit: %s", mainText(now))
	}
	part := url.Values{"query": {query}, "part": {"answer"}, "at": {then}}
	for name, a := range map[string]answer{"head~1": get("head~1"), then: get(then), "a part": f.posted(t, part)} {
		text := a.text
		if a.StatusCode != 200 || strings.Contains(text, "Another title of it") || !strings.Contains(text, "/admin/types/Requirement/R-001?at="+then) || !strings.Contains(text, "/sparql?at=") {
			t.Errorf("%s: %d, %s", name, a.StatusCode, text)
		}
		if !strings.Contains(text, "as-of") || !strings.Contains(text, `">Back to now</a>`) {
			t.Errorf("%s does not say so: %s", name, text)
		}
	}
	if wrong := get("head~99"); wrong.StatusCode != 404 || !strings.Contains(mainText(wrong), "head~99") {
		t.Errorf("a commit that is not there: %d, %s", wrong.StatusCode, mainText(wrong))
	}
}

// The versions of a node lead to each other, from whichever is shown, and to the history of one that is gone.
func TestThePageOfANodeWalksItsVersions(t *testing.T) {
	f := newExample(t)
	page := "/admin/types/Requirement/R-001"
	var heads []string
	for _, title := range []string{"First", "Second", "Third"} {
		f.call(t, "requirement.update", map[string]any{"id": "R-001", "title": title})
		heads = append(heads, fmt.Sprint(f.call(t, "health", map[string]any{})["head"]))
	}
	f.call(t, "requirement.update", map[string]any{"id": "R-002", "title": "Another node"})
	made := ""
	walk := func(at, title, shown, older, newer string) {
		t.Helper()
		path := page
		if at != "" {
			path += "?at=" + at
		}
		a := f.get(t, path, 200)
		says(t, a, title, shown)
		leads := map[string]string{}
		for _, n := range a.find(tag("a")) {
			leads[textOf(n)] = attribute(n, "href")
			if strings.HasPrefix(textOf(n), "Version 1 of 4") {
				made = attribute(n, "href")
			}
		}
		if leads["Older"] != older || leads["Newer"] != newer {
			t.Errorf("at %q: older is %q, newer %q; want %q and %q", at, leads["Older"], leads["Newer"], older, newer)
		}
		if problems := pageProblems(a); len(problems) > 0 {
			t.Error(strings.Join(problems, "; "))
		}
	}
	walk("", "Third", "Version 4 of 4", page+"?at="+heads[1], "")
	walk(heads[2], "Third", "Version 4 of 4", page+"?at="+heads[1], "")
	walk(heads[1], "Second", "Version 3 of 4", page+"?at="+heads[0], page)
	walk("head~2", "Second", "Version 3 of 4", page+"?at="+heads[0], page)
	walk(heads[0], "First", "Version 2 of 4", made, page+"?at="+heads[1])
	f.call(t, "delete", map[string]any{"type": "Requirement", "id": "R-001", "detach": true})
	walk(heads[2], "Third", "Version 4 of 5", page+"?at="+heads[1], page+"/history")
}

func TestPagesShowAnEarlierCommit(t *testing.T) {
	f := newExample(t)
	then := fmt.Sprint(f.call(t, "health", map[string]any{})["head"])
	f.call(t, "requirement.update", map[string]any{"id": "R-001", "title": "Another title of it"})
	f.call(t, "mutate", map[string]any{"update": "DELETE WHERE { ?c :follows ?s }"})
	for path, was := range map[string]string{
		"/admin/types/Requirement/R-001":         "R-001",
		"/admin/types/Requirement?search=a":      "Requirement",
		"/admin/types/Component/httpapi":         "Standard/rfc9457",
		"/admin/types/Component/httpapi/graph":   "rfc9457",
		"/admin/types/Requirement/R-001/history": "R-001",
		"/admin/schema":                          "Requirement",
	} {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		now := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		for _, at := range []string{then, "head~2"} {
			a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+separator+"at="+at, nil))
			if a.StatusCode != 200 || !strings.Contains(a.text, was) || strings.Contains(a.text, "Another title of it") {
				t.Errorf("%s at %s: %d, %s", path, at, a.StatusCode, mainText(a))
			}
			says(t, a, "As of commit "+then)
			for _, n := range a.find(tag("a")) {
				href := attribute(n, "href")
				dated := strings.HasPrefix(href, "/admin/types/") || strings.HasPrefix(href, "/admin/schema") || strings.HasPrefix(href, "/kg/")
				back := attribute(n, "rel") == "alternate"
				if elsewhere := strings.HasPrefix(href, path+"?at="); dated && strings.Contains(href, "at="+then) == back && !elsewhere {
					t.Errorf("%s at %s links to %s", path, at, href)
				}
				if back && href != path {
					t.Errorf("%s at %s leads back to %s", path, at, href)
				}
				if text := textOf(n); text == "Edit" || text == "Delete" || strings.HasPrefix(text, "New ") || text == "Change the schema" {
					t.Errorf("%s at %s offers %s", path, at, text)
				}
			}
			for _, n := range a.find(tag("form")) {
				if strings.HasPrefix(attribute(n, "action"), "/admin/types/") && n.FirstChild != nil && attribute(n.FirstChild, "value") != then {
					t.Errorf("%s at %s has a form that leads to now", path, at)
				}
			}
			if problems := pageProblems(a); len(problems) > 0 {
				t.Errorf("%s at %s: %s", path, at, strings.Join(problems, "; "))
			}
		}
		if strings.Contains(now.text, "As of commit") {
			t.Errorf("%s says that it is of an earlier commit", path)
		}
	}
	form := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/capabilities/get?at=head~1", nil))
	if form.StatusCode != 200 || strings.Contains(form.text, "As of commit") || !strings.Contains(form.text, `value="head~1"`) {
		t.Errorf("a form with the argument at: %d, %s", form.StatusCode, mainText(form))
	}
	for path, status := range map[string]int{"/admin/types/Requirement/R-001?at=zz": 400, "/admin/types/Requirement?at=head~99": 404, "/admin?at=zz": 400, "/admin/commits?at=head": 400} {
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if a.StatusCode != status || strings.Contains(a.text, "As of commit") {
			t.Errorf("%s: %d, %s", path, a.StatusCode, mainText(a))
		}
	}
}

// TestTheOverviewHasTheLastDays holds that the overview counts all commits of each day by who made them, that a day leads to
// its commits, and that its pictures are files.
func TestTheOverviewHasTheLastDays(t *testing.T) {
	f := newExample(t)
	for range 3 {
		f.call(t, "standard.create", map[string]any{"name": "s" + strconv.Itoa(rand.Int()), "title": "One more", "url": "https://example.org/s"})
	}
	a := f.get(t, "/admin", 200)
	checkPage(t, "overview", a)
	all := 0
	var day string
	days := map[string]bool{}
	for _, row := range rows(a.byID(t, "numbers-of-chart"))[1:] {
		n, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		days[row[0]] = true
		if all += n; n > 0 {
			day = row[0]
		}
	}
	if log := f.call(t, "commits_list", map[string]any{"limit": 100})["rows"].([]any); all != len(log) {
		t.Errorf("the chart has %d commits, the log %d", all, len(log))
	}
	if len(days) != 30 {
		t.Errorf("the chart has %d days", len(days))
	}
	if !slices.Contains(a.leads("/admin/commits?when="), "/admin/commits?when="+day) {
		t.Errorf("%s does not lead to its commits", day)
	}
	if file := f.get(t, "/admin?picture=chart", 200); !strings.Contains(file.text, "series-1") {
		t.Errorf("the picture as a file: %.200s", file.text)
	}
}

func TestThePageOfANodeIsInGroupsUnderALineThatSumsItUp(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"title": "Short", "body": strings.Repeat("A long text. ", 20), "due": "2024-05-31"})
	f.call(t, "mutate", map[string]any{"update": "INSERT DATA { <https://notes.example/Note/n1> <urn:other:said> 'more' }"})
	a := f.get(t, "/admin/types/Note/n1", http.StatusOK)
	groups := map[string][]string{}
	for _, n := range a.find(func(n *html.Node) bool {
		return n.Data == "dl" && strings.HasPrefix(attribute(n, "data-key"), "props-")
	}) {
		for d := range n.Descendants() {
			if key, ok := strings.CutPrefix(attribute(d, "data-key"), "prop-"); ok && d.Data == "div" {
				groups[attribute(n, "data-key")] = append(groups[attribute(n, "data-key")], key)
			} else if key, ok := strings.CutPrefix(attribute(d, "data-key"), "other-"); ok {
				groups[attribute(n, "data-key")] = append(groups[attribute(n, "data-key")], key)
			}
		}
	}
	if own := groups["props-own"]; !slices.Contains(own, "title") || slices.Contains(own, "body") || slices.Contains(own, "author") {
		t.Errorf("its own values are %q", own)
	}
	if !slices.Contains(groups["props-texts"], "body") || !slices.Contains(groups["props-links"], "author") || len(groups["props-other"]) != 1 {
		t.Errorf("the groups are %v", groups)
	}
	says(t, a, "31 May 2024", "last changed", "Technical")
	if list := f.get(t, "/admin/types/Note?col=due", http.StatusOK); !strings.Contains(mainText(list), "31 May 2024") {
		t.Error("a list writes a day in another way")
	}
}
