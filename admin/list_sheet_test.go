package admin_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"trails/admin"
)

// sheetCell is a cell of a sheet as ECMA-376, part 1, §18.3.1.4 has it.
type sheetCell struct {
	Place   string  `xml:"r,attr"`
	Type    string  `xml:"t,attr"`
	Style   string  `xml:"s,attr"`
	Value   string  `xml:"v"`
	Text    string  `xml:"is>t"`
	Formula *string `xml:"f"`
}

// says is what a spreadsheet shows: a date as a day, a truth value as true or false, and a text or a number as it is.
func (c sheetCell) says(t *testing.T) string {
	t.Helper()
	switch {
	case c.Formula != nil:
		t.Errorf("%s is a formula: %s", c.Place, *c.Formula)
	case c.Type == "inlineStr":
		return strings.ReplaceAll(c.Text, "_x005F_", "_") // §22.9.2.19
	case c.Type == "b":
		return map[string]string{"1": "true", "0": "false"}[c.Value]
	case c.Style == "2":
		days, err := strconv.Atoi(c.Value)
		if err != nil {
			t.Errorf("%s is no day: %v", c.Place, err)
		}
		return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days).Format(time.DateOnly)
	}
	return c.Value
}

// kind is what a spreadsheet takes the cell for.
func (c sheetCell) kind() string {
	switch {
	case c.Place == "" || c.Type == "inlineStr":
		return "text"
	case c.Type == "b":
		return "boolean"
	case c.Style == "2":
		return "date"
	}
	return "number"
}

// shownIn is a cell of a list's page as a sheet has it: a day or time as programs write it, a node as Type/id.
func shownIn(cell *html.Node) string {
	var out []string
	for n := range cell.Descendants() {
		if n.Data != "li" {
			continue
		}
		text := textOf(n)
		for in := range n.Descendants() {
			switch {
			case in.Data == "time":
				text = attribute(in, "datetime")
			case in.Data == "a" && strings.HasPrefix(attribute(in, "href"), "/admin/types/"):
				text = strings.TrimPrefix(attribute(in, "href"), "/admin/types/")
			}
		}
		out = append(out, strings.ReplaceAll(text, "\u202f", ""))
	}
	return strings.Join(out, ";")
}

// The sheet has what the page of the list shows, cell by cell: dates as dates, numbers as numbers where no digit is lost,
// references by their names, and texts whole, whatever is in them.
func TestASheetHasWhatTheListShows(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Team: {label: name, properties: {name: string}}
  Thing:
    label: name
    properties:
      name: {type: string, required: true}
      born: date
      seen: datetime
      size: integer
      price: decimal
      code: string
      open: boolean
      page: uri
      team: {class: Team}
      tags: {type: string, many: true}
`), admin.Options{})
	f.call(t, "team.create", map[string]any{"id": "reds", "name": "The Reds"})
	long := strings.Repeat("very long ", 2000)
	things := map[string]map[string]any{
		"a": {"name": "Plain", "born": "2024-02-29", "seen": "2024-02-29T12:30:00Z", "size": 42, "price": "19.50", "code": "007", "open": true, "page": "https://example.org/?a=1&b=2", "team": "reds", "tags": []string{"x", "y"}},
		"b": {"name": "=1+1", "born": "1899-12-31", "size": -5, "price": "-0.001", "code": "=HYPERLINK(\"https://evil.example\")", "open": false},
		"c": {"name": "شركة النور", "code": "שלום and left to right", "size": 1234567890123456},
		"d": {"name": "Long", "code": long, "born": "9999-12-31"},
		"e": {"name": "Lines", "code": "one\ntwo _x0041_ <b>&amp;</b>", "tags": []string{"ab", "c"}, "born": "1900-03-01"},
	}
	for _, id := range slices.Sorted(maps.Keys(things)) {
		things[id]["id"] = id
		f.call(t, "thing.create", things[id])
	}
	const list = "/admin/types/Thing?sort=name&col=born&col=seen&col=size&col=price&col=code&col=open&col=page&col=team&col=tags"
	var sheet struct {
		Rows []struct {
			Cells []sheetCell `xml:"c"`
		} `xml:"sheetData>row"`
	}
	if err := xml.Unmarshal([]byte(sheetOf(t, f.get(t, list+"&format=xlsx", 200).text)), &sheet); err != nil {
		t.Fatal(err)
	}
	written := map[string]map[string]sheetCell{} // by node and column
	heads := map[string]string{}
	for i, row := range sheet.Rows {
		cells := map[string]sheetCell{}
		for _, c := range row.Cells {
			column := strings.TrimRight(c.Place, "0123456789")
			if i == 0 {
				heads[column] = c.Text
			}
			cells[heads[column]] = c
		}
		written[cells["node"].Text] = cells
	}
	page := f.get(t, list, 200)
	body := page.find(func(n *html.Node) bool { return n.Data == "tr" && strings.Contains(attribute(n, "data-key"), "Thing/") })
	if len(body) != len(things) || len(written) != len(things)+1 {
		t.Fatalf("the page has %d rows, the sheet %d", len(body), len(written)-1)
	}
	columns := []string{"born", "seen", "size", "price", "code", "open", "page", "team", "tags"}
	for _, tr := range body {
		key := attribute(tr, "data-key")
		id := key[strings.LastIndexByte(key, '/')+1:]
		row := written["Thing/"+id]
		cells := slices.DeleteFunc(slices.Collect(tr.ChildNodes()), func(n *html.Node) bool { return attribute(n, "class") == "tick" })
		if got := row["label"].says(t); got != textOf(cells[0]) {
			t.Errorf("%s is called %q, on the page %q", id, got, textOf(cells[0]))
		}
		for i, column := range columns {
			said := strings.ReplaceAll(row[column].says(t), "\n", " ")
			if want := shownIn(cells[i+1]); said != want && !(strings.HasSuffix(want, "…") && strings.HasPrefix(said, strings.TrimSuffix(want, "…"))) {
				t.Errorf("%s of %s: the sheet has %.80q, the page %.80q", column, id, said, want)
			}
		}
	}
	for place, want := range map[string]string{
		"a born": "date", "b born": "text", "d born": "date", "e born": "date", // a sheet has no day before 1 March 1900 that every program reads alike
		"a size": "number", "b size": "number", "c size": "text", "a price": "number", "b price": "number",
		"a code": "text", "b code": "text", "a open": "boolean", "b open": "boolean", "b label": "text", "a page": "text", "a team": "text",
	} {
		id, column, _ := strings.Cut(place, " ")
		if got := written["Thing/"+id][column].kind(); got != want {
			t.Errorf("%s is a %s in the sheet, want a %s: %+v", place, got, want, written["Thing/"+id][column])
		}
	}
	if got := written["Thing/d"]["code"].Text; got != long {
		t.Errorf("a long text has %d characters, want %d", len(got), len(long))
	}
	if got := written["Thing/e"]["code"].Text; got != strings.ReplaceAll(fmt.Sprint(things["e"]["code"]), "_x0041_", "_x005F_x0041_") {
		t.Errorf("a text with lines is %q", got)
	}
}
