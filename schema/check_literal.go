package schema

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// literals checks the values in a property's constraints: each by itself, and then against each other.
func (c *checker) literals(p *Property, path string) {
	c.bounds(p, path)
	seen := make(map[rdf.Term]bool, len(p.OneOf))
	for _, term := range p.OneOf {
		if !c.literal(p, path+".one_of", term) {
			continue
		}
		if seen[term] {
			c.report(path+".one_of", fault.Unique, c.s.JSONValue(p, term), nil, "%s is listed twice", rdf.Lexical(term))
		}
		seen[term] = true
		c.fits(p, path+".one_of", term)
	}
	c.fixed(p, path+".has_value", p.HasValue)
	c.fixed(p, path+".default", p.Default)
	if p.Default != nil && p.Unique {
		c.report(path+".default", fault.Unique, c.s.JSONValue(p, p.Default), nil, "a unique property cannot have a default: two entities would share it; drop one of them")
	}
}

func (c *checker) bounds(p *Property, path string) {
	valid := true
	for key, term := range map[string]rdf.Term{"min_value": p.MinValue, "max_value": p.MaxValue} {
		if term == nil {
			continue
		}
		if !Datatypes[p.Datatype].Ordered {
			c.report(path+"."+key, fault.Datatype, c.s.JSONValue(p, term), nil, "%s is for numbers, dates and times, not for %s", key, p.Datatype)
			valid = false
			continue
		}
		valid = c.literal(p, path+"."+key, term) && valid
	}
	if !valid || p.MinValue == nil || p.MaxValue == nil {
		return
	}
	if order, ok := xsd.Compare(p.MinValue, p.MaxValue); ok && order > 0 {
		c.report(path+".min_value", fault.MaxValue, c.s.JSONValue(p, p.MinValue), c.s.JSONValue(p, p.MaxValue),
			"min_value %s is more than max_value %s", rdf.Lexical(p.MinValue), rdf.Lexical(p.MaxValue))
	}
}

// fixed checks has_value and default, which all other constraints must allow.
func (c *checker) fixed(p *Property, path string, term rdf.Term) {
	if term == nil || !c.literal(p, path, term) {
		return
	}
	c.fits(p, path, term)
	if len(p.OneOf) > 0 && !slices.Contains(p.OneOf, term) {
		c.report(path, fault.OneOf, c.s.JSONValue(p, term), nil, "%s is not among the values of one_of", rdf.Lexical(term))
	}
}

// literal reports whether term is a value of p's datatype.
func (c *checker) literal(p *Property, path string, term rdf.Term) bool {
	if reason := p.misfit(term); reason != "" {
		c.report(path, fault.Datatype, rdf.Lexical(term), p.Datatype, "%s", reason)
		return false
	}
	return true
}

// misfit says why term is no value of p's datatype; "" when it is one.
func (p *Property) misfit(term rdf.Term) string {
	lexical := rdf.Lexical(term)
	_, isIRI := term.(rdf.IRI)
	switch {
	case p.isReference() && !isIRI:
		return "the value must be an IRI"
	case p.isReference():
		if err := CheckIRI(lexical); err != nil {
			return err.Error()
		}
		return ""
	case rdf.DatatypeOf(term) != p.datatypeIRI():
		return "the value must be a literal of " + string(p.datatypeIRI())
	case !utf8.ValidString(lexical):
		return "the text is not valid UTF-8"
	case p.Datatype == wordVector:
		array, ok := vectorOf(lexical)
		if !ok {
			return notA(p, lexical)
		}
		compact, reason := vectorLexical(p, array)
		switch {
		case reason != "":
			return reason
		case compact != lexical:
			return "the vector must be written as " + compact
		case len(array) == 0:
			return "the vector is empty"
		case len(array) > maxDim:
			return fmt.Sprintf("the vector has %d components; at most %d are allowed", len(array), maxDim)
		case p.Dim != nil && len(array) != *p.Dim:
			return fmt.Sprintf("the vector has %d components; %s has %d", len(array), p.Name, *p.Dim)
		}
		return ""
	case !xsd.Valid(lexical, p.datatypeIRI()):
		return notA(p, lexical)
	}
	return ""
}

// fits checks a valid value against the other constraints of p.
func (c *checker) fits(p *Property, path string, term rdf.Term) {
	lexical, value := rdf.Lexical(term), c.s.JSONValue(p, term)
	length := utf8.RuneCountInString(lexical)
	pattern := c.patterns[p.Pattern] // nil without a pattern, and with an invalid one, which is reported elsewhere
	switch {
	case p.MinLength != nil && length < *p.MinLength:
		c.report(path, fault.MinLength, value, *p.MinLength, "%q has %d characters, fewer than min_length %d", lexical, length, *p.MinLength)
	case p.MaxLength != nil && length > *p.MaxLength:
		c.report(path, fault.MaxLength, value, *p.MaxLength, "%q has %d characters, more than max_length %d", lexical, length, *p.MaxLength)
	case pattern != nil && !pattern.MatchString(lexical):
		c.report(path, fault.Pattern, value, p.Pattern, "%q does not match pattern %s", lexical, p.Pattern)
	case p.IsLang() && !p.speaks(tagOf(term)):
		c.report(path, fault.Languages, value, p.Languages, "%q is in %s, which is not among languages", lexical, tagOf(term))
	case before(term, p.MinValue):
		c.report(path, fault.MinValue, value, c.s.JSONValue(p, p.MinValue), "%s is less than min_value %s", lexical, rdf.Lexical(p.MinValue))
	case before(p.MaxValue, term):
		c.report(path, fault.MaxValue, value, c.s.JSONValue(p, p.MaxValue), "%s is more than max_value %s", lexical, rdf.Lexical(p.MaxValue))
	}
}

// before reports whether a is less than b; false if one is nil.
func before(a, b rdf.Term) bool {
	if a == nil || b == nil {
		return false
	}
	order, ok := xsd.Compare(a, b)
	return ok && order < 0
}
