package admin_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/invoke"
)

// upload posts a file to the page of imports, and returns the address of its plan.
func (f fixture) upload(t *testing.T, name, text string) (planned string) {
	t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	file, err := parts.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", &body)
	r.Header.Set("Content-Type", parts.FormDataContentType())
	a := f.do(t, r)
	if a.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", name, a.StatusCode, mainText(a))
	}
	return a.Header.Get("Location")
}

// decide posts the form of a plan with some of its fields changed, pressing a button.
func (f fixture) decide(t *testing.T, plan answer, do string, changed map[string]string) answer {
	t.Helper()
	values := url.Values{}
	for _, n := range plan.find(func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" }) {
		for up := n.Parent; up != nil; up = up.Parent {
			if up.Data == "form" && attribute(up, "class") == "import" {
				values.Set(attribute(n, "name"), attribute(n, "value"))
				for o := range n.Descendants() {
					if o.Data == "option" && hasAttribute(o, "selected") {
						values.Set(attribute(n, "name"), attribute(o, "value"))
					}
				}
			}
		}
	}
	for name, v := range changed {
		values.Set(name, v)
	}
	values.Set("_do", do)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return f.do(t, r)
}

// staff is a table with three bad rows of eleven: dates that are none, and a salary that is no number.
const staff = "No,Name,Hired,Salary\n1,Ana,13/4/2023,1\n2,Bo,2023-01-02,2\n3,Cy,soon,3\n4,Di,5 Jan 2023,4\n5,Ed,1/2/2023,a lot\n6,Flo,1/2/2023,6\n7,Gus,1/2/2023,7\n8,Hal,1/2/2023,8\n9,Ina,1/2/2023,9\n10,Jo,1/2/2023,10\n11,Kim,1/2/2023,11\n"

func TestASpreadsheetIsImportedAndTakenBack(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	if text := mainText(f.get(t, "/admin", http.StatusOK)); !strings.Contains(text, "Begin with your data") || !strings.Contains(text, "Begin with a library") {
		t.Errorf("the overview of an empty graph is no way in: %s", text)
	}
	plan := f.get(t, f.upload(t, "staff.csv", staff), http.StatusOK)
	if text := mainText(plan); !strings.Contains(text, "9 rows fit, 2 do not") || !strings.Contains(text, "soon") {
		t.Fatalf("the plan: %s", text)
	}
	checkPage(t, "/admin/import", plan)
	if a := f.decide(t, plan, "load", nil); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("all of it was loaded, with bad rows: %d", a.StatusCode)
	}
	// A bad cell is mended in its place, and another column is decided.
	plan = f.decide(t, plan, "check", map[string]string{"cell.4.2": "3/4/2023", "kind.3": "string", "type": "Worker"})
	if text := mainText(plan); !strings.Contains(text, "11 rows fit.") && !strings.Contains(text, "11 rows fit; they become instances of the new type Worker") {
		t.Fatalf("after mending: %s", text)
	}
	done := f.decide(t, plan, "load", map[string]string{"kind.3": "string"})
	if done.StatusCode != http.StatusOK || !strings.Contains(mainText(done), "11 rows were loaded") {
		t.Fatalf("%d %s", done.StatusCode, mainText(done))
	}
	checkPage(t, "/admin/import", done)
	if got := f.call(t, "get", map[string]any{"ids": []string{"Worker/3"}}); !strings.Contains(fmt.Sprint(got), "2023-04-03") {
		t.Errorf("the mended cell is not what was loaded: %v", got)
	}
	again := f.decide(t, plan, "load", map[string]string{"kind.3": "string"})
	if commits := f.call(t, "commits_list", map[string]any{})["rows"]; again.StatusCode != http.StatusOK || strings.Count(fmt.Sprint(commits), "import staff.csv") != 1 {
		t.Errorf("sent twice: %d, %v", again.StatusCode, commits)
	}
	f.call(t, "undo", map[string]any{"commit": "head"})
	if types := mainText(f.get(t, "/admin", http.StatusOK)); !strings.Contains(types, "Begin with your data") {
		t.Errorf("after the undo: %s", types)
	}
}

