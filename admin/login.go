package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/fault"
	"trails/httpapi"
	"trails/policy"
)

// keptPrefix stands before the names of values that wait for the sign-in.
const keptPrefix = "_kept."

// loginData is what the sign-in shows.
type loginData struct {
	Next    string
	Message string
	// Kept are the values of a form that was sent without a session.
	Kept []hidden
}

// signedIn resolves the caller by the cookie that the sign-in set.
func (s *site) signedIn(r *http.Request) (policy.Principal, bool) {
	c, err := r.Cookie(s.sessionCookie(r))
	if err != nil {
		return policy.Principal{}, false
	}
	p, ok := s.sessions.find(c.Value)
	return p, ok
}

// askToSignIn sends the browser to the sign-in and then back. A form that was sent
// is kept in the page: after the sign-in it is shown again, and not sent.
func (s *site) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		if r.Header.Get("HX-Request") != "" || strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
			return fault.New(fault.Unauthenticated, "sign in first")
		}
		http.Redirect(w, r, withQuery("/admin/login", url.Values{"next": {r.URL.RequestURI()}}), http.StatusSeeOther)
		return nil
	}
	data := loginData{Next: returnTo(r.URL.RequestURI()), Message: "You are not signed in any more. Sign in, and the form is here again with what you wrote; nothing was sent."}
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	for _, h := range hiddenOf(values) {
		if !strings.HasPrefix(h.Name, keptPrefix) && h.Name != doName && h.Name != confirmedName {
			data.Kept = append(data.Kept, hidden{keptPrefix + h.Name, h.Value})
		}
	}
	return s.showLogin(w, r, notSignedIn, data)
}

// notSignedIn answers a form that needs a session, or the token. It is not 401: no browser
// keeps such an answer, so that who goes back to it would lose what it holds.
const notSignedIn = http.StatusForbidden

func (s *site) showLogin(w http.ResponseWriter, r *http.Request, status int, data loginData) error {
	return s.respond(w, r, status, "login.html", page{Title: "Sign in", Data: data})
}

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
	data := loginData{Next: returnTo(values.Get("next")), Kept: kept(values)}
	p, ok := policy.Principal{}, false
	if s.opts.Verify != nil {
		p, ok = s.opts.Verify(values.Get("token"))
	}
	if !ok {
		if f := fault.Of(s.opts.WrongTokens.Slow(r)); f != nil {
			w.Header().Set("Retry-After", fmt.Sprint(f.Details["retry_after"]))
			data.Message = "This is not the token, and there were too many before: " + f.Message + "."
			return s.showLogin(w, r, http.StatusTooManyRequests, data)
		}
		data.Message = "This is not the token."
		return s.showLogin(w, r, notSignedIn, data)
	}
	c := s.cookie(r, s.sessions.open(p), int(sessionIdle.Seconds()))
	http.SetCookie(w, c)
	if len(data.Kept) > 0 {
		return s.resume(w, inSession(r, p, c), data)
	}
	http.Redirect(w, r, data.Next, http.StatusSeeOther)
	return nil
}

// inSession is the request as the browser would have sent it in the new session.
func inSession(r *http.Request, p policy.Principal, session *http.Cookie) *http.Request {
	out := r.Clone(policy.WithPrincipal(r.Context(), p))
	out.Header.Del("Cookie")
	for _, c := range r.Cookies() {
		if c.Name != session.Name {
			out.AddCookie(c)
		}
	}
	out.AddCookie(session)
	return out
}

// resume shows a form that was sent without a session, with its values.
func (s *site) resume(w http.ResponseWriter, r *http.Request, data loginData) error {
	id, isForm := strings.CutPrefix(data.Next, "/admin/capabilities/")
	id, err := url.PathUnescape(strings.SplitN(id, "?", 2)[0])
	if !isForm || err != nil {
		http.Redirect(w, r, data.Next, http.StatusSeeOther)
		return nil
	}
	f, err := s.filling(w, r, id)
	if err != nil {
		return err
	}
	values := url.Values{}
	for _, h := range data.Kept {
		values.Add(strings.TrimPrefix(h.Name, keptPrefix), h.Value)
	}
	values.Set(doName, doEdit)
	return s.pass(w, r, f.read(values))
}

// kept are the values that wait in the sign-in's own form.
func kept(values url.Values) []hidden {
	waiting := maps.Clone(values)
	maps.DeleteFunc(waiting, func(name string, _ []string) bool { return !strings.HasPrefix(name, keptPrefix) })
	return slices.Clip(hiddenOf(waiting))
}

// signOut ends the session.
func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if c, err := r.Cookie(s.sessionCookie(r)); err == nil {
		s.sessions.end(c.Value)
	}
	http.SetCookie(w, s.cookie(r, "", -1))
	http.Redirect(w, r, "/admin", http.StatusSeeOther)
	return nil
}

// cookie is the session's cookie, out of reach of scripts and of other sites. It is
// for all addresses: the pages link to the data behind them, and the edge takes it
// for reads of those (see httpapi.Options.SignedIn).
func (s *site) cookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: s.sessionCookie(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: httpapi.Secure(r), SameSite: http.SameSiteStrictMode}
}

// sessionCookie is the name of the cookie that holds the id of a signed-in session. A
// browser sends a host's cookies to all of its ports, so the name is this server's own;
// over TLS it is one that no neighbouring host name can set
// (https://www.rfc-editor.org/rfc/rfc6265bis section 4.1.3.2).
func (s *site) sessionCookie(r *http.Request) string {
	name := "trails-session"
	if s.opts.Instance != "" {
		name += "-" + cookieWord(s.opts.Instance)
	}
	if httpapi.Secure(r) {
		return "__Host-" + name
	}
	return name
}

// cookieWord is text as a part of a cookie's name, another one for each text.
func cookieWord(text string) string {
	plain := strings.Map(func(c rune) rune {
		if c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, text)
	if plain == text && len(text) <= 64 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return plain[:min(len(plain), 40)] + "." + hex.EncodeToString(sum[:8])
}
