package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
)

// limited stands for the edge that resolved a caller without the scope builder.
func (f fixture) limited(t testing.TB) fixture {
	t.Helper()
	pages := admin.New(f.engine, admin.Options{})
	runtime := policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
	return fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), runtime)))
	}), f.engine}
}

// starter sets the policies that graphs begin with, so that tokens write, too.
func (f fixture) starter(t testing.TB) {
	t.Helper()
	f.call(t, setPolicies, map[string]any{"starter": true})
}

// requested asks to merge review into main, which is protected.
func (f fixture) requested(t testing.TB, more map[string]any) {
	t.Helper()
	f.call(t, "branches_protect", map[string]any{"name": "main"})
	args := map[string]any{"source": "review", "ask": true, "message": "Take the review"}
	for name, value := range more {
		args[name] = value
	}
	f.call(t, "branches_merge", args)
}

func TestARequestIsPreviewedAndApproved(t *testing.T) {
	f := newBranches(t)
	f.requested(t, nil)
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 waits", "wants to merge review into main", "Take the review", "statements of 3 nodes", "changedBy reviewNote")
	form := a.form(t, "/admin/requests/1")
	form.Set("reason", "Looked at")
	before := f.commits(t)
	done := f.press(t, form, call)
	says(t, done, "Decided", "Commit", "See the commit", "Undo…", "All requests")
	says(t, f.press(t, form, call), "See the commit") // sent twice, it is one merge
	if n := f.commits(t); n != before+1 {
		t.Errorf("%d commits were made", n-before)
	}
	says(t, f.get(t, "/admin/commits/head", 200), "Take the review", "Merges")
	a = f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 merged", "wanted to merge review into main", "Decided by", "Looked at", "Commit")
	if strings.Contains(mainText(a), "Approve") {
		t.Error("it can be approved again")
	}
}

func TestTheClashesOfARequestAreDecided(t *testing.T) {
	f := newClashes(t)
	f.requested(t, map[string]any{"resolutions": []string{"Note/a.title:=By = both"}})
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "2 clashes", "By main", "By review")
	form := a.form(t, "/admin/requests/1")
	if form.Get("take.0") != "value" || form.Get("value.0") != "By = both" || form.Get("take.1") != "" || form.Has("kept") {
		t.Errorf("it does not begin as it was asked for: %v", form.Values)
	}
	open := f.press(t, form, call)
	if says(t, open, "has to be decided first"); open.StatusCode != http.StatusConflict {
		t.Errorf("undecided it is answered with %d", open.StatusCode)
	}
	form = open.form(t, "/admin/requests/1")
	form.Set("take.1", "ours")
	form.Set("reason", "Both are right")
	shown := f.press(t, form, dryRun)
	says(t, shown, "statements of", "decidedBy main Title")
	if form = shown.form(t, "/admin/requests/1"); form.Get("value.0") != "By = both" || form.Get("reason") != "Both are right" {
		t.Errorf("the preview forgets what was chosen: %v", form.Values)
	}
	says(t, f.press(t, form, call), "See the commit")
	if got := f.values(t, "a")["title"]; len(got) != 1 || got[0] != "By = both" {
		t.Errorf("the title is %q", got)
	}
}

func TestALapsedRequestIsDeclined(t *testing.T) {
	f := newBranches(t)
	f.requested(t, nil)
	f.call(t, "note.create", map[string]any{"branch": "review", "id": "later", "title": "Later there"})
	a := f.get(t, "/admin/requests/1", 200)
	says(t, a, "Request 1 lapsed", "has moved", "What changed on main", "What changed on review")
	links := a.leads("/admin/diff")
	for _, path := range links {
		f.get(t, path, 200)
	}
	if len(links) != 3 {
		t.Errorf("differences are linked as %q", links)
	}
	if strings.Contains(mainText(a), "Approve") {
		t.Error("it can be approved")
	}
	form := a.form(t, "/admin/requests/1")
	form.Set("reason", "Too late")
	says(t, f.press(t, form, "_do=decline"), "Decided", "declined")
	says(t, f.get(t, "/admin/requests/1", 200), "Request 1 declined", "Too late")
	f.get(t, "/admin/requests/2", 404)
	f.get(t, "/admin/requests/first", 404)
}

func TestWhoMayNotDecideLooksAtARequest(t *testing.T) {
	f := newClashes(t)
	f.starter(t)
	f.requested(t, map[string]any{"take": "theirs"})
	a := f.limited(t).get(t, "/admin/requests/1", 200)
	says(t, a, "2 clashes", "statements of", "Somebody with the scope builder decides this")
	for _, word := range []string{"Approve", "Decline", "Reason"} {
		if strings.Contains(mainText(a), word) {
			t.Errorf("the page says %s", word)
		}
	}
	if refused := f.limited(t).press(t, a.form(t, "/admin/requests/1"), call); refused.StatusCode != http.StatusForbidden {
		t.Errorf("pressed all the same it is answered with %d", refused.StatusCode)
	}
	says(t, f.get(t, "/admin/requests/1", 200), "Request 1 waits")
}

func TestARequestThatRemovesMuchAsks(t *testing.T) {
	f := newFixtureOf(t, []byte(formSchema), admin.Options{}, invoke.Config{MassChange: 5})
	f.note(t, "a", nil)
	f.note(t, "b", nil)
	f.call(t, "branches_create", map[string]any{"name": "review"})
	for _, id := range []string{"a", "b"} {
		f.call(t, "note.delete", map[string]any{"branch": "review", "id": id, "allow_mass_change": true})
	}
	f.requested(t, nil)
	asks := f.press(t, f.get(t, "/admin/requests/1", 200).form(t, "/admin/requests/1"), call)
	says(t, asks, "nothing was changed", "Remove these 6 statements")
	form := asks.form(t, "/admin/requests/1")
	form.Set("mass", "1")
	says(t, f.press(t, form, call), "See the commit")
}

func TestThePageOfRequestsListsWhatWaits(t *testing.T) {
	f := newBranches(t)
	says(t, f.get(t, "/admin/requests", 200), "Nothing waits for approval")
	f.requested(t, nil)
	a := f.get(t, "/admin/requests", 200)
	says(t, a, "wants to merge review into main", "waits", "Take the review")
	if got := linked(a, "/admin/requests/1"); len(got) != 1 {
		t.Errorf("it is linked as %q", got)
	}
	f.call(t, "requests_decide", map[string]any{"request": 1, "decision": "decline"})
	says(t, f.get(t, "/admin/requests", 200), "Nothing waits for approval")
	says(t, f.get(t, "/admin/requests?all=1", 200), "wanted to merge review into main", "declined")
}

func TestAMergeIntoAProtectedBranchIsAskedFor(t *testing.T) {
	f := newBranches(t)
	f.starter(t)
	const path = "/admin/merge?source=review&target=main"
	f.call(t, "branches_protect", map[string]any{"name": "main"})
	if a := f.get(t, path, 200); strings.Contains(mainText(a), "Ask for approval") {
		t.Error("who may merge asks")
	}
	limited := f.limited(t)
	a := limited.get(t, path, 200)
	says(t, a, "Ask for approval", "statements of 3 nodes")
	form := a.form(t, "/admin/merge")
	form.Set("message", "Please")
	before := f.commits(t)
	for range 2 { // sent twice, it is one request
		says(t, limited.press(t, form, call), "Request 1 waits", "token:ci wants to merge review into main", "Please", "Decline")
	}
	f.get(t, "/admin/requests/2", 404)
	if n := f.commits(t); n != before {
		t.Errorf("%d commits were made", n-before)
	}
}
