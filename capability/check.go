package capability

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/text/jsontext"
)

// Check compares the members of a JSON object with the shape, and returns every difference. Numbers are
// [json.Number]. It does not check what depends on the graph: whether a value is Unique, and what a reference refers
// to. It refuses what the JSON Schema of the shape refuses (package project), and also invalid text of types that
// JSON Schema cannot express.
func (s Shape) Check(values map[string]any) []fault.FieldError { return s.checkAt("", values) }

// checkAt is [Shape.Check] of an object whose members are named after a place: "" or "selector.".
func (s Shape) checkAt(place string, values map[string]any) []fault.FieldError {
	var fields []fault.FieldError
	for name, v := range values {
		f, known := s.Field(name)
		f.Name = place + f.Name
		switch {
		case known && (v != nil || !f.Required || f.Nullable):
			fields = append(fields, f.Check(v)...)
		case !known && s.Closed:
			fields = append(fields, unknownArgument(s, place+name, v))
		}
	}
	for _, f := range s.Fields {
		if v, given := values[f.Name]; f.Required && (!given || v == nil && !f.Nullable) {
			name := place + f.Name
			fields = append(fields, fault.FieldError{Field: name, Code: fault.Required, Message: name + " is required", Constraint: true})
		}
	}
	return fields
}

func unknownArgument(shape Shape, name string, v any) fault.FieldError {
	var known []string
	within := "" // the argument that has a member of this name
	for _, f := range shape.Fields {
		known = append(known, f.Name)
		if slices.ContainsFunc(f.Fields, func(member Field) bool { return member.Name == name }) {
			within = f.Name
		}
	}
	message := fmt.Sprintf("there is no argument %q", name)
	switch {
	case within != "":
		message += fmt.Sprintf("; it is a member of %s: {%q:{%q:…}}", within, within, name)
	case len(known) == 0:
	case len(known) == 1:
		message += "; there is " + known[0]
	default:
		message += "; there are " + strings.Join(known, ", ")
	}
	if name == "at" {
		message += "; " + NoPast
	}
	return fault.FieldError{Field: name, Code: fault.Closed, Message: message, Value: v, Constraint: known}
}

// NoPast is the end of a refusal of the argument at where it is not supported, see [ReadArguments].
const NoPast = "reads of the graph alone take at, which names an earlier commit: leave it out"

// Check compares a value with the field: an array member by member.
func (f Field) Check(v any) []fault.FieldError {
	if v == nil && (f.Nullable || f.Type == Any && !f.Many) {
		return nil
	}
	if !f.Many {
		fields := f.checkOne(v)
		if fields == nil && f.HasValue != nil && !jsontext.Equal(v, f.HasValue) {
			fields = f.wrong(fault.HasValue, v, f.HasValue, "must be %v", f.HasValue)
		}
		return fields
	}
	list, ok := v.([]any)
	switch {
	case !ok:
		return f.wrong(fault.Datatype, v, "array", "must be a JSON array%s", suchAs(f.Example()))
	case f.MaxCount != nil && len(list) > *f.MaxCount:
		return f.wrong(fault.MaxCount, nil, *f.MaxCount, "has at most %d members", *f.MaxCount)
	case f.MinCount != nil && len(list) < *f.MinCount:
		return f.wrong(fault.MinCount, nil, *f.MinCount, "has at least %d members", *f.MinCount)
	}
	var fields []fault.FieldError
	for i, member := range list {
		one := f
		one.Name = fmt.Sprintf("%s[%d]", f.Name, i)
		fields = append(fields, one.checkOne(member)...)
	}
	if f.HasValue != nil && !slices.ContainsFunc(list, func(member any) bool { return jsontext.Equal(member, f.HasValue) }) {
		fields = append(fields, f.wrong(fault.HasValue, v, f.HasValue, "must have the member %v", f.HasValue)...)
	}
	return fields
}

// wrong is the error about a value.
func (f Field) wrong(code fault.Code, v, constraint any, format string, args ...any) []fault.FieldError {
	return []fault.FieldError{{Field: f.Name, Code: code, Message: f.Name + " " + fmt.Sprintf(format, args...), Value: v, Constraint: constraint}}
}

// texts has, for types that are JSON strings, a description and a test of their text.
var texts = map[Type]struct {
	looks string
	fits  func(string) bool
}{
	BigInteger: {"a whole number in decimal digits", bigInteger.MatchString},
	Date:       {"a date, such as 2026-01-31", func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }},
	DateTime:   {"a date and time, such as 2026-01-31T12:00:00Z", func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil }},
	Time:       {"a time, such as 12:00:00", func(s string) bool { return xsd.Valid(s, rdf.XSDTime) }},
	Duration:   {"a duration, such as P1D", func(s string) bool { return xsd.Valid(s, rdf.XSDDuration) }},
	Year:       {"a year, such as 2026", func(s string) bool { return xsd.Valid(s, rdf.XSDGYear) }},
	URI:        {"an absolute URI", func(s string) bool { return schema.CheckIRI(s) == nil }},
	Bytes:      {"bytes in base64", func(s string) bool { _, err := base64.StdEncoding.DecodeString(s); return err == nil }},
}

var bigInteger = regexp.MustCompile(`^-?\d+$`)

