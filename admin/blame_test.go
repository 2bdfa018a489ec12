package admin_test

import (
	"strings"
	"testing"

	"trails/admin"
)

func TestAPageTellsWhoSaidEachValue(t *testing.T) {
	f := newBranches(t)
	f.call(t, "note.update", map[string]any{"id": "a", "author": "Person/ben", "message": "Give it to Ben"})
	a := f.get(t, "/admin/types/Note/a", 200)
	for _, href := range linkTo(a, "Who said this") {
		a = f.get(t, href, 200)
	}
	says(t, a, "Who said this", "AuthorPersonben", "Give it to Benana", "note.update", "TitlestringTitle of a")
	if got := linked(a, "/admin/types/Person/ben"); len(got) == 0 {
		t.Error("the author is no link")
	}
	review := f.get(t, "/admin/types/Note/a?blame=1&branch=review", 200)
	says(t, review, "By review", "Call it otherwise", "trails://kg/Note/a?branch=review", "id=a branch=review")
	says(t, f.get(t, "/admin/types/Note/a?blame=1&at=head~1", 200), "TitlestringTitle of a")
	f.get(t, "/admin/types/Note/a?blame=2", 400)
}

// Values look the same wherever a page shows them: times as people read them, and nodes by their labels, also those of a
// property that leads to nodes of any type.
func TestValuesLookTheSameWhereItIsToldWhoSaidThem(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Band: {label: title, key: code, iri: key, properties: {title: string, code: {type: string, required: true}, since: {type: datetime}, day: {type: date}, near: {class: Band}, uses: {type: iri, many: true}}}
`), admin.Options{})
	one := f.call(t, "band.create", map[string]any{"code": "one", "title": "The first band"})["iri"]
	f.call(t, "band.create", map[string]any{"code": "two", "title": "The second band"})
	f.call(t, "band.update", map[string]any{"id": "two", "since": "2019-08-26T15:03:02.577Z", "day": "2019-08-26", "near": "one", "uses": []any{one, "urn:elsewhere"}})
	for _, path := range []string{"/admin/types/Band/two?blame=1", "/admin/types/Band/two", "/admin/types/Band/two/history", "/admin/commits/head", "/admin/diff?from=head~1&to=head"} {
		a := f.get(t, path, 200)
		says(t, a, "26 Aug 2019, 15:03:02", "26 August 2019", "urn:elsewhere")
		if got := linkTo(a, "The first band"); len(got) < 2 || !strings.HasPrefix(got[0], "/admin/types/Band/one") {
			t.Errorf("%s: the band is linked as %q", path, got)
		}
	}
}

// linkTo are the addresses of the links with a text.
func linkTo(a answer, text string) []string {
	var out []string
	for _, n := range a.find(tag("a")) {
		if textOf(n) == text {
			out = append(out, attribute(n, "href"))
		}
	}
	return out
}
