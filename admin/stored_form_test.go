package admin_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// storedFixture is a graph of notes with stored queries.
func storedFixture(t testing.TB, queries ...string) fixture {
	t.Helper()
	f := newNotes(t)
	for _, id := range []string{"a", "b", "c"} {
		f.note(t, id, map[string]any{"priority": len(id) + int(id[0]-'a'), "author": "ana", "due": "2026-01-0" + string('1'+id[0]-'a')})
	}
	for _, q := range queries {
		f.call(t, "trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": q}}})
	}
	return f
}

const notesBy = "#+ id: notes_by\n#+ description: Notes of an author.\n#+ params:\n#+   author: ref(Person)\n#+   since: {type: date, nullable: true}\n" +
	"#+   most: {type: int, default: 5, max_value: 9}\n#+   titles: {type: list(string), nullable: true}\n#+   done: {type: bool, nullable: true}\n" +
	"SELECT ?note ?title ?priority { ?note :author ?author ; :title ?title, ?titles ; :priority ?priority ; :due ?due FILTER(?priority <= ?most && (!BOUND(?since) || ?due >= ?since) && !BOUND(?done)) } ORDER BY ?title"

func TestTheFormOfAStoredQueryHasAFieldForEachParameter(t *testing.T) {
	f := storedFixture(t, notesBy, "#+ id: all\nASK { ?n :title ?t }")
	const path = "/admin/capabilities/notes_by"
	page := f.get(t, path+"?params.author=Person/ana", 200)
	checkPage(t, path, page)
	for id, kind := range map[string]string{"f-params-author": "text", "f-params-since": "date", "f-params-most": "number"} {
		if n := page.byID(t, id); attribute(n, "type") != kind {
			t.Errorf("%s is a %s", id, attribute(n, "type"))
		}
	}
	says(t, page, "Author required", "5 when left out", "a Person: type to search", "Done", "not set", "Add a row")
	known := page.byID(t, "f-params-author-known")
	if got := attribute(known.FirstChild, "value"); got != "Person/ana" {
		t.Errorf("the first author to choose is %q", got)
	}
	if got := f.get(t, "/admin/suggest?class=Person&arg.params.author=Person/b", 200).text; !strings.Contains(got, "Person/ben") || strings.Contains(got, "Person/ana") {
		t.Errorf("suggested are %s", got)
	}

	form := page.form(t, path)
	titles := func(a answer) []string {
		tables := a.find(func(n *html.Node) bool { return n.Data == "table" })
		if len(tables) == 0 {
			return nil
		}
		var out []string
		for _, row := range rows(tables[0])[1:] {
			out = append(out, row[1])
		}
		return out
	}
	for _, c := range []struct {
		set  map[string]string
		want []string
	}{
		{nil, []string{"Title of a", "Title of b", "Title of c"}},
		{map[string]string{"params.since": "2026-01-02"}, []string{"Title of b", "Title of c"}},
		{map[string]string{"params.most": "2"}, []string{"Title of a", "Title of b"}},
		{map[string]string{"params.titles": "Title of c"}, []string{"Title of c"}},
	} {
		form := filled{form.action, maps.Clone(form.Values)}
		for name, v := range c.set {
			form.Set("arg."+name, v)
		}
		a := f.press(t, form, call)
		if got := titles(a); !slices.Equal(got, c.want) {
			t.Errorf("with %v: %q\n%s", c.set, got, mainText(a))
		}
		says(t, a, "trails invoke", `"author":"Person/ana"`)
	}
	form.Set("arg.params.author", "")
	form.Set("arg.params.most", "10")
	a := f.press(t, form, call)
	if got := errorsOf(a, "params.author"); len(got) != 1 {
		t.Errorf("of the author it says %q:\n%s", got, mainText(a))
	}
	if got := errorsOf(a, "params.most"); len(got) != 1 {
		t.Errorf("of most it says %q", got)
	}
	says(t, f.press(t, f.blank(t, "all", ""), call), "true")
}

// stored is what the file has stored under a name; "" for nothing.
func (f fixture) stored(t testing.TB, name string) string {
	t.Helper()
	for _, q := range f.call(t, "stored_query_list", map[string]any{})["queries"].([]any) {
		if q.(map[string]any)["name"] == name {
			return f.call(t, "stored_query_list", map[string]any{"name": name})["queries"].([]any)[0].(map[string]any)["text"].(string)
		}
	}
	return ""
}

