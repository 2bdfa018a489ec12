package auth_test

import (
	"testing"

	"trails/auth"
	"trails/auth/policy"
)

func TestTheTokenIsVerifiedAndNoOther(t *testing.T) {
	scopes := policy.NewScopes(policy.Runtime)
	who := auth.New(auth.Options{Token: "t", ID: "token:ci", Scopes: scopes})
	if p, known := who.Verify("t"); !known || p.ID != "token:ci" || !p.Authenticated || p.Scopes != scopes {
		t.Errorf("got %+v, %t", p, known)
	}
	for _, secret := range []string{"", "T", "t "} {
		if _, known := who.Verify(secret); known {
			t.Errorf("%q is known", secret)
		}
	}
	if _, known := auth.New(auth.Options{}).Verify(""); known {
		t.Error("a process without a token knows the empty one")
	}
}

func TestOverStdioTheCallerIsWhoStartedTheProcess(t *testing.T) {
	p, known := auth.New(auth.Options{ID: "local:ana"}).Local("")
	if !known || p.ID != "local:ana" || p.Authenticated {
		t.Errorf("got %+v, %t", p, known)
	}
	who := auth.New(auth.Options{ID: "local:ana", Token: "t"})
	if p, known := who.Local("t"); !known || p.ID != "local:ana" || !p.Authenticated {
		t.Errorf("got %+v, %t", p, known)
	}
	if _, known := who.Local(""); known {
		t.Error("nobody is known without the token")
	}
}
