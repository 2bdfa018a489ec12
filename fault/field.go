package fault

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Code names the constraint that a field violates.
type Code string

// The codes, one for each constraint of a schema.
const (
	Required   Code = "required"    // the value is missing
	MinCount   Code = "min_count"   // there are fewer values than the property needs
	MaxCount   Code = "max_count"   // there are more values than the property allows
	Datatype   Code = "datatype"    // the value has another type, such as text instead of a number
	MinLength  Code = "min_length"  // the text is too short
	MaxLength  Code = "max_length"  // the text is too long
	Pattern    Code = "pattern"     // the text does not match the regular expression
	OneOf      Code = "one_of"      // the value is not one of the allowed ones
	MinValue   Code = "min_value"   // the value is below the minimum
	MaxValue   Code = "max_value"   // the value is above the maximum
	HasValue   Code = "has_value"   // a required value is missing among the values
	Class      Code = "class"       // the node does not exist, or has another type
	NodeKind   Code = "node_kind"   // the value must be a reference, or must not be one
	Unique     Code = "unique"      // another node has this value, or this combination of values
	Languages  Code = "languages"   // the text is in a language that the property does not allow
	UniqueLang Code = "unique_lang" // there are two texts in one language
	Closed     Code = "closed"      // there is no property or argument of this name
	Shape      Code = "shape"       // a schema rule without a code of its own is violated
)

// FieldError is a violation of one constraint by one field.
type FieldError struct {
	// Field is the property's name; for a compound key the names joined by commas.
	Field   string `json:"field"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Value is the wrong value as JSON; nil if it is missing.
	Value any `json:"value"`
	// Constraint is the constraint's value: the pattern, the bound, the list.
	Constraint any `json:"constraint"`
	// Node is the local name or IRI of the focus node; "" if the call is about one node only.
	Node string `json:"node,omitempty"`
	// Source is the position in the input, "file:line"; "" if there is none.
	Source string `json:"source,omitempty"`
	// Times is the number of mistakes of this kind, if more than one; this is the first. Places are the first
	// three.
	Times  int      `json:"times,omitempty"`
	Places []string `json:"places,omitempty"`
	// Follows is the place of another row, which is left out, if the field is wrong only because it refers to that one.
	Follows string `json:"-"`
}

// String returns the message after source and node, if known, unless the message begins with the node. It
// adds how many more mistakes of the kind there are.
func (f FieldError) String() string {
	s := f.Message
	if f.Node != "" && !strings.HasPrefix(s, f.Node) {
		s = f.Node + ": " + s
	}
	if f.Source != "" {
		s = f.Source + ": " + s
	}
	return s + f.More()
}

// Invalid returns the InvalidData fault for fields, sorted by field then code.
func Invalid(fields []FieldError) *Error {
	return listing(InvalidData, "validation failed on", fields)
}

// Arguments returns the InvalidArguments fault for fields, sorted by field then code.
func Arguments(fields ...FieldError) *Error {
	return listing(InvalidArguments, "invalid arguments:", fields)
}

// Argument returns the InvalidArguments fault for one field.
// Not inlined, for the size of the binary.
//
//go:noinline
func Argument(field string, code Code, value any, message string) *Error {
	return Arguments(FieldError{Field: field, Code: code, Message: message, Value: value})
}

// A fault keeps at most maxFields kinds of mistakes; an answer shows at most maxShown of them, in shownBytes
// of JSON.
const (
	maxFields  = 1_000
	maxShown   = 100
	shownBytes = 16_000
)

func listing(kind Kind, message string, fields []FieldError) *Error {
	all := Sorted(fields)
	sort.SliceStable(all, func(i, j int) bool { // so that the first of a kind is the one at the first place
		a, b := all[i].Source, all[j].Source
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	kinds, count := merged(all)
	fields = Sorted(kinds)
	e := New(kind, "%s %s", message, Counted(count, "field"))
	e.Count, e.Fields = count, slices.Clip(fields[:min(len(fields), maxFields)])
	return e
}

// Shown returns the fields for an answer, and whether there are more. Long texts and values are cut if
// needed.
func (e *Error) Shown() (fields []FieldError, more bool) {
	fields, more = e.Fields[:min(len(e.Fields), maxShown)], len(e.Fields) > maxShown
	if whole, err := json.Marshal(fields); err != nil || len(whole) <= shownBytes {
		return fields, more
	}
	for share := shownBytes / len(fields); ; share = share * 2 / 3 {
		cut := make([]FieldError, len(fields))
		for i, f := range fields {
			cut[i] = f.bounded(share)
		}
		if text, err := json.Marshal(cut); err != nil || len(text) <= shownBytes || share == 0 {
			return cut, more
		}
	}
}

// Members are what programs are told of a fault beside its kind and message, the same at every door: its details, and the
// fields with the number of all mistakes. Of an internal fault that is its trace id alone.
func (e *Error) Members() map[string]any {
	if e.Kind == Internal {
		id, logged := e.Details["trace_id"]
		if !logged {
			return map[string]any{}
		}
		return map[string]any{"trace_id": id}
	}
	all := map[string]any{}
	maps.Copy(all, e.Details)
	if len(e.Fields) > 0 {
		all["fields"], _ = e.Shown()
		all["count"] = e.Count
	}
	return all
}

// Told returns the message, the field errors on lines of their own, and how many were left out, in about most
// bytes.
func (e *Error) Told(most int) string {
	var b strings.Builder
	b.WriteString(cutText(e.Message, most))
	reported := 0
	for _, f := range e.Fields {
		line := f.String()
		if b.Len()+len(line) > most {
			if reported > 0 {
				break
			}
			line = cutText(line, most-b.Len())
		}
		b.WriteString("\n" + line)
		reported += max(f.Times, 1)
	}
	if more := e.Count - reported; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// IsBeside reports whether a mistake is independent of those already reported: it is about another field, or
// about a value that could be read. If a field has no or too few values only because its values could not be
// read, that is not independent.
func (f FieldError) IsBeside(reported func(field string) bool) bool {
	for name := range strings.SplitSeq(f.Field, ",") {
		if base, _, _ := strings.Cut(name, "["); !reported(base) {
			continue
		}
		switch f.Code {
		case Class, Pattern, OneOf, MinLength, MaxLength, MinValue, MaxValue, NodeKind, Datatype:
		default:
			return false
		}
	}
	return true
}

// Sorted returns fields sorted by node, field, code, message and source, without duplicates.
func Sorted(fields []FieldError) []FieldError {
	out := slices.Clone(fields)
	order := func(a, b FieldError) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
			cmp.Compare(len(a.Source), len(b.Source)), cmp.Compare(a.Source, b.Source)) // line 9 before line 10
	}
	sort.SliceStable(out, func(i, j int) bool { return order(out[i], out[j]) < 0 })
	return slices.CompactFunc(out, func(a, b FieldError) bool { return order(a, b) == 0 })
}
