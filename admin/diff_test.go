package admin_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestThePageOfDifferencesTellsThemByNode(t *testing.T) {
	f := newBranches(t)
	a := f.get(t, "/admin/diff?to=review", 200)
	says(t, a, "to review", "changedBy review", "Titlewas Title of ais By review", "removedTitle of b", "madeNew there")
	for _, where := range []string{"/admin/types/Note/a?branch=review", "/admin/types/Note/c?branch=review"} {
		if got := linked(a, where); len(got) != 1 {
			t.Errorf("%s is linked as %v", where, got)
		}
	}
	followed := 0
	for _, n := range a.find(tag("a")) {
		if textOf(n) == "Title of b" {
			says(t, f.get(t, attribute(n, "href"), 200), "Title of b")
			followed++
		}
	}
	if followed != 1 {
		t.Errorf("%d links lead to what was removed", followed)
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
	says(t, one, "madeNew there")
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

// References are called by the labels of their nodes, those of before in the state before and those of after in the state
// after, and types by their names.
func TestTheValuesOfADifferenceLeadToTheirStates(t *testing.T) {
	f := newExample(t)
	f.call(t, "branches_create", map[string]any{"name": "draft"})
	f.call(t, "component.update", map[string]any{"branch": "draft", "id": "kg", "title": "The graph anew", "dependsOn": []string{"db", "fault"}})
	f.call(t, "standard.update", map[string]any{"branch": "draft", "id": "mcp", "title": "MCP as it lives"})
	a := f.get(t, "/admin/diff?from=main&to=draft", 200)
	says(t, a, "changedThe graph anewComponent", "Titlewas The graph as a valueis The graph anew", "Depends onwas ", "changedMCP as it livesStandard")
	for where, text := range map[string]string{
		"/admin/types/Component/validate?branch=main": "Constraints on every write", "/admin/types/Component/fault?branch=draft": "The meanings of errors", "/admin/types/Component/kg?branch=draft": "The graph anew",
	} {
		if got := linked(a, where); len(got) != 1 || !strings.Contains(mainText(a), text) {
			t.Errorf("%s is linked as %v, and the page says %s", where, got, mainText(a))
		}
	}
	f.call(t, "standard.delete", map[string]any{"branch": "draft", "id": "mcp", "detach": true})
	says(t, f.get(t, "/admin/diff?from=main&to=draft&node=Standard/mcp", 200), "removedModel Context ProtocolStandard", "Typewas Standard")
}
