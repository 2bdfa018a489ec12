package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/fault"
)

const audience = "https://notes.example.org/mcp"

// provider returns the provider of an issuer, with options that are changed.
func provider(t *testing.T, i *oidctest.Issuer, change func(*oidc.Options)) *oidc.Provider {
	t.Helper()
	o := oidc.Options{Issuer: i.URL, Audiences: []string{"https://notes.example.org", audience}, Skew: oidc.DefaultSkew, Transport: i}
	if change != nil {
		change(&o)
	}
	p, err := oidc.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reasonOf returns why a token is not valid, "" if it is, and "unreached" if it could not be checked.
func reasonOf(t *testing.T, p *oidc.Provider, token string) oidc.Reason {
	t.Helper()
	_, err := p.Verify(t.Context(), token)
	var wrong *oidc.Invalid
	switch {
	case err == nil:
		return ""
	case errors.As(err, &wrong):
		if len(wrong.Says) == 0 || len(wrong.Says) > 1000 || strings.ContainsFunc(wrong.Says, func(r rune) bool { return r < ' ' }) {
			t.Errorf("the log is told %q", wrong.Says)
		}
		return wrong.Reason
	case fault.Is(err, fault.Unusable):
		return "unreached"
	}
	t.Fatal(err)
	return ""
}

func TestWhomATokenIsOf(t *testing.T) {
	i := oidctest.New(t)
	for _, c := range []struct {
		name    string
		change  func(*oidc.Options)
		claims  map[string]any
		want    oidc.Caller
		expires time.Duration
	}{
		{"the scopes of scope, and no groups", nil, nil, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, time.Hour},
		{"scopes as a list, with our prefix", nil, map[string]any{"scope": nil, "scopes": []string{"trails:builder", "mail"}}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Builder)}, time.Hour},
		{"scopes of all claims together", nil, map[string]any{"scp": "dev", "scopes": []any{"builder mail"}}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.AllScopes()}, time.Hour},
		{"scopes with the prefix of the provider", func(o *oidc.Options) { o.ScopePrefix = "api://notes/" }, map[string]any{"scope": nil, "scp": []string{"api://notes/builder"}}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Builder)}, time.Hour},
		{"other prefixes are not ours", nil, map[string]any{"scope": "mail:builder Runtime runtimes"}, oidc.Caller{ID: "oidc:ana@id.example.org"}, time.Hour},
		{"groups in order, each once", nil, map[string]any{"groups": []string{"ops", "/Data Team/é", "ops"}}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime), Groups: []string{"/Data Team/é", "ops"}}, time.Hour},
		{"one group as a text, in another claim", func(o *oidc.Options) { o.GroupsClaim = "https://example.org/roles" }, map[string]any{"groups": []string{"no"}, "https://example.org/roles": "Data Team"}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime), Groups: []string{"Data Team"}}, time.Hour},
		{"one audience of several", nil, map[string]any{"aud": []string{"other", audience}}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, time.Hour},
		{"an audience as an address is normalized", nil, map[string]any{"aud": "https://notes.example.org/"}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, time.Hour},
		{"a subject with signs", nil, map[string]any{"sub": "auth0|a@b.example"}, oidc.Caller{ID: "oidc:auth0|a@b.example@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, time.Hour},
		{"expired within the skew", nil, map[string]any{"exp": time.Now().Add(-50 * time.Second).Unix()}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, -50 * time.Second},
		{"not valid yet within the skew", nil, map[string]any{"nbf": time.Now().Add(50 * time.Second).Unix()}, oidc.Caller{ID: "oidc:ana@id.example.org", Scopes: policy.NewScopes(policy.Runtime)}, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := provider(t, i, c.change).Verify(t.Context(), i.Token(t, audience, c.claims))
			if err != nil {
				t.Fatal(err)
			}
			if off := time.Until(got.Expires) - c.expires; off < -time.Minute || off > time.Minute {
				t.Errorf("it expires at %s", got.Expires)
			}
			got.Expires = time.Time{}
			if diff := cmp.Diff(c.want, got, cmp.Comparer(func(a, b policy.Scopes) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryAlgorithmWithPublicKeysIsAllowed(t *testing.T) {
	i := oidctest.New(t)
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA} {
		i.Rotate(t, algorithm)
		if why := reasonOf(t, provider(t, i, nil), i.Token(t, audience, nil)); why != "" {
			t.Errorf("%s: %s", algorithm, why)
		}
	}
}

func part(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func TestWhyATokenIsNotValid(t *testing.T) {
	i := oidctest.New(t)
	public := i.Rotate(t, jose.RS256)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	whole := i.Token(t, audience, nil)
	parts := strings.Split(whole, ".")
	valid := func(extra string) []byte {
		return fmt.Appendf(nil, `{"iss":%q,"sub":"ana","aud":%q,"exp":%d%s}`, i.URL, audience, time.Now().Add(time.Hour).Unix(), extra)
	}
	hmac := func(key []byte) string {
		return oidctest.SignWith(t, jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: key, KeyID: "key-2"}}, valid(""))
	}
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	by := func(id string) string {
		return oidctest.SignWith(t, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: stranger, KeyID: id}}, valid(""))
	}
	inHeader, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: stranger}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := inHeader.Sign(valid(""))
	if err != nil {
		t.Fatal(err)
	}
	own, _ := embedded.CompactSerialize()
	many := make([]string, 501)
	for n := range many {
		many[n] = fmt.Sprint("g", n)
	}
	claims := func(changes map[string]any) string { return i.Token(t, audience, changes) }
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).Unix() }
	for name, c := range map[string]struct {
		token string
		want  oidc.Reason
	}{
		"nothing":                        {"", oidc.Malformed},
		"dots":                           {"..", oidc.Malformed},
		"no signature":                   {part(`{"alg":"none"}`) + "." + parts[1] + ".", oidc.Malformed},
		"none with a signature":          {part(`{"alg":"none"}`) + "." + parts[1] + "." + parts[2], oidc.Malformed},
		"None in another case":           {part(`{"alg":"nOnE"}`) + "." + parts[1] + "." + parts[2], oidc.Malformed},
		"HMAC with the public key":       {hmac(der), oidc.Malformed},
		"HMAC with the public key, PEM":  {hmac(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), oidc.Malformed},
		"the algorithm of another key":   {part(`{"alg":"ES256","kid":"key-2"}`) + "." + parts[1] + "." + parts[2], oidc.UnknownKey},
		"an encrypted one":               {"a.b.c.d.e", oidc.Malformed},
		"JSON":                           {`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, oidc.Malformed},
		"too long":                       {claims(map[string]any{"x": strings.Repeat("x", 16<<10)}), oidc.Malformed},
		"deep JSON":                      {i.Sign(t, []byte(strings.Repeat(`{"iss":`, 1500))), oidc.Malformed},
		"no JSON":                        {i.Sign(t, []byte("hello")), oidc.Malformed},
		"a list":                         {i.Sign(t, []byte("[]")), oidc.Malformed},
		"a claim twice":                  {i.Sign(t, valid(`,"sub":"bo"`)), oidc.Malformed},
		"a critical header":              {part(`{"alg":"RS256","kid":"key-2","crit":["x"],"x":1}`) + "." + parts[1] + "." + parts[2], oidc.Forged},
		"another payload":                {parts[0] + "." + base64.RawURLEncoding.EncodeToString(valid("")) + "." + parts[2], oidc.Forged},
		"the key of a stranger":          {by("key-2"), oidc.Forged},
		"the key of a stranger, unnamed": {by(""), oidc.Forged},
		"a key that is not there":        {by("key-9"), oidc.UnknownKey},
		"a key from a path":              {by("../../etc/passwd"), oidc.UnknownKey},
		"the key in the header":          {own, oidc.Forged},
		"another issuer":                 {claims(map[string]any{"iss": "https://evil.example.org"}), oidc.OtherIssuer},
		"almost the issuer":              {claims(map[string]any{"iss": i.URL + "/"}), oidc.OtherIssuer},
		"no issuer":                      {claims(map[string]any{"iss": nil}), oidc.OtherIssuer},
		"the issuer in another case":     {i.Sign(t, []byte(`{"ISS":"`+i.URL+`"}`)), oidc.OtherIssuer},
		"another audience":               {claims(map[string]any{"aud": "https://other.example.org"}), oidc.OtherAudience},
		"other audiences as a list":      {claims(map[string]any{"aud": []string{"a", audience + "/x", strings.ToUpper(audience)}}), oidc.OtherAudience},
		"no audience":                    {claims(map[string]any{"aud": nil}), oidc.OtherAudience},
		"no audiences":                   {claims(map[string]any{"aud": []string{}}), oidc.OtherAudience},
		"audiences that are no texts":    {claims(map[string]any{"aud": []any{1, audience}}), oidc.BadClaims},
		"expired":                        {claims(map[string]any{"exp": ago(70 * time.Second)}), oidc.Expired},
		"expired long ago":               {claims(map[string]any{"exp": -1 << 60}), oidc.Expired},
		"no end":                         {claims(map[string]any{"exp": nil}), oidc.BadClaims},
		"an end that is a text":          {claims(map[string]any{"exp": "2099-01-01"}), oidc.BadClaims},
		"not valid yet":                  {claims(map[string]any{"nbf": ago(-70 * time.Second)}), oidc.Early},
		"issued in the future":           {claims(map[string]any{"iat": ago(-70 * time.Second)}), oidc.Early},
		"no subject":                     {claims(map[string]any{"sub": nil}), oidc.BadClaims},
		"an empty subject":               {claims(map[string]any{"sub": ""}), oidc.BadClaims},
		"a subject with control signs":   {claims(map[string]any{"sub": "ana\x00\n\x1b[31m"}), oidc.BadClaims},
		"a subject that names a client":  {claims(map[string]any{"sub": "ana via claude"}), oidc.BadClaims},
		"a subject that reads another":   {claims(map[string]any{"sub": "\u202eana"}), oidc.BadClaims},
		"a long subject":                 {claims(map[string]any{"sub": strings.Repeat("a", 256)}), oidc.BadClaims},
		"a subject that is a number":     {claims(map[string]any{"sub": 7}), oidc.BadClaims},
		"scopes that are an object":      {claims(map[string]any{"scope": map[string]any{"runtime": true}}), oidc.BadClaims},
		"groups that are an object":      {claims(map[string]any{"groups": map[string]any{"a": 1}}), oidc.BadClaims},
		"too many groups":                {claims(map[string]any{"groups": many}), oidc.BadClaims},
		"a group without a name":         {claims(map[string]any{"groups": []string{""}}), oidc.BadClaims},
		"a group with a control sign":    {claims(map[string]any{"groups": "a\nb"}), oidc.BadClaims},
		"a group with a long name":       {claims(map[string]any{"groups": strings.Repeat("a", 201)}), oidc.BadClaims},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reasonOf(t, provider(t, i, nil), c.token); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if why := reasonOf(t, provider(t, i, func(o *oidc.Options) { o.Skew = 0 }), claims(map[string]any{"exp": ago(5 * time.Second)})); why != oidc.Expired {
		t.Errorf("without a skew: %q", why)
	}
}

// A token that is signed and for this server tells whose it was, and since when it is not valid.
func TestAnExpiredTokenSaysWhoseItWas(t *testing.T) {
	i := oidctest.New(t)
	end := time.Now().Add(-time.Hour)
	_, err := provider(t, i, nil).Verify(t.Context(), i.Token(t, audience, map[string]any{"exp": end.Unix()}))
	var wrong *oidc.Invalid
	if !errors.As(err, &wrong) || wrong.Caller.ID != "oidc:ana@id.example.org" || wrong.Caller.Expires.Unix() != end.Unix() || !strings.Contains(wrong.Says, "expired at "+end.UTC().Format(time.RFC3339)) {
		t.Errorf("got %v", err)
	}
}

// Keys change without a restart: a new one is found, and the one that it replaces ceases to count.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := oidctest.New(t)
		p := provider(t, i, nil)
		old := i.Token(t, audience, map[string]any{"exp": time.Now().Add(9 * time.Hour).Unix()})
		if why := reasonOf(t, p, old); why != "" {
			t.Fatal(why)
		}
		i.Rotate(t, jose.EdDSA)
		young := i.Token(t, audience, map[string]any{"exp": time.Now().Add(9 * time.Hour).Unix()})
		if why := reasonOf(t, p, young); why != oidc.UnknownKey {
			t.Errorf("the provider was asked again at once: %q", why)
		}
		time.Sleep(oidc.RefetchAfter)
		if why := reasonOf(t, p, young); why != "" {
			t.Errorf("the new key: %q", why)
		}
		if why := reasonOf(t, p, old); why != oidc.UnknownKey {
			t.Errorf("the old key: %q", why)
		}
		i.Publish() // nothing, which is no set of keys to go on with
		time.Sleep(2 * time.Hour)
		if why := reasonOf(t, p, young); why != "" {
			t.Errorf("after an answer without keys: %q", why)
		}
		i.Rotate(t, jose.ES256)
		time.Sleep(2 * time.Hour)
		if why := reasonOf(t, p, young); why != oidc.UnknownKey {
			t.Errorf("a key that was withdrawn counts after an hour: %q", why)
		}
	})
}

// Whatever keys tokens name, and however many come at once, the provider is asked once in ten seconds.
func TestAFloodOfKeysAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := oidctest.New(t)
		p := provider(t, i, nil)
		if err := p.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		stranger := oidctest.New(t)
		flood := func() {
			var all sync.WaitGroup
			for range 50 {
				stranger.Rotate(t, jose.ES256)
				token := stranger.Token(t, audience, nil)
				all.Go(func() { _, _ = p.Verify(t.Context(), token) })
			}
			all.Wait()
		}
		for range 3 {
			flood()
		}
		if n := i.Fetches(); n != 1 {
			t.Errorf("asked %d times within a moment of the first", n)
		}
		time.Sleep(oidc.RefetchAfter)
		flood()
		if n := i.Fetches(); n != 2 {
			t.Errorf("asked %d times in ten seconds", n)
		}
		i.Leave(true)
		time.Sleep(oidc.RefetchAfter)
		before := i.Fetches()
		flood()
		if n := i.Fetches() - before; n > 2 { // the metadata, at two addresses
			t.Errorf("asked %d times while it is away", n)
		}
	})
}

// The graphs of a process have one provider, and each has its own audiences: a token for one is for no other, and keys are asked
// for once.
func TestOneProviderForSeveralAudiences(t *testing.T) {
	i := oidctest.New(t)
	first := provider(t, i, nil)
	second := first.For([]string{"https://other.example.org"})
	here, there := i.Token(t, audience, nil), i.Token(t, "https://other.example.org", nil)
	for _, c := range []struct {
		provider *oidc.Provider
		token    string
		valid    bool
	}{{first, here, true}, {second, there, true}, {first, there, false}, {second, here, false}} {
		if _, err := c.provider.Verify(t.Context(), c.token); (err == nil) != c.valid {
			t.Errorf("valid is to be %t: %v", c.valid, err)
		}
	}
	if n := i.Fetches(); n != 1 {
		t.Errorf("asked for keys %d times", n)
	}
}

// A provider that is away stops nobody whose key is known, and tokens that cannot be checked are not called wrong.
func TestAProviderThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := oidctest.New(t)
		i.Leave(true)
		p := provider(t, i, nil)
		token := i.Token(t, audience, map[string]any{"exp": time.Now().Add(99 * time.Hour).Unix()})
		if err := p.Fetch(t.Context()); !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), i.URL) {
			t.Errorf("got %v", err)
		}
		if why := reasonOf(t, p, token); why != "unreached" {
			t.Errorf("before the first keys: %q", why)
		}
		i.Leave(false)
		if why := reasonOf(t, p, token); why != "unreached" {
			t.Errorf("asked again at once: %q", why)
		}
		time.Sleep(oidc.RefetchAfter)
		if why := reasonOf(t, p, token); why != "" {
			t.Errorf("it is there: %q", why)
		}
		i.Leave(true)
		time.Sleep(50 * time.Hour)
		if why := reasonOf(t, p, token); why != "" {
			t.Errorf("away for days: %q", why)
		}
		parts := strings.Split(token, ".")
		if why := reasonOf(t, p, parts[0]+"."+parts[1]+"."+part("forged")); why != oidc.Forged {
			t.Errorf("a forged one of a known key: %q", why)
		}
		i.Rotate(t, jose.ES256)
		if why := reasonOf(t, p, i.Token(t, audience, nil)); why != "unreached" {
			t.Errorf("a key that may be new: %q", why)
		}
	})
}

// Keys of an earlier process count when the provider is away at the start, for a week.
func TestKeysAreKeptForTheNextStart(t *testing.T) {
	i := oidctest.New(t)
	dir := filepath.Join(t.TempDir(), "keys")
	cached := func(o *oidc.Options) { o.Cache = dir }
	if err := provider(t, i, cached).Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.Leave(true)
	if why := reasonOf(t, provider(t, i, cached), i.Token(t, audience, nil)); why != "" {
		t.Errorf("after a restart: %q", why)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, files[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	other := oidctest.New(t)
	other.URL = "https://other.example.org"
	other.Leave(true)
	if why := reasonOf(t, provider(t, other, cached), other.Token(t, audience, nil)); why != "unreached" {
		t.Errorf("keys of another issuer count: %q", why)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if why := reasonOf(t, provider(t, i, cached), i.Token(t, audience, nil)); why != "unreached" {
		t.Errorf("after a week: %q", why)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	i.Leave(false)
	if why := reasonOf(t, provider(t, i, cached), i.Token(t, audience, nil)); why != "" {
		t.Errorf("with a broken file: %q", why)
	}
}

// Of a set of keys only public ones for signatures count, and one that is not understood stops no other.
func TestKeysThatDoNotCount(t *testing.T) {
	i := oidctest.New(t)
	good, ok := i.Rotate(t, jose.ES256).(*ecdsa.PublicKey)
	if !ok {
		t.Fatal("no key")
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	token := i.Token(t, audience, nil)
	secret := []byte(strings.Repeat("s", 32))
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		keys  []jose.JSONWebKey
		token string
		want  oidc.Reason
	}{
		"for encryption":    {[]jose.JSONWebKey{{Key: good, KeyID: "key-2", Use: "enc"}}, token, "unreached"},
		"of another way":    {[]jose.JSONWebKey{{Key: good, KeyID: "key-2", Algorithm: "ES384"}}, token, oidc.UnknownKey},
		"a secret and more": {[]jose.JSONWebKey{{Key: secret, KeyID: "key-2"}, {Key: good, KeyID: "key-2"}}, token, ""},
		"a private key":     {[]jose.JSONWebKey{{Key: private, KeyID: "key-2"}}, token, "unreached"},
		"a short RSA key":   {[]jose.JSONWebKey{{Key: &weak.PublicKey, KeyID: "key-2"}, {Key: good, KeyID: "other"}}, token, oidc.UnknownKey},
	} {
		t.Run(name, func(t *testing.T) {
			i.Publish(c.keys...)
			if got := reasonOf(t, provider(t, i, nil), c.token); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Metadata that cannot be trusted gives no keys.
func TestMetadataThatCannotBeTrusted(t *testing.T) {
	for name, c := range map[string]struct {
		issuer, metadata string
		want             string
	}{
		"another issuer":    {"https://id.example.org", `{"issuer":"https://id.example.org/","jwks_uri":"https://id.example.org/keys"}`, `calls itself "https://id.example.org/"`},
		"keys without TLS":  {"https://id.example.org", `{"issuer":"https://id.example.org","jwks_uri":"http://127.0.0.1/keys"}`, "is not https"},
		"keys in a file":    {"https://id.example.org", `{"issuer":"https://id.example.org","jwks_uri":"file:///etc/passwd"}`, "is not https"},
		"keys elsewhere":    {"http://127.0.0.1:1", `{"issuer":"http://127.0.0.1:1","jwks_uri":"http://example.org/keys"}`, "is not https"},
		"no JSON":           {"https://id.example.org", `<html>`, "read the metadata"},
		"more than is read": {"https://id.example.org", `{"issuer":"` + strings.Repeat("x", 1<<20) + `"}`, "more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := oidc.New(oidc.Options{Issuer: c.issuer, Audiences: []string{"a"}, Transport: answering(c.metadata)})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Fetch(context.Background()); !fault.Is(err, fault.Unusable) || !strings.Contains(fault.Whole(err), c.want) {
				t.Errorf("got %s, want %s", fault.Whole(err), c.want)
			}
		})
	}
}

// answering answers every request with a text.
type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	_, err := w.WriteString(string(a))
	return w.Result(), err
}

// A server of OAuth without OpenID Connect has its metadata elsewhere, before the path of the issuer.
func TestMetadataOfOAuth(t *testing.T) {
	i := oidctest.New(t)
	i.URL = "https://id.example.org/realms/a"
	var asked []string
	p := provider(t, i, func(o *oidc.Options) {
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.Path)
			switch r.URL.Path {
			case "/realms/a/.well-known/openid-configuration":
				r = &http.Request{URL: r.URL.JoinPath("nothing")}
			case "/.well-known/oauth-authorization-server/realms/a":
				r = &http.Request{URL: r.URL.JoinPath("/.well-known/openid-configuration")}
			}
			return i.RoundTrip(r)
		})
	})
	if why := reasonOf(t, p, i.Token(t, audience, nil)); why != "" {
		t.Error(why)
	}
	if want := []string{"/realms/a/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realms/a", "/realms/a/keys"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOptionsThatAreRefused(t *testing.T) {
	good := oidc.Options{Issuer: "https://id.example.org/realms/a", Audiences: []string{"a"}, Skew: time.Minute}
	for want, change := range map[string]func(*oidc.Options){
		"":                           func(*oidc.Options) {},
		"give the URL":               func(o *oidc.Options) { o.Issuer = "id.example.org" },
		"must begin with https://":   func(o *oidc.Options) { o.Issuer = "http://id.example.org" },
		"and no more":                func(o *oidc.Options) { o.Issuer = "https://ana@id.example.org" },
		"at most 255 bytes, and no":  func(o *oidc.Options) { o.Issuer += "?x=1" },
		"needs an audience":          func(o *oidc.Options) { o.Audiences = nil },
		"the identity provider http": func(o *oidc.Options) { o.Audiences = []string{"a", ""} },
		"clock skew 11m0s":           func(o *oidc.Options) { o.Skew = 11 * time.Minute },
		"clock skew -1s":             func(o *oidc.Options) { o.Skew = -time.Second },
	} {
		o := good
		change(&o)
		_, err := oidc.New(o)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !fault.Is(err, fault.InvalidArguments)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, issuer := range []string{"http://127.0.0.1:99", "http://localhost", "http://[::1]:8"} {
		o := good
		o.Issuer = issuer
		if _, err := oidc.New(o); err != nil {
			t.Errorf("%s: %v", issuer, err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA} {
		b.Run(string(algorithm), func(b *testing.B) {
			i := oidctest.New(b)
			i.Rotate(b, algorithm)
			p, err := oidc.New(oidc.Options{Issuer: i.URL, Audiences: []string{audience}, Transport: i})
			if err != nil {
				b.Fatal(err)
			}
			token := i.Token(b, audience, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Verify(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a provider signs for other ends may have an audience of ours, and is no access token.
func TestOnlyAccessTokensAreAccessTokens(t *testing.T) {
	i := oidctest.New(t)
	p := provider(t, i, nil)
	text, err := json.Marshal(i.Claims("https://notes.example.org", nil))
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[jose.ContentType]oidc.Reason{
		"at+jwt": "", "JWT": "", "application/AT+JWT": "",
		"oauth-id-jag+jwt": oidc.Malformed, "application/OAuth-ID-JAG+jwt": oidc.Malformed, "logout+jwt": oidc.Malformed,
		"secevent+jwt": oidc.Malformed, "dpop+jwt": oidc.Malformed, "token-introspection+jwt": oidc.Malformed,
	} {
		if got := reasonOf(t, p, i.SignAs(t, typ, text)); got != want {
			t.Errorf("%s: %q, want %q", typ, got, want)
		}
	}
}
