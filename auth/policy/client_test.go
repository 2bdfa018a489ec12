package policy_test

import (
	"testing"

	"trails/auth/policy"
)

func TestTheVersionOfAClientIsNoPartOfTheAuthor(t *testing.T) {
	p := policy.Principal{ID: "local:ana", Client: "Visual Studio Code", Version: "1.96/insider"}
	if got := p.Author(); got != "local:ana via Visual Studio Code" {
		t.Errorf("the author is %q", got)
	}
	if got := policy.ClientIn([]string{"urn:trails:request:7", p.ClientIRI()}); got != "Visual Studio Code 1.96/insider" {
		t.Errorf("provenance has the client as %q", got)
	}
	for _, p := range []policy.Principal{{Client: "a"}, {Version: "1"}, {}} {
		if got := p.ClientIRI(); got != "" {
			t.Errorf("%+v is in provenance as %q", p, got)
		}
	}
	for _, used := range [][]string{nil, {"urn:trails:client:%zz/1"}, {"urn:trails:client:a/%zz"}, {"urn:trails:request:7"}} {
		if got := policy.ClientIn(used); got != "" {
			t.Errorf("%v has the client %q", used, got)
		}
	}
}

func TestANameFindsItsAuthor(t *testing.T) {
	for _, c := range []struct {
		author, name string
		want         bool
	}{
		{"local:ana", "local:ana", true},
		{"local:ana via claude-code", "local:ana", true},
		{"local:ana via claude-code", "local:ana via claude-code", true},
		{"local:ana via claude-code 2.1.3", "local:ana via claude-code", true},
		{"local:ana via claude-code v2", "local:ana via claude-code", true},
		{"token:ci via curl/8.5.0", "token:ci via curl", true},
		{"local:ana via claude-code 2.1.3", "local:ana via claude-code 2.1.3", true},
		{"local:ana via claude-code", "local:ana via claude", false},
		{"local:ana via claude-code", "local:ana via claude-code 2.1.3", false},
		{"local:ana via claude desktop", "local:ana via claude", false},
		{"local:ana via claude v", "local:ana via claude", false},
		{"local:ana via claude ", "local:ana via claude", false},
		{"local:anabel via claude", "local:ana", false},
		{"oidc:471 1@id.example", "oidc:471", false}, // no client is named
		{"local:ana", "local:ana via claude-code", false},
	} {
		if got := policy.AuthoredBy(c.author, c.name); got != c.want {
			t.Errorf("%q by %q: %t", c.author, c.name, got)
		}
	}
}
