package scaffold

import (
	"cmp"
	_ "embed" // the texts
	"encoding/json"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"trails/capability"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// NewCapability describes a capability to generate.
type NewCapability struct {
	ID   string `json:"id" doc:"Such as task.find."`
	Type string `json:"type" is:"brief" doc:"What it is about."`
	// Properties are the arguments. If empty: all properties for one that writes, the label for
	// one that reads.
	Properties []string `json:"properties,omitempty" doc:"Those of the type that it takes."`
	// Writes generates a capability that creates a node with the arguments as values; otherwise
	// it lists the nodes that have these values.
	Writes      bool   `json:"writes" default:"false" doc:"Create a node, in the place of listing."`
	Description string `json:"description,omitempty" is:"brief" doc:"What it does."`
}

// Texts of Go files, with $Names for what [goCapability.fill] knows.
var (
	//go:embed reads.go.tmpl
	readsText string
	//go:embed writes.go.tmpl
	writesText string
	//go:embed capability_test.go.tmpl
	testText string
)

// goCapability is what the texts are filled in with.
type goCapability struct {
	NewCapability
	Package, File string
	// In, Out and Var are names in Go.
	In, Out, Var string
	Preserve     bool // whether the caller names the node
	Members      []goMember
	// Schema is the schema of the test's graph. Example holds the arguments of the test's call,
	// "" if none follow from the schema.
	Schema, Example string
}

// goMember is an argument as a struct field.
type goMember struct {
	Name, Go, Type, Tag string
	Pointer, Many       bool
}

// Capability returns a Go file with a working capability of typed arguments, and its test. An
// invalid id, type or property is fault.InvalidArguments or fault.InvalidData.
func Capability(s *schema.Schema, n NewCapability) ([]Draft, error) {
	if err := capability.CheckID(n.ID); err != nil {
		return nil, err
	}
	t, err := typeOf(s, "type", n.Type)
	if err != nil {
		return nil, err
	}
	if n.Writes && t.Abstract {
		return nil, fault.Argument("type", fault.Class, n.Type, n.Type+" is abstract; only its subtypes have nodes")
	}
	verb := "List"
	if n.Writes {
		verb = "Create"
	}
	n.Description = cmp.Or(n.Description, verb+" nodes of the type "+n.Type+".")
	namespace, op, dotted := strings.Cut(n.ID, ".")
	if !dotted {
		op = namespace
	}
	c := goCapability{NewCapability: n, Package: packageName(namespace), File: strings.NewReplacer(".", "_", "-", "_").Replace(op), Var: goName(op)}
	c.In, c.Out, c.Preserve = c.Var+"In", c.Var+"Out", n.Writes && s.MintOf(t) == schema.MintPreserve
	if strings.HasSuffix(c.File, "_test") {
		c.File += "_capability" // go build ignores files that end in _test
	}
	properties, err := n.properties(s, t)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{"ID": c.Preserve}
	for _, p := range properties {
		m := memberOf(p, n.Writes)
		for taken[m.Go] {
			m.Go += "Value"
		}
		taken[m.Go] = true
		c.Members = append(c.Members, m)
	}
	closure, err := closureOf(s, t)
	if err != nil {
		return nil, err
	}
	c.Schema, c.Example = string(closure.YAML()), n.example(s, t, properties, c.Preserve)
	folder := c.Package + "/"
	return []Draft{
		{folder + c.File + ".go", c.capabilityText()}, {folder + c.File + "_test.go", c.testText()},
		{folder + "testdata/" + c.File + ".yaml", c.Schema},
	}, nil
}

// properties returns the properties that become arguments. A list of vectors is refused,
// because no Go type represents it in a capability's shape.
func (n NewCapability) properties(s *schema.Schema, t *schema.Type) (list []*schema.Property, err error) {
	names := n.Properties
	if len(names) == 0 && n.Writes {
		for _, p := range s.PropertiesOf(t) {
			if p.Datatype != "vector" || !p.Many() {
				names = append(names, p.Name)
			}
		}
	} else if label := s.LabelOf(t); len(names) == 0 && label != "" && label != "limit" {
		names = []string{label}
	}
	var problems []fault.FieldError
	refuse := func(i int, format string, args ...any) {
		problems = append(problems, fault.FieldError{Field: fmt.Sprintf("properties[%d]", i), Code: fault.OneOf, Value: names[i], Message: fmt.Sprintf(format, args...)})
	}
	for i, name := range names {
		var known []string
		for _, p := range s.PropertiesOf(t) {
			known = append(known, p.Name)
		}
		switch p := s.Property(t, name); {
		case p == nil:
			refuse(i, "%s has no property %s%s", t.Name, name, fault.DidYouMean(name, known))
		case slices.Contains(list, p):
			refuse(i, "%s is there twice", name)
		case name == "limit" && !n.Writes:
			refuse(i, "limit is how many nodes are listed")
		case p.Datatype == "vector" && (p.Many() || !n.Writes):
			refuse(i, "%s is a vector, which a capability takes one of, to write it", name)
		default:
			list = append(list, p)
		}
	}
	if n.Writes {
		for _, p := range s.PropertiesOf(t) {
			if p.Required() && !slices.Contains(list, p) && p.Default == nil && len(problems) == 0 {
				problems = append(problems, fault.FieldError{Field: "properties", Code: fault.Required, Message: "a " + t.Name + " needs " + p.Name})
			}
		}
	}
	if len(problems) > 0 {
		return nil, fault.Arguments(problems...)
	}
	return list, nil
}

// memberOf returns a property as a struct field. If it is written, its constraints are in the
// tag, so that an invalid call is refused before it runs.
func memberOf(p *schema.Property, writes bool) goMember {
	m := goMember{Name: p.Name, Go: goName(p.Name), Type: "string"}
	switch d := schema.Datatypes[p.Datatype]; {
	case p.Datatype == "vector":
		m.Type, m.Many = "[]float64", true
	case p.Datatype == "decimal":
		m.Type = "json.Number"
	case d.JSON == schema.JSONBoolean:
		m.Type = "bool"
	case d.JSON == schema.JSONInteger:
		m.Type = "int"
	case d.JSON == schema.JSONNumber:
		m.Type = "float64"
	}
	name := p.Name
	if !writes {
		m.Tag = tag(name, p, false)
		return m
	}
	optional := !p.Required() || p.Default != nil
	switch {
	case m.Many:
	case p.Many():
		m.Type, m.Many = "[]"+m.Type, true
	case optional:
		m.Type, m.Pointer = "*"+m.Type, true
	}
	if optional {
		name += ",omitempty"
	}
	m.Tag = tag(name, p, true)
	return m
}

// tag returns a field's tag: the JSON name, the description and the constraints.
func tag(name string, p *schema.Property, constraints bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "json:%q", name)
	d := schema.Datatypes[p.Datatype]
	doc := p.Description
	if doc == "" && p.Class != "" {
		doc = "Type/id or IRI of a " + p.Class
	} else if doc == "" && d.JSON == schema.JSONString && p.Datatype != "string" {
		doc = "A " + strings.ReplaceAll(p.Datatype, "_", " ") + ", such as " + strings.Trim(d.Example, `"`)
	}
	if doc != "" {
		fmt.Fprintf(&b, " doc:%q", doc)
	}
	if constraints && p.Datatype == "string" {
		if p.Pattern != "" {
			fmt.Fprintf(&b, " pattern:%q", p.Pattern)
		}
		if !p.Many() && p.MinLength != nil {
			fmt.Fprintf(&b, " min:\"%d\"", *p.MinLength)
		}
		if !p.Many() && p.MaxLength != nil {
			fmt.Fprintf(&b, " max:\"%d\"", *p.MaxLength)
		}
	}
	if constraints && p.Datatype == "integer" && !p.Many() {
		for _, bound := range []struct {
			tag   string
			value rdf.Term
		}{{"min", p.MinValue}, {"max", p.MaxValue}} {
			if _, err := strconv.Atoi(rdf.Lexical(bound.value)); bound.value != nil && err == nil {
				fmt.Fprintf(&b, " %s:%q", bound.tag, rdf.Lexical(bound.value))
			}
		}
	}
	if values := lexicals(p.OneOf); len(values) > 0 && p.Datatype == "string" && !strings.Contains(strings.Join(values, ""), ",") {
		fmt.Fprintf(&b, " oneof:%q", strings.Join(values, ","))
	}
	if strings.Contains(b.String(), "`") {
		return strconv.Quote(b.String())
	}
	return "`" + b.String() + "`"
}

