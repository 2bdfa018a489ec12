package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/fault"
)

func TestParseScopes(t *testing.T) {
	for _, c := range []struct {
		name, list string
		want       []string
	}{
		{"nothing is the empty set", "", []string{}},
		{"one word", "runtime", []string{"runtime"}},
		{"order and repeats do not count", "runtime,dev,runtime", []string{"dev", "runtime"}},
		{"spaces around words do not count", " runtime , builder ", []string{"builder", "runtime"}},
		{"all", "runtime,builder,dev", []string{"builder", "dev", "runtime"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := policy.ParseScopes(c.list)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.List()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseScopesNamesTheUnknownWordAndTheAllowedOnes(t *testing.T) {
	for list, want := range map[string]string{
		"runtime,root": `unknown scope "root": allowed are builder, dev, runtime`,
		"Runtime":      `unknown scope "Runtime": allowed are builder, dev, runtime`,
		"runtime,":     `unknown scope "": allowed are builder, dev, runtime`,
	} {
		_, err := policy.ParseScopes(list)
		if err == nil || err.Error() != want || !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("ParseScopes(%q): got %v, want %s", list, err, want)
		}
	}
}

func TestIntersectKeepsWhatIsInBoth(t *testing.T) {
	process := policy.NewScopes(policy.Runtime, policy.Builder)
	token := policy.NewScopes(policy.Runtime, policy.Dev)
	if got := process.Intersect(token); got != policy.NewScopes(policy.Runtime) {
		t.Errorf("got %v, want runtime", got)
	}
}

func TestAllow(t *testing.T) {
	known := func(s ...policy.Scope) policy.Principal {
		return policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(s...), Authenticated: true}
	}
	for _, c := range []struct {
		name     string
		who      policy.Principal
		required policy.Scope
		kind     fault.Kind
		message  string
	}{
		{"anonymous with runtime may run", policy.Anonymous("", policy.NewScopes(policy.Runtime)), policy.Runtime, 0, ""},
		{"anonymous may not build, whatever its scopes", policy.Anonymous("", policy.AllScopes()), policy.Builder, fault.Unauthenticated, "Authentication failed: x_y requires builder, and callers that are not authenticated have runtime at most. Start the process with TRAILS_MCP_SCOPES=builder,dev,runtime and one of: over stdio TRAILS_ENV=dev or --operator"},
		{"anonymous may not use dev tools", policy.Anonymous("", policy.AllScopes()), policy.Dev, fault.Unauthenticated, "Authentication failed: x_y requires dev, and callers"},
		{"anonymous without runtime lacks the scope", policy.Principal{}, policy.Runtime, fault.ScopeDenied, "scope denied: x_y requires runtime; start the process with TRAILS_MCP_SCOPES=runtime"},
		{"no scope implies another", known(policy.Builder), policy.Runtime, fault.ScopeDenied, "scope denied: x_y requires runtime; start the process with TRAILS_MCP_SCOPES=builder,runtime"},
		{"a known caller lacks the scope", known(policy.Runtime), policy.Dev, fault.ScopeDenied, "scope denied: x_y requires dev; start the process with TRAILS_MCP_SCOPES=dev,runtime"},
		{"a token lacks what the process has", policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Process: policy.AllScopes(), Authenticated: true}, policy.Builder, fault.ScopeDenied, "scope denied: x_y requires builder, which token:ci has not; somebody with the scope builder issues a token that has it: trails token create FILE NAME --scopes builder,runtime"},
		{"a known caller has the scope", known(policy.Runtime, policy.Builder), policy.Builder, 0, ""},
		{"the person at the machine may do all", policy.Local("ana", ""), policy.Dev, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := policy.Allow(c.who, c.required, "x_y")
			if may := policy.May(c.who, c.required); may != (c.message == "") {
				t.Errorf("May says %t", may)
			}
			if c.message == "" {
				if err != nil {
					t.Fatalf("got %v, want nil", err)
				}
				return
			}
			if !fault.Is(err, c.kind) || !strings.HasPrefix(err.Error(), c.message) {
				t.Errorf("got %v, want %s", err, c.message)
			}
		})
	}
}

func TestScopeDeniedCarriesWhatAProgramNeeds(t *testing.T) {
	err := policy.Allow(policy.Principal{Authenticated: true, Scopes: policy.NewScopes(policy.Runtime)}, policy.Dev, "trails_meta_gen_type")
	want := map[string]any{"tool": "trails_meta_gen_type", "required_scope": "dev", "caller_scopes": []string{"runtime"}}
	if diff := cmp.Diff(want, fault.Of(err).Details); diff != "" {
		t.Error(diff)
	}
}

func TestAuthor(t *testing.T) {
	for want, p := range map[string]policy.Principal{
		"anonymous":                 {},
		"local:ana":                 {ID: "local:ana"},
		"local:ana via claude-code": {ID: "local:ana", Client: "claude-code", Version: "2.1"},
	} {
		if got := p.Author(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestProductionHidesDevOnly(t *testing.T) {
	for _, s := range []policy.Scope{policy.Runtime, policy.Builder, policy.Dev} {
		if got, want := policy.Visible("production", s), s != policy.Dev; got != want {
			t.Errorf("production, %s: got %t", s, got)
		}
		if !policy.Visible("dev", s) || !policy.Visible("", s) {
			t.Errorf("dev, %s: hidden", s)
		}
	}
}

// A policy or a budget for a name that no caller has decides nothing.
func TestNamesThatNoCallerHas(t *testing.T) {
	for name, want := range map[string]string{
		"token:ci": "", "token": "", "anonymous": "", "local:ana": "", "oidc:7@id.example.org": "", "oidc:ana@example.org@id.example.org/realms/a": "", "oidc:7@http://127.0.0.1:8080": "",
		"oidc:7@https://id.example.org": "oidc:7@id.example.org", "oidc:a@b@https://id.example.org": "oidc:a@b@id.example.org",
		"ana": "token:NAME", "oidc:7": "oidc:SUB@ISSUER", "": "token:NAME", "Token:ci": "token:NAME", "*": "token:NAME",
	} {
		if got := policy.NoCaller(name); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
