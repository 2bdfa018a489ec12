package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"trails/admin"
)

// keepView posts a form of the dashboard, and follows to the page after it.
func (f fixture) keepView(t *testing.T, status int, fields ...string) answer {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/dashboard", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a := f.do(t, r)
	if a.StatusCode != status {
		t.Fatalf("%v: status %d: %s", fields, a.StatusCode, mainText(a))
	}
	if status != http.StatusSeeOther {
		return a
	}
	return f.get(t, a.Header.Get("Location"), 200)
}

func tiles(a answer) (titles []string) {
	for _, n := range a.find(func(n *html.Node) bool { return n.Data == "h2" && strings.HasPrefix(attribute(n, "id"), "tile-") }) {
		titles = append(titles, textOf(n))
	}
	return titles
}

// TestASavedViewIsKeptAndShown saves a list and a chart: they are on the dashboard with the rows of the list, on the
// overview and in the search box, can be renamed, moved and deleted, and each change is a commit that is taken back.
func TestASavedViewIsKeptAndShown(t *testing.T) {
	f := newExample(t)
	address := "types/Requirement?col=status&desc=1&sort=title&where=status%3Daccepted"
	list := f.get(t, "/admin/"+address, 200)
	if sent := list.find(func(n *html.Node) bool { return attribute(n, "name") == "view" }); len(sent) != 1 || attribute(sent[0], "value") != address {
		t.Fatalf("the form of the list sends %v", sent)
	}
	a := f.keepView(t, 303, "view", address, "title", `Accepted "first"`, "dashboard", "1")
	checkPage(t, "dashboard", a)
	if diff := cmp.Diff([]string{`Accepted "first"`}, tiles(a)); diff != "" {
		t.Fatal(diff)
	}
	whole := rows(list.byID(t, "list"))
	for _, row := range whole[1:] {
		if !strings.Contains(mainText(a), row[0]) {
			t.Errorf("the dashboard does not show %q", row[0])
		}
	}
	f.keepView(t, 303, "view", "types/Requirement?by=status", "title", "By status", "dashboard", "1")
	f.keepView(t, 303, "view", "types/Component", "title", "部品")
	for _, page := range []string{"/admin", "/admin/dashboard"} {
		a = f.get(t, page, 200)
		checkPage(t, page, a)
		if links := a.links("/admin/types/Requirement?by=status"); len(links) == 0 || !strings.Contains(mainText(a), "部品") {
			t.Errorf("%s has no link to the views: %v", page, links)
		}
	}
	if diff := cmp.Diff([]string{`Accepted "first"`, "By status"}, tiles(a)); diff != "" {
		t.Error(diff)
	}
	if len(a.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "Requirement: ")
	})) != 1 {
		t.Error("the chart is not drawn")
	}
	if found := f.get(t, "/admin/find?q=accepted", 200); !strings.Contains(found.text, "/admin/types/Requirement?col=status") {
		t.Errorf("the search box does not find the view: %s", found.text)
	}
	if got := f.keepView(t, 400, "view", address, "title", "By Status"); !strings.Contains(got.text, "already; choose another name") {
		t.Errorf("a second of the name: %s", mainText(got))
	} else if form := formWith(t, got, "view"); form.Get("title") != "By Status" || form.Get("view") != address {
		t.Errorf("the form that was refused has %v", form)
	}
	got := f.keepView(t, 400, "name", "view_by_status", "title", "Typed", "place", "first", "do", "change")
	if form := formWith(t, got, "place"); form.Get("title") != "Typed" || form.Get("place") != "first" || !strings.Contains(mainText(got), "a whole number from 1 to 1000") {
		t.Errorf("the change that was refused has %v: %s", form, mainText(got))
	}
	f.keepView(t, 303, "name", "view_by_status", "title", "How far we are", "place", "1", "do", "change")
	f.keepView(t, 303, "name", "view_accepted_first", "title", "Accepted", "place", "", "do", "change")
	if diff := cmp.Diff([]string{"How far we are"}, tiles(f.get(t, "/admin/dashboard", 200))); diff != "" {
		t.Error(diff)
	}
	a = f.keepView(t, 303, "name", "view_by_status", "do", "delete")
	if len(tiles(a)) != 0 || len(a.links("/admin/undo")) == 0 {
		t.Errorf("deleting: %v", tiles(a))
	}
	undo, _ := url.Parse(a.links("/admin/undo")[0])
	f.call(t, "undo", map[string]any{"commit": undo.Query().Get("commit")})
	if diff := cmp.Diff([]string{"How far we are"}, tiles(f.get(t, "/admin/dashboard", 200))); diff != "" {
		t.Errorf("the deletion is taken back: %s", diff)
	}
	for _, wrong := range [][]string{
		{"view", address, "title", " "}, {"view", "query?output=chart", "title", "x"}, {"view", "types/Requirement?limit=0", "title", "x"},
		{"name", "view_accepted_first", "title", "x", "place", "0"}, {"view", "types/Requirement?nope=1&limit=x", "title", "x"},
	} {
		f.keepView(t, 400, wrong...)
	}
	f.keepView(t, 404, "view", "types/Nope", "title", "x")
}

