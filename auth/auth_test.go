package auth_test

import (
	"testing"

	"trails/auth"
	"trails/auth/policy"
)

func TestTheTokenIsVerifiedAndNoOther(t *testing.T) {
	scopes := policy.NewScopes(policy.Runtime)
	who := auth.New(auth.Options{Token: "t", ID: "token:ci", Scopes: scopes})
	if p, known, err := who.Verify(t.Context(), "t"); err != nil || !known || p.ID != "token:ci" || !p.Authenticated || p.Scopes != scopes {
		t.Errorf("got %+v, %t", p, known)
	}
	for _, secret := range []string{"", "T", "t "} {
		if _, known, err := who.Verify(t.Context(), secret); err != nil || known {
			t.Errorf("%q is known", secret)
		}
	}
	if _, known, err := auth.New(auth.Options{}).Verify(t.Context(), ""); err != nil || known {
		t.Error("a process without a token knows the empty one")
	}
}

func TestOverStdioTheCallerIsWhoStartedTheProcess(t *testing.T) {
	p, known, err := auth.New(auth.Options{ID: "local:ana"}).Local(t.Context(), "")
	if err != nil || !known || p.ID != "local:ana" || p.Authenticated {
		t.Errorf("got %+v, %t", p, known)
	}
	who := auth.New(auth.Options{ID: "local:ana", Token: "t"})
	if p, known, err := who.Local(t.Context(), "t"); err != nil || !known || p.ID != "local:ana" || !p.Authenticated {
		t.Errorf("got %+v, %t", p, known)
	}
	if _, known, err := who.Local(t.Context(), ""); err != nil || known {
		t.Error("nobody is known without the token")
	}
}
