package schema

import (
	"iter"
	"reflect"
	"slices"

	"trails/rdf"
	"trails/rdf/xsd"
)

// key is a key that a property may have in YAML. If it corresponds to a field of [Property], this row defines it
// completely: YAML, quads and differences use this table. A new constraint is a field there and in
// [PropertyDocument], and a row here; package validate checks values.
type key struct {
	name      string
	predicate rdf.IRI // predicate of the property shape
	// field points to the field: a *string, *bool, **bool, *int, **int, *rdf.Term, *[]rdf.Term or *[]string. It is nil for a
	// key that is handled separately.
	field func(*Property) any
	// tightens reports whether a previously valid value may become invalid; nil if it is not a constraint.
	tightens func(was, is *Property) bool
	// counts means that required and many express the same.
	counts bool
	// negated means that the field is true if the key is false.
	negated bool
	// behind means that YAML has it last.
	behind bool
	// step is the kind of step for a change, if it is not a constraint.
	step StepKind
}

// keys are in the order of the contract.
var keys = []key{
	{name: "type"}, {name: "required"}, {name: "many"},
	{
		name: "min_count", predicate: shMinCount, counts: true,
		field:    func(p *Property) any { return &p.MinCount },
		tightens: func(was, is *Property) bool { return is.MinCount > was.MinCount },
	},
	{
		name: "max_count", predicate: shMaxCount, counts: true,
		field:    func(p *Property) any { return &p.MaxCount },
		tightens: count(func(p *Property) *int { return p.MaxCount }, func(was, is int) bool { return is < was }),
	},
	{
		name: "min_length", predicate: shMinLength,
		field:    func(p *Property) any { return &p.MinLength },
		tightens: count(func(p *Property) *int { return p.MinLength }, func(was, is int) bool { return is > was }),
	},
	{
		name: "max_length", predicate: shMaxLength,
		field:    func(p *Property) any { return &p.MaxLength },
		tightens: count(func(p *Property) *int { return p.MaxLength }, func(was, is int) bool { return is < was }),
	},
	{
		name: "pattern", predicate: shPattern,
		field:    func(p *Property) any { return &p.Pattern },
		tightens: func(_, is *Property) bool { return is.Pattern != "" },
	},
	{
		name: "one_of", predicate: shIn, behind: true,
		field:    func(p *Property) any { return &p.OneOf },
		tightens: narrowsChoice,
	},
	{
		name: "min_value", predicate: shMinInclusive,
		field:    func(p *Property) any { return &p.MinValue },
		tightens: bound(func(p *Property) rdf.Term { return p.MinValue }, func(order int) bool { return order >= 0 }),
	},
	{
		name: "max_value", predicate: shMaxInclusive,
		field:    func(p *Property) any { return &p.MaxValue },
		tightens: bound(func(p *Property) rdf.Term { return p.MaxValue }, func(order int) bool { return order <= 0 }),
	},
	{
		name: "has_value", predicate: shHasValue,
		field:    func(p *Property) any { return &p.HasValue },
		tightens: func(_, is *Property) bool { return is.HasValue != nil },
	},
	{
		name: "languages", predicate: shLanguageIn, behind: true,
		field:    func(p *Property) any { return &p.Languages },
		tightens: narrowsLanguages,
	},
	{
		name: "unique_lang", predicate: shUniqueLang, behind: true,
		field:    func(p *Property) any { return &p.UniqueLang },
		tightens: func(_, is *Property) bool { return is.UniqueLang },
	},
	{name: "class"},
	{
		name: "unique", predicate: TrailsUnique, behind: true,
		field:    func(p *Property) any { return &p.Unique },
		tightens: func(_, is *Property) bool { return is.Unique },
	},
	{
		name: "default", predicate: shDefaultValue, behind: true, step: ChangeDefault,
		field: func(p *Property) any { return &p.Default },
	},
	{
		name: "label", predicate: shName, step: ChangeLabel,
		field: func(p *Property) any { return &p.Label },
	},
	{name: "description"}, {name: "predicate"},
	{
		name: "dim", predicate: TrailsDim, behind: true,
		field:    func(p *Property) any { return &p.Dim },
		tightens: count(func(p *Property) *int { return p.Dim }, func(was, is int) bool { return is != was }),
	},
	{
		name: "search", predicate: TrailsSearch, behind: true, negated: true, step: ChangeSearch,
		field: func(p *Property) any { return &p.Unsearched },
	},
	{
		name: "embed", predicate: TrailsEmbed, behind: true, step: ChangeEmbed,
		field: func(p *Property) any { return &p.Embedded },
	},
	{
		name: "was", predicate: TrailsWas, behind: true, step: ChangeWas,
		field: func(p *Property) any { return &p.Was },
	},
}

// keyNames are the keys allowed in YAML.
var keyNames = func() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}()

// fields yields the keys that stand for fields, and of a property what each points to.
func (p *Property) fields() iter.Seq2[key, any] {
	return func(yield func(key, any) bool) {
		for _, k := range keys {
			if k.field != nil && !yield(k, k.field(p)) {
				return
			}
		}
	}
}

// isAbsent reports whether a field has its zero value, which means absent.
func isAbsent(field any) bool { return reflect.ValueOf(field).Elem().IsZero() }

// value returns a field as JSON, nil if absent.
func (k key) value(s *Schema, p *Property) any {
	switch f := k.field(p).(type) {
	case *string:
		return textOrNil(*f)
	case *bool:
		return *f != k.negated
	case *int:
		return *f
	case **bool:
		if *f != nil {
			return **f
		}
	case **int:
		if *f != nil {
			return **f
		}
	case *rdf.Term:
		return s.JSONValue(p, *f)
	case *[]rdf.Term:
		return orNil(s.jsonValues(p, *f))
	case *[]string:
		return orNil(*f)
	}
	return nil
}

// count returns tightens for a numeric limit; tighter compares the old number with the new one.
func count(get func(*Property) *int, tighter func(was, is int) bool) func(was, is *Property) bool {
	return func(was, is *Property) bool {
		return get(is) != nil && (get(was) == nil || tighter(*get(was), *get(is)))
	}
}

// bound returns tightens for a limit by value; loosens judges the order of the old limit and the new one.
func bound(get func(*Property) rdf.Term, loosens func(order int) bool) func(was, is *Property) bool {
	return func(was, is *Property) bool {
		if get(is) == nil || get(was) == nil {
			return get(is) != nil
		}
		order, ok := xsd.Compare(get(was), get(is))
		return !ok || !loosens(order)
	}
}

// narrowsChoice reports whether a previously allowed value is not in the new list.
func narrowsChoice(was, is *Property) bool {
	if len(is.OneOf) == 0 || len(was.OneOf) == 0 {
		return len(is.OneOf) > 0
	}
	allowed := make(map[rdf.Term]bool, len(is.OneOf))
	for _, term := range is.OneOf {
		allowed[term] = true
	}
	return slices.ContainsFunc(was.OneOf, func(term rdf.Term) bool { return !allowed[term] })
}
