// Package oauth is an authorization server for one graph (OAuth 2.1, https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1).
// A person who is known to the graph gives a client access to it in their name, with some of their scopes: a grant, which is a
// token of the graph. Clients are public: a client is known by where its answers go, and proves by PKCE that it asked. There
// is no state outside the file, but for a cache of what clients publish of themselves.
//
// Read [Options] first, then [Server.Request] and [Server.Token].
package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"trails/auth"
	"trails/auth/oidc"
	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// Options configure an authorization server.
type Options struct {
	// Issuer is the server's name: the address of the graph's server, without a / at its end.
	Issuer string
	// Graph has the grants.
	Graph *kg.Graph
	// Auth knows the people, and [auth.Options.Server] of it is Issuer.
	Auth *auth.Resolver
	// Assertions is the identity provider whose assertions (ID-JAG) clients may show for access in the name of its people, who are
	// not asked; nil for none.
	Assertions *oidc.Provider
	// Transport gets the documents of clients; nil means one that reaches public addresses alone.
	Transport http.RoundTripper
	// Log hears what was given, used, renewed and revoked; nil discards it. No secret is in it.
	Log *slog.Logger
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// Times of a grant.
const (
	// CodeLife is how long an authorization code may be used, and AccessLife how long an access token.
	CodeLife   = time.Minute
	AccessLife = time.Hour
	// GrantLife is how long a grant lasts at most. One of a person of an identity provider lasts for ProviderGrantLife: it is
	// not known here when the provider does not know them any more, or in other groups.
	GrantLife         = 90 * 24 * time.Hour
	ProviderGrantLife = 7 * 24 * time.Hour
)

// Paths of the endpoints, below the address of the graph's server; see also [auth.AuthorizePath].
const (
	TokenPath    = "/token"
	RegisterPath = "/register"
	RevokePath   = "/revoke"
)

// Server is an authorization server. It is safe for concurrent use, and needs no closing.
type Server struct {
	opts    Options
	clients documents
}

// New returns a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{opts: o, clients: newDocuments(o.Transport)}
}

// Metadata is what clients read of the server (RFC 8414, section 2).
type Metadata struct {
	Issuer        string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Register      string   `json:"registration_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Responses     []string `json:"response_types_supported"`
	ResponseModes []string `json:"response_modes_supported"`
	Grants        []string `json:"grant_types_supported"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	RevokeAuth    []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	SaysIssuer    bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	Documents     bool     `json:"client_id_metadata_document_supported"`
	Profiles      []string `json:"authorization_grant_profiles_supported,omitempty"`
}

// Names that clients and metadata have.
const (
	codeGrant    = "authorization_code"
	refreshGrant = "refresh_token"
	// assertionGrant is that of RFC 7523, here for ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant).
	assertionGrant   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	assertionProfile = "urn:ietf:params:oauth:grant-profile:id-jag"
)

// Metadata returns it.
func (s *Server) Metadata() Metadata {
	at, public := s.opts.Issuer, []string{"none"}
	m := Metadata{
		Issuer: at, Authorize: at + auth.AuthorizePath, Token: at + TokenPath, Register: at + RegisterPath, Revoke: at + RevokePath,
		Scopes: s.opts.Auth.Scopes().List(), Responses: []string{"code"}, ResponseModes: []string{"query"},
		Grants: []string{codeGrant, refreshGrant}, TokenAuth: public, RevokeAuth: public, Challenges: []string{"S256"},
		SaysIssuer: true, Documents: true,
	}
	if s.opts.Assertions != nil {
		m.Grants, m.Profiles = append(m.Grants, assertionGrant), []string{assertionProfile}
	}
	return m
}

// Error is an error that a client reads (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, section 3.2.2).
type Error struct {
	// Code is the protocol's word, such as invalid_grant.
	Code string `json:"error"`
	// Says is what is wrong, in ASCII without quotation marks.
	Says string `json:"error_description"`
}

func (e *Error) Error() string { return e.Code + ": " + e.Says }

// checkResource refuses a resource that is not this graph (RFC 8707, section 2); none means this graph.
func (s *Server) checkResource(named []string) *Error {
	for _, resource := range named {
		if !slices.Contains(auth.Audiences(s.opts.Issuer), strings.TrimSuffix(resource, "/")) {
			return &Error{"invalid_target", "the resource is not this graph, which is " + s.opts.Issuer}
		}
	}
	return nil
}

// once returns the only value of a parameter, "" without one. Parameters that come twice are refused (RFC 6749, section 3.1).
func once(values map[string][]string, name string) (string, *Error) {
	switch given := values[name]; len(given) {
	case 0:
		return "", nil
	case 1:
		return given[0], nil
	}
	return "", &Error{"invalid_request", name + " is given more than once"}
}

// readScopes returns the scopes among words that clients ask for; others, such as openid, are of other servers.
func readScopes(text string) (scopes policy.Scopes) {
	for word := range strings.FieldsSeq(text) {
		scopes = scopes.With(policy.Scope(word))
	}
	return scopes
}

// hashOf is what is kept of a secret.
func hashOf(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// same reports whether hashes are equal, in the same time for all.
func same(a, b [sha256.Size]byte) bool { return subtle.ConstantTimeCompare(a[:], b[:]) == 1 }

// What provenance has as the capability of what is done here.
const (
	giveGrant   = "grant.give"
	useCode     = "grant.use"
	renewGrant  = "grant.renew"
	revokeGrant = "grant.revoke"
)

// session is that of the person of a grant, by its client.
func (s *Server) session(t policy.Token) *kg.Session {
	return s.opts.Graph.Session(policy.Principal{ID: t.Grant.Person, Client: t.Label(), Grant: t.Name})
}

// change changes a grant, and records that it was.
func (s *Server) change(ctx context.Context, t policy.Token, what string, change func(*policy.Token) error) error {
	err := s.session(t).ChangeGrant(ctx, t.Name, kg.Activity{Capability: what, Via: "http"}, change)
	if err == nil {
		s.log(ctx, what, t)
	}
	return err
}

func (s *Server) log(ctx context.Context, what string, t policy.Token) {
	s.opts.Log.InfoContext(ctx, what, slog.String("grant", t.Name), slog.String("person", t.Grant.Person), slog.String("client", t.Grant.Host))
}

// grantOf returns the grant that a secret names, nil without one. It proves nothing.
func (s *Server) grantOf(ctx context.Context, secret string) (*policy.Token, error) {
	t, ok, err := s.opts.Graph.Token(ctx, policy.NameInSecret(secret))
	if err != nil || !ok || t.Grant == nil {
		return nil, err
	}
	return &t, nil
}

// MayGive refuses who cannot give a client access: nobody known, who has no token of their own, and clients. What they give
// ends with their own token, so there has to be one.
func MayGive(p policy.Principal) error {
	const ways = "sign out, and sign in with a token of your own; trails token create FILE NAME issues one, and so does the page of tokens"
	switch own := strings.HasPrefix(p.ID, policy.TokenActor) || p.Issuer != ""; {
	case !p.Authenticated:
		return fault.New(fault.Unauthenticated, "sign in first")
	case p.Grant != "":
		return fault.New(fault.Denied, "a client gives no access to other clients; %s", ways)
	case !own:
		return fault.New(fault.Denied, "you are %s, without a token of your own, and access that is given ends with the token of who gave it: %s", p.ID, ways)
	}
	return nil
}
