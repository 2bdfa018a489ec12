package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/e2e/testrun"
)

func TestACreateWithMistakesNamesThemAndKeepsWhatWasWritten(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	before := f.commits(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "ab")
	form.Set("arg.body", "first\r\n<b>second</b>")
	form.Set("arg.priority", "9")
	form.Set("arg.price", "1,5")
	form.Set("arg.due", "tomorrow")
	form.Set("arg.done", "true")
	form.Values["arg.tags"] = []string{"good", "BAD", ""}
	form.Set("arg.author", "Person/nobody")
	form.Set("arg.place", "[1, oops]")
	a := f.press(t, form, call)
	if a.StatusCode != http.StatusUnprocessableEntity || f.commits(t) != before {
		t.Fatalf("got %d", a.StatusCode)
	}
	for _, field := range []string{"title", "priority", "price", "due", "tags", "author", "place"} {
		if len(errorsOf(a, field)) == 0 {
			t.Errorf("no error at %s", field)
		}
	}
	for _, field := range []string{"body", "done", "status"} {
		if got := errorsOf(a, field); len(got) > 0 {
			t.Errorf("%s is fine: %v", field, got)
		}
	}
	says(t, a, "invalid character 'o' looking for beginning of value (line 1, column 5)")
	again := a.form(t, form.action)
	for name, want := range form.Values {
		got := again.Values[name]
		if name == "arg.tags" {
			got, want = got[:2], want[:2]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	again.Set("arg.title", "Long enough")
	again.Set("arg.priority", "5")
	again.Set("arg.price", "1.500000000000000000000001")
	again.Set("arg.due", "2026-12-24")
	again.Values["arg.tags"] = []string{"good", "better"}
	again.Set("arg.author", "Person/ana")
	again.Set("arg.place", "[1, 2.5]")
	again.Set("arg.id", "n1")
	again.Set("arg.message", "First note")
	done := f.press(t, again, call)
	says(t, done, "Note created", "Commit", "Open the Note", "tools/call", "/invoke/note.create", "trails invoke")
	if got := f.commits(t); got != before+1 {
		t.Fatalf("%d commits, want one more than %d", got, before)
	}
	want := map[string][]string{
		"title": {"Long enough"}, "body": {"first\n<b>second</b>"}, "status": {"draft"}, "priority": {"5"}, "price": {"1.500000000000000000000001"},
		"done": {"true"}, "due": {"2026-12-24"}, "tags": {"better", "good"}, "author": {"ana"}, "place": {"[1,2.5]"},
	}
	if diff := cmp.Diff(want, f.values(t, "n1")); diff != "" {
		t.Error(diff)
	}
}

// TestErrorsCanBeFoundByEveryone looks at what assistive technology is told.
func TestErrorsCanBeFoundByEveryone(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "ab")
	a := f.press(t, form, call)
	input := a.byID(t, "f-title")
	if attribute(input, "aria-invalid") != "true" {
		t.Error("the field is not marked as wrong")
	}
	for id := range strings.FieldsSeq(attribute(input, "aria-describedby")) {
		a.byID(t, id)
	}
	summary := a.byID(t, "problems")
	if attribute(summary, "role") != "alert" || !hasAttribute(summary, "autofocus") {
		t.Error("the summary is not announced")
	}
	links := 0
	for n := range summary.Descendants() {
		if n.Data == "a" {
			links++
			a.byID(t, strings.TrimPrefix(attribute(n, "href"), "#"))
		}
	}
	if links != 1 {
		t.Errorf("%d links to fields", links)
	}
}

// What is wrong is listed under the names that the fields have, whether those come from labels or from names.
func TestProblemsNameFieldsAsTheFormDoes(t *testing.T) {
	f := newFixture(t, []byte(`
base: https://tasks.example/
types:
  Task:
    label: fullName
    properties:
      fullName: {type: string, min_length: 3}
      hired_on: {type: date, label: Day of hiring}
      teamSize: {type: integer, max_value: 9}
`), admin.Options{})
	form := f.blank(t, "task.create", "")
	form.Set("arg.fullName", "ab")
	form.Set("arg.hired_on", "soon")
	form.Set("arg.teamSize", "10")
	a := f.press(t, form, call)
	named := map[string]string{}
	for n := range a.byID(t, "problems").Descendants() {
		if n.Data == "a" {
			named[strings.TrimPrefix(attribute(n, "href"), "#f-")] = textOf(n)
		}
	}
	if diff := cmp.Diff(map[string]string{"fullName": "Full name", "hired_on": "Day of hiring", "teamSize": "Team size"}, named); diff != "" {
		t.Error(diff)
	}
	for _, n := range a.find(func(n *html.Node) bool {
		return attribute(n, "class") == "name words" && named[attribute(n, "title")] != ""
	}) {
		if got := textOf(n); got != named[attribute(n, "title")] {
			t.Errorf("the field is called %q, and in the list of problems %q", got, named[attribute(n, "title")])
		}
	}
}

func TestEveryElementOfAFormHasANameAndItsOwnID(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"tags": []string{"a", "b"}, "readers": []string{"Person/ana", "Person/ben"}})
	for _, path := range []string{"note.create", "note.update?id=n1", "note.delete?id=n1", "note.update", "load", "commits_list", "schema_apply"} {
		a := f.get(t, "/admin/capabilities/"+path, http.StatusOK)
		ids, labels := map[string]int{}, map[string]bool{}
		for _, n := range a.find(func(*html.Node) bool { return true }) {
			if id := attribute(n, "id"); id != "" {
				ids[id]++
			}
			if n.Data == "label" {
				labels[attribute(n, "for")] = true
			}
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: %d elements have the id %s", path, n, id)
			}
		}
		for _, n := range a.find(func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" || n.Data == "textarea" }) {
			wrapped := n.Parent.Data == "label"
			if kind := attribute(n, "type"); kind != "hidden" && !wrapped && !labels[attribute(n, "id")] && attribute(n, "aria-label") == "" {
				t.Errorf("%s: %s has no label", path, attribute(n, "name"))
			}
		}
	}
}

