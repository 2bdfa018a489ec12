// Package auth says who calls a process, and from where. There is one [Resolver] a
// process: HTTP, MCP over HTTP and stdio, and the pages ask it, and pass on what it
// answers as the [policy.Principal] in the context of the request. Nothing behind them
// knows how a caller was resolved. What a principal may do is package policy's.
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

// Options say who may call a process, and where it is reached. The zero value lets
// everybody in, as "anonymous" and without a scope.
type Options struct {
	// Token, when set, must be shown by every caller.
	Token string
	// ID is the principal's ID of callers that showed the token, and over stdio of those
	// that need none; empty means "token".
	ID string
	// Owner is whose the idempotency keys of all callers are; empty means of each ID its own.
	Owner string
	// Scopes are the process's.
	Scopes policy.Scopes
	// Shown is the token that the one caller over stdio has in its environment, for clients
	// that show none in their messages.
	Shown string
	// Operator says that who started the process, with this ID, has its scopes without a
	// token: over stdio, and in a browser that [Resolver.SignInOperator] let in. It means
	// nothing where there is a Token.
	Operator bool
	// Public is the one address of the server for callers, as [ParsePublic] returns it,
	// where a proxy hands their requests on. Nil means the address that a request was
	// sent to.
	Public *url.URL
	// Proxies are believed what they say of others in X-Forwarded-*, as loopback
	// addresses are. They count only with Public.
	Proxies []netip.Prefix
	// Instance tells this server from others of the same host, such as "8757-notes". It is
	// in the name of the cookie of those who signed in, so that signing in to one server
	// is not signing out of another.
	Instance string
}

// Resolver resolves the callers of one process. It is safe for concurrent use.
type Resolver struct {
	opts    Options
	hash    [sha256.Size]byte // of the token
	wrong   wrongTokens
	signIns signIns
	link    operatorLink
}

// New returns the resolver of a process.
func New(o Options) *Resolver {
	o.ID = cmp.Or(o.ID, "token")
	return &Resolver{opts: o, hash: sha256.Sum256([]byte(o.Token))}
}

// NeedsToken reports whether callers must show a token.
func (r *Resolver) NeedsToken() bool { return r.opts.Token != "" }

// HasOperator reports whether who started the process is known without a token.
func (r *Resolver) HasOperator() bool { return r.opts.Operator && !r.NeedsToken() }

// Scopes are the process's: no caller has more.
func (r *Resolver) Scopes() policy.Scopes { return r.opts.Scopes }

// Public is the address of the server for callers behind a proxy, nil where there is none.
func (r *Resolver) Public() *url.URL { return r.opts.Public }

// Verify returns the principal of a caller that shows secret as the token; it is false
// for any other secret, and when the process has no token. Hashes are compared, so that
// the time says nothing of how much was right, not even the length.
func (r *Resolver) Verify(secret string) (policy.Principal, bool) {
	hash := sha256.Sum256([]byte(secret))
	if !r.NeedsToken() || subtle.ConstantTimeCompare(hash[:], r.hash[:]) != 1 {
		return policy.Principal{}, false
	}
	return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: true}, true
}

// Local returns the principal of a caller over stdio: whoever started the process. Where a
// token is asked for, secret must be it or, when that is empty, [Options.Shown]; it is false
// for any other. Without one, it is authenticated as the operator alone.
func (r *Resolver) Local(secret string) (policy.Principal, bool) {
	if r.NeedsToken() {
		return r.Verify(cmp.Or(secret, r.opts.Shown))
	}
	return r.starter(), true
}

// starter is who started a process that asks for no token.
func (r *Resolver) starter() policy.Principal {
	return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: r.HasOperator()}
}

// Request returns who sent an HTTP request: who shows the token in the Authorization
// header, if browsers count a browser that signed in, and anybody where no token is asked
// for. It is false for all others.
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

// Refuse returns the fault for a request whose sender [Resolver.Request] does not know.
// One with a wrong token may be held for a moment; see [Resolver.WrongToken].
func (r *Resolver) Refuse(req *http.Request) error {
	if bearer(req) != "" {
		if err := r.WrongToken(req); err != nil {
			return err
		}
	}
	return Unauthenticated()
}

// Unauthenticated is the fault of a caller that has not shown the token.
func Unauthenticated() error { return fault.New(fault.Unauthenticated, "Authentication failed") }

// bearer returns the token of the Authorization header, or "" (RFC 6750, section 2.1).
func bearer(req *http.Request) string {
	scheme, secret, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// maxClient bounds what a program may say of itself in every commit it makes.
const maxClient = 64

// clientOf is the first product of the User-Agent, such as "curl/8.5.0": what the
// program says of itself, which proves nothing.
func clientOf(req *http.Request) string {
	product, _, _ := strings.Cut(req.UserAgent(), " ")
	if len(product) > maxClient || strings.ContainsFunc(product, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return product
}
