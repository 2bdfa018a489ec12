package schema

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"trails/fault"
)

// unsaid are the keys of a property that only make sense for statements.
var unsaid = []string{"predicate", "unique", "search", "embed"}

// Parameters parses properties without a type, such as the parameters of a query, from a YAML mapping: each has the
// keys of a property in the schema, except for those about statements. Problems have the path of their place, which
// begins with path, and their line. If there are problems the properties must not be used.
func (s *Schema) Parameters(path string, n *yaml.Node) ([]*Property, []fault.FieldError) {
	d := newDecoder()
	d.prefixes = s.Prefixes
	var list []*Property
	for name, node := range d.members(path, n, nil) {
		list = append(list, d.property(path+"."+name, name, node))
		for _, word := range unsaid {
			if node.Kind == yaml.MappingNode && member(node, word) != nil {
				d.report(path+"."+name+"."+word, fault.Closed, "a parameter is no statement, and has no %s", word)
			}
		}
	}
	for _, v := range d.values {
		if _, known := Datatypes[v.p.Datatype]; known || v.p.Class != "" {
			s.normalizeProperty(v.p) // a reference may be given by its class only
			if term := d.term(s, v); term != nil {
				v.set(term)
			}
		}
	}
	c := &checker{s: s, where: d.source, patterns: map[string]*regexp.Regexp{}, problems: d.problems}
	for _, p := range list {
		s.normalizeProperty(p)
		if !propertyName.MatchString(p.Name) || len(p.Name) > maxName {
			c.report(path+"."+p.Name, fault.Pattern, p.Name, propertyName.String(), "a parameter's name must match %s, and have %d characters at most", propertyName, maxName)
			continue
		}
		c.constraints(p, path+"."+p.Name)
	}
	return list, c.problems
}
