package cedar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
)

func resource(kind cedar.Kind, id string, in ...cedar.Resource) cedar.Resource {
	return cedar.Resource{Kind: kind, ID: id, In: in}
}

func TestPoliciesDecide(t *testing.T) {
	p, err := cedar.Parse(`
		// What everybody may.
		@id("all") permit (principal, action in Action::"reads", resource in Graph::"g");
		@id("pay") forbid (principal, action == Action::"read", resource in Type::"Salary") unless { principal in Group::"hr" };
		@id("drafts") permit (principal == Actor::"token:bot", action == Action::"change", resource) unless { context.branch.protected };
		@id("hr") permit (principal in Group::"hr", action in [Action::"change", Action::"schema_apply"], resource in Type::"Salary");
		permit (principal, action == Action::"administer", resource) when { principal.scopes.contains("builder") };
	`)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.IDs(); !slices.Equal(got, []string{"all", "pay", "drafts", "hr", "policy4"}) || p.Line("drafts") != 5 {
		t.Errorf("%v, drafts at %d", got, p.Line("drafts"))
	}
	if got := p.Named(cedar.TypeKind); !slices.Equal(got, []string{"Salary"}) {
		t.Errorf("types %v", got)
	}
	g := resource(cedar.GraphKind, "g")
	main, draft := resource(cedar.BranchKind, "main", g), resource(cedar.BranchKind, "draft", g)
	main.Protected = true
	salary := func(on cedar.Resource) cedar.Resource { return resource(cedar.TypeKind, "Salary", on) }
	bot := policy.Principal{ID: "token:bot", Authenticated: true}
	hr := policy.Principal{ID: "token:eve", Groups: []string{"hr"}}
	admin := policy.Principal{ID: "token:ada", Scopes: policy.NewScopes(policy.Builder)}
	for _, c := range []struct {
		who    policy.Principal
		action policy.Action
		on     cedar.Resource
		branch cedar.Resource
		want   string
	}{
		{bot, policy.Read, main, cedar.Resource{}, "allowed all"},
		{bot, policy.Read, salary(main), cedar.Resource{}, "forbidden pay"},
		{bot, policy.Read, resource(cedar.TypeKind, "Bonus", salary(main), main), cedar.Resource{}, "forbidden pay"},
		{hr, policy.Read, salary(main), cedar.Resource{}, "allowed all"},
		{hr, policy.Read, resource(cedar.GraphKind, "other"), cedar.Resource{}, "denied"},
		{bot, policy.Change, salary(main), main, "denied"},
		{bot, policy.Change, salary(draft), draft, "allowed drafts"},
		{hr, policy.Change, salary(main), main, "allowed hr"},
		{hr, policy.SchemaApply, salary(main), main, "allowed hr"},
		{hr, policy.Change, main, main, "denied"},
		{admin, policy.Administer, g, cedar.Resource{}, "allowed policy4"},
		{hr, policy.Administer, g, cedar.Resource{}, "denied"},
		{bot, policy.InvokeQuery, resource(cedar.QueryKind, "q", main), cedar.Resource{}, "allowed all"},
		{policy.Principal{}, policy.Export, main, cedar.Resource{}, "allowed all"},
	} {
		d := p.Decide(cedar.Request{Caller: c.who, Action: c.action, Resource: c.on, Branch: c.branch})
		got := "denied"
		if d.Allowed {
			got = "allowed"
		} else if d.Forbidden {
			got = "forbidden"
		}
		if got = strings.TrimSpace(got + " " + strings.Join(d.Policies, " ")); got != c.want {
			t.Errorf("%s %s %s: %s, not %s", c.who.ID, c.action, c.on, got, c.want)
		}
	}
	if d := (*cedar.Policies)(nil).Decide(cedar.Request{Action: policy.Read, Resource: g}); d.Allowed {
		t.Error("no policies permit something")
	}
}

// What cannot be evaluated does not let through what it would have forbidden.
func TestAPolicyThatFailsForbids(t *testing.T) {
	p, err := cedar.Parse(`permit (principal, action, resource);
		@id("sum") forbid (principal, action, resource) when { 9223372036854775807 + 1 == 0 };`)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Decide(cedar.Request{Action: policy.Read, Resource: resource(cedar.GraphKind, "g")})
	if d.Allowed || !d.Forbidden || !slices.Equal(d.Policies, []string{"sum"}) {
		t.Errorf("%+v", d)
	}
}

func TestPoliciesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"permit (principal, action, resource)":                                                                              "line 1",
		"permit (principal, action, resource);\nforbid (principal action, resource);":                                       "line 2, column 18",
		"permit (principal, action == Action::\"fly\", resource);":                                                          "vocabulary",
		"permit (principal == User::\"x\", action, resource);":                                                              "vocabulary",
		"permit (principal, action, resource) when { principal.age > 3 };":                                                  "policy policy0 does not fit",
		"permit (principal, action == Action::\"read\", resource) when { context.branch.protected };":                       "policy0",
		"@id(\"a\") permit (principal, action, resource);\n@id(\"a\") permit (principal, action, resource);":                "line 1: rename",
		"@id(\"a b\") permit (principal, action, resource);":                                                                "no name of a policy",
		"permit (principal, action, resource) when { " + strings.Repeat("(", 70) + "true" + strings.Repeat(")", 70) + " };": "deep",
		strings.Repeat("// long\n", 20000):                                                                                  "larger than",
		strings.Repeat("permit (principal, action, resource);\n", 2001):                                                     "at most 2000",
		"\xff\x00": "no text",
	} {
		p, err := cedar.Parse(text)
		if p != nil || err == nil || !strings.Contains(fmt.Sprint(err), want) || fault.Is(err, fault.Internal) {
			t.Errorf("%.80q: %v, not %q", text, err, want)
		}
	}
	if p, err := cedar.Parse(" // nothing\n"); err != nil || len(p.IDs()) != 0 {
		t.Errorf("no policies: %v", err)
	}
}

// The parser and the evaluation call themselves for each of these; their depth is bounded by the size of the text.
func TestDeepPoliciesEnd(t *testing.T) {
	for _, condition := range []string{
		strings.Repeat("!", 120_000) + "true",
		strings.Repeat("if true then ", 8_000) + "true" + strings.Repeat(" else false", 8_000),
		"true" + strings.Repeat(" && true", 14_000),
		"1" + strings.Repeat(" + 1", 30_000) + " == 0",
	} {
		p, err := cedar.Parse("permit (principal, action, resource) when { " + condition + " };")
		if err != nil {
			t.Logf("%.20s: %.200s", condition, err)
			continue
		}
		p.Decide(cedar.Request{Action: policy.Read, Resource: resource(cedar.GraphKind, "g")})
	}
}

// A decision among 500 policies that name whom and what they are about in their scopes, or in conditions.
func BenchmarkDecide(b *testing.B) {
	for name, one := range map[string]string{
		"scopes":     "permit (principal in Group::\"g%[1]d\", action == Action::\"change\", resource in Type::\"T%[1]d\") unless { context.branch.protected };\n",
		"conditions": "permit (principal, action == Action::\"change\", resource) when { principal in Group::\"g%[1]d\" && resource in Type::\"T%[1]d\" };\n",
		"either":     "permit (principal, action, resource) when { context.origin != \"agent\" } when { resource == Type::\"T%[1]d\" || resource in [Type::\"A%[1]d\", Type::\"B%[1]d\"] };\n",
		"branches":   "permit (principal, action == Action::\"change\", resource) when { resource is Type && context.branch in Branch::\"draft\" && resource in Type::\"T%[1]d\" };\n",
	} {
		b.Run(name, func(b *testing.B) {
			var text strings.Builder
			for i := range 500 {
				fmt.Fprintf(&text, one, i)
			}
			p, err := cedar.Parse(text.String())
			if err != nil {
				b.Fatal(err)
			}
			on := resource(cedar.BranchKind, "draft", resource(cedar.GraphKind, "g"))
			r := cedar.Request{Caller: policy.Principal{ID: "token:bot", Groups: []string{"a", "b", "g499"}}, Action: policy.Change, Resource: resource(cedar.TypeKind, "T499", on), Branch: on}
			for b.Loop() {
				if !p.Decide(r).Allowed {
					b.Fatal("denied")
				}
			}
		})
	}
}

// The texts that ship are policies, and a text that was read last is not read again: it is checked, written and compiled.
func TestATextIsReadOnce(t *testing.T) {
	if p, err := cedar.Parse(""); p != nil || err != nil {
		t.Errorf("no text: %v, %v", p.IDs(), err)
	}
	first, err := cedar.Parse(cedar.Starter)
	again, _ := cedar.Parse(cedar.Starter)
	if err != nil || first != again || !slices.Equal(first.IDs(), []string{"scopes"}) {
		t.Errorf("%v, again %v, %v", first.IDs(), again.IDs(), err)
	}
	if _, err := cedar.Parse("permit"); err == nil {
		t.Error("no policy was read")
	}
	if other, _ := cedar.Parse(cedar.Starter + " "); other == first {
		t.Error("another text gives the policies of the first")
	}
	if got := cedar.None().IDs(); !slices.Equal(got, []string{"open", "no-policies"}) {
		t.Errorf("without policies: %v", got)
	}
}

