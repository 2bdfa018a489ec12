package expr

import (
	"encoding/hex"
	"slices"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

func isIRI(t rdf.Term) (value, error) {
	_, ok := t.(rdf.IRI)
	return ofBool(ok)
}

func str(t rdf.Term) (value, error) {
	if _, blank := t.(rdf.BNode); blank {
		return failed(ErrType)
	}
	if _, ok := t.(rdf.String); ok {
		return of(t)
	}
	return ofText(rdf.Lexical(t))
}

func lang(t rdf.Term) (value, error) {
	if !rdf.IsLiteral(t) {
		return failed(ErrType)
	}
	tag, _ := rdf.LangOf(t)
	return ofText(tag)
}

func datatype(t rdf.Term) (value, error) {
	if iri := rdf.DatatypeOf(t); iri != "" {
		return of(iri)
	}
	return failed(ErrType)
}

// iri makes an IRI of a string, resolved against the query's base.
func iri(env Env, v value) (value, error) {
	switch t := v.term.(type) {
	case rdf.IRI:
		return of(t)
	case rdf.String:
		resolved, err := rdf.ResolveIRI(env.Base(), string(t))
		if err != nil || slices.ContainsFunc([]byte(resolved), func(c byte) bool { return rdf.IRIStop[c] }) {
			return failed(ErrType)
		}
		return of(rdf.IRI(resolved))
	}
	return failed(ErrType)
}

func bnode(env Env, args []value) (value, error) {
	if len(args) == 0 {
		return of(env.NewBNode(""))
	}
	label, ok := isText(args[0].term)
	if !ok {
		return failed(ErrType)
	}
	if label == "" {
		label = "\x00" // the empty string is a label here, but means a new node to Env.NewBNode
	}
	return of(env.NewBNode(label))
}

func strdt(lexical, iri rdf.Term) (value, error) {
	text, ok := isText(lexical)
	name, named := iri.(rdf.IRI)
	if !ok || !named || name == rdf.RDFLangString {
		return failed(ErrType)
	}
	return of(typed(text, name))
}

func strlang(lexical, tag rdf.Term) (value, error) {
	text, ok := isText(lexical)
	name, named := isText(tag)
	if !ok || !named || !xsd.Valid(name, rdf.XSDNS+"language") {
		return failed(ErrType)
	}
	return of(rdf.LangLiteral(text, name))
}

// hash is a digest in hexadecimal of a text's UTF-8 (section 17.4.6).
func hash(sum func([]byte) []byte) function {
	return function{arity: sparql.Arity{Min: 1, Max: 1}, one: func(_ Env, v value) (value, error) {
		text, ok := isText(v.term)
		if !ok {
			return failed(ErrType)
		}
		return ofText(hex.EncodeToString(sum([]byte(text))))
	}}
}
