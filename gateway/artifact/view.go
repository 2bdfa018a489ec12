package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"trails/gateway"
	"trails/text/quote"
)

// Excerpt is a part of an artifact for a model. Text has at most some 8,000 bytes.
type Excerpt struct {
	Text string `json:"text"`
	// Left describes the rest, "" if this is all.
	Left string `json:"left,omitempty"`
	// Next is the selector for reading on, nil if this is all.
	Next Selector `json:"next,omitempty" type:"object"`
}

// mostExcerpt is the length of the text of an excerpt, in bytes.
const mostExcerpt = 8_000

// Selector selects a part of an artifact: [Head], [Bytes], [Lines], [Grep], [Keys], [JSON], [Rows], [Stats] or
// [Image]; [ParseSelector] parses one.
type Selector interface {
	view(a Artifact) (Excerpt, error)
}

// kinds are the selectors by their types.
var kinds = map[string]func() Selector{
	"head": func() Selector { return &Head{} }, "bytes": func() Selector { return &Bytes{} }, "lines": func() Selector { return &Lines{} },
	"grep": func() Selector { return &Grep{} }, "json_keys": func() Selector { return &Keys{} }, "json": func() Selector { return &JSON{} },
	"rows": func() Selector { return &Rows{} }, "stats": func() Selector { return &Stats{} }, "image": func() Selector { return &Image{} },
}

// ParseSelector parses a selector: an object with a type and the members of that type. Errors are a [*gateway.Error]
// for the handle.
func ParseSelector(handle string, text json.RawMessage) (Selector, error) {
	var head struct{ Type string }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, gateway.Fail(gateway.ViewFailed, handle, "the selector is no object: %v", err)
	}
	empty, is := kinds[head.Type]
	if !is {
		return nil, gateway.Fail(gateway.ViewFailed, handle, "%q is no type of a selector; there are %s", head.Type, strings.Join(Types(), ", "))
	}
	s := empty()
	fields := fieldsOf(reflect.TypeOf(s).Elem())
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, gateway.Fail(gateway.ViewFailed, handle, "the selector is no object")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(fields, name) {
			return nil, gateway.Fail(gateway.ViewFailed, handle, "a selector of type %s has no %q; it has %s", head.Type, name, strings.Join(fields, ", "))
		}
	}
	// encoding/json ignores the case of names.
	var conditions []map[string]json.RawMessage
	_ = json.Unmarshal(given["where"], &conditions) // other values are refused below
	known := fieldsOf(reflect.TypeFor[Where]())
	for _, condition := range conditions {
		for _, name := range slices.Sorted(maps.Keys(condition)) {
			if !slices.Contains(known, name) {
				return nil, gateway.Fail(gateway.ViewFailed, handle, "a selector of type %s: a member of where has no %q; it has %s", head.Type, name, strings.Join(known, ", "))
			}
		}
	}
	if err := json.Unmarshal(text, s); err != nil {
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			return nil, gateway.Fail(gateway.ViewFailed, handle, "a selector of type %s: %v", head.Type, err)
		}
		return nil, gateway.Fail(gateway.ViewFailed, handle, "a selector of type %s: %s is %s, and must be %s", head.Type, wrong.Field, quote.Article(wrong.Value), jsonNameOf(wrong.Type))
	}
	return s, nil
}

// Types lists the types of selectors.
func Types() []string { return slices.Sorted(maps.Keys(kinds)) }

// fieldsOf lists the JSON names of a struct's members.
func fieldsOf(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// jsonNameOf is the JSON type of a member.
func jsonNameOf(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // selectors have no others
	case reflect.Int:
		return "an integer"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	}
	return "a string"
}

// View returns a part of the artifact. An unsuitable selector is a [*gateway.Error] that suggests others.
func (a Artifact) View(s Selector) (Excerpt, error) {
	v, err := s.view(a)
	if err != nil {
		return Excerpt{}, gateway.Fail(gateway.ViewFailed, a.Handle, "%s: %v", a.Handle, err)
	}
	return v, nil
}

// within returns n, or the default if it is none, checked against bounds.
func within(name string, n, none, least, most int) (int, error) {
	if n == 0 {
		return none, nil
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s is %d, and may be %d to %d", name, n, least, most)
	}
	return n, nil
}

// text returns the artifact as text.
func (a Artifact) text() (string, error) {
	if !isText(a.Data) {
		return "", fmt.Errorf("it is %s of %d bytes and no text; use bytes, stats or image", a.MediaType, len(a.Data))
	}
	return string(a.Data), nil
}