// TestThePlanSaysHowATableIsRead holds that a mistake leads to the field that mends it, and that nothing is read
// otherwise than it is written without a word.
func TestThePlanSaysHowATableIsRead(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "staff.csv", strings.Replace(staff, "a lot", "n/a", 1)), http.StatusOK)
	text := mainText(plan)
	for _, want := range []string{`Hired: 1 cell. "soon" is not a valid date`, `taken as empty: 1 cell of staff.csv such as "n/a"`, "The new type, with its rules", `dates such as "13/4/2023" are read as dmy`} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not say %q: %s", want, text)
		}
	}
	links := plan.find(func(n *html.Node) bool { return n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "#cell.") })
	if len(links) != 1 {
		t.Errorf("%d links lead to bad cells", len(links))
	}
	for _, n := range links {
		if to := plan.byID(t, strings.TrimPrefix(attribute(n, "href"), "#")); to.Data != "input" {
			t.Errorf("%s leads to %s", attribute(n, "href"), to.Data)
		}
	}
	several := f.get(t, f.upload(t, "tags.csv", "No,Tag\n1,red; green\n2,blue\n"), http.StatusOK)
	if text := mainText(several); !strings.Contains(text, "several valuesstring, several") {
		t.Errorf("that a column has several values is not said: %s", text)
	}
}

// TestWhatCanBeReadInTwoWaysIsAskedBeforeItIsLoaded holds that no button loads cells as texts because nobody has said what they
// are, and that it can be said that they are texts.
func TestWhatCanBeReadInTwoWaysIsAskedBeforeItIsLoaded(t *testing.T) {
	for field, c := range map[string]struct{ rows, asks, decided, is string }{
		"dates":              {"Name,Hired\nAna,4/12/2023\nBo,5/11/2023\n", "how dates such as 5/11/2023 are read", "dmy", "2023-12-04"},
		"decimal":            {"Name;Paid\nAna;1,250\nBo;2,500\n", "how numbers such as 2,500 are read", ".", "1250"},
		"decimal of a point": {"Name;Paid\nAna;1.250\nBo;2.500\n", "how numbers such as 2.500 are read", ",", "1250"},
	} {
		field, ofPoint := strings.CutSuffix(field, " of a point")
		for _, decided := range []string{c.decided, map[bool]string{false: "texts", true: "."}[ofPoint]} {
			f := newFixture(t, nil, admin.Options{})
			plan := f.get(t, f.upload(t, "staff.csv", c.rows), http.StatusOK)
			asked := plan.find(func(n *html.Node) bool { return n.Data == "select" && attribute(n, "name") == field })
			if len(asked) != 1 || !hasAttribute(asked[0], "required") {
				t.Fatalf("%s: it is not asked: %s", field, mainText(plan))
			}
			if a := f.decide(t, plan, "load", nil); a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(mainText(a), c.asks) {
				t.Errorf("%s: %d %s", field, a.StatusCode, mainText(a))
			}
			done := f.decide(t, plan, "load", map[string]string{field: decided, "type": "Worker"})
			if done.StatusCode != http.StatusOK {
				t.Fatalf("%s as %s: %d %s", field, decided, done.StatusCode, mainText(done))
			}
			got := fmt.Sprint(f.call(t, "list", map[string]any{"type": "Worker"}))
			if is := strings.Contains(got, c.is); is != (decided == c.decided) {
				t.Errorf("%s as %s: %s", field, decided, got)
			}
		}
	}
}

