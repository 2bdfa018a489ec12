package admin

import (
	"net/http"
	"net/url"

	"trails/policy"
)

// formRoutes are the pages of capabilities and the sign-in.
var formRoutes = []route{}

// signedIn resolves the caller by the cookie that the sign-in set.
func (s *site) signedIn(*http.Request) (policy.Principal, bool) { return policy.Principal{}, false }

// askToSignIn sends the browser to the sign-in and then back.
func askToSignIn(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, withQuery("/admin/login", url.Values{"return": {r.URL.RequestURI()}}), http.StatusSeeOther)
}
