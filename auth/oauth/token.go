package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
)

// Tokens is the answer of the token endpoint (RFC 6749, section 5.1).
type Tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Seconds int    `json:"expires_in"`
	Refresh string `json:"refresh_token,omitempty"`
	Scope   string `json:"scope"`
}

// Token answers a request for tokens: by an authorization code, by a refresh token, which is replaced, or by an assertion. What is refused is
// [*Error]; too many wrong ones from an address are the fault Exhausted.
func (s *Server) Token(req *http.Request, form url.Values) (*Tokens, error) {
	for name := range form {
		if _, err := once(form, name); err != nil && name != "resource" {
			return nil, err
		}
	}
	if req.Header.Get("Authorization") != "" {
		return nil, &Error{"invalid_client", "clients have no secret here; send the client_id in the body alone"}
	}
	if err := s.checkResource(form["resource"]); err != nil {
		return nil, err
	}
	switch form.Get("grant_type") {
	case codeGrant:
		return s.redeem(req, form)
	case refreshGrant:
		return s.renew(req, form)
	case assertionGrant:
		if s.opts.Assertions != nil {
			return s.assert(req, form)
		}
	case "":
		return nil, &Error{"invalid_request", "a grant_type is needed"}
	}
	return nil, &Error{"unsupported_grant_type", "the grant types are " + strings.Join(s.Metadata().Grants, ", ")}
}

// verifier matches what a client may show for its challenge (RFC 7636, section 4.1).
var verifier = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// proves reports whether a verifier is that of a challenge.
func proves(shown, challenge string) bool {
	sum := sha256.Sum256([]byte(shown))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifier.MatchString(shown) && subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}

// redeem answers the use of an authorization code (RFC 6749, section 4.1.3).
func (s *Server) redeem(req *http.Request, form url.Values) (*Tokens, error) {
	ctx, code := req.Context(), form.Get("code")
	found, err := s.grantOf(ctx, code)
	if err != nil {
		return nil, err
	}
	if found == nil || !same(hashOf(code), found.Grant.Code) {
		return nil, s.wrong(req, code, "the code is not valid")
	}
	mismatch := ""
	switch redirect := form.Get("redirect_uri"); {
	case form.Get("client_id") != found.Grant.Client:
		mismatch = "the code was given to another client"
	case redirect != "" && redirect != found.Grant.Redirect:
		mismatch = "the redirect_uri is not that of the request for the code"
	case !proves(form.Get("code_verifier"), found.Grant.Challenge):
		mismatch = "the code_verifier is not that of the code_challenge"
	}
	p, end, err := s.standing(ctx, *found)
	if err != nil {
		return nil, err
	}
	family := rand.Text()
	return s.use(req, *found, useCode, family, p.Scopes, func(t *policy.Token) (auth.TokenState, string) {
		if !t.Grant.Until.IsZero() { // whoever came first may not be the client
			return auth.TokenReplayed, "the code was used before, and what it gave is revoked"
		}
		if mismatch != "" {
			return auth.GrantMismatch, mismatch
		}
		t.Grant.Family, t.Expires = hashOf(policy.Secret(t.Name, family)), end
		return "", ""
	})
}

// errNotKept ends a transaction whose changes are not kept.
var errNotKept = errors.New("not kept")

// use gives new tokens of a grant that was not revoked and has not expired. If do, which may change the grant, returns a state,
// the use is refused with what it says, and told after the transaction, since that may wait; with TokenReplayed the grant is
// revoked.
func (s *Server) use(req *http.Request, found policy.Token, what, family string, scopes policy.Scopes, do func(t *policy.Token) (auth.TokenState, string)) (*Tokens, error) {
	var out *Tokens
	var state auth.TokenState
	var says string
	err := s.change(req.Context(), found, what, func(t *policy.Token) error {
		now := s.opts.Now()
		switch {
		case !t.Revoked.IsZero():
			state, says = auth.TokenRevoked, "what the person gave was revoked"
		case !t.Valid(now):
			state, says = auth.TokenExpired, "what the person gave has expired"
		default:
			state, says = do(t)
		}
		if state == auth.TokenReplayed {
			t.Revoked, t.Revoker = now, "a second use of a code or refresh token"
			return nil
		}
		if state != "" {
			return errNotKept
		}
		out = tokens(t, family, scopes, now)
		return nil
	})
	if err != nil && !errors.Is(err, errNotKept) {
		return nil, err
	}
	if state == "" {
		return out, nil
	}
	if late := s.opts.Auth.RefuseGrant(req, state, found.Name, says); late != nil {
		return nil, late
	}
	return nil, &Error{"invalid_grant", says}
}

