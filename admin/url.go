package admin

import (
	"net/url"
	"strings"

	"trails/builtin/view"
)

// Addresses of pages. An id is one segment, whatever it holds.

func typeURL(name string) string { return "/admin/types/" + url.PathEscape(name) }

func nodeURL(typeName, id string) string { return typeURL(typeName) + "/" + url.PathEscape(id) }

// pageOf is the page of a node, "" for one that has none.
func pageOf(n view.Node) string {
	if n.Type == "" || n.ID == "" || !n.Exists {
		return ""
	}
	return nodeURL(n.Type, n.ID)
}

// nodeAt is nodeURL at a commit, "" for the newest.
func nodeAt(typeName, id, commit string) string {
	if commit == "" {
		return nodeURL(typeName, id)
	}
	return withQuery(nodeURL(typeName, id), url.Values{"at": {commit}})
}

func commitURL(id string) string { return "/admin/commits/" + url.PathEscape(id) }

func capabilityURL(id string) string { return "/admin/capabilities/" + url.PathEscape(id) }

// typeQueryURL asks for a type's instances on the page of queries.
func typeQueryURL(typeName string) string {
	return withQuery(queryURL, url.Values{"type": {typeName}, "run": {"1"}})
}

// kgURL is where programs read a type, or a node of it.
func kgURL(typeName, id string) string {
	if id == "" {
		return "/kg/" + url.PathEscape(typeName)
	}
	return "/kg/" + url.PathEscape(typeName) + "/" + url.PathEscape(id)
}

// formURL is the form of a capability with some fields filled in.
func formURL(capability string, fields ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return withQuery(capabilityURL(capability), values)
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// returnTo is where a form sends the browser back to: a page of ours, otherwise the overview.
func returnTo(address string) string {
	u, err := url.Parse(address)
	own := err == nil && u.Scheme == "" && u.Host == "" && (u.Path == "/admin" || strings.HasPrefix(u.Path, "/admin/"))
	if !own || strings.ContainsAny(address, "\\\r\n\t") {
		return "/admin"
	}
	return address
}
