package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// KeyLocal returns the local id of an entity from its key values, by property name: their texts joined with "/". "%",
// "/" in a compound key, and a ":" that would make it look like an IRI are percent-encoded, so that different keys
// have different ids. A missing or empty key value is fault.InvalidArguments.
func (s *Schema) KeyLocal(t *Type, values map[string][]rdf.Term) (string, error) {
	key := s.KeyOf(t)
	parts := make([]string, len(key))
	for i, name := range key {
		if len(values[name]) != 1 || rdf.Lexical(values[name][0]) == "" {
			return "", fault.Arguments(fault.FieldError{
				Field: name, Code: fault.Required,
				Message: name + " is part of the key of " + t.Name + " and needs exactly one value",
			})
		}
		parts[i] = strings.ReplaceAll(rdf.Lexical(values[name][0]), "%", "%25")
		if len(key) > 1 {
			parts[i] = strings.ReplaceAll(parts[i], "/", "%2F")
		}
	}
	local := strings.Join(parts, "/")
	if rdf.IsAbsoluteIRI(local) {
		local = strings.Replace(local, ":", "%3A", 1)
	}
	return local, CheckLocal(local)
}

// ContentLocal returns the local id of an entity of type t from its content: the first 32 hex digits of SHA-256 over
// its type and properties as sorted canonical N-Quads lines without the subject. values are by property name; unknown
// names are ignored.
func (s *Schema) ContentLocal(t *Type, values map[string][]rdf.Term) string {
	lines := []string{contentLine(rdf.Type, t.IRI)}
	for name, terms := range values {
		p := s.Property(t, name)
		if p == nil {
			continue
		}
		for _, term := range terms {
			lines = append(lines, contentLine(p.IRI, term))
		}
	}
	slices.Sort(lines)
	return digest(slices.Compact(lines)...)
}

func contentLine(predicate rdf.IRI, object rdf.Term) string {
	line := append(rdf.AppendTerm(nil, predicate), ' ')
	return string(append(rdf.AppendTerm(line, object), " ."...))
}

// digest is the first 32 hex digits of SHA-256 over lines, each with its newline.
func digest(lines ...string) string {
	h := sha256.New()
	for _, line := range lines {
		h.Write([]byte(line)) // a hash never fails
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
