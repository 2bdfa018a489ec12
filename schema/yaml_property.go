package schema

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/rdf"
)

// property reads one property; a bare word is short for {type: word}.
func (d *decoder) property(path, name string, n *yaml.Node) *Property {
	if n.Kind == yaml.ScalarNode && n.Tag != tagNull {
		one := 1
		return &Property{Name: name, Datatype: wordFor(n.Value), MaxCount: &one}
	}
	if n.Kind == yaml.SequenceNode {
		d.report(path, fault.Datatype, "this is no list; write {type: string, many: true} for several values, or {type: string, one_of: [low, high]} for one of these")
		return &Property{Name: name, Datatype: wordString}
	}
	m := d.mapping(path, n, keyNames)
	p := &Property{
		Name:        name,
		IRI:         d.iri(path+".predicate", m["predicate"]),
		Description: d.text(path+".description", m["description"]),
		Datatype:    wordFor(d.text(path+".type", m["type"])),
		Class:       d.text(path+".class", m["class"]),
	}
	for k, field := range p.fields() {
		if n := m[k.name]; n != nil && !k.counts {
			d.field(path+"."+k.name, k, p, field, n)
		}
	}
	d.counts(path, m, p)
	return p
}

// field reads the value of a key into its field.
func (d *decoder) field(path string, k key, p *Property, field any, n *yaml.Node) {
	switch f := field.(type) {
	case *string:
		*f = d.text(path, n)
	case *bool:
		*f = d.flag(path, n) != k.negated
	case **bool:
		said := d.flag(path, n)
		*f = &said
	case **int:
		*f = d.number(path, n)
	case *[]string:
		*f = d.list(path, n)
	case *rdf.Term:
		d.values = append(d.values, pendingValue{path, p, n, func(t rdf.Term) { *f = t }})
	case *[]rdf.Term:
		if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
			d.report(path, fault.OneOf, "this must be a list of the values that are allowed, such as [low, high]")
			return
		}
		for _, item := range n.Content {
			d.values = append(d.values, pendingValue{path, p, item, func(t rdf.Term) { *f = append(*f, t) }})
		}
	}
}

// counts reads required, many, min_count and max_count, which are two ways to express the same.
func (d *decoder) counts(path string, m map[string]*yaml.Node, p *Property) {
	if minCount := d.number(path+".min_count", m["min_count"]); minCount != nil {
		p.MinCount = *minCount
	}
	if m["required"] != nil {
		required, counted := d.flag(path+".required", m["required"]), m["min_count"] != nil
		switch {
		case required && counted && p.MinCount == 0:
			d.report(path+".required", fault.Required, "required: true and min_count: 0 contradict each other; drop one")
		case !required && p.MinCount > 0:
			d.report(path+".required", fault.Required, "required: false and min_count: %d contradict each other; drop one", p.MinCount)
		case required && !counted:
			p.MinCount = 1
		}
	} else if m["has_value"] != nil && m["min_count"] == nil {
		p.MinCount = 1
	}
	many := d.flag(path+".many", m["many"])
	p.MaxCount = d.number(path+".max_count", m["max_count"])
	switch {
	case p.MaxCount == nil && !many:
		one := 1
		p.MaxCount = &one
	case p.MaxCount == nil || m["many"] == nil:
	case many != p.Many():
		d.report(path+".many", fault.MaxCount, "many: %t and max_count: %d contradict each other; drop one", many, *p.MaxCount)
	}
	if m["has_value"] != nil && m["required"] != nil && p.MinCount == 0 {
		d.report(path+".required", fault.Required, "has_value needs the value to be there; drop required: false")
	}
}

// pendingValue is a literal that can be parsed after all types are known.
type pendingValue struct {
	path string
	p    *Property
	node *yaml.Node
	set  func(rdf.Term)
}

// term parses a literal from its text as written: YAML's types are ignored, so that one_of: [1.10] on a string means
// "1.10".
func (d *decoder) term(s *Schema, v pendingValue) rdf.Term {
	if v.p.Datatype == wordVector {
		var array []any
		for _, item := range v.node.Content {
			array = append(array, json.Number(bytes.TrimSpace([]byte(item.Value))))
		}
		lexical, reason := vectorLexical(v.p, array)
		if v.node.Kind != yaml.SequenceNode || reason != "" {
			d.report(v.path, fault.Datatype, "the value must be a list of numbers, such as [0.1, 0.2]")
			return nil
		}
		return rdf.Literal(lexical, Vector)
	}
	if v.p.IsLang() && v.node.Kind == yaml.MappingNode { // as JSON has it
		m := d.mapping(v.path, v.node, []string{LangText, LangTag})
		text, tag := d.text(v.path, m[LangText]), d.text(v.path, m[LangTag])
		return d.lang(v, text, tag, m[LangText] != nil && rdf.CheckLangTag(tag) == nil)
	}
	text := d.text(v.path, v.node)
	if v.node.Kind != yaml.ScalarNode || v.node.Tag == tagNull {
		return nil
	}
	if v.p.IsLang() {
		text, tag, ok := rdf.SplitLang(text)
		return d.lang(v, text, tag, ok)
	}
	if !v.p.isReference() {
		return rdf.Literal(text, v.p.datatypeIRI())
	}
	iri, err := s.ResolveRef(v.p, text)
	if err != nil {
		d.report(v.path, fault.Class, "%v", err)
		return nil
	}
	return iri
}

// lang is text with a language, where it is one.
func (d *decoder) lang(v pendingValue, text, tag string, ok bool) rdf.Term {
	if !ok {
		d.report(v.path, fault.Datatype, "%q has no language; write text@en, or {value: text, lang: en}", text)
		return nil
	}
	return rdf.LangLiteral(text, tag)
}
