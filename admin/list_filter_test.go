package admin_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
)

// A list says of a filter that no node can meet why that is, on its page and where it is kept on the dashboard.
func TestAListSaysWhyAFilterFindsNothing(t *testing.T) {
	f := newExample(t)
	for query, why := range map[string]string{
		"Requirement?where=status%3Dmett":           `did you mean "met"?`,
		"Requirement?where=status%3Dmett&by=status": `did you mean "met"?`,
		"Requirement?where=priority%3E9000":         "no Requirement has priority > 9000",
		"Decision?where=about%3DPages":              "compare about.title with a label",
	} {
		address := "/admin/types/" + query
		a := f.get(t, address, http.StatusOK)
		if text := mainText(a); !strings.Contains(text, why) {
			t.Errorf("%s does not say %q: %s", query, why, text)
		}
		checkPage(t, query, a)
		f.keepView(t, http.StatusSeeOther, "view", strings.TrimPrefix(address, "/admin/"), "title", query, "dashboard", "1")
	}
	kept := mainText(f.get(t, "/admin/dashboard", http.StatusOK))
	for why, times := range map[string]int{`did you mean "met"?`: 2, "priority > 9000": 1, "compare about.title": 1} {
		if strings.Count(kept, why) != times {
			t.Errorf("the dashboard does not say %q %d times: %s", why, times, kept)
		}
	}
	if a := f.get(t, "/admin/types/Requirement?where=status%3Dmet", http.StatusOK); strings.Contains(a.text, `aria-label="Warnings"`) {
		t.Error("it warns of a filter that finds something")
	}
}

// Who chooses one more column has the label once, which is the first column of every list.
func TestTheLabelIsNoColumnThatIsChosenUnlessSomebodyDoes(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/types/Requirement", http.StatusOK)
	if got := controlsOf(a.byID(t, "columns"))["col"]; !slices.Equal(got, []string{"code", "status", "priority"}) {
		t.Errorf("the picker marks %q", got)
	}
	if got := controlsOf(f.get(t, "/admin/types/Requirement?col=title", http.StatusOK).byID(t, "columns"))["col"]; !slices.Equal(got, []string{"title"}) {
		t.Errorf("the picker marks %q where the label is chosen", got)
	}
}

