// Package oidc checks the tokens of an identity provider: JSON Web Tokens (RFC 7519) signed with its keys, which are
// found by its metadata (OpenID Connect Discovery 1.0, RFC 8414). People sign in there from the pages, and come back with
// such a token.
//
// Read [Options] first, then [Provider.Verify] and [Provider.Begin].
package oidc

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"

	"trails/auth/policy"
	"trails/fault"
	"trails/loopback"
)

// Options configure an identity provider.
type Options struct {
	// Issuer is the provider's URL, exactly as its tokens have it (iss): https, or http on this machine.
	Issuer string
	// Audiences are names of this server at the provider. A token is for one of them (aud); a / at the end does not count.
	Audiences []string
	// GroupsClaim is the claim with the caller's groups; "" means "groups".
	GroupsClaim string
	// ScopePrefix is what the provider has before our names of scopes, such as "notes/"; "" is nothing.
	ScopePrefix string
	// Skew is how far the clocks of provider and server may be apart; zero means that they are not.
	Skew time.Duration
	// ClientID is what this server is called at the provider when people sign in there from its pages, and ClientSecret its
	// secret, "" for none. Without a ClientID they do not.
	ClientID, ClientSecret string
	// Cache is the directory in which the latest keys are kept for the next start; "" keeps them in memory alone.
	Cache string
	// Transport sends requests to the provider; nil means [http.DefaultTransport].
	Transport http.RoundTripper
	// Log hears whether the provider is reached; nil discards it.
	Log *slog.Logger
}

// DefaultSkew is the usual [Options.Skew], and MaxSkew the most.
const (
	DefaultSkew = time.Minute
	MaxSkew     = 10 * time.Minute
)

// Bounds of a token.
const (
	maxToken   = 16 << 10 // bytes
	maxSubject = 255      // bytes (OpenID Connect Core 1.0, section 2)
	maxGroups  = 500
	maxGroup   = 200 // bytes of a group's name
)

// algorithms are the allowed signatures (RFC 7518, section 3.1; RFC 8037). None has a secret that provider and server share.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Provider is an identity provider. It is safe for concurrent use, and needs no closing.
type Provider struct {
	opts   Options
	issuer *url.URL
	client *http.Client
	*published
}

// published is what is known of a provider, for all audiences.
type published struct {
	fetching chan struct{} // has an element while keys are fetched
	mu       sync.Mutex    // guards what follows
	keys     *keySet       // nil before the first were read
	tried    time.Time     // when they were fetched last, with or without success
	failed   error         // why that did not succeed
	metadata metadata      // zero before it was read
}

// New returns a provider, with the keys of its cache if there are any. Wrong options are an InvalidArguments fault.
func New(o Options) (*Provider, error) {
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "":
		return nil, fault.New(fault.InvalidArguments, "issuer %q: give the URL of the identity provider, such as https://id.example.org", o.Issuer)
	case !safe(u):
		return nil, fault.New(fault.InvalidArguments, "issuer %q: it must begin with https://, or be on this machine: somebody on the way could give other keys", o.Issuer)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || len(o.Issuer) > maxSubject || strings.ContainsAny(o.Issuer, "@ "):
		return nil, fault.New(fault.InvalidArguments, "issuer %q: it is a name, a port and a path of together at most %d bytes, and no more", o.Issuer, maxSubject)
	case len(o.Audiences) == 0 || slices.Contains(o.Audiences, ""):
		return nil, fault.New(fault.InvalidArguments, "the identity provider %s needs an audience, since tokens that it gives for other servers are not for this one", o.Issuer)
	case o.Skew < 0 || o.Skew > MaxSkew:
		return nil, fault.New(fault.InvalidArguments, "clock skew %s: it is from 0s to %s", o.Skew, MaxSkew)
	}
	o.GroupsClaim = cmp.Or(o.GroupsClaim, "groups")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Provider{opts: o, issuer: u, published: &published{fetching: make(chan struct{}, 1)}}
	p.client = &http.Client{Transport: o.Transport, CheckRedirect: p.checkRedirect}
	p.keys = p.readCache()
	return p, nil
}

// For returns the same provider for tokens with other audiences. What it publishes is asked for once for both.
func (p *Provider) For(audiences []string) *Provider {
	other := *p
	other.opts.Audiences = audiences
	return &other
}

// safe reports whether what an address answers comes from there: over TLS, or from this machine.
func safe(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback.Is(u.Hostname())
}

// Issuer returns the provider's URL.
func (p *Provider) Issuer() string { return p.opts.Issuer }

