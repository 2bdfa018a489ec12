package oidc

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"

	"trails/auth/policy"
	"trails/fault"
)

// metadata is what a provider publishes of itself (OpenID Connect Discovery 1.0, section 3).
type metadata struct {
	Issuer    string   `json:"issuer"`
	Keys      string   `json:"jwks_uri"`
	Authorize string   `json:"authorization_endpoint"`
	Token     string   `json:"token_endpoint"`
	TokenAuth []string `json:"token_endpoint_auth_methods_supported"`
}

// SignIn is the sign-in of one person at the provider, between its beginning and its end. The browser that began it has to
// end it, which is for the caller to see to.
type SignIn struct{ state, nonce, verifier, redirect string }

// SignsIn reports whether people can sign in at the provider from here.
func (p *Provider) SignsIn() bool { return p.opts.ClientID != "" }

// Begin returns the address of the provider at which a person signs in, for the scopes that they may have here. The answer
// comes to redirect (OpenID Connect Core 1.0, section 3.1.2.1; RFC 7636). A provider that is not reached is the fault Unusable.
func (p *Provider) Begin(ctx context.Context, redirect string, scopes policy.Scopes) (address string, in SignIn, err error) {
	at, err := p.endpoints(ctx)
	if err != nil {
		return "", in, err
	}
	u, err := url.Parse(at.Authorize)
	if err == nil {
		err = p.check(u)
	}
	if err != nil {
		return "", in, p.notSignedIn(err)
	}
	in = SignIn{state: rand.Text(), nonce: rand.Text(), verifier: rand.Text() + rand.Text(), redirect: redirect}
	sum := sha256.Sum256([]byte(in.verifier))
	values := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": p.opts.ClientID, "redirect_uri": redirect, "state": in.state, "nonce": in.nonce,
		"scope":          strings.Join(append([]string{"openid"}, p.ScopeNames(scopes)...), " "),
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
	} {
		values.Set(name, value)
	}
	u.RawQuery = values.Encode()
	return u.String(), in, nil
}

// endpoints returns the provider's metadata, for which it asks as seldom as for its keys.
func (p *Provider) endpoints(ctx context.Context) (metadata, error) {
	p.mu.Lock()
	at := p.metadata
	p.mu.Unlock()
	if at.Authorize != "" {
		return at, nil
	}
	if _, err := p.newer(ctx); err != nil {
		return at, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metadata.Authorize == "" || p.metadata.Token == "" {
		return at, fault.New(fault.Unusable, "the identity provider %s does not say where people sign in", p.opts.Issuer)
	}
	return p.metadata, nil
}

// Finish ends a sign-in by the answer that came to its redirect, and returns the token of the person with whom it is of. That
// is the access token if it is for this server, otherwise the ID token if that is. An answer that does not belong to the
// sign-in is [*Invalid]; the fault is Unusable if the provider is not reached, gives no token for this server, or refused,
// and Denied if the person did not sign in.
func (p *Provider) Finish(ctx context.Context, in SignIn, answer url.Values) (token string, who Caller, err error) {
	switch {
	case in.state == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(in.state)) != 1:
		return "", who, invalid(BadClaims, "the answer of the provider is not to the sign-in that this browser began")
	case answer.Has("iss") && answer.Get("iss") != p.opts.Issuer: // RFC 9207
		return "", who, invalid(OtherIssuer, "the answer is of %q, and not of %s", answer.Get("iss"), p.opts.Issuer)
	case answer.Get("error") == "access_denied":
		return "", who, fault.New(fault.Denied, "you did not sign in at the identity provider")
	case answer.Get("code") == "":
		return "", who, p.notSignedIn(fmt.Errorf("the answer has no code, and says %q", cmp.Or(answer.Get("error"), "nothing")))
	}
	given, err := p.exchange(ctx, in, answer.Get("code"))
	if err != nil {
		return "", who, err
	}
	subject, err := p.checkID(ctx, given.ID, in.nonce)
	if err != nil {
		return "", who, err
	}
	var why error
	for _, token := range []string{given.Access, given.ID} {
		if !HasForm(token) {
			continue
		}
		who, err := p.Verify(ctx, token)
		if err == nil && who.ID == p.idOf(subject) {
			return token, who, nil
		}
		if err == nil {
			err = invalid(BadClaims, "the access token is of %q, and the ID token of %q", who.ID, subject)
		}
		why = cmp.Or(why, err)
	}
	p.opts.Log.Warn("a person signed in at the identity provider, and got no token for this server", slog.Any("why", why))
	return "", who, fault.New(fault.Unusable, "you signed in at %s, and it gave no token for this server, which is for %s; who runs the server sets the provider up so that it does", p.opts.Issuer, strings.Join(p.opts.Audiences, " or "))
}