func lexicals(terms []rdf.Term) (list []string) {
	for _, t := range terms {
		list = append(list, rdf.Lexical(t))
	}
	return list
}

// closureOf returns the part of the schema that nodes of a type need.
func closureOf(s *schema.Schema, t *schema.Type) (*schema.Schema, error) {
	kept := map[string]bool{}
	var keep func(t *schema.Type)
	keep = func(t *schema.Type) {
		if t == nil || kept[t.Name] {
			return
		}
		kept[t.Name] = true
		for _, super := range t.Extends {
			keep(s.Type(super))
		}
		for _, p := range t.Properties {
			keep(s.Type(p.Class))
		}
	}
	keep(t)
	var types []*schema.Type
	for _, t := range s.Types {
		if kept[t.Name] {
			own := *t
			own.Properties = nil
			for _, p := range t.Properties {
				one := *p
				own.Properties = append(own.Properties, &one)
			}
			types = append(types, &own)
		}
	}
	return schema.New(s.Base, s.Prefixes, types)
}

// example returns arguments as JSON that the capability accepts on an empty graph. It is "" if
// the schema gives none: a value must match a pattern, or refer to an existing node.
func (n NewCapability) example(s *schema.Schema, t *schema.Type, properties []*schema.Property, preserve bool) string {
	values := map[string]any{}
	for _, p := range properties {
		if n.Writes && !p.Required() {
			continue
		}
		if n.Writes && p.Class != "" {
			return ""
		}
		v := exampleOf(p)
		if n.Writes && p.Many() {
			v = []any{v}
		}
		values[p.Name] = v
	}
	if n.Writes && len(capability.ShapeOfType(s, t).Check(values)) > 0 {
		return ""
	}
	if preserve {
		values["id"] = "a"
	}
	text, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(text)
}

