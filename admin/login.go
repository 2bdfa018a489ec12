package admin

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/text/redact"
)

const loginURL = "/admin/login"

// keptPrefix stands before the names of values that wait for the sign-in.
const keptPrefix = "_kept."

// loginData is what the sign-in shows.
type loginData struct {
	Next    string
	Message string
	// Lead says for what it is needed, if that is not the pages.
	Lead string
	// Kept are the values of a form that was sent without a session.
	Kept []hidden
	// Waits means that such a form has more than is kept, and is a step back in this tab.
	Waits bool
	// Provider is the name of the identity provider at which people sign in; "" for none.
	Provider string
}

// askToSignIn redirects the browser to the sign-in and then back. A submitted form is kept in the page, and shown
// again after signing in without being submitted.
func (s *site) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		if r.Header.Get("HX-Request") != "" || strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
			return fault.New(fault.Unauthenticated, "sign in first")
		}
		http.Redirect(w, r, withQuery(loginURL, url.Values{"next": {r.URL.RequestURI()}}), http.StatusSeeOther)
		return nil
	}
	data := loginData{Next: returnTo(r.URL.RequestURI()), Message: "You are not signed in any more. Sign in, and the form is here again with what you wrote, without a file; nothing was sent."}
	values, err := readForm(w, r, formLimit)
	if fault.Is(err, fault.TooLarge) {
		data.Waits = true
		data.Message = fmt.Sprintf("You are not signed in any more, and nothing was sent. What you sent has more than the %d MiB that this page keeps: sign in in another tab, go back to the form in this one, and send it again.", formLimit>>20)
		return s.showLogin(w, r, notSignedIn, data)
	}
	if err != nil {
		return err
	}
	for _, h := range hiddenOf(values) {
		if redact.HasToken([]byte(h.Value)) {
			h.Value = "" // no page shows a token
		}
		if !strings.HasPrefix(h.Name, keptPrefix) && h.Name != doName && h.Name != confirmedName {
			data.Kept = append(data.Kept, hidden{keptPrefix + h.Name, h.Value})
		}
	}
	return s.showLogin(w, r, notSignedIn, data)
}

// notSignedIn is the status for a form that needs a session. It is not 401, because browsers do not store such an
// answer, and going back to it would lose the form.
const notSignedIn = http.StatusForbidden

func (s *site) showLogin(w http.ResponseWriter, r *http.Request, status int, data loginData) error {
	data.Provider = s.opts.Auth.ProviderName()
	return s.respond(w, r, status, page{Title: "Sign in", Main: data.main})
}

// signInAtProvider sends a person to the identity provider, and lets them in when they come back. As after the sign-in link of
// the operator, the page leads on by itself, unless a form waits in another tab: then the next page is the sign-in itself.
func (s *site) signInAtProvider(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	r.URL.RawQuery = "" // no page shows the code
	if !query.Has("state") {
		address, begun, err := s.opts.Auth.BeginSignIn(r, returnTo(query.Get("next")))
		if err != nil {
			return err
		}
		http.SetCookie(w, begun)
		return redirectTo(w, address)
	}
	done, err := s.opts.Auth.FinishSignIn(r, query)
	if err != nil {
		return err
	}
	http.SetCookie(w, done.Begun)
	http.SetCookie(w, done.Session)
	if done.Next != loginURL {
		w.Header().Set("Refresh", "0; url="+done.Next)
	}
	return s.respond(w, inSession(r, done.Who, done.Session), http.StatusOK, page{Title: "Signed in", Main: signedInData{done.Who.ID, done.Next}.main})
}

// signedInData is what the page after the sign-in at the provider shows.
type signedInData struct{ Who, Next string }

