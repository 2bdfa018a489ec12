package builtin_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

const firm = `
base: "urn:example:"
types:
  Note: {properties: {title: string}}
  Salary: {properties: {amount: integer}}
`

// governed is a graph with notes, salaries and policies.
func governed(t *testing.T, policies string) *invoketest.Engine {
	t.Helper()
	e := invoketest.New(t, firm, invoke.Config{})
	e.Must(t, "create", `{"type": "Note", "id": "n1", "data": {"title": "One"}}`)
	e.Must(t, "create", `{"type": "Salary", "id": "s1", "data": {"amount": 7}}`)
	setPolicies(t, e, policies)
	return e
}

func setPolicies(t *testing.T, e *invoketest.Engine, policies string) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"policies": policies})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "trails.meta.policy.apply", string(args))
}

// The call of a commit names the policies that permitted it: those of the call, also if a person was asked in its middle, and
// those of each type that it changed.
func TestACommitNamesThePoliciesThatPermittedIt(t *testing.T) {
	person := &asked{yes: true}
	caller := policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true}
	for _, c := range []struct {
		e                          *invoketest.Engine
		policies, capability, args string
		want                       []string
	}{
		{crowd(t), `@id("shapes") permit (principal, action == Action::"schema_apply", resource);`, "schema_apply",
			`{"patch": "- drop_property: Note.tags", "allow_data_loss": true}`, []string{"shapes"}},
		{governed(t, `permit (principal, action, resource);`), `@id("notes") permit (principal, action == Action::"change", resource == Type::"Note"); @id("pay") permit (principal, action == Action::"change", resource == Type::"Salary");`, "mutate",
			`{"update": "DELETE {?s <urn:example:amount> ?o} INSERT {?s <urn:example:amount> 8} WHERE {?s <urn:example:amount> ?o}"}`, []string{"notes", "pay"}},
	} {
		setPolicies(t, c.e, `@id("reads") permit (principal, action in Action::"reads", resource); `+c.policies)
		call := invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Principal: caller, Via: "test", Ask: person.answer}
		if _, err := c.e.Call(t.Context(), call); err != nil {
			t.Errorf("%s: %v", c.capability, err)
			continue
		}
		all := c.e.Activities(t)
		i := slices.IndexFunc(all, func(a kg.Activity) bool { return a.Capability == c.capability && a.CommitSeq != 0 })
		if permitted, _ := kg.PoliciesOf(all[max(i, 0)]); i < 0 || !slices.Equal(permitted, c.want) {
			t.Errorf("%s: got %q, want %q", c.capability, permitted, c.want)
		}
	}
	if len(person.questions) != 1 {
		t.Errorf("asked %q", person.questions)
	}
}

// A text of policies with many names of nothing is warned of by the first, and how many more.
func TestManyNamesOfNothingAreCounted(t *testing.T) {
	e := governed(t, `permit (principal, action, resource);`)
	text := `permit (principal, action, resource);`
	for i := range 1000 {
		text += fmt.Sprintf(` forbid (principal == Actor::"token:n%d", action, resource);`, i)
	}
	args, err := json.Marshal(map[string]string{"policies": text})
	if err != nil {
		t.Fatal(err)
	}
	warnings := e.Must(t, "trails.meta.policy.apply", string(args))["warnings"].([]any)
	if len(warnings) != 21 || !strings.HasPrefix(fmt.Sprint(warnings[20]), "and 980 more doubts") {
		t.Errorf("%d warnings, the last is %v", len(warnings), warnings[len(warnings)-1])
	}
}