// A dry run shows what the answer has beside the counts: its warnings, and the steps of a plan with what they lose.
func TestADryRunShowsWarningsAndSteps(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"priority": 1})
	form := f.blank(t, "mutate", "")
	form.Set("arg.update", "DELETE DATA { <urn:x> <urn:p> 1 }")
	says(t, f.press(t, form, dryRun), "Nothing would change.", "this changes nothing: nothing is said of urn:x")
	form = f.blank(t, "trails.meta.migrate.apply", "")
	form.Set("arg.migrations", `{"name":"0001_x.yaml","text":"steps:\n- update: {forward: 'DELETE WHERE {?n :priority ?p}', reverse: history}\n"}`)
	says(t, f.press(t, form, dryRun), "1 removed", "loses 1 statement: 1 of Note")
}

func TestWhatIsWrongElsewhereNamesItsNodes(t *testing.T) {
	f := newNotes(t)
	for _, id := range []string{"n1", "n2"} {
		f.note(t, id, map[string]any{"priority": 1})
	}
	form := f.blank(t, "mutate", "")
	form.Set("arg.update", "DELETE { ?n :title ?t } WHERE { ?n :title ?t }")
	for _, press := range []string{dryRun, call} {
		says(t, f.press(t, form, press), "1 thing to mend", "Note/n1: Title is required (and so 1 more: Note/n2)")
	}
}