// temporal are the datatypes by which bounds of texts are compared.
var temporal = map[Type]rdf.IRI{Date: rdf.XSDDate, DateTime: rdf.XSDDateTime, Time: rdf.XSDTime, Duration: rdf.XSDDuration, Year: rdf.XSDGYear, BigInteger: rdf.XSDInteger}

// checkOne compares one value with the type and the constraints of the field.
func (f Field) checkOne(v any) []fault.FieldError {
	if fields := f.checkType(v); fields != nil {
		return fields
	}
	switch v := v.(type) {
	case map[string]any:
		if len(f.Fields) == 0 {
			return nil
		}
		return Shape{Fields: f.Fields, Closed: true}.checkAt(f.Name+".", v)
	case string:
		length := utf8.RuneCountInString(v)
		switch {
		case f.MaxLength != nil && length > *f.MaxLength:
			return f.wrong(fault.MaxLength, v, *f.MaxLength, "has at most %d characters", *f.MaxLength)
		case f.MinLength != nil && length < *f.MinLength:
			return f.wrong(fault.MinLength, v, *f.MinLength, "has at least %d characters", *f.MinLength)
		}
		if f.Pattern != "" {
			pattern, err := regexp.Compile(f.Pattern)
			if err != nil || !pattern.MatchString(v) { // New refuses invalid patterns
				return f.wrong(fault.Pattern, v, f.Pattern, "must match %s", f.Pattern)
			}
		}
	}
	if len(f.OneOf) > 0 && !slices.ContainsFunc(f.OneOf, func(one any) bool { return jsontext.Equal(v, one) }) {
		return f.wrong(fault.OneOf, v, f.OneOf, "must be one of %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(f.OneOf), " ", ", "), "[]"))
	}
	if order, ok := f.compare(v, f.MinValue); ok && order < 0 {
		return f.wrong(fault.MinValue, v, f.MinValue, "must be at least %v", f.MinValue)
	}
	if order, ok := f.compare(v, f.MaxValue); ok && order > 0 {
		return f.wrong(fault.MaxValue, v, f.MaxValue, "must be at most %v", f.MaxValue)
	}
	return nil
}

// checkType checks that a value has the JSON type of the field and a valid text.
func (f Field) checkType(v any) []fault.FieldError {
	kind, fits := "string", false
	switch f.Type {
	case Any, Text:
		return nil
	case Boolean:
		kind = "boolean"
		_, fits = v.(bool)
	case Integer:
		kind = "integer"
		n, isNumber := v.(json.Number)
		digits, whole := schema.Whole(string(n))
		_, err := strconv.ParseInt(digits, 10, 64)
		fits = isNumber && whole && err == nil
	case Number, Decimal:
		kind = "number"
		_, fits = v.(json.Number)
	case LangString:
		if _, wrong := new(schema.Schema).Term(&schema.Property{Name: f.Name, Datatype: string(LangString)}, v); wrong != nil {
			return []fault.FieldError{*wrong}
		}
		return nil
	case Object:
		kind = "object"
		_, fits = v.(map[string]any)
	case Vector:
		return f.checkVector(v)
	case String, BigInteger, Date, DateTime, Time, Duration, Year, URI, IRI, Bytes:
		_, fits = v.(string)
	}
	if !fits {
		return f.wrong(fault.Datatype, v, kind, "must be a JSON %s%s", kind, f.suchAsOne())
	}
	text, _ := v.(string)
	if form, ok := texts[f.Type]; ok && !form.fits(text) {
		return f.wrong(fault.Datatype, v, f.Type, "must be %s", form.looks)
	}
	// A reference may be a local id; an empty text means an omitted argument.
	if f.Type == IRI && f.NodeType == "" && (text != "" || f.Many) {
		if err := schema.CheckIRI(text); err != nil {
			return f.wrong(fault.NodeKind, v, nil, "must be an absolute IRI: %s", err)
		}
	}
	return nil
}

func (f Field) checkVector(v any) []fault.FieldError {
	list, ok := v.([]any)
	for _, component := range list {
		_, isNumber := component.(json.Number)
		ok = ok && isNumber
	}
	switch {
	case !ok:
		return f.wrong(fault.Datatype, v, "array", "must be a JSON array of numbers%s", suchAs(f.exampleOfOne()))
	case f.Dim != nil && len(list) != *f.Dim:
		return f.wrong(fault.Datatype, nil, *f.Dim, "must have %d components", *f.Dim)
	}
	return nil
}

// compare compares a value with a bound; ok is false if there is no bound, or they cannot be compared.
func (f Field) compare(v, bound any) (order int, ok bool) {
	if bound == nil {
		return 0, false
	}
	if datatype, ok := temporal[f.Type]; ok {
		return xsd.Compare(rdf.Literal(fmt.Sprint(v), datatype), rdf.Literal(fmt.Sprint(bound), datatype))
	}
	n, isNumber := v.(json.Number)
	if !isNumber {
		return 0, false
	}
	// The precision distinguishes all practical numbers, and large exponents cost nothing.
	a, _, err := big.ParseFloat(string(n), 10, 512, big.ToNearestEven)
	b, _, wrong := big.ParseFloat(fmt.Sprint(bound), 10, 512, big.ToNearestEven)
	if err != nil || wrong != nil {
		return 0, false
	}
	return a.Cmp(b), true
}
