package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// grant gives a client access in the name of somebody.
func grant(t testing.TB, e *invoketest.Engine, who policy.Principal, name string) {
	t.Helper()
	own, _, err := e.Graph().Token(t.Context(), strings.TrimPrefix(who.ID, policy.TokenActor))
	if err != nil {
		t.Fatal(err)
	}
	now := own.Created.Add(time.Duration(name[len(name)-1]) * time.Millisecond)
	given := policy.Token{
		Name: name, Scopes: policy.NewScopes(policy.Runtime), Created: now, Creator: who.Author(), Expires: time.Now().AddDate(10, 0, 0),
		Grant: &policy.Grant{Person: who.ID, Client: "https://client.example/", Host: "client.example", Issuer: "https://trails.example"},
	}
	given.Hash[0], given.Grant.Code[0] = name[len(name)-1], name[len(name)-1]
	if err := e.Graph().Session(who).Grant(t.Context(), given, kg.Activity{}); err != nil {
		t.Fatal(err)
	}
}

// Who gave a client access sees that and ends it with the scope runtime alone, also where policies permit nothing, and it is
// recorded as every other call. What others gave, tokens, and what ended are not there; a client does neither.
func TestOnesOwnGrantsAreEndedWithoutAScope(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	person := func(name string) policy.Principal {
		return policy.Principal{ID: "token:" + name, Owner: "token:" + name, Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
	}
	e.Must(t, "trails.meta.token.create", `{"name": "ana"}`)
	grant(t, e, person("ana"), "grant-a")
	grant(t, e, person("ana"), "grant-b")
	grant(t, e, person("eve"), "grant-c")
	e.Govern(t, `permit (principal == Actor::"token:nobody", action, resource);`)
	if told := e.Must(t, "trails.meta.policy.explain", `{"as": "token:ana", "call": "trails.meta.grant.end"}`); told["allowed"] != true || told["way"] != nil || !strings.Contains(fmt.Sprint(told["why"]), "policies do not decide") {
		t.Errorf("it is explained as %v", told)
	}
	call := func(who policy.Principal, capability, args string) invoke.Call {
		return invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: who, Via: "http"}
	}
	list := func(who policy.Principal) string {
		t.Helper()
		res, err := e.Call(t.Context(), call(who, "trails.meta.grant.list", `{}`))
		if err != nil {
			t.Fatal(err, e.Log)
		}
		var answer map[string]any
		if err := json.Unmarshal(res.Structured, &answer); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(firsts(answer))
	}
	end := func(name string) invoke.Call {
		return call(person("ana"), "trails.meta.grant.end", `{"name": "`+name+`"}`)
	}
	if got := list(person("ana")); got != "[grant-b grant-a]" {
		t.Errorf("ana gave %s", got)
	}
	for _, name := range []string{"grant-c", "ana", "grant-none"} {
		if f := e.Refused(t, end(name), fault.Missing); !strings.Contains(f.Message, "you have given no access named") {
			t.Errorf("%s: %v", name, f)
		}
	}
	client := person("ana")
	client.Grant, client.Client = "grant-b", "client.example (grant-b)"
	e.Refused(t, call(client, "trails.meta.grant.list", `{}`), fault.Denied)
	e.Refused(t, call(client, "trails.meta.grant.end", `{"name": "grant-a"}`), fault.Denied)

	tried := end("grant-a")
	tried.Args = json.RawMessage(`{"name": "grant-a", "dry_run": true}`)
	for _, c := range []invoke.Call{tried, end("grant-a")} {
		if _, err := e.Call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(person("ana")); got != "[grant-b]" {
		t.Errorf("of what ana gave there is %s", got)
	}
	e.Refused(t, end("grant-a"), fault.Missing)
	if got := list(person("eve")); got != "[grant-c]" {
		t.Errorf("eve gave %s", got)
	}
	ended, _, err := e.Graph().Token(t.Context(), "grant-a")
	if err != nil || ended.Revoker != "token:ana" || ended.Revoked.IsZero() {
		t.Errorf("it is %+v, %v", ended, err)
	}
	recorded := 0
	for _, a := range e.Activities(t) {
		if a.Capability == "trails.meta.grant.end" && a.Outcome == "ok" {
			recorded++
		}
	}
	if recorded != 2 { // the one that was only tried, too
		t.Errorf("%d calls are recorded", recorded)
	}

	e.Must(t, "trails.meta.token.revoke", `{"name": "ana", "forget": true}`)
	e.Must(t, "trails.meta.token.create", `{"name": "ana"}`)
	if got := list(person("ana")); got != "[]" {
		t.Errorf("who has the name of somebody before is told of %s", got)
	}
}
