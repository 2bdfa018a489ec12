package admin

import (
	"net/http"

	"trails/auth"
	"trails/fault"
)

// themeCookie keeps the reader's choice of light or dark, for all graphs of the host.
const themeCookie = "trails-theme"

// themeOf is "light", "dark" or, when the system decides, "".
func themeOf(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || (c.Value != "light" && c.Value != "dark") {
		return ""
	}
	return c.Value
}

// setTheme answers the theme's form: it keeps the choice and goes back.
func (s *site) setTheme(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Malformed, "the form does not parse")
	}
	c := &http.Cookie{Name: themeCookie, Path: "/", Value: r.PostForm.Get("theme"), MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: auth.Secure(r)}
	if c.Value != "light" && c.Value != "dark" {
		c.Value, c.MaxAge = "", -1
	}
	http.SetCookie(w, c)
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Path: auth.Prefix(r) + "/admin", MaxAge: -1}) // of before, which browsers would send first
	http.Redirect(w, r, returnTo(r.PostForm.Get("return")), http.StatusSeeOther)
	return nil
}
