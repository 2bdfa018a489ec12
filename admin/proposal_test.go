package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// send posts a form, and follows where it leads.
func (f fixture) sendTo(t *testing.T, path string, values url.Values) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a := f.do(t, r)
	if a.StatusCode == http.StatusSeeOther {
		return f.get(t, a.Header.Get("Location"), 200)
	}
	return a
}

// formWith are the values of the page's form that has a field.
func formWith(t *testing.T, a answer, field string) url.Values {
	t.Helper()
	for _, form := range a.find(tag("form")) {
		if v := controlsOf(form); v.Has(field) {
			return v
		}
	}
	t.Fatalf("no form has %s: %s", field, mainText(a))
	return nil
}

func newTasks(t *testing.T) (f fixture, iris []string) {
	t.Helper()
	f = newFixture(t, []byte(`
types:
  Task: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, points: integer, status: {type: string, one_of: [open, done]}, needs: {class: Task, many: true}, note: string}}
`), admin.Options{})
	for i := range 12 {
		f.call(t, "task.create", map[string]any{"code": fmt.Sprint("t", i), "title": fmt.Sprint("Task ", i), "points": i, "status": "open", "note": "n"})
	}
	f.call(t, "task.update", map[string]any{"id": "t11", "needs": []string{"t0"}})
	for _, row := range f.get(t, "/admin/types/Task", 200).find(func(n *html.Node) bool { return attribute(n, "name") == "node" }) {
		iris = append(iris, attribute(row, "value"))
	}
	if len(iris) != 12 {
		t.Fatalf("%d rows can be ticked", len(iris))
	}
	return f, iris
}

func (f fixture) status(t *testing.T, id string) any {
	t.Helper()
	row := f.call(t, "list", map[string]any{"type": "Task", "where": []any{map[string]any{"property": "code", "value": id}}, "select": []string{"status"}})["rows"].([]any)
	if len(row) == 0 {
		return "gone"
	}
	return row[0].([]any)[2]
}

// Ten rows are changed at once as one commit, after a look at each old and new value, and one more form takes it back.
func TestTickedRowsAreChangedAtOnceAndBack(t *testing.T) {
	f, iris := newTasks(t)
	head := f.head(t)
	a := f.sendTo(t, "/admin/types/Task/selected", url.Values{"node": iris[:10], "change": {"set"}, "property": {"status"}, "value": {"done"}})
	checkPage(t, "preview", a)
	if got := mainText(a); strings.Count(got, "done") < 10 || !strings.Contains(got, "+10") || !strings.Contains(got, "Change 10 Task") {
		t.Errorf("the preview says %s", got)
	}
	if now := f.head(t); now != head {
		t.Fatal("the preview changed something")
	}
	values := formWith(t, a, "node")
	values.Set("_do", "call")
	a = f.sendTo(t, "/admin/types/Task/selected", values)
	if got := mainText(a); !strings.Contains(got, "Changed status of 10 Task") || !strings.Contains(got, "“Set status to done”") || !strings.Contains(got, "Undo…") {
		t.Errorf("the commit's page says %s", got)
	}
	commit := f.head(t)
	a = f.sendTo(t, "/admin/types/Task/selected", url.Values{"node": iris, "change": {"set"}, "property": {"status"}, "value": {"done"}})
	if got := mainText(a); !strings.Contains(got, "Change 2 Task") || strings.Count(got, "HistoryProperty")+strings.Count(got, "PropertyBeforeAfter") != 2 {
		t.Errorf("of twelve of which ten have the value the preview says %s", got)
	}
	f.sendTo(t, "/admin/types/Task/selected", values) // sent twice
	if again := f.head(t); again != commit || f.status(t, "t3") != "done" {
		t.Errorf("sent twice: %v and %v; t3 is %v", commit, again, f.status(t, "t3"))
	}
	a = f.get(t, "/admin/undo?commit="+fmt.Sprint(commit), 200)
	checkPage(t, "undo", a)
	values = formWith(t, a, "commit")
	values.Set("_do", "call")
	a = f.sendTo(t, "/admin/undo", values)
	if f.status(t, "t3") != "open" || !strings.Contains(mainText(a), "undo") {
		t.Errorf("taken back: t3 is %v; %s", f.status(t, "t3"), mainText(a))
	}
}