// Has reports whether an ID, as in [Caller], is of somebody whom the provider knows.
func (p *Provider) Has(id string) bool { return strings.HasSuffix(id, "@"+p.name()) }

// idOf is the ID of a subject, as in [Caller].
func (p *Provider) idOf(subject string) string { return policy.OIDCActor + subject + "@" + p.name() }

// name is the issuer as it stands in the IDs of callers.
func (p *Provider) name() string { return strings.TrimPrefix(p.opts.Issuer, "https://") }

// ScopeNames returns what scopes are called at the provider.
func (p *Provider) ScopeNames(scopes policy.Scopes) []string {
	names := scopes.List()
	for i := range names {
		names[i] = p.opts.ScopePrefix + names[i]
	}
	return names
}

// Caller is whom a token is of, and what it gives them.
type Caller struct {
	// ID is "oidc:", the subject, @ and the issuer without https://. Both claims together name somebody for good (OpenID
	// Connect Core 1.0, section 5.7); names that people read change, and are given to others.
	ID string
	// Scopes are those of the claims scope, scopes and scp that have one of our names.
	Scopes policy.Scopes
	// Groups are in alphabetical order.
	Groups []string
	// Expires is the time of the claim exp.
	Expires time.Time
}

// Reason is what is wrong with a token.
type Reason string

// The reasons.
const (
	Malformed     Reason = "malformed" // not a token, too long, or signed in a way that is not allowed
	OtherIssuer   Reason = "issuer"
	UnknownKey    Reason = "key"
	Forged        Reason = "signature"
	OtherAudience Reason = "audience"
	Expired       Reason = "expired"
	Early         Reason = "early" // not valid yet, or issued in the future
	BadClaims     Reason = "claims"
)

// Invalid is the error for a token that is not valid.
type Invalid struct {
	Reason Reason
	// Says is a sentence for the log, with claims of the token in quotation marks.
	Says string
	// Caller is whom the token names, and when it expired, if it is [Expired]; otherwise it is zero.
	Caller Caller
}

func (e *Invalid) Error() string { return e.Says }

// maxSays bounds a sentence for the log, in bytes.
const maxSays = 500

func invalid(reason Reason, format string, args ...any) error {
	says := fmt.Sprintf(format, args...)
	return &Invalid{Reason: reason, Says: strings.ToValidUTF8(says[:min(len(says), maxSays)], "")}
}

// HasForm reports whether a text has the form of a token: three parts with dots between them.
func HasForm(text string) bool { return strings.Count(text, ".") == 2 }

// claims are the claims that are read, beside that of the groups. Names count in their case, and none comes twice.
type claims struct {
	jwt.Claims
	Scope  texts `json:"scope"`
	Scopes texts `json:"scopes"`
	SCP    texts `json:"scp"`
}

// texts is a claim that is a text or a list of texts.
type texts []string

// UnmarshalJSON reads either form.
func (t *texts) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*t = make(texts, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// accessTypes are the types of tokens that may be access tokens: of RFC 9068, and what providers wrote before it. Assertions
// (ID-JAG), which get an access token and are none, logout tokens and others that a provider signs for the same audience have
// types of their own, so that none passes for another (RFC 8725, section 3.11).
var accessTypes = []string{"at+jwt", "jwt", ""}

// Verify returns whom a token is of. For one that is not valid the error is [*Invalid]. If it cannot be checked, because
// the provider has not been reached and the token's key is not known, the error is the fault Unusable. It asks the provider
// when it does not know the key, but not more often than each [RefetchAfter].
func (p *Provider) Verify(ctx context.Context, token string) (Caller, error) {
	payload, typ, err := p.read(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	if !slices.Contains(accessTypes, typ) {
		return Caller{}, invalid(Malformed, "the token has the type %q, and those of access tokens are at+jwt and JWT", typ)
	}
	return p.caller(payload, p.opts.Audiences)
}

// read returns the claims of a token that the provider signed, and its type (RFC 7515, section 4.1.9).
func (p *Provider) read(ctx context.Context, token string) (payload []byte, typ string, err error) {
	if len(token) > maxToken {
		return nil, "", invalid(Malformed, "the token has %d bytes, and at most %d are read", len(token), maxToken)
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, "", invalid(Malformed, "the token cannot be read: %q", err)
	}
	var is struct {
		Issuer string `json:"iss"`
	}
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &is); err != nil {
		return nil, "", invalid(Malformed, "the token's claims cannot be read: %q", err)
	}
	if is.Issuer != p.opts.Issuer { // before its key, which is not to be asked for in vain
		return nil, "", invalid(OtherIssuer, "the token says that it is of %q, and not of %s", is.Issuer, p.opts.Issuer)
	}
	typ, _ = signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType].(string)
	payload, err = p.payload(ctx, signed)
	return payload, strings.TrimPrefix(strings.ToLower(typ), "application/"), err
}

