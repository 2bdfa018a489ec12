package gateway

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"

	"trails/fault"
	"trails/text/jsontext"
)

// fitting converts decoded JSON to the form that a struct with these tags accepts: null is dropped, and 5.0 becomes
// an integer. Unknown members and values of other types are reported.
func fitting(v any, t reflect.Type, at string) (any, []fault.FieldError) {
	wrong := func(want string) (any, []fault.FieldError) {
		return nil, []fault.FieldError{{Field: at, Code: fault.Datatype, Message: strings.TrimPrefix(at+": ", ": ") + "it must be " + want, Value: v, Constraint: want}}
	}
	switch t.Kind() { //nolint:exhaustive // what a file keeps has no others
	case reflect.Struct, reflect.Map:
		object, is := v.(map[string]any)
		if !is {
			return wrong("an object")
		}
		known, names := map[string]reflect.Type{}, []string{}
		if t.Kind() == reflect.Struct {
			for i := range t.NumField() {
				name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
				if known[name] = t.Field(i).Type; name != door {
					names = append(names, name)
				}
			}
		}
		out, all := map[string]any{}, []fault.FieldError(nil)
		for name, value := range object {
			of := known[name]
			if t.Kind() == reflect.Map {
				of = t.Elem()
			}
			place := strings.TrimPrefix(at+"."+name, ".")
			switch {
			case of == nil:
				all = append(all, fault.FieldError{Field: place, Code: fault.Closed, Value: value, Constraint: names,
					Message: fmt.Sprintf("there is no member %q; there are %s%s", name, strings.Join(names, ", "), fault.DidYouMean(name, names))})
			case value != nil:
				one, more := fitting(value, of, place)
				out[name], all = one, append(all, more...)
			}
		}
		return out, all
	case reflect.Slice:
		list, is := v.([]any)
		if !is {
			return wrong("a list")
		}
		out, all := make([]any, len(list)), []fault.FieldError(nil)
		for i, value := range list {
			one, more := fitting(value, t.Elem(), fmt.Sprintf("%s[%d]", at, i))
			out[i], all = one, append(all, more...)
		}
		return out, all
	case reflect.String:
		if text, is := v.(string); is {
			return text, nil
		}
		return wrong("a text")
	case reflect.Bool:
		if truth, is := v.(bool); is {
			return truth, nil
		}
		return wrong("true or false")
	case reflect.Float64:
		if n, is := v.(json.Number); is {
			return n, nil
		}
		return wrong("a number")
	}
	n, is := v.(json.Number)
	if _, err := n.Int64(); is && err == nil {
		return n, nil
	}
	if f, err := n.Float64(); is && err == nil && f == math.Trunc(f) && math.Abs(f) <= mostExact {
		return int64(f), nil
	}
	return wrong("an integer")
}

// door is the member of a definition with its transport, which callers cannot set.
const door = "via"

// mostExact is the largest integer that a float64 represents exactly.
const mostExact = 1 << 53

// fit decodes JSON into a struct; v has its numbers as text.
func fit(v any, into any) error {
	fitted, wrong := fitting(v, reflect.TypeOf(into).Elem(), "")
	if len(wrong) > 0 {
		sort.SliceStable(wrong, func(i, j int) bool { return wrong[i].Field < wrong[j].Field })
		return fault.Invalid(wrong)
	}
	text, err := jsontext.Marshal(fitted)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	return err
}
