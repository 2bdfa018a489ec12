package db_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// issue issues a token in a transaction of its own.
func issue(t *testing.T, f *db.File, token policy.Token) {
	t.Helper()
	changeTokens(t, f, func(w *db.Writer) error { return w.AddToken(t.Context(), token) })
}

func changeTokens(t *testing.T, f *db.File, do func(*db.Writer) error) {
	t.Helper()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(do(w), w.Keep(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func tokens(t *testing.T, f *db.File) []policy.Token {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is issued is read again, also by another process, and its last use is that of the last recorded call, to the minute.
func TestTokensAreIssuedUsedAndRevoked(t *testing.T) {
	f := create(t)
	want := policy.Token{
		Name: "ci", Hash: sha256.Sum256([]byte("secret")), Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Groups: []string{"build", "robots"},
		Created: epoch, Creator: "local:ana", Expires: epoch.AddDate(1, 0, 0),
	}
	other := policy.Token{Name: "other", Hash: sha256.Sum256([]byte("other")), Scopes: policy.NewScopes(policy.Runtime), Groups: []string{}, Created: epoch, Creator: "local:ana"}
	issue(t, f, want)
	issue(t, f, other)
	second := open(t, f.Path())
	see := func(when string, want ...policy.Token) {
		t.Helper()
		if diff := cmp.Diff(want, tokens(t, second), cmp.AllowUnexported(policy.Scopes{})); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	see("issued", want, other)
	record := func(agent string, at time.Time) {
		t.Helper()
		if err := f.Record(t.Context(), []db.Activity{{ID: agent + at.String(), Agent: agent, Started: at, Ended: at, Outcome: "ok"}}); err != nil {
			t.Fatal(err)
		}
	}
	record("token:ci via curl", epoch.Add(time.Hour))
	record("token:ci via curl", epoch.Add(time.Hour+time.Second)) // not written down again
	record("token:c", epoch.Add(2*time.Hour))
	record("local:ci", epoch.Add(2*time.Hour))
	want.Used = epoch.Add(time.Hour)
	see("used", want, other)
	record("token:ci", epoch.Add(3*time.Hour))
	want.Used, want.Revoked, want.Revoker = epoch.Add(3*time.Hour), epoch.Add(4*time.Hour), "local:bo"
	for range 2 { // the second time it stays as it is
		changeTokens(t, f, func(w *db.Writer) error {
			_, err := w.RevokeToken(t.Context(), "ci", "local:bo", want.Revoked)
			want.Revoked = epoch.Add(4 * time.Hour)
			return err
		})
	}
	see("revoked", want, other)
	if report := verify(t, second); !report.OK() {
		t.Error(report.Problems)
	}
	changeTokens(t, f, func(w *db.Writer) error { return w.ForgetToken(t.Context(), "ci") })
	see("forgotten", other)
}

// What cannot be done changes nothing.
func TestTokensThatAreRefused(t *testing.T) {
	f := create(t)
	issue(t, f, policy.Token{Name: "ci", Created: epoch})
	issue(t, f, policy.Token{Name: "old", Created: epoch})
	changeTokens(t, f, func(w *db.Writer) error {
		_, err := w.RevokeToken(t.Context(), "old", "ana", epoch)
		return err
	})
	before := tokens(t, f)
	for name, c := range map[string]struct {
		do   func(*db.Writer) error
		kind fault.Kind
	}{
		"a name that there is":     {func(w *db.Writer) error { return w.AddToken(t.Context(), policy.Token{Name: "ci"}) }, fault.Conflict},
		"a name that was revoked":  {func(w *db.Writer) error { return w.AddToken(t.Context(), policy.Token{Name: "old"}) }, fault.Conflict},
		"revoke what there is not": {func(w *db.Writer) error { _, err := w.RevokeToken(t.Context(), "no", "", epoch); return err }, fault.Missing},
		"forget what there is not": {func(w *db.Writer) error { return w.ForgetToken(t.Context(), "no") }, fault.Missing},
	} {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(w); !fault.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
	}
	if diff := cmp.Diff(before, tokens(t, f), cmp.AllowUnexported(policy.Scopes{})); diff != "" {
		t.Error(diff)
	}
}