// payload returns what is signed, if it is with a key of the provider.
func (p *Provider) payload(ctx context.Context, signed *jose.JSONWebSignature) ([]byte, error) {
	header := signed.Signatures[0].Header
	keys := p.current(ctx)
	payload, known := keys.verify(signed, header)
	if payload == nil {
		newer, err := p.newer(ctx)
		if err != nil && !known {
			return nil, err
		}
		if err == nil {
			payload, known = newer.verify(signed, header)
		}
	}
	switch {
	case payload != nil:
		return payload, nil
	case known:
		return nil, invalid(Forged, "the token is not signed with the key %q of %s", header.KeyID, p.opts.Issuer)
	}
	return nil, invalid(UnknownKey, "the token is signed with %s and the key %q, and %s has no such key", header.Algorithm, header.KeyID, p.opts.Issuer)
}

// caller reads claims that are signed, of a token for one of the audiences.
func (p *Provider) caller(payload []byte, audiences []string) (Caller, error) {
	var c claims
	var all map[string]json.RawMessage
	var groups texts
	for _, into := range []any{&c, &all} {
		if err := json.Unmarshal(payload, into); err != nil {
			return Caller{}, invalid(BadClaims, "the token's claims cannot be read: %q", err)
		}
	}
	for i, audience := range c.Audience {
		c.Audience[i] = strings.TrimSuffix(audience, "/")
	}
	if !slices.ContainsFunc(audiences, func(ours string) bool { return c.Audience.Contains(strings.TrimSuffix(ours, "/")) }) {
		return Caller{}, invalid(OtherAudience, "the token is for %q, and not for %q", []string(c.Audience), audiences)
	}
	if c.Subject == "" || len(c.Subject) > maxSubject || strings.ContainsFunc(c.Subject, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Caller{}, invalid(BadClaims, "the token's subject (sub) is %q; it has 1 to %d letters, digits and signs of ASCII", c.Subject, maxSubject)
	}
	if c.Expiry == nil {
		return Caller{}, invalid(BadClaims, "the token of %q has no end (exp)", c.Subject)
	}
	who := Caller{
		ID:      p.idOf(c.Subject),
		Scopes:  p.scopes(slices.Concat(c.Scope, c.Scopes, c.SCP)),
		Expires: c.Expiry.Time().UTC(),
	}
	switch err := c.ValidateWithLeeway(jwt.Expected{Issuer: p.opts.Issuer}, p.opts.Skew); err {
	case nil:
	case jwt.ErrExpired:
		return Caller{}, &Invalid{Expired, "token of " + who.ID + " expired at " + who.Expires.Format(time.RFC3339), who}
	case jwt.ErrNotValidYet, jwt.ErrIssuedInTheFuture:
		return Caller{}, invalid(Early, "the token of %q is not valid yet", c.Subject)
	default:
		return Caller{}, invalid(BadClaims, "the token of %q is not valid: %q", c.Subject, err)
	}
	if text, has := all[p.opts.GroupsClaim]; has {
		if err := json.Unmarshal(text, &groups); err != nil {
			return Caller{}, invalid(BadClaims, "the claim %s of %q is neither a text nor a list of texts", p.opts.GroupsClaim, c.Subject)
		}
	}
	if len(groups) > maxGroups || slices.ContainsFunc(groups, unusable) { // all or none: a policy may keep a group out
		return Caller{}, invalid(BadClaims, "the claim %s of %q has %d groups, where at most %d are read, or one whose name is empty, longer than %d bytes, or has control characters",
			p.opts.GroupsClaim, c.Subject, len(groups), maxGroups, maxGroup)
	}
	slices.Sort(groups)
	who.Groups = slices.Compact(groups)
	return who, nil
}

// unusable reports whether a group cannot have this name.
func unusable(group string) bool {
	return group == "" || len(group) > maxGroup || strings.ContainsFunc(group, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// ownPrefix may stand before the name of a scope at any provider.
const ownPrefix = "trails:"

// scopes are those of ours among the words of claims. Others, such as openid, are for other servers.
func (p *Provider) scopes(claimed []string) (scopes policy.Scopes) {
	for _, text := range claimed {
		for word := range strings.FieldsSeq(text) {
			for _, prefix := range []string{"", ownPrefix, p.opts.ScopePrefix} {
				if name, is := strings.CutPrefix(word, prefix); is {
					scopes = scopes.With(policy.Scope(name))
				}
			}
		}
	}
	return scopes
}