// The field of a cell says what all rows that are ticked get: one value, several, or none.
func TestTickedRowsGetWhatAFieldSays(t *testing.T) {
	f, iris := newTasks(t)
	where := func(property, op string, value ...any) any {
		condition := map[string]any{"property": property, "op": op}
		if len(value) > 0 {
			condition["value"] = value[0]
		}
		return f.call(t, "list", map[string]any{"type": "Task", "where": []any{condition}})["total"]
	}
	for _, c := range []struct {
		property, op string
		field        url.Values
		value        []any
		want         string
		says         string
	}{
		{"status", "=", url.Values{"arg.status": {"done"}, "was.status": {"x"}}, []any{"done"}, "10", "“Set status to done”"},
		{"points", "=", url.Values{"arg.points": {"41"}}, []any{41}, "10", "“Set points to 41”"},
		{"needs", "=", url.Values{"arg.needs": {"t1", "", "t2"}}, []any{"t2"}, "10", "“Set needs to t1, t2”"},
		{"note", "is_empty", url.Values{"arg.note": {""}}, nil, "10", "“Remove note”"},
		{"points", "is_empty", url.Values{"arg.points": {""}, "null.points": {"1"}}, nil, "10", "“Remove points”"},
	} {
		values := url.Values{"node": iris[2:], "change": {"set"}, "property": {c.property}}
		for name, v := range c.field {
			values[name] = v
		}
		a := f.sendTo(t, "/admin/types/Task/selected", values)
		checkPage(t, c.says, a)
		form := formWith(t, a, "node")
		form.Set("_do", "call")
		a = f.sendTo(t, "/admin/types/Task/selected", form)
		if got := fmt.Sprint(where(c.property, c.op, c.value...)); got != c.want || !strings.Contains(mainText(a), c.says) {
			t.Errorf("%v: %s have it; %s", c.field, got, mainText(a))
		}
	}
	head := f.head(t)
	for says, values := range map[string]url.Values{
		"points":                          {"node": iris, "change": {"set"}, "property": {"points"}, "arg.points": {"many"}},
		"tick 1 to 1000 rows of the list": {"change": {"delete"}},
		"say the value that points gets":  {"node": iris, "change": {"set"}, "property": {"points"}, "value": {""}},
		"Task has no property nope":       {"node": iris, "change": {"set"}, "property": {"nope"}, "value": {"x"}},
		"change is set, clear or delete":  {"node": iris, "change": {"burn"}},
	} {
		values.Set("_do", "call")
		a := f.sendTo(t, "/admin/types/Task/selected", values)
		back := a.find(func(n *html.Node) bool {
			return attribute(n, "class") == "button" && attribute(n, "href") == "/admin/types/Task"
		})
		if f.head(t) != head || a.StatusCode < http.StatusBadRequest || !strings.Contains(mainText(a), says) || len(back) != 1 {
			t.Errorf("%s: %d, %d links back: %s", says, a.StatusCode, len(back), mainText(a))
		}
		checkPage(t, says, a)
	}
}

