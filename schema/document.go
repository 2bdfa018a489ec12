package schema

import (
	"trails/rdf"
)

// Document is the JSON form of the schema. Its members have a fixed order; empty ones are left out.
type Document struct {
	Base     string            `json:"base"`
	Prefixes map[string]string `json:"prefixes,omitempty"`
	Types    []TypeDocument    `json:"types"`
}

// TypeDocument is one type. Properties are its own; those of the types that it
// extends are with them.
type TypeDocument struct {
	Name        string             `json:"name"`
	IRI         string             `json:"iri"`
	Description string             `json:"description,omitempty"`
	Label       string             `json:"label,omitempty"`
	Key         []string           `json:"key,omitempty"`
	Unique      [][]string         `json:"unique,omitempty"`
	Mint        Mint               `json:"mint"`
	IDs         string             `json:"ids,omitempty"`
	Extends     []string           `json:"extends,omitempty"`
	Abstract    bool               `json:"abstract,omitempty"`
	Open        bool               `json:"open,omitempty"`
	Embed       bool               `json:"embed,omitempty"`
	Properties  []PropertyDocument `json:"properties"`
}

// PropertyDocument is one property. Values are as in [Schema.JSONValue]; the
// counts are there when they say more than Required and Many.
type PropertyDocument struct {
	Name        string   `json:"name"`
	IRI         string   `json:"iri"`
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"type"`
	Class       string   `json:"class,omitempty"`
	Required    bool     `json:"required"`
	Many        bool     `json:"many"`
	MinCount    int      `json:"min_count,omitempty"`
	MaxCount    *int     `json:"max_count,omitempty"`
	MinLength   *int     `json:"min_length,omitempty"`
	MaxLength   *int     `json:"max_length,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	OneOf       []any    `json:"one_of,omitempty"`
	MinValue    any      `json:"min_value,omitempty"`
	MaxValue    any      `json:"max_value,omitempty"`
	HasValue    any      `json:"has_value,omitempty"`
	Languages   []string `json:"languages,omitempty"`
	UniqueLang  bool     `json:"unique_lang,omitempty"`
	Unique      bool     `json:"unique,omitempty"`
	Default     any      `json:"default,omitempty"`
	Dim         *int     `json:"dim,omitempty"`
	Search      *bool    `json:"search,omitempty"` // false, or nothing
	Embed       *bool    `json:"embed,omitempty"`
	Was         []string `json:"was,omitempty"`
}

// JSON returns the schema with these of its types, all when none are given, as a value that
// encodes to the same JSON every time.
func (s *Schema) JSON(types ...*Type) Document {
	if len(types) == 0 {
		types = s.Types
	}
	d := Document{Base: s.Base, Prefixes: s.Prefixes, Types: make([]TypeDocument, 0, len(types))}
	for _, t := range types {
		d.Types = append(d.Types, s.typeDocument(t))
	}
	return d
}

func (s *Schema) typeDocument(t *Type) TypeDocument {
	d := TypeDocument{
		Name: t.Name, IRI: string(t.IRI), Description: t.Description,
		Label: s.LabelOf(t), Key: s.KeyOf(t), Unique: t.Unique, Mint: s.MintOf(t), IDs: t.IDs,
		Extends: t.Extends, Abstract: t.Abstract, Open: t.Open, Embed: t.Embedded,
		Properties: make([]PropertyDocument, 0, len(t.Properties)),
	}
	for _, p := range t.Properties {
		d.Properties = append(d.Properties, s.propertyDocument(p))
	}
	return d
}

func (s *Schema) propertyDocument(p *Property) PropertyDocument {
	d := PropertyDocument{
		Name: p.Name, IRI: string(p.IRI), Label: p.Label, Description: p.Description, Type: p.Datatype, Class: p.Class,
		Required: p.Required(), Many: p.Many(),
		MinLength: p.MinLength, MaxLength: p.MaxLength, Pattern: p.Pattern,
		MinValue: s.JSONValue(p, p.MinValue), MaxValue: s.JSONValue(p, p.MaxValue),
		HasValue: s.JSONValue(p, p.HasValue), Default: s.JSONValue(p, p.Default),
		Languages: p.Languages, UniqueLang: p.UniqueLang, Unique: p.Unique, Dim: p.Dim, Embed: p.Embedded, Was: p.Was,
	}
	if p.Unsearched {
		d.Search = new(bool)
	}
	if p.MinCount > 1 {
		d.MinCount = p.MinCount
	}
	if p.Many() {
		d.MaxCount = p.MaxCount
	}
	d.OneOf = s.jsonValues(p, p.OneOf)
	return d
}

func (s *Schema) jsonValues(p *Property, terms []rdf.Term) []any {
	var values []any
	for _, term := range terms {
		values = append(values, s.JSONValue(p, term))
	}
	return values
}
