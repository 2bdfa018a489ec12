// Package auth identifies the callers of a process. There is one [Resolver] a process, and one a graph besides if the
// process serves several. HTTP, MCP over HTTP
// and stdio, and the pages ask it, and put its [policy.Principal] into the request's context. The code behind
// them does not know how a caller was identified. What a principal may do is decided by package policy.
//
// Read [Options] first, then [Resolver.Request].
package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"trails/auth/oidc"
	"trails/auth/policy"
	"trails/fault"
	"trails/text/redact"
)

// Options configure who may call a process, and its address. The zero value admits everybody as "anonymous",
// without scopes.
type Options struct {
	// Token, if set, is accepted from every caller, and one is required.
	Token string
	// Issued are the tokens of the graph; nil for none. While there are any, callers over HTTP have to show one.
	Issued Issuer
	// Provider is an identity provider whose tokens count, too; nil for none. With one, callers over HTTP have to show a
	// token.
	Provider *oidc.Provider
	// Server is the issuer of the authorization server of this process, for this graph; "" for none. With one, callers over
	// HTTP have to show a token, and clients with a grant of it are known.
	Server string
	// Log hears why the graph's tokens cannot be read; nil discards it.
	Log *slog.Logger
	// Closed means that callers over HTTP have to show a token, even if there are none.
	Closed bool
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
	// Path is where the server's addresses begin, such as "/graphs/notes", with that of Public; "" for /. Sign-in cookies are
	// for what is below it.
	Path string
	// Public is the server's only address for callers behind a proxy, as returned by [ParsePublic]. Nil means
	// that requests come directly, and the address is the one they were sent to.
	Public *url.URL
	// Names reports whether a host name or address is one of the server's certificate; nil means that it has none.
	Names func(host string) bool
	// Proxies are addresses whose X-Forwarded-* headers are trusted, besides loopback addresses. They have an
	// effect only with Public.
	Proxies []netip.Prefix
	// Origins are those of other sites whose pages may send requests and see the answers, as returned by
	// [ParseOrigin].
	Origins []string
	// Refused, if set, is told of requests that are refused because of their tokens: one a minute for each address and
	// state of a token, and of all together at most sixty at once and one each ten seconds. It must not wait.
	Refused func(context.Context, Refusal)
	// Process identifies callers of the process that serves this graph among others: a browser that signed in there is signed
	// in here, and both count wrong tokens together. Nil means that the process serves this graph alone.
	Process *Resolver
	// Instance distinguishes servers on one host, such as "8757-notes". It is part of the sign-in cookie's
	// name, so that signing in to one server does not sign out of another.
	Instance string
}

// Issuer knows the tokens that a graph issued.
type Issuer interface {
	// Token returns the token with a name, also a revoked one; ok is false if there is none.
	Token(ctx context.Context, name string) (t policy.Token, ok bool, err error)
	// HasTokens reports whether there is any token, also a revoked one.
	HasTokens(ctx context.Context) (bool, error)
}

// Resolver identifies the callers of one process. It is safe for concurrent use.
type Resolver struct {
	opts    Options
	hash    [sha256.Size]byte // of the token
	secrets redact.Redactor   // takes out that token
	wrong   wrongTokens
	told    refusals
	signIns signIns
	begun   begunSignIns
	link    operatorLink
}

// New returns a resolver.
func New(o Options) *Resolver {
	o.ID = cmp.Or(o.ID, policy.ProcessActor)
	return &Resolver{opts: o, hash: sha256.Sum256([]byte(o.Token)), secrets: redact.New(o.Token)}
}

// NeedsToken reports whether the process was given a token, so that callers of every transport have to show one.
func (r *Resolver) NeedsToken() bool { return r.opts.Token != "" }

