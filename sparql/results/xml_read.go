package results

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"trails/rdf"
)

// xmlReader walks the elements of a document.
type xmlReader struct {
	*input
	dec     *xml.Decoder
	answers int // number of results and boolean elements
}

func (in *input) readXML() error {
	r := &xmlReader{input: in, dec: xml.NewDecoder(bytes.NewReader(in.text))}
	root, err := r.next()
	if err != nil {
		return err
	}
	if start, ok := root.(xml.StartElement); !ok || !is(start, "sparql") {
		return r.wrongHere("the element sparql of " + xmlNamespace)
	}
	if err := r.children(r.document); err != nil {
		return err
	}
	if r.answers != 1 {
		return r.wrongHere("one of results and boolean")
	}
	return r.end()
}

// end reads what may follow the root: comments, processing instructions, space.
func (r *xmlReader) end() error {
	for {
		switch t, err := r.dec.Token(); t := t.(type) {
		case nil:
			if err == io.EOF {
				return nil
			}
			return r.wrong(int(r.dec.InputOffset()), "not XML: %s", err)
		case xml.StartElement:
			return r.wrongHere("nothing more")
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return r.wrongHere("nothing more")
			}
		}
	}
}

func is(start xml.StartElement, local string) bool {
	return start.Name.Space == xmlNamespace && start.Name.Local == local
}

func (r *xmlReader) wrongHere(expected string) error {
	return r.wrong(int(r.dec.InputOffset()), "expected %s", expected)
}

// next returns the next start or end of an element; between them only white space,
// comments and the like may stand.
func (r *xmlReader) next() (xml.Token, error) {
	for {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement, xml.EndElement:
			return t, nil
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, r.wrongHere("an element, not text")
			}
		}
	}
}

func (r *xmlReader) token() (xml.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return nil, r.wrong(int(r.dec.InputOffset()), "not XML: %s", syntax.Msg)
	}
	return nil, r.wrong(int(r.dec.InputOffset()), "not XML: %s", err)
}

// children calls child for each child element, which must read up to its end.
func (r *xmlReader) children(child func(xml.StartElement) error) error {
	for {
		t, err := r.next()
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		if err := child(start); err != nil {
			return err
		}
	}
}

func (r *xmlReader) document(start xml.StartElement) error {
	switch {
	case is(start, "head"):
		return r.children(r.head)
	case is(start, "results"):
		r.answers++
		return r.children(r.result)
	case is(start, "boolean"):
		r.answers++
		return r.boolean()
	}
	return r.wrongHere("head, results or boolean")
}

func (r *xmlReader) head(start xml.StartElement) error {
	switch {
	case is(start, "variable"):
		if err := r.addVar(int(r.dec.InputOffset()), attribute(start, "name")); err != nil {
			return err
		}
	case !is(start, "link"):
		return r.wrongHere("variable or link")
	}
	return r.children(func(xml.StartElement) error { return r.wrongHere("no element") })
}

func attribute(start xml.StartElement, local string) string {
	for _, a := range start.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

func (r *xmlReader) boolean() error {
	text, err := r.str()
	if err != nil {
		return err
	}
	text = strings.TrimSpace(text)
	if text != "true" && text != "false" {
		return r.wrongHere("true or false")
	}
	r.out.IsBoolean, r.out.Boolean = true, text == "true"
	return nil
}

// str reads the text of an element up to its end.
func (r *xmlReader) str() (string, error) {
	var out strings.Builder
	for {
		t, err := r.token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			out.Write(t)
		case xml.StartElement:
			return "", r.wrongHere("text, not an element")
		case xml.EndElement:
			return out.String(), nil
		}
	}
}

func (r *xmlReader) result(start xml.StartElement) error {
	if !is(start, "result") {
		return r.wrongHere("result")
	}
	row := make([]rdf.Term, len(r.out.Vars))
	err := r.children(func(start xml.StartElement) error {
		if !is(start, "binding") {
			return r.wrongHere("binding")
		}
		return r.binding(row, attribute(start, "name"))
	})
	if err != nil {
		return err
	}
	return r.addRow(int(r.dec.InputOffset()), row)
}

func (r *xmlReader) binding(row []rdf.Term, name string) error {
	at := int(r.dec.InputOffset())
	bound := false
	err := r.children(func(start xml.StartElement) error {
		if bound {
			return r.wrongHere("one term")
		}
		bound = true
		t, err := r.term(start)
		if err != nil {
			return err
		}
		return r.bind(at, row, name, t)
	})
	if err == nil && !bound {
		return r.wrongHere("a term")
	}
	return err
}

func (r *xmlReader) term(start xml.StartElement) (rdf.Term, error) {
	text, err := r.str()
	switch {
	case err != nil:
		return nil, err
	case is(start, "uri"):
		return rdf.IRI(text), nil
	case is(start, "bnode"):
		return rdf.BNode(text), nil
	case !is(start, "literal"):
		return nil, r.wrongHere("uri, literal or bnode")
	}
	if tag := attribute(start, "lang"); tag != "" {
		if rdf.CheckLangTag(tag) != nil {
			return nil, r.wrongHere("a language tag in xml:lang")
		}
		return rdf.LangLiteral(text, tag), nil
	}
	return rdf.Literal(text, rdf.IRI(attribute(start, "datatype"))), nil
}
