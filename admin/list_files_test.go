package admin_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/builtin/view"
	"trails/e2e/testrun"
	"trails/rdf/rdfio"
)

// The rows that are ticked are a file, with the columns and in the order of their list. A row that is not there any more is
// not left out without a word.
func TestTickedRowsAreAFile(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	page := f.get(t, "/admin/types/Requirement?sort=code&desc=1&col=code&col=status&offset=2&limit=5", 200)
	form := formWith(t, page, "list")
	var nodes []string
	for _, box := range page.find(func(n *html.Node) bool { return n.Data == "input" && attribute(n, "name") == "node" }) {
		nodes = append(nodes, attribute(box, "value"))
	}
	if len(nodes) != 5 {
		t.Fatalf("the page has %d boxes", len(nodes))
	}
	shown := rows(page.byID(t, "list"))[1:]
	post := func(file string, nodes ...string) answer {
		return f.sendTo(t, "/admin/types/Requirement/selected", url.Values{"list": form["list"], "download": {"1"}, "file": {file}, "node": nodes, "change": {"set"}})
	}
	for _, kind := range view.ListForms {
		a := post(kind.Name, nodes[3], nodes[1])
		if !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s is no file: %d %s", kind.Name, a.StatusCode, a.text)
		}
	}
	read, err := csv.NewReader(strings.NewReader(post("csv-shown", nodes[3], nodes[1]).text)).ReadAll()
	if err != nil || len(read) != 3 || read[1][1] != shown[1][1] || read[2][1] != shown[3][1] {
		t.Errorf("%v: the rows 2 and 4 of %q are saved as %q", err, shown, read)
	}
	for why, a := range map[string]answer{
		"tick the rows of the list first": post("csv"), "no file of this form": post("pdf", nodes[0]),
		"1 of the 2 rows ticked is not on this page": post("csv", nodes[0], "urn:gone"),
	} {
		if a.StatusCode < 400 || !strings.Contains(mainText(a), why) {
			t.Errorf("%d, and not %q: %s", a.StatusCode, why, mainText(a))
		}
	}
	if commits := f.commits(t); commits != newExample(t).commits(t) {
		t.Errorf("saving made commits: %d", commits)
	}
}

// TestAListIsAFileInEveryForm holds that each form of a list has the rows, and of them the columns, that the list
// shows, and is a link on its page.
func TestAListIsAFileInEveryForm(t *testing.T) {
	f := newExample(t)
	const list = "/admin/types/Requirement?where=status%3Dmet&sort=code&col=code&col=status"
	page := f.get(t, list, 200)
	shown := rows(page.byID(t, "list"))[1:]
	said := map[string]int{} // how often each form says that a requirement is met
	for _, form := range []string{"csv", "csv-raw", "xlsx", "xlsx-shown", "csv-shown", "ndjson", "jsonld", "turtle"} {
		address := list + "&format=" + form
		linked := false
		for _, href := range page.leads("/admin/types/Requirement?") {
			linked = linked || strings.Contains(href, "format="+form) && strings.Contains(href, "where=status%3Dmet") && strings.Contains(href, "col=status")
		}
		if !linked {
			t.Errorf("no link of the page leads to %s", form)
		}
		text := f.get(t, address, 200).text
		switch form {
		case "xlsx", "xlsx-shown":
			text = sheetOf(t, text)
			said[form] = strings.Count(text, ">met</t>")
		case "ndjson":
			said[form] = strings.Count(text, `"status":"met"`)
			loaded := f.call(t, "load", map[string]any{"data": text, "message": "Again"})
			if loaded["commit"] != nil {
				t.Errorf("the list as NDJSON is loaded as %v: it has something else than the graph", loaded)
			}
		case "turtle":
			said[form] = strings.Count(text, `"met"`)
			if _, err := readAll(rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{})); err != nil {
				t.Error(err)
			}
		case "jsonld":
			said[form] = strings.Count(text, `"met"`)
			if _, err := readAll(rdfio.NewJSONLDReader(strings.NewReader(text), "", rdfio.Limits{}, nil)); err != nil {
				t.Error(err)
			}
		default:
			said[form] = strings.Count(text, ",met\n")
		}
	}
	for form, n := range said {
		if n != len(shown) || n == 0 {
			t.Errorf("%s: %d rows, the page has %d", form, n, len(shown))
		}
	}
	for _, form := range []string{"jsonld", "turtle"} {
		a := f.get(t, "/admin/types/Component?col=name&col=dependsOn.name&format="+form, http.StatusBadRequest)
		if !strings.Contains(mainText(a), "dependsOn.name") {
			t.Errorf("%s with a path: %s", form, mainText(a))
		}
	}
}

