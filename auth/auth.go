// Package auth identifies the callers of a process. There is one [Resolver] a process. HTTP, MCP over HTTP
// and stdio, and the pages ask it, and put its [policy.Principal] into the request's context. The code behind
// them does not know how a caller was identified. What a principal may do is decided by package policy.
//
// Read [Options] first, then [Resolver.Request].
package auth

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"trails/auth/policy"
	"trails/fault"
)

// Options configure who may call a process, and its address. The zero value admits everybody as "anonymous",
// without scopes.
type Options struct {
	// Token, if set, is required from every caller.
	Token string
	// ID is the ID of principals with the token, and over stdio of those that need none; "" means "token".
	ID string
	// Owner is the owner of all callers' idempotency keys; "" means that each ID owns its own.
	Owner string
	// Scopes are the scopes of the process; no caller has more.
	Scopes policy.Scopes
	// Shown is a token in the environment of the one caller over stdio. It counts for clients that do not
	// send a token in messages.
	Shown string
	// Operator means that the user who started the process, whose name is ID, has all its scopes without a
	// token: over stdio, and in a browser admitted by [Resolver.SignInOperator]. It has no effect together
	// with Token.
	Operator bool
	// Public is the server's only address for callers behind a proxy, as returned by [ParsePublic]. Nil means
	// that requests come directly, and the address is the one they were sent to.
	Public *url.URL
	// Proxies are addresses whose X-Forwarded-* headers are trusted, besides loopback addresses. They have an
	// effect only with Public.
	Proxies []netip.Prefix
	// Instance distinguishes servers on one host, such as "8757-notes". It is part of the sign-in cookie's
	// name, so that signing in to one server does not sign out of another.
	Instance string
}

// Resolver identifies the callers of one process. It is safe for concurrent use.
type Resolver struct {
	opts    Options
	hash    [sha256.Size]byte // of the token
	wrong   wrongTokens
	signIns signIns
	link    operatorLink
}

// New returns a resolver.
func New(o Options) *Resolver {
	o.ID = cmp.Or(o.ID, "token")
	return &Resolver{opts: o, hash: sha256.Sum256([]byte(o.Token))}
}

// NeedsToken reports whether callers must send a token.
func (r *Resolver) NeedsToken() bool { return r.opts.Token != "" }

// HasOperator reports whether the user who started the process needs no token.
func (r *Resolver) HasOperator() bool { return r.opts.Operator && !r.NeedsToken() }

// Scopes returns the scopes of the process; no caller has more.
func (r *Resolver) Scopes() policy.Scopes { return r.opts.Scopes }

// Public returns the server's address behind a proxy, or nil.
func (r *Resolver) Public() *url.URL { return r.opts.Public }

// Verify returns the principal for a token; ok is false for a wrong one, and if the process has no token. It
// compares hashes, so that the time it takes reveals nothing of the token, not even its length.
func (r *Resolver) Verify(secret string) (policy.Principal, bool) {
	hash := sha256.Sum256([]byte(secret))
	if !r.NeedsToken() || subtle.ConstantTimeCompare(hash[:], r.hash[:]) != 1 {
		return policy.Principal{}, false
	}
	return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: true}, true
}

// Local returns the principal of the caller over stdio, the user who started the process. If a token is
// required, secret or else [Options.Shown] must be it, otherwise ok is false. If none is required, only the
// operator is authenticated.
func (r *Resolver) Local(secret string) (policy.Principal, bool) {
	if r.NeedsToken() {
		return r.Verify(cmp.Or(secret, r.opts.Shown))
	}
	return r.starter(), true
}

// starter returns the principal of the user who started a process without a token.
func (r *Resolver) starter() policy.Principal {
	return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: r.HasOperator()}
}

// Request returns the sender of an HTTP request: one with the token in the Authorization header, with
// browsers also a browser that has signed in, and anybody if no token is required. Otherwise known is false.
func (r *Resolver) Request(req *http.Request, browsers bool) (p policy.Principal, known bool) {
	p, known = r.Verify(bearer(req))
	if !known && browsers {
		p, known = r.SignedIn(req)
	}
	if !known && !r.NeedsToken() {
		p, known = policy.Anonymous("", r.opts.Scopes), true
		p.Owner = r.opts.Owner
	}
	p.Client = clientOf(req)
	return p, known
}

// Refuse returns the fault for a request that [Resolver.Request] does not admit. It may delay one with a
// wrong token; see [Resolver.WrongToken].
func (r *Resolver) Refuse(req *http.Request) error {
	if bearer(req) != "" {
		if err := r.WrongToken(req); err != nil {
			return err
		}
	}
	return Unauthenticated()
}

// Unauthenticated returns the fault for a caller without the token.
func Unauthenticated() error { return fault.New(fault.Unauthenticated, "Authentication failed") }

// bearer returns the token of the Authorization header, or "" (RFC 6750, section 2.1).
func bearer(req *http.Request) string {
	scheme, secret, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// maxClient bounds the program's name that every commit records.
const maxClient = 64

// clientOf returns the first product in User-Agent, such as "curl/8.5.0". It is unverified.
func clientOf(req *http.Request) string {
	product, _, _ := strings.Cut(req.UserAgent(), " ")
	if len(product) > maxClient || strings.ContainsFunc(product, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return product
}