// AsksForToken reports whether callers over HTTP have to show a token.
func (r *Resolver) AsksForToken(ctx context.Context) (bool, error) {
	switch {
	case r.NeedsToken() || r.opts.Closed || r.opts.Provider != nil || r.opts.Server != "":
		return true, nil
	case r.opts.Issued == nil:
		return false, nil
	}
	has, err := r.opts.Issued.HasTokens(ctx)
	return has, r.unread(err)
}

// Knows reports whether any caller can be authenticated.
func (r *Resolver) Knows() bool {
	return r.NeedsToken() || r.HasOperator() || r.opts.Issued != nil || r.opts.Provider != nil
}

// HasOperator reports whether the user who started the process needs no token.
func (r *Resolver) HasOperator() bool { return r.opts.Operator && !r.NeedsToken() }

// Scopes returns the scopes of the process; no caller has more.
func (r *Resolver) Scopes() policy.Scopes { return r.opts.Scopes }

// Public returns the server's address behind a proxy, or nil.
func (r *Resolver) Public() *url.URL { return r.opts.Public }

// proof is what is kept of a secret that a caller showed.
type proof struct {
	name string // of the graph's token that it says it is; "" for none
	jwt  string // the whole token if it may be one of the identity provider, which is checked anew each time; otherwise ""
	hash [sha256.Size]byte
}

func (r *Resolver) proofOf(secret string) proof {
	shown := proof{name: policy.NameInSecret(secret), hash: sha256.Sum256([]byte(secret))}
	if r.mayBeOfProvider(secret) {
		shown.jwt = secret
	}
	return shown
}

// mayBeOfProvider reports whether a secret has the form of a token of the identity provider, and there is one.
func (r *Resolver) mayBeOfProvider(secret string) bool {
	return r.opts.Provider != nil && oidc.HasForm(secret)
}

// Signed reports whether a secret has the form of a token that this process can check: one of the graph, or of the identity
// provider.
func (r *Resolver) Signed(secret string) bool {
	return policy.NameInSecret(secret) != "" || r.mayBeOfProvider(secret)
}

// Verify returns the principal for a token; ok is false for a wrong one, one that was revoked or has expired, and if there
// is no token. It compares hashes, so that the time it takes reveals nothing of the token, not even its length. The fault
// is that of the file, or Unusable if the identity provider has not been reached.
func (r *Resolver) Verify(ctx context.Context, secret string) (p policy.Principal, ok bool, err error) {
	return r.verify(ctx, r.proofOf(secret))
}

func (r *Resolver) verify(ctx context.Context, shown proof) (p policy.Principal, ok bool, err error) {
	if r.NeedsToken() && subtle.ConstantTimeCompare(shown.hash[:], r.hash[:]) == 1 {
		return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: true}, true, nil
	}
	if shown.jwt != "" {
		return r.verifyJWT(ctx, shown.jwt)
	}
	if shown.name == "" || r.opts.Issued == nil {
		return p, false, nil
	}
	t, found, err := r.opts.Issued.Token(ctx, shown.name)
	if err = r.unread(err); err != nil || !found || !t.Admits(shown.hash, time.Now()) {
		return p, false, err
	}
	if t.Grant != nil {
		p, state, err := r.Granted(ctx, t)
		return p, state == "" && err == nil, err
	}
	p = t.Principal()
	p.Scopes, p.Process = r.opts.Scopes.Intersect(t.Scopes), r.opts.Scopes
	return p, true, nil
}

// verifyJWT is verify for a token of the identity provider.
func (r *Resolver) verifyJWT(ctx context.Context, token string) (p policy.Principal, ok bool, err error) {
	who, err := r.opts.Provider.Verify(ctx, token)
	var wrong *oidc.Invalid
	if errors.As(err, &wrong) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err // which the provider has logged
	}
	return policy.Principal{ID: who.ID, Owner: who.ID, Issuer: r.opts.Provider.Issuer(), Scopes: r.opts.Scopes.Intersect(who.Scopes), Process: r.opts.Scopes, Groups: who.Groups, Authenticated: true}, true, nil
}

