package schema

import (
	"maps"
	"slices"

	"trails/rdf"
)

// Vector is the datatype of embeddings; its lexical form is a compact JSON array of numbers.
const Vector = rdf.IRI(rdf.TrailsNS + "vector")

// JSONKind is the JSON type that carries a datatype's values, in JSON Schema's words.
type JSONKind string

// The JSON types that values take.
const (
	JSONString  JSONKind = "string"
	JSONBoolean JSONKind = "boolean"
	JSONInteger JSONKind = "integer"
	JSONNumber  JSONKind = "number"
	JSONArray   JSONKind = "array"
)

// Datatype is what one word of the schema means.
type Datatype struct {
	IRI    rdf.IRI  // "" for references: the value is an IRI, not a literal
	JSON   JSONKind // how one value looks in JSON
	Format string   // JSON Schema's format; "" for none
	// Text: min_length, max_length and pattern apply.
	Text bool
	// Ordered: min_value and max_value apply.
	Ordered bool
	// Example is a valid JSON value, for messages.
	Example string
}

// Words of the schema that the code treats specially.
const (
	wordInteger    = "integer"
	wordBigInteger = "big_integer"
	wordDecimal    = "decimal"
	wordVector     = "vector"
	wordIRI        = "iri"
)

// Datatypes maps each word a schema may use as a property's type to its meaning.
// It is read only.
var Datatypes = map[string]Datatype{
	"string":       {IRI: rdf.XSDString, JSON: JSONString, Text: true, Example: `"text"`},
	"boolean":      {IRI: rdf.XSDBoolean, JSON: JSONBoolean, Example: `true`},
	wordInteger:    {IRI: rdf.XSDInteger, JSON: JSONInteger, Ordered: true, Example: `42`},
	wordBigInteger: {IRI: rdf.XSDInteger, JSON: JSONString, Ordered: true, Example: `"9007199254740993"`},
	wordDecimal:    {IRI: rdf.XSDDecimal, JSON: JSONNumber, Ordered: true, Example: `19.95`},
	"number":       {IRI: rdf.XSDDouble, JSON: JSONNumber, Ordered: true, Example: `0.5`},
	"float":        {IRI: rdf.XSDFloat, JSON: JSONNumber, Ordered: true, Example: `0.5`},
	"date":         {IRI: rdf.XSDDate, JSON: JSONString, Format: "date", Ordered: true, Example: `"2024-05-31"`},
	"datetime":     {IRI: rdf.XSDDateTime, JSON: JSONString, Format: "date-time", Ordered: true, Example: `"2024-05-31T12:00:00Z"`},
	"time":         {IRI: rdf.XSDTime, JSON: JSONString, Ordered: true, Example: `"12:00:00Z"`},
	"duration":     {IRI: rdf.XSDDuration, JSON: JSONString, Format: "duration", Example: `"P1DT2H"`},
	"year":         {IRI: rdf.XSDGYear, JSON: JSONString, Ordered: true, Example: `"2024"`},
	"uri":          {IRI: rdf.XSDAnyURI, JSON: JSONString, Format: "uri", Text: true, Example: `"https://example.org/"`},
	"bytes":        {IRI: rdf.XSDBase64Binary, JSON: JSONString, Example: `"aGVsbG8="`},
	wordVector:     {IRI: Vector, JSON: JSONArray, Example: `[0.1, 0.2]`},
	wordIRI:        {JSON: JSONString, Format: "iri", Text: true, Example: `"https://example.org/a"`},
}

// words are the keys of Datatypes, sorted.
var words = slices.Sorted(maps.Keys(Datatypes))

// wordOf is the word that an IRI alone determines; big_integer needs trails:word.
var wordOf = func() map[rdf.IRI]string {
	byIRI := make(map[rdf.IRI]string, len(Datatypes))
	for word, d := range Datatypes {
		if word != wordBigInteger {
			byIRI[d.IRI] = word
		}
	}
	return byIRI
}()

// isReference reports whether the property's values are IRIs.
func (p *Property) isReference() bool { return p.Datatype == wordIRI }

// datatypeIRI returns the IRI of the property's datatype; "" for references.
func (p *Property) datatypeIRI() rdf.IRI { return Datatypes[p.Datatype].IRI }