// TestColumnsOfLabelsAreReferences holds that a column such as Manager with the labels of other rows is read as what it is, also
// where one of them is none, and that a column of labels with any other name is not.
func TestColumnsOfLabelsAreReferences(t *testing.T) {
	rows := "Name,Manager,Nickname\n"
	for i := range 20 {
		rows += fmt.Sprintf("Person %d,Person %d,Person %d\n", i, i/4, i/2)
	}
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "people.csv", strings.Replace(rows, "Person 19,Person 4", "Person 19,Nobody", 1)), http.StatusOK)
	if text := mainText(plan); !strings.Contains(text, "19 rows fit, 1 does not") || !strings.Contains(text, "nearly all are labels of People") {
		t.Fatalf("%s", text)
	}
	done := f.decide(t, plan, "load", map[string]string{"cell.21.1": "Person 4"})
	if text := mainText(done); !strings.Contains(text, "20 rows were loaded") {
		t.Fatalf("%d %s", done.StatusCode, text)
	}
	for path, want := range map[string]int{"manager.name": 4, "nickname": 2} {
		got := f.call(t, "list", map[string]any{"type": "People", "where": []map[string]any{{"property": path, "value": "Person 2"}}})
		if fmt.Sprint(got["total"]) != fmt.Sprint(want) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestReferencesOfATableStayWithItsRowsWhenTheirTypeIsNamed holds that two decisions made at once do not clash.
func TestReferencesOfATableStayWithItsRowsWhenTheirTypeIsNamed(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "people.csv", "Name,Reports to\nAna,\nBo,Ana\n"), http.StatusOK)
	if text := mainText(f.decide(t, plan, "check", map[string]string{"kind.1": "Peple"})); !strings.Contains(text, "datetime, time, uri nor a type that is here") {
		t.Errorf("what is refused is not told to its end: %s", text)
	}
	plan = f.decide(t, plan, "check", map[string]string{"type": "Person", "kind.1": "People"})
	if text := mainText(plan); plan.StatusCode != http.StatusOK || !strings.Contains(text, "2 rows fit; they become instances of the new type Person") {
		t.Fatalf("%d %s", plan.StatusCode, text)
	}
	if done := f.decide(t, plan, "load", map[string]string{"type": "Human"}); !strings.Contains(mainText(done), "2 rows were loaded") {
		t.Fatalf("%d %s", done.StatusCode, mainText(done))
	}
	if got := fmt.Sprint(f.call(t, "list", map[string]any{"type": "Human", "where": []map[string]any{{"property": "reportsTo.name", "value": "Ana"}}})); !strings.Contains(got, "Bo") {
		t.Error(got)
	}
}

func TestRowsThatDoNotFitAreGivenBack(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "staff.csv", staff), http.StatusOK)
	done := f.decide(t, plan, "load-good", nil)
	if !strings.Contains(mainText(done), "9 rows were loaded") {
		t.Fatalf("%d %s", done.StatusCode, mainText(done))
	}
	links := done.find(func(n *html.Node) bool { return strings.Contains(attribute(n, "href"), "rejected") })
	if len(links) != 1 {
		t.Fatalf("%d links lead to the rows that were left out", len(links))
	}
	back := f.get(t, attribute(links[0], "href"), http.StatusOK)
	if !strings.Contains(back.text, "5,Ed,1/2/2023,a lot") || !strings.HasPrefix(back.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("what is given back: %s", back.text)
	}
}

// TestRowsThatDoNotFitAreMendedWhereTheyStand holds that the page of the result is the form for them, again and again until all
// are loaded, and that each row is loaded once.
func TestRowsThatDoNotFitAreMendedWhereTheyStand(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "staff.csv", staff), http.StatusOK)
	done := f.decide(t, plan, "load-good", nil)
	checkPage(t, "/admin/import", done)
	if text := mainText(done); !strings.Contains(text, "2 rows do not fit and were left out") || !strings.Contains(text, "Load all 2") || strings.Contains(text, "read amiss") {
		t.Fatalf("the result: %s", text)
	}
	still := f.decide(t, done, "load", map[string]string{"cell.2.2": "3/4/2023"})
	if text := mainText(still); still.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "1 row fits, 1 does not") {
		t.Fatalf("one of two is mended: %d %s", still.StatusCode, text)
	}
	some := f.decide(t, still, "load-good", nil)
	if text := mainText(some); !strings.Contains(text, "1 row was loaded") || !strings.Contains(text, "1 row does not fit and was left out") {
		t.Fatalf("the mended one alone: %s", text)
	}
	all := f.decide(t, some, "load", map[string]string{"cell.2.3": "5"})
	if text := mainText(all); all.StatusCode != http.StatusOK || !strings.Contains(text, "1 row was loaded: 1 new") || strings.Contains(text, "left out") {
		t.Fatalf("the last: %d %s", all.StatusCode, text)
	}
	if list := f.call(t, "list", map[string]any{"type": "Staff", "limit": 100}); fmt.Sprint(list["total"]) != "11" {
		t.Errorf("%v rows of 11", list["total"])
	}
}

