package form

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
)

// Argument is one member of the object of arguments.
type Argument struct {
	Name  string
	Value json.RawMessage
}

// Arguments returns what the entries say, in the order of the shape, and what is
// wrong with them. A field that is left empty is left out, and so is one that is as
// the form began: an update says what changes and nothing else.
func Arguments(shape capability.Shape, entries map[string]Entry) ([]Argument, []fault.FieldError) {
	var (
		args  []Argument
		wrong []fault.FieldError
	)
	for _, f := range shape.Fields {
		e := entries[f.Name]
		value, p := e.value(f)
		switch {
		case p != nil:
			wrong = append(wrong, *p)
		case e.Was != "" && e.untouched(value):
		case value == nil && e.Was != "":
			wrong = append(wrong, *problem(f, fault.Required, nil,
				"%s has a value, and the field is empty now: write one, or tick “Remove the value” where that is offered", f.Name))
		case value != nil:
			args = append(args, Argument{f.Name, value})
		}
	}
	return args, wrong
}

// untouched reports whether the value is the one that the form began with.
func (e Entry) untouched(value json.RawMessage) bool {
	if e.Was == wasHeld {
		return value == nil
	}
	return e.Was == Mark(value)
}

// Spread returns a shape whose objects of known fields are fields of their own: a parameter
// of a stored query is params.group. [Object] puts them together again.
func Spread(shape capability.Shape) capability.Shape {
	var fields []capability.Field
	for _, f := range shape.Fields {
		if !isSpread(f) {
			fields = append(fields, f)
			continue
		}
		for _, member := range f.Fields {
			member.Name = f.Name + "." + member.Name
			fields = append(fields, member)
		}
	}
	shape.Fields = fields
	return shape
}

func isSpread(f capability.Field) bool {
	return f.Type == capability.Object && !f.Many && len(f.Fields) > 0
}

// Object writes arguments of a call with this shape as one JSON object. An object whose
// fields the form had is there when it is required, or one of them was filled in.
func Object(shape capability.Shape, args []Argument) json.RawMessage {
	var plain []Argument
	members := map[string][]Argument{}
	for _, f := range shape.Fields {
		if isSpread(f) && f.Required {
			members[f.Name] = []Argument{}
		}
	}
	for _, a := range args {
		if whole, member, isMember := strings.Cut(a.Name, "."); isMember {
			members[whole] = append(members[whole], Argument{member, a.Value})
		} else {
			plain = append(plain, a)
		}
	}
	for _, whole := range slices.Sorted(maps.Keys(members)) {
		plain = append(plain, Argument{whole, object(members[whole])})
	}
	return object(plain)
}

func object(args []Argument) json.RawMessage {
	out := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(a.Name)...), ':'), a.Value...)
	}
	return append(out, '}')
}
