package admin_test

import "testing"

func TestAPageTellsWhoSaidEachValue(t *testing.T) {
	f := newBranches(t)
	f.call(t, "note.update", map[string]any{"id": "a", "author": "Person/ben", "message": "Give it to Ben"})
	a := f.get(t, "/admin/types/Note/a", 200)
	for _, href := range linkTo(a, "Who said this") {
		a = f.get(t, href, 200)
	}
	says(t, a, "Who said this", "AuthorPersonPerson/ben", "Give it to Benana", "note.update", "TitlestringTitle of a")
	if got := linked(a, "/admin/types/Person/ben"); len(got) == 0 {
		t.Error("the author is no link")
	}
	review := f.get(t, "/admin/types/Note/a?blame=1&branch=review", 200)
	says(t, review, "By review", "Call it otherwise", "trails://kg/Note/a?branch=review", "id=a branch=review")
	says(t, f.get(t, "/admin/types/Note/a?blame=1&at=head~1", 200), "TitlestringTitle of a")
	f.get(t, "/admin/types/Note/a?blame=2", 400)
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