// A file as shown has the heads of the page and labels for references, and no ids.
func TestAFileAsShownHasWhatPeopleSee(t *testing.T) {
	f := newFixture(t, []byte(`base: "urn:t:"
types:
  Team: {label: name, properties: {name: string}}
  Person:
    label: fullName
    properties:
      fullName: {type: string, label: Name and surname}
      hiredOn: date
      team: {class: Team, many: true}
`), admin.Options{})
	f.call(t, "load", map[string]any{"data": `{"type":"Team","id":"a","data":{"name":"=Sales"}}
{"type":"Team","id":"b","data":{"name":"Support, second"}}
{"type":"Person","id":"p","data":{"fullName":"Zoe","hiredOn":"2023-05-01","team":["Team/a","Team/b"]}}
{"type":"Person","id":"q","data":{}}`})
	const list = "/admin/types/Person?sort=fullName&col=team&col=hiredOn&col=team.name&format="
	got, err := csv.NewReader(strings.NewReader(f.get(t, list+"csv-shown", 200).text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := []string{"Name and surname", "Team", "Hired on", "Team › Name"}
	zoe := []string{"Zoe", "'=Sales, Support, second", "2023-05-01", "'=Sales, Support, second"}
	if want := [][]string{head, zoe, {"q", "", "", ""}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sheet := sheetOf(t, f.get(t, list+"xlsx-shown", 200).text)
	for _, text := range append(head, "Zoe", "=Sales, Support, second") {
		if !strings.Contains(sheet, ">"+text+"</t>") {
			t.Errorf("the sheet has no %q: %s", text, sheet)
		}
	}
	if strings.Contains(sheet, "Team/a") || strings.Contains(sheet, ">2023-05-01</t>") {
		t.Errorf("the sheet has ids, or its days are texts: %s", sheet)
	}
}

// TestACellIsNoFormula holds that a spreadsheet runs nothing of a list, and that a program gets what is there.
func TestACellIsNoFormula(t *testing.T) {
	f := newFixture(t, []byte(`base: "urn:t:"
types:
  Sum:
    label: name
    properties:
      name: {type: string, required: true}
      size: {type: integer}
`), admin.Options{})
	texts := []string{"=1+1", "+1+1", "-a", "@a", "\ta", "\ra", "'a", "a=1"}
	for _, text := range texts {
		f.call(t, "sum_create", map[string]any{"name": text, "size": -5})
	}
	cells := func(form string) map[string]bool {
		table, err := csv.NewReader(strings.NewReader(f.get(t, "/admin/types/Sum?format="+form, 200).text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, row := range table[1:] {
			out[row[1]] = true
			if row[2] != "-5" {
				t.Errorf("%s: a number is %q", form, row[2])
			}
		}
		return out
	}
	safe, raw := cells("csv"), cells("csv-raw")
	for i, text := range texts {
		if text = strings.ReplaceAll(text, "\ra", "\na"); text == "\na" {
			continue // a reader of CSV has line breaks as it likes
		}
		want := text
		if i < 5 {
			want = "'" + text
		}
		if !safe[want] || !raw[text] {
			t.Errorf("%q: %q is not in %v, or it is not in %v", text, want, safe, raw)
		}
	}
}

func readAll(r rdfio.Reader) (n int, err error) {
	for {
		if _, err = r.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}

// sheetOf is the XML of a workbook's sheet.
func sheetOf(t *testing.T, file string) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader([]byte(file)), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := r.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
