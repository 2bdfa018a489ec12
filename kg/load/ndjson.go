package load

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

func (r *reader) readNDJSON(text *bufio.Reader) error {
	for {
		line, err := readLine(text)
		if err == io.EOF {
			return nil
		}
		r.source.Line++
		switch {
		case errors.Is(err, errLongLine):
			err = r.rejectLine(err)
		case err != nil:
			err = r.unreadable(err)
		case len(line) > 0:
			err = r.readRecord(line)
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

func (r *reader) readRecord(line []byte) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var rec record
	if err := decodeRecord(line, &rec); err != nil {
		return r.rejectLine(err)
	}
	r.Records++
	if rec.Edge != "" {
		return r.readEdge(rec)
	}
	return r.readNode(rec)
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

func (r *reader) readNode(rec record) error {
	if rec.From != "" || rec.To != "" {
		return r.rejectLine(errors.New("a node has only type, id and data"))
	}
	t, err := r.typeOf(rec.Type)
	if err != nil {
		return r.reject(fault.FieldError{Field: "type", Code: fault.Class, Message: err.Error(), Value: rec.Type})
	}
	edits := change.UpsertEntity
	if r.Mode == Append {
		edits = change.AppendEntity
	}
	e := edits(r.schema, change.Entity{Type: t, ID: rec.ID, Values: rec.Data})
	return r.take(e, strings.TrimSuffix(t.Name+"/"+rec.ID, "/"))
}

func (r *reader) readEdge(rec record) error {
	from, p, problem := r.edgeEnds(rec)
	if problem != nil {
		return r.reject(*problem)
	}
	return r.take(change.LinkEntity(r.schema, from, p, rec.To), rec.From)
}

// edgeEnds finds the node that an edge starts from and the property that it sets.
func (r *reader) edgeEnds(rec record) (change.Entity, *schema.Property, *fault.FieldError) {
	if rec.ID != "" || rec.Data != nil {
		return change.Entity{}, nil, &fault.FieldError{Field: "edge", Code: fault.Closed, Value: rec.Edge, Message: "an edge has only edge, from and to"}
	}
	name, local, ok := strings.Cut(rec.From, "/")
	if !ok || local == "" {
		return change.Entity{}, nil, &fault.FieldError{Field: "from", Code: fault.Pattern, Value: rec.From, Message: fmt.Sprintf("from must be Type/id, not %q", rec.From)}
	}
	t, err := r.typeOf(name)
	if err != nil {
		return change.Entity{}, nil, &fault.FieldError{Field: "from", Code: fault.Class, Value: rec.From, Message: err.Error()}
	}
	p := r.schema.Property(t, rec.Edge)
	if p == nil || p.Datatype != "iri" {
		return change.Entity{}, nil, &fault.FieldError{Field: "edge", Code: fault.Closed, Value: rec.Edge, Message: fmt.Sprintf("%s has no reference property %q", name, rec.Edge)}
	}
	return change.Entity{Type: t, ID: local}, p, nil
}

// take spools what a line came to.
func (r *reader) take(e change.Edits, node string) error {
	for i := range e.Fields {
		e.Fields[i].Node = node
	}
	if len(e.Fields) > 0 {
		return r.reject(e.Fields...)
	}
	for _, edit := range e.List {
		if err := r.put(edit); err != nil {
			return err
		}
	}
	return nil
}

// typeOf finds a declared type that has instances of its own.
func (r *reader) typeOf(name string) (*schema.Type, error) {
	t := r.schema.Type(name)
	if t == nil {
		return nil, fmt.Errorf("type %q is not in the schema%s", name, knownTypes(r.schema))
	}
	if t.Abstract {
		return nil, fmt.Errorf("type %s is abstract; say which of its subtypes it is", name)
	}
	return t, nil
}

func knownTypes(s *schema.Schema) string {
	if len(s.Types) == 0 {
		return ", which has no types yet; apply one first"
	}
	var names []string
	for _, t := range s.Types {
		if !t.Abstract {
			names = append(names, t.Name)
		}
	}
	return "; it has " + strings.Join(names, ", ")
}
