package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/text/quote"
)

// ParseYAML reads a schema. base is the file's, and the YAML may leave it out or
// repeat it, nothing else; an empty base leaves the choice to the YAML, see
// [DeclaredBase]. Text that is no YAML is fault.Malformed, one over 1 MiB is
// fault.TooLarge, and every rule that the schema breaks comes back at once as
// fault.InvalidData: Field is a path like types.Person.properties.name.pattern,
// Source is "line N".
func ParseYAML(src []byte, base string) (*Schema, error) {
	root, err := parseTree(src)
	if err != nil {
		return nil, err
	}
	d := newDecoder()
	s := d.schema(root, base)
	problems := append(d.problems, s.check(d.source)...)
	if len(problems) > 0 {
		return nil, fault.Invalid(problems)
	}
	return s, nil
}

// DeclaredBase returns the base that a schema in YAML names for itself, "" for none.
func DeclaredBase(src []byte) (string, error) {
	root, err := parseTree(src)
	if err != nil {
		return "", err
	}
	return newDecoder().text("base", member(root, "base")), nil
}

// parseTree returns the one document of a schema, a mapping without aliases.
func parseTree(src []byte) (*yaml.Node, error) {
	root, err := parseDocument("schema", src)
	if err == nil && root.Kind != yaml.MappingNode {
		err = fault.New(fault.Malformed, "line %d: the schema must be a mapping with base, prefixes and types", root.Line)
	}
	return root, err
}

// parseDocument returns the one document of src, without aliases; what is its name in errors.
func parseDocument(what string, src []byte) (*yaml.Node, error) {
	if len(src) > maxSource {
		return nil, fault.New(fault.TooLarge, "the %s has %d bytes; at most %d are allowed", what, len(src), maxSource)
	}
	if !utf8.Valid(src) {
		return nil, fault.New(fault.Malformed, "line %d: the %s is not valid UTF-8", lineAt(src, bytes.IndexRune(src, utf8.RuneError)), what)
	}
	reader := yaml.NewDecoder(bytes.NewReader(src))
	var document, second yaml.Node
	if err := reader.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fault.New(fault.Malformed, "the %s is empty", what)
		}
		reason := strings.TrimPrefix(err.Error(), "yaml: ")
		if !strings.HasPrefix(reason, "line ") { // of the first line, control characters and aliases
			at := bytes.IndexFunc(src, func(c rune) bool { return c != '\t' && c != '\n' && c != '\r' && unicode.IsControl(c) })
			if _, alias, unknown := strings.Cut(reason, "unknown anchor '"); unknown {
				alias, _, _ = strings.Cut(alias, "'")
				at = bytes.Index(src, []byte("*"+alias))
			}
			reason = fmt.Sprintf("line %d: %s", lineAt(src, at), reason)
		}
		if turtle.Match(src) {
			reason += "; it looks like Turtle: init --from begins a file with what is in RDF, its shapes being the schema"
		}
		return nil, fault.New(fault.Malformed, "the %s is not YAML: %s", what, reason)
	}
	if err := reader.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Malformed, "the %s has more than one YAML document; remove what follows \"---\"", what)
	}
	root := document.Content[0]
	return root, refuseAliases(root)
}

// turtle matches the declarations at the beginning of Turtle and TriG.
var turtle = regexp.MustCompile(`(?i)^(\s|#.*\n)*@(prefix|base)\s`)

// lineAt is the line of a byte; the first one if unknown.
func lineAt(src []byte, at int) int { return 1 + bytes.Count(src[:max(at, 0)], []byte("\n")) }

// refuseAliases refuses anchors and aliases, by which a small text could expand without bound.
func refuseAliases(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return fault.New(fault.Malformed, "line %d: YAML anchors and aliases are not allowed in a schema; write the value out", n.Line)
	}
	for _, child := range n.Content {
		if err := refuseAliases(child); err != nil {
			return err
		}
	}
	return nil
}

// decoder converts YAML nodes to a schema, and records the place of each path.
type decoder struct {
	place    string         // format of a place: "line %d"
	lines    map[string]int // 0 if unknown
	problems []fault.FieldError
	prefixes map[string]string
	values   []pendingValue
}

func newDecoder() *decoder { return &decoder{place: "line %d", lines: map[string]int{}} }

// source is the place of the longest prefix of path that has one.
func (d *decoder) source(path string) string {
	for {
		if line := d.lines[path]; line > 0 {
			return fmt.Sprintf(d.place, line)
		}
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			return ""
		}
		path = path[:dot]
	}
}

func (d *decoder) report(path string, code fault.Code, format string, args ...any) {
	d.problems = append(d.problems, fault.FieldError{
		Field: path, Code: code, Message: quote.Line(path, maxPath) + ": " + fmt.Sprintf(format, args...), Source: d.source(path),
	})
}

func (d *decoder) schema(root *yaml.Node, base string) *Schema {
	members := d.mapping("", root, schemaKeys)
	declared := d.text("base", members["base"])
	switch {
	case base == "":
		base = declared
	case declared != "" && declared != base:
		d.report("base", fault.HasValue, "the schema's base %s is not the file's base %s; leave base out or write the file's", declared, base)
	}
	prefixes := d.mapping("prefixes", members["prefixes"], nil)
	d.prefixes = make(map[string]string, len(prefixes))
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		d.prefixes[prefix] = d.text("prefixes."+prefix, prefixes[prefix])
	}
	types := d.types(members["types"])
	s := assemble(base, d.prefixes, types)
	for _, v := range d.values {
		if _, ok := Datatypes[v.p.Datatype]; !ok || v.p.Class != "" && s.byName[v.p.Class] == nil {
			continue
		}
		if term := d.term(s, v); term != nil {
			v.set(term)
		}
	}
	for _, t := range s.Types {
		for _, p := range t.Properties {
			s.normalizeProperty(p)
		}
	}
	return s
}

var (
	schemaKeys = []string{"base", "prefixes", "types"}
	typeKeys   = []string{"label", "key", "unique", "iri", "ids", "rdf_type", "extends", "abstract", "open", "embed", "description", "properties"}
)

func (d *decoder) types(n *yaml.Node) []*Type {
	var types []*Type
	for name, node := range d.members("types", n, nil) {
		types = append(types, d.typ(name, node))
	}
	return types
}

func (d *decoder) typ(name string, n *yaml.Node) *Type {
	path := "types." + name
	m := d.mapping(path, n, typeKeys)
	t := &Type{
		Name:        name,
		IRI:         d.iri(path+".rdf_type", m["rdf_type"]),
		Description: d.text(path+".description", m["description"]),
		Label:       d.text(path+".label", m["label"]),
		Key:         d.list(path+".key", m["key"]),
		Unique:      d.groups(path+".unique", m["unique"]),
		IDs:         d.text(path+".ids", m["ids"]),
		Mint:        Mint(d.text(path+".iri", m["iri"])),
		Extends:     d.list(path+".extends", m["extends"]),
		Abstract:    d.flag(path+".abstract", m["abstract"]),
		Open:        d.flag(path+".open", m["open"]),
		Embedded:    d.flag(path+".embed", m["embed"]),
	}
	for property, node := range d.members(path+".properties", m["properties"], nil) {
		t.Properties = append(t.Properties, d.property(path+".properties."+property, property, node))
	}
	return t
}
