package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/invoke"
)

// newClashes serves branches of which both changed the title of one note, and one deleted what the other changed.
func newClashes(t testing.TB) fixture {
	t.Helper()
	f := newBranches(t)
	f.call(t, "note.update", map[string]any{"id": "a", "title": "By main"})
	f.call(t, "note.update", map[string]any{"id": "b", "body": "Main changed it"})
	return f
}

// merging opens the form of the merge of review into main.
func (f fixture) merging(t testing.TB) filled {
	t.Helper()
	return f.get(t, "/admin/merge?source=review&target=main", 200).form(t, "/admin/merge")
}

func TestAMergeIsPreviewedAndMade(t *testing.T) {
	f := newBranches(t)
	a := f.get(t, "/admin/merge?source=review&target=main", 200)
	says(t, a, "statements of 3 nodes", "changedBy reviewNote")
	form := a.form(t, "/admin/merge")
	form.Set("message", "Take the review")
	before := f.commits(t)
	done := f.press(t, form, call)
	says(t, done, "Merged", "Commit", "See the commit", "Undo…")
	if n := f.commits(t); n != before+1 {
		t.Errorf("%d commits were made", n-before)
	}
	says(t, f.get(t, "/admin/commits/head", 200), "Take the review", "Merges")
	says(t, f.press(t, form, call), "See the commit") // sent twice, it is one merge
	if n := f.commits(t); n != before+1 {
		t.Errorf("%d commits were made", n-before)
	}
	form.Set("message", "Again")
	says(t, f.send(t, form, call), "sent before")
	says(t, f.get(t, "/admin/merge?source=review&target=main", 200), "main has all of review already")
	for _, n := range done.find(tag("a")) {
		if textOf(n) == "Undo…" {
			says(t, f.press(t, f.get(t, attribute(n, "href"), 200).form(t, "/admin/undo"), call), "Take the review")
		}
	}
	if got := f.values(t, "a")["title"]; got[0] != "Title of a" {
		t.Errorf("after the undo the title is %q", got)
	}
}

func TestClashesAreShownSideBySideAndDecided(t *testing.T) {
	for _, c := range []struct{ take, value, want string }{{"ours", "", "By main"}, {"theirs", "", "By review"}, {"base", "", "Title of a"}, {"value", "By = both", "By = both"}} {
		f := newClashes(t)
		a := f.get(t, "/admin/merge?source=review&target=main", 200)
		says(t, a, "2 clashes", "By main Title", "Title of a", "By main", "By review", "review deleted it, and main changed it")
		form := a.form(t, "/admin/merge")
		if got := form.Get("clash.0") + " " + form.Get("clash.1"); got != "Note/a.title Note/b" {
			t.Fatalf("the clashes are %s", got)
		}
		open := f.press(t, form, call)
		if open.StatusCode != http.StatusConflict {
			t.Errorf("undecided it is answered with %d", open.StatusCode)
		}
		says(t, open, "has to be decided first", "to be decidedTitle of b")
		form = open.form(t, "/admin/merge")
		form.Set("take.0", c.take)
		form.Set("value.0", c.value)
		form.Set("take.1", "ours")
		shown := f.press(t, form, dryRun)
		says(t, shown, "statements of", "decidedBy main Title")
		form = shown.form(t, "/admin/merge")
		if form.Get("take.0") != c.take || form.Get("value.0") != c.value || form.Get("take.1") != "ours" {
			t.Errorf("the preview forgets the decisions: %v", form.Values)
		}
		says(t, f.press(t, form, call), "See the commit")
		if got := f.values(t, "a")["title"]; len(got) != 1 || got[0] != c.want {
			t.Errorf("with %s the title is %q", c.take, got)
		}
	}
}

func TestOneChoiceDecidesAllClashes(t *testing.T) {
	f := newClashes(t)
	form := f.merging(t)
	form.Set("take", "theirs")
	says(t, f.press(t, form, call), "See the commit")
	if got := f.values(t, "a")["title"]; got[0] != "By review" {
		t.Errorf("got %q", got)
	}
	f.get(t, "/admin/types/Note/b", 410)
}

// What is merged is what was shown.
func TestAMergeOfWhatMovedIsShownAgain(t *testing.T) {
	f := newBranches(t)
	form := f.merging(t)
	f.call(t, "note.create", map[string]any{"branch": "review", "id": "later", "title": "Later there"})
	a := f.press(t, form, call)
	if a.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("got %d", a.StatusCode)
	}
	says(t, a, "has moved since", "statements of 4 nodes")
	says(t, f.press(t, a.form(t, "/admin/merge"), call), "See the commit")
}

func TestAMergeThatBreaksTheSchemaIsDecidedToo(t *testing.T) {
	f := newNotes(t)
	f.note(t, "a", nil)
	f.call(t, "branches_create", map[string]any{"name": "review"})
	f.call(t, "person.delete", map[string]any{"branch": "review", "id": "ben"})
	f.call(t, "note.update", map[string]any{"id": "a", "author": "Person/ben"})
	a := f.get(t, "/admin/merge?source=review&target=main", http.StatusConflict)
	says(t, a, "has to be decided first", "clash")
	if strings.Contains(mainText(a), "statements of") {
		t.Error("it says what would change")
	}
}

func TestAMergeThatRemovesMuchAsks(t *testing.T) {
	f := newFixtureOf(t, []byte(formSchema), admin.Options{}, invoke.Config{MassChange: 5})
	f.note(t, "a", nil)
	f.note(t, "b", nil)
	f.call(t, "branches_create", map[string]any{"name": "review"})
	for _, id := range []string{"a", "b"} {
		f.call(t, "note.delete", map[string]any{"branch": "review", "id": id, "allow_mass_change": true})
	}
	asks := f.press(t, f.merging(t), call)
	says(t, asks, "nothing was changed", "Remove these 6 statements")
	form := asks.form(t, "/admin/merge")
	form.Set("mass", "1")
	says(t, f.press(t, form, call), "See the commit")
	f.get(t, "/admin/types/Note/a", 410)
}
