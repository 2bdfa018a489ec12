package admin_test

import (
	"net/http"
	"strings"
	"testing"
)

// calledFor has a request to drop what an agent does not want.
func (f fixture) calledFor(t testing.TB) {
	t.Helper()
	f.call(t, "mutate", map[string]any{"update": "DELETE { ?n :title ?t } INSERT { ?n :title \"<script>alert(1)</script>\" } WHERE { ?n :title ?t }", "ask": true, "message": "All\u202e <b>titles</b>"})
}

func TestACallThatWaitsIsShownAndApproved(t *testing.T) {
	f := newBranches(t)
	f.calledFor(t)
	says(t, f.get(t, "/admin", 200), "Waiting for a decision", "asks to call mutate on main")
	says(t, f.get(t, "/admin/requests", 200), "asks to call mutate on main", "waits")
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 waits", "asks to call mutate on main", "Arguments", "DELETE { ?n", "What it would do", "statements added", "<script>alert(1)</script>", "<b>titles</b>")
	if strings.Contains(a.text, "<script>alert") || strings.Contains(a.text, "<b>titles") || strings.Contains(mainText(a), "\u202e") {
		t.Error("an argument is part of the page")
	}
	form := a.form(t, "/admin/requests/1")
	form.Set("reason", "Meant")
	before := f.commits(t)
	says(t, f.press(t, form, call), "Decided", "See the commit")
	says(t, f.press(t, form, call), "See the commit") // sent twice, it is one call
	if n := f.commits(t); n != before+1 {
		t.Errorf("%d commits were made", n-before)
	}
	a = f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 done", "asked to call mutate", "Decided by", "Meant", "Commit")
	if strings.Contains(mainText(a), "Approve") || strings.Contains(mainText(f.get(t, "/admin", 200)), "Waiting for a decision") {
		t.Error("it waits on")
	}
}

// What is approved is what the page showed, also when the branch has moved since the call was asked for.
func TestAPageApprovesTheStateThatItShowed(t *testing.T) {
	f := newBranches(t)
	f.calledFor(t)
	f.call(t, "note.create", map[string]any{"id": "later", "title": "Later"})
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 lapsed", "The branch has moved", "What it would do", "Approve")
	form := a.form(t, "/admin/requests/1")
	f.call(t, "note.create", map[string]any{"id": "latest", "title": "Latest"})
	before := f.commits(t)
	again := f.press(t, form, call)
	if again.StatusCode != http.StatusPreconditionFailed || f.commits(t) != before {
		t.Fatalf("of another state it is answered with %d: %s", again.StatusCode, mainText(again))
	}
	says(t, f.press(t, again.form(t, "/admin/requests/1"), call), "See the commit")
}

func TestWhoMayNotDecideLooksAtACall(t *testing.T) {
	f := newBranches(t)
	f.starter(t)
	f.calledFor(t)
	a := f.limited(t).get(t, "/admin/requests/1", 200)
	says(t, a, "What it would do", "statements added", "Somebody with the scope builder decides this")
	for _, word := range []string{"Approve", "Decline", "Reason"} {
		if strings.Contains(mainText(a), word) {
			t.Errorf("the page says %s", word)
		}
	}
	if refused := f.limited(t).press(t, a.form(t, "/admin/requests/1"), call); refused.StatusCode != http.StatusForbidden {
		t.Errorf("pressed all the same it is answered with %d", refused.StatusCode)
	}
	form := f.get(t, "/admin/requests/1", 200).form(t, "/admin/requests/1")
	form.Set("reason", "No")
	says(t, f.press(t, form, "_do=decline"), "Decided", "declined")
	says(t, f.get(t, "/admin/requests/1", 200), "Request 1 declined", "No")
}
