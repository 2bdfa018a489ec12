package oidc

import (
	"context"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json"
)

// assertionType is the type of an assertion of identity for another authorization server
// (draft-ietf-oauth-identity-assertion-authz-grant, section 3).
const assertionType = "oauth-id-jag+jwt"

// maxAssertion is how far off the end of an assertion may be. It is used at once, and once.
const maxAssertion = time.Hour

// Assertion says that the provider lets a client have access in the name of one of its people.
type Assertion struct {
	// Caller is the person, with the scopes and groups that the assertion gives.
	Caller
	// ID is the assertion's own name (jti); it counts once.
	ID string
	// ClientID is the client, as this server knows it.
	ClientID string
	// Resources are the addresses that it is for; none means all of the authorization server.
	Resources []string
}

// Assertion reads an assertion that the provider made for an authorization server. One that is not valid is [*Invalid]; if it
// cannot be checked, because the provider has not been reached, the error is the fault Unusable.
func (p *Provider) Assertion(ctx context.Context, token, server string) (a Assertion, err error) {
	payload, typ, err := p.read(ctx, token)
	if err != nil {
		return a, err
	}
	if typ != assertionType {
		return a, invalid(Malformed, "the assertion has the type %q, and not %s", typ, assertionType)
	}
	if a.Caller, err = p.caller(payload, []string{server}); err != nil {
		return a, err
	}
	var c struct {
		ID        string `json:"jti"`
		ClientID  string `json:"client_id"`
		Audience  texts  `json:"aud"`
		Resources texts  `json:"resource"`
	}
	if json.Unmarshal(payload, &c) != nil {
		return a, invalid(BadClaims, "the assertion of %s has a jti, client_id or resource of another form", a.Caller.ID)
	}
	switch {
	case len(c.Audience) != 1 || strings.TrimSuffix(c.Audience[0], "/") != server:
		return a, invalid(OtherAudience, "the assertion is for %q, and not for %s alone", []string(c.Audience), server)
	case c.ID == "" || c.ClientID == "":
		return a, invalid(BadClaims, "the assertion of %s has no jti, or no client_id", a.Caller.ID)
	case time.Until(a.Expires) > maxAssertion:
		return a, invalid(BadClaims, "the assertion of %s counts for longer than %s", a.Caller.ID, maxAssertion)
	}
	a.ID, a.ClientID, a.Resources = c.ID, c.ClientID, c.Resources
	return a, nil
}
