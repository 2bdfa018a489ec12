package rdfio

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// prefixNames turns IRIs into prefixed names and records the used prefixes.
type prefixNames struct {
	namespaces map[string]string
	byLength   []string // prefixes, longest namespace first
	used       map[string]bool
}

func newPrefixNames(prefixes map[string]string) (*prefixNames, error) {
	p := &prefixNames{namespaces: prefixes, byLength: slices.Sorted(maps.Keys(prefixes))}
	for _, prefix := range p.byLength {
		if !isPrefix(prefix) {
			return nil, fault.New(fault.InvalidArguments, "%q cannot be a Turtle prefix: letters, digits, '-' and '_', a letter first", prefix)
		}
		if !rdf.IsAbsoluteIRI(prefixes[prefix]) {
			return nil, fault.New(fault.InvalidArguments, "prefix %q stands for %q, which is no absolute IRI", prefix, prefixes[prefix])
		}
	}
	slices.SortStableFunc(p.byLength, func(a, b string) int { return len(prefixes[b]) - len(prefixes[a]) })
	return p, nil
}

// isPrefix accepts ASCII PN_PREFIX without full stops, and the empty prefix.
func isPrefix(s string) bool {
	for i := range len(s) {
		if !rdf.IsLetter(s[i]) && (i == 0 || !rdf.IsDigit(s[i]) && s[i] != '-' && s[i] != '_') {
			return false
		}
	}
	return true
}

// iri returns a prefixed name, or the IRI in brackets if no prefix fits.
func (p *prefixNames) iri(iri rdf.IRI) string {
	if prefix, local, ok := p.cut(iri); ok {
		p.use(prefix)
		return prefix + ":" + local
	}
	return bracketed(string(iri))
}

// cut returns the prefixed name of an IRI, if a prefix fits.
func (p *prefixNames) cut(iri rdf.IRI) (prefix, local string, ok bool) {
	for _, prefix := range p.byLength {
		if local, ok := strings.CutPrefix(string(iri), p.namespaces[prefix]); ok && isLocalName(local) {
			return prefix, local, true
		}
	}
	return "", "", false
}

func (p *prefixNames) use(prefix string) {
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[prefix] = true
}

// isLocalName accepts the subset of PN_LOCAL that needs no escapes.
func isLocalName(s string) bool {
	for i := range len(s) {
		c := s[i]
		inner := c == '-' && i > 0 || c == '.' && i > 0 && i < len(s)-1
		if !isLetterOrDigit(c) && c != '_' && !inner {
			return false
		}
	}
	return s != ""
}

// bracketed writes an IRI in full; characters that IRIREF excludes are escaped.
func bracketed(iri string) string {
	var out strings.Builder
	out.WriteByte('<')
	for i := range len(iri) {
		if rdf.IRIStop[iri[i]] {
			fmt.Fprintf(&out, `\u%04X`, iri[i])
		} else {
			out.WriteByte(iri[i])
		}
	}
	out.WriteByte('>')
	return out.String()
}

// declarations returns a line for each used prefix, sorted.
func (p *prefixNames) declarations() string {
	var out strings.Builder
	for _, prefix := range slices.Sorted(maps.Keys(p.used)) {
		fmt.Fprintf(&out, "@prefix %s: %s .\n", prefix, bracketed(p.namespaces[prefix]))
	}
	return out.String()
}
