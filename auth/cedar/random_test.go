package cedar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	library "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"pgregory.net/rapid"

	"trails/auth/cedar"
	"trails/auth/policy"
)

// The world of the random policies: each entity with what it is part of.
var world = func() types.EntityMap {
	all := types.EntityMap{}
	add := func(kind, id string, attributes types.RecordMap, in ...types.EntityUID) types.EntityUID {
		uid := types.NewEntityUID(types.EntityType(kind), types.String(id))
		all[uid] = types.Entity{UID: uid, Parents: types.NewEntityUIDSet(in...), Attributes: types.NewRecord(attributes)}
		return uid
	}
	graph := add("Graph", "g", nil)
	for _, branch := range []string{"main", "draft"} {
		on := add("Branch", branch, types.RecordMap{"protected": types.Boolean(branch == "main")}, graph)
		if branch != "main" {
			continue
		}
		person := add("Type", "Person", nil, on)
		boss := add("Type", "Boss", nil, person, on)
		query := add("Query", "q", nil, on)
		add("Type", "Note", nil, on)
		add("Capability", "boss.create", nil, boss)
		add("Capability", "ask", nil, query)
	}
	reads, writes := add("Action", "reads", nil), add("Action", "writes", nil)
	for _, a := range cedar.Actions {
		if a.Writes() {
			add("Action", string(a), nil, writes)
		} else {
			add("Action", string(a), nil, reads)
		}
	}
	return all
}()

// resourceOf is an entity of the world as a request names it.
func resourceOf(uid types.EntityUID) cedar.Resource {
	r := cedar.Resource{Kind: cedar.Kind(uid.Type), ID: string(uid.ID), Protected: uid.Type == "Branch" && uid.ID == "main"}
	for parent := range world[uid].Parents.All() {
		r.In = append(r.In, resourceOf(parent))
	}
	return r
}

var (
	actors  = []string{`Actor::"token:ana"`, `Actor::"token:bot"`}
	groups  = []string{`Group::"hr"`, `Group::"eu"`}
	things  = []string{`Graph::"g"`, `Branch::"main"`, `Branch::"draft"`, `Type::"Person"`, `Type::"Boss"`, `Type::"Note"`, `Query::"q"`, `Capability::"ask"`, `Capability::"boss.create"`}
	origins = []policy.Origin{policy.Person, policy.Agent, policy.Unknown}
)

// condition writes a boolean expression. Some cannot be evaluated, always or for some requests.
func condition(t *rapid.T, depth int) string {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "part") }
	if depth > 0 {
		switch a := condition(t, depth-1); pick("", "!", "&&", "||", "if") {
		case "!":
			return "!(" + a + ")"
		case "&&":
			return "(" + a + " && " + condition(t, depth-1) + ")"
		case "||":
			return "(" + a + " || " + condition(t, depth-1) + ")"
		case "if":
			return "(if " + a + " then " + condition(t, depth-1) + " else " + condition(t, depth-1) + ")"
		default:
			return a
		}
	}
	return pick(
		"principal.authenticated", `principal.scopes.contains("builder")`, `principal.scopes.containsAll(["builder", "runtime"])`, `principal.scopes.containsAny(["dev", "builder"])`,
		"principal in "+pick(groups...), "principal in ["+groups[0]+", "+groups[1]+"]", "principal == "+pick(actors...), "principal is Actor", "principal is Actor in "+pick(groups...),
		"resource in "+pick(things...), "resource == "+pick(things...), "resource is "+pick("Graph", "Branch", "Type", "Query", "Capability"), "(resource is Branch && resource.protected)",
		pick(things...)+" == resource", "resource in ["+pick(things[3:6]...)+", "+pick(things[3:6]...)+"]", "resource is Type in "+pick(things...),
		"action in Action::\"reads\"", `action == Action::"change"`, `action in [Action::"read", Action::"writes"]`,
		"context.branch in "+pick(things[:3]...), pick(things[1:3]...)+" == context.branch",
		`context.origin == "agent"`, `context.origin like "`+pick("*", "p*", "*n", "a*t")+`"`, "context has branch", "(context has branch && context.branch.protected)", "(context has branch && context.branch in "+pick(things[:3]...)+")",
		`decimal("1.5").lessThan(decimal("`+pick("1.4", "2.0")+`"))`, `ip("10.1.2.3").isInRange(ip("`+pick("10.0.0.0/8", "192.168.0.0/16")+`"))`, `ip("`+pick("127.0.0.1", "10.0.0.1")+`").isLoopback()`,
		`{"a": 1, "b": {"c": [1, 2]}}.b.c.contains(`+pick("1", "3")+")", `{"a": 1} has a`, pick("1", "3")+" * 2 - 1 < 3",
		"9223372036854775807 + 1 == 0", `(if context.origin == "agent" then 9223372036854775807 else 1) + 1 > 0`,
	)
}

// randomPolicy writes a policy that fits the vocabulary.
func randomPolicy(t *rapid.T) string {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "part") }
	var some []string
	for _, a := range cedar.Actions {
		some = append(some, fmt.Sprintf("Action::%q", a))
	}
	text := pick("permit", "permit", "forbid") +
		" (principal" + pick("", "", " == "+pick(actors...), " in "+pick(groups...), " is Actor", " is Actor in "+pick(groups...)) +
		", action" + pick("", "", " == "+pick(some...), " in ["+pick(some...)+", "+pick(some...)+"]", ` in Action::"reads"`, ` in Action::"writes"`) +
		", resource" + pick("", "", " == "+pick(things...), " in "+pick(things...), " is "+pick("Type", "Branch"), " is Type in "+pick(things...)) + ")"
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		text += " " + pick("when", "unless") + " { " + condition(t, 2) + " }"
	}
	return text + ";\n"
}

