package admin

import (
	"net/http"
	"net/url"
	"strings"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/fault"
)

// consentData is the page on which a person decides about a client.
type consentData struct {
	*oauth.Request
	// Who is the person, At the graph's address.
	Who, At string
	// Sent are the client's parameters, which the form sends again.
	Sent []hidden
	// Ticked are the scopes that are ticked, and Message is why the form is shown again.
	Ticked  policy.Scopes
	Message string
}

// Names in the form of consent, beside those of the protocol.
const (
	decision  = "trails_decision"
	allowIt   = "allow"
	given     = "trails_scope"
	cameAgain = "trails_again"
)

// authorize shows what a client asks a person for (RFC 6749, section 3.1). Who is not signed in does so first. A browser that
// comes from the client's page does not send the cookie of its session, so the page has it come again by itself.
func (s *site) authorize(w http.ResponseWriter, r *http.Request) error {
	if s.opts.OAuth == nil {
		return noServer()
	}
	query := r.URL.Query()
	if _, known := s.withPrincipal(r); !known {
		if query.Has(cameAgain) {
			return s.showLogin(w, r, http.StatusOK, loginData{Next: r.URL.RequestURI(), Lead: "A program asks to use this graph in your name. Sign in with a token of yours, and you see which it is, and what it asks for."})
		}
		query.Set(cameAgain, "1")
		next := withQuery(auth.AuthorizePath, query)
		w.Header().Set("Refresh", "0; url="+next)
		return s.respond(w, r, http.StatusOK, page{Title: "Connect a program", Main: nextStep(next).main})
	}
	return s.consent(w, r, query, policy.NewScopes(policy.Runtime), "")
}

func noServer() error {
	return fault.New(fault.NotFound, "no programs are connected here: the server was started without --oauth")
}

// consent shows the page of consent, or sends the browser back to the client with what is wrong.
func (s *site) consent(w http.ResponseWriter, r *http.Request, values url.Values, ticked policy.Scopes, message string) error {
	request, back, err := s.opts.OAuth.Request(r.Context(), values, auth.PrincipalOf(r.Context()))
	if back != "" {
		return redirectTo(w, back)
	}
	if err != nil {
		return err
	}
	for _, own := range []string{decision, given, cameAgain} {
		values.Del(own)
	}
	data := consentData{Request: request, Who: auth.PrincipalOf(r.Context()).ID, At: auth.Base(r), Sent: hiddenOf(values), Ticked: ticked, Message: message}
	// A browser holds the redirect after the form against the policy of the page with the form.
	w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "form-action 'self' "+request.Target(), 1))
	return s.respond(w, r, http.StatusOK, page{Title: "Connect " + request.Host, Main: data.main})
}

// authorizePosted answers what the person decided.
func (s *site) authorizePosted(w http.ResponseWriter, r *http.Request) error {
	if s.opts.OAuth == nil {
		return noServer()
	}
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	request, back, err := s.opts.OAuth.Request(r.Context(), values, auth.PrincipalOf(r.Context()))
	if back != "" {
		return redirectTo(w, back)
	}
	if err != nil {
		return err
	}
	if values.Get(decision) != allowIt {
		return redirectTo(w, s.opts.OAuth.Deny(r.Context(), request))
	}
	scopes, err := policy.ParseScopes(strings.Join(values[given], ","))
	if err == nil {
		back, err = s.opts.OAuth.Allow(r.Context(), request, scopes)
	}
	if fault.Is(err, fault.InvalidArguments) || fault.Is(err, fault.TooLarge) {
		refused := fault.Of(err)
		return s.consent(w, r, values, scopes, refused.Message)
	}
	if err != nil {
		return err
	}
	return redirectTo(w, back)
}

// redirectTo sends the browser to the client. Its address may be of another scheme than those of the web.
func redirectTo(w http.ResponseWriter, address string) error {
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// nextStep is the page that leads on by itself.
type nextStep string