func TestRecordsThatDoNotFitAreMendedAsText(t *testing.T) {
	f := newFixture(t, []byte("types: {Person: {label: name, properties: {name: {type: string}, age: {type: integer}}}}"), admin.Options{})
	plan := f.get(t, f.upload(t, "p.ndjson", `{"type":"Person","data":{"name":"Ana","age":7}}`+"\n"+`{"type":"Person","data":{"name":"Bo","age":"old"}}`+"\n"), http.StatusOK)
	done := f.decide(t, plan, "load-good", nil)
	form := done.form(t, "/admin/import")
	if text := form.Get("text"); !strings.Contains(text, `"old"`) {
		t.Fatalf("the form has %q: %s", text, mainText(done))
	}
	form.Set("text", strings.Replace(form.Get("text"), `"old"`, "8", 1))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	again := f.get(t, f.do(t, r).Header.Get("Location"), http.StatusOK)
	if text := mainText(again); !strings.Contains(text, "1 row fits") {
		t.Errorf("after mending: %s", text)
	}
}

func TestAnImportIsOfItsCaller(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	planned := f.upload(t, "staff.csv", staff)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, planned, nil)
	w := httptest.NewRecorder()
	admin.New(f.engine, admin.Options{}).ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), policy.Local("bo", ""))))
	if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "Ana") {
		t.Errorf("another caller with the address: %d", w.Code)
	}
}

func TestHostileFilesAreRefusedOrShownAsTheyAre(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	for name, text := range map[string]string{
		"markup.csv": "<script>alert(1)</script>,\"\"\"><img src=x onerror=alert(1)>\",{{.}}\n1,<b>x</b>,\u202ex\n2,y,z\n",
		"same.csv":   "a,a,a,,\n1,2,3,4,5\n", "noheader.csv": "", "open.csv": "a,b\n\"x,1", "bomb.xlsx": "PK\x03\x04" + strings.Repeat("\x00", 5000), "a.pdf": "%PDF-1.7",
	} {
		if text == "" {
			text = "\n"
		}
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, f.upload(t, name, text), nil))
		if a.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", name, a.StatusCode, mainText(a))
		}
		checkPage(t, name, a)
		if len(a.find(func(n *html.Node) bool {
			return n.Data == "b" && n.FirstChild != nil && n.FirstChild.Data == "x" || n.Data == "img"
		})) > 0 {
			t.Errorf("%s: markup of the file is markup of the page", name)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", strings.NewReader("text="))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a := f.do(t, r); a.StatusCode != http.StatusBadRequest || !strings.Contains(mainText(a), "choose a file") {
		t.Errorf("nothing was sent: %d %s", a.StatusCode, mainText(a))
	}
}

// TestAFileThatCannotBeReadIsRefusedWithThePlace holds that whoever looks at a file that is refused as a whole knows where in
// it to look.
func TestAFileThatCannotBeReadIsRefusedWithThePlace(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	for name, c := range map[string]struct{ text, want string }{
		"open.csv":   {"a,b\n1,2\n\"x,1" + strings.Repeat("y\n", 9<<20), "open.csv:3:1: the quote"},
		"nul.csv":    {"a,b\n1,2\x003\n", "nul.csv:2:3: the cell has a NUL character"},
		"open.json":  {"[{\"a\":1},\n{\"a\":2}", "open.json:2: the JSON array does not end"},
		"short.csv":  {"a,b\n1\n2\n", "short.csv:2:2: the row has 1 cell"},
		"deep.json":  {"[{\"a\":1},\n{\"a\":" + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}]", "deep.json:2: "},
		"wrong.json": {"[{\"a\":1},\n{\"a\":}]", "wrong.json:2: "},
	} {
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, f.upload(t, name, c.text), nil))
		if text := mainText(a); !strings.Contains(text, c.want) || a.StatusCode == http.StatusOK {
			t.Errorf("%s: %d, want %q: %s", name, a.StatusCode, c.want, text)
		}
	}
}

// sendPiece posts a piece of a file as the script of the page does, and returns the answer.
func (f fixture) sendPiece(t *testing.T, key, text string) answer {
	t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for name, v := range map[string]string{"append": key, "more": "yes", "type": "Worker"} {
		if err := parts.WriteField(name, v); err != nil {
			t.Fatal(err)
		}
	}
	file, err := parts.CreateFormFile("file", "staff.csv")
	if err == nil {
		_, err = file.Write([]byte(text))
	}
	if err = cmp.Or(err, parts.Close()); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", &body)
	r.Header.Set("Content-Type", parts.FormDataContentType())
	return f.do(t, r)
}

