// Package schema is the graph's schema as its author declares it: types, their properties and constraints. It can be
// written as YAML, is stored as SHACL quads in urn:trails:graph:schema, and [Diff] compares two of them. Package
// validate validates data, from the quads. Read [Schema] first.
//
// A Schema is immutable once built; all of its methods are safe for concurrent use.
package schema

import (
	"cmp"

	"trails/rdf"
)

// Schema is a set of types over one base IRI.
type Schema struct {
	// Base is the beginning of type, property and entity IRIs.
	Base string
	// Prefixes map prefixes to namespaces, for CURIEs in YAML and for Turtle and JSON-LD output.
	Prefixes map[string]string
	// Types are in the order of declaration.
	Types []*Type

	byName map[string]*Type
	byIRI  map[rdf.IRI]*Type
	byIDs  map[string]*Type // by the beginning of their entities' IRIs
	about  map[*Type]*facts
	// declared are the predicates of all properties.
	declared map[rdf.IRI]bool
	// identifying are the properties of keys, of unique groups, and of types with content ids.
	identifying map[*Property]bool
	foreign     []Foreign
}

// Mint says how new entities of a type get their IRIs.
type Mint string

// The ways to mint, as the schema writes them.
const (
	MintUUIDv7   Mint = "uuidv7"   // what [Schema.MintOf] says when no type in the chain says otherwise
	MintContent  Mint = "content"  // SHA-256 of the canonical property set
	MintKey      Mint = "key"      // from the key properties
	MintPreserve Mint = "preserve" // the caller's id or IRI; creating without one is an error
)

// Type is a node type: a SHACL node shape that is also a class.
type Type struct {
	Name        string
	IRI         rdf.IRI // Base+Name unless the schema gives rdf_type
	Description string
	// Label names the property with the label; "" means that of the supertype, or else the local id; see
	// [Schema.LabelOf].
	Label string
	// Key names the properties that together identify an entity; nil means those of the supertype, see
	// [Schema.KeyOf].
	Key []string
	// Unique lists groups of properties whose values are unique together within the type.
	// The groups are sorted, because quads keep no order between them.
	Unique [][]string
	// IDs replaces the name in the IRIs of its entities, which stay the same when the type is renamed; "" means Name.
	IDs string
	// Mint is how entities get their IRIs; "" means as the supertype's, see [Schema.MintOf].
	Mint Mint
	// Extends names the direct supertypes, in their order of declaration.
	Extends  []string
	Abstract bool // only subtypes have instances
	// Open means that nodes of the type may have undeclared names under the base; see [Schema.IsOpen].
	Open bool
	// Embedded means that all texts of its nodes are found by what they mean, too; see [Schema.Embeds].
	Embedded bool
	// Properties are the type's own, in order of declaration; see [Schema.PropertiesOf].
	Properties []*Property
}

// Property is one property of a type: a SHACL property shape.
// Nil pointers and nil terms mean that the constraint is absent.
type Property struct {
	Name        string
	IRI         rdf.IRI // Base+Name unless the schema gives predicate
	Description string
	// Label is the name for people, on pages and in forms; "" means that [Words] of the name is.
	Label string
	// Datatype is the word the schema uses, one of the keys of [Datatypes]; for a
	// reference it is "iri".
	Datatype string
	// Class names the type that a reference must point to; "" for a literal or any IRI.
	Class     string
	MinCount  int  // 0: optional
	MaxCount  *int // nil: no bound
	MinLength *int
	MaxLength *int
	Pattern   string // RE2; matches anywhere unless anchored
	OneOf     []rdf.Term
	MinValue  rdf.Term
	MaxValue  rdf.Term
	HasValue  rdf.Term
	Dim       *int // vectors: the number of components
	// Languages are those that text may have, as language ranges: en is any English.
	Languages  []string
	UniqueLang bool // no two values of an entity share a language
	Unique     bool // no two entities of the type share a value
	Default    rdf.Term
	// Unsearched means that full-text search ignores values of the property.
	Unsearched bool
	// Embedded means that texts of the property are found by what they mean, too: they are sent to the endpoint of
	// embeddings, if somebody at the machine has agreed to it. Nil means that the types of a node say so; see
	// [Schema.Embeds].
	Embedded *bool
	// Was are the former names of the property, the latest last.
	Was []string
}

// ids is the part of entity IRIs of t between the base and the local id.
func (t *Type) ids() string { return cmp.Or(t.IDs, t.Name) }

// Title is what people call the property.
func (p *Property) Title() string { return cmp.Or(p.Label, Words(p.Name)) }

// Many reports whether the property takes an array in JSON.
func (p *Property) Many() bool { return p.MaxCount == nil || *p.MaxCount != 1 }

// Required reports whether every entity must have a value.
func (p *Property) Required() bool { return p.MinCount > 0 }