func TestThePageOfQueriesOpensAStoredQueryAndAsksIt(t *testing.T) {
	f := storedFixture(t, notesBy)
	page := f.get(t, "/admin/query", 200)
	if got := page.links("/admin/query?stored="); !slices.Equal(got, []string{"/admin/query?stored=notes_by"}) {
		t.Fatalf("listed are %q", got)
	}
	page = f.get(t, "/admin/query?stored=notes_by", 200)
	checkPage(t, "an opened one", page)
	says(t, page, "stored notes_by (author: Person, since: date?", "Author required", "5 when left out", "Remove…", "Save")
	form := page.form(t, "/admin/query")
	if form.Get("query") != strings.ReplaceAll(notesBy, "\n", "\r\n") {
		t.Errorf("the editor holds %q", form.Get("query"))
	}
	a := f.press(t, form, "run=1")
	checkPage(t, "without a value", a)
	if got := errorsOf(a, "params.author"); a.StatusCode != 400 || len(got) != 1 || got[0] != "author is required" {
		t.Errorf("%d, of the author it says %q:\n%s", a.StatusCode, got, mainText(a))
	}
	form.Set("arg.params.author", "Person/ana")
	form.Set("arg.params.since", "2026-01-02")
	a = f.press(t, form, "run=1")
	if got := column(a.table(t)); !slices.Equal(got, []string{"Note/b", "Note/c"}) {
		t.Errorf("the rows are %q", got)
	}
	link := ""
	for _, l := range a.links("/admin/query?") {
		if strings.Contains(l, "params.author") {
			link = l
		}
	}
	again := f.get(t, link, 200)
	if got := column(again.table(t)); !slices.Equal(got, []string{"Note/b", "Note/c"}) {
		t.Errorf("its link shows %q", got)
	}
	form.Set("limit", "1")
	form.Set("query", strings.Replace(form.Get("query"), "ORDER BY ?title", "ORDER BY DESC(?title)", 1))
	a = f.press(t, form, "run=1")
	rows := append(column(a.table(t)), column(f.posted(t, a.view(t, "page-next")).table(t))...)
	if !slices.Equal(rows, []string{"Note/c", "Note/b"}) {
		t.Errorf("the pages of a changed text are %q", rows)
	}
	a = f.press(t, form, "add.params.titles=1")
	if got := len(a.find(func(n *html.Node) bool { return attribute(n, "name") == "arg.params.titles" })); got != 3 || len(a.find(tag("table"))) != 0 {
		t.Errorf("there are %d rows for titles", got)
	}
}

func TestThePageOfQueriesStoresReplacesAndRemoves(t *testing.T) {
	f := storedFixture(t)
	form := f.get(t, "/admin/query", 200).form(t, "/admin/query")
	form.Set("query", "SELECT ?note WHERE {\r\n  ?note :titel ?title }")
	a := f.press(t, form, "do=save")
	checkPage(t, "no name", a)
	says(t, a, "Nothing was stored", "the query needs a name")
	form.Set("id", "titles")
	form.Set("description", "Notes: by title")
	a = f.press(t, form, "do=save")
	checkPage(t, "stored", a)
	says(t, a, "Stored: titles()", "titles, line 4, column 9", "did you mean :title?", "/queries/titles")
	want := "#+ id: titles\n#+ description: 'Notes: by title'\nSELECT ?note WHERE {\n  ?note :titel ?title }"
	if got := f.stored(t, "titles"); got != want {
		t.Errorf("stored is %q", got)
	}
	form = a.form(t, "/admin/query")
	if got := form.Get("query"); got != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Errorf("the editor holds %q", got)
	}
	before := f.commits(t)
	says(t, f.press(t, form, "do=save"), "It was so before; nothing changed")
	fixed := strings.Replace(form.Get("query"), "titel", "title", 1)
	form.Set("query", fixed)
	a = f.press(t, form, "do=save")
	checkPage(t, "asked", a)
	says(t, a, "Replace titles?", "?note :titel ?title")
	if f.commits(t) != before {
		t.Error("something was stored")
	}
	// Another text than the one that was shown is not replaced.
	answer := filled{"/admin/query", a.form(t, "/admin/query").Values}
	for _, n := range a.find(func(n *html.Node) bool { return attribute(n, "class") == "view" }) {
		answer.Values = controlsOf(n)
	}
	f.call(t, "trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": want + " # now"}}})
	says(t, f.press(t, answer, "do=save"), "Replace titles?", "# now")
	f.call(t, "trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": want}}})
	says(t, f.press(t, answer, "do=save"), "Stored: titles()")
	if got := f.stored(t, "titles"); !strings.Contains(got, ":title ?title") {
		t.Errorf("stored is %q", got)
	}
	a = f.press(t, form, "do=remove")
	says(t, a, "Remove titles?")
	if f.stored(t, "titles") == "" {
		t.Error("it was removed before it was asked")
	}
	for _, n := range a.find(func(n *html.Node) bool { return attribute(n, "class") == "view" }) {
		answer.Values = controlsOf(n)
	}
	says(t, f.press(t, answer, "do=remove"), "Removed: titles")
	if f.stored(t, "titles") != "" {
		t.Error("it is still there")
	}
}