func TestAFileComesInPieces(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	half := len(staff) / 2
	first := f.sendPiece(t, "", staff[:half])
	if a := f.sendPiece(t, first.text, staff[half:]); a.text != first.text {
		t.Fatalf("the second piece is kept under %q, the first under %q", a.text, first.text)
	}
	if text := mainText(f.get(t, "/admin/import?data="+first.text, http.StatusOK)); !strings.Contains(text, "9 rows fit, 2 do not; they become instances of the new type Worker") {
		t.Errorf("the plan: %s", text)
	}
	if a := f.sendPiece(t, "nothing", "x"); a.StatusCode != http.StatusNotFound {
		t.Errorf("a piece of what is not kept: %d", a.StatusCode)
	}
}

func TestDecisionsOutliveWhatWasSent(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	plan := f.get(t, f.upload(t, "staff.csv", staff), http.StatusOK)
	gone := f.decide(t, plan, "check", map[string]string{"data": "gone", "kind.3": "string", "type": "Worker"})
	if text := mainText(gone); gone.StatusCode != http.StatusNotFound || !strings.Contains(text, "choose the file again") {
		t.Fatalf("%d %s", gone.StatusCode, text)
	}
	kept := map[string]string{}
	for _, n := range gone.find(func(n *html.Node) bool { return n.Data == "input" }) {
		kept[attribute(n, "name")] = attribute(n, "value")
	}
	if kept["kind.3"] != "string" || kept["name.3"] != "Salary" || kept["type"] != "Worker" {
		t.Errorf("the form has %v", kept)
	}
}

func TestRowsOfATypeThatIsThereAreFoundByAColumn(t *testing.T) {
	f := newFixture(t, []byte("types: {Person: {label: name, properties: {name: {type: string}, age: {type: integer}}}}"), admin.Options{})
	for _, name := range []string{"Ana", "Bo"} {
		f.call(t, "create", map[string]any{"type": "Person", "data": map[string]any{"name": name, "age": 7}})
	}
	plan := f.get(t, f.upload(t, "person.csv", "Name,Age\nAna,7\nBo,8\nCy,9\n"), http.StatusOK)
	if text := mainText(plan); !strings.Contains(text, "3 new, 0 changed, 0 equal") {
		t.Errorf("by ids: %s", text)
	}
	plan = f.decide(t, plan, "check", map[string]string{"by": "Name"})
	if text := mainText(plan); !strings.Contains(text, "1 new, 1 changed, 1 equal") {
		t.Errorf("by name: %s", text)
	}
	if done := mainText(f.decide(t, plan, "load", map[string]string{"by": "Name", "mode": "skip"})); !strings.Contains(done, "1 new, 0 changed, 2 equal") {
		t.Errorf("done: %s", done)
	}
}

func TestAnEmptyGraphIsBegunWithTheExample(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	door := f.get(t, "/admin", http.StatusOK)
	forms := door.find(func(n *html.Node) bool { return n.Data == "form" && attribute(n, "action") == "/admin/import/example" })
	if len(forms) != 1 {
		t.Fatalf("%d forms begin with the example", len(forms))
	}
	begin := func() answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import/example", strings.NewReader("_key=once"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return f.do(t, r)
	}
	done := begin()
	if text := mainText(done); done.StatusCode != http.StatusOK || !strings.Contains(text, "Look at Requirement") {
		t.Fatalf("%d %s", done.StatusCode, text)
	}
	checkPage(t, "/admin/import/example", done)
	if got := fmt.Sprint(f.call(t, "get", map[string]any{"ids": []string{"Requirement/R-013", "Component/httpapi-admin"}})); !strings.Contains(got, "met") || !strings.Contains(got, "wcag-2.2") {
		t.Errorf("the example is not as it is after its story: %s", got)
	}
	begin() // again, as a click sent twice
	commits := fmt.Sprint(f.call(t, "commits_list", map[string]any{})["rows"])
	if strings.Count(commits, "import the example") != 1 {
		t.Errorf("sent twice: %s", commits)
	}
	f.call(t, "undo", map[string]any{"commit": "head"})
	if text := mainText(f.get(t, "/admin", http.StatusOK)); !strings.Contains(text, "Begin with the example") {
		t.Errorf("after the undo: %s", text)
	}
}