// tokens makes new tokens of a grant, and puts their hashes in place of those before. The scopes are those which the person
// has now, of what they gave.
func tokens(t *policy.Token, family string, scopes policy.Scopes, now time.Time) *Tokens {
	access := policy.Secret(t.Name, rand.Text())
	refresh := policy.Secret(t.Name, family+rand.Text())
	t.Hash, t.Grant.Refresh, t.Grant.Until = hashOf(access), hashOf(refresh), now.Add(AccessLife)
	if t.Grant.Until.After(t.Expires) {
		t.Grant.Until = t.Expires
	}
	return &Tokens{Access: access, Type: "Bearer", Seconds: int(t.Grant.Until.Sub(now).Seconds()), Refresh: refresh, Scope: strings.Join(scopes.List(), " ")}
}

// familyOf returns how a refresh token begins as all of its grant do; "" if it has not the form of one.
func familyOf(refresh, name string) string {
	rest, is := strings.CutPrefix(refresh, policy.Secret(name, ""))
	if half := len(rest) / 2; is && half == len(rand.Text()) {
		return rest[:half]
	}
	return ""
}

// renew answers the use of a refresh token (RFC 6749, section 6), which counts once (OAuth 2.1, section 4.3.1): each but the
// latest was in other hands, or is, and then nobody knows which of both is the client.
func (s *Server) renew(req *http.Request, form url.Values) (*Tokens, error) {
	ctx, refresh := req.Context(), form.Get("refresh_token")
	found, err := s.grantOf(ctx, refresh)
	if err != nil {
		return nil, err
	}
	family := familyOf(refresh, policy.NameInSecret(refresh))
	if found == nil || family == "" || !same(hashOf(policy.Secret(found.Name, family)), found.Grant.Family) {
		return nil, s.wrong(req, refresh, "the refresh token is not valid")
	}
	p, end, err := s.standing(ctx, *found)
	if err != nil {
		return nil, err
	}
	if asked := readScopes(form.Get("scope")); asked.Without(found.Scopes) != (policy.Scopes{}) {
		return nil, &Error{"invalid_scope", "the person did not give " + asked.Without(found.Scopes).String()}
	}
	return s.use(req, *found, renewGrant, family, p.Scopes, func(t *policy.Token) (auth.TokenState, string) {
		switch {
		case !same(hashOf(refresh), t.Grant.Refresh):
			return auth.TokenReplayed, "the refresh token was used before, and what the person gave is revoked"
		case form.Get("client_id") != t.Grant.Client:
			return auth.GrantMismatch, "the refresh token was given to another client"
		}
		if end.Before(t.Expires) {
			t.Expires = end
		}
		return "", ""
	})
}

// standing returns the person of a grant as they are now, and the latest end of what they give.
func (s *Server) standing(ctx context.Context, t policy.Token) (p policy.Principal, end time.Time, err error) {
	p, state, err := s.opts.Auth.Granted(ctx, t)
	switch {
	case err != nil:
		return p, end, err
	case state == auth.TokenElsewhere:
		return p, end, &Error{"invalid_grant", "another authorization server gave it, which is not " + s.opts.Issuer}
	case state != "":
		return p, end, &Error{"invalid_grant", "the person who gave it is not known any more"}
	}
	if p.Issuer != "" {
		return p, t.Created.Add(ProviderGrantLife), nil
	}
	end = t.Created.Add(GrantLife)
	own, _, err := s.opts.Graph.Token(ctx, strings.TrimPrefix(p.ID, policy.TokenActor))
	if !own.Expires.IsZero() && own.Expires.Before(end) {
		end = own.Expires
	}
	return p, end, err
}

// wrong refuses a secret that is not one of a grant.
func (s *Server) wrong(req *http.Request, secret, says string) error {
	err := s.opts.Auth.RefuseToken(req, "http", secret)
	if fault.Is(err, fault.Exhausted) {
		return err
	}
	return &Error{"invalid_grant", says}
}

// Revoke ends the grant whose access token or refresh token a client shows (RFC 7009). Others are no error.
func (s *Server) Revoke(req *http.Request, form url.Values) error {
	secret, wrong := once(form, "token")
	if wrong == nil && secret == "" {
		wrong = &Error{"invalid_request", "the token is needed"}
	}
	if wrong != nil {
		return wrong
	}
	found, err := s.grantOf(req.Context(), secret)
	if err != nil {
		return err
	}
	if found == nil || !found.Is(hashOf(secret)) && !same(hashOf(policy.Secret(found.Name, familyOf(secret, found.Name))), found.Grant.Family) {
		if err := s.opts.Auth.RefuseToken(req, "http", secret); fault.Is(err, fault.Exhausted) {
			return err
		}
		return nil
	}
	return s.change(req.Context(), *found, revokeGrant, func(t *policy.Token) error {
		if t.Revoked.IsZero() {
			t.Revoked, t.Revoker = s.opts.Now(), found.Label()
		}
		return nil
	})
}
