package view

import (
	"fmt"
	"slices"
	"strings"

	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

// Bounds of what is said of a property that changed.
const (
	changedMost = 3  // values
	changedText = 60 // characters of a value
)

// Changed says what became of the properties of a node, each from what to what: status "open" → "done", tag + "new",
// old - 1. Long texts and lists are shortened.
func Changed(s *schema.Schema, list []browse.PropertyChange) string {
	var parts []string
	renamed := renamed(s, list)
	for _, c := range list {
		name := s.Short(c.Predicate)
		if c.Property != nil {
			name = c.Property.Name
		}
		old, now := changedValues(s, c.Old), changedValues(s, c.New)
		switch {
		case renamed[c.Predicate] != nil:
			if len(c.Old) > 0 {
				now := s.Short(*renamed[c.Predicate])
				parts = append(parts, fmt.Sprintf("%s is %s now", strings.TrimPrefix(name, ":"), strings.TrimPrefix(now, ":")))
			}
		case old == "":
			parts = append(parts, fmt.Sprintf("%s + %s", name, now))
		case now == "":
			parts = append(parts, fmt.Sprintf("%s - %s", name, old))
		default:
			parts = append(parts, fmt.Sprintf("%s %s → %s", name, old, now))
		}
	}
	return strings.Join(parts, ", ")
}

// renamed has the predicates that are two names of a property, of which the one lost the values
// that the other got, each with the other.
func renamed(s *schema.Schema, list []browse.PropertyChange) map[rdf.IRI]*rdf.IRI {
	pairs := map[rdf.IRI]*rdf.IRI{}
	for _, was := range list {
		if len(was.New) > 0 {
			continue
		}
		for _, is := range list {
			if len(is.Old) == 0 && slices.Equal(was.Old, is.New) && s.SameProperty(was.Predicate, is.Predicate) {
				pairs[was.Predicate], pairs[is.Predicate] = &is.Predicate, &was.Predicate
			}
		}
	}
	return pairs
}

func changedValues(s *schema.Schema, list []rdf.Term) string {
	var parts []string
	for i, v := range list {
		if i == changedMost {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		text := fmt.Sprint(Plain(s, v))
		if rdf.IsLiteral(v) {
			text = fmt.Sprintf("%q", outline.Shorten(text, changedText))
			if tag, tagged := rdf.LangOf(v); tagged {
				text += "@" + tag
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
