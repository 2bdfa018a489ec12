package capability

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"trails/policy"
	"trails/rdf"
)

// ShapeOf returns the shape of the JSON object that T is written as, which is closed. T is
// a struct; its fields are the members, by their names in JSON, and embedded structs give
// theirs. A member is required unless its tag says omitempty or omitzero, or it has a
// default, and a pointer may be null. Tags say the rest:
//
//	doc:"…"              the description
//	min:"1" max:"10"     of a number the bounds, of a text its characters, of a list its length
//	pattern:"^[a-z]+$"   RE2, which matches anywhere unless anchored
//	oneof:"red,green"    the values that there are
//	default:"20"         what leaving it out means
//	scope:"builder"      what a caller needs to give it
//
// Integers, floats, bool and string are themselves; [json.Number] is a decimal, [time.Time]
// a date and time, [rdf.IRI] an IRI, []byte bytes; slices are lists, maps objects with any
// members, and interfaces any value. It panics on what JSON cannot say and on a tag that
// does not parse, which are mistakes of the program.
func ShapeOf[T any]() Shape {
	return Shape{Fields: fieldsOf(reflect.TypeFor[T]()), Closed: true}
}

func fieldsOf(t reflect.Type) []Field {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("capability: %s is no struct", t))
	}
	var fields []Field
	for i := range t.NumField() {
		member := t.Field(i)
		name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case member.Anonymous && name == "":
			fields = append(fields, fieldsOf(member.Type)...)
		case member.IsExported():
			if name == "" {
				name = member.Name
			}
			fields = append(fields, fieldOf(name, strings.Contains(options, "omit"), member))
		}
	}
	return fields
}

// fieldOf describes one member.
func fieldOf(name string, optional bool, member reflect.StructField) Field {
	f := Field{Name: name, Description: member.Tag.Get("doc"), Pattern: member.Tag.Get("pattern"), Scope: policy.Scope(member.Tag.Get("scope"))}
	t := member.Type
	if t.Kind() == reflect.Pointer {
		f.Nullable, t = true, t.Elem()
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		f.Many, t = true, t.Elem()
	}
	f.Type = typeOf(t)
	if f.Type == Object && t.Kind() == reflect.Struct {
		f.Fields = fieldsOf(t)
	}
	for _, bound := range []struct {
		tag    string
		value  *any
		length **int
		count  **int
	}{{"min", &f.MinValue, &f.MinLength, &f.MinCount}, {"max", &f.MaxValue, &f.MaxLength, &f.MaxCount}} {
		text, given := member.Tag.Lookup(bound.tag)
		if !given {
			continue
		}
		n, err := strconv.Atoi(text)
		switch {
		case f.Type == Integer && !f.Many && err == nil:
			*bound.value = n
		case (f.Type == Number || f.Type == Decimal) && !f.Many:
			*bound.value = f.valueOf(member, text)
		case f.Many && err == nil:
			*bound.count = &n
		case f.Type == String && err == nil:
			*bound.length = &n
		default:
			panic(fmt.Sprintf("capability: %s of %s cannot be %q", bound.tag, member.Name, text))
		}
	}
	if list := member.Tag.Get("oneof"); list != "" {
		for text := range strings.SplitSeq(list, ",") {
			f.OneOf = append(f.OneOf, f.valueOf(member, text))
		}
	}
	if text, given := member.Tag.Lookup("default"); given {
		f.Default = f.valueOf(member, text)
	}
	f.Required = !optional && f.Default == nil
	return f
}

// valueOf reads a value in a tag.
func (f Field) valueOf(member reflect.StructField, text string) (v any) {
	var err error
	switch f.Type {
	case Integer:
		v, err = strconv.Atoi(text)
	case Boolean:
		v, err = strconv.ParseBool(text)
	case Number, Decimal:
		_, err = strconv.ParseFloat(text, 64)
		v = json.Number(text)
	default:
		v = text
	}
	if err != nil {
		panic(fmt.Sprintf("capability: a tag of %s: %v", member.Name, err))
	}
	return v
}

// typeOf is what a value of a Go type is.
func typeOf(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[json.Number]():
		return Decimal
	case reflect.TypeFor[json.RawMessage]():
		return Any
	case reflect.TypeFor[time.Time]():
		return DateTime
	case reflect.TypeFor[rdf.IRI]():
		return IRI
	}
	switch t.Kind() { //nolint:exhaustive // JSON has nothing for the others
	case reflect.String:
		return String
	case reflect.Bool:
		return Boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Integer
	case reflect.Float32, reflect.Float64:
		return Number
	case reflect.Slice:
		return Bytes // fieldOf has taken all other lists apart
	case reflect.Struct, reflect.Map:
		return Object
	case reflect.Interface:
		return Any
	}
	panic(fmt.Sprintf("capability: JSON has no value for %s", t))
}
