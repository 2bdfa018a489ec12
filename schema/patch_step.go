package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// StepKind says what a [Step] does.
type StepKind string

// The kinds of steps.
const (
	RenameType        StepKind = "rename_type"     // Step.Type is the new name
	RenameProperty    StepKind = "rename_property" // Step.Property is the new name
	ChangeBase        StepKind = "change_base"
	ChangePrefixes    StepKind = "change_prefixes"
	AddType           StepKind = "add_type"
	DropType          StepKind = "drop_type"
	AddProperty       StepKind = "add_property"
	DropProperty      StepKind = "drop_property"
	ChangeIRI         StepKind = "change_iri" // of a type, or of a property when Property is set
	ChangeDatatype    StepKind = "change_datatype"
	ChangeClass       StepKind = "change_class"
	ChangeConstraint  StepKind = "change_constraint" // Step.Constraint names it
	ChangeDefault     StepKind = "change_default"
	ChangeSearch      StepKind = "change_search" // whether search finds the values of a property
	ChangeEmbed       StepKind = "change_embed"  // whether texts of a property, or of a type, are sent to the endpoint of embeddings
	ChangeWas         StepKind = "change_was"    // the names that a property had before
	ChangeExtends     StepKind = "change_extends"
	ChangeAbstract    StepKind = "change_abstract"
	ChangeOpen        StepKind = "change_open"
	ChangeLabel       StepKind = "change_label"
	ChangeKey         StepKind = "change_key"
	ChangeUnique      StepKind = "change_unique" // the groups of a type
	ChangeMint        StepKind = "change_mint"
	ChangeIDs         StepKind = "change_ids" // the beginning of the IRIs of a type's nodes
	ChangeDescription StepKind = "change_description"
	ChangeOrder       StepKind = "change_order" // of the types, or of a type's properties
	DropForeign       StepKind = "drop_foreign" // Step.Type is the subject of a [Foreign], From its statements
)

// Step is one difference between two schemas.
type Step struct {
	Kind     StepKind `json:"kind"`
	Type     string   `json:"type,omitempty"`
	Property string   `json:"property,omitempty"`
	// Constraint is the key in YAML, for ChangeConstraint.
	Constraint string `json:"constraint,omitempty"`
	// From and To are JSON values; nil if absent. An added type or property is its [TypeDocument] or
	// [PropertyDocument].
	From any `json:"from,omitempty"`
	To   any `json:"to,omitempty"`
	// Lossy means that data would be removed or become unreachable.
	Lossy bool `json:"lossy"`
	// Checks means that valid entities of Type and its subtypes may become invalid. For an optional AddProperty these
	// are only entities that already have values; ChangeExtends and ChangeIRI of a type also affect the entities that
	// refer to them.
	Checks bool `json:"checks"`
	// Backfill means that the property becomes required and has a default for existing entities without a value.
	Backfill bool `json:"backfill,omitempty"`
	// Crosses names the type or the property of before whose name what the step is about had for a
	// while, or has: names that cross are no renaming, and values do not follow them.
	Crosses string `json:"crosses,omitempty"`
}

// String says what the step does to a person: "add property Book.year (integer, required)".
func (st Step) String() string {
	switch st.Kind {
	case RenameType:
		return fmt.Sprintf("rename type %s to %s", st.From, st.To)
	case RenameProperty:
		return fmt.Sprintf("rename property %s.%s to %s", st.Type, st.From, st.To)
	case AddType:
		return "add type " + st.Type + added(st.To)
	case DropType:
		return "drop type " + st.Type
	case AddProperty:
		return "add property " + st.subject() + added(st.To)
	case DropProperty:
		return "drop property " + st.subject()
	case DropForeign:
		return fmt.Sprintf("drop what the schema language has no words for: %s of %s", spoken(st.From), st.Type)
	case ChangeDescription, ChangeOrder, ChangePrefixes:
		return "change " + st.place()
	default:
		return fmt.Sprintf("change %s: %s → %s", st.place(), spoken(st.From), spoken(st.To))
	}
}

func (st Step) subject() string {
	if st.Property == "" {
		return st.Type
	}
	return st.Type + "." + st.Property
}

// place is where in the schema the step changes something: "Book.year min_value".
func (st Step) place() string { return strings.TrimSpace(st.subject() + " " + st.What()) }

// What is the YAML key that the step changes.
func (st Step) What() string {
	switch st.Kind {
	case ChangeConstraint:
		return st.Constraint
	case ChangeDatatype:
		return "type"
	case ChangeMint:
		return "iri"
	case ChangeIRI:
		if st.Property == "" {
			return "rdf_type"
		}
		return "predicate"
	default:
		return strings.TrimPrefix(string(st.Kind), "change_")
	}
}

func added(to any) string {
	switch d := to.(type) {
	case TypeDocument:
		kind := ""
		if d.Abstract {
			kind = "abstract, "
		}
		if len(d.Properties) == 1 {
			return " (" + kind + "1 property)"
		}
		return fmt.Sprintf(" (%s%d properties)", kind, len(d.Properties))
	case PropertyDocument:
		return " (" + strings.Join(d.words(), ", ") + ")"
	}
	return ""
}

func (d PropertyDocument) words() []string {
	words := []string{d.Type}
	if d.Class != "" {
		words[0] = d.Class
	}
	if d.Required {
		words = append(words, "required")
	}
	if d.Many {
		words = append(words, "many")
	}
	if d.Unique {
		words = append(words, "unique")
	}
	if d.Default != nil {
		words = append(words, "default "+spoken(d.Default))
	}
	return words
}

// spoken is a value for a person: text without quotes, other values as JSON, nil as "none".
func spoken(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
