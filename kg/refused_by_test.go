package kg_test

import (
	"testing"

	"trails/kg"
)

// What refused a call is read back from what the call used, whatever else that was.
func TestWhatRefusedACallIsReadBack(t *testing.T) {
	for why, r := range map[string]kg.Refused{
		"":                          {},
		"no policy permits it":      {What: "policy"},
		"policy a and b forbids it": {What: "policy", Of: "a b"},
		"policy a forbids it, and the condition of a could not be evaluated":           {What: "policy", Of: "a", Name: "a"},
		"no policy permits it, and the condition of a and of b could not be evaluated": {What: "policy", Name: "a b"},
		"the scope builder is missing":                                                 {What: "scope", Of: "builder"},
		"branch a:b/é c% is protected from this caller":                                {What: "branch", Of: "a:b/é c%"},
		"no token was shown":                             {What: "token", Of: "missing"},
		"a wrong token was shown":                        {What: "token", Of: "wrong"},
		"a wrong token was shown, which claims to be ci": {What: "token", Of: "wrong", Name: "ci"},
		"token ci-2 has expired":                         {What: "token", Of: "expired", Name: "ci-2"},
		"token ci was revoked":                           {What: "token", Of: "revoked", Name: "ci"},
		"the sign-in link was used before, is too old, or is of another start":   {What: "token", Of: "link"},
		"token oidc:a@b.example/c has expired":                                   {What: "token", Of: "expired", Name: "oidc:a@b.example/c"},
		"a token of an identity provider was shown, which is for another server": {What: "token", Of: "audience"},
	} {
		if got := kg.RefusedBy(kg.Activity{Used: []string{"urn:x", r.IRI(), "urn:y"}}); got != r || got.String() != why {
			t.Errorf("%s: %+v, %q, want %+v, %q", r.IRI(), got, got, r, why)
		}
	}
	for _, used := range []string{"", "urn:trails:refused:", "urn:trails:refused:scope"} {
		if got := kg.RefusedBy(kg.Activity{Used: []string{used}}); got != (kg.Refused{}) {
			t.Errorf("%q: %+v", used, got)
		}
	}
}
