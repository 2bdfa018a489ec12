package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/invoke"
)

// linkPages links to the neighbouring pages of a list (RFC 8288).
func linkPages(w http.ResponseWriter, r *http.Request, p *invoke.Page) {
	if p == nil {
		return
	}
	link := func(rel string, offset int) {
		linkTo(w, r, rel, "limit", strconv.Itoa(p.Limit), "offset", strconv.Itoa(offset))
	}
	if p.Offset > 0 {
		link("first", 0)
		link("prev", max(0, p.Offset-p.Limit))
	}
	if p.More {
		link("next", p.Offset+p.Limit)
	}
}

// linkTo links to the request's own address with some parameters set, or removed if empty.
func linkTo(w http.ResponseWriter, r *http.Request, rel string, nameValue ...string) {
	var names, values []string
	for i := 0; i < len(nameValue); i += 2 {
		names = append(names, nameValue[i])
		if nameValue[i+1] != "" {
			values = append(values, nameValue[i]+"="+url.QueryEscape(nameValue[i+1]))
		}
	}
	target := r.URL.EscapedPath()
	if pairs := append(queryWithout(r, names...), values...); len(pairs) > 0 {
		target += "?" + strings.Join(pairs, "&")
	}
	w.Header().Add("Link", "<"+linkSafe(target)+`>; rel="`+rel+`"`)
}

// queryWithout are the pairs of the request's query as written, without some names and without malformed names.
func queryWithout(r *http.Request, names ...string) (kept []string) {
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); pair != "" && err == nil && !slices.Contains(names, decoded) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// linkSafe escapes characters that would end a link's target, which a query may contain.
func linkSafe(target string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20").Replace(target)
}
