package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// placesKept is how many places of the mistakes of one kind are kept.
const placesKept = 3

// mistake is what mistakes of one kind have in common: the field, whatever its place in a
// list, the type of the node, the constraint, and the message but for the values and places
// in it. Where the value names a type or a property, another value is another mistake.
type mistake struct{ of, field, code, constraint, message string }

func kindOf(f FieldError) mistake {
	name, _, _ := strings.Cut(f.Field, "[")
	of, _, _ := strings.Cut(f.Node, "/")
	if name == "type" || name == "edge" {
		return mistake{of, name, string(f.Code), fmt.Sprint(f.Value), f.Message}
	}
	return mistake{of, name, string(f.Code), fmt.Sprint(f.Constraint), skeleton(f)}
}

// shortName is the length from which on a value is no part of a word of a message.
const shortName = 4

// skeleton is a message without numbers, quoted text, its node and its value.
func skeleton(f FieldError) string {
	text := f.Message
	for _, own := range []string{f.Node, fmt.Sprint(f.Value)} {
		if len(own) >= shortName || strings.Contains(own, "/") {
			text = strings.ReplaceAll(text, own, "")
		}
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c < '0' || c > '9'):
			b.WriteByte(c)
		}
	}
	return b.String()
}

// place is where a mistake is: in the input, at a node, or in a list.
func (f FieldError) place() string {
	switch {
	case f.Source != "":
		return f.Source
	case f.Node != "":
		return f.Node
	case strings.Contains(f.Field, "["):
		return f.Field
	}
	return ""
}

// merged makes one of the mistakes of each kind: the first of them, with how many there are
// and the first places. It also counts all.
func merged(fields []FieldError) (kinds []FieldError, count int) {
	at := make(map[mistake]int, len(fields))
	for _, f := range fields {
		times := max(f.Times, 1)
		count += times
		i, known := at[kindOf(f)]
		if !known {
			at[kindOf(f)] = len(kinds)
			kinds = append(kinds, f)
			continue
		}
		one := &kinds[i]
		if one.Times == 0 {
			one.Times, one.Places = 1, places(*one)
		}
		one.Times += times
		for _, place := range places(f) {
			if len(one.Places) < placesKept && !slices.Contains(one.Places, place) {
				one.Places = append(slices.Clip(one.Places), place)
			}
		}
	}
	return kinds, count
}

// places are those of a mistake, or of several.
func places(f FieldError) []string {
	if f.Times > 0 {
		return f.Places
	}
	if place := f.place(); place != "" {
		return []string{place}
	}
	return nil
}

// More says how often a mistake was made besides, and where; "" for one that was made once.
func (f FieldError) More() string {
	if f.Times < 2 {
		return ""
	}
	said := " (and so " + strconv.Itoa(f.Times-1) + " more"
	if len(f.Places) > 1 {
		said += ": " + strings.Join(f.Places[1:], ", ")
		if f.Times > len(f.Places) {
			said += ", …"
		}
	}
	return said + ")"
}
