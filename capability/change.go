package capability

import (
	"encoding/json"
	"fmt"
	"slices"

	"trails/auth/policy"
	"trails/text/jsontext"
)

// Change is one difference between two descriptors of a capability.
type Change struct {
	// Field is the changed field of the descriptor, or a place in a shape: "input_shape.title.pattern".
	Field string
	// Part is the part of the version that must rise.
	Part Part
	// What describes the change, to be read after the field: "is narrower".
	What string
}

func (c Change) String() string { return c.Field + " " + c.What }

// Greatest returns the first change of those whose part is the highest; the zero Change when
// there is none.
func Greatest(all []Change) (most Change) {
	for _, c := range all {
		if c.Part > most.Part {
			most = c
		}
	}
	return most
}

// Compare returns the differences between two descriptors in the order of the fields, without the version. If inputs
// become wider or outputs narrower, existing callers still work: that is minor, and the reverse is major.
func Compare(before, after Descriptor) []Change {
	var all []Change
	for _, r := range descriptorRules {
		for _, c := range r.changes(before, after) {
			c.Field = r.field + c.Field
			all = append(all, c)
		}
	}
	return all
}

// descriptorRule says how a change of one field of the descriptor, by its JSON name, counts.
type descriptorRule struct {
	field   string
	changes func(before, after Descriptor) []Change
}

// descriptorRules has a rule for each of the fourteen fields.
var descriptorRules = []descriptorRule{
	{"id", func(b, a Descriptor) []Change { return once(b.ID != a.ID, Major, "is of another capability") }},
	{"version", func(Descriptor, Descriptor) []Change { return nil }}, // described by the other changes
	{"description", func(b, a Descriptor) []Change { return once(b.Description != a.Description, Patch, otherWords) }},
	{"input_shape", func(b, a Descriptor) []Change { return input.shapes(b.InputShape, a.InputShape) }},
	{"output_shape", func(b, a Descriptor) []Change { return output.shapes(b.OutputShape, a.OutputShape) }},
	{"preconditions", func(b, a Descriptor) []Change {
		switch more := len(a.Preconditions) - len(b.Preconditions); {
		case more > 0:
			return once(true, Major, "are more")
		case more < 0:
			return once(true, Minor, "are fewer")
		}
		return once(!slices.Equal(b.Preconditions, a.Preconditions), Patch, "have other words")
	}},
	{"side_effects", func(b, a Descriptor) []Change {
		return grows([]SideEffects{None, Writes, Destroys}, b.SideEffects, a.SideEffects)
	}},
	{"cost_estimate", func(b, a Descriptor) []Change { return once(b.CostEstimate != a.CostEstimate, Minor, "is another") }}, // calls do not depend on it
	{"policy_required", func(b, a Descriptor) []Change {
		return slices.Concat(
			within(".scope", grows([]policy.Scope{policy.Runtime, policy.Builder, policy.Dev}, b.PolicyRequired.Scope, a.PolicyRequired.Scope)),
			within(".action", grows([]policy.Action{"", policy.Read, policy.Export, policy.Change, policy.SchemaApply, policy.BranchMerge, policy.Restore}, b.PolicyRequired.Action, a.PolicyRequired.Action)),
			within(".remote", grows([]bool{false, true}, b.PolicyRequired.Remote, a.PolicyRequired.Remote)),
			within(".upstream", grows([]bool{false, true}, b.PolicyRequired.Upstream, a.PolicyRequired.Upstream)))
	}},
	{"idempotent", func(b, a Descriptor) []Change { return grows([]bool{true, false}, b.Idempotent, a.Idempotent) }},
	{"reasoning", func(b, a Descriptor) []Change { return once(b.Reasoning != a.Reasoning, Major, "is another") }}, // the answers change as well
	{"deprecates", func(b, a Descriptor) []Change {
		if slices.ContainsFunc(b.Deprecates, func(id string) bool { return !slices.Contains(a.Deprecates, id) }) {
			return once(true, Major, "lack an id that calls may use")
		}
		if len(a.Deprecates) > len(b.Deprecates) {
			return once(true, Minor, "are more")
		}
		return once(!slices.Equal(b.Deprecates, a.Deprecates), Patch, "have another order")
	}},
	{"assurance", func(b, a Descriptor) []Change {
		return grows([]Assurance{AssuranceValidated, AssuranceSnapshot, AssuranceNone}, b.Assurance, a.Assurance)
	}},
	{"consent_required", func(b, a Descriptor) []Change {
		return grows([]bool{false, true}, b.ConsentRequired, a.ConsentRequired)
	}},
}

const otherWords = "has other words"

func once(differs bool, p Part, what string) []Change {
	if !differs {
		return nil
	}
	return []Change{{Part: p, What: what}}
}

