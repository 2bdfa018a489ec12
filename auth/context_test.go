package auth_test

import (
	"testing"

	"trails/auth"
	"trails/auth/policy"
)

func TestAContextSaysWhoAsksOnlyWhenTheEdgeKnows(t *testing.T) {
	if p, known := auth.PrincipalOf(t.Context()); known {
		t.Errorf("got %+v out of nothing", p)
	}
	want := policy.Anonymous("curl/8.5.0", policy.NewScopes(policy.Runtime))
	if got, known := auth.PrincipalOf(auth.WithPrincipal(t.Context(), want)); !known || got != want {
		t.Errorf("got %+v, known %t", got, known)
	}
}