func TestADryRunShowsWhatWouldChangeAndChangesNothing(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"priority": 1, "body": "old"})
	before := f.commits(t)
	form := f.blank(t, "note.update", "?id=n1")
	form.Set("arg.priority", "2")
	form.Set("null.body", "1")
	a := f.press(t, form, dryRun)
	says(t, a, "Preview: nothing was changed", "1 statement added, 2 removed")
	if diff := cmp.Diff([][]string{{"Property", "Now", "Then"}, {"Body", "was old", "removed"}, {"Priority", "was 1", "would be 2"}}, rows(a.find(tag("table"))[0])); diff != "" {
		t.Error(diff)
	}
	if f.commits(t) != before {
		t.Error("the dry run made a commit")
	}
	says(t, f.press(t, a.form(t, form.action), call), "Note changed")
	if got := f.values(t, "n1"); len(got["body"]) > 0 || got["priority"][0] != "2" {
		t.Errorf("got %v", got)
	}
	says(t, f.press(t, f.blank(t, "note.create", ""), dryRun), "1 thing to mend", "Title is required")
}

func TestAnUpdateSaysOnlyWhatWasTouched(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	long := strings.Repeat("long ", 4000)
	f.note(t, "n1", map[string]any{"body": long, "moment": "2026-01-02T03:04:00+01:00", "tags": []string{"a"}, "author": "Person/ana", "size": "123456789012345678901234567890"})
	before := f.commits(t)
	form := f.blank(t, "note.update", "?id=n1")
	a := f.press(t, form, call)
	says(t, a, "Nothing changed")
	if f.commits(t) != before {
		t.Fatal("an untouched form made a commit")
	}
	form = f.blank(t, "note.update", "?id=n1")
	form.Set("arg.title", "Another title")
	says(t, f.press(t, form, call), "Note changed", `"title": "Another title"`, "1 added, 1 removed")
	if got := f.values(t, "n1"); got["title"][0] != "Another title" || len(got["body"]) != 1 {
		t.Errorf("got %v", got)
	}

	form = f.blank(t, "note.update", "?id=n1")
	form.Set("arg.author", "")
	a = f.press(t, form, call)
	if got := errorsOf(a, "author"); len(got) != 1 || !strings.Contains(got[0], "tick “Remove the value”") {
		t.Errorf("got %v", got)
	}
}

// TestNothingIsLostOnTheWayThroughHTML shows values that markup and browsers are known
// to bend, and expects that a form which nobody touched says nothing.
func TestNothingIsLostOnTheWayThroughHTML(t *testing.T) {
	testrun.Alone(t)
	for name, body := range map[string]string{
		"a line end at the beginning":  "\n\nbody",
		"line ends of other systems":   "a\r\nb\rc",
		"spaces at both ends":          "  body \t ",
		"markup":                       "</textarea><b>\"'&amp;&lt;",
		"what cannot be seen":          "a\u202eb\u200b\ufeff",
		"control characters":           "a\x01\x0b\x7f",
		"characters beyond the plane":  "😀\U0001f3f3\ufe0f",
		"a text that looks like JSON":  `{"a": [1, null]}`,
		"a text that is only spaces":   "   ",
		"a long line":                  strings.Repeat("word ", 1000),
		"the names of the form itself": "_key=1&arg.title=2",
	} {
		t.Run(name, func(t *testing.T) {
			f := newNotes(t)
			f.note(t, "n1", map[string]any{"body": body})
			before := f.commits(t)
			form := f.blank(t, "note.update", "?id=n1")
			says(t, f.press(t, form, call), "Nothing changed")
			if f.commits(t) != before {
				t.Error("an untouched form made a commit")
			}
			if form.Get("json.body") != "" {
				return // shown as JSON, with its escapes
			}
			form = f.blank(t, "note.update", "?id=n1")
			form.Del("was.body") // now the value itself is sent
			says(t, f.press(t, form, call), "Nothing changed")
		})
	}
}

func TestADeletionAsksFirst(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"body": "to be lost"})
	before := f.commits(t)
	form := f.blank(t, "note.delete", "?id=n1")
	ask := f.press(t, form, call)
	says(t, ask, "Delete Title of n1?", "4 removed", "to be lost", "Yes, delete it")
	if f.commits(t) != before {
		t.Fatal("it was deleted without a question")
	}
	says(t, f.press(t, ask.form(t, form.action), edit), "Delete Title of n1")
	answered := ask.form(t, form.action)
	says(t, f.press(t, answered, call), "Note deleted", "Its history")
	if f.commits(t) != before+1 {
		t.Error("it was not deleted")
	}
	says(t, f.press(t, answered, call), "replayed: true")
	a := f.get(t, "/admin/capabilities/note.delete?id=n1", http.StatusGone)
	says(t, a, "Deleted")
}

