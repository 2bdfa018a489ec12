package capability

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/auth/policy"
	"trails/rdf"
	"trails/schema"
	"trails/text/quote"
)

// ForSchema returns the descriptors of create, update and delete for every type
// that has instances, in the order of the schema. Their versions name their
// content, so any change of a type that a caller could notice changes them.
func ForSchema(s *schema.Schema) []Descriptor {
	all := make([]Descriptor, 0, 3*len(s.Types))
	for _, t := range s.Types {
		if t.Abstract {
			continue
		}
		for _, d := range []Descriptor{create(s, t), update(s, t), remove(s, t)} {
			all = append(all, d.Stamped(firstVersion))
		}
	}
	return all
}

// ShapeOfType is the properties of a type, as its create takes them.
func ShapeOfType(s *schema.Schema, t *schema.Type) Shape {
	return Shape{NodeType: t.Name, Fields: properties(s, t), UniqueTogether: groups(s, t), Closed: true}
}

// create makes a node from its properties.
func create(s *schema.Schema, t *schema.Type) Descriptor {
	d := write(s, t, "create")
	d.Description = Sentences("Create "+quote.Article(t.Name)+".", t.Description, together(s, t))
	d.InputShape.Fields = slices.Concat(properties(s, t), newID(s, t), writeFields) // it removes nothing
	d.Preconditions = []string{"No node has the id yet.", "Nodes that it refers to exist."}
	d.SideEffects = Writes
	return d
}

// update changes some properties of a node and leaves the rest.
func update(s *schema.Schema, t *schema.Type) Descriptor {
	d := write(s, t, "update")
	d.Description = "Change " + quote.Article(t.Name) + "; "
	unset, some := verbs(s, t, unsetVerb), verbs(s, t, addVerb, removeVerb)
	d.Description += "null removes"
	if len(some) > 0 {
		d.Description += ", arrays replace, add/remove edit"
	}
	d.Description += "."
	d.InputShape.Fields = slices.Concat(existingID(), optional(properties(s, t)), unset, some, verbs(s, t, askVerb), changeFields)
	d.OutputShape.Fields = askedResult
	d.Preconditions = []string{"A " + t.Name + " has the id.", "Nodes that it refers to exist."}
	d.SideEffects = Destroys
	d.Idempotent = true
	return d
}

// remove deletes a node with all of its properties.
func remove(s *schema.Schema, t *schema.Type) Descriptor {
	d := write(s, t, "delete")
	d.Description = "Delete " + quote.Article(t.Name) + "."
	d.InputShape.Fields = slices.Concat(existingID(), verbs(s, t, detachVerb, askVerb), changeFields)
	d.InputShape.UniqueTogether = nil
	d.OutputShape.Fields = askedResult
	d.Preconditions = []string{"A " + t.Name + " has the id.", "No node refers to it where that is required."}
	d.SideEffects = Destroys
	d.Idempotent = true
	d.ConsentRequired = true
	return d
}

// UnsetVerb is the argument of an update that names the properties to remove.
const UnsetVerb = "unset"

// DetachVerb is the argument of a delete that has the links to the node removed, too.
const DetachVerb = "detach"

// The verbs say how values, or links to the node, are treated.
var (
	unsetVerb  = Field{Name: UnsetVerb, Type: String, Many: true, Brief: true, MaxCount: new(1000), Description: "Properties to remove."}
	addVerb    = Field{Name: "add", Type: Object, Brief: true, Description: "Values to add to lists, by property."}
	removeVerb = Field{Name: "remove", Type: Object, Brief: true, Description: "Values to take out of lists."}
	askVerb    = FieldsOf[AskArgument]()[0]
	detachVerb = Field{Name: DetachVerb, Type: Boolean, Brief: true, Default: false, Description: "Remove the links to it, too."}
)

