package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/kg"
)

const (
	policies    = "/admin/policy"
	setPolicies = "trails.meta.policy.apply"
	firstTexts  = "@id(\"all\") permit (principal, action, resource);\n\n@id(\"people\") forbid (principal, action, resource in Type::\"Person\")\n  unless { principal in Group::\"hr\" };\n"
)

// policies are the policies of the graph.
func (f fixture) policies(t *testing.T) string {
	t.Helper()
	return f.call(t, "trails.meta.policy.show", map[string]any{})["text"].(string)
}

// withText is the form of the page with a text in it.
func (f fixture) withText(t *testing.T, text string) filled {
	t.Helper()
	form := f.get(t, policies, 200).form(t, policies)
	form.Set("policies", strings.ReplaceAll(text, "\n", "\r\n"))
	return form
}

// numbered are the lines of a listing with this class, "" for all, as number and text.
func numbered(a answer, prefix, class string) (out []string) {
	for _, n := range a.find(tag("li")) {
		number, is := strings.CutPrefix(attribute(n, "id"), prefix)
		if is && (class == "" || attribute(n, "class") == class) {
			for c := range n.Descendants() {
				if c.Data == "code" {
					out = append(out, number+" "+textOf(c))
				}
			}
		}
	}
	return out
}

// Who has the file begins with policies by a button, where the page says that tokens read alone.
func TestPoliciesBeginWithAButton(t *testing.T) {
	const set = "/admin/capabilities/" + setPolicies
	for _, page := range []string{policies, "/admin/tokens"} {
		f := newNotes(t)
		a := f.get(t, page, 200)
		says(t, a, kg.ReadOnly)
		f.press(t, a.form(t, set), call)
		if got := f.policies(t); got != cedar.Starter {
			t.Errorf("%s: %q is set", page, got)
		}
		if text := mainText(f.get(t, page, 200)); strings.Contains(text, "without policies") || strings.Contains(text, "Let tokens do") {
			t.Errorf("%s says still: %s", page, text)
		}
	}
}

// A page that is refused says the whole reason, with its way out at the end.
func TestARefusedPageSaysTheWholeReason(t *testing.T) {
	f := newBranches(t)
	says(t, f.limited(t).get(t, "/admin/merge?source=review&target=main", 403), kg.ReadOnly)
}

// Policies are set after what they change was shown, once, and no others are lost.
func TestThePageOfPoliciesSetsThem(t *testing.T) {
	f := newNotes(t)
	says(t, f.get(t, policies, 200), "there are no policies: without policies whoever shows a token reads this graph")
	form := f.withText(t, firstTexts)
	form.Set("message", "people are hidden")
	if a := f.press(t, form, call); a.StatusCode != http.StatusPreconditionFailed || f.policies(t) != "" {
		t.Errorf("set without a look at what changes: %d %s", a.StatusCode, mainText(a))
	}
	a := f.press(t, form, dryRun)
	says(t, a, "What would change", "New: all people", `no token is in a group of that name`)
	if got := numbered(a, "D", "new"); a.StatusCode != 200 || f.policies(t) != "" || !slices.Contains(got, `4 unless { principal in Group::"hr" };`) {
		t.Errorf("checked: %d, the new lines are %q, and set is %q", a.StatusCode, got, f.policies(t))
	}
	checkPage(t, policies, a)
	checked := a.form(t, policies)
	other := filled{checked.action, map[string][]string{}}
	for name, values := range checked.Values {
		other.Values[name] = values
	}
	other.Set("policies", "permit (principal, action, resource);")
	if a := f.press(t, other, call); a.StatusCode != http.StatusPreconditionFailed || f.policies(t) != "" {
		t.Errorf("another text than the one that was checked: %d %s", a.StatusCode, mainText(a))
	}
	for range 2 { // the second one sends nothing
		says(t, f.press(t, checked, call), "Policies set", "The policies", "See the commit")
	}
	if f.policies(t) != firstTexts {
		t.Errorf("set is %q", f.policies(t))
	}
	a = f.get(t, policies, 200)
	says(t, a, "Set by local:ana")
	if got := numbered(a, "L", ""); len(got) != 4 || got[2] != `3 @id("people") forbid (principal, action, resource in Type::"Person")` {
		t.Errorf("the lines are %q", got)
	}
	if main := a.byID(t, "main"); attribute(main, "data-live") != "any" || !hasAttribute(a.byID(t, "policies"), "data-live-region") || len(linked(a, policies)) == 0 || len(a.leads("/admin/commits/")) == 0 {
		t.Error("the list does not follow what others do, or a link is missing")
	}
	if a := f.get(t, "/admin/commits", 200); strings.Count(a.text, "people are hidden") != 1 {
		t.Errorf("it is not one commit with its message: %s", mainText(a))
	}

	// Somebody else sets others meanwhile: theirs are not lost, and what is shown compares with them.
	mine := f.press(t, f.withText(t, "@id(\"all\") permit (principal, action, resource);\n"), dryRun)
	says(t, mine, "Gone: people", "2 lines go")
	f.call(t, setPolicies, map[string]any{"policies": firstTexts + `@id("late") forbid (principal == Actor::"token:x", action, resource);`})
	a = f.press(t, mine.form(t, policies), call)
	says(t, a, "Somebody has set other policies since", "Gone: people late")
	if a.StatusCode != http.StatusPreconditionFailed || !strings.Contains(f.policies(t), "late") {
		t.Errorf("%d, and set is %q", a.StatusCode, f.policies(t))
	}
	says(t, f.press(t, a.form(t, policies), call), "Policies set")

	a = f.press(t, f.withText(t, " \n"), dryRun)
	says(t, a, "All policies are taken away: callers by a token read, and change nothing", "Gone: all")
	says(t, f.press(t, a.form(t, policies), call), "Policies set")
	if f.policies(t) != "" {
		t.Errorf("none are left, and set is %q", f.policies(t))
	}
}

