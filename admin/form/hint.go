package form

import (
	"fmt"
	"strconv"

	"trails/capability"
)

var (
	steps = map[capability.Type]string{capability.Integer: "1", capability.Number: "any", capability.DateTime: "1"}

	inputModes = map[capability.Type]string{
		capability.Integer: "numeric", capability.BigInteger: "numeric", capability.Year: "numeric",
		capability.Number: "decimal", capability.Decimal: "decimal",
		capability.URI: "url", capability.IRI: "url",
	}

	placeholders = map[capability.Type]string{
		capability.Decimal: "19.95", capability.BigInteger: "9007199254740993",
		capability.Date: "2024-05-31", capability.DateTime: "2024-05-31T12:00:00Z",
		capability.Time: "12:00:00Z", capability.Duration: "P1DT2H", capability.Year: "2024",
		capability.URI: "https://example.org/", capability.IRI: "https://example.org/a",
		capability.Bytes: "aGVsbG8=", capability.Vector: "[0.1, 0.2]", capability.Object: "{}",
		capability.LangString: "Cat@en",
	}
)

// count is a number, "" when there is none.
func count(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// anywhere is a pattern in HTML's words, where it must match the whole value.
func anywhere(pattern string) string {
	if pattern == "" {
		return ""
	}
	return `[\s\S]*(?:` + pattern + `)[\s\S]*`
}

// kinds say what a type is where the control does not show it.
var kinds = map[capability.Type]string{
	capability.Integer: "a whole number", capability.Number: "a number", capability.Decimal: "a decimal number; every digit is kept",
	capability.BigInteger: "a whole number of any size", capability.Date: "a day", capability.DateTime: "a day and time with its offset from UTC",
	capability.Time: "a time of day", capability.Duration: "a duration such as P1DT2H", capability.Year: "a year",
	capability.URI: "an address", capability.IRI: "an IRI", capability.Bytes: "bytes in base64", capability.Vector: "numbers as a JSON array",
	capability.LangString: "text, then @ and its language",
	capability.Object:     "a JSON object", capability.Any: "any JSON value", capability.Text: "any JSON value",
}

// hints say in words what the field takes.
func hints(f capability.Field) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if f.NodeType != "" {
		add("a %s: type to search", f.NodeType)
	} else if kind, ok := kinds[f.Type]; ok {
		add("%s", kind)
	}
	if f.Dim != nil {
		add("exactly %d numbers", *f.Dim)
	}
	sayRange := func(low, high, both, onlyLow, onlyHigh string) { // whose ends may be open
		switch {
		case low != "" && high != "":
			add(both, low, high)
		case low != "":
			add(onlyLow, low)
		case high != "":
			add(onlyHigh, high)
		}
	}
	sayRange(bound(f.MinValue), bound(f.MaxValue), "from %s to %s", "at least %s", "at most %s")
	sayRange(count(f.MinLength), count(f.MaxLength), "%s to %s characters", "at least %s characters", "at most %s characters")
	sayRange(count(f.MinCount), count(f.MaxCount), "%s to %s values", "at least %s values", "at most %s values")
	if text := example(f); text != "" {
		add("such as %s", text)
	}
	if f.Pattern != "" {
		add("matches %s", f.Pattern)
	}
	if f.HasValue != nil {
		add("must be %s", textOf(f.HasValue))
	}
	if f.Default != nil && f.OneOf == nil && f.Type != capability.Boolean {
		add("%s when left out", textOf(f.Default))
	}
	if f.Unique {
		add("no two share a value")
	}
	return out
}

// example is a text that fits the pattern of a field; "" for none.
func example(f capability.Field) string {
	if text, ok := f.Sample.(string); ok {
		return text
	}
	least := 0
	if f.MinLength != nil {
		least = *f.MinLength
	}
	if f.Pattern == "" || f.Type != capability.String {
		return "" // the other types have an example of their own
	}
	return sample(f.Pattern, least)
}

// bound is a value as people type it, "" when there is none.
func bound(v any) string {
	if v == nil {
		return ""
	}
	return textOf(v)
}
