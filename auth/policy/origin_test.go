package policy_test

import (
	"fmt"
	"testing"

	"trails/auth/policy"
)

// Every door, with every kind of caller, is of one class; what a call says of itself never raises it.
func TestTheOriginOfACallFollowsFromItsDoorAndCaller(t *testing.T) {
	callers := map[string]policy.Principal{
		"nobody": {}, "anonymous": policy.Anonymous("", policy.Scopes{}), "anonymous via": policy.Anonymous("a person", policy.AllScopes()),
		"token": {ID: "token:ci", Authenticated: true}, "oidc": {ID: "oidc:4711@id.example.org", Authenticated: true}, "local": policy.Local("ana", ""),
		"operator via": policy.Local("ana", "claude-code"), "who calls itself one": {ID: "token:ci", Client: "anonymous", Origin: policy.Person},
	}
	unknown := map[string]bool{"nobody": true, "anonymous": true, "anonymous via": true}
	for door, want := range map[string][2]policy.Origin{ // of callers who are not known, and of others
		"terminal":  {policy.Person, policy.Person},
		"admin":     {policy.Unknown, policy.Person},
		"cli":       {policy.Agent, policy.Agent},
		"http":      {policy.Agent, policy.Agent},
		"mcp-stdio": {policy.Agent, policy.Agent},
		"mcp-http":  {policy.Agent, policy.Agent},
		"mcp-sse":   {policy.Agent, policy.Agent},
		"go":        {policy.Unknown, policy.Unknown},
		"":          {policy.Unknown, policy.Unknown},
		"person":    {policy.Unknown, policy.Unknown},
	} {
		for name, caller := range callers {
			t.Run(fmt.Sprintf("%s through %q", name, door), func(t *testing.T) {
				of := want[1]
				if unknown[name] {
					of = want[0]
				}
				if got := policy.OriginOf(door, caller.Author(), "note.create", nil); got != of {
					t.Errorf("what is recorded is of %s, want %s", got, of)
				}
				caller.Origin = policy.Person
				if got := caller.Through(door).Origin; got != of {
					t.Errorf("the call is of %s, want %s", got, of)
				}
				for _, capability := range []string{"load", "import", "import_types", "restore", "trails.meta.bundle.apply"} {
					if got := policy.OriginOf(door, caller.Author(), capability, nil); got != min(of, policy.Import) || got != caller.Through(door).Calling(capability).Origin {
						t.Errorf("%s is of %s, want %s at most", capability, got, policy.Import)
					}
				}
				for _, used := range policy.OriginNames() {
					class, _ := policy.ParseOrigin(used)
					if got := policy.OriginOf(door, caller.Author(), "note.create", []string{"urn:other", class.IRI(), policy.SourceIRI("a b")}); got != min(of, class) {
						t.Errorf("with what %s says it is of %s, want %s", used, got, min(of, class))
					}
				}
				if got := policy.OriginOf(door, caller.Author(), "note.create", []string{"urn:trails:origin:persons"}); got != policy.Unknown {
					t.Errorf("with a class that there is not it is of %s, want %s", got, policy.Unknown)
				}
			})
		}
	}
}
