package project

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"trails/capability"
	"trails/text/jsontext"
)

// object is a JSON object; keys are written sorted.
type object map[string]any

// members is a JSON object whose keys are written in order; those without a value are left out.
type members []member

type member struct {
	name  string
	value any
}

// fragment is JSON text that becomes a part of other JSON. Its members are sorted, so its canonical form differs at
// most in numbers.
type fragment struct{ text, canonical json.RawMessage }

// fragmentOf writes v, which must not contain members, since these have an order of their own.
func fragmentOf(v any) *fragment {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.b, w.canonical, w.unlike = w.b[:0], false, w.unlike[:0]
	w.value(v)
	text := slices.Clone(w.b)
	if len(w.unlike) == 0 {
		return &fragment{text, text}
	}
	canonical, done := make([]byte, 0, len(text)+8*len(w.unlike)), 0
	for _, part := range w.unlike {
		canonical = append(canonical, text[done:part.start]...)
		canonical = append(canonical, canonicalOf(text[part.start:part.end])...)
		done = part.end
	}
	return &fragment{text, append(canonical, text[done:]...)}
}

// canonicalOf returns the canonical form of our own JSON.
func canonicalOf(text []byte) []byte {
	canonical, err := jsontext.CanonicalText(text)
	if err != nil {
		panic("project: a shape is not JSON: " + err.Error())
	}
	return canonical
}

// orEmpty returns a list that JSON shows as one, empty for nil.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// encode returns v as compact JSON without HTML escapes: the bytes that [jsontext.Marshal]
// writes, in a fraction of its time for what projections are made of.
func encode(v any) json.RawMessage {
	return written(v, false, func(text []byte) json.RawMessage { return slices.Clone(text) })
}

// written writes v, in canonical form or not, and returns the result of use on the text, which is then discarded.
func written[T any](v any, canonical bool, use func(text []byte) T) T {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.b, w.canonical, w.unlike = w.b[:0], canonical, w.unlike[:0]
	w.value(v)
	return use(w.b)
}

// writers pools the buffers for texts whose size is not known.
var writers = sync.Pool{New: func() any { return new(writer) }}

// writer appends JSON to b.
type writer struct {
	b []byte
	// canonical writes the form of [jsontext.Canonical]: all members are sorted, and numbers have one notation.
	canonical bool
	// unlike are the parts of b whose canonical form may differ.
	unlike []part
	// fields are the fields of the objects whose schemas are being written.
	fields []*capability.Field
}

type part struct{ start, end int }

func (w *writer) value(v any) {
	switch v := v.(type) {
	case object:
		w.object(v)
		return
	case map[string]any:
		w.object(v)
		return
	case lowered:
		w.lowered(v)
		return
	case members:
		var few [20]member
		if w.canonical {
			v = append(few[:0], v...)
			slices.SortStableFunc(v, byName)
		}
		w.members(v)
		return
	case []any:
		list(w, v, w.value)
		return
	case []object:
		list(w, v, w.object)
		return
	case []string:
		if v != nil {
			list(w, v, w.text)
			return
		}
	case string:
		w.text(v)
		return
	case bool:
		w.b = strconv.AppendBool(w.b, v)
		return
	case int:
		w.other(strconv.AppendInt(nil, int64(v), 10))
		return
	case *fragment:
		if w.canonical {
			w.b = append(w.b, v.canonical...)
			return
		}
		w.b = append(w.b, v.text...)
		return
	case json.RawMessage: // our own, and so already compact
		w.other(v)
		return
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("project: a shape is not JSON: " + err.Error())
	}
	w.other(text)
}

// other writes compact JSON that may not be canonical.
func (w *writer) other(text []byte) {
	if w.canonical {
		text = canonicalOf(text)
	}
	w.unlike = append(w.unlike, part{len(w.b), len(w.b) + len(text)})
	w.b = append(w.b, text...)
}

func (w *writer) text(text string) {
	w.b = jsontext.AppendText(w.b, text)
}

func byName(a, b member) int { return cmp.Compare(a.name, b.name) }

func (w *writer) members(list []member) {
	w.begin()
	for _, m := range list {
		if m.value != nil {
			w.set(m.name, m.value)
		}
	}
	w.end()
}

func (w *writer) begin() { w.b = append(w.b, '{') }

func (w *writer) end() { w.b = append(w.b, '}') }

// name writes the name of the next member of an object.
func (w *writer) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(jsontext.AppendText(w.b, name), ':')
}

// set writes a member.
func (w *writer) set(name string, value any) {
	w.name(name)
	w.value(value)
}

// setText writes a member unless its value is empty.
func (w *writer) setText(name, value string) {
	if value != "" {
		w.name(name)
		w.text(value)
	}
}

// setInt writes a member unless it has no value.
func (w *writer) setInt(name string, value *int) {
	if value != nil {
		w.set(name, *value)
	}
}

func (w *writer) object(o object) {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	w.b = append(w.b, '{')
	for i, name := range names {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(jsontext.AppendText(w.b, name), ':')
		w.value(o[name])
	}
	w.b = append(w.b, '}')
}

func list[T any](w *writer, values []T, write func(T)) {
	w.b = append(w.b, '[')
	for i, v := range values {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		write(v)
	}
	w.b = append(w.b, ']')
}
