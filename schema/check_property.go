package schema

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

func (c *checker) property(p *Property, path string) {
	c.propertyName(p, path)
	if err := CheckIRI(string(p.IRI)); err != nil && c.s.Base != "" {
		c.report(path+".predicate", fault.NodeKind, string(p.IRI), nil, "%v", err)
	}
	if p.IRI == rdf.Type {
		c.report(path+".predicate", fault.Unique, string(p.IRI), nil, "rdf:type states the type itself; give another predicate")
	}
	if !utf8.ValidString(p.Description) {
		c.report(path+".description", fault.Datatype, nil, nil, "the text is not valid UTF-8")
	}
	c.constraints(p, path)
}

// title checks the name for people: a line of text that fits in the header of a column.
func (c *checker) title(p *Property, path string) {
	switch {
	case strings.ContainsFunc(p.Label, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }):
		c.report(path+".label", fault.Pattern, nil, nil, "the label must be one line of valid UTF-8, without control characters")
	case strings.TrimSpace(p.Label) != p.Label:
		c.report(path+".label", fault.Pattern, p.Label, nil, "the label %q must not begin or end with space", p.Label)
	case utf8.RuneCountInString(p.Label) > MaxLabel:
		c.report(path+".label", fault.MaxLength, nil, MaxLabel, "the label has %d characters; at most %d are allowed, and description has room for more", utf8.RuneCountInString(p.Label), MaxLabel)
	}
}

// constraints checks the datatype and the constraints on values.
func (c *checker) constraints(p *Property, path string) {
	if !c.datatype(p, path) {
		return
	}
	c.counts(p, path)
	bounds := []struct {
		key   string
		value *int
	}{{"min_length", p.MinLength}, {"max_length", p.MaxLength}}
	for _, b := range bounds {
		switch {
		case b.value == nil:
		case !p.isText():
			c.report(path+"."+b.key, fault.Datatype, *b.value, nil, "%s is for text (string, lang_string, uri, iri without class), not for %s", b.key, cmp.Or(p.Class, p.Datatype))
		case *b.value < 0:
			c.report(path+"."+b.key, fault.MinValue, *b.value, 0, "%s must be 0 or more", b.key)
		}
	}
	if p.MinLength != nil && p.MaxLength != nil && *p.MinLength > *p.MaxLength {
		c.report(path+".min_length", fault.MaxValue, *p.MinLength, *p.MaxLength, "min_length %d is more than max_length %d", *p.MinLength, *p.MaxLength)
	}
	c.pattern(p, path)
	c.title(p, path)
	switch {
	case p.Dim == nil:
	case p.Datatype != wordVector:
		c.report(path+".dim", fault.Datatype, *p.Dim, nil, "dim is for vectors, not for %s", p.Datatype)
	case *p.Dim < 1 || *p.Dim > maxDim:
		c.report(path+".dim", fault.MaxValue, *p.Dim, maxDim, "dim must lie between 1 and %d", maxDim)
	}
	switch {
	case p.Embedded == nil || !*p.Embedded:
	case !p.isProse():
		c.report(path+".embed", fault.Datatype, true, nil, "embed is for string and lang_string, not for %s", cmp.Or(p.Class, p.Datatype))
	case p.Unsearched:
		c.report(path+".embed", fault.HasValue, true, nil, "embed is for what search finds, and search is false here; drop one of them")
	}
	c.languages(p, path)
	for i, name := range p.Was {
		switch {
		case !propertyName.MatchString(name):
			c.report(path+".was", fault.Pattern, name, propertyName.String(), "a property's name must match %s, such as attackId", propertyName)
		case name == p.Name || slices.Contains(p.Was[:i], name):
			c.report(path+".was", fault.Unique, name, nil, "%s is no other name that the property had", name)
		}
	}
	c.literals(p, path)
}

