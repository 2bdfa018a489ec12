package db_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// aGrant is a grant of ana, each of whose values is set.
func aGrant() policy.Token {
	return policy.Token{
		Name: "grant-1", Hash: sha256.Sum256([]byte("access")), Scopes: policy.NewScopes(policy.Runtime), Groups: []string{}, Created: epoch, Creator: "token:ana", Expires: epoch.AddDate(0, 3, 0),
		Grant: &policy.Grant{
			Person: "token:ana", Groups: []string{"a group", "b"}, Client: "https://claude.ai/oauth", Host: "claude.ai", Title: "Claude", Issuer: "https://notes.example.org",
			Redirect: "https://claude.ai/back", Challenge: "c", Code: sha256.Sum256([]byte("code")), Family: sha256.Sum256([]byte("family")), Refresh: sha256.Sum256([]byte("refresh")), Until: epoch.Add(time.Hour),
		},
	}
}

// A grant is read as it was given and changed, with its token, and is gone with it.
func TestGrantsAreGivenChangedAndForgotten(t *testing.T) {
	f := create(t)
	want := aGrant()
	issue(t, f, want)
	see := func(when string, want ...policy.Token) {
		t.Helper()
		if diff := cmp.Diff(want, tokens(t, f), cmp.AllowUnexported(policy.Scopes{})); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
		if report := verify(t, f); !report.OK() {
			t.Errorf("%s: %v", when, report.Problems)
		}
	}
	see("given", want)
	want.Hash, want.Expires, want.Revoked, want.Revoker = sha256.Sum256([]byte("next")), epoch.AddDate(0, 4, 0), epoch.Add(time.Minute), "reuse"
	want.Grant.Refresh, want.Grant.Until = sha256.Sum256([]byte("second")), epoch.Add(2*time.Hour)
	changeTokens(t, f, func(w *db.Writer) error { return w.ChangeGrant(t.Context(), want) })
	see("changed", want)
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetGrants(t.Context(), want.Expires, want.Expires) })
	see("not expired", want)
	changeTokens(t, f, func(w *db.Writer) error {
		return w.ForgetGrants(t.Context(), want.Expires.Add(time.Second), want.Expires)
	})
	see("expired long ago")
	plain := policy.Token{Name: "ci", Scopes: policy.AllScopes(), Groups: []string{}, Created: epoch, Creator: "ana", Expires: epoch}
	issue(t, f, plain)
	issue(t, f, aGrant())
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetGrants(t.Context(), epoch.AddDate(1, 0, 0), epoch) })
	unused := aGrant()
	unused.Grant.Until = time.Time{}
	issue(t, f, unused)
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetGrants(t.Context(), epoch, unused.Expires) })
	see("the code may be used", plain, unused)
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetGrants(t.Context(), epoch, unused.Expires.Add(time.Second)) })
	see("only grants are forgotten by themselves", plain)
	issue(t, f, aGrant())
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetToken(t.Context(), "grant-1") })
	issue(t, f, policy.Token{Name: "grant-1", Scopes: policy.AllScopes(), Groups: []string{}, Created: epoch, Creator: "ana"})
	if got := tokens(t, f); len(got) != 2 || got[1].Grant != nil {
		t.Errorf("a token of the name of a grant that was forgotten: %v", got)
	}
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.ChangeGrant(t.Context(), plain); !fault.Is(err, fault.Missing) {
		t.Errorf("a token that is no grant: %v", err)
	}
}

// The use of a grant is that of a call whose agent ends with its name, and not that of its person's token.
func TestTheUseOfAGrantIsItsOwn(t *testing.T) {
	f := create(t)
	ana := policy.Token{Name: "ana", Scopes: policy.AllScopes(), Groups: []string{}, Created: epoch, Creator: "x"}
	issue(t, f, ana)
	issue(t, f, aGrant())
	p := policy.Principal{ID: "token:ana", Client: aGrant().Label(), Grant: "grant-1"}
	changeTokens(t, f, func(w *db.Writer) error {
		return w.AddActivity(t.Context(), db.Activity{ID: "a", Agent: p.Author(), Ended: epoch.Add(time.Hour), Outcome: "ok"})
	})
	got := tokens(t, f)
	if !got[0].Used.IsZero() || !got[1].Used.Equal(epoch.Add(time.Hour)) {
		t.Errorf("%s: %v, %v", p.Author(), got[0].Used, got[1].Used)
	}
	p.Grant = ""
	if got := p.Author(); got != "token:ana" {
		t.Errorf("a program that calls itself like a grant: %q", got)
	}
}
