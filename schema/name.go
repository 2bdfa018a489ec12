package schema

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

const (
	maxLocal = 512  // bytes of a local id
	maxIRI   = 2048 // bytes of an IRI
)

// SnakeName converts a type's name for ids of capabilities: AttackPattern is attack_pattern and HTTPThing is
// http_thing.
func SnakeName(typeName string) string {
	var b strings.Builder
	for i := range len(typeName) {
		if i > 0 && startsWord(typeName, i) {
			b.WriteByte('_')
		}
		b.WriteByte(typeName[i])
	}
	return strings.ToLower(b.String())
}

// Words is the name of a property in words: fullName and full_name are "full name", and baseURL is "base URL".
func Words(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if i > 0 && c != '_' && (startsWord(name, i) || name[i-1] == '_') {
			b.WriteByte(' ')
		}
		switch next := i + 1; {
		case c == '_':
		case isUpper(c) && i > 0 && (next == len(name) || !isUpper(name[next])) && !isUpper(name[i-1]):
			b.WriteByte(c - 'A' + 'a')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// startsWord reports whether the letter at i begins a word: an upper-case letter
// after anything else, or the last of a run of them before a lower-case one.
func startsWord(name string, i int) bool {
	if !isUpper(name[i]) {
		return false
	}
	return !isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// EntityIRI returns the IRI of an entity of type t with this local id: base, [Type.IDs], "/" and the id, with "%" and
// characters not allowed in IRIs percent-encoded. The id must pass [CheckLocal].
func (s *Schema) EntityIRI(t *Type, local string) rdf.IRI {
	ids := t.ids()
	b := make([]byte, 0, len(s.Base)+len(ids)+1+len(local)+16)
	b = append(append(append(b, s.Base...), ids...), '/')
	for i := range len(local) {
		if c := local[i]; c == '%' || !inIRI(c) {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return rdf.IRI(b)
}

// inIRI reports whether an IRI of a node may hold the byte; those of characters
// beyond ASCII all may.
func inIRI(c byte) bool { return c != 0x7f && !rdf.IRIStop[c] }

// Local is the inverse of [Schema.EntityIRI]: the type's name and the local id of an entity. It is false for other
// IRIs.
func (s *Schema) Local(iri rdf.IRI) (typeName, local string, ok bool) {
	rest, ok := strings.CutPrefix(string(iri), s.Base)
	if !ok {
		return "", "", false
	}
	ids, encoded, ok := strings.Cut(rest, "/")
	t := s.byIDs[ids]
	if !ok || t == nil {
		return "", "", false
	}
	local, err := url.PathUnescape(encoded)
	if err != nil || CheckLocal(local) != nil || s.EntityIRI(t, local) != iri {
		return "", "", false
	}
	return t.Name, local, true
}

// Misnamed returns the IRI of the entity that answers call Type/id where this IRI is the base, the name of that type and
// the id. It is false where that is the IRI of the entity itself, as it is unless the type was renamed, and for other
// IRIs: renaming a type changes no IRI of its entities.
func (s *Schema) Misnamed(iri rdf.IRI) (entity rdf.IRI, ok bool) {
	name, encoded, typed := strings.Cut(strings.TrimPrefix(string(iri), s.Base), "/")
	t := s.byName[name]
	if !typed || t == nil || t.ids() == name || !strings.HasPrefix(string(iri), s.Base) {
		return "", false
	}
	local, err := url.PathUnescape(encoded)
	if err != nil || CheckLocal(local) != nil {
		return "", false
	}
	return s.EntityIRI(t, local), true
}

// Short is an IRI in answers: an entity as Type/id, which [Schema.ResolveRef] reads; another IRI with a prefix of
// [Schema.TurtlePrefixes], as in SPARQL; otherwise complete.
func (s *Schema) Short(iri rdf.IRI) string {
	if typeName, local, ok := s.Local(iri); ok {
		return typeName + "/" + local
	}
	short, best, most := string(iri), "", 0
	for prefix, namespace := range s.TurtlePrefixes() {
		rest, ok := strings.CutPrefix(string(iri), namespace)
		if !ok || !isSimpleLocal(rest) || len(namespace) < most || len(namespace) == most && prefix > best {
			continue
		}
		short, best, most = prefix+":"+rest, prefix, len(namespace)
	}
	return short
}

// isSimpleLocal reports whether s is a readable local part of a prefixed name without escapes.
func isSimpleLocal(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c == '-' || c >= '0' && c <= '9')) {
			return false
		}
	}
	return s != ""
}

// NodeName is the name of a node for people: Type/local for an entity, otherwise its IRI, or _: and its label.
func (s *Schema) NodeName(node rdf.Term) string {
	iri, ok := node.(rdf.IRI)
	if !ok {
		return "_:" + rdf.Lexical(node)
	}
	if t, local, ok := s.Local(iri); ok {
		return t + "/" + local
	}
	return string(iri)
}

// NodeNames returns the [Schema.NodeName] of each node.
func (s *Schema) NodeNames(nodes []rdf.Term) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = s.NodeName(node)
	}
	return names
}

