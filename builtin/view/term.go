package view

import (
	"trails/rdf"
	"trails/schema"
)

// Term is a term in an answer.
type Term struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Datatype string `json:"datatype,omitempty"`
	Lang     string `json:"lang,omitempty"`
}

// TermOf returns a term as answers have it.
func TermOf(t rdf.Term) Term {
	o := Term{Type: "literal", Value: rdf.Lexical(t)}
	switch t.(type) {
	case rdf.IRI:
		o.Type = "uri"
		return o
	case rdf.BNode:
		o.Type = "bnode"
		return o
	}
	if lang, ok := rdf.LangOf(t); ok {
		o.Lang = lang
	} else if d := rdf.DatatypeOf(t); d != rdf.XSDString {
		o.Datatype = string(d)
	}
	return o
}

// Plain is a term in a table for a model: a node as Type/id, another IRI as short as possible, a value as JSON, nil
// for none. The datatype and language are not shown.
func Plain(s *schema.Schema, t rdf.Term) any {
	switch t := t.(type) {
	case nil:
		return nil
	case rdf.IRI:
		return s.Short(t)
	}
	return s.JSONValue(nil, t)
}

// PlainRow is [Plain] of each.
func PlainRow(s *schema.Schema, row []rdf.Term) []any {
	out := make([]any, len(row))
	for i, t := range row {
		out[i] = Plain(s, t)
	}
	return out
}