// login answers the sign-in form.
func (s *site) login(w http.ResponseWriter, r *http.Request) error {
	next := returnTo(r.URL.Query().Get("next"))
	if _, known := s.withPrincipal(r); known {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	return s.showLogin(w, r, http.StatusOK, loginData{Next: next})
}

// signIn checks the token and opens a session.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	waiting := maps.Clone(values)
	maps.DeleteFunc(waiting, func(name string, _ []string) bool { return !strings.HasPrefix(name, keptPrefix) })
	data := loginData{Next: returnTo(values.Get("next")), Kept: hiddenOf(waiting)}
	secret := values.Get("token")
	if signed, known := s.withPrincipal(r); known && secret == "" { // in another tab
		return s.resume(w, signed, data)
	}
	p, ok, err := s.opts.Auth.Verify(r.Context(), secret)
	if err != nil {
		return err
	}
	if !ok {
		f := fault.Of(s.opts.Auth.RefuseToken(r, "admin", secret))
		if f.Kind == fault.Exhausted {
			w.Header().Set("Retry-After", fmt.Sprint(f.Details["retry_after"]))
			data.Message = "This is not the token, and there were too many before: " + f.Message + "."
			return s.showLogin(w, r, http.StatusTooManyRequests, data)
		}
		data.Message = "This is not the token."
		if state, _ := f.Details["token"].(string); state == string(auth.TokenExpired) || state == string(auth.TokenRevoked) {
			_, why, _ := strings.Cut(f.Message, ": ")
			data.Message = "The " + why + "."
		}
		return s.showLogin(w, r, notSignedIn, data)
	}
	c := s.opts.Auth.SignIn(r, secret)
	http.SetCookie(w, c)
	return s.resume(w, inSession(r, p, c), data)
}

// OperatorPath is the address of the operator's sign-in link. Its key stands in the query,
// which no log has.
const OperatorPath = "/admin/operator"

// signInOperator opens the operator's session. It answers with a page that redirects by itself: a browser that
// follows a link from another site does not send the cookie after an HTTP redirect. A prefetch does not use up the
// link.
func (s *site) signInOperator(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	r.URL.RawQuery = "" // no page shows the key
	if in, signed, err := s.opts.Auth.SignedIn(r); err == nil && signed && in.Authenticated {
		http.Redirect(w, r, "/admin", http.StatusSeeOther)
		return nil
	}
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		return fault.New(fault.Denied, "a person opens the sign-in link, once")
	}
	session, operator, err := s.opts.Auth.SignInOperator(r, key)
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "the operator's sign-in link was used", slog.String("by", auth.ClientAddr(r)), slog.String("agent", r.UserAgent()))
	http.SetCookie(w, session)
	w.Header().Set("Refresh", "0; url=/admin")
	return s.respond(w, inSession(r, operator, session), http.StatusOK, page{Title: "Signed in", Main: operatorData{operator}.main})
}

// operatorData is what the page after the operator's sign-in shows.
type operatorData struct{ policy.Principal }

// inSession is the request as the browser would send it in the new session.
func inSession(r *http.Request, p policy.Principal, session *http.Cookie) *http.Request {
	out := r.Clone(auth.WithPrincipal(r.Context(), p))
	out.Header.Del("Cookie")
	for _, c := range r.Cookies() {
		if c.Name != session.Name {
			out.AddCookie(c)
		}
	}
	out.AddCookie(session)
	return out
}

// resume goes on after a sign-in: to the next page, or to the form that was sent without a session, with its values. The
// form is sent to its address again without its button, where that shows it; else a page asks whether to send it.
func (s *site) resume(w http.ResponseWriter, r *http.Request, data loginData) error {
	values := url.Values{}
	for _, h := range data.Kept {
		values.Add(strings.TrimPrefix(h.Name, keptPrefix), h.Value)
	}
	again, err := http.NewRequestWithContext(r.Context(), http.MethodPost, data.Next, strings.NewReader(values.Encode()))
	if err != nil {
		return fault.New(fault.Malformed, "the address of the form cannot be read").Because(err)
	}
	_, pattern := s.mux.Handler(again)
	shows, known := s.shows[pattern]
	switch {
	case len(data.Kept) == 0 || !known:
		http.Redirect(w, r, data.Next, http.StatusSeeOther)
		return nil
	case !shows:
		return s.respond(w, r, http.StatusOK, page{Title: "Not sent yet", Main: unsent{data.Next, hiddenOf(values)}.main})
	}
	again.Header = r.Header.Clone()
	again.Header.Del("Content-Length")
	again.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	again.Host, again.RemoteAddr, again.TLS = r.Host, r.RemoteAddr, r.TLS
	s.mux.ServeHTTP(w, again)
	return nil
}

// unsent is a form that was sent without a session, and would do what it says at once when it is sent again.
type unsent struct {
	Action string
	Values []hidden
}

// signOut ends the session.
func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	http.SetCookie(w, s.opts.Auth.SignOut(r))
	http.Redirect(w, r, "/admin", http.StatusSeeOther)
	return nil
}