// A case about a caller whom nobody can be is refused with its line, since it would always be denied.
func TestACaseOfNobodyIsRefused(t *testing.T) {
	e := governed(t, `permit (principal, action, resource);`)
	for _, as := range []string{"ana", "oidc:7@https://id.example.org", "token"} {
		args, err := json.Marshal(map[string]string{"cases": "- {as: token:a, action: read, expect: allowed}\n- {as: '" + as + "', action: read, expect: allowed}"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Call(t.Context(), sampleCall("trails.meta.policy.test", string(args)))
		if as == "token" { // the caller with the token of the process
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if f := fault.Of(err); err == nil || !strings.Contains(f.Told(1000), "line 2: as: \""+as+"\": ") {
			t.Errorf("%s: %v", as, f.Told(1000))
		}
	}
}

// What begins like the name of a client's access is no name of a token, and a time that is too long names its limit.
func TestNamesAndTimesOfTokens(t *testing.T) {
	e := governed(t, `permit (principal, action, resource);`)
	for args, says := range map[string]string{
		`{"name": "grant-1"}`:                       "names that begin with grant- are of clients that got access by OAuth",
		`{"name": "ci", "expires": "999999d"}`:      "a number up to 99999 with d, h or m",
		`{"name": "ci", "expires": "in two weeks"}`: "a number up to 99999 with d, h or m",
	} {
		if f := e.Refused(t, sampleCall("trails.meta.token.create", args), fault.InvalidArguments); !strings.Contains(f.Told(1000), says) {
			t.Errorf("%s: %s", args, f.Told(1000))
		}
	}
	if f := e.Refused(t, sampleCall("gc", `{"grace": "999999d"}`), fault.InvalidArguments); !strings.Contains(f.Told(1000), "a number up to 99999 with d, h or m") {
		t.Error(f.Told(1000))
	}
	e.Must(t, "trails.meta.token.create", `{"name": "ci", "expires": "99999d"}`)
}

// Whoever sees a part of the graph learns nothing of policies, which name the rest, and is told so.
func TestWhoSeesAPartSeesNoPolicies(t *testing.T) {
	e := governed(t, `permit (principal, action, resource); @id("payroll") forbid (principal, action, resource in Type::"Salary") unless { principal in Group::"hr" };`)
	e.Must(t, "trails.meta.token.create", `{"name": "paymaster", "groups": ["hr"]}`)
	some := policy.Principal{ID: "token:some", Scopes: policy.AllScopes(), Authenticated: true}
	all := policy.Principal{ID: "token:all", Scopes: policy.AllScopes(), Groups: []string{"hr"}, Authenticated: true}
	for id, args := range map[string]string{
		"trails.meta.policy.show":    `{}`,
		"trails.meta.token.list":     `{}`,
		"trails.meta.budget.list":    `{}`,
		"trails.meta.policy.plan":    `{"policies": "permit (principal, action == Action::\"administer\", resource); permit (principal == Actor::\"token:paymaste\", action, resource in Type::\"Salar\");"}`,
		"trails.meta.policy.explain": `{"as": "token:paymaster"}`,
		"trails.meta.policy.test":    `{"cases": "- {as: token:paymaster, action: read, on: 'Type::\"Salar\"', expect: allowed}"}`,
	} {
		call := invoke.Call{Capability: id, Args: json.RawMessage(args), Principal: some, Via: "test", Whole: true}
		r, err := e.Call(t.Context(), call)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		told := string(r.Structured) + strings.Join(r.Parts.Warnings, "\n")
		for _, hidden := range []string{"Salary", "payroll", "hr", "paymaster\"?"} {
			if strings.Contains(told, hidden) {
				t.Errorf("%s tells %s: %s", id, hidden, told)
			}
		}
		if id != "trails.meta.policy.plan" && !strings.Contains(told, "you may see a part of the graph only") || strings.Contains(told, "there are no policies") {
			t.Errorf("%s does not say that there is more: %s", id, told)
		}
		call.Principal = all
		if r, err = e.Call(t.Context(), call); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if told := string(r.Structured) + strings.Join(r.Parts.Warnings, "\n"); strings.Contains(told, "you may see a part") {
			t.Errorf("%s tells somebody who sees all: %s", id, told)
		}
	}
}

// What explain says would change a decision changes it.
func TestTheWayThatIsToldWorks(t *testing.T) {
	const few = `permit (principal == Actor::"token:boss", action, resource);` + "\n"
	const closed = `permit (principal, action, resource);` + "\n" + `@id("closed") forbid (principal, action in Action::"writes", resource) `
	for _, c := range []struct{ name, policies, asked, call, args string }{
		{"reading a type", few, `"action": "read", "on": "Type::\"Note\""`, "list", `{"type": "Note"}`},
		{"reading all", few, `"action": "read"`, "snapshot", `{}`},
		{"changing a type", few + `permit (principal, action == Action::"read", resource);`, `"call": "note.update"`, "note.update", `{"id": "n1", "title": "Two"}`},
		{"making a branch", few, `"call": "branches_create"`, "branches_create", `{"name": "draft"}`},
		{"what is forbidden", closed + ";", `"call": "note.update"`, "note.update", `{"id": "n1", "title": "Two"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := governed(t, c.policies)
			call := invoke.Call{Capability: c.call, Args: json.RawMessage(c.args), Principal: policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}}
			if _, err := e.Call(t.Context(), call); !fault.Is(err, fault.Denied) && !fault.Is(err, fault.UnknownTool) {
				t.Fatalf("before: %v", err)
			}
			way := e.Must(t, "trails.meta.policy.explain", `{"as": "token:ci", `+c.asked+`}`)["way"].(string)
			policies := c.policies
			if _, exception, found := strings.Cut(way, "unless"); found {
				policies = closed + "unless" + exception + ";"
			} else {
				policies += strings.TrimSuffix(way, " would permit it")
			}
			setPolicies(t, e, policies)
			if _, err := e.Call(t.Context(), call); err != nil {
				t.Errorf("after %s: %v", way, err)
			}
		})
	}
}

// A scope that is missing is what is told, and no policy.
func TestTheWayOfAScopeIsTold(t *testing.T) {
	for policies, want := range map[string]string{
		allMay: "a token with the scope builder",
		`permit (principal == Actor::"token:boss", action, resource);`: `permit (principal == Actor::"token:ci", action == Action::"schema_apply", resource in Branch::"main"); would permit it; besides, it needs a token with the scope builder`,
	} {
		if got := governed(t, policies).Must(t, "trails.meta.policy.explain", `{"as": "token:ci", "call": "trails.meta.query.add"}`)["way"]; got != want {
			t.Errorf("%s: %s", policies, got)
		}
	}
}

// The recipes of the guide do what their cases say.
func TestRecipesOfTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../docs/guide/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := regexp.MustCompile("(?s)```cedar\n(.*?)```\n\n```yaml\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(recipes) != 5 {
		t.Fatalf("there are %d recipes", len(recipes))
	}
	e := governed(t, `permit (principal, action, resource);`)
	for _, r := range recipes {
		args, err := json.Marshal(map[string]string{"policies": r[1], "cases": r[2]})
		if err != nil {
			t.Fatal(err)
		}
		if told := e.Must(t, "trails.meta.policy.test", string(args)); told["failed"] != 0.0 || told["passed"].(float64) < 3 {
			t.Errorf("%s: %v", r[1], told)
		}
		setPolicies(t, e, r[1])
	}
}

// An import that adds a type needs what the change of the schema needs, and for its rows what any change of data does.
func TestAnImportNeedsWhatItsPartsNeed(t *testing.T) {
	const room = `"patch": "- add_type: {Room: {properties: {size: integer}}}"`
	for what, c := range map[string]struct {
		policies, args string
		allowed        bool
	}{
		"rows of the new type":             {`permit (principal, action, resource); forbid (principal, action == Action::"change", resource in Type::"Salary");`, `{"data": "size\n9\n", "tables": [{"type": "Room"}], ` + room + `}`, true},
		"rows of a type that is forbidden": {`permit (principal, action, resource); forbid (principal, action == Action::"change", resource in Type::"Salary");`, `{"data": "amount\n9\n", "tables": [{"type": "Salary"}], ` + room + `}`, false},
		"a type without the permission":    {`permit (principal, action, resource); forbid (principal, action == Action::"schema_apply", resource);`, `{"data": "size\n9\n", "tables": [{"type": "Room"}], ` + room + `}`, false},
		"rows alone without it":            {`permit (principal, action, resource); forbid (principal, action == Action::"schema_apply", resource);`, `{"data": "title\nx\n", "tables": [{"type": "Note"}]}`, true},
	} {
		e := governed(t, c.policies)
		some := policy.Principal{ID: "token:some", Scopes: policy.AllScopes(), Authenticated: true}
		_, err := e.Call(t.Context(), invoke.Call{Capability: "import", Args: json.RawMessage(c.args), Principal: some, Via: "test"})
		if allowed := err == nil; allowed != c.allowed || !allowed && !fault.Is(err, fault.Denied) && !fault.Is(err, fault.UnknownTool) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
