// Package oidctest is an identity provider for tests, with keys of its own: it answers as one over HTTP, and signs
// whatever it is told to. Start with [Start] or [New].
package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

// Issuer is an identity provider. It is safe for concurrent use.
type Issuer struct {
	// URL is its name, as it stands in tokens.
	URL string

	mu      sync.Mutex // guards what follows
	keys    []jose.JSONWebKey
	signer  jose.SigningKey
	away    bool
	fetches int
	made    int
}

// New returns an issuer that is reached by [Issuer.RoundTrip] alone. Its key is of ES256.
func New(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{URL: "https://id.example.org"}
	i.Rotate(t, jose.ES256)
	return i
}

// Start returns an issuer at this machine, which ends with the test. It gives everybody who asks a token for the resource
// and the scopes that they name (RFC 6749, section 4.4; RFC 8707).
func Start(t testing.TB) *Issuer {
	t.Helper()
	i := New(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			i.ServeHTTP(w, r)
			return
		}
		claims := map[string]any{"sub": "robot", "scope": r.FormValue("scope")}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": i.Token(t, r.FormValue("resource"), claims), "token_type": "Bearer", "expires_in": 60})
	}))
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	i.URL = "http://localhost:" + port // to tell it from servers that are tested
	server.Start()
	t.Cleanup(server.Close)
	return i
}

// Rotate withdraws the key, and signs with another one of an algorithm. It returns the key's public half.
func (i *Issuer) Rotate(t testing.TB, algorithm jose.SignatureAlgorithm) crypto.PublicKey {
	t.Helper()
	var key crypto.Signer
	var err error
	switch algorithm {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.RS256, jose.PS256:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		err = fmt.Errorf("no key for %s", algorithm)
	}
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.made++
	id := fmt.Sprintf("key-%d", i.made)
	i.keys = []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Algorithm: string(algorithm), Use: "sig"}}
	i.signer = jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: id}}
	return key.Public()
}

// Publish replaces the keys that the issuer names, but not the one that it signs with.
func (i *Issuer) Publish(keys ...jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Leave makes the issuer unreachable, or reachable again.
func (i *Issuer) Leave(away bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.away = away
}

// Fetches returns how often its keys were asked for, also while it was away.
func (i *Issuer) Fetches() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fetches
}

// Claims are those of a valid token for an audience, of "ana" with the scope runtime. A change whose value is nil takes a
// claim out.
func (i *Issuer) Claims(audience string, changes map[string]any) map[string]any {
	now := time.Now()
	claims := map[string]any{
		"iss": i.URL, "sub": "ana", "aud": audience, "exp": now.Add(time.Hour).Unix(), "iat": now.Unix(), "scope": "openid runtime",
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return claims
}

// Token signs [Issuer.Claims].
func (i *Issuer) Token(t testing.TB, audience string, changes map[string]any) string {
	t.Helper()
	text, err := json.Marshal(i.Claims(audience, changes))
	if err != nil {
		t.Fatal(err)
	}
	return i.Sign(t, text)
}

// Sign signs a text with the issuer's key.
func (i *Issuer) Sign(t testing.TB, text []byte) string {
	t.Helper()
	return i.SignAs(t, "at+jwt", text)
}

// SignAs is Sign for a token of another type.
func (i *Issuer) SignAs(t testing.TB, typ jose.ContentType, text []byte) string {
	t.Helper()
	i.mu.Lock()
	signer := i.signer
	i.mu.Unlock()
	return signWith(t, signer, typ, text)
}

// SignWith signs a text with any key.
func SignWith(t testing.TB, with jose.SigningKey, text []byte) string {
	t.Helper()
	return signWith(t, with, "at+jwt", text)
}

func signWith(t testing.TB, with jose.SigningKey, typ jose.ContentType, text []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(with, (&jose.SignerOptions{}).WithType(typ))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// ServeHTTP answers with the metadata and the keys.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.away:
		i.fetches++
		http.Error(w, "away", http.StatusBadGateway)
	case strings.HasSuffix(r.URL.Path, "/keys"):
		i.fetches++
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: i.keys}) // to a connection of the test
	case strings.HasSuffix(r.URL.Path, "/.well-known/openid-configuration"):
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": i.URL, "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
			"response_types_supported": []string{"code"}, "grant_types_supported": []string{"client_credentials"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	default:
		http.NotFound(w, r)
	}
}

// RoundTrip answers without a network, for tests whose time is not real.
func (i *Issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	i.ServeHTTP(answer, r)
	return answer.Result(), nil
}
