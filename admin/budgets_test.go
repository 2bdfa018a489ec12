package admin_test

import (
	"slices"
	"testing"

	"golang.org/x/net/html"

	"trails/auth/policy"
	"trails/invoke"
)

// The page of tokens shows what is used and left of budgets, and leads to the forms that set and remove them.
func TestThePageOfTokensHasBudgets(t *testing.T) {
	f := newNotes(t)
	says(t, f.get(t, "/admin/tokens", 200), "There is no budget")
	form := f.blank(t, "trails.meta.budget.set", "")
	form.Set("arg.actor", "token:ci")
	form.Set("arg.per", "day")
	form.Set("arg.calls", "1")
	says(t, f.press(t, form, call), "Budget set", "All budgets")
	ci := policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
	if _, err := f.engine.Call(t.Context(), invoke.Call{Capability: "snapshot", Principal: ci}); err != nil {
		t.Fatal(err)
	}
	a := f.get(t, "/admin/tokens", 200)
	says(t, a, "token:cieverything1 calls per day10", "Change…", "Remove…")
	var leads []string
	for _, n := range a.find(func(n *html.Node) bool { return n.Data == "a" }) {
		leads = append(leads, attribute(n, "href"))
	}
	for _, path := range []string{"/admin/capabilities/trails.meta.budget.set", "/admin/capabilities/trails.meta.budget.remove?actor=token%3Aci&capability=&per=day"} {
		if !slices.Contains(leads, path) {
			t.Errorf("nothing leads to %s: %q", path, leads)
		}
		f.get(t, path, 200)
	}
	says(t, f.press(t, f.blank(t, "trails.meta.budget.remove", "?actor=token%3Aci&per=day"), call), "Budget removed")
	says(t, f.get(t, "/admin/tokens", 200), "There is no budget")
	// Who has used up a budget is told on each page what to do.
	f.call(t, "trails.meta.budget.set", map[string]any{"actor": "token:ci", "per": "day", "calls": 1})
	says(t, f.as(ci).get(t, "/admin/branches", 429), "0 of 1 calls left in the budget of token:ci, a day", "For more, ask a builder")
}
