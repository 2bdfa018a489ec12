package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// placesKept is how many places are kept for each kind of mistake.
const placesKept = 3

// mistake is the key of a kind of mistake: the field without list positions, the node's type, the constraint,
// and the message without values and places. The name of a type or a property remains part of it, known or not.
type mistake struct{ of, field, code, constraint, message string }

func kindOf(f FieldError) mistake {
	name, _, _ := strings.Cut(f.Field, "[")
	of, _, _ := strings.Cut(f.Node, "/")
	if name == "type" || name == "edge" {
		return mistake{of, name, string(f.Code), fmt.Sprint(f.Value), f.Message}
	}
	message := skeleton(f)
	if f.Code == Closed {
		_, unknown, _ := strings.Cut(f.Message, `"`)
		unknown, _, _ = strings.Cut(unknown, `"`)
		message += unknown
	}
	return mistake{of, name, string(f.Code), fmt.Sprint(f.Constraint), message}
}

// shortName is the length below which a value is not removed from messages, because it may be part of a word.
const shortName = 4

// skeleton returns a message without numbers, quoted text, node and value.
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

// place returns where a mistake is: in the input, at a node, or in a list.
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

// merged returns the first mistake of each kind, with the number of all of that kind and their first places,
// and the number of all mistakes.
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

// places returns the places of one or several mistakes.
func places(f FieldError) []string {
	if f.Times > 0 {
		return f.Places
	}
	if place := f.place(); place != "" {
		return []string{place}
	}
	return nil
}

// More says how many more mistakes of the kind there are, and where; "" for none.
func (f FieldError) More() string {
	if f.Times < 2 {
		return ""
	}
	note := " (and so " + strconv.Itoa(f.Times-1) + " more"
	if len(f.Places) > 1 {
		note += ": " + strings.Join(f.Places[1:], ", ")
		if f.Times > len(f.Places) {
			note += ", …"
		}
	}
	return note + ")"
}
