package capability

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/rdf"
)

// ShapeOf returns the shape of the JSON object that T is written as, which is closed. T is
// a struct or a pointer to one; its fields are the members, by their names in JSON, and embedded structs give
// theirs, which may be left out where a pointer is embedded. A member is required unless its
// tag says omitempty or omitzero, or it has a default; a pointer that is required may be
// null. Tags say the rest, and this is all of them:
//
//	doc:"…"              the description
//	min:"1" max:"10"     of a number the bounds, of a text its characters, of a list its length
//	pattern:"^[a-z]+$"   RE2, which matches anywhere unless anchored
//	oneof:"red,green"    the values that there are
//	example:"a value"    shown where a value of another form is refused
//	default:"20"         what leaving it out means
//	scope:"builder"      what a caller needs to give it
//	type:"date-time"     the [Type], where the Go type has another: of one value of a list, but
//	                     "any" is of all of it; an object has no fields then
//	is:"rare,brief"      what else it is: rare, brief or nullable, see [Field]
//	cells:"id:string,n"  the columns of a table, see [CellsOf]
//
// Integers, floats, bool and string are themselves; [json.Number] is a decimal, [time.Time]
// a date and time, [rdf.IRI] an IRI, []byte bytes; slices are lists, maps objects with any
// members, and interfaces any value. It panics on what JSON cannot say and on a tag that
// does not parse, which are mistakes of the program.
func ShapeOf[T any]() Shape { return Shape{Fields: FieldsOf[T](), Closed: true} }

// FieldsOf returns the fields of [ShapeOf].
func FieldsOf[T any]() []Field { return FieldsOfType(reflect.TypeFor[T]()) }

// FieldsOfType is [FieldsOf] of a type.
func FieldsOfType(t reflect.Type) []Field {
	members := membersOf(t)
	fields := make([]Field, len(members))
	for i, m := range members {
		fields[i] = fieldOf(m.name, m.optional, m.StructField)
		fields[i].Required = fields[i].Required && !m.within
	}
	return fields
}

// member is a field of a struct that is a member of its JSON object.
type member struct {
	reflect.StructField
	name     string
	at       []int // index path in the struct, for [reflect.Value.FieldByIndex]
	optional bool
	within   bool // it is in a struct that is embedded by pointer
}

// membersOf returns the members of the JSON object that a struct is written as.
func membersOf(t reflect.Type) (all []member) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("capability: %s is no struct", t))
	}
	all = make([]member, 0, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			for _, m := range membersOf(field.Type) {
				m.at, m.within = append([]int{i}, m.at...), m.within || field.Type.Kind() == reflect.Pointer
				all = append(all, m)
			}
		case field.IsExported():
			all = append(all, member{StructField: field, name: cmp.Or(name, field.Name), at: []int{i}, optional: strings.Contains(options, "omit")})
		}
	}
	return all
}

// fieldOf describes one member.
func fieldOf(name string, optional bool, member reflect.StructField) Field {
	f := Field{Name: name, Description: member.Tag.Get("doc"), Pattern: member.Tag.Get("pattern"), Scope: policy.Scope(member.Tag.Get("scope"))}
	t, declared := member.Type, Type(member.Tag.Get("type"))
	if t.Kind() == reflect.Pointer {
		f.Nullable, t = !optional, t.Elem()
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && declared != Any {
		f.Many, t = true, t.Elem()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	if f.Type = declared; declared == "" {
		f.Type = typeOf(t)
	}
	if declared == "" && f.Type == Object && t.Kind() == reflect.Struct {
		f.Fields = FieldsOfType(t)
	}
	for _, word := range strings.Split(member.Tag.Get("is"), ",") {
		switch word {
		case "rare":
			f.Rare = true
		case "brief":
			f.Brief = true
		case "nullable":
			f.Nullable = true
		case "":
		default:
			panic(fmt.Sprintf("capability: %s cannot be %q", member.Name, word))
		}
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
	if list, given := member.Tag.Lookup("oneof"); given {
		for text := range strings.SplitSeq(list, ",") {
			f.OneOf = append(f.OneOf, f.valueOf(member, text))
		}
	}
	if list, given := member.Tag.Lookup("cells"); given {
		f.Cells = CellsOf(strings.Split(list, ",")...)
	}
	if text, given := member.Tag.Lookup("default"); given {
		f.Default = f.valueOf(member, text)
	}
	if text, given := member.Tag.Lookup("example"); given {
		if f.Sample = f.valueOf(member, text); f.Many {
			f.Sample = []any{f.Sample}
		}
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

// typeOf returns the type of values of a Go type.
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
		return Bytes // fieldOf has handled other lists
	case reflect.Struct, reflect.Map:
		return Object
	case reflect.Interface:
		return Any
	}
	panic(fmt.Sprintf("capability: JSON has no value for %s", t))
}

// Detailed returns the fields, each completed with the field of the same name in details: what follows from lists and
// bounds in code.
func Detailed(fields, details []Field) []Field {
	fields = slices.Clone(fields)
	for _, detail := range details {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == detail.Name })
		if at < 0 {
			panic(fmt.Sprintf("capability: there is no field %q to detail", detail.Name))
		}
		from, into := reflect.ValueOf(detail), reflect.ValueOf(&fields[at]).Elem()
		for i := range from.NumField() {
			if !from.Field(i).IsZero() {
				into.Field(i).Set(from.Field(i))
			}
		}
		fields[at].Required = fields[at].Required && fields[at].Default == nil
	}
	return fields
}
