package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func TestAStaleFormShowsBothAndWritesNothing(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"body": "old", "priority": 1})
	form := f.blank(t, "note.update", "?id=n1")
	form.Set("arg.body", "mine")
	form.Set("arg.done", "true")
	f.call(t, "note.update", map[string]any{"id": "n1", "body": "theirs", "priority": 2, "message": "While you wrote"})
	before := f.commits(t)
	a := f.press(t, form, call)
	if a.StatusCode != http.StatusConflict || f.commits(t) != before {
		t.Fatalf("got %d", a.StatusCode)
	}
	says(t, a, "It changed meanwhile", "by ana changed it", "While you wrote", "take theirs and start over")
	want := [][]string{
		{"Property", "Theirs, as it is now", "Yours"},
		{"Body", "theirs", "mine"},
		{"Priority", "2", "not touched: theirs stays"},
		{"Done", "not set", "true"},
	}
	if diff := cmp.Diff(want, rows(a.find(tag("table"))[0])); diff != "" {
		t.Error(diff)
	}
	again := a.form(t, form.action)
	if again.Get("arg.body") != "mine" || again.Get("arg.priority") != "2" || again.Get("_key") == form.Get("_key") {
		t.Errorf("the form is not mine on top of theirs: %v", again.Values)
	}
	says(t, f.press(t, again, call), "Note changed")
	got := f.values(t, "n1")
	if got["body"][0] != "mine" || got["priority"][0] != "2" || got["done"][0] != "true" {
		t.Errorf("got %v", got)
	}
}

func TestAStaleDeletionAndDryRunAreHeldUp(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", nil)
	deletion, update := f.blank(t, "note.delete", "?id=n1"), f.blank(t, "note.update", "?id=n1")
	ask := f.press(t, deletion, call).form(t, deletion.action)
	f.call(t, "note.update", map[string]any{"id": "n1", "title": "Another title"})
	says(t, f.press(t, deletion, call), "It changed meanwhile")
	says(t, f.press(t, ask, call), "It changed meanwhile")
	says(t, f.press(t, update, dryRun), "It changed meanwhile")
	update.Del("_seen")
	says(t, f.press(t, update, call), "It changed meanwhile")
	f.call(t, "note.delete", map[string]any{"id": "n1"})
	update.Set("arg.title", "Too late")
	a := f.press(t, update, call)
	says(t, a, "It is not there", "deleted it", "What you wrote is still here")
	if a.StatusCode != http.StatusGone || a.form(t, update.action).Get("arg.title") != "Too late" {
		t.Errorf("got %d", a.StatusCode)
	}
}

// TestWritesOfOtherThingsDisturbNobody sends forms while others write: every update
// is made, for its own instance stands still.
func TestWritesOfOtherThingsDisturbNobody(t *testing.T) {
	f := newNotes(t)
	f.note(t, "mine", nil)
	f.note(t, "other", nil)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				f.call(t, "note.update", map[string]any{"id": "other", "body": fmt.Sprint("other ", i)})
			}
		}
	})
	for i := range 10 {
		form := f.blank(t, "note.update", "?id=mine")
		form.Set("arg.body", fmt.Sprint("mine ", i))
		a := f.press(t, form, call)
		for strings.Contains(mainText(a), "others write so fast") { // honest, and the form is as good as before
			a = f.press(t, a.form(t, form.action), call)
		}
		says(t, a, "Note changed")
		if got := f.values(t, "mine")["body"]; got[0] != fmt.Sprint("mine ", i) {
			t.Errorf("got %v", got)
		}
	}
	close(stop)
	writers.Wait()
}

// TestNoChangeIsLostBetweenForms lets people who all saw the same instance send their
// forms at once: one is written, the others are told.
func TestNoChangeIsLostBetweenForms(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"body": "start"})
	const people = 8
	var forms [people]filled
	for i := range forms {
		forms[i] = f.blank(t, "note.update", "?id=n1")
		forms[i].Set("arg.body", fmt.Sprint("by ", i))
	}
	before := f.commits(t)
	var status [people]int
	var group sync.WaitGroup
	for i := range forms {
		group.Go(func() { status[i] = f.send(t, forms[i], call).StatusCode })
	}
	group.Wait()
	written := 0
	for _, s := range status {
		switch s {
		case http.StatusSeeOther:
			written++
		case http.StatusConflict:
		default:
			t.Errorf("got %d", s)
		}
	}
	if written != 1 || f.commits(t) != before+1 {
		t.Errorf("%d were written, in %d commits", written, f.commits(t)-before)
	}
}

func TestAnOpenFormHearsOfItsNodeAndAsksWhatWasChanged(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", map[string]any{"priority": 1})
	page := f.get(t, "/admin/capabilities/note.update?id=n1", http.StatusOK)
	heard := page.find(func(n *html.Node) bool { return attribute(n, "data-live") == "notice" })
	if len(heard) != 1 || strings.TrimSpace(attribute(heard[0], "data-instances")) != "trails://kg/Note/n1" { // as events name it
		t.Fatalf("the form does not hear of its node: %v", heard)
	}
	asks := page.find(func(n *html.Node) bool { return hasAttribute(n, "data-changed") })
	if len(asks) != 1 {
		t.Fatal("the form asks nowhere what was changed")
	}
	address := attribute(asks[0], "data-changed")
	f.get(t, address, http.StatusNotFound) // nothing yet
	f.call(t, "note.update", map[string]any{"id": "n1", "priority": 2})
	told := textOf(f.get(t, address, http.StatusOK).doc)
	if !strings.Contains(told, "Priority") || !strings.Contains(told, "was 1") || strings.Contains(told, "Title") {
		t.Errorf("it says %s", told)
	}
}
