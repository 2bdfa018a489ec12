package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// newBranches serves notes with the branch review, on which one note is called otherwise, another is gone and one is new.
func newBranches(t testing.TB) fixture {
	t.Helper()
	f := newNotes(t)
	f.note(t, "a", map[string]any{"tags": []string{"x"}})
	f.note(t, "b", nil)
	f.call(t, "branches_create", map[string]any{"name": "review"})
	f.call(t, "note.update", map[string]any{"branch": "review", "id": "a", "title": "By review", "message": "Call it otherwise"})
	f.call(t, "note.delete", map[string]any{"branch": "review", "id": "b"})
	f.call(t, "note.create", map[string]any{"branch": "review", "id": "c", "title": "New there"})
	return f
}

func TestThePageOfBranchesTellsHowFarTheyAre(t *testing.T) {
	f := newBranches(t)
	says(t, f.get(t, "/admin/branches", 200), "review 3 ahead 0 behind", "from main at")
	f.call(t, "note.create", map[string]any{"id": "d", "title": "On main"})
	says(t, f.get(t, "/admin/branches", 200), "review 3 ahead 1 behind")
	f.call(t, "branches_merge", map[string]any{"source": "review"})
	f.call(t, "note.create", map[string]any{"branch": "review", "id": "e", "title": "After the merge"})
	says(t, f.get(t, "/admin/branches", 200), "review 1 ahead 2 behind", "Merged ", "changed title of Note “By review”")
}

func TestBranchesAreMadeAndDeletedInForms(t *testing.T) {
	f := newBranches(t)
	form := f.get(t, "/admin/branches", 200).form(t, "/admin/capabilities/branches_create")
	form.Set("arg.name", "draft/ana")
	form.Set("arg.from", "review")
	says(t, f.press(t, form, call), "Branch created", "draft/ana", "All branches")
	says(t, f.get(t, "/admin/branches", 200), "draft/ana 0 ahead 0 behind", "from review at")
	f.press(t, f.blank(t, "branches_delete", "?name=draft/ana"), call)
	if a := f.get(t, "/admin/branches", 200); strings.Contains(mainText(a), "draft/ana") {
		t.Error("it is still there")
	}
}

// The forms that the page links to say what it says of them.
func TestBranchesAndTagsAreChangedInForms(t *testing.T) {
	f := newBranches(t)
	f.press(t, f.blank(t, "branches_protect", "?name=main"), call)
	a := f.get(t, "/admin/branches", 200)
	says(t, a, "main protected", "No commit has a tag")
	for capability, want := range map[string]int{"branches_protect": 2, "branches_rename": 1, "branches_reset": 1, "tags_create": 1} {
		links := a.leads("/admin/capabilities/" + capability)
		if len(links) != want {
			t.Errorf("%s is linked as %q", capability, links)
		}
		for _, path := range links {
			f.get(t, path, 200)
		}
	}
	if n := len(f.limited(t).get(t, "/admin/branches", 200).leads("/admin/capabilities/branches_protect")); n != 0 {
		t.Error("who may not protect a branch is led to it")
	}
	says(t, f.press(t, f.blank(t, "branches_protect", "?name=main&protected=false"), call), "false")
	if strings.Contains(mainText(f.get(t, "/admin/branches", 200)), "protected") {
		t.Error("it is still protected")
	}
	form := f.blank(t, "tags_create", "")
	form.Set("arg.name", "v1")
	says(t, f.press(t, form, call), "v1")
	a = f.get(t, "/admin/branches", 200)
	says(t, a, "v1", "ana")
	f.press(t, f.get(t, a.leads("/admin/capabilities/tags_delete")[0], 200).form(t, "/admin/capabilities/tags_delete"), call)
	says(t, f.get(t, "/admin/branches", 200), "No commit has a tag")
}

// What a page of a branch shows, links to and changes is of that branch.
func TestPagesStayOnTheirBranch(t *testing.T) {
	f := newBranches(t)
	a := f.get(t, "/admin/types/Note/a?branch=review", 200)
	says(t, a, "By review")
	says(t, f.get(t, "/admin/types/Note/a?branch=main", 200), "Title of a")
	says(t, f.get(t, "/admin/commits?branch=review", 200), "Call it otherwise")
	for _, n := range a.find(func(n *html.Node) bool {
		return n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "/admin")
	}) {
		if u, err := url.Parse(attribute(n, "href")); err != nil || u.Query().Get("branch") != "review" {
			t.Errorf("a link to %s", attribute(n, "href"))
		}
	}
	for _, n := range a.find(func(n *html.Node) bool { return hasAttribute(n, "data-graph") }) {
		if at := attribute(n, "data-graph"); !strings.HasSuffix(at, "&branch=review") {
			t.Errorf("the picture is of %s", at)
		}
	}
	list := f.get(t, "/admin/types/Note?branch=review", 200)
	if fields := list.find(func(n *html.Node) bool { return attribute(n, "name") == "branch" && attribute(n, "type") == "hidden" }); len(fields) != 5 {
		t.Errorf("%d forms of the list keep the branch", len(fields))
	}
	says(t, list, "New there")
	const ask = "/admin/query?run=1&query=ASK+%7B%3Fs+%3Fp+%22By+review%22%7D"
	says(t, f.get(t, ask, 200), "false")
	says(t, f.get(t, ask+"&branch=review", 200), "true")
}

func TestAFormOfABranchChangesIt(t *testing.T) {
	f := newBranches(t)
	path := "/admin/capabilities/note.update"
	a := f.get(t, path+"?id=c&branch=review", http.StatusOK)
	form := a.form(t, path+"?branch=review")
	form.Set("arg.title", "Changed there")
	says(t, f.press(t, form, call), "Note changed")
	says(t, f.get(t, "/admin/types/Note/c?branch=review", 200), "Changed there")
	f.get(t, "/admin/types/Note/c", 404)
	// Sent to another branch, it is held against the note as it is there.
	form = f.get(t, path+"?id=a&branch=review", http.StatusOK).form(t, path+"?branch=review")
	form.Set("arg.branch", "main")
	form.Set("arg.body", "Meant for review")
	says(t, f.press(t, form, call), "Title of a")
	if got := f.values(t, "a")["body"]; len(got) != 0 {
		t.Errorf("main has it: %q", got)
	}
}

func TestTheBranchIsChosenInTheHeader(t *testing.T) {
	f := newBranches(t)
	a := f.get(t, "/admin/types/Note/a?branch=review", 200)
	choice := a.byID(t, "choose-branch")
	if got := selected(choice); got != "review" {
		t.Errorf("chosen is %q", got)
	}
	form := controlsOf(choice.Parent)
	form.Set("branch", "main")
	if got, want := f.get(t, "/admin/branch?"+form.Encode(), 303).Header.Get("Location"), "/admin/types/Note/a?branch=main"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := f.get(t, "/admin/branch?branch=review&return=https://example.org/", 303).Header.Get("Location"); got != "/admin?branch=review" {
		t.Errorf("it leads to %s", got)
	}
	if n := len(newNotes(t).get(t, "/admin", 200).find(func(n *html.Node) bool { return attribute(n, "id") == "choose-branch" })); n != 0 {
		t.Error("a file with main alone has a choice")
	}
	unknown := f.get(t, "/admin?branch=nothing", 404)
	says(t, unknown, "nothing")
	if got := linked(unknown, "/admin/commits"); len(got) != 1 {
		t.Error("a page of no branch leads on to none")
	}
}