// exampleOf returns a valid value of a property, as JSON.
func exampleOf(p *schema.Property) any {
	text := schema.Datatypes[p.Datatype].Example
	for _, t := range slices.Concat([]rdf.Term{p.HasValue}, p.OneOf, []rdf.Term{p.Default, p.MinValue, p.MaxValue}) {
		if t != nil {
			text = rdf.Lexical(t)
			if schema.Datatypes[p.Datatype].JSON == schema.JSONString {
				return text
			}
			break
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	if text, isText := v.(string); isText && p.MinLength != nil {
		return text + strings.Repeat("x", max(0, *p.MinLength-len([]rune(text))))
	}
	return v
}

// goName makes an exported Go name from the name of a property or an id.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		letters := []rune(word)
		letters[0] = unicode.ToUpper(letters[0])
		b.WriteString(string(letters))
	}
	switch out := b.String(); {
	case out == "Id" || out == "Iri" || out == "Url" || out == "Uri":
		return strings.ToUpper(out)
	case out == "" || !unicode.IsUpper([]rune(out)[0]):
		return "X" + out
	default:
		return out
	}
}

// packageName makes a Go package name from the first word of an id.
func packageName(word string) string {
	word = strings.NewReplacer("_", "", "-", "").Replace(word)
	if token.IsKeyword(word) || word == "main" || word == "internal" || word == "vendor" || word == "testdata" {
		return word + "s"
	}
	return word
}