// What permits everything is decided without being asked, and nothing else is.
func TestOnlyWhatPermitsEverythingPermitsIt(t *testing.T) {
	for text, want := range map[string]bool{
		cedar.Starter:                           true,
		`forbid (principal, action, resource);`: false,
		`permit (principal, action, resource) when { principal.authenticated };`:                                  false,
		`permit (principal == Actor::"token:a", action, resource);`:                                               false,
		`permit (principal, action in Action::"reads", resource);`:                                                false,
		`permit (principal, action, resource in Type::"Note");`:                                                   false,
		`permit (principal, action, resource); forbid (principal, action, resource);`:                             false,
		`forbid (principal, action, resource) when { context has branch }; permit (principal, action, resource);`: false,
	} {
		p, err := cedar.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		main := resource(cedar.BranchKind, "main")
		if got := p.Decide(cedar.Request{Action: policy.Change, Resource: main, Branch: main}); got.Allowed != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// What cannot be read is told in our words, with the place at which something is to be written.
func TestATextThatCannotBeReadSaysWhatToAdd(t *testing.T) {
	const head = "permit (principal, action, resource)"
	for text, want := range map[string]string{
		head: "line 1, column 37: the policy has no ; at its end: add it here",
		head + ";\n\n" + head + "  // für alle;\n\n":                 "line 3, column 37: the policy has no ; at its end: add it here",
		head + " when { true }":                                      "line 1, column 51: the policy has no ; at its end: add it here",
		"// é\n" + head + `when { "é;" == "}" }` + "\n" + head + ";": "line 2, column 57: the policy has no ; at its end: add it here",
		head + " " + head + ";":                                      "line 1, column 37: the policy has no ; at its end: add it here",
		head + " when { true":                                        `line 1, column 49: "}" is missing here, at the end of the text: add it`,
		"permit (principal, action resource);":                       `line 1, column 26: "," is missing here, before "resource": add it`,
		"permit":                                                     `line 1, column 7: "(" is missing here, at the end of the text: add it`,
		head + ` when { "abc };`:                                     "line 1, column 45: the text that begins here has no closing quotation mark: add one",
		head + ";\nallow (principal, action, resource);":             `line 2, column 1: a policy begins with permit or forbid, and not with "allow"`,
	} {
		_, err := cedar.Parse(text)
		if got := fault.Of(err).Fields; len(got) != 1 || got[0].String() != want {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

// A condition that cannot be evaluated for every request is doubted; what becomes of the policy then is told by the decision.
func TestConditionsThatMayFailAreDoubted(t *testing.T) {
	for condition, want := range map[string]struct{ doubted, fails bool }{
		`Branch::"other".protected`:                                                  {true, true},
		`Branch::"main".protected`:                                                   {true, false}, // the request is about it
		`Branch::"other" has protected && Branch::"other".protected`:                 {false, false},
		`(if context.origin == "agent" then Branch::"a" else Branch::"b").protected`: {true, true},
		`{"a": Branch::"other"}.a.protected`:                                         {true, true},
		`{"a": {"b": true}}.a.b`:                                                     {false, false},
		`Actor::"token:eve".authenticated`:                                           {true, true},
		`9223372036854775807 + 1 > 0`:                                                {true, true},
		`principal.authenticated && context has branch && context.branch.protected`:  {false, false},
		`resource is Branch && resource.protected`:                                   {false, false},
	} {
		for _, effect := range []string{"permit", "forbid"} {
			text := effect + " (principal, action, resource) when { " + condition + " };"
			p, err := cedar.Parse(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			main := resource(cedar.BranchKind, "main")
			d := p.Decide(cedar.Request{Caller: policy.Principal{ID: "token:bot"}, Action: policy.Change, Resource: main, Branch: main})
			failed := len(d.Failed) == 1 && d.Failed[0].Policy == "policy0" && d.Failed[0].Forbids == (effect == "forbid") && d.Failed[0].Why != ""
			if doubts := p.Doubts(); (len(doubts) == 1) != want.doubted || failed != want.fails || want.fails && d.Forbidden != (effect == "forbid") {
				t.Errorf("%s\n%+v, doubted %q", text, d, doubts)
			}
		}
	}
}