func (c *checker) languages(p *Property, path string) {
	switch {
	case p.IsLang():
	case len(p.Languages) > 0:
		c.report(path+".languages", fault.Datatype, p.Languages, nil, "languages is for lang_string, not for %s", cmp.Or(p.Class, p.Datatype))
	case p.UniqueLang:
		c.report(path+".unique_lang", fault.Datatype, true, nil, "unique_lang is for lang_string, not for %s", cmp.Or(p.Class, p.Datatype))
	}
	for i, tag := range p.Languages {
		switch err := rdf.CheckLangTag(tag); {
		case err != nil:
			c.report(path+".languages", fault.Pattern, tag, nil, "%v; a language is a tag such as en or pt-BR", err)
		case slices.Contains(p.Languages[:i], tag):
			c.report(path+".languages", fault.Unique, tag, nil, "%s is listed twice", tag)
		}
	}
}

func (c *checker) propertyName(p *Property, path string) {
	switch {
	case !propertyName.MatchString(p.Name):
		c.report(path, fault.Pattern, p.Name, propertyName.String(), "a property's name must match %s, such as attackId", propertyName)
	case slices.Contains(reservedProperties, p.Name):
		c.report(path, fault.Unique, p.Name, reservedProperties, "%s is an argument of every tool; choose another name (predicate may keep the IRI)", p.Name)
	case len(p.Name) > maxName:
		c.report(path, fault.MaxLength, p.Name, maxName, "the name has %d characters; at most %d are allowed", len(p.Name), maxName)
	}
}

// datatype reports whether the property's datatype and class are valid, so that other constraints can be checked.
func (c *checker) datatype(p *Property, path string) bool {
	_, known := Datatypes[p.Datatype]
	switch {
	case p.Datatype == "":
		c.report(path+".type", fault.Required, nil, usual, "the property has no type; there is %s (or class: for a reference)", someWords())
	case !known && c.s.byName[p.Datatype] != nil:
		c.report(path+".type", fault.Datatype, p.Datatype, usual, "%s is a type of this schema; for a reference to it write class: %s", p.Datatype, p.Datatype)
	case !known:
		c.report(path+".type", fault.Datatype, p.Datatype, usual, "there is no datatype %q%s", p.Datatype, suggestWord(p.Datatype))
	case p.Class != "" && !p.isReference():
		c.report(path+".class", fault.Class, p.Class, nil, "class is for references, but the type is %s; drop one of them", p.Datatype)
	case p.Class != "" && c.s.byName[p.Class] == nil:
		c.report(path+".class", fault.Class, p.Class, nil, "there is no type %q%s", p.Class, didYouMean(p.Class, c.s.names()))
		known = false
	}
	return known
}

func (c *checker) counts(p *Property, path string) {
	switch {
	case p.MinCount < 0:
		c.report(path+".min_count", fault.MinValue, p.MinCount, 0, "min_count must be 0 or more")
	case p.MaxCount != nil && *p.MaxCount < 1:
		c.report(path+".max_count", fault.MinValue, *p.MaxCount, 1, "max_count must be 1 or more")
	case p.MaxCount != nil && p.MinCount > *p.MaxCount:
		c.report(path+".min_count", fault.MaxValue, p.MinCount, *p.MaxCount, "min_count %d is more than max_count %d; raise max_count or add many: true", p.MinCount, *p.MaxCount)
	case len(p.OneOf) > 0 && p.MinCount > len(p.OneOf):
		c.report(path+".min_count", fault.MaxValue, p.MinCount, len(p.OneOf), "min_count %d is more than the %d values of one_of", p.MinCount, len(p.OneOf))
	}
}

// isProse reports whether the values are texts that may be found by what they mean.
func (p *Property) isProse() bool { return p.Class == "" && p.Datatype == wordString || p.IsLang() }

func (p *Property) isText() bool { return Datatypes[p.Datatype].Text && p.Class == "" }

func (c *checker) pattern(p *Property, path string) {
	if p.Pattern == "" {
		return
	}
	path += ".pattern"
	if !p.isText() {
		c.report(path, fault.Datatype, p.Pattern, nil, "pattern is for text (string, lang_string, uri, iri without class), not for %s", cmp.Or(p.Class, p.Datatype))
	}
	re, err := regexp.Compile(p.Pattern)
	if err != nil {
		c.report(path, fault.Pattern, p.Pattern, nil, "%v; patterns are RE2 (no look-around, no back-references)", err)
		return
	}
	c.patterns[p.Pattern] = re
}

// maxDim bounds the components of a vector.
const maxDim = 1 << 16
