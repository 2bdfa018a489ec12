package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"trails/rdf"
	"trails/text/jsontext"
)

// jsonReader walks the tokens of a document. If the rows come before the head, they are kept until the head is read.
type jsonReader struct {
	*input
	dec    *json.Decoder
	rows   []jsonRowRead
	tabled bool // the member results was read
	seen   map[string]bool
}

type jsonRowRead struct {
	at       int
	bindings []jsonBinding
}

type jsonBinding struct {
	name string
	term rdf.Term
}

func (in *input) readJSON() error {
	r := &jsonReader{input: in, dec: json.NewDecoder(bytes.NewReader(in.text)), seen: map[string]bool{}}
	if lone, found := jsontext.LoneSurrogate(in.text); found {
		return r.wrong(lone.Offset, "%s", lone)
	}
	if err := r.object(r.document); err != nil {
		return err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return r.wrongHere("nothing more")
	}
	return r.finish()
}

func (r *jsonReader) finish() error {
	if r.out.IsBoolean == r.tabled {
		return r.wrong(len(r.text), `expected one of "results" and "boolean"`)
	}
	for _, read := range r.rows {
		row := make([]rdf.Term, len(r.out.Vars))
		for _, b := range read.bindings {
			if err := r.bind(read.at, row, b.name, b.term); err != nil {
				return err
			}
		}
		if err := r.addRow(read.at, row); err != nil {
			return err
		}
	}
	return nil
}

// wrongHere says what was expected instead of the last token.
func (r *jsonReader) wrongHere(expected string) error {
	return r.wrong(int(r.dec.InputOffset()), "expected %s", expected)
}

func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		rest := bytes.TrimLeft(r.text[max(int(syntax.Offset)-1, 0):], " \t\r\n") // the offset may be before white space and separators
		return nil, r.wrong(len(r.text)-len(rest), "not JSON: %s", syntax)
	}
	return nil, r.wrong(len(r.text), "not JSON: it ends too early")
}

// begin enters an object or array.
func (r *jsonReader) begin(open json.Delim, what string) error {
	t, err := r.token()
	if err == nil && t != open {
		err = r.wrongHere(what)
	}
	return err
}

// object calls member with each name of an object; member must read the value.
func (r *jsonReader) object(member func(name string) error) error {
	if err := r.begin('{', "an object"); err != nil {
		return err
	}
	for r.dec.More() {
		name, err := r.token()
		if err != nil {
			return err
		}
		text, _ := name.(string) // the decoder returns only strings here
		if err := member(text); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) array(element func() error) error {
	if err := r.begin('[', "an array"); err != nil {
		return err
	}
	for r.dec.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) str() (string, error) {
	t, err := r.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", r.wrongHere("a string")
	}
	return s, nil
}

// skip reads a value of any kind, without recursion.
func (r *jsonReader) skip() error {
	for depth := 0; ; {
		t, err := r.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (r *jsonReader) document(name string) error {
	if r.seen[name] {
		return r.wrongHere("each member once")
	}
	switch name {
	case "head":
		r.seen[name] = true
		return r.object(r.head)
	case "boolean":
		r.seen[name] = true
		return r.boolean()
	case "results":
		r.seen[name], r.tabled = true, true
		return r.object(r.results)
	}
	return r.skip()
}

func (r *jsonReader) head(name string) error {
	if name != "vars" {
		return r.skip()
	}
	return r.array(func() error {
		v, err := r.str()
		if err != nil {
			return err
		}
		return r.addVar(int(r.dec.InputOffset()), v)
	})
}

func (r *jsonReader) boolean() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	answer, ok := t.(bool)
	if !ok {
		return r.wrongHere("true or false")
	}
	r.out.IsBoolean, r.out.Boolean = true, answer
	return nil
}

func (r *jsonReader) results(name string) error {
	if name != "bindings" {
		return r.skip()
	}
	return r.array(func() error {
		if len(r.rows) == r.input.rows {
			return r.tooLarge(int(r.dec.InputOffset()), "more than %d rows", r.input.rows)
		}
		row := jsonRowRead{at: int(r.dec.InputOffset())}
		err := r.object(func(name string) error {
			t, err := r.term()
			row.bindings = append(row.bindings, jsonBinding{name, t})
			return err
		})
		r.rows = append(r.rows, row)
		return err
	})
}

// term reads an RDF term (section 3.2.2).
func (r *jsonReader) term() (rdf.Term, error) {
	parts := map[string]string{}
	err := r.object(func(name string) error {
		switch name {
		case "type", "value", "datatype", "xml:lang":
			text, err := r.str()
			parts[name] = text
			return err
		}
		return r.skip()
	})
	if err != nil {
		return nil, err
	}
	if _, ok := parts["value"]; !ok {
		return nil, r.wrongHere(`a term with a "value"`)
	}
	return r.termOf(parts)
}

func (r *jsonReader) termOf(parts map[string]string) (rdf.Term, error) {
	switch value := parts["value"]; parts["type"] {
	case "uri":
		return rdf.IRI(value), nil
	case "bnode":
		return rdf.BNode(value), nil
	case "literal", "typed-literal":
		if tag := parts["xml:lang"]; tag != "" {
			if rdf.CheckLangTag(tag) != nil {
				return nil, r.wrongHere("a language tag in xml:lang")
			}
			return rdf.LangLiteral(value, tag), nil
		}
		return rdf.Literal(value, rdf.IRI(parts["datatype"])), nil
	}
	return nil, r.wrongHere(`a term whose "type" is uri, literal or bnode`)
}