func TestAConfirmationIsForOneCallOnly(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", nil)
	f.note(t, "n2", nil)
	form := f.blank(t, "note.delete", "?id=n1")
	answered := f.press(t, form, call).form(t, form.action)
	other := f.blank(t, "note.delete", "?id=n2")
	answered.Set("arg.id", "n2")
	answered.Set("_seen", other.Get("_seen"))
	before := f.commits(t)
	says(t, f.press(t, answered, call), "Delete Title of n2?")
	if f.commits(t) != before {
		t.Error("the answer for one note deleted another")
	}
}

func TestALossySchemaAndAnOverwritingLoadAskFirst(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"body": "b"})
	form := f.blank(t, "schema_apply", "")
	form.Set("arg.schema", strings.Replace(formSchema, "      body: {type: string}\n", "", 1))
	a := f.press(t, form, call)
	if a.StatusCode == http.StatusOK || a.StatusCode == http.StatusSeeOther {
		t.Fatalf("a loss needs allow_data_loss: %d\n%s", a.StatusCode, mainText(a))
	}
	again := a.form(t, form.action)
	again.Set("arg.allow_data_loss", "true")
	ask := f.press(t, again, call)
	says(t, ask, "What this would do", "body", "loses 1 statement", "Note/n1")
	says(t, f.press(t, ask.form(t, form.action), call), "See the commit")

	load := f.blank(t, "load", "")
	load.Set("arg.data", `{"type":"Person","data":{"name":"cleo"}}`)
	says(t, f.press(t, load, call), "See the commit")
	load = f.blank(t, "load", "")
	load.Set("arg.data", `{"type":"Person","data":{"name":"dora"}}`)
	load.Set("arg.mode", "overwrite")
	before := f.commits(t)
	ask = f.press(t, load, call)
	says(t, ask, "What this would do", "1 record")
	if f.commits(t) != before {
		t.Fatal("the load asked nothing")
	}
	says(t, f.press(t, ask.form(t, load.action), call), "See the commit")

	load = f.blank(t, "load", "")
	load.Set("arg.data", "<urn:s> <urn:p> 1 .")
	load.Set("arg.format", "turtle")
	load.Set("arg.graph", "urn:g")
	load.Set("arg.mode", "replace")
	before = f.commits(t)
	ask = f.press(t, load, call)
	says(t, ask, "What this would do", "1 record")
	if f.commits(t) != before {
		t.Fatal("the load asked nothing")
	}
	says(t, f.press(t, ask.form(t, load.action), call), "See the commit")
}

func TestAFormSentTwiceIsOneCall(t *testing.T) {
	f := newNotes(t)
	before := f.commits(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "Only once")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { f.send(t, form, call) })
	}
	group.Wait()
	if got := f.commits(t); got != before+1 {
		t.Fatalf("%d commits, want one more than %d", got, before)
	}
	says(t, f.press(t, form, call), "replayed: true", "This form had been sent before")

	form.Set("arg.title", "Changed under the same key")
	a := f.press(t, form, call)
	says(t, a, "This form was sent before, with other values")
	if f.commits(t) != before+1 {
		t.Fatal("a changed form was written")
	}
	out := a.form(t, form.action)
	if out.Get("_key") == form.Get("_key") || out.Get("arg.title") != "Changed under the same key" {
		t.Errorf("there is no way out: %v", out)
	}
	says(t, f.press(t, out, call), "Note created")
}

func TestAnUpdateSentTwiceAtOnceIsOneCall(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", nil)
	before := f.commits(t)
	form := f.blank(t, "note.update", "?id=n1")
	form.Set("arg.body", "once")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if a := f.send(t, form, call); a.StatusCode != http.StatusSeeOther {
				t.Errorf("got %d", a.StatusCode)
			}
		})
	}
	group.Wait()
	if got := f.commits(t); got != before+1 {
		t.Errorf("%d commits, want one more than %d", got, before)
	}
}