// speaksOf reports whether the vocabulary has an action on a kind of thing.
func speaksOf(action policy.Action, kind string) bool {
	if action == policy.InvokeQuery {
		return kind == "Query"
	}
	return kind == "Graph" || kind == "Capability" || action != policy.Administer && (kind == "Branch" || kind == "Type")
}

// What is decided, and by which policies, is what the library decides by all of them over the whole world, though only those are
// looked at whose scopes and conditions may fit; and what forbids and cannot be evaluated forbids.
func TestDecisionsAreThoseOfCedar(t *testing.T) {
	decided := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "policies") {
			one := randomPolicy(t)
			if _, err := cedar.Parse(one); err == nil { // some can never apply, which is refused
				text.WriteString(one)
			}
		}
		p, err := cedar.Parse(text.String() + "// all\n")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := library.NewPolicySetFromBytes("", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			uids := make([]types.EntityUID, 0, len(world))
			for uid := range world {
				if uid.Type != "Action" {
					uids = append(uids, uid)
				}
			}
			slices.SortFunc(uids, func(a, b types.EntityUID) int { return strings.Compare(a.String(), b.String()) })
			on := rapid.SampledFrom(uids).Draw(t, "resource")
			who := policy.Principal{
				ID: rapid.SampledFrom([]string{"token:ana", "token:bot", "token:eve"}).Draw(t, "principal"), Authenticated: rapid.Bool().Draw(t, "authenticated"),
				Origin: rapid.SampledFrom(origins).Draw(t, "origin"), Groups: rapid.SampledFrom([][]string{nil, {"hr"}, {"eu", "hr"}}).Draw(t, "groups"),
				Scopes: rapid.SampledFrom([]policy.Scopes{{}, policy.NewScopes(policy.Runtime), policy.NewScopes(policy.Runtime, policy.Builder)}).Draw(t, "scopes"),
			}
			r := cedar.Request{Caller: who, Action: rapid.SampledFrom(cedar.Actions).Draw(t, "action"), Resource: resourceOf(on)}
			facts := types.RecordMap{"origin": types.String(who.Origin.String())}
			if r.Action.Writes() && r.Action != policy.Administer {
				branch := types.NewEntityUID("Branch", types.String(rapid.SampledFrom([]string{"main", "draft"}).Draw(t, "branch")))
				r.Branch, facts["branch"] = resourceOf(branch), branch
			}
			want := plain(whole, who, types.NewEntityUID("Action", types.String(r.Action)), on, facts)
			got := p.Decide(r)
			for _, failed := range got.Failed {
				if !speaksOf(r.Action, string(on.Type)) {
					continue // nobody asks for this, and policies are held against what is asked for
				}
				if !slices.ContainsFunc(p.Doubts(), func(told string) bool { return strings.Contains(told, "policy "+failed.Policy+" (line ") }) {
					t.Fatalf("nobody is told that the condition of %s may fail: %s, in\n%s", failed.Policy, failed.Why, text.String())
				}
				decided["failed"]++
			}
			got.Failed = nil // the library evaluates also those that cannot fit
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s %s %s in %v:\n%v, want %v by\n%s", who.ID, r.Action, on, facts, got, want, text.String())
			}
			switch {
			case got.Allowed:
				decided["allowed"]++
			case got.Forbidden:
				decided["forbidden"]++
			default:
				decided["denied"]++
			}
		}
	})
	for _, one := range []string{"allowed", "forbidden", "denied", "failed"} {
		if decided[one] == 0 {
			t.Errorf("nothing was %s: %v", one, decided)
		}
	}
}

// plain is what the library decides by all policies.
func plain(set *library.PolicySet, who policy.Principal, action, on types.EntityUID, facts types.RecordMap) cedar.Decision {
	entities := types.EntityMap{}
	for uid, e := range world {
		entities[uid] = e
	}
	var in []types.EntityUID
	for _, g := range who.Groups {
		in = append(in, types.NewEntityUID("Group", types.String(g)))
	}
	var scopes []types.Value
	for _, s := range who.Scopes.List() {
		scopes = append(scopes, types.String(s))
	}
	actor := types.NewEntityUID("Actor", types.String(who.ID))
	entities[actor] = types.Entity{UID: actor, Parents: types.NewEntityUIDSet(in...), Attributes: types.NewRecord(types.RecordMap{
		"authenticated": types.Boolean(who.Authenticated), "scopes": types.NewSet(scopes...),
	})}
	verdict, why := library.Authorize(set, entities, library.Request{Principal: actor, Action: action, Resource: on, Context: types.NewRecord(facts)})
	var reasons, failed []string
	for _, r := range why.Reasons {
		reasons = append(reasons, string(r.PolicyID))
	}
	for _, e := range why.Errors {
		if set.Get(e.PolicyID).Effect() == library.Forbid {
			failed = append(failed, string(e.PolicyID))
		}
	}
	d := cedar.Decision{Allowed: bool(verdict) && len(failed) == 0}
	if d.Policies = failed; d.Allowed || !bool(verdict) {
		d.Policies = append(reasons, failed...)
	}
	d.Forbidden = !d.Allowed && len(d.Policies) > 0
	slices.Sort(d.Policies)
	return d
}
