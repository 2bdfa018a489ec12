package project

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"trails/jsontext"
)

// object is a JSON object; its keys are written sorted.
type object map[string]any

// members is a JSON object whose keys are written in their order; those without a value are
// left out.
type members []member

type member struct {
	name  string
	value any
}

// keywords are a JSON Schema, or a part of it, while it is made: a JSON object whose keys are
// written sorted. Few are set at a time, so a list is quicker than a map.
type keywords []member

func (k keywords) get(name string) any {
	for _, m := range k {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (k *keywords) set(name string, value any) {
	for i, m := range *k {
		if m.name == name {
			(*k)[i].value = value
			return
		}
	}
	*k = append(*k, member{name, value})
}

func (k *keywords) setText(name, value string) {
	if value != "" {
		k.set(name, value)
	}
}

func (k *keywords) setInt(name string, value *int) {
	if value != nil {
		k.set(name, *value)
	}
}

// encode returns v as compact JSON without HTML escapes: the bytes that [jsontext.Marshal]
// writes, in a fraction of its time for what projections are made of.
func encode(v any) json.RawMessage {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	*scratch = appendJSON((*scratch)[:0], v)
	return slices.Clone(*scratch)
}

// scratches are where texts are made before their size is known.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		return appendObject(b, v)
	case map[string]any:
		return appendObject(b, v)
	case keywords:
		slices.SortFunc(v, func(a, b member) int { return cmp.Compare(a.name, b.name) })
		return appendJSON(b, members(v))
	case members:
		b = append(b, '{')
		for _, m := range v {
			if m.value == nil {
				continue
			}
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(jsontext.AppendText(b, m.name), ':')
			b = appendJSON(b, m.value)
		}
		return append(b, '}')
	case []any:
		return appendList(b, v)
	case []object:
		return appendList(b, v)
	case []string:
		if v != nil {
			return appendList(b, v)
		}
	case string:
		return jsontext.AppendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case json.RawMessage: // of ours, and so compact
		return append(b, v...)
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("project: a shape is not JSON: " + err.Error())
	}
	return append(b, text...)
}

func appendObject(b []byte, o map[string]any) []byte {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsontext.AppendText(b, name), ':')
		b = appendJSON(b, o[name])
	}
	return append(b, '}')
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}