// What is wrong stands at its line, and the text stays.
func TestThePageOfPoliciesSaysWhatIsWrongAtItsLine(t *testing.T) {
	f := newNotes(t)
	f.call(t, "trails.meta.token.create", map[string]any{"name": "boss", "scopes": []string{"builder", "runtime"}})
	const text = "permit (principal, action, resource);\n\npermit (principal, action == Action::\"delete\", resource);\npermit (principal, action, resource in Folder::\"a\");\n"
	for name, c := range map[string]struct {
		text, says string
		wrong      []string
	}{
		"what there cannot be": {text, "line 4: policy policy2 does not fit the vocabulary of policies: unrecognized entity type `Folder`", []string{`3 permit (principal, action == Action::"delete", resource);`, `4 permit (principal, action, resource in Folder::"a");`}},
		"no Cedar":             {"permit (principal, action, resource);\npermit principal;\n", `line 2, column 7: "(" is missing here, before "principal": add it`, []string{"2 permit principal;"}},
		"nobody administers":   {"permit (principal, action in Action::\"reads\", resource);\n", "these policies lock out all who administer this graph (token:boss)", nil},
	} {
		for _, button := range []string{dryRun, call} {
			a := f.press(t, f.withText(t, c.text), button)
			says(t, a, "Nothing was set", c.says)
			form := a.form(t, policies)
			if got := numbered(a, "D", "wrong"); !slices.Equal(got, c.wrong) || a.StatusCode < 400 || f.policies(t) != "" {
				t.Errorf("%s: %d, marked are %q", name, a.StatusCode, got)
			}
			if got := strings.ReplaceAll(form.Get("policies"), "\r\n", "\n"); got != c.text || form.Get("_confirmed") != "" || strings.Contains(mainText(a), "Set these policies") {
				t.Errorf("%s: the form has %q, or sets it", name, got)
			}
			checkPage(t, policies, a)
		}
	}
}