func TestWhatWasSentIsForgottenWhenItIsCancelled(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	first := f.sendPiece(t, "", staff)
	cancel := func() answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", strings.NewReader("_do=cancel&data="+first.text))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return f.do(t, r)
	}
	if a := cancel(); a.StatusCode != http.StatusOK || !strings.Contains(mainText(a), "What was sent of staff.csv is gone") {
		t.Errorf("%d %s", a.StatusCode, mainText(a))
	}
	if a := f.sendPiece(t, first.text, "x"); a.StatusCode != http.StatusNotFound {
		t.Errorf("a further piece: %d", a.StatusCode)
	}
	if a := cancel(); a.StatusCode != http.StatusNotFound {
		t.Errorf("again: %d", a.StatusCode)
	}
	f.get(t, "/admin/import?data="+first.text, http.StatusNotFound)
}

// planCounter counts the plans of imports that are asked for.
type planCounter struct {
	admin.Engine
	plans int
}

func (c *planCounter) Call(ctx context.Context, call invoke.Call) (invoke.Result, error) {
	if call.Capability == "import_plan" {
		c.plans++
	}
	return c.Engine.Call(ctx, call)
}

func TestAPlanIsMadeAgainOnlyForOtherDecisions(t *testing.T) {
	for name, c := range map[string]struct {
		changed map[string]string
		plans   int
	}{"as shown": {nil, 0}, "another kind": {map[string]string{"kind.3": "string"}, 1}, "a mended cell": {map[string]string{"cell.4.2": "3/4/2023"}, 1}, "an emptied cell": {map[string]string{"cell.4.2": ""}, 1}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil, admin.Options{})
			counted := &planCounter{Engine: f.engine}
			f.Handler = known(admin.New(counted, admin.Options{}))
			plan := f.get(t, f.upload(t, "staff.csv", staff), http.StatusOK)
			counted.plans = 0
			done := f.decide(t, plan, "load-good", c.changed)
			if !strings.Contains(mainText(done), "rows were loaded") || counted.plans != c.plans+1 { // and one for the rows that are left out
				t.Errorf("%d plans, want %d: %s", counted.plans, c.plans, mainText(done))
			}
		})
	}
}

// TestWhoeverIsSecondSeesThePlanOfNow has two people who look at the same rows before one of them imports.
func TestWhoeverIsSecondSeesThePlanOfNow(t *testing.T) {
	testrun.Alone(t)
	const again = "looked at again"
	for name, c := range map[string]struct {
		mode, want string // of the second, and what it is told
		status     int
	}{
		"append refuses what is there":          {"append", "0 rows fit, 11 do not", http.StatusUnprocessableEntity},
		"merge asks for what it would replace":  {"", "Remove 11 statements of what is there", http.StatusConflict},
		"skip passes over what is there by now": {"skip", "0 new, 0 changed, 11 equal", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixtureOf(t, nil, admin.Options{}, invoke.Config{MassChange: 10})
			f.decide(t, f.get(t, f.upload(t, "rooms.csv", "Code,Size\nR-1,1\nR-2,1\n"), http.StatusOK), "load", map[string]string{"id": "Code", "type": "Room"})
			table := func(size int) string {
				text := "Code,Size\n"
				for i := range 11 {
					text += fmt.Sprintf("S-%d,%d\n", i, size)
				}
				return text
			}
			first := f.get(t, f.upload(t, "rooms.csv", table(1)), http.StatusOK)
			second := f.decide(t, f.get(t, f.upload(t, "rooms.csv", table(2)), http.StatusOK), "check", map[string]string{"mode": c.mode})
			if text := mainText(second); !strings.Contains(text, "11 new, 0 changed, 0 equal") {
				t.Fatalf("the plan of the second: %s", text)
			}
			if done := f.decide(t, first, "load", nil); !strings.Contains(mainText(done), "11 new, 0 changed, 0 equal") {
				t.Fatalf("the first: %d %s", done.StatusCode, mainText(done))
			}
			done := f.decide(t, second, "load", nil)
			if text := mainText(done); done.StatusCode != c.status || !strings.Contains(text, c.want) || strings.Contains(text, again) != (c.status != http.StatusOK) {
				t.Errorf("the second: %d %s", done.StatusCode, text)
			}
			if c.mode == "" {
				if agreed := f.decide(t, done, "load", map[string]string{"mass": "1"}); !strings.Contains(mainText(agreed), "0 new, 11 changed, 0 equal") {
					t.Errorf("after agreeing: %d %s", agreed.StatusCode, mainText(agreed))
				}
			}
		})
	}
}

