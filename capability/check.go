package capability

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/fault"
)

// Check compares the members of a JSON object with the shape, and returns every
// difference. Numbers are [json.Number].
func (s Shape) Check(values map[string]any) []fault.FieldError {
	var fields []fault.FieldError
	for name, v := range values {
		f, known := s.Field(name)
		switch {
		case !known:
			fields = append(fields, unknownArgument(s, name, v))
		case v != nil || !f.Required:
			fields = append(fields, f.Check(v)...)
		}
	}
	for _, f := range s.Fields {
		if f.Required && values[f.Name] == nil {
			fields = append(fields, fault.FieldError{Field: f.Name, Code: fault.Required, Message: f.Name + " is required", Constraint: true})
		}
	}
	return fields
}

func unknownArgument(shape Shape, name string, v any) fault.FieldError {
	var known []string
	for _, f := range shape.Fields {
		known = append(known, f.Name)
	}
	message := fmt.Sprintf("there is no argument %q", name)
	switch len(known) {
	case 0:
	case 1:
		message += "; there is " + known[0]
	default:
		message += "; there are " + strings.Join(known, ", ")
	}
	return fault.FieldError{Field: name, Code: fault.Closed, Message: message, Value: v, Constraint: known}
}

// jsonKind is how an argument's type looks in JSON.
type jsonKind struct {
	name string
	fits func(any) bool
}

var (
	textKind    = jsonKind{"string", func(v any) bool { _, ok := v.(string); return ok }}
	booleanKind = jsonKind{"boolean", func(v any) bool { _, ok := v.(bool); return ok }}
	integerKind = jsonKind{"integer", func(v any) bool {
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		_, err := n.Int64()
		return err == nil
	}}
	objectKind = jsonKind{"object", func(v any) bool { _, ok := v.(map[string]any); return ok }}
)

// jsonKinds has the types that built-in arguments have.
var jsonKinds = map[Type]jsonKind{
	String: textKind, IRI: textKind, Boolean: booleanKind, Integer: integerKind,
	Object: objectKind,
}

// Check compares a value with the field: an array member by member.
func (f Field) Check(v any) []fault.FieldError {
	if !f.Many {
		return checkOne(f, v)
	}
	list, ok := v.([]any)
	switch {
	case !ok:
		return []fault.FieldError{{Field: f.Name, Code: fault.Datatype, Message: f.Name + " must be a JSON array", Value: v, Constraint: "array"}}
	case f.MaxCount != nil && len(list) > *f.MaxCount:
		return []fault.FieldError{{Field: f.Name, Code: fault.MaxCount, Message: fmt.Sprintf("%s has at most %d members", f.Name, *f.MaxCount), Constraint: *f.MaxCount}}
	}
	var fields []fault.FieldError
	for i, member := range list {
		one := f
		one.Name = fmt.Sprintf("%s[%d]", f.Name, i)
		fields = append(fields, checkOne(one, member)...)
	}
	return fields
}

// checkMembers compares an object with the fields of its members.
func checkMembers(f Field, v map[string]any) []fault.FieldError {
	fields := Shape{Fields: f.Fields, Closed: true}.Check(v)
	for i := range fields {
		fields[i].Field = f.Name + "." + fields[i].Field
	}
	return fields
}

func checkOne(f Field, v any) []fault.FieldError {
	wrong := func(code fault.Code, constraint any, format string, args ...any) []fault.FieldError {
		return []fault.FieldError{{Field: f.Name, Code: code, Message: f.Name + " " + fmt.Sprintf(format, args...), Value: v, Constraint: constraint}}
	}
	if kind, ok := jsonKinds[f.Type]; ok && !kind.fits(v) {
		return wrong(fault.Datatype, kind.name, "must be a JSON %s", kind.name)
	}
	if members, ok := v.(map[string]any); ok && len(f.Fields) > 0 {
		return checkMembers(f, members)
	}
	if len(f.OneOf) > 0 && !slices.Contains(f.OneOf, v) {
		return wrong(fault.OneOf, f.OneOf, "must be one of %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(f.OneOf), " ", ", "), "[]"))
	}
	if s, ok := v.(string); ok && f.MaxLength != nil && utf8.RuneCountInString(s) > *f.MaxLength {
		return wrong(fault.MaxLength, *f.MaxLength, "has at most %d characters", *f.MaxLength)
	}
	if n, ok := v.(json.Number); ok {
		if low, ok := f.MinValue.(int); ok && integerOf(n) < low {
			return wrong(fault.MinValue, low, "must be at least %d", low)
		}
		if high, ok := f.MaxValue.(int); ok && integerOf(n) > high {
			return wrong(fault.MaxValue, high, "must be at most %d", high)
		}
	}
	return nil
}

func integerOf(n json.Number) int {
	i, _ := n.Int64()
	return int(i)
}
