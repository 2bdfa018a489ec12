package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/auth"
)

func TestCredentialsAreTakenOutOfARequest(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	if auth.TakeCredentials(r) != r {
		t.Error("a request without one is another one")
	}
	r.Header = http.Header{"Authorization": {"Bearer ours"}, "Trails-Upstream-My-Bank": {" Bearer theirs "}, "Trails-Upstream-Two": {"a", "b"}, "Trails-Upstream-": {"nobody"}}
	taken := auth.TakeCredentials(r)
	if len(taken.Header) != 1 || taken.Header.Get("Authorization") == "" || len(r.Header) != 4 {
		t.Errorf("the headers are %v, and were %v", taken.Header, r.Header)
	}
	c, given := auth.CredentialsOf(taken.Context()).For("my-bank")
	if !given || c.Reveal() != "Bearer theirs" || c.CallerKey() != c.Key() || len(c.Key()) != 32 {
		t.Errorf("%t %q %q", given, c.Reveal(), c.CallerKey())
	}
	for _, name := range []string{"two", "authorization", "My-Bank", "other"} {
		if _, given := auth.CredentialsOf(taken.Context()).For(name); given {
			t.Errorf("there is one for %s", name)
		}
	}
	if again := auth.TakeCredentials(taken); again != taken {
		t.Error("what was taken is taken again")
	}
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%+v %#v", auth.CredentialsOf(taken.Context()), taken.Context())} {
		if strings.Contains(text, "theirs") {
			t.Errorf("it is printed: %s", text)
		}
	}
}

func TestCredentialsOfTheOneCallerOfAProcess(t *testing.T) {
	ctx := auth.WithVariables(t.Context(), map[string]string{"TRAILS_UPSTREAM_MY_BANK": "Bearer mine\n", "TRAILS_UPSTREAM_BAD": "a\nb", "TRAILS_UPSTREAM_NONE": "", "TRAILS_TRUST_UPSTREAMS": "1"})
	c, given := auth.CredentialsOf(ctx).For("my-bank")
	if !given || c.Reveal() != "Bearer mine" || c.CallerKey() != "" {
		t.Errorf("%t %q %q", given, c.Reveal(), c.CallerKey())
	}
	for _, name := range []string{"bad", "none", "s"} {
		if _, given := auth.CredentialsOf(ctx).For(name); given {
			t.Errorf("there is one for %s", name)
		}
	}
	if none := auth.WithVariables(context.Background(), nil); none != context.Background() {
		t.Error("without one there is another context")
	}
	if said := auth.HowGiven("my-bank"); !strings.Contains(said, "Trails-Upstream-My-Bank") || !strings.Contains(said, "TRAILS_UPSTREAM_MY_BANK") {
		t.Error(said)
	}
}
