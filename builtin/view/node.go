package view

import (
	"context"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// How many characters of a text a view shows.
const (
	textWhole   = 10_000
	textHistory = 1_000
	textList    = 200
)

// Node is a node as a link needs it.
type Node struct {
	Type   string `json:"type" doc:"Its type, empty when it has none that is declared."`
	ID     string `json:"id" doc:"Its local id, or its whole IRI."`
	IRI    string `json:"iri"`
	Label  string `json:"label"`
	Exists bool   `json:"exists" doc:"Whether anything is said of it."`
}

func viewNode(d browse.Described) Node {
	v := Node{ID: d.ID, IRI: d.IRI(), Label: d.Label, Exists: d.Exists}
	if d.Type != nil {
		v.Type = d.Type.Name
	}
	return v
}

func viewNodes(list []browse.Described) []Node {
	out := make([]Node, len(list))
	for i, d := range list {
		out[i] = viewNode(d)
	}
	return out
}

// Cell is one value in a page.
type Cell struct {
	Text     string `json:"text" doc:"The value, or the label of the node it refers to; cut when it is long."`
	Datatype string `json:"datatype,omitempty" doc:"xsd:date and the like; absent for plain text."`
	Lang     string `json:"lang,omitempty"`
	Ref      *Node  `json:"ref,omitempty" doc:"The node that the value refers to."`
	Length   int    `json:"length,omitempty" doc:"How many characters there are, when the text was cut."`
}

// cells converts values, with texts cut to most characters.
func cells(ctx context.Context, r *invoke.Request, values []rdf.Term, most int) ([]Cell, error) {
	out := make([]Cell, len(values))
	for i, v := range values {
		c, err := cell(ctx, r, v, most)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

func cell(ctx context.Context, r *invoke.Request, v rdf.Term, most int) (Cell, error) {
	if !rdf.IsLiteral(v) {
		return refCell(ctx, r, v)
	}
	c := Cell{Text: rdf.Lexical(v), Datatype: shortDatatype(rdf.DatatypeOf(v))}
	if tag, ok := rdf.LangOf(v); ok {
		c.Datatype, c.Lang = "", tag
	}
	if n := utf8.RuneCountInString(c.Text); n > most {
		c.Text, c.Length = string([]rune(c.Text)[:most]), n
	}
	return c, nil
}

// refCell shows a node by its label; a class, which is not a node of the data, by its name.
func refCell(ctx context.Context, r *invoke.Request, v rdf.Term) (Cell, error) {
	if iri, ok := v.(rdf.IRI); ok {
		if t := r.Snapshot.Schema().TypeByIRI(iri); t != nil {
			return Cell{Text: t.Name}, nil
		}
	}
	d, err := r.Snapshot.Describe(ctx, v)
	ref := viewNode(d)
	return Cell{Text: d.Label, Ref: &ref}, err
}

// shortDatatype is a datatype as people write it, "" for a plain string.
func shortDatatype(iri rdf.IRI) string {
	if iri == rdf.XSDString {
		return ""
	}
	if name, ok := strings.CutPrefix(string(iri), rdf.XSDNS); ok {
		return "xsd:" + name
	}
	return string(iri)
}

// Column says what a property's values are.
type Column struct {
	Name     string   `json:"name"`
	Label    string   `json:"label,omitempty" doc:"The name for people, when the schema has one."`
	Datatype string   `json:"datatype" doc:"xsd:string and the like; iri for a reference."`
	Class    string   `json:"class" doc:"The type that a reference leads to; empty for a value."`
	Many     bool     `json:"many"`
	OneOf    []string `json:"one_of" doc:"The values that it can have, when these are listed."`
}

func viewColumn(p *schema.Property) Column {
	c := Column{Name: p.Name, Label: p.Label, Datatype: "iri", Class: p.Class, Many: p.Many(), OneOf: []string{}}
	if iri := schema.Datatypes[p.Datatype].IRI; iri == rdf.XSDString {
		c.Datatype = "xsd:string"
	} else if iri != "" {
		c.Datatype = shortDatatype(iri)
	}
	for _, v := range p.OneOf {
		c.OneOf = append(c.OneOf, rdf.Lexical(v))
	}
	return c
}

// KnownType is the type that the argument type names, or an error with the nearest name.
func KnownType(r *invoke.Request, name string) (*schema.Type, error) {
	s := r.Snapshot.Schema()
	if t := s.Type(name); t != nil {
		return t, nil
	}
	return nil, fault.Argument("type", fault.OneOf, name, s.NoType(name, s.Types...))
}

// propertyArgument returns a type's property, or the error for the argument that named it.
func propertyArgument(r *invoke.Request, t *schema.Type, argument, name string) (*schema.Property, []fault.FieldError) {
	if p := r.Snapshot.Schema().Property(t, name); p != nil {
		return p, nil
	}
	message, known := r.Snapshot.Schema().NoProperty(t, name)
	return nil, []fault.FieldError{{Field: argument, Code: fault.Closed, Value: name, Constraint: known, Message: message}}
}

// nodeAsked names a node.
type nodeAsked struct {
	Type string `json:"type" max:"1000" doc:"The name of a type of the schema; its subtypes are meant, too."`
	ID   string `json:"id" max:"8192" doc:"The local id of a node, or its whole IRI."`
}

// oneNode finds the node that the call is about, and notes that it was read.
func oneNode(ctx context.Context, r *invoke.Request, asked nodeAsked, find func(context.Context, *schema.Type, string) (browse.Described, error)) (browse.Described, error) {
	t, err := KnownType(r, asked.Type)
	if err != nil {
		return browse.Described{}, err
	}
	d, err := find(ctx, t, asked.ID)
	if err == nil {
		r.Uses(d.IRI())
	}
	return d, err
}