func within(place string, changes []Change) []Change {
	for i := range changes {
		changes[i].Field = place + changes[i].Field
	}
	return changes
}

// grows compares two values of a list that is ordered from the strongest promise to the weakest; other values are at
// the end.
func grows[T comparable](order []T, before, after T) []Change {
	place := func(v T) int {
		if at := slices.Index(order, v); at >= 0 {
			return at
		}
		return len(order)
	}
	switch {
	case before == after:
		return nil
	case place(after) < place(before):
		return once(true, Minor, fmt.Sprintf("was %v and is %v", before, after))
	}
	return once(true, Major, fmt.Sprintf("was %v and is %v", before, after))
}

// relation is the effect of a change on the set of valid values.
type relation int

const (
	equal    relation = iota // the same values fit
	words                    // the same values are valid, with other words
	wider                    // more fit
	narrower                 // some do not any more
	other                    // some are added and some removed
)

// direction is which way the values of a shape go.
type direction struct {
	wider, narrower Part
}

var (
	input  = direction{wider: Minor, narrower: Major}
	output = direction{wider: Major, narrower: Minor}
)

func (d direction) change(field string, r relation) []Change {
	c := Change{Field: field}
	switch r {
	case equal:
		return nil
	case words:
		c.Part, c.What = Patch, otherWords
	case wider:
		c.Part, c.What = d.wider, "is wider"
	case narrower:
		c.Part, c.What = d.narrower, "is narrower"
	case other:
		c.Part, c.What = Major, "is another"
	}
	return []Change{c}
}

// shapeRules says how a change of each part of a shape counts, except for its fields.
var shapeRules = []struct {
	member  string
	compare func(before, after Shape) relation
}{
	{"node_type", func(b, a Shape) relation { return either(b.NodeType != a.NodeType, other) }},
	{"unique_together", func(b, a Shape) relation { return subset(a.UniqueTogether, b.UniqueTogether) }},
	{"closed", func(b, a Shape) relation { return flag(b.Closed, a.Closed) }},
}

func (d direction) shapes(before, after Shape) []Change {
	all := d.fields(before.Fields, after.Fields)
	for _, r := range shapeRules {
		all = append(all, d.change("."+r.member, r.compare(before, after))...)
	}
	return all
}

// fields compares the members of an object by their names.
func (d direction) fields(before, after []Field) (all []Change) {
	var kept, stayed []string
	for _, b := range before {
		a, there := Shape{Fields: after}.Field(b.Name)
		if !there {
			all = append(all, Change{"." + b.Name, Major, "is gone"})
			continue
		}
		kept = append(kept, b.Name)
		for _, r := range fieldRules {
			all = append(all, d.change("."+b.Name+"."+r.member, r.compare(b, a))...)
		}
		if len(b.Fields) > 0 && len(a.Fields) > 0 {
			all = append(all, within("."+b.Name, d.fields(b.Fields, a.Fields))...)
		}
	}
	for _, a := range after {
		_, there := Shape{Fields: before}.Field(a.Name)
		switch {
		case there:
			stayed = append(stayed, a.Name)
		case a.Required && d == input:
			all = append(all, Change{"." + a.Name, Major, "is new and required"})
		default:
			all = append(all, Change{"." + a.Name, Minor, "is new"})
		}
	}
	if !slices.Equal(kept, stayed) {
		all = append(all, Change{"", Patch, "has another order"})
	}
	return all
}

