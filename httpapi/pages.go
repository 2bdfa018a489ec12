package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/invoke"
)

// linkPages names the neighbours of a part of a list (RFC 8288).
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

// linkOlder names the next page of the log, which its answer says how to reach.
func linkOlder(w http.ResponseWriter, r *http.Request, structured json.RawMessage) {
	var log struct {
		Next string `json:"next"` // "" where it is null
	}
	if json.Unmarshal(structured, &log) != nil {
		return
	}
	if r.URL.Query().Has("before") {
		linkTo(w, r, "first", "before", "")
	}
	if log.Next != "" {
		linkTo(w, r, "next", "before", log.Next)
	}
}

// linkTo links to the request's own address with some parameters set, or taken out
// where their value is empty.
func linkTo(w http.ResponseWriter, r *http.Request, rel string, nameValue ...string) {
	var names, kept []string
	for i := 0; i < len(nameValue); i += 2 {
		names = append(names, nameValue[i])
	}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(name)
		if pair != "" && err == nil && !slices.Contains(names, decoded) {
			kept = append(kept, pair)
		}
	}
	for i := 0; i < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			kept = append(kept, nameValue[i]+"="+url.QueryEscape(nameValue[i+1]))
		}
	}
	target := r.URL.EscapedPath()
	if len(kept) > 0 {
		target += "?" + strings.Join(kept, "&")
	}
	w.Header().Add("Link", "<"+linkSafe(target)+`>; rel="`+rel+`"`)
}

// linkSafe escapes what would end a link's target: a query may carry such
// characters as they are.
func linkSafe(target string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20").Replace(target)
}
