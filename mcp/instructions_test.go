package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
	"trails/mcp"
)

// The instructions of a handshake name no tool that the caller may not call.
func TestInstructionsAreForTheCaller(t *testing.T) {
	e := openStarter(t)
	told := func(scopes policy.Scopes) string {
		t.Helper()
		h := mcp.New(e, optionsOf(auth.Options{Token: token, Scopes: scopes})).Handler()
		var shaken struct{ Result struct{ Instructions string } }
		if err := json.Unmarshal(post(t, h, hello("2025-11-25", ""), "Authorization: Bearer "+token).Body.Bytes(), &shaken); err != nil {
			t.Fatal(err)
		}
		return shaken.Result.Instructions
	}
	govern := func(policies string) {
		t.Helper()
		args, _ := json.Marshal(map[string]any{"policies": policies})
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.policy.apply", Args: args, Principal: policy.Local("ana", ""), Via: "go"}); err != nil {
			t.Fatal(err)
		}
	}
	govern(`permit (principal, action, resource);`)
	if text := told(policy.NewScopes(policy.Runtime)); !strings.Contains(text, "component_create {") || !strings.Contains(text, "mutate") {
		t.Errorf("who may do all is told:\n%s", text)
	}
	if text := told(policy.NewScopes(policy.Builder)); text == "" || strings.Contains(text, "_create") || strings.Contains(text, "trails://") {
		t.Errorf("who may read nothing is told:\n%s", text)
	}
	govern(`permit (principal, action in Action::"reads", resource);`)
	text := told(policy.NewScopes(policy.Runtime))
	for _, name := range []string{"_create", "mutate", "schema_apply", "undo", "load"} {
		if strings.Contains(text, name) {
			t.Errorf("who may only read is told of %s:\n%s", name, text)
		}
	}
	if !strings.Contains(text, "You may not write to this graph.") || !strings.Contains(text, "search {") {
		t.Errorf("who may only read is told:\n%s", text)
	}
}
