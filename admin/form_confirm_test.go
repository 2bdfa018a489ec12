package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestAMassChangeIsAskedForByTypeAndInWords(t *testing.T) {
	f := newNotes(t)
	var data strings.Builder
	for i := range 600 {
		fmt.Fprintf(&data, "{\"type\":\"Note\",\"id\":\"n%d\",\"data\":{\"title\":\"Title %d\"}}\n", i, i)
	}
	f.call(t, "load", map[string]any{"data": data.String()})
	before := f.commits(t)
	form := f.blank(t, "mutate", "")
	form.Set("arg.update", "DELETE WHERE { ?n a :Note ; ?p ?o }")
	ask := f.press(t, form, call)
	says(t, ask, "What this would do", "this takes away 600 Note", "Yes, make the change")
	if main := mainText(ask); strings.Contains(main, "allow_mass_change") || f.commits(t) != before {
		t.Fatalf("the question names an argument, or something was done: %s", main)
	}
	sure := ask.form(t, "/admin/capabilities/mutate")
	other := filled{sure.action, sure.Values}
	says(t, f.press(t, other, call), "Commit")
	if got := f.commits(t); got != before+1 {
		t.Errorf("there are %d commits more", got-before)
	}
	if a := f.get(t, "/admin/types/Note", http.StatusOK); strings.Contains(mainText(a), "Title 1") {
		t.Error("the notes are there")
	}
}