// A filter or a search that cannot be used leaves the list as it is without it, and what
// is wrong stands beside the form that it was written into, with what was written.
func TestABadFilterKeepsTheListAndSaysSoBesideTheFilter(t *testing.T) {
	f := newExample(t)
	whole := rows(f.get(t, "/admin/types/Requirement", 200).byID(t, "list"))
	met := rows(f.get(t, "/admin/types/Requirement?where=status%3Dmet", 200).byID(t, "list"))
	if len(met) < 2 || len(met) >= len(whole) {
		t.Fatalf("%d of %d rows are met", len(met)-1, len(whole)-1)
	}
	var many strings.Builder
	for range 17 {
		many.WriteString("&where=status%3Dmet")
	}
	for _, c := range []struct {
		name, query     string
		rows            [][]string
		property, value string
		message         string
	}{
		{"the form's own", "property=priority&value=x", whole, "priority", "x", "priority"},
		{"the form's own, with others", "where=status%3Dmet&property=priority&value=x", met, "priority", "x", "priority"},
		{"in an address", "where=priority%3Dhigh&where=status%3Dmet", met, "priority", "high", "priority"},
		{"of no property", "where=nope%3D1", whole, "code", "1", "nope"},
		{"not written as one", "where=status", whole, "code", "status", "property=value"},
		{"too many", many.String()[1:], met, "status", "met", "at most 16 filters"},
	} {
		a := f.get(t, "/admin/types/Requirement?"+c.query, http.StatusBadRequest)
		if got := rows(a.byID(t, "list")); fmt.Sprint(got) != fmt.Sprint(c.rows) {
			t.Errorf("%s: got %d rows, want %d", c.name, len(got)-1, len(c.rows)-1)
		}
		value, message := a.byID(t, "value"), a.byID(t, "value-error")
		if attribute(value, "value") != c.value || attribute(value, "aria-invalid") != "true" || attribute(value, "aria-describedby") != "value-error" {
			t.Errorf("%s: the filter's field is %v", c.name, value.Attr)
		}
		if got := controlsOf(value.Parent.Parent).Get("property"); got != c.property {
			t.Errorf("%s: the filter's property is %s, want %s", c.name, got, c.property)
		}
		if got := textOf(message); !strings.Contains(got, c.message) || message.Parent != value.Parent.Parent {
			t.Errorf("%s: got %q beside the filter", c.name, got)
		}
		checkPage(t, c.name, a)
	}
	a := f.get(t, "/admin/types/Requirement?where=status%3Dmet&search="+strings.Repeat("x", 300), http.StatusBadRequest)
	if got := rows(a.byID(t, "list")); fmt.Sprint(got) != fmt.Sprint(met) || !strings.Contains(textOf(a.byID(t, "search-error")), "200") {
		t.Errorf("a search that is too long: %d rows, %s", len(got)-1, textOf(a.byID(t, "search-error")))
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/types/Requirement?property=status&value=met", nil)
	if a := f.do(t, r); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/admin/types/Requirement?where=status%3Dmet" {
		t.Errorf("a good filter: %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
}

// More nodes refer to an instance than its page lists, and all of them can be reached:
// by the list of their type, or by a query where no type declares the property.
func TestReferrersBeyondFiftyCanBePaged(t *testing.T) {
	testrun.Alone(t)
	f := newFixture(t, []byte(`base: "urn:x:"
types:
  Agent: {abstract: true, label: name, properties: {name: {type: string}}}
  Person: {extends: Agent, iri: preserve}
  Note:
    properties:
      by: {class: Agent}
`), admin.Options{})
	var data strings.Builder
	data.WriteString(`{"type":"Person","id":"ana","data":{"name":"Ana"}}` + "\n")
	for range 120 {
		data.WriteString(`{"type":"Note","data":{"by":"Person/ana"}}` + "\n")
	}
	f.call(t, "load", map[string]any{"data": data.String()})
	var update strings.Builder
	for i := range 120 {
		fmt.Fprintf(&update, "<urn:other:%d> <urn:other:sees> <urn:x:Person/ana> .\n", i)
	}
	f.call(t, "mutate", map[string]any{"update": "INSERT DATA {\n" + update.String() + "}"})

	a := f.get(t, "/admin/types/Person/ana", 200)
	links := map[string]string{}
	for _, n := range a.find(tag("a")) {
		if text := textOf(n); strings.HasPrefix(text, "All 120 that refer here by ") {
			links[strings.TrimPrefix(text, "All 120 that refer here by ")] = attribute(n, "href")
		}
	}
	if len(links) != 2 {
		t.Fatalf("the links are %v in %s", links, mainText(a))
	}
	seen, next := 0, links["By"]
	for next != "" {
		p := f.get(t, next, 200)
		seen += len(rows(p.byID(t, "found"))) - 1
		if next = ""; strings.Contains(mainText(p), "Next") {
			next = attribute(p.byID(t, "page-next"), "href")
		}
	}
	if seen != 120 {
		t.Errorf("the pages of the list have %d", seen)
	}
	query, err := url.Parse(links["urn:other:sees"])
	if err != nil || !strings.Contains(query.Query().Get("query"), "<urn:other:sees> <urn:x:Person/ana>") {
		t.Fatalf("the link is %s", links["urn:other:sees"])
	}
	says(t, f.get(t, query.String(), 200), "urn:other:0", "There is more")
}

// TestAListIsATableToDownload holds that the link of a list leads to all of its rows, as its
// filters have them.
func TestAListIsATableToDownload(t *testing.T) {
	f := newExample(t)
	for _, query := range []string{"", "?where=status%3Dmet", "?where=status%3Dmet&limit=1&sort=code&desc=1", "?col=status&col=code"} {
		shown := rows(f.get(t, "/admin/types/Requirement"+strings.Replace(query, "limit=1&", "", 1), 200).byID(t, "list"))
		join := "?"
		if query != "" {
			join = "&"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/types/Requirement"+query+join+"format=csv", nil)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		table, err := csv.NewReader(w.Body).ReadAll()
		if err != nil || w.Code != 200 || len(table) != len(shown) {
			t.Errorf("%s: %d, %v, %d rows, want %d", query, w.Code, err, len(table), len(shown))
		}
		if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") || !strings.Contains(w.Header().Get("Content-Disposition"), `"Requirement.csv"`) {
			t.Errorf("%s: %v", query, w.Header())
		}
	}
	for _, query := range []string{"where=nope%3D1&format=csv", "where=status&format=csv", "format=xls"} {
		f.get(t, "/admin/types/Requirement?"+query, http.StatusBadRequest)
	}
}

// TestBarsBoundAList holds that bars name what a script bounds the list by: with the first and the last of some, the list
// has the rows of these, whatever bounded the property before.
func TestBarsBoundAList(t *testing.T) {
	f := newFixture(t, []byte("types: {Event: {label: title, properties: {title: string, held: date}}}"), admin.Options{})
	for month := 1; month <= 5; month++ {
		for n := range month {
			f.call(t, "event.create", map[string]any{"title": fmt.Sprintf("Event %d", n), "held": fmt.Sprintf("2025-%02d-%d", month, 27+n%2)})
		}
	}
	a := f.get(t, "/admin/types/Event?where=held%3C2030&where=title+starts+Event&sort=title", 200)
	bars := a.find(func(n *html.Node) bool { return attribute(n, "class") == "bars" })
	if len(bars) != 1 {
		t.Fatalf("there are %d pictures of bars", len(bars))
	}
	want, ends := 0, []string{}
	for n := range bars[0].ChildNodes() {
		if value := attribute(n, "data-value"); value >= "2025-02" && value <= "2025-04" {
			count, err := strconv.Atoi(attribute(n, "data-count"))
			if err != nil {
				t.Fatal(err)
			}
			want += count
			ends = append(ends, value)
		}
	}
	at, err := url.Parse(attribute(bars[0], "data-range"))
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	if got := q["where"]; !slices.Equal(got, []string{"title starts Event"}) || q.Get("sort") != "title" {
		t.Fatalf("the list without bounds has the filters %q and the order %q", got, q.Get("sort"))
	}
	property := attribute(bars[0], "data-property")
	q.Add("where", property+">="+ends[0])
	q.Add("where", property+"<="+ends[len(ends)-1])
	list := f.get(t, at.Path+"?"+q.Encode(), 200)
	if want != 9 {
		t.Errorf("three bars count %d rows", want)
	}
	says(t, list, "1–9 of 9")
}