// DefinitionNames returns the [Schema.NodeName] of each node, but Type for a type and Type.property for the shape of a
// property.
func (s *Schema) DefinitionNames(nodes []rdf.Term) []string {
	defined := map[rdf.Term]string{}
	for _, t := range s.Types {
		defined[t.IRI] = t.Name
		for _, p := range t.Properties {
			defined[ShapeIRI(t, p)] = t.Name + "." + p.Name
		}
	}
	names := s.NodeNames(nodes)
	for i, node := range nodes {
		names[i] = cmp.Or(defined[node], names[i])
	}
	return names
}

// CheckLocal says what is wrong with a local id, as fault.InvalidArguments: it is
// empty, too long, not UTF-8, holds control characters, has a path segment "." or
// "..", or reads as an absolute IRI.
func CheckLocal(local string) error {
	switch {
	case local == "":
		return fault.New(fault.InvalidArguments, "the id is empty; give a local id or an IRI")
	case len(local) > maxLocal:
		return fault.New(fault.InvalidArguments, "the id has %d bytes; at most %d are allowed", len(local), maxLocal)
	case !utf8.ValidString(local):
		return fault.New(fault.InvalidArguments, "the id %q is not valid UTF-8", local)
	case strings.ContainsFunc(local, unicode.IsControl):
		return fault.New(fault.InvalidArguments, "the id %q holds control characters; remove them", local)
	case hasDotSegment(local):
		return fault.New(fault.InvalidArguments, "the id %q has a path segment \".\" or \"..\"; choose another", local)
	case rdf.IsAbsoluteIRI(local):
		return fault.New(fault.InvalidArguments, "the id %q reads as an absolute IRI; a local id has no \":\" after a word at its beginning", local)
	}
	return nil
}

func hasDotSegment(local string) bool {
	for segment := range strings.SplitSeq(local, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// CheckIRI says what is wrong with an absolute IRI.
func CheckIRI(v string) error {
	switch {
	case len(v) > maxIRI:
		return fault.New(fault.InvalidArguments, "the IRI has %d bytes; at most %d are allowed", len(v), maxIRI)
	case !rdf.IsAbsoluteIRI(v):
		return fault.New(fault.InvalidArguments, "%q is not an absolute IRI; it must begin with a scheme such as https: or urn:", v)
	case !utf8.ValidString(v):
		return fault.New(fault.InvalidArguments, "the IRI %q is not valid UTF-8", v)
	case strings.ContainsFunc(v, unicode.IsControl):
		return fault.New(fault.InvalidArguments, "the IRI %q holds control characters; remove them", v)
	}
	for i := range len(v) {
		if !inIRI(v[i]) {
			return fault.New(fault.InvalidArguments, "the IRI %q holds %q, which must be percent-encoded", v, v[i:i+1])
		}
	}
	return nil
}

// ResolveID returns the IRI of an entity of type t named by id: an absolute IRI as it is; "Type/id", as in answers,
// for t and its subtypes; otherwise a local id of t. An invalid id is fault.InvalidArguments.
func (s *Schema) ResolveID(t *Type, id string) (rdf.IRI, error) {
	if rdf.IsAbsoluteIRI(id) {
		return rdf.IRI(id), CheckIRI(id)
	}
	if name, local, ok := strings.Cut(id, "/"); ok && slices.Contains(s.Subtypes(t), s.byName[name]) {
		return s.resolveTyped(name, local)
	}
	if err := CheckLocal(id); err != nil {
		return "", err
	}
	return s.EntityIRI(t, id), nil
}

// ResolveRef returns the IRI that a reference names as a value of p: an absolute IRI, "Type/id" with a declared type,
// or a local id if only one concrete type is possible. An invalid one is fault.InvalidArguments. It does not check
// that the entity exists or has p's class.
func (s *Schema) ResolveRef(p *Property, v string) (rdf.IRI, error) {
	if rdf.IsAbsoluteIRI(v) {
		return rdf.IRI(v), CheckIRI(v)
	}
	if name, local, ok := strings.Cut(v, "/"); ok && isTypeName(name) {
		return s.resolveTyped(name, local)
	}
	if err := CheckLocal(v); err != nil {
		return "", err
	}
	class := s.byName[p.Class]
	if class == nil {
		return "", fault.New(fault.InvalidArguments, "%q is not an IRI; write the whole IRI or Type/id", v)
	}
	concrete := s.Concrete(class)
	if len(concrete) != 1 {
		return "", fault.New(fault.InvalidArguments, "%q does not say which type is meant; write Type/%s with one of %s", v, v, listed(NamesOf(concrete)))
	}
	return s.EntityIRI(concrete[0], v), nil
}

func (s *Schema) resolveTyped(name, local string) (rdf.IRI, error) {
	t := s.byName[name]
	if t == nil {
		return "", fault.New(fault.InvalidArguments, "%s", s.NoType(name, s.Types...))
	}
	if err := CheckLocal(local); err != nil {
		return "", err
	}
	return s.EntityIRI(t, local), nil
}

func (s *Schema) names() []string { return NamesOf(s.Types) }

// NamesOf are the names of types.
func NamesOf(types []*Type) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return names
}