// TakesAsk reports whether ask is an argument of calls, and not a property that is called so.
func (s Shape) TakesAsk() bool {
	f, takes := s.Field(Ask)
	return takes && f.Rare && f.Description == askVerb.Description
}

// verbs returns the verbs for a type. A property with the same name takes precedence, and a type without lists has
// nothing to add to.
func verbs(s *schema.Schema, t *schema.Type, all ...Field) (fields []Field) {
	lists := slices.ContainsFunc(s.PropertiesOf(t), (*schema.Property).Many)
	for _, f := range all {
		if s.Property(t, f.Name) == nil && (lists || f.Type != Object) {
			fields = append(fields, f)
		}
	}
	return fields
}

// write is the common part of the three writes.
func write(s *schema.Schema, t *schema.Type, op string) Descriptor {
	return Descriptor{
		ID:             schema.SnakeName(t.Name) + "." + op,
		InputShape:     Shape{NodeType: t.Name, UniqueTogether: groups(s, t), Closed: true},
		OutputShape:    WriteResult(t.Name),
		CostEstimate:   CostChange,
		PolicyRequired: Requirement{Scope: policy.Runtime, Action: "change"},
		Reasoning:      ReasoningSubclasses,
		Assurance:      AssuranceValidated,
	}
}

// WriteResult is the answer of a typed write. All of them share its fields.
func WriteResult(nodeType string) Shape {
	return Shape{NodeType: nodeType, Closed: true, Fields: writeResult}
}

var (
	writeResult = FieldsOf[NodeWritten]()
	askedResult = append(slices.Clip(writeResult), RequestNumber())
)

// NodeWritten is what a write of a node answers.
type NodeWritten struct {
	ID  string  `json:"id" doc:"The node's local id, or its IRI when it has none."`
	IRI rdf.IRI `json:"iri" doc:"The node's IRI."`
	Changed
	Written
}

// newID is the argument for the id of a new node: made by the type, or given by the caller.
func newID(s *schema.Schema, t *schema.Type) []Field {
	id := Field{Name: "id", Type: String, Description: "Made when left out."}
	switch s.MintOf(t) {
	case schema.MintContent:
		return nil
	case schema.MintKey:
		id.Rare, id.Description = true, "Made from "+strings.Join(s.KeyOf(t), ", ")+" when left out."
	case schema.MintPreserve:
		id.Required, id.Description = true, "Local id or IRI of the new node."
	case schema.MintUUIDv7: // unchanged
	}
	return []Field{id}
}

func existingID() []Field {
	return []Field{{Name: "id", Type: String, Required: true, Brief: true, Description: "Local id, Type/id or IRI."}}
}

func properties(s *schema.Schema, t *schema.Type) []Field {
	all := s.PropertiesOf(t)
	fields := make([]Field, len(all))
	for i, p := range all {
		fields[i] = FieldOf(s, p)
	}
	return fields
}

// typeOfWord is the type of a field whose values are those of a word of the schema.
func typeOfWord(word string) Type {
	if word = cmp.Or(schema.Datatypes[word].As, word); word == "datetime" {
		return DateTime
	}
	return Type(word)
}