// TestAnImportThatRemovesMuchAsksFirst has rows that replace a value of more nodes than a call may change without consent.
func TestAnImportThatRemovesMuchAsksFirst(t *testing.T) {
	f := newFixtureOf(t, nil, admin.Options{}, invoke.Config{MassChange: 10})
	table := func(size int) string {
		var b strings.Builder
		b.WriteString("Code,Size\n")
		for i := range 11 {
			fmt.Fprintf(&b, "R-%d,%d\n", i, size)
		}
		return b.String()
	}
	first := f.get(t, f.upload(t, "rooms.csv", table(1)), http.StatusOK)
	if done := f.decide(t, first, "load", map[string]string{"id": "Code", "type": "Room"}); done.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", done.StatusCode, mainText(done))
	}
	planned := f.upload(t, "rooms.csv", table(2))
	const asks = "Remove 11 statements of what is there"
	plan := f.get(t, planned, http.StatusOK)
	if text := mainText(plan); !strings.Contains(text, asks) {
		t.Errorf("the plan does not ask: %s", text)
	}
	refused := f.decide(t, plan, "load", map[string]string{"mass": ""})
	if text := mainText(refused); refused.StatusCode != http.StatusConflict || !strings.Contains(text, "Nothing was changed: tick") || !strings.Contains(text, asks) {
		t.Errorf("%d %s", refused.StatusCode, text)
	}
	done := f.decide(t, refused, "load", map[string]string{"mass": "1"})
	if text := mainText(done); done.StatusCode != http.StatusOK || !strings.Contains(text, "0 new, 11 changed, 0 equal") {
		t.Errorf("%d %s", done.StatusCode, text)
	}
}

// TestEachBadCellHasItsOwnAdvice holds that the cells of one column do not share the advice of the first of them.
func TestEachBadCellHasItsOwnAdvice(t *testing.T) {
	f := newFixture(t, []byte("types: {Person: {iri: preserve, label: name, properties: {name: string, boss: {class: Person}}}}"), admin.Options{})
	for id, name := range map[string]string{"1": "Alexander", "2": "Bartholomew"} {
		f.call(t, "create", map[string]any{"type": "Person", "id": id, "data": map[string]any{"name": name}})
	}
	rows := "id,name,boss\n"
	for i, boss := range []string{"Alexandre", "nobody", "none", "no", "not", "never", "Bartolomew"} {
		rows += fmt.Sprintf("%d,P%d,%s\n", i+3, i+3, boss)
	}
	text := mainText(f.get(t, f.upload(t, "people.csv", rows), http.StatusOK))
	for _, want := range []string{`did you mean "Alexander"?`, `line 8 “Bartolomew” (`, `did you mean "Bartholomew"?`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said: %s", want, text)
		}
	}
	if !strings.Contains(text, "line 3 “nobody” line 4") {
		t.Errorf("what is the same for all is said again: %s", text)
	}
}

func TestRowsThatReferToABadOneAreCountedApart(t *testing.T) {
	f := newFixture(t, []byte("types: {Person: {iri: preserve, label: name, properties: {name: string, age: integer, boss: {class: Person}}}}"), admin.Options{})
	text := mainText(f.get(t, f.upload(t, "people.csv", "id,name,age,boss\n1,Ana,old,\n2,Bo,31,1\n3,Cy,32,2\n4,Di,33,\n"), http.StatusOK))
	for _, want := range []string{"1 row fits, 1 does not, 2 refer to it", `boss refers to a row that is left out itself, "people.csv:2"`, `line 4 “2” (boss refers to a row that is left out itself, "people.csv:3")`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said: %s", want, text)
		}
	}
}
