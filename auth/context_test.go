package auth_test

import (
	"reflect"
	"testing"

	"trails/auth"
	"trails/auth/policy"
)

func TestAContextSaysWhoAsksOnlyWhenTheEdgeKnows(t *testing.T) {
	if p := auth.PrincipalOf(t.Context()); auth.Known(t.Context()) || !reflect.DeepEqual(p, policy.Principal{}) {
		t.Errorf("got %+v out of nothing", p)
	}
	want := policy.Anonymous("curl/8.5.0", policy.NewScopes(policy.Runtime))
	ctx := auth.WithPrincipal(t.Context(), want)
	if got := auth.PrincipalOf(ctx); !auth.Known(ctx) || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, known %t", got, auth.Known(ctx))
	}
}
