package main

import (
	"encoding/json"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// parseWords parses name=value and name:=json by the types of the shape. A value that does not fit stays a text,
// which the call refuses with a field error.
func parseWords(shape capability.Shape, words []string) (map[string]json.RawMessage, error) {
	given := map[string][]json.RawMessage{}
	raw := map[string]json.RawMessage{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" || name == ":" {
			return nil, usageError{"argument " + word + " is not NAME=VALUE or NAME:=JSON, nor one JSON object with all arguments"}
		}
		name, isJSON := strings.CutSuffix(name, ":")
		field, known := shape.Field(name)
		if !known && shape.Closed {
			var names []string
			for _, f := range shape.Fields {
				names = append(names, f.Name)
			}
			if name == "at" {
				return nil, usageError{"unknown argument at; " + capability.NoPast}
			}
			return nil, usageError{"unknown argument " + name + fault.DidYouMean(name, names)}
		}
		isJSON = isJSON || field.Many && (field.Type == capability.Object || field.Type == capability.LangString) && strings.HasPrefix(strings.TrimSpace(value), "[") // all at once
		switch {
		case !isJSON:
			if !isJSONOf(field.Type, value) {
				var word any = value
				if text, tag, ok := rdf.SplitLang(value); ok && field.Type == capability.LangString {
					word = schema.LangJSON(text, tag)
				}
				text, err := jsontext.Marshal(word) // invalid UTF-8 becomes the replacement character
				if err != nil {
					return nil, err
				}
				value = string(text)
			}
			given[name] = append(given[name], json.RawMessage(value))
		case !json.Valid([]byte(value)):
			return nil, usageError{"argument " + name + ": " + value + " is not JSON"}
		default:
			raw[name] = json.RawMessage(value)
		}
	}
	return gather(shape, given, raw)
}

// gather makes arrays of repeated values and for fields with many. A single value that is a JSON list stays a text,
// for the call to handle.
func gather(shape capability.Shape, given map[string][]json.RawMessage, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	for name, list := range given {
		if _, twice := values[name]; twice {
			return nil, usageError{"argument " + name + " is given both as text and as JSON"}
		}
		field, _ := shape.Field(name)
		var text string
		whole := false
		if json.Unmarshal(list[0], &text) == nil {
			_, whole = capability.ListIn(text)
		}
		if len(list) == 1 && (!field.Many || whole) {
			values[name] = list[0]
			continue
		}
		array, err := jsontext.Marshal(list)
		if err != nil {
			return nil, err
		}
		values[name] = array
	}
	return values, nil
}

// isJSONOf reports whether word is a JSON value of the type; false for types that are JSON strings.
func isJSONOf(t capability.Type, word string) bool {
	switch t {
	case capability.Boolean:
		return word == "true" || word == "false"
	case capability.Integer, capability.Number:
		var n json.Number
		return json.Unmarshal([]byte(word), &n) == nil && !strings.HasPrefix(word, `"`) && word != "null"
	case capability.Vector, capability.Object, capability.LangString, capability.Any:
		return json.Valid([]byte(word))
	default:
		return false
	}
}