func TestFieldsThatAreNotThereOrMissing(t *testing.T) {
	f := newNotes(t)
	before := f.commits(t)
	path := "/admin/capabilities/note.create"
	post := func(body string) answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return f.do(t, r)
	}
	says(t, post("_do=call"), "Title is required")
	says(t, post("_do=call&arg.title=Fine&arg.colour=red"), `the form has no field "colour"; what it said ("red") was not used`)
	says(t, post("_do=call&arg.title=Fine&arg.dry_run=true"), `the form has no field "dry_run"`)
	says(t, post("_do=call&arg.title=One&arg.title=Two"), "Title takes one value, not 2")
	says(t, post("_do=call&arg.title="+url.QueryEscape("\xff\xfe\xfd")), "Title is not valid UTF-8")
	says(t, post(""), "Create Note")
	says(t, post("_do=nonsense&arg.title=Fine"), "Create Note")
	says(t, post("%zz"), "the form cannot be read")
	if f.commits(t) != before {
		t.Error("something was written")
	}
	path = "/admin/capabilities/note.update"
	says(t, post("_do=call&arg.title=Fine"), "Which Note?")
	says(t, post("_do=call&arg.id=nowhere&arg.title=Fine"), "It is not there", "What you wrote is still here")
	path = "/admin/capabilities/nothing.create"
	if got := post("_do=call").StatusCode; got != http.StatusNotFound {
		t.Errorf("got %d", got)
	}
}

func TestRowsAreAddedWithoutAScript(t *testing.T) {
	f := newNotes(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "Kept")
	form.Values["arg.tags"] = []string{"a", "b"}
	a := f.press(t, form, "add.tags=1")
	got := a.form(t, form.action)
	if diff := cmp.Diff([]string{"a", "b", "", "", ""}, got.Values["arg.tags"]); diff != "" || got.Get("arg.title") != "Kept" {
		t.Error(diff)
	}
	if a.StatusCode != http.StatusOK || strings.Contains(mainText(a), "to mend") {
		t.Errorf("adding a row is no mistake:\n%s", mainText(a))
	}
	got.Values["arg.tags"] = []string{"a", "b"}
	if diff := cmp.Diff([]string{"b", ""}, f.press(t, got, "drop.tags=0").form(t, form.action).Values["arg.tags"]); diff != "" {
		t.Error(diff)
	}
}

func TestReadsShowTheirResults(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", nil)
	form := f.blank(t, "commits_list", "")
	form.Set("arg.limit", "2")
	a := f.press(t, form, call)
	says(t, a, "Result", "author", "local:ana", "As JSON", "/invoke/commits_list")
	if table := rows(a.find(tag("table"))[0]); len(table) != 3 {
		t.Errorf("%d rows", len(table))
	}
	form.Set("arg.limit", "0")
	says(t, f.press(t, form, call), "Limit must be at least 1")
	says(t, f.press(t, f.blank(t, "health", ""), call), "status", "ok")
}

func TestFilesStandForTexts(t *testing.T) {
	f := newNotes(t)
	before := f.commits(t)
	form := f.blank(t, "load", "")
	form.Del("arg.data")
	form.Set("file.data", `{"type":"Person","data":{"name":"from a file"}}`)
	says(t, f.press(t, form, call), "See the commit")
	if f.commits(t) != before+1 {
		t.Error("nothing was loaded")
	}
}

