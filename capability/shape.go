package capability

import (
	"strings"

	"trails/auth/policy"
)

// Shape describes a JSON object: its fields in the order people read them. The
// zero Shape is an object that may hold anything.
type Shape struct {
	Fields []Field `json:"fields"`
	// NodeType names the type of the node that the object is about; "" when there is none.
	NodeType string `json:"node_type,omitempty"`
	// UniqueTogether lists groups of fields whose values no two nodes share.
	UniqueTogether [][]string `json:"unique_together,omitempty"`
	// Closed means that no other field may be given.
	Closed bool `json:"closed"`
}

// Field returns the field with this name.
func (s Shape) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Type is the type of a field's value, in JSON and beyond.
type Type string

// The types. Those from BigInteger to Bytes travel as JSON strings.
const (
	String     Type = "string"
	Boolean    Type = "boolean"
	Integer    Type = "integer" // within ±2^53
	Number     Type = "number"
	Decimal    Type = "decimal"     // a JSON number that keeps every digit
	BigInteger Type = "big_integer" // decimal digits; any size
	Date       Type = "date"        // RFC 3339 full-date
	DateTime   Type = "date-time"   // RFC 3339 date-time
	Time       Type = "time"
	Duration   Type = "duration" // ISO 8601
	Year       Type = "year"
	URI        Type = "uri"
	IRI        Type = "iri"         // an IRI or, in a reference, a local id
	Bytes      Type = "bytes"       // base64
	Vector     Type = "vector"      // an array of Dim numbers
	LangString Type = "lang_string" // an object of value and lang
	Object     Type = "object"      // Fields, or any members when there are none
	Any        Type = "any"         // any JSON value
	Text       Type = "text"        // any JSON value; as an argument also as JSON text. Its JSON Schema says string, because hosts refuse a schema without a type
)

// Field describes one member of a JSON object. Nil pointers and nil values mean
// that the constraint is absent. Values in OneOf, MinValue, MaxValue, HasValue and
// Default are JSON values: string, bool, [encoding/json.Number].
type Field struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Label is the name for people, for forms alone; "" leaves it to the name.
	Label    string `json:"-"`
	Type     Type   `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Many means an array; MinCount and MaxCount bound its length, and a MinCount
	// does not make the field itself required.
	Many     bool `json:"many,omitempty"`
	MinCount *int `json:"min_count,omitempty"`
	MaxCount *int `json:"max_count,omitempty"`
	// MinLength and MaxLength count characters.
	MinLength *int `json:"min_length,omitempty"`
	MaxLength *int `json:"max_length,omitempty"`
	// Pattern is RE2 and matches anywhere unless anchored.
	Pattern  string `json:"pattern,omitempty"`
	OneOf    []any  `json:"one_of,omitempty"`
	MinValue any    `json:"min_value,omitempty"`
	MaxValue any    `json:"max_value,omitempty"`
	HasValue any    `json:"has_value,omitempty"`
	// Unique means that no two nodes share a value.
	Unique bool `json:"unique,omitempty"`
	// NodeType names the type that a reference must point to.
	NodeType string `json:"node_type,omitempty"`
	// NodeTypes are the concrete subtypes if that type is abstract; only for [Field.Reference].
	NodeTypes []string `json:"-"`
	// Dim is the number of components of a vector; nil when it is not known.
	Dim *int `json:"dim,omitempty"`
	// Nullable means that null is a value, too; an update removes with it.
	Nullable bool `json:"nullable,omitempty"`
	// Needed means that the node must have the value: an update that removes it is refused.
	Needed  bool `json:"needed,omitempty"`
	Default any  `json:"default,omitempty"`
	// Scope, unless it is empty, is an additional scope for giving the field another value than its default. The
	// stage rights of package invoke checks it.
	Scope policy.Scope `json:"scope,omitempty"`
	// Rare means that few calls need the field: tool lists, and the words by which tools are found, only include its
	// name and type.
	Rare bool `json:"rare,omitempty"`
	// Brief means that other texts (the tool's description, the create tool of the type or the instructions) already
	// describe the field: tool lists only include its type.
	Brief bool `json:"brief,omitempty"`
	// Fields describe the members of an object; empty means any.
	Fields []Field `json:"fields,omitempty"`
	// Sample is an example of the field, if the one for its type is not good enough: see [Field.Example].
	Sample any `json:"-"`
	// Cells describe the rows of a table, each a list with one value for each column, in
	// their order. A row may be an object instead, of which they say nothing.
	Cells []Cell `json:"cells,omitempty"`
}

// Cell is a column of a table.
type Cell struct {
	Name string `json:"name"`
	// Says is the type or datatype in the schema; "" for none.
	Says string `json:"says,omitempty"`
	// Types are the JSON types of its values, null included; empty means any.
	Types []string `json:"types,omitempty"`
}

// CellsOf returns the columns of a table, each given by its name and, after a colon, the JSON types of its values:
// "author:string", "closed:string null". A column without types has any values.
func CellsOf(columns ...string) []Cell {
	cells := make([]Cell, len(columns))
	for i, column := range columns {
		name, types, _ := strings.Cut(column, ":")
		cells[i] = Cell{Name: name, Types: strings.Fields(types)}
	}
	return cells
}

// Label returns the name, and after a colon what the schema has for it.
func (c Cell) Label() string {
	if c.Says == "" {
		return c.Name
	}
	return c.Name + ": " + c.Says
}

// maxNodeTypes is how many types [Field.Reference] names.
const maxNodeTypes = 3

// Reference describes how a reference is written, because "iri" is not enough: "Type/id", with each possible type; ""
// for other fields.
func (f Field) Reference() string {
	names := f.NodeTypes
	if len(names) == 0 && f.NodeType != "" {
		names = []string{f.NodeType}
	}
	if len(names) > maxNodeTypes {
		return strings.Join(names[:maxNodeTypes], "/id, ") + "/id or another " + f.NodeType
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, "/id or ") + "/id"
}
