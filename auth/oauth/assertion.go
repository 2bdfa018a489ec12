package oauth

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"trails/auth"
	"trails/auth/oidc"
	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// plainID matches the IDs of clients at an identity provider that are no addresses.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// assert answers an assertion of the identity provider (draft-ietf-oauth-identity-assertion-authz-grant, section 4.4): the
// provider has decided in the place of the person. It counts once, and gives an access token alone, since the provider is to
// decide anew after that.
func (s *Server) assert(req *http.Request, form url.Values) (*Tokens, error) {
	a, err := s.opts.Assertions.Assertion(req.Context(), form.Get("assertion"), s.opts.Issuer)
	var wrong *oidc.Invalid
	if errors.As(err, &wrong) {
		return nil, s.refuseAssertion(req, auth.TokenState(wrong.Reason), wrong.Caller.ID, wrong.Says)
	}
	if err != nil {
		return nil, err
	}
	if form.Get("client_id") != a.ClientID {
		return nil, s.refuseAssertion(req, auth.TokenState(oidc.BadClaims), a.Caller.ID, "the assertion was given to another client")
	}
	if other := s.checkResource(a.Resources); other != nil {
		return nil, s.refuseAssertion(req, auth.TokenState(oidc.OtherAudience), a.Caller.ID, other.Says)
	}
	host := a.ClientID
	if checkID(a.ClientID) == nil {
		host = strings.ToLower(strings.Split(a.ClientID, "/")[2])
	} else if !plainID.MatchString(a.ClientID) {
		return nil, unknownClient("the client_id is neither an address nor a name of 64 letters, digits, dots, dashes, colons and underscores at most")
	}
	scopes := a.Scopes.Intersect(s.opts.Auth.Scopes())
	if asked := readScopes(form.Get("scope")); asked != (policy.Scopes{}) {
		scopes = scopes.Intersect(asked)
	}
	if scopes == (policy.Scopes{}) {
		return nil, &Error{"invalid_scope", "the identity provider gave none of the scopes " + s.opts.Auth.Scopes().String()}
	}
	person := policy.Principal{ID: a.Caller.ID, Issuer: s.opts.Assertions.Issuer(), Groups: a.Groups, Authenticated: true}
	t := s.newGrant(person, scopes)
	t.Grant.Client, t.Grant.Host, t.Grant.Code = a.ClientID, host, hashOf("jti "+a.ID)
	t.Expires = t.Created.Add(AccessLife)
	out := tokens(&t, rand.Text(), scopes, t.Created)
	out.Refresh = "" // no family is kept, so it would count nowhere
	person.Client, person.Grant = t.Label(), t.Name
	err = s.opts.Graph.Session(person).Grant(req.Context(), t, kg.Activity{Capability: giveGrant, Via: "http"})
	if fault.Is(err, fault.Conflict) {
		return nil, s.refuseAssertion(req, auth.TokenReplayed, a.Caller.ID, "the assertion was used before")
	}
	if err != nil {
		return nil, err
	}
	s.log(req.Context(), giveGrant, t)
	return out, nil
}

// refuseAssertion refuses an assertion, and tells of it. The log alone has what is wrong with it.
func (s *Server) refuseAssertion(req *http.Request, state auth.TokenState, name, says string) error {
	if late := s.opts.Auth.RefuseGrant(req, state, name, says); late != nil {
		return late
	}
	return &Error{"invalid_grant", "the assertion is not valid for this server and this client, or was used before"}
}
