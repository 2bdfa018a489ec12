package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
)

// TestTheOverviewOfAPart holds that who may see a part of the graph has an overview of that part, which says that there is
// more, and that it tells nothing of the rest.
func TestTheOverviewOfAPart(t *testing.T) {
	f := newExample(t)
	f.call(t, setPolicies, map[string]any{"policies": `@id("all") permit (principal, action, resource);
@id("bo") forbid (principal == Actor::"token:bo", action, resource in Type::"Decision");
@id("eve") forbid (principal == Actor::"token:eve", action, resource) when { resource is Type };
`})
	pages := admin.New(f.engine, admin.Options{})
	as := func(name string) fixture {
		return fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), policy.Principal{ID: "token:" + name, Scopes: policy.AllScopes(), Authenticated: true})))
		}), f.engine}
	}
	if whole := mainText(f.get(t, "/admin", 200)); strings.Contains(whole, "a part of this graph") || !strings.Contains(whole, "Decision") {
		t.Errorf("the overview of all says %s", whole)
	}
	a := as("bo").get(t, "/admin", 200)
	checkPage(t, "a part", a)
	says(t, a, "You may see a part of this graph", "Component", "the doctor reads the whole file, and token:bo may see a part of it")
	if strings.Contains(a.text, "Decision") {
		t.Error("a type that is hidden is on the overview")
	}
	a = as("eve").get(t, "/admin", 200)
	says(t, a, "You may see a part of this graph", "You may see none of its types")
	if strings.Contains(a.text, "Begin with your data") {
		t.Error("a graph of which nothing may be seen counts as an empty one")
	}
}

// The overview of an earlier commit counts what was there then, says so, and leads to pages of then. What is only of now, such
// as the health of the file, is left out.
func TestTheOverviewOfAnEarlierCommit(t *testing.T) {
	f := newExample(t)
	before := f.call(t, "snapshot", map[string]any{})["head"].(map[string]any)["id"].(string)
	f.call(t, "standard.create", map[string]any{"name": "later", "title": "A later one", "url": "https://example.org/later"})
	now := f.get(t, "/admin", 200)
	says(t, now, "47 instances", "Standard 10", "Health")
	then := f.get(t, "/admin?at="+before, 200)
	says(t, then, "46 instances", "Standard 9", "As of commit", "Back to now", "The last commits until then")
	if got := then.leads("/admin/undo"); len(got) != 0 {
		t.Errorf("nothing of then can be changed, and %v change it", got)
	}
	for _, word := range []string{"Health", "Connect an agent", "A later one", "47 instances"} {
		if strings.Contains(mainText(then), word) {
			t.Errorf("the overview of then says %s", word)
		}
	}
	if got := linked(then, "/admin/types/Standard?at="+before); len(got) == 0 {
		t.Errorf("the types lead to %v", then.leads("/admin/types/Standard"))
	}
	says(t, f.get(t, "/admin?at=head~9", 404), "head~9")
	if got := f.get(t, "/admin/commits/"+before, 200).leads("/admin?at=" + before); len(got) != 1 {
		t.Errorf("the page of the commit leads there %d times", len(got))
	}
}
