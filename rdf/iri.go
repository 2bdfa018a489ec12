package rdf

import (
	"bytes"
	"fmt"
	"strings"
)

// ResolveIRI returns the IRI that a reference means against a base, by the strict algorithm of RFC 3986 section 5.2:
// a reference with a scheme is never relative. Such a reference is returned as it stands, dot segments and all,
// because RDF compares IRIs as strings and normalizes none. A relative one needs a base with a scheme. It does not
// check the characters of an IRI.
func ResolveIRI(base, ref string) (string, error) {
	if schemeEnd(ref) > 0 {
		return ref, nil
	}
	n := schemeEnd(base)
	if n <= 0 {
		return "", fmt.Errorf("resolve <%s>: the base <%s> is no absolute IRI", ref, base)
	}
	scheme, b, r := base[:n+1], splitReference(base[n+1:]), splitReference(ref)
	return scheme + b.resolve(r).String(), nil
}

// IsAbsoluteIRI reports whether text begins with a scheme (RFC 3986 section 3.1).
func IsAbsoluteIRI[T ~string | ~[]byte](text T) bool { return schemeEnd(text) > 0 }

// schemeEnd returns where the colon behind a scheme is, or -1.
func schemeEnd[T ~string | ~[]byte](s T) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ':':
			if i == 0 {
				return -1
			}
			return i
		case IsLetter(c):
		case i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return -1
		}
	}
	return -1
}

// reference is the parts of a reference behind a scheme, each with its delimiter; an authority of "//" is present and
// empty, "" is absent.
type reference struct{ authority, path, query, fragment string }

func (r reference) String() string { return r.authority + r.path + r.query + r.fragment }

func splitReference(s string) (r reference) {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s, r.fragment = s[:i], s[i:]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s, r.query = s[:i], s[i:]
	}
	if strings.HasPrefix(s, "//") {
		end := strings.IndexByte(s[2:], '/')
		if end < 0 {
			end = len(s) - 2
		}
		s, r.authority = s[end+2:], s[:end+2]
	}
	r.path = s
	return r
}

// resolve is the pseudocode of section 5.2.2 for a reference without a scheme.
func (r reference) resolve(ref reference) reference {
	switch {
	case ref.authority != "":
		ref.path = removeDotSegments(ref.path)
		return ref
	case ref.path == "" && ref.query == "":
		ref.path, ref.query = r.path, r.query
	case ref.path == "":
		ref.path = r.path
	case ref.path[0] == '/':
		ref.path = removeDotSegments(ref.path)
	case r.authority != "" && r.path == "":
		ref.path = removeDotSegments("/" + ref.path)
	default: // replaces the last segment of the base's path (5.2.3)
		ref.path = removeDotSegments(r.path[:strings.LastIndexByte(r.path, '/')+1] + ref.path)
	}
	ref.authority = r.authority
	return ref
}

// removeDotSegments is section 5.2.4.
func removeDotSegments(in string) string {
	if !strings.Contains(in, ".") {
		return in
	}
	out := make([]byte, 0, len(in))
	for in != "" {
		switch {
		case strings.HasPrefix(in, "../"):
			in = in[3:]
		case strings.HasPrefix(in, "./"), strings.HasPrefix(in, "/./"):
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"):
			in, out = in[3:], dropSegment(out)
		case in == "/..":
			in, out = "/", dropSegment(out)
		case in == ".", in == "..":
			in = ""
		default:
			n := strings.IndexByte(in[1:], '/') + 1
			if n == 0 {
				n = len(in)
			}
			in, out = in[n:], append(out, in[:n]...)
		}
	}
	return string(out)
}

func dropSegment(path []byte) []byte {
	return path[:max(bytes.LastIndexByte(path, '/'), 0)]
}
