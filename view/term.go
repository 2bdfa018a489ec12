package view

import (
	"trails/rdf"
)

// Term is a term of an answer.
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
