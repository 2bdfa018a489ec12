package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"trails/kg/fault"
	"trails/policy"
)

// token is the hash of the process's bearer token; the zero value means none.
type token struct {
	set bool
	sum [sha256.Size]byte
}

func newToken(secret string) token {
	if secret == "" {
		return token{}
	}
	return token{set: true, sum: sha256.Sum256([]byte(secret))}
}

// matches compares hashes, so that the time says nothing of how much was right,
// not even the length.
func (t token) matches(secret string) bool {
	sum := sha256.Sum256([]byte(secret))
	return t.set && subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
}

type principalKey struct{}

// authenticated resolves the caller once; nothing behind it asks again.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.resolve(r)
		if err != nil && r.URL.Path != "/health" {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, p)))
	})
}

func (s *server) resolve(r *http.Request) (policy.Principal, error) {
	nobody := policy.Anonymous(client(r), s.opts.Scopes)
	if !s.token.set {
		return nobody, nil
	}
	if !s.token.matches(bearer(r)) {
		return nobody, fault.New(fault.Unauthenticated, "Authentication failed")
	}
	id := s.opts.Actor
	if id == "" {
		id = "token"
	}
	return policy.Principal{ID: id, Client: client(r), Scopes: s.opts.Scopes, Authenticated: true}, nil
}

func principalOf(r *http.Request) policy.Principal {
	p, _ := r.Context().Value(principalKey{}).(policy.Principal)
	return p
}

// bearer returns the token of the Authorization header, or "" (RFC 6750, section 2.1).
func bearer(r *http.Request) string {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// maxClient bounds what a program may say of itself in every commit it makes.
const maxClient = 64

// client is the first product of the User-Agent, such as "curl/8.5.0": what the
// program says of itself, which proves nothing.
func client(r *http.Request) string {
	product, _, _ := strings.Cut(r.UserAgent(), " ")
	if len(product) > maxClient || strings.ContainsFunc(product, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return product
}
