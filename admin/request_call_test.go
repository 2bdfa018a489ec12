package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
)

// calledFor has a request to drop what an agent does not want.
func (f fixture) calledFor(t testing.TB) {
	t.Helper()
	f.call(t, "mutate", map[string]any{"update": "DELETE { ?n :title ?t } INSERT { ?n :title \"<script>alert(1)</script>\" } WHERE { ?n :title ?t }", "ask": true, "message": "All\u202e <b>titles</b>"})
}

func TestACallThatWaitsIsShownAndApproved(t *testing.T) {
	f := newBranches(t)
	f.calledFor(t)
	says(t, f.get(t, "/admin", 200), "Waiting for a decision", "wants to change data by a SPARQL update on main")
	says(t, f.get(t, "/admin/requests", 200), "wants to change data by a SPARQL update on main", "waits")
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 waits", "wants to change data by a SPARQL update on main", "Arguments", "DELETE { ?n", "What it would do", "statements added", "<script>alert(1)</script>", "<b>titles</b>")
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
	says(t, a, "Request 1 done", "wanted to change data", "Decided by", "Meant", "Commit")
	if strings.Contains(mainText(a), "Approve") || strings.Contains(mainText(f.get(t, "/admin", 200)), "Waiting for a decision") {
		t.Error("it waits on")
	}
}

// A request says in a sentence who wants what and why, with the label of the node, and what would come of it as the page of a
// commit says it.
func TestARequestIsASentenceAboutNodes(t *testing.T) {
	f := newExample(t)
	f.call(t, "standard.delete", map[string]any{"id": "rfc9457", "detach": true, "ask": true, "message": "Nobody needs it"})
	f.call(t, "schema_apply", map[string]any{"patch": "- drop_property: Decision.supersedes", "ask": true})
	f.call(t, "undo", map[string]any{"commit": "head", "ask": true})
	what := f.call(t, "commit_view", map[string]any{"id": "head"})["commit"].(map[string]any)["what"].(string)
	says(t, f.get(t, "/admin/requests", 200), "wants to delete Standard rfc9457 on main", "wants to change the schema on main", "wants to take back “"+what+"”, "+f.head(t)+" on main", "Nobody needs it")
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "ana wants to delete Standard “Problem Details for HTTP APIs” on main", "“Nobody needs it”", "This deletes 1 Standard, removes 1 link, changes 1 Component: ",
		"removedProblem Details for HTTP APIsStandard", "Typewas Standard", "changedHTTP for people and programsComponent", "Followswas Problem Details for HTTP APIs")
	if got := linked(a, "/admin/types/Standard/rfc9457"); len(got) != 2 || got[0] != "Problem Details for HTTP APIs" {
		t.Errorf("what goes is linked as %v", got)
	}
	if text := mainText(a); strings.Contains(text, ":follows") || strings.Contains(text, "Standard/rfc9457") {
		t.Errorf("the page has names for programs: %s", text)
	}
	says(t, f.get(t, "/admin/requests/2", 200), "wants to change the schema on main", "No reason was given", "drop property Decision.supersedes")
	back := f.get(t, "/admin/requests/3", 200)
	says(t, back, "wants to take back “"+what+"”, "+f.head(t)+" on main", "The first 50 of ")
	if strings.Contains(mainText(back), "node_count") {
		t.Errorf("what its nodes tell is told twice: %s", mainText(back))
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

// stranger stands for the edge that knows nobody.
func (f fixture) stranger(t testing.TB) fixture {
	t.Helper()
	pages := admin.New(f.engine, admin.Options{})
	nobody := policy.Anonymous("", policy.NewScopes(policy.Runtime))
	return fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), nobody)))
	}), f.engine}
}

func TestWhoMayNotDecideLooksAtACall(t *testing.T) {
	f := newBranches(t)
	f.calledFor(t)
	a := f.stranger(t).get(t, "/admin/requests/1", 200)
	says(t, a, "What it would do", "statements added", "Sign in to decide this")
	for _, word := range []string{"Approve", "Decline", "Reason"} {
		if strings.Contains(mainText(a), word) {
			t.Errorf("the page says %s", word)
		}
	}
	for _, button := range []string{call, "_do=decline"} {
		if refused := f.stranger(t).press(t, a.form(t, "/admin/requests/1"), button); refused.StatusCode != http.StatusForbidden && refused.StatusCode != http.StatusUnauthorized {
			t.Errorf("pressed all the same it is answered with %d", refused.StatusCode)
		}
	}
	says(t, f.get(t, "/admin/requests/1", 200), "Request 1 waits")
}

// A person agrees to what they may do themselves, and to nothing else.
func TestAPersonWithoutTheScopeAgreesToWhatIsTheirs(t *testing.T) {
	f := newBranches(t)
	f.starter(t)
	f.calledFor(t)
	limited := f.limited(t)
	says(t, limited.press(t, limited.get(t, "/admin/requests/1", 200).form(t, "/admin/requests/1"), call), "See the commit")
	f.call(t, "schema_apply", map[string]any{"patch": "- alter_type: {Note: {label: null}}\n- drop_property: Note.title", "ask": true})
	page := limited.get(t, "/admin/requests/2", 200)
	says(t, page, "Request 2 waits", "scope denied", "Decline")
	if strings.Contains(mainText(page), "Approve") {
		t.Error("it can be approved")
	}
	form := page.form(t, "/admin/requests/2")
	if refused := limited.press(t, form, call); refused.StatusCode != http.StatusForbidden {
		t.Errorf("pressed all the same it is answered with %d", refused.StatusCode)
	}
	form.Set("reason", "No")
	says(t, limited.press(t, form, "_do=decline"), "Decided", "declined")
	says(t, f.get(t, "/admin/requests/2", 200), "Request 2 declined", "No")
}

// The plan of a request names the nodes that it breaks by their labels.
func TestThePlanOfARequestNamesNodesByTheirLabels(t *testing.T) {
	f := newExample(t)
	f.call(t, "schema_apply", map[string]any{"patch": "- drop_property: Decision.about", "ask": true})
	a := f.get(t, "/admin/requests/1", 200)
	decision := f.call(t, "list", map[string]any{"type": "Decision", "where": []any{map[string]any{"property": "number", "value": 1}}, "select": []string{"title"}})["rows"].([]any)[0].([]any)
	says(t, a, "Decision/1 “"+fmt.Sprint(decision[len(decision)-1])+"”")
}
