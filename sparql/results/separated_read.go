package results

import (
	"bytes"
	"errors"
	"strings"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// field is one value between separators.
type field struct {
	at     int
	text   string
	quoted bool
}

// loneBoolean reads a text that is only true or false.
func (in *input) loneBoolean() bool {
	text := string(bytes.TrimRight(in.text, "\r\n"))
	in.out.IsBoolean = text == "true" || text == "false"
	in.out.Boolean = text == "true"
	return in.out.IsBoolean
}

func (in *input) readCSV() error {
	if in.loneBoolean() {
		return nil
	}
	fields, at, err := in.csvRecord(0)
	if err != nil {
		return err
	}
	for _, f := range withoutLoneEmpty(fields) {
		if err := in.addVar(f.at, f.text); err != nil {
			return err
		}
	}
	for at < len(in.text) {
		start := at
		if fields, at, err = in.csvRecord(at); err != nil {
			return err
		}
		if err := in.fields(start, fields, csvTerm); err != nil {
			return err
		}
	}
	return nil
}

// withoutLoneEmpty returns no fields for an empty line: the head has no variables.
func withoutLoneEmpty(fields []field) []field {
	if len(fields) == 1 && fields[0].text == "" && !fields[0].quoted {
		return nil
	}
	return fields
}

// fields adds a row; term reads each field.
func (in *input) fields(at int, fields []field, term func(field) (rdf.Term, error)) error {
	if len(in.out.Vars) == 0 {
		fields = withoutLoneEmpty(fields)
	}
	if len(fields) != len(in.out.Vars) {
		return in.wrong(at, "expected %d fields, found %d", len(in.out.Vars), len(fields))
	}
	row := make([]rdf.Term, len(fields))
	for i, f := range fields {
		var err error
		if row[i], err = term(f); err != nil {
			return err
		}
	}
	return in.addRow(at, row)
}

func csvTerm(f field) (rdf.Term, error) {
	if f.text == "" && !f.quoted {
		return nil, nil
	}
	if label, blank := strings.CutPrefix(f.text, "_:"); blank && !f.quoted {
		return rdf.BNode(label), nil
	}
	return rdf.Literal(f.text, ""), nil
}

// csvRecord reads one record of RFC 4180 and returns where the next begins.
func (in *input) csvRecord(at int) (fields []field, next int, err error) {
	for {
		f, end, err := in.csvField(at)
		if err != nil {
			return nil, 0, err
		}
		fields = append(fields, f)
		if len(fields) > in.vars {
			return nil, 0, in.tooLarge(f.at, "more than %d fields", in.vars)
		}
		if end < len(in.text) && in.text[end] == ',' {
			at = end + 1
			continue
		}
		if bytes.HasPrefix(in.text[end:], []byte("\r\n")) {
			end++
		}
		return fields, min(end+1, len(in.text)), nil
	}
}

func (in *input) csvField(at int) (f field, end int, err error) {
	rest := in.text[at:]
	if len(rest) == 0 || rest[0] != '"' {
		n := bytes.IndexAny(rest, ",\r\n")
		if n < 0 {
			n = len(rest)
		}
		if quote := bytes.IndexByte(rest[:n], '"'); quote >= 0 {
			return f, 0, in.wrong(at+quote, "a quotation mark inside of a field without them")
		}
		return field{at: at, text: string(rest[:n])}, at + n, nil
	}
	return in.csvQuoted(at)
}

func (in *input) csvQuoted(at int) (f field, end int, err error) {
	var text strings.Builder
	for i := at + 1; i < len(in.text); i++ {
		if in.text[i] != '"' {
			text.WriteByte(in.text[i])
			continue
		}
		if i+1 < len(in.text) && in.text[i+1] == '"' {
			text.WriteByte('"')
			i++
			continue
		}
		if i+1 < len(in.text) && !bytes.ContainsRune([]byte(",\r\n"), rune(in.text[i+1])) {
			return f, 0, in.wrong(i+1, "expected a comma or the end of the line")
		}
		return field{at: at, text: text.String(), quoted: true}, i + 1, nil
	}
	return f, 0, in.wrong(at, "a quotation mark that nothing closes")
}

func (in *input) readTSV() error {
	if in.loneBoolean() {
		return nil
	}
	head, at := in.tsvLine(0)
	for _, f := range withoutLoneEmpty(head) {
		if f.text == "" || f.text[0] != '?' && f.text[0] != '$' {
			return in.wrong(f.at, "expected a variable, with its question mark")
		}
		if err := in.addVar(f.at, f.text[1:]); err != nil {
			return err
		}
	}
	for at < len(in.text) {
		var fields []field
		start := at
		fields, at = in.tsvLine(at)
		if err := in.fields(start, fields, in.tsvTerm); err != nil {
			return err
		}
	}
	return nil
}

// tsvLine splits a line at its tabs, which no term contains, and returns where the
// next line begins.
func (in *input) tsvLine(at int) (fields []field, next int) {
	line := in.text[at:]
	next = len(in.text)
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line, next = line[:end], at+end+1
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	for text := range strings.SplitSeq(string(line), "\t") {
		fields = append(fields, field{at: at, text: text})
		at += len(text) + 1
	}
	return fields, next
}

func (in *input) tsvTerm(f field) (rdf.Term, error) {
	switch f.text {
	case "":
		return nil, nil
	case "true", "false":
		return rdf.Literal(f.text, rdf.XSDBoolean), nil
	}
	if datatype := rdf.NumberType(f.text); datatype != "" {
		return rdf.Literal(f.text, datatype), nil
	}
	// The graph label is behind the field: if it is read as the label, the field is exactly one term.
	const before, label = "<x:> <x:> ", rdf.IRI("urn:trails:end")
	q, err := rdfio.ParseQuad([]byte(before + f.text + " <" + string(label) + "> ."))
	if err == nil && q.Label == label {
		return q.Object, nil
	}
	var syntax *rdfio.SyntaxError
	if errors.As(err, &syntax) {
		runes := []rune(f.text)
		column := min(max(syntax.Column-1-len(before), 0), len(runes))
		return nil, in.wrong(f.at+len(string(runes[:column])), "expected %s", syntax.Expected)
	}
	return nil, in.wrong(f.at, "expected one term")
}