func TestTickedRowsAreClearedAndDeletedWithTheirReferences(t *testing.T) {
	f, iris := newTasks(t)
	do := func(values url.Values) answer {
		a := f.sendTo(t, "/admin/types/Task/selected", values)
		form := formWith(t, a, "node")
		form.Set("_do", "call")
		return f.sendTo(t, "/admin/types/Task/selected", form)
	}
	do(url.Values{"node": iris, "change": {"clear"}, "property": {"note"}})
	if got := f.call(t, "list", map[string]any{"type": "Task", "where": []any{map[string]any{"property": "note", "op": "not_empty"}}})["total"]; fmt.Sprint(got) != "0" {
		t.Errorf("%v notes are left", got)
	}
	i := slices.IndexFunc(iris, func(iri string) bool { return strings.HasSuffix(iri, "/t0") })
	a := do(url.Values{"node": {iris[i]}, "change": {"delete"}})
	if f.status(t, "t0") != "gone" || f.status(t, "t11") != "open" || !strings.Contains(mainText(a), "needs") {
		t.Errorf("t0 is %v, t11 is %v; %s", f.status(t, "t0"), f.status(t, "t11"), mainText(a))
	}
}

func TestAProposalThatCannotBeMadeSaysSo(t *testing.T) {
	f, iris := newTasks(t)
	for want, values := range map[string]url.Values{
		"tick 1 to 1000":      {"change": {"set"}, "property": {"status"}, "value": {"done"}},
		"no property":         {"node": iris, "change": {"set"}, "property": {"nope"}, "value": {"done"}},
		"say the value":       {"node": iris, "change": {"set"}, "property": {"status"}, "value": {" "}},
		"no IRI":              {"node": {"x> } ; DROP ALL #"}, "change": {"delete"}},
		"set, clear":          {"node": iris, "change": {"burn"}},
		"not a valid integer": {"node": iris, "change": {"set"}, "property": {"points"}, "value": {"many"}},
		"open":                {"node": iris[:1], "change": {"set"}, "property": {"status"}, "value": {"lost"}},
		"changes nothing":     {"node": iris[:1], "change": {"set"}, "property": {"status"}, "value": {"open"}},
	} {
		a := f.sendTo(t, "/admin/types/Task/selected", values)
		if got := mainText(a); !strings.Contains(got, want) {
			t.Errorf("want %q: %d %s", want, a.StatusCode, got)
		}
		for _, button := range a.find(tag("button")) {
			if attribute(button, "value") == "call" {
				t.Errorf("%q: there is a button for it", want)
			}
		}
		checkPage(t, want, a)
	}
	f.get(t, "/admin/undo?commit=ffffffff", 404)
	f.get(t, "/admin/undo", 400)
}

// A list can be narrowed by every operator of list, at a path, and by years and months.
func TestAListTakesConditions(t *testing.T) {
	f, _ := newTasks(t)
	for where, want := range map[string]int{
		"points>=10": 2, "points<3": 3, "points!=3": 11, "points=3": 1, "title contains sk 1": 3, "title starts Task 1": 3,
		"needs is_empty": 11, "needs not_empty": 1, "needs.title=Task 0": 1, "needs.points<5": 1, "points<=1": 2, "points>10": 1,
	} {
		a := f.get(t, "/admin/types/Task?where="+url.QueryEscape(where), 200)
		if got := len(rows(a.byID(t, "list"))) - 1; got != want {
			t.Errorf("%s has %d rows, want %d", where, got, want)
		}
		checkPage(t, where, a)
	}
	for query, want := range map[string]string{
		"where=" + url.QueryEscape("points ~ 3"): "a filter is written", "property=points&op=contains&value=3": "contains does not fit points", "property=points&op=%3D&value=": "say a value",
	} {
		if got := mainText(f.get(t, "/admin/types/Task?"+query, 400)); !strings.Contains(got, want) {
			t.Errorf("%s says %s", query, got)
		}
	}
	a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/types/Task?where=points%3C3&property=needs&op=is_empty&value=", nil))
	if to := a.Header.Get("Location"); to != "/admin/types/Task?where=points%3C3&where=needs+is_empty" {
		t.Errorf("the form leads to %s", to)
	}
}

// head is the id of the newest commit.
func (f fixture) head(t *testing.T) string {
	t.Helper()
	head, _ := f.call(t, "snapshot", map[string]any{})["head"].(map[string]any)
	return fmt.Sprint(head["id"])
}

