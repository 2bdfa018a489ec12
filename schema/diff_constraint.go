package schema

import (
	"slices"

	"trails/rdf"
	"trails/rdf/xsd"
)

// constraint is one key of a property in YAML that limits its values.
type constraint struct {
	key   string
	value func(s *Schema, p *Property) any // as JSON; nil when absent
	same  func(was, is *Property) bool
	// tightens reports whether a value that was allowed may not be any more.
	tightens func(was, is *Property) bool
}

// constraints are all of them, in the order of the contract.
var constraints = []constraint{
	{
		"min_count",
		func(_ *Schema, p *Property) any { return p.MinCount },
		func(was, is *Property) bool { return was.MinCount == is.MinCount },
		func(was, is *Property) bool { return is.MinCount > was.MinCount },
	},
	count("max_count", func(p *Property) *int { return p.MaxCount }, func(was, is int) bool { return is < was }),
	count("min_length", func(p *Property) *int { return p.MinLength }, func(was, is int) bool { return is > was }),
	count("max_length", func(p *Property) *int { return p.MaxLength }, func(was, is int) bool { return is < was }),
	{
		"pattern",
		func(_ *Schema, p *Property) any { return said(p.Pattern) },
		func(was, is *Property) bool { return was.Pattern == is.Pattern },
		func(_, is *Property) bool { return is.Pattern != "" },
	},
	{
		"one_of",
		func(s *Schema, p *Property) any { return s.jsonValues(p, p.OneOf) },
		func(was, is *Property) bool { return slices.Equal(was.OneOf, is.OneOf) },
		narrowsChoice,
	},
	bound("min_value", func(p *Property) rdf.Term { return p.MinValue }, func(order int) bool { return order >= 0 }),
	bound("max_value", func(p *Property) rdf.Term { return p.MaxValue }, func(order int) bool { return order <= 0 }),
	{
		"has_value",
		func(s *Schema, p *Property) any { return s.optional(p, p.HasValue) },
		func(was, is *Property) bool { return was.HasValue == is.HasValue },
		func(_, is *Property) bool { return is.HasValue != nil },
	},
	{
		"unique",
		func(_ *Schema, p *Property) any { return p.Unique },
		func(was, is *Property) bool { return was.Unique == is.Unique },
		func(_, is *Property) bool { return is.Unique },
	},
	count("dim", func(p *Property) *int { return p.Dim }, func(was, is int) bool { return is != was }),
}

// count is a limit by a number; tighter compares the new number with the old one.
func count(key string, get func(*Property) *int, tighter func(was, is int) bool) constraint {
	return constraint{
		key,
		func(_ *Schema, p *Property) any {
			if n := get(p); n != nil {
				return *n
			}
			return nil
		},
		func(was, is *Property) bool {
			a, b := get(was), get(is)
			return a == b || a != nil && b != nil && *a == *b
		},
		func(was, is *Property) bool {
			return get(is) != nil && (get(was) == nil || tighter(*get(was), *get(is)))
		},
	}
}

// bound is a limit by value; loosens judges the order of the old to the new limit.
func bound(key string, get func(*Property) rdf.Term, loosens func(order int) bool) constraint {
	return constraint{
		key,
		func(s *Schema, p *Property) any { return s.optional(p, get(p)) },
		func(was, is *Property) bool { return get(was) == get(is) },
		func(was, is *Property) bool {
			if get(is) == nil || get(was) == nil {
				return get(is) != nil
			}
			order, ok := xsd.Compare(get(was), get(is))
			return !ok || !loosens(order)
		},
	}
}

// narrowsChoice reports whether a value of the old list, or any value when there
// was no list, is not in the new one.
func narrowsChoice(was, is *Property) bool {
	if len(is.OneOf) == 0 {
		return false
	}
	allowed := make(map[rdf.Term]bool, len(is.OneOf))
	for _, term := range is.OneOf {
		allowed[term] = true
	}
	gone := slices.ContainsFunc(was.OneOf, func(term rdf.Term) bool { return !allowed[term] })
	return len(was.OneOf) == 0 || gone
}

func (s *Schema) jsonValues(p *Property, terms []rdf.Term) any {
	if len(terms) == 0 {
		return nil
	}
	values := make([]any, len(terms))
	for i, term := range terms {
		values[i] = s.JSONValue(p, term)
	}
	return values
}
