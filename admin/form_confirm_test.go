package admin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trails/admin"
	"trails/capability"
	"trails/invoke/invoketest"
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

// A question has a button of its own for what is asked about: deleting a branch and revoking a token are not.
func TestWhatHasAYesIsAskedAbout(t *testing.T) {
	var asked []string
	for _, d := range invoketest.Example(t).Callable(t) {
		if _, takes := d.InputShape.Field(capability.AllowMassChange); takes || d.ConsentRequired {
			asked = append(asked, d.ID)
		}
	}
	for _, id := range admin.Asked() {
		if !slices.Contains(asked, id) {
			t.Errorf("%s has a button, and nobody is asked about it; asked about are %s", id, asked)
		}
	}
}
