package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/httpapi/accept"
)

// form is a representation of an address.
type form struct{ name, media string }

const html = "html"

// forms are all forms, by their names in ?format= and in calls.
var forms = append(formsOfGraphs(),
	form{"json", "application/json"},
	form{"markdown", "text/markdown"},
	form{"td", "application/td+json"},
	form{html, "text/html"},
)

func formNamed(name string) (form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 {
		return form{}, false
	}
	return forms[i], true
}

// offers are the forms of an address in this process, the default first. Browsers get its page, if there are pages.
func (s *server) offers(a address) []form {
	var out []form
	for _, name := range a.forms {
		f, _ := formNamed(name)
		out = append(out, f)
	}
	if f, _ := formNamed(html); s.opts.Admin != nil && a.page != nil {
		out = append(out, f)
	}
	return out
}

// negotiate chooses a form: the one in ?format=, otherwise the one preferred by Accept. ok is false if none is
// acceptable.
func negotiate(r *http.Request, offers []form) (form, bool, error) {
	wanted, given, err := formWanted(r)
	if err != nil {
		return form{}, false, err
	}
	if given {
		return wanted, slices.Contains(offers, wanted), nil
	}
	f, ok := accepted(r, offers)
	return f, ok, nil
}

// accepted is the form that the Accept headers prefer; ok is false if they refuse all.
func accepted(r *http.Request, offers []form) (form, bool) {
	media := make([]string, len(offers))
	for i, f := range offers {
		media[i] = f.media
	}
	i := accept.Choose(r, media...)
	if i < 0 {
		return form{}, false
	}
	return offers[i], true
}

func formWanted(r *http.Request) (wanted form, given bool, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return form{}, false, fault.New(fault.Malformed, "the query does not parse: %s", err)
	}
	values := query["format"]
	if len(values) == 0 {
		return form{}, false, nil
	}
	wanted, known := formNamed(values[0])
	switch {
	case len(values) > 1:
		return form{}, false, badParameter("format", fault.MaxCount, values, "format must be given once")
	case !known:
		names := make([]string, len(forms))
		for i, f := range forms {
			names[i] = f.name
		}
		return form{}, false, fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf,
			Message: "there is no format " + strconv.Quote(values[0]), Value: values[0], Constraint: names})
	}
	return wanted, true, nil
}

// query is the request's query for a resource address: without the format, and with "%20" instead of "+".
func query(r *http.Request) string {
	var kept []string
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); pair != "" && (err != nil || decoded != "format") {
			kept = append(kept, strings.ReplaceAll(pair, "+", "%20"))
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "?" + strings.Join(kept, "&")
}

// inForm is the request's address in another form; for HTML that of the page.
func inForm(r *http.Request, a address, f form) string {
	if f.name == html {
		return a.page(r)
	}
	q := query(r)
	if q == "" {
		return r.URL.EscapedPath() + "?format=" + f.name
	}
	return r.URL.EscapedPath() + q + "&format=" + f.name
}

// linkTwins links to the other forms (RFC 8288).
func linkTwins(w http.ResponseWriter, r *http.Request, a address, offers []form, chosen form) {
	for _, f := range offers {
		if f != chosen {
			w.Header().Add("Link", "<"+linkSafe(inForm(r, a, f))+`>; rel="alternate"; type="`+f.media+`"`)
		}
	}
}

// refuseForms answers 406 with the available forms (RFC 9110, section 15.5.7).
func refuseForms(w http.ResponseWriter, r *http.Request, a address, offers []form) {
	type twin struct {
		Format string `json:"format"`
		Type   string `json:"type"`
		Href   string `json:"href"`
	}
	var available []twin
	for _, f := range offers {
		available = append(available, twin{f.name, f.media, auth.Prefix(r) + inForm(r, a, f)})
	}
	linkTwins(w, r, a, offers, form{})
	refuseOutside(w, r, http.StatusNotAcceptable, "this address has no form that was asked for", member{"available", available})
}