// fieldRules has a rule for each part of a field. [direction.fields] compares their names, and the members of
// objects.
var fieldRules = []struct {
	member  string
	compare func(before, after Field) relation
}{
	{"name", func(Field, Field) relation { return equal }},
	{"description", func(b, a Field) relation { return either(b.Description != a.Description, words) }},
	{"type", func(b, a Field) relation { return typeRelation(b.Type, a.Type) }},
	{"required", func(b, a Field) relation { return flag(b.Required, a.Required) }},
	{"many", func(b, a Field) relation { return either(b.Many != a.Many, other) }},
	{"min_count", func(b, a Field) relation { return least(Field{}, whole(b.MinCount), whole(a.MinCount)) }},
	{"max_count", func(b, a Field) relation { return most(Field{}, whole(b.MaxCount), whole(a.MaxCount)) }},
	{"min_length", func(b, a Field) relation { return least(Field{}, whole(b.MinLength), whole(a.MinLength)) }},
	{"max_length", func(b, a Field) relation { return most(Field{}, whole(b.MaxLength), whole(a.MaxLength)) }},
	{"pattern", func(b, a Field) relation { return given(word(b.Pattern), word(a.Pattern)) }},
	{"one_of", func(b, a Field) relation {
		if len(b.OneOf) == 0 || len(a.OneOf) == 0 {
			return flag(len(b.OneOf) > 0, len(a.OneOf) > 0)
		}
		return subset(b.OneOf, a.OneOf)
	}},
	{"min_value", func(b, a Field) relation { return least(b, b.MinValue, a.MinValue) }},
	{"max_value", func(b, a Field) relation { return most(b, b.MaxValue, a.MaxValue) }},
	{"has_value", func(b, a Field) relation { return given(b.HasValue, a.HasValue) }},
	{"unique", func(b, a Field) relation { return flag(b.Unique, a.Unique) }},
	{"node_type", func(b, a Field) relation { return given(word(b.NodeType), word(a.NodeType)) }},
	{"dim", func(b, a Field) relation { return given(whole(b.Dim), whole(a.Dim)) }},
	{"nullable", func(b, a Field) relation { return flag(a.Nullable, b.Nullable) }},
	{"needed", func(b, a Field) relation { return flag(b.Needed, a.Needed) }},
	{"default", func(b, a Field) relation { return either(!jsontext.Equal(b.Default, a.Default), other) }}, // leaving it out now means something else
	{"scope", func(b, a Field) relation { return given(word(string(b.Scope)), word(string(a.Scope))) }},
	{"rare", func(b, a Field) relation { return either(b.Rare != a.Rare, words) }},
	{"brief", func(b, a Field) relation { return either(b.Brief != a.Brief, words) }},
	{"fields", func(b, a Field) relation { return flag(len(b.Fields) > 0, len(a.Fields) > 0) }},
	{"cells", func(b, a Field) relation { return table(b.Cells, a.Cells) }},
}

// table compares the columns of a table, which callers find by their places.
func table(before, after []Cell) relation {
	if len(before) == 0 || len(after) == 0 {
		return flag(len(before) > 0, len(after) > 0)
	}
	if !slices.EqualFunc(before, after, func(b, a Cell) bool { return b.Name == a.Name }) {
		return other
	}
	all := equal
	for i, b := range before {
		a := after[i]
		r := subset(b.Types, a.Types)
		if len(b.Types) == 0 || len(a.Types) == 0 {
			r = flag(len(b.Types) > 0, len(a.Types) > 0)
		}
		if r == equal && b.Says != a.Says {
			r = words
		}
		switch {
		case all == equal, all == words && r != equal:
			all = r
		case r != equal && r != words && r != all:
			return other
		}
	}
	return all
}

func either(differs bool, r relation) relation {
	if !differs {
		return equal
	}
	return r
}

// flag compares a condition that restricts the values.
func flag(before, after bool) relation {
	switch {
	case before == after:
		return equal
	case after:
		return narrower
	}
	return wider
}

// given compares conditions without an order; nil is none.
func given(before, after any) relation {
	if before == nil || after == nil {
		return flag(before != nil, after != nil)
	}
	return either(!jsontext.Equal(before, after), other)
}

// subset compares lists of valid values.
func subset[T any](before, after []T) relation {
	lacks := func(list, of []T) bool {
		return slices.ContainsFunc(of, func(one T) bool {
			return !slices.ContainsFunc(list, func(v T) bool { return jsontext.Equal(v, one) })
		})
	}
	more, fewer := lacks(before, after), lacks(after, before)
	switch {
	case more && fewer:
		return other
	case more:
		return wider
	case fewer:
		return narrower
	}
	return either(!slices.EqualFunc(before, after, func(b, a T) bool { return jsontext.Equal(b, a) }), words)
}

// least and most compare lower and upper bounds of a field; nil is none.
func least(f Field, before, after any) relation {
	if before == nil || after == nil {
		return flag(before != nil, after != nil)
	}
	order, ok := f.compare(json.Number(fmt.Sprint(after)), before)
	switch {
	case !ok:
		return given(before, after)
	case order > 0:
		return narrower
	case order < 0:
		return wider
	}
	return either(!jsontext.Equal(before, after), words)
}

func most(f Field, before, after any) relation {
	switch r := least(f, before, after); {
	case before == nil || after == nil:
		return r
	case r == narrower:
		return wider
	case r == wider:
		return narrower
	default:
		return r
	}
}

// contains maps types to the types whose values they include.
var contains = map[Type][]Type{
	Number:  {Integer, Decimal},
	Decimal: {Integer, Number},
	String:  {BigInteger, Date, DateTime, Time, Duration, Year, URI, IRI, Bytes},
}

func typeRelation(before, after Type) relation {
	isIn := func(t, of Type) bool { return of == Any || slices.Contains(contains[of], t) }
	switch {
	case before == after:
		return equal
	case isIn(before, after) && isIn(after, before): // numbers with limited and unlimited digits
		return words
	case isIn(before, after):
		return wider
	case isIn(after, before):
		return narrower
	}
	return other
}

// whole and word return nil for missing values.
func whole(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

func word(s string) any {
	if s == "" {
		return nil
	}
	return s
}
