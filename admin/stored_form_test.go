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
	for id, kind := range map[string]string{"f-params.author": "text", "f-params.since": "date", "f-params.most": "number"} {
		if n := page.byID(t, id); attribute(n, "type") != kind {
			t.Errorf("%s is a %s", id, attribute(n, "type"))
		}
	}
	says(t, page, "author required", "5 when left out", "a Person: type to search", "done", "not set", "Add a row")
	known := page.byID(t, "f-params.author-known")
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
