package policy

import (
	"net/url"
	"strings"
)

// clients begins the names of clients with their versions in provenance.
const clients = "urn:trails:client:"

// ClientIRI names in provenance the client in its version, which is no part of who calls: a client that updates itself is
// the same caller. It is "" if either is not known.
func (p Principal) ClientIRI() string {
	if p.Client == "" || p.Version == "" {
		return ""
	}
	return clients + url.PathEscape(p.Client) + "/" + url.PathEscape(p.Version)
}

// ClientIn returns the client and its version, such as "claude-code 2.1", by what provenance says that a call used; "" if
// it does not say so.
func ClientIn(used []string) string {
	for _, iri := range used {
		rest, is := strings.CutPrefix(iri, clients)
		name, version, _ := strings.Cut(rest, "/")
		name, err := url.PathUnescape(name)
		if !is || err != nil {
			continue
		}
		if version, err = url.PathUnescape(version); err == nil {
			return name + " " + version
		}
	}
	return ""
}

// via stands between the caller and the client in an author.
const via = " via "

// AuthoredBy reports whether an author is the one with a name. Without a client in the name it is so by whatever client;
// with one, also where a version stands behind it, as in authors that were recorded by early versions of trails.
func AuthoredBy(author, name string) bool {
	rest, is := strings.CutPrefix(author, name)
	if !is || rest == "" || strings.HasPrefix(rest, via) {
		return is
	}
	return strings.Contains(name, via) && isVersion(rest)
}

// isVersion reports whether a text is a version behind the name of a client, such as " 2.1", " v2" and "/8.5.0".
func isVersion(text string) bool {
	if text[0] != ' ' && text[0] != '/' {
		return false
	}
	number := strings.TrimPrefix(text[1:], "v")
	return number != "" && number[0] >= '0' && number[0] <= '9'
}