// FieldOf is the field of one property. One with a default need not be given.
func FieldOf(s *schema.Schema, p *schema.Property) Field {
	f := Field{
		Name: p.Name, Label: p.Label, Type: typeOfWord(p.Datatype), NodeType: p.Class, NodeTypes: nodeTypes(s, p),
		Required: p.Required() && p.Default == nil, Many: p.Many(),
		MinLength: p.MinLength, MaxLength: p.MaxLength, Pattern: p.Pattern, Unique: p.Unique, Dim: p.Dim,
		MinValue: s.JSONValue(p, p.MinValue), MaxValue: s.JSONValue(p, p.MaxValue),
		HasValue: s.JSONValue(p, p.HasValue), Default: s.JSONValue(p, p.Default),
	}
	if p.IsLang() {
		f.Fields = []Field{
			{Name: schema.LangText, Type: String, Required: true, MinLength: p.MinLength, MaxLength: p.MaxLength, Pattern: p.Pattern},
			{Name: schema.LangTag, Type: String, Required: true},
		}
		f.MinLength, f.MaxLength, f.Pattern = nil, nil, ""
	}
	f.bound(schema.Datatypes[p.Datatype])
	if f.Many && p.MinCount > 0 {
		f.MinCount = &p.MinCount
	}
	if f.Many {
		f.MaxCount = p.MaxCount
	}
	for _, term := range p.OneOf {
		f.OneOf = append(f.OneOf, s.JSONValue(p, term))
	}
	var written string
	if as := f.Reference(); as != "" {
		written = "As " + as + "."
	}
	f.Description = Sentences(p.Description, written, languages(p), form(p))
	return f
}

// nodeTypes are the types whose nodes a reference to an abstract type can refer to.
func nodeTypes(s *schema.Schema, p *schema.Property) (names []string) {
	t := s.Type(p.Class)
	if t == nil || !t.Abstract {
		return nil
	}
	for _, concrete := range s.Concrete(t) {
		names = append(names, concrete.Name)
	}
	return names
}

// bound sets the bounds of integer types of a fixed size.
func (f *Field) bound(d schema.Datatype) {
	if d.JSON != schema.JSONInteger {
		return
	}
	if f.MinValue == nil && d.Least != math.MinInt64 {
		f.MinValue = json.Number(strconv.FormatInt(d.Least, 10))
	}
	if f.MaxValue == nil && d.Most != math.MaxInt64 {
		f.MaxValue = json.Number(strconv.FormatInt(d.Most, 10))
	}
}

// languages describes the allowed languages.
func languages(p *schema.Property) string {
	switch {
	case len(p.Languages) > 0 && p.UniqueLang:
		return "One text each in " + strings.Join(p.Languages, ", ") + "."
	case len(p.Languages) > 0:
		return "In " + strings.Join(p.Languages, ", ") + "."
	case p.UniqueLang:
		return "One text in each language."
	}
	return ""
}

// form describes the notation of a datatype that JSON Schema only knows as a string.
func form(p *schema.Property) string {
	if d := schema.Datatypes[p.Datatype]; d.As == "string" && !d.Text || d.As == "duration" {
		return "Such as " + strings.Trim(d.Example, `"`) + "."
	}
	return ""
}

// optional converts fields to those of an update: each may be left out or null.
func optional(fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.Needed, f.Required, f.Nullable, f.Default, f.Brief = f.Required, false, true, nil, true
	}
	return fields
}

// groups are the properties of a type that are unique together: those that it and
// its supertypes declare, and the key.
func groups(s *schema.Schema, t *schema.Type) [][]string {
	var all [][]string
	if key := s.KeyOf(t); len(key) > 0 {
		all = append(all, key)
	}
	all = append(all, t.Unique...)
	for _, super := range s.Supertypes(t) {
		all = append(all, super.Unique...)
	}
	return all
}

// together describes which properties are unique together, which JSON Schema cannot express.
func together(s *schema.Schema, t *schema.Type) string {
	var sentences []string
	for _, group := range groups(s, t) {
		if len(group) == 1 && s.Property(t, group[0]).Unique {
			continue // the description of the property has it
		}
		if len(group) == 1 {
			sentences = append(sentences, fmt.Sprintf("No two share %s.", group[0]))
			continue
		}
		last := len(group) - 1
		sentences = append(sentences, fmt.Sprintf("No two share %s and %s together.", strings.Join(group[:last], ", "), group[last]))
	}
	return strings.Join(sentences, " ")
}

// Sentences joins texts with spaces, and ends each that has no end with a full stop.
func Sentences(texts ...string) string {
	var all []string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if !strings.ContainsAny(text[len(text)-1:], ".!?") {
			text += "."
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}
