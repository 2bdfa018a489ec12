package admin_test

import (
	"testing"

	"golang.org/x/net/html"
)

func TestThePageOfDifferencesTellsThemByNode(t *testing.T) {
	f := newBranches(t)
	a := f.get(t, "/admin/diff?to=review", 200)
	says(t, a, "to review", "changedNote/a", "titlewas Title of ais By review", "removedNote/b", "madeNote/c")
	for _, where := range []string{"/admin/types/Note/a?branch=review", "/admin/types/Note/c?branch=review"} {
		if got := linked(a, where); len(got) != 1 {
			t.Errorf("%s is linked as %v", where, got)
		}
	}
	for _, n := range a.find(tag("a")) {
		if textOf(n) == "Note/b" {
			says(t, f.get(t, attribute(n, "href"), 200), "Title of b")
		}
	}
	offered := a.find(func(n *html.Node) bool {
		return n.Data == "option" && n.Parent.Data == "datalist" && attribute(n, "value") == "review"
	})
	if len(offered) != 1 {
		t.Errorf("review is offered %d times", len(offered))
	}
	one := f.get(t, "/admin/diff?from=main&to=review&node=Note/c", 200)
	if got := linked(one, "/admin/types/Note/a?branch=review"); len(got) != 0 {
		t.Error("another node is shown")
	}
	says(t, one, "madeNote/c")
	says(t, f.get(t, "/admin/diff?from=main&to=main", 200), "No statement differs")
	says(t, f.get(t, "/admin/diff?to=review&form=update", 200), "INSERT DATA", "By review")
	says(t, f.get(t, "/admin/diff?to=review&form=patch", 200), "By review")
	says(t, f.get(t, "/admin/diff?to=nothing", 404), "nothing")
}

// What a merge of the branch has to decide stands above what differs, with the way there.
func TestThePageOfDifferencesTellsClashes(t *testing.T) {
	f := newBranches(t)
	if a := f.get(t, "/admin/diff?to=review", 200); len(linked(a, "/admin/merge?source=review")) != 0 {
		t.Error("a branch without clashes has some")
	}
	f.call(t, "note.update", map[string]any{"id": "a", "title": "By main"})
	a := f.get(t, "/admin/diff?from=main&to=review", 200)
	says(t, a, "1 clash of a merge", "Note/a.title: was Title of a; By main on main, By review on review")
	if got := linked(a, "/admin/merge?source=review&target=main"); len(got) != 1 {
		t.Errorf("the merge is linked as %v", got)
	}
	says(t, f.get(t, "/admin/merge?source=review&target=main", 200), "By main", "By review")
}