// The page says what somebody may do, and why or why not, with the line of what decides.
func TestThePageOfPoliciesExplains(t *testing.T) {
	f := newNotes(t)
	f.call(t, "trails.meta.token.create", map[string]any{"name": "ci", "groups": []string{"robots"}})
	f.call(t, setPolicies, map[string]any{"policies": firstTexts})
	a := f.get(t, policies+"?as=token:ci", 200)
	says(t, a, "token:ci with runtime, in robots", "Branchmainyes", "TypeNoteyes", "TypePersonno")
	why := a.leads(policies + "?")
	if len(why) != 6 {
		t.Fatalf("why is linked as %q", why)
	}
	for _, path := range why {
		a := f.get(t, path, 200)
		checkPage(t, path, a)
		says(t, a, "to token:ci with runtime", "What would change it: ")
	}
	a = f.get(t, policies+"?as=token:ci&call=person.create", 200)
	says(t, a, `denied change Type::"Person" on Branch::"main", to token:ci`, "forbidden by people", `make an exception of people (line 3): unless { principal == Actor::"token:ci" }`)
	if len(linked(a, "#L3")) == 0 {
		t.Error("the policy that decides is not linked")
	}
	says(t, f.get(t, policies+"?as=token:ci&groups=staff,+hr&scopes=runtime&scopes=builder&action=read&on=Type%3A%3A%22Person%22", 200), `allowed read Type::"Person", to token:ci with builder, runtime, in staff, hr`)
	var offered []string
	for _, n := range a.find(func(n *html.Node) bool { return n.Data == "option" && n.Parent.Data == "datalist" }) {
		offered = append(offered, attribute(n, "value"))
	}
	if !slices.Contains(offered, "anonymous") || !slices.Contains(offered, "token:ci") || !slices.Contains(offered, "person.create") {
		t.Errorf("offered are %q", offered)
	}
	for path, want := range map[string]string{
		policies + "?as=token:ci&call=person.creat":      `there is no capability "person.creat"; did you mean "person.create"?`,
		policies + "?as=token:ci&action=read&on=Person":  `give Type::"NAME"`,
		policies + "?as=&call=person.create":             "Say who calls",
		policies + "?as=token:ci&action=read&who=nobody": "this page has no parameter",
	} {
		a := f.get(t, path, 400)
		says(t, a, want)
	}
	if f.get(t, policies+"?as=token:ci&call=person.creat", 400).form(t, policies).Get("policies") == "" {
		t.Error("a wrong question empties the form")
	}
}

// Who lacks builder is told the way out, and who sees a part of the graph sees no policies.
func TestThePageOfPoliciesIsForThoseWhoMayReadThem(t *testing.T) {
	f := newNotes(t)
	f.call(t, setPolicies, map[string]any{"policies": firstTexts})
	for name, c := range map[string]struct {
		who  policy.Principal
		says []string
	}{
		"without the scope": {policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}, []string{"This needs the scope builder", "You are token:ci, who has runtime.", "trails policy show FILE"}},
		"not signed in":     {policy.Anonymous("", policy.NewScopes(policy.Runtime, policy.Builder)), []string{"This needs the scope builder", "You have not signed in"}},
		"who sees a part":   {policy.Principal{ID: "token:b", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true}, []string{"you may see a part of the graph only, and policies are not of it"}},
	} {
		viewer := f.as(c.who)
		a := viewer.get(t, policies+"?as=token:ci", 200)
		says(t, a, c.says...)
		checkPage(t, policies, a)
		if strings.Contains(mainText(a), "people") || strings.Contains(mainText(a), "Person") {
			t.Errorf("%s: the page has policies: %s", name, mainText(a))
		}
		form := f.withText(t, "permit (principal, action, resource);")
		if a := viewer.press(t, form, call); a.StatusCode < 400 || f.policies(t) != firstTexts {
			t.Errorf("%s: sets policies: %d", name, a.StatusCode)
		}
	}
	hr := f.as(policy.Principal{ID: "token:b", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Groups: []string{"hr"}, Authenticated: true})
	says(t, hr.get(t, policies, 200), "Set by local:ana")
}

// On a branch the page shows and sets those of the branch, and says that they decide nothing.
func TestThePageOfPoliciesOfABranch(t *testing.T) {
	f := newNotes(t)
	f.call(t, setPolicies, map[string]any{"policies": firstTexts})
	f.call(t, "branches_create", map[string]any{"name": "draft"})
	a := f.get(t, policies+"?branch=draft", 200)
	says(t, a, "Those of draft decide nothing until it is merged")
	form := a.form(t, policies+"?branch=draft")
	form.Set("policies", "permit (principal, action, resource);")
	says(t, f.press(t, f.press(t, form, dryRun).form(t, policies+"?branch=draft"), call), "Policies set")
	if got := f.call(t, "trails.meta.policy.show", map[string]any{"branch": "draft"})["text"]; got != "permit (principal, action, resource);" || f.policies(t) != firstTexts {
		t.Errorf("on draft it is %q, on main %q", got, f.policies(t))
	}
	for path, want := range map[string]int{policies: 4, policies + "?branch=draft": 1} {
		if got := numbered(f.get(t, path, 200), "L", ""); len(got) != want {
			t.Errorf("%s shows %q", path, got)
		}
	}
}