// unread logs that the graph's tokens cannot be read.
func (r *Resolver) unread(err error) error {
	if err != nil && r.opts.Log != nil && !errors.Is(err, context.Canceled) {
		r.opts.Log.Warn("the caller cannot be identified", "error", fault.Whole(err))
	}
	return err
}

// Local returns the principal of the caller over stdio. If the process has a token, secret or else [Options.Shown] must be
// it, or one of the graph or the identity provider; otherwise ok is false. If it has none, and the secret does not have the
// form of one of these, the caller is the user who started the process; only the operator is authenticated.
func (r *Resolver) Local(ctx context.Context, secret string) (p policy.Principal, ok bool, err error) {
	shown := r.proofOf(cmp.Or(secret, r.opts.Shown))
	if r.NeedsToken() || shown.name != "" || shown.jwt != "" {
		return r.verify(ctx, shown)
	}
	return r.starter(), true, nil
}

// starter returns the principal of the user who started a process without a token.
func (r *Resolver) starter() policy.Principal {
	return policy.Principal{ID: r.opts.ID, Owner: r.opts.Owner, Scopes: r.opts.Scopes, Authenticated: r.HasOperator(), Owns: r.HasOperator()}
}

// Request returns the sender of an HTTP request: one with a token in the Authorization header, with
// browsers also a browser that has signed in, and anybody if no token is required, unless they show one that is not valid.
// Otherwise known is false. The fault is that of the file.
func (r *Resolver) Request(req *http.Request, browsers bool) (p policy.Principal, known bool, err error) {
	p, known, err = r.sender(req, browsers)
	for in := r; browsers && in != nil; in = in.opts.Process {
		in.signIns.use(in.cookieHash(req))
	}
	return p, known, err
}

func (r *Resolver) sender(req *http.Request, browsers bool) (p policy.Principal, known bool, err error) {
	if p, known, err = r.Verify(req.Context(), bearer(req)); !known && browsers && err == nil {
		p, known, err = r.SignedIn(req)
	}
	claims := policy.NameInSecret(bearer(req)) != "" // who shows what was a token is not taken for somebody without one
	if !known && !claims && err == nil {
		var asks bool
		if asks, err = r.AsksForToken(req.Context()); !asks && err == nil {
			p, known = policy.Anonymous("", r.opts.Scopes), true
			p.Owner = r.opts.Owner
		}
	}
	if p.Grant == "" {
		p.Client, p.Version = clientOf(req)
	}
	return p, known, err
}

// recheck is how often the sender of a request whose answer lasts is looked for again.
const recheck = 5 * time.Second

// Lasting returns a context for a request whose answer lasts, which ends soon after [Resolver.Request] does not know its
// sender any more: the token was revoked or has expired, or one is required now. Call stop at the end.
func (r *Resolver) Lasting(req *http.Request, browsers bool) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(req.Context())
	ticks := time.NewTicker(recheck)
	go func() {
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			if _, known, err := r.sender(req, browsers); !known && err == nil {
				cancel(Unauthenticated())
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

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

// clientOf returns the first product in User-Agent and its version (RFC 9110, section 10.1.5), such as "curl" and
// "8.5.0", and "browser" for that of every browser, Mozilla/5.0. It is unverified.
func clientOf(req *http.Request) (name, version string) {
	product, _, _ := strings.Cut(req.UserAgent(), " ")
	if strings.HasPrefix(product, "Mozilla/") {
		return "browser", ""
	}
	if len(product) > maxClient || strings.ContainsFunc(product, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", ""
	}
	name, version, _ = strings.Cut(product, "/")
	return name, version
}

// stranger is the sender of a request who is not known, with the client that it claims.
func stranger(req *http.Request) policy.Principal {
	name, version := clientOf(req)
	p := policy.Anonymous(name, policy.Scopes{})
	p.Version = version
	return p
}
