package schema

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/rdf"
)

// Functions that read single YAML nodes: each reports a node of the wrong kind at its path and returns the zero
// value, which a nil node also gives.

const (
	tagNull = "!!null"
	tagBool = "!!bool"
	tagInt  = "!!int"
)

// member returns a mapping's value for key without checking the rest, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// mapping returns the members of n by key; see members.
func (d *decoder) mapping(path string, n *yaml.Node, allowed []string) map[string]*yaml.Node {
	m := map[string]*yaml.Node{}
	for key, value := range d.members(path, n, allowed) {
		m[key] = value
	}
	return m
}

// members yields the members of a mapping in order. It reports and skips duplicate keys and, unless allowed is nil,
// keys that are not allowed.
func (d *decoder) members(path string, n *yaml.Node, allowed []string) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Tag == tagNull {
			return
		}
		if n.Kind != yaml.MappingNode {
			d.report(path, fault.Datatype, "this must be a mapping (key: value)")
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if d.key(path, key, seen, allowed) && !yield(key.Value, value) {
				return
			}
		}
	}
}

func (d *decoder) key(path string, key *yaml.Node, seen map[string]bool, allowed []string) bool {
	if key.Kind != yaml.ScalarNode {
		d.report(path, fault.Datatype, d.place+": a key must be plain text", key.Line)
		return false
	}
	at := strings.TrimPrefix(path+"."+key.Value, ".")
	if seen[key.Value] {
		lines := ""
		if d.lines[at] != key.Line {
			lines = fmt.Sprintf(", on lines %d and %d", d.lines[at], key.Line)
		}
		d.report(at, fault.Unique, "%q is here twice%s; keep one", key.Value, lines)
		return false
	}
	seen[key.Value] = true
	d.lines[at] = key.Line
	if allowed != nil && !slices.Contains(allowed, key.Value) {
		d.report(at, fault.Closed, "unknown key %q%s", key.Value, didYouMean(key.Value, allowed))
		return false
	}
	return true
}

// text returns a scalar as written, so that a version 1.10 keeps its zero.
func (d *decoder) text(path string, n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		d.report(path, fault.Datatype, "this must be one value, not a list or a mapping")
		return ""
	case n.Tag == tagNull:
		d.report(path, fault.Datatype, "this has no value; give one or remove the key (quote \"null\" when it is meant as text)")
		return ""
	}
	return n.Value
}

func (d *decoder) flag(path string, n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind != yaml.ScalarNode || n.Tag != tagBool {
		d.report(path, fault.Datatype, "this must be true or false")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

func (d *decoder) number(path string, n *yaml.Node) *int {
	if n == nil {
		return nil
	}
	v, err := strconv.ParseInt(n.Value, 10, 32)
	if n.Kind != yaml.ScalarNode || n.Tag != tagInt || err != nil {
		d.report(path, fault.Datatype, "this must be a whole number below 2^31")
		return nil
	}
	i := int(v)
	return &i
}

// list returns a list of names; one name may stand without brackets.
func (d *decoder) list(path string, n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		if name := d.text(path, n); name != "" {
			return []string{name}
		}
		return nil
	}
	if len(n.Content) > maxList {
		d.report(path, fault.MaxCount, "the list has %d names; at most %d are allowed", len(n.Content), maxList)
		return nil
	}
	names := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		if name := d.text(path, item); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// groups returns lists of names: [[a, b], [c, d]].
func (d *decoder) groups(path string, n *yaml.Node) [][]string {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		d.report(path, fault.Datatype, "this must be a list of lists of properties, such as [[name, year]]")
		return nil
	}
	if len(n.Content) > maxList {
		d.report(path, fault.MaxCount, "the list has %d groups; at most %d are allowed", len(n.Content), maxList)
		return nil
	}
	var groups [][]string
	for _, item := range n.Content {
		if item.Kind != yaml.SequenceNode {
			d.report(path, fault.Datatype, "each group must be a list of properties, such as [[name, year]]; for one property write unique: true on it")
			continue
		}
		groups = append(groups, d.list(path, item))
	}
	return groups
}

// iri returns an IRI written whole, in angle brackets or as a CURIE.
func (d *decoder) iri(path string, n *yaml.Node) rdf.IRI {
	text := d.text(path, n)
	if text == "" {
		return ""
	}
	iri, ok := expand(text, d.prefixes)
	if !ok {
		prefix, _, _ := strings.Cut(text, ":")
		d.report(path, fault.NodeKind, "%q is neither a whole IRI nor a CURIE with a declared prefix; add prefixes: {%s: …} or write <the whole IRI>", text, prefix)
	}
	return iri
}

// plainSchemes are those whose IRIs may stand in YAML without angle brackets,
// beside all that have "//" after the colon.
var plainSchemes = []string{"urn", "tag", "mailto", "did", "data", "info", "doi"}

// expand reads an IRI as the YAML writes it.
func expand(text string, prefixes map[string]string) (rdf.IRI, bool) {
	if inner, ok := strings.CutPrefix(text, "<"); ok {
		inner, ok = strings.CutSuffix(inner, ">")
		return rdf.IRI(inner), ok
	}
	prefix, local, ok := strings.Cut(text, ":")
	if !ok {
		return "", false
	}
	if namespace, declared := prefixes[prefix]; declared {
		return rdf.IRI(namespace + local), true
	}
	return rdf.IRI(text), strings.HasPrefix(local, "//") || slices.Contains(plainSchemes, strings.ToLower(prefix))
}

// compact is the inverse of expand: the shortest text that expands to iri.
func compact(iri rdf.IRI, prefixes map[string]string) string {
	best := "<" + string(iri) + ">"
	if got, ok := expand(string(iri), prefixes); ok && got == iri {
		best = string(iri)
	}
	for prefix, namespace := range prefixes {
		local, ok := strings.CutPrefix(string(iri), namespace)
		curie := prefix + ":" + local
		if ok && (len(curie) < len(best) || len(curie) == len(best) && curie < best) {
			best = curie
		}
	}
	return best
}
