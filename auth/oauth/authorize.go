package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// Request is what a client asks a person for (RFC 6749, section 4.1.1), once it was found to be right.
type Request struct {
	Client Client
	// Host is where the answer goes, as people know it.
	Host string
	// Asked are the scopes that the client names, of those of the process; none if it names none.
	Asked policy.Scopes
	// Offered are the scopes that the person may give: of those that it names, or of all if it names none, those that they have.
	Offered policy.Scopes

	person                     policy.Principal
	redirect, state, challenge string
}

// Target is where the answer goes as a policy of a page has it (https://www.w3.org/TR/CSP3/#framework-directive-source-list): the
// origin, or the scheme of a program on the person's computer.
func (r *Request) Target() string {
	u, err := url.Parse(r.redirect)
	if err != nil {
		return ""
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// challenge matches what S256 makes (RFC 7636, section 4.2).
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// maxState bounds the state of a request, in bytes.
const maxState = 4096

// Request reads what a client asks a person for. If it is not known where answers go, the error is a fault for the person;
// if another thing is wrong, back is the address that tells the client, and the error is what it says.
func (s *Server) Request(ctx context.Context, values url.Values, p policy.Principal) (r *Request, back string, err error) {
	if err := MayGive(p); err != nil {
		return nil, "", err
	}
	id, twice := once(values, "client_id")
	if twice != nil {
		return nil, "", forPerson(twice)
	}
	r = &Request{person: p}
	if id == "" {
		return nil, "", fault.New(fault.InvalidArguments, "no client asks for anything here; go back to it, and connect it again")
	}
	if r.Client, err = s.client(ctx, id); err != nil {
		return nil, "", forPerson(err)
	}
	if r.redirect, twice = once(values, "redirect_uri"); twice != nil {
		return nil, "", forPerson(twice)
	}
	if r.redirect == "" && len(r.Client.redirects) == 1 {
		r.redirect = r.Client.redirects[0]
	}
	if !r.Client.allows(r.redirect) {
		return nil, "", fault.New(fault.InvalidArguments, "the client wants its answer at an address that is not one of its own, so that it was not sent there; go back to the client, and connect it again")
	}
	r.Host = hostOf(r.redirect)
	if wrong := s.read(r, values); wrong != nil {
		return nil, s.answer(r, url.Values{"error": {wrong.Code}, "error_description": {wrong.Says}}), wrong
	}
	return r, "", nil
}

// forPerson is an error of the protocol as a fault that a person sees.
func forPerson(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return fault.New(fault.InvalidArguments, "the client cannot be connected: %s", e.Says)
	}
	return err
}

// read reads what a client asks for, whose answers go to a place that is known.
func (s *Server) read(r *Request, values url.Values) *Error {
	texts := map[string]string{}
	for _, name := range []string{"state", "response_type", "response_mode", "code_challenge", "code_challenge_method", "scope"} {
		text, err := once(values, name)
		if err != nil {
			return err
		}
		texts[name] = text
	}
	if len(texts["state"]) > maxState {
		return &Error{"invalid_request", fmt.Sprintf("the state has more than %d bytes", maxState)}
	}
	r.state, r.challenge = texts["state"], texts["code_challenge"]
	switch mode := texts["response_mode"]; {
	case texts["response_type"] != "code":
		return &Error{"unsupported_response_type", "the only response_type is code"}
	case mode != "" && mode != "query":
		return &Error{"invalid_request", "the only response_mode is query"}
	case texts["code_challenge_method"] != "S256" || !challenge.MatchString(r.challenge):
		return &Error{"invalid_request", "a code_challenge with the code_challenge_method S256 is needed (RFC 7636)"}
	}
	if err := s.checkResource(values["resource"]); err != nil {
		return err
	}
	r.Asked = readScopes(texts["scope"]).Intersect(s.opts.Auth.Scopes())
	r.Offered = r.person.Scopes
	if r.Asked != (policy.Scopes{}) {
		r.Offered = r.Offered.Intersect(r.Asked)
	}
	return nil
}

// answer is the address of the client with an answer, which says whose it is (RFC 9207).
func (s *Server) answer(r *Request, values url.Values) string {
	u, err := url.Parse(r.redirect)
	if err != nil { // it was read before
		return ""
	}
	if r.state != "" {
		values.Set("state", r.state)
	}
	values.Set("iss", s.opts.Issuer)
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += values.Encode()
	return u.String()
}

// Deny returns the address that tells the client that the person refused.
func (s *Server) Deny(ctx context.Context, r *Request) string {
	s.opts.Log.InfoContext(ctx, "grant refused by its person", slog.String("person", r.person.ID), slog.String("client", r.Host))
	return s.answer(r, url.Values{"error": {"access_denied"}, "error_description": {"the person refused"}})
}

// Allow gives the client access with scopes, and returns the address that brings it the code. Scopes that the request does
// not offer, or none, are InvalidArguments.
func (s *Server) Allow(ctx context.Context, r *Request, scopes policy.Scopes) (back string, err error) {
	if scopes == (policy.Scopes{}) {
		return "", fault.New(fault.InvalidArguments, "tick at least one of what the client may do, or refuse")
	}
	if more := scopes.Without(r.Offered); more != (policy.Scopes{}) {
		return "", fault.New(fault.InvalidArguments, "%s cannot be given to this client: it did not ask for it, or you have it not", more)
	}
	t := s.newGrant(r.person, scopes)
	t.Grant.Client, t.Grant.Host, t.Grant.Title, t.Grant.Redirect, t.Grant.Challenge = r.Client.ID, r.Host, r.Client.Name, r.redirect, r.challenge
	code := policy.Secret(t.Name, rand.Text())
	t.Grant.Code, t.Expires = hashOf(code), t.Created.Add(CodeLife)
	if err := s.opts.Graph.Session(r.person).Grant(ctx, t, kg.Activity{Capability: giveGrant, Via: "admin"}); err != nil {
		return "", err
	}
	s.log(ctx, giveGrant, t)
	return s.answer(r, url.Values{"code": {code}}), nil
}

// newGrant is a grant of a person, without a client.
func (s *Server) newGrant(p policy.Principal, scopes policy.Scopes) policy.Token {
	g := &policy.Grant{Person: p.ID, Issuer: s.opts.Issuer}
	if p.Issuer != "" {
		g.Groups = p.Groups
	}
	return policy.Token{
		Name: policy.GrantPrefix + strings.ToLower(rand.Text()[:10]), Scopes: scopes,
		Created: s.opts.Now().Truncate(time.Microsecond), Creator: p.ID, Grant: g,
	}
}
