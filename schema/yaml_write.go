package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"trails/rdf"
)

// YAML writes the schema for [ParseYAML]; defaults are left out.
func (s *Schema) YAML() []byte { return s.yaml(s.Base) }

// PortableYAML is [Schema.YAML] without the base, for a file that has another one.
func (s *Schema) PortableYAML() []byte { return s.yaml("") }

func (s *Schema) yaml(base string) []byte {
	root := newMapping()
	root.text("base", base)
	prefixes := newMapping()
	for _, prefix := range slices.Sorted(maps.Keys(s.Prefixes)) {
		prefixes.text(prefix, s.Prefixes[prefix])
	}
	root.mapping("prefixes", prefixes)
	types := newMapping()
	for _, t := range s.Types {
		types.set(t.Name, s.typeNode(t).Node)
	}
	root.mapping("types", types)
	return root.encode()
}

// TypeYAML writes one type under its name, as it stands under types in [Schema.YAML].
func (s *Schema) TypeYAML(t *Type) []byte {
	root := newMapping()
	root.set(t.Name, s.typeNode(t).Node)
	return root.encode()
}

func (m mapping) encode() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(m.Node); err != nil { // a bytes.Buffer takes all, and check admits only UTF-8
		panic(fmt.Sprintf("schema: write YAML: %v", err))
	}
	return b.Bytes()
}

func (s *Schema) typeNode(t *Type) mapping {
	m := newMapping()
	m.text("description", t.Description)
	if t.IRI != rdf.IRI(s.Base+t.Name) {
		m.text("rdf_type", compact(t.IRI, s.Prefixes))
	}
	m.names("extends", t.Extends)
	m.flag("abstract", t.Abstract)
	m.flag("open", t.Open)
	m.flag("embed", t.Embedded)
	m.text("label", t.Label)
	m.names("key", t.Key)
	if len(t.Unique) > 0 {
		groups := &yaml.Node{Kind: yaml.SequenceNode}
		for _, group := range t.Unique {
			groups.Content = append(groups.Content, nameList(group))
		}
		m.set("unique", groups)
	}
	m.text("iri", string(t.Mint))
	m.text("ids", t.IDs)
	properties := newMapping()
	for _, p := range t.Properties {
		properties.set(p.Name, s.propertyNode(p))
	}
	m.mapping("properties", properties)
	return m
}

func (s *Schema) propertyNode(p *Property) *yaml.Node {
	m := newMapping()
	if p.Class == "" {
		m.text("type", p.Datatype)
	}
	m.text("class", p.Class)
	m.text("description", p.Description)
	if p.IRI != rdf.IRI(s.Base+p.Name) {
		m.text("predicate", compact(p.IRI, s.Prefixes))
	}
	switch {
	case p.MinCount == 1:
		m.flag("required", true)
	case p.MinCount > 1:
		m.set("min_count", valueNode(p.MinCount))
	}
	switch {
	case p.MaxCount == nil:
		m.flag("many", true)
	case *p.MaxCount != 1:
		m.set("max_count", valueNode(*p.MaxCount))
	}
	for _, behind := range []bool{false, true} {
		for k, field := range p.fields() {
			if k.behind == behind && !k.counts && !isAbsent(field) {
				m.set(k.name, valueNode(k.value(s, p)))
			}
		}
	}
	if len(m.Content) == 2 && p.Class == "" {
		return m.Content[1] // only the type: a bare word
	}
	return m.Node
}

// mapping is a YAML mapping under construction; empty values add nothing.
type mapping struct{ *yaml.Node }

func newMapping() mapping { return mapping{&yaml.Node{Kind: yaml.MappingNode}} }

func (m mapping) set(key string, value *yaml.Node) {
	m.Content = append(m.Content, textNode(key), value)
}

func (m mapping) mapping(key string, value mapping) {
	if len(value.Content) > 0 {
		m.set(key, value.Node)
	}
}

func (m mapping) text(key, value string) {
	if value != "" {
		m.set(key, textNode(value))
	}
}

func (m mapping) flag(key string, value bool) {
	if value {
		m.set(key, plainNode("true"))
	}
}

func (m mapping) names(key string, names []string) {
	switch len(names) {
	case 0:
	case 1:
		m.set(key, textNode(names[0]))
	default:
		m.set(key, nameList(names))
	}
}

func valueNode(v any) *yaml.Node {
	switch v := v.(type) {
	case bool:
		return plainNode(strconv.FormatBool(v))
	case int:
		return plainNode(strconv.Itoa(v))
	case json.Number:
		return plainNode(string(v))
	case []string:
		return nameList(v)
	case map[string]any:
		return textNode(langText(v))
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, component := range v {
			list.Content = append(list.Content, valueNode(component))
		}
		return list
	}
	return textNode(v.(string))
}

func nameList(names []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, name := range names {
		list.Content = append(list.Content, textNode(name))
	}
	return list
}

func plainNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// textNode is a string, quoted wherever the plain or the block style would lose a character.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !safeText(text) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// safeText reports whether text is lines of printable characters without space at
// their ends, the last perhaps closed by a newline, and not empty at either end.
func safeText(text string) bool {
	text = strings.TrimSuffix(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return !strings.HasPrefix(text, "\n") && !strings.HasSuffix(text, "\n")
}
