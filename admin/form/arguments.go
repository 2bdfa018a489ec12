package form

import (
	"encoding/json"

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

// Object writes arguments as one JSON object.
func Object(args []Argument) json.RawMessage {
	out := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(a.Name)...), ':'), a.Value...)
	}
	return append(out, '}')
}