func (p *Provider) notSignedIn(err error) error {
	p.opts.Log.Warn("nobody could sign in at the identity provider", slog.String("issuer", p.opts.Issuer), slog.String("error", fault.Whole(err)))
	return fault.New(fault.Unusable, "the identity provider %s signed nobody in; the server's log says why", p.opts.Issuer)
}

// givenTokens are the answer of the provider's token endpoint.
type givenTokens struct {
	Access string `json:"access_token"`
	ID     string `json:"id_token"`
	Error  string `json:"error"`
}

// exchange gets the tokens for a code.
func (p *Provider) exchange(ctx context.Context, in SignIn, code string) (given givenTokens, err error) {
	at, err := p.endpoints(ctx)
	if err != nil {
		return given, err
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {in.redirect}, "code_verifier": {in.verifier}, "client_id": {p.opts.ClientID}}
	byHeader := p.opts.ClientSecret != "" && (len(at.TokenAuth) == 0 || slices.Contains(at.TokenAuth, "client_secret_basic"))
	if p.opts.ClientSecret != "" && !byHeader {
		form.Set("client_secret", p.opts.ClientSecret)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.Token, strings.NewReader(form.Encode()))
	if err == nil {
		err = p.check(r.URL)
	}
	if err != nil {
		return given, p.notSignedIn(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if byHeader { // RFC 6749, section 2.3.1
		r.SetBasicAuth(url.QueryEscape(p.opts.ClientID), url.QueryEscape(p.opts.ClientSecret))
	}
	client := http.Client{Transport: p.opts.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the token endpoint redirects, and the secret goes nowhere else")
	}}
	res, err := client.Do(r)
	if err != nil {
		return given, p.notSignedIn(err)
	}
	defer func() { _ = res.Body.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(text, &given)
	}
	if err != nil || res.StatusCode != http.StatusOK || given.ID == "" {
		return given, p.notSignedIn(fmt.Errorf("the token endpoint answers %s, %q: %w", res.Status, given.Error, cmp.Or(err, errors.New("no ID token"))))
	}
	return given, nil
}

// checkID returns the subject of an ID token for this client with a nonce (OpenID Connect Core 1.0, section 3.1.3.7).
func (p *Provider) checkID(ctx context.Context, token, nonce string) (subject string, err error) {
	payload, typ, err := p.read(ctx, token)
	if err != nil {
		return "", err
	}
	if typ == assertionType {
		return "", invalid(Malformed, "an assertion (ID-JAG) was given as an ID token")
	}
	var c struct {
		jwt.Claims
		Nonce string `json:"nonce"`
		Party string `json:"azp"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return "", invalid(BadClaims, "the claims of the ID token are no JSON object as OpenID Connect has it")
	}
	switch err := c.ValidateWithLeeway(jwt.Expected{Issuer: p.opts.Issuer, AnyAudience: jwt.Audience{p.opts.ClientID}}, p.opts.Skew); {
	case err != nil || c.Expiry == nil:
		return "", invalid(BadClaims, "the ID token is of another issuer, for another client, or not valid at this time")
	case c.Party != "" && c.Party != p.opts.ClientID:
		return "", invalid(OtherAudience, "the ID token is for the client %q", c.Party)
	case subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(nonce)) != 1:
		return "", invalid(BadClaims, "the ID token is of another sign-in")
	}
	return c.Subject, nil
}
