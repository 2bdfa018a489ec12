package capability

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"trails/text/jsontext"
)

// ValuesOf returns a function that reads a JSON object into a struct whose shape it fits, given by a pointer. The
// members of the object are decoded already, as for [Shape.Check]. Missing ones get the default of their field. The
// conversions are computed once.
func ValuesOf(t reflect.Type, fields []Field) func(values map[string]any, into any) error {
	read := readObject(t, fields)
	return func(values map[string]any, into any) error { return read(reflect.ValueOf(into).Elem(), values) }
}

// reader stores a JSON value in a variable of one type.
type reader func(into reflect.Value, v any) error

// readObject reads the members of an object into a struct.
func readObject(t reflect.Type, fields []Field) reader {
	type reading struct {
		member
		read      reader
		otherwise any
	}
	var all []reading
	for _, m := range membersOf(t) {
		f, _ := Shape{Fields: fields}.Field(m.name)
		all = append(all, reading{m, readerOf(m.Type, f.Fields), f.Default})
	}
	return func(into reflect.Value, v any) error {
		values, _ := v.(map[string]any)
		for i := range all {
			m := &all[i]
			v, given := values[m.name]
			if !given {
				v = m.otherwise
			}
			if v == nil {
				continue
			}
			if err := m.read(into.FieldByIndex(m.at), v); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		return nil
	}
}

// readerOf returns a reader for a type; fields are the fields of its objects.
func readerOf(t reflect.Type, fields []Field) reader {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return readText
	}
	switch t.Kind() { //nolint:exhaustive // the others are read as their text
	case reflect.Interface:
		return func(into reflect.Value, v any) error {
			into.Set(reflect.ValueOf(v))
			return nil
		}
	case reflect.String:
		return func(into reflect.Value, v any) error {
			from := reflect.ValueOf(v)
			if _, isNumber := v.(json.Number); from.Kind() != reflect.String || isNumber && t != reflect.TypeFor[json.Number]() {
				return errors.New("must be a JSON string")
			}
			into.SetString(from.String())
			return nil
		}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		return func(into reflect.Value, v any) error {
			text, isNumber := v.(json.Number)
			if !isNumber {
				text = json.Number(fmt.Sprint(v)) // a default
			}
			n, err := strconv.ParseInt(string(text), 10, t.Bits())
			if err != nil {
				return fmt.Errorf("%s is no whole number of %d bits", text, t.Bits())
			}
			into.SetInt(n)
			return nil
		}
	case reflect.Bool:
		return func(into reflect.Value, v any) error {
			yes, _ := v.(bool)
			into.SetBool(yes)
			return nil
		}
	case reflect.Pointer:
		read := readerOf(t.Elem(), fields)
		return func(into reflect.Value, v any) error {
			into.Set(reflect.New(t.Elem()))
			return read(into.Elem(), v)
		}
	case reflect.Struct:
		return readObject(t, fields)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return readText
		}
		read := readerOf(t.Elem(), fields)
		return func(into reflect.Value, v any) error {
			list, _ := v.([]any)
			into.Set(reflect.MakeSlice(t, len(list), len(list)))
			for i, one := range list {
				if one == nil {
					continue
				}
				if err := read(into.Index(i), one); err != nil {
					return fmt.Errorf("[%d]: %w", i, err)
				}
			}
			return nil
		}
	case reflect.Map:
		if t == reflect.TypeFor[map[string]any]() {
			return func(into reflect.Value, v any) error {
				if members, is := v.(map[string]any); is {
					into.Set(reflect.ValueOf(members))
				}
				return nil
			}
		}
		read := readerOf(t.Elem(), nil)
		return func(into reflect.Value, v any) error {
			members, _ := v.(map[string]any)
			into.Set(reflect.MakeMapWithSize(t, len(members)))
			for _, name := range slices.Sorted(maps.Keys(members)) {
				one := reflect.New(t.Elem()).Elem()
				if members[name] != nil {
					if err := read(one, members[name]); err != nil {
						return fmt.Errorf("%q: %w", name, err)
					}
				}
				into.SetMapIndex(reflect.ValueOf(name), one)
			}
			return nil
		}
	}
	return readText
}

// readText reads a value from its text: numbers, within bounds, and types that unmarshal text.
func readText(into reflect.Value, v any) error {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into.Addr().Interface())
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Errorf("a JSON %s does not fit there", wrong.Value)
	}
	return err
}