// TestAViewWhoseTypeOrColumnIsGoneSaysSo changes the schema beneath views: a type that is renamed is so in them, and
// what they name and is gone is said with the way out, where they are listed.
func TestAViewWhoseTypeOrColumnIsGoneSaysSo(t *testing.T) {
	declared := func(typeName, property string) string {
		return "base: \"urn:t:\"\ntypes:\n  " + typeName + ":\n    label: name\n    properties:\n      name: {type: string, required: true}\n" + property
	}
	f := newFixture(t, []byte(declared("Visit", "      hours: {type: integer}\n")), admin.Options{})
	f.keepView(t, 303, "view", "types/Visit?sort=hours", "title", "Longest", "dashboard", "1")
	f.call(t, "schema_apply", map[string]any{"schema": declared("Visit", ""), "message": "no hours", "allow_broken_queries": true})
	a := f.get(t, "/admin/dashboard", 200)
	checkPage(t, "dashboard", a)
	if !strings.Contains(mainText(a), "Visit has no property hours any more; open the list of Visit") {
		t.Errorf("the column is gone: %s", mainText(a))
	}
	if a := f.get(t, "/admin", 200); !strings.Contains(mainText(a), "Longest broken") {
		t.Errorf("the overview: %s", mainText(a))
	}
}

// TestAStoredQueryIsOnTheDashboard holds that the first lines of a stored query put its chart there and open it so.
func TestAStoredQueryIsOnTheDashboard(t *testing.T) {
	f := newExample(t)
	f.call(t, "trails.meta.query.add", map[string]any{"message": "m", "queries": []any{
		map[string]any{"text": "#+ id: per_status\n#+ view: query?output=chart&chart=pie\n#+ dashboard: 2\n" + prologue + "SELECT ?s (COUNT(*) AS ?n) { ?r :status ?s } GROUP BY ?s"},
		map[string]any{"text": "#+ id: of_one\n#+ view: query?output=chart\n#+ dashboard: 1\n#+ params: {r: ref(Requirement)}\n" + prologue + "SELECT ?s { ?r :status ?s }"},
	}})
	a := f.get(t, "/admin/dashboard", 200)
	checkPage(t, "dashboard", a)
	if diff := cmp.Diff([]string{"of_one", "per_status"}, tiles(a)); diff != "" {
		t.Error(diff)
	}
	if len(a.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "n by s")
	})) != 1 || !strings.Contains(mainText(a), "open it to see what it asks for") {
		t.Errorf("one chart and one question: %s", mainText(a))
	}
	opened := f.get(t, a.links("/admin/query?chart=pie")[0], 200)
	if len(opened.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "n by s")
	})) != 1 {
		t.Errorf("the query does not open with its chart: %s", mainText(opened))
	}
}

// A stored query that no list of tools has, as that of a saved view, has no form: its page leads to the view instead.
func TestAStoredQueryLeadsToAFormThatIsThere(t *testing.T) {
	f := newExample(t)
	f.keepView(t, 303, "view", "types/Requirement?sort=title", "title", "By title")
	f.call(t, "trails.meta.query.add", map[string]any{"message": "m", "queries": []any{
		map[string]any{"text": "#+ id: shown\n" + prologue + "SELECT ?s { ?r :status ?s }"},
		map[string]any{"text": "#+ id: unlisted\n#+ expose: false\n" + prologue + "SELECT ?s { ?r :status ?s }"},
	}})
	for name, want := range map[string]string{"view_by_title": "Its view", "shown": "Its form", "unlisted": "no tool lists have it"} {
		a := f.get(t, "/admin/query?stored="+name, 200)
		says(t, a, want)
		for _, href := range append(linkTo(a, "Its form"), linkTo(a, "Its view")...) {
			f.get(t, href, 200)
		}
	}
}

// A table that a tile has no room for is as wide as the page.
func TestATableOfManyColumnsIsAsWideAsTheDashboard(t *testing.T) {
	f := newExample(t)
	f.keepView(t, 303, "view", "types/Requirement?col=code&col=status&col=priority", "title", "Four", "dashboard", "1")
	f.keepView(t, 303, "view", "types/Component?col=name&col=path&col=row&col=dependsOn", "title", "Five", "dashboard", "1")
	f.call(t, "trails.meta.query.add", map[string]any{"message": "m", "queries": []any{
		map[string]any{"text": "#+ id: six\n#+ description: Six\n#+ view: query?\n#+ dashboard: 3\n" + prologue + "SELECT ?a ?b ?c ?d ?e { ?a :status ?b ; :title ?c ; :code ?d ; :priority ?e }"},
	}})
	wide := map[string]bool{}
	for _, section := range f.get(t, "/admin/dashboard", 200).find(func(n *html.Node) bool {
		return n.Data == "section" && strings.HasPrefix(attribute(n, "class"), "panel tile")
	}) {
		wide[textOf(section.FirstChild)] = strings.HasSuffix(attribute(section, "class"), " wide")
	}
	if diff := cmp.Diff(map[string]bool{"Four": false, "Five": true, "Six": true}, wide); diff != "" {
		t.Error(diff)
	}
}