func TestHowMuchAFormTakes(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", "One megabyte")
	form.Set("arg.id", "big")
	form.Set("arg.body", strings.Repeat("x", 1_000_000))
	says(t, f.press(t, form, call), "Note created")
	if a := f.get(t, "/admin/capabilities/note.update?id=big", http.StatusOK); len(a.text) > 300_000 {
		t.Errorf("the form to edit it has %d bytes", len(a.text))
	} else {
		says(t, a, "a text of 1 000 000 characters, too long to edit here")
		edited := a.form(t, "/admin/capabilities/note.update")
		edited.Set("arg.title", "Still one megabyte")
		says(t, f.press(t, edited, call), "1 added, 1 removed")
	}
	load := f.blank(t, "load", "")
	load.Set("arg.data", strings.Repeat(`{"type":"Person","data":{"name":"the same"}}`+"\n", 40_000))
	says(t, f.press(t, load, dryRun), "40 000 records")
	load.Set("arg.data", strings.Repeat("x", 16<<20))
	says(t, f.press(t, load, dryRun), "the form is larger than 16 MiB")
	form.Set("arg.body", strings.Repeat("x", 1<<20))
	a := f.press(t, form, call)
	if a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", a.StatusCode)
	}
	says(t, a, "the form is larger than 1 MiB")
}

func TestHostileValuesStayText(t *testing.T) {
	f := newNotes(t)
	hostile := "</textarea><script>alert(1)</script>\"' onfocus=alert(1) \u202egnp.exe\x00\n&lt;b&gt;"
	f.call(t, "person.create", map[string]any{"name": "<img src=x onerror=alert(1)>"})
	form := f.blank(t, "note.create", "")
	form.Set("arg.title", hostile)
	form.Set("arg.body", "\n"+hostile)
	form.Set("arg.status", hostile)
	form.Set("arg.priority", `"><script>`)
	form.Set("arg.colour\"><script>", "x")
	a := f.press(t, form, call)
	for _, n := range a.find(tag("script")) {
		if attribute(n, "src") == "" {
			t.Errorf("a script came in: %s", rawText(n))
		}
	}
	for _, n := range a.find(func(n *html.Node) bool { return hasAttribute(n, "onfocus") || hasAttribute(n, "onerror") }) {
		t.Errorf("an attribute came in at %s", n.Data)
	}
	again := a.form(t, form.action)
	seen := strings.NewReplacer("\x00", "\ufffd", "\n", "\r\n").Replace(hostile)
	if diff := cmp.Diff("\r\n"+seen, again.Get("arg.body")); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"note.create", "person.update"} {
		for _, n := range f.get(t, "/admin/capabilities/"+path, http.StatusOK).find(tag("img")) {
			t.Errorf("%s: a label came in as markup: %v", path, n.Attr)
		}
	}
}

func TestTheListOfCapabilities(t *testing.T) {
	testrun.Alone(t)
	f := newNotes(t)
	a := f.get(t, "/admin/capabilities", http.StatusOK)
	says(t, a, "note.create", "schema_apply", "trails.meta.ping", "Create a Note. A short text.")
	for _, n := range a.find(func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "href"), "/admin/capabilities/") }) {
		f.get(t, attribute(n, "href"), http.StatusOK)
	}
	f.get(t, "/admin/capabilities/entity_get", http.StatusNotFound)
	f.get(t, "/admin/capabilities/note.create?nonsense=1", http.StatusBadRequest)
	f.get(t, "/admin/capabilities/note.create/done/nothing", http.StatusNotFound)
}

// A server without a token lets nobody lose data by a schema, and its form says what to do.
func TestALossThatNeedsATokenSaysSo(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"body": "b"})
	pages := admin.New(f.engine, admin.Options{})
	stranger := fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), policy.Anonymous("", policy.AllScopes()))))
	}), f.engine}
	form := stranger.blank(t, "schema_apply", "")
	form.Set("arg.schema", strings.Replace(formSchema, "      body: {type: string}\n", "", 1))
	form.Set("arg.allow_data_loss", "true")
	before := f.commits(t)
	a := stranger.press(t, form, call)
	if a.StatusCode != http.StatusUnauthorized || f.commits(t) != before {
		t.Errorf("status %d", a.StatusCode)
	}
	says(t, a, "This needs the scope builder. Open the sign-in link that this server printed when it was started, or start it with TRAILS_MCP_TOKEN; either with builder in TRAILS_MCP_SCOPES")
}
