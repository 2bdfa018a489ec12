package kg

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/jsontext"
	"trails/kg/change"
	"trails/schema"
)

// maxLine bounds one line of NDJSON, in bytes.
const maxLine = 16 << 20

// record is one line: a node or an edge.
type record struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Data map[string]any `json:"data"`
	Edge string         `json:"edge"`
	From string         `json:"from"`
	To   string         `json:"to"`
}

func (l *loading) readNDJSON(text *bufio.Reader) error {
	for {
		line, err := readLine(text)
		if err == io.EOF {
			return nil
		}
		l.source.Line++
		switch {
		case errors.Is(err, errLongLine):
			err = l.rejectLine(err)
		case err != nil:
			err = l.unreadable(err)
		case len(line) > 0:
			err = l.readRecord(line)
		}
		if err != nil {
			return err
		}
	}
}

var errLongLine = fmt.Errorf("the line is longer than %d bytes", maxLine)

// readLine returns the next line without surrounding space; it is valid until the
// next call. Of a line that is too long the rest is passed over.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = readLongLine(r, line)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))), nil
}

// readLongLine gathers a line that the buffer does not hold.
func readLongLine(r *bufio.Reader, begin []byte) ([]byte, error) {
	line := append([]byte(nil), begin...)
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLongLine
		}
		return line, err
	}
}

func (l *loading) readRecord(line []byte) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	var r record
	if err := decodeRecord(line, &r); err != nil {
		return l.rejectLine(err)
	}
	l.records++
	if r.Edge != "" {
		return l.readEdge(r)
	}
	return l.readNode(r)
}

func decodeRecord(line []byte, r *record) error {
	if !utf8.Valid(line) {
		return errors.New("the line is not valid UTF-8")
	}
	if lone, found := jsontext.LoneSurrogate(line); found {
		return lone
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return jsonProblem(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one JSON value on the line")
	}
	if (r.Type == "") == (r.Edge == "") {
		return errors.New(`a line is a node {"type","id","data"} or an edge {"edge","from","to"}`)
	}
	return nil
}

// jsonProblem says in JSON's words, not Go's, what is wrong with a line.
func jsonProblem(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("the line must be a JSON object, not a JSON %s", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s must not be a JSON %s", kind.Field, kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object does not end on its line")
	}
	return fmt.Errorf("the line is not a JSON object that trails reads: %s", strings.TrimPrefix(err.Error(), "json: "))
}

func (l *loading) readNode(r record) error {
	if r.From != "" || r.To != "" {
		return l.rejectLine(errors.New("a node has only type, id and data"))
	}
	t, err := l.typeOf(r.Type)
	if err != nil {
		return l.reject(fault.FieldError{Field: "type", Code: fault.Class, Message: err.Error(), Value: r.Type})
	}
	e := UpsertEntity(l.under.schema, Entity{Type: t, ID: r.ID, Values: r.Data})
	if l.load.Mode == Append && e.IRI != "" {
		e.add(change.Fresh, e.IRI, nil, nil)
		e.add(change.Once, e.IRI, nil, nil)
	}
	return l.take(e, strings.TrimSuffix(t.Name+"/"+r.ID, "/"))
}

func (l *loading) readEdge(r record) error {
	from, p, problem := l.edgeEnds(r)
	if problem != nil {
		return l.reject(*problem)
	}
	return l.take(LinkEntity(l.under.schema, from, p, r.To), r.From)
}

// edgeEnds finds the node that an edge starts from and the property that it sets.
func (l *loading) edgeEnds(r record) (Entity, *schema.Property, *fault.FieldError) {
	if r.ID != "" || r.Data != nil {
		return Entity{}, nil, &fault.FieldError{Field: "edge", Code: fault.Closed, Value: r.Edge, Message: "an edge has only edge, from and to"}
	}
	name, local, ok := strings.Cut(r.From, "/")
	if !ok || local == "" {
		return Entity{}, nil, &fault.FieldError{Field: "from", Code: fault.Pattern, Value: r.From, Message: fmt.Sprintf("from must be Type/id, not %q", r.From)}
	}
	t, err := l.typeOf(name)
	if err != nil {
		return Entity{}, nil, &fault.FieldError{Field: "from", Code: fault.Class, Value: r.From, Message: err.Error()}
	}
	p := l.under.schema.Property(t, r.Edge)
	if p == nil || p.Datatype != "iri" {
		return Entity{}, nil, &fault.FieldError{Field: "edge", Code: fault.Closed, Value: r.Edge, Message: fmt.Sprintf("%s has no reference property %q", name, r.Edge)}
	}
	return Entity{Type: t, ID: local}, p, nil
}

// take spools what a line came to.
func (l *loading) take(e Edits, node string) error {
	for i := range e.Fields {
		e.Fields[i].Node = node
	}
	if len(e.Fields) > 0 {
		return l.reject(e.Fields...)
	}
	for _, edit := range e.List {
		if err := l.put(edit); err != nil {
			return err
		}
	}
	return nil
}
