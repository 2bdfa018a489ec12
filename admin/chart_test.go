package admin_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// TestAListIsAChart holds that a chart counts the rows of the list by the values of a property, as the list itself
// filtered by each has them, and says so in its picture and in the table beneath.
func TestAListIsAChart(t *testing.T) {
	f := newExample(t)
	for _, by := range []string{"status", "title", "priority"} {
		a := f.get(t, "/admin/types/Requirement?by="+by, 200)
		sum := 0
		for _, row := range rows(a.byID(t, "numbers"))[1:] {
			n, err := strconv.Atoi(row[len(row)-1])
			if err != nil {
				t.Fatalf("%s: %v", by, row)
			}
			sum += n
		}
		if whole := len(rows(f.get(t, "/admin/types/Requirement", 200).byID(t, "list"))) - 1; sum != whole {
			t.Errorf("the chart by %s counts %d rows, the list has %d", by, sum, whole)
		}
		checkPage(t, by, a)
	}
	a := f.get(t, "/admin/types/Component?by=follows", 200)
	checked := 0
	for n := range a.byID(t, "numbers").Descendants() {
		if n.Data != "a" {
			continue
		}
		row := rows(n.Parent.Parent.Parent)
		for _, cells := range row {
			if cells[0] == textOf(n) {
				list := f.get(t, attribute(n, "href"), 200)
				if got := strconv.Itoa(len(rows(list.byID(t, "list"))) - 1); got != cells[1] {
					t.Errorf("%s: %s in the chart, %s in the list that it leads to", cells[0], cells[1], got)
				}
				checked++
			}
		}
	}
	if checked < 3 || !strings.Contains(mainText(a), "have several values of follows and count for each") {
		t.Errorf("%d groups are checked: %s", checked, mainText(a))
	}
	for _, kind := range []string{"bar", "stacked", "line", "pie", "heat"} {
		a := f.get(t, "/admin/types/Component?by=satisfies&split=follows&chart="+kind, 200)
		if len(a.find(func(n *html.Node) bool {
			return n.Data == "svg" && strings.Contains(attribute(n, "aria-label"), "satisfies")
		})) != 1 {
			t.Errorf("%s is not drawn", kind)
		}
		checkPage(t, kind, a)
	}
	for _, kind := range []string{"time", "scatter"} {
		if a := f.get(t, "/admin/types/Requirement?by=title&chart="+kind, 200); !strings.Contains(mainText(a), "choose bars") {
			t.Errorf("%s of texts: %s", kind, mainText(a))
		}
	}
	f.get(t, "/admin/types/Requirement?by=nope", http.StatusBadRequest)
	f.get(t, "/admin/types/Requirement?by=status&sum=title", http.StatusBadRequest)
	f.get(t, "/admin/types/Requirement?by=status&chart=radar", http.StatusBadRequest)
}

// TestTimesAreCountedByDayOrLonger holds that a time series of many days goes by months.
func TestTimesAreCountedByDayOrLonger(t *testing.T) {
	f := newFixture(t, []byte(`base: "urn:t:"
types:
  Visit:
    label: name
    properties:
      name: {type: string, required: true}
      day: {type: date}
      hours: {type: integer}
`), admin.Options{})
	var data strings.Builder
	for i := range 80 {
		day := strconv.Itoa(i%28 + 1)
		if len(day) == 1 {
			day = "0" + day
		}
		data.WriteString(`{"type":"Visit","data":{"name":"v","hours":2,"day":"2024-0` + strconv.Itoa(i/28+1) + "-" + day + `"}}` + "\n")
	}
	f.call(t, "load", map[string]any{"data": data.String(), "message": "visits"})
	got := rows(f.get(t, "/admin/types/Visit?by=day&sum=hours", 200).byID(t, "numbers"))[1:]
	want := [][]string{{"2024-01", "56"}, {"2024-02", "56"}, {"2024-03", "48"}}
	if len(got) != 3 || got[0][1] != want[0][1] || got[1][0] != want[1][0] || got[2][1] != want[2][1] {
		t.Errorf("got %v, want %v", got, want)
	}
	a := f.get(t, "/admin/types/Visit?by=day&where=day%3C2024-01-03&where=day%3D2024-01-01", 200)
	if got := rows(a.byID(t, "numbers")); len(got) != 2 || strings.Contains(mainText(a), "have no rows") {
		t.Errorf("one day: %v", got)
	}
	f.call(t, "load", map[string]any{"data": `{"type":"Visit","data":{"name":"v","day":"2024-06-01"}}`, "message": "a later visit"})
	a = f.get(t, "/admin/types/Visit?by=day", 200)
	if got := rows(a.byID(t, "numbers")); len(got) != 7 || got[4][1] != "0" || got[5][1] != "0" || got[6][1] != "1" || !strings.Contains(mainText(a), "2 of 6 months have no rows; they are drawn as 0.") {
		t.Errorf("months without rows: %v: %s", got, mainText(a))
	}
	if a := f.get(t, "/admin/types/Visit?where=day%3D2024-02", 200); len(rows(a.byID(t, "list"))) != 29 {
		t.Error("a month of the chart does not lead to its rows")
	}
}