func TestAStoredQueryIsNamedByATitleAndARefusedOneStaysAsWritten(t *testing.T) {
	f := storedFixture(t)
	const wrong = "SELECT ?note WHERE {\r\n  ?note :title }"
	form := f.get(t, "/admin/query", 200).form(t, "/admin/query")
	form.Set("query", wrong)
	form.Set("id", "My list")
	form.Set("description", "What I look at")
	a := f.press(t, form, "do=save")
	says(t, a, "Nothing was stored", "Lines are counted in the text that would be stored")
	form = a.form(t, "/admin/query")
	if got := []string{form.Get("query"), form.Get("id"), form.Get("description")}; !slices.Equal(got, []string{wrong, "My list", "What I look at"}) {
		t.Errorf("after a refusal the form has %q", got)
	}
	for _, n := range a.find(func(n *html.Node) bool { return hasAttribute(n, "data-line") }) {
		if attribute(n, "data-line") != "2" || hasAttribute(n, "data-text") {
			t.Errorf("the mistake is at line %s of the editor", attribute(n, "data-line"))
		}
	}
	if f.stored(t, "my_list") != "" {
		t.Error("it was stored")
	}
	form.Set("query", strings.Replace(wrong, ":title }", ":title ?title }", 1))
	says(t, f.press(t, form, "do=save"), "Stored: my_list()")
}

func TestWhatIsWrongWithAStoredQueryHasItsPlaceOnThePage(t *testing.T) {
	f := storedFixture(t)
	for text, c := range map[string]struct{ line, says string }{
		"#+ id: x\nSELECT ?n {\n ?n :title }":                                 {"3", "Nothing was stored"},
		"#+ id: x\n#+ params: {a: nope}\nASK { ?a ?b ?c }":                    {"2", "nope"},
		"#+ id: x\n#+ params:\n#+   a: string\nASK { ?n :title ?t }":          {"3", "params.a"},
		"#+ id: x\nASK { ?n :title ?t FILTER(?t = ?title) }":                  {"2", "?title has no value"},
		"#+ id: x\n#+ description: a: b\nASK {}":                              {"2", "not YAML"},
		"#+ id: x\n#+ expos: true\nASK {}":                                    {"2", `did you mean "expose"?`},
		"#+ id: note.create\nASK {}":                                          {"0", "belongs to the built-in capability note.create"},
		"#+ id: x\nINSERT { ?n :priority 9 } WHERE {\n ?n a :Note }":          {"2", "9"},
		"#+ id: x\n#+ params: {a: {type: int, default: b}}\nASK { ?a ?b ?c }": {"2", "default"},
	} {
		a := f.posted(t, map[string][]string{"query": {text}, "do": {"save"}, "part": {"answer"}})
		marked := a.find(func(n *html.Node) bool { return hasAttribute(n, "data-line") })
		if len(marked) != 1 || attribute(marked[0], "data-line") != c.line || !strings.Contains(textOf(a.doc), c.says) || a.StatusCode < 400 {
			t.Errorf("%q: %d %s", text, a.StatusCode, textOf(a.doc))
		}
		if f.stored(t, "x") != "" {
			t.Fatalf("%q was stored", text)
		}
	}
}