func TestAVersionOfANodeIsRestoredFromItsHistory(t *testing.T) {
	f, _ := newTasks(t)
	f.call(t, "task.update", map[string]any{"id": "t1", "title": "Other", "points": 40})
	f.call(t, "task.update", map[string]any{"id": "t1", "status": "done"})
	f.call(t, "task.update", map[string]any{"id": "t2", "status": "done"})
	to := func(history string) (list []string) {
		for _, link := range f.get(t, history, 200).find(tag("a")) {
			if href := attribute(link, "href"); strings.Contains(href, "/restore?") {
				list = append(list, href)
			}
		}
		return list
	}
	versions := to("/admin/types/Task/t1/history")
	if len(versions) != 2 {
		t.Fatalf("the versions that can be restored are %q; want the two before the newest", versions)
	}
	page := f.get(t, versions[1], 200)
	says(t, page, "This changes 1 Task, as one commit", "Titlewas Otheris Task 1", "Pointswas 40is 1", "Statuswas doneis open")
	values := formWith(t, page, "version")
	values.Set("_do", "call")
	done := f.sendTo(t, "/admin/restore", values)
	says(t, done, "Took back", "restore Task t1 as of")
	for id, want := range map[string]any{"t1": "open", "t2": "done"} {
		if got := f.status(t, id); got != want {
			t.Errorf("the status of %s is %v, want %v", id, got, want)
		}
	}
	f.call(t, "task.delete", map[string]any{"id": "t3"})
	gone := to("/admin/types/Task/t3/history")
	if len(gone) != 1 {
		t.Fatalf("of a deleted node %q can be restored; want what it was before", gone)
	}
	says(t, f.get(t, gone[0], 200), "This adds 1 Task", "Titleis Task 3")
	f.get(t, "/admin/restore?type=Task&id=t1&version=head", 400)
}

func TestTheLogIsFilteredAndHasACalendar(t *testing.T) {
	f, _ := newTasks(t)
	all := f.get(t, "/admin/commits", 200)
	says(t, all, "Added Task “Task 0”", "over MCP", "14 commits")
	says(t, f.get(t, "/admin/commits?when=today&author=ana&call=task.update", 200), "Changed needs of Task “Task 11”")
	says(t, f.get(t, "/admin/commits?when=yesterday", 200), "no commit fits when", "Show all commits")
	says(t, f.get(t, "/admin/commits?from=2020-01-01&to=2020-01-31", 200), "no commit fits when", "2020-01-01..2020-01-31")
	says(t, f.get(t, "/admin/commits?from=2020-01-01&when=today", 200), "Changed needs of Task “Task 11”")
	log := f.get(t, "/admin/commits?from=2020-01-01&author=ana", 200)
	says(t, log, "Changed needs of Task “Task 11”")
	for name, want := range map[string]string{"from": "2020-01-01", "to": "", "when": ""} {
		if fields := log.find(func(n *html.Node) bool { return attribute(n, "id") == name }); len(fields) != 1 || attribute(fields[0], "value") != want {
			t.Errorf("the field %s is not %q", name, want)
		}
	}
	if chosen := log.find(func(n *html.Node) bool { return attribute(n, "id") == "of-branch" }); len(chosen) != 0 {
		t.Error("a graph with main alone has a choice of branches")
	}
	f.call(t, "branches_create", map[string]any{"name": "review"})
	log = f.get(t, "/admin/commits?branch=review&author=ana", 200)
	if chosen := log.find(func(n *html.Node) bool {
		return n.Data == "option" && hasAttribute(n, "selected") && attribute(n.Parent, "id") == "of-branch"
	}); len(chosen) != 1 || attribute(chosen[0], "value") != "review" {
		t.Errorf("%d branches are chosen", len(chosen))
	}
	says(t, f.get(t, "/admin/commits?when=whenever", 422), "give today, yesterday, last 7 days")
}
