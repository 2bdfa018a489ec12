package invoke

import (
	"net/url"
	"strings"

	"trails/rdf"
	"trails/schema"
)

const kgAddress = "trails://kg/"

// Address writes the address of a type, or of one of its instances when id, which
// is not escaped yet, is not empty. It is the one function for it.
func Address(typeName, id string) string {
	if id == "" {
		return kgAddress + typeName
	}
	return kgAddress + typeName + "/" + url.PathEscape(id)
}

// CanonicalAddress returns uri as [Address] would write it, which is how a [Change]
// names it: an id may be escaped in several ways. It is false for what is no
// address of a type or an instance, and for one with parameters.
func CanonicalAddress(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "trails" || u.Host != "kg" || u.User != nil || u.Fragment != "" || u.RawQuery != "" {
		return "", false
	}
	name, escaped, isInstance := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	id, err := url.PathUnescape(escaped)
	if err != nil || name == "" || isInstance && id == "" {
		return "", false
	}
	return Address(name, id), true
}

// instanceAddresses are the addresses of a node as an instance of t and of t's supertypes.
func instanceAddresses(s *schema.Schema, t *schema.Type, iri rdf.IRI) []string {
	id := s.IDOf(t, iri)
	if back, err := s.ResolveID(t, id); err != nil || back != iri {
		id = string(iri) // a local id that reads as "Type/id" names another node
	}
	out := []string{Address(t.Name, id)}
	for _, super := range s.Supertypes(t) {
		out = append(out, Address(super.Name, id))
	}
	return out
}
