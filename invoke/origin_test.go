package invoke_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// What a commit records is of the class of the door, whatever the caller and the arguments claim.
func TestACommitIsOfTheClassOfItsDoor(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	e.Govern(t, cedar.Starter)
	for i, c := range []struct {
		via  string
		who  policy.Principal
		want kg.Origin
	}{
		{"mcp-http", policy.Principal{ID: "token:ci", Client: "terminal", Scopes: policy.AllScopes(), Authenticated: true, Origin: policy.Person}, policy.Agent},
		{"mcp-stdio", policy.Local("ana", "admin"), policy.Agent},
		{"http", policy.Principal{ID: "token:ci", Scopes: policy.AllScopes(), Authenticated: true}, policy.Agent},
		{"admin", policy.Principal{ID: "token:ci", Scopes: policy.AllScopes(), Authenticated: true}, policy.Person},
		{"admin", policy.Anonymous("person", policy.AllScopes()), policy.Unknown},
		{policy.Terminal, policy.Local("ana", ""), policy.Person},
		{"cli", policy.Local("ana", ""), policy.Agent},
		{"elsewhere", policy.Local("ana", ""), policy.Unknown},
	} {
		text := fmt.Sprintf(`INSERT DATA { <urn:n%d> <urn:p> "x" }`, i)
		args, err := json.Marshal(map[string]any{"update": text, "message": "by a person at a terminal"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Call(t.Context(), invoke.Call{Capability: "mutate", Args: args, Principal: c.who, Via: c.via})
		if err != nil {
			t.Fatal(err)
		}
		var got kg.Origin
		err = e.Graph().Session(invoketest.Ana).View(t.Context(), func(s *kg.Snapshot) error {
			commit, err := s.FindCommit(t.Context(), *r.Written.Commit)
			if err == nil {
				got, err = s.CommitOrigin(t.Context(), commit)
			}
			return err
		})
		if err != nil || got != c.want {
			t.Errorf("%s by %s is of %s, want %s: %v", c.via, c.who.Author(), got, c.want, err)
		}
	}
}
