package httpapi

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"trails/fault"
	"trails/invoke"
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

// authenticated resolves the caller once; nothing behind it asks again.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(invoke.WithCaller(r.Context(), ClientAddr(r)))
		p, known := s.resolve(r)
		switch {
		case known:
			noteCaller(r, p)
			r = r.WithContext(policy.WithPrincipal(r.Context(), p))
		case !s.admits(r.URL.Path):
			err := error(fault.New(fault.Unauthenticated, "Authentication failed"))
			if bearer(r) != "" {
				err = cmp.Or(s.opts.WrongTokens.Slow(r), err)
			}
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admits reports that path is open to callers who have not shown the token: who
// watches over the process has none, and the pages ask for it in a form.
func (s *server) admits(path string) bool {
	return path == "/health" || path == "/ready" || s.opts.Admin != nil && (path == "/admin" || strings.HasPrefix(path, "/admin/"))
}

func (s *server) resolve(r *http.Request) (policy.Principal, bool) {
	if !s.token.set {
		p := policy.Anonymous(client(r), s.opts.Scopes)
		p.Owner = s.opts.Owner
		return p, true
	}
	p, known := s.opts.Verify(bearer(r))
	if !known && isRead(r) && s.opts.SignedIn != nil {
		p, known = s.opts.SignedIn(r)
	}
	p.Client = client(r)
	return p, known
}

// Verify returns the principal of a caller who shows secret as the token; false
// when it is another, or when the process has none. It takes the same time for
// every secret of one length.
func (o Options) Verify(secret string) (policy.Principal, bool) {
	if !newToken(o.Token).matches(secret) {
		return policy.Principal{}, false
	}
	return policy.Principal{ID: cmp.Or(o.Actor, "token"), Owner: o.Owner, Scopes: o.Scopes, Authenticated: true}, true
}

// principalOf is the caller; before the token was shown that is nobody, without a scope.
func principalOf(r *http.Request) policy.Principal {
	p, known := policy.FromContext(r.Context())
	if !known {
		return policy.Anonymous(client(r), policy.Scopes{})
	}
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
