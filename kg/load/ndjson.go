package load

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// maxLine bounds one line of NDJSON, in bytes.
const maxLine = 16 << 20

// maxNesting is how deep encoding/json reads.
const maxNesting = 10_000

// record is one line: a node or an edge.
type record struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Data map[string]any `json:"data"`
	Edge string         `json:"edge"`
	From string         `json:"from"`
	To   string         `json:"to"`

	Rejected string `json:"_rejected"` // the errors of a rejected record, see RejectedBecause
}

// readNDJSON reads lines that are records or, with Type, the data of nodes.
func (r *reader) readNDJSON(text *bufio.Reader, t *schema.Type) error {
	for {
		line, err := readLine(text)
		if err == io.EOF {
			return nil
		}
		r.source.Line++
		switch {
		case errors.Is(err, errLongLine):
			err = r.rejectText(line, err)
		case err != nil:
			err = r.unreadable(err)
		case len(line) > 0:
			err = r.readObject(line, "line", t)
		}
		if err != nil {
			return err
		}
	}
}

// readArray reads a JSON array of the same objects as lines of NDJSON.
func (r *reader) readArray(text *bufio.Reader, t *schema.Type) error {
	elements := objects{text: text, line: 1}
	for {
		element, line, err := elements.next()
		if err == io.EOF {
			return nil
		}
		r.source.Line = line
		if r.Rejects {
			r.source.Column = uint16(min(elements.column, math.MaxUint16))
		}
		switch {
		case errors.Is(err, errNoArray), errors.Is(err, errOpenArray), errors.Is(err, errBehind):
			return r.breakOff(fault.FieldError{Code: fault.Shape, Message: err.Error(), Source: fmt.Sprintf("%s:%d", r.input.Name, line)})
		case errors.Is(err, errNoElement), errors.Is(err, errLongItem):
			err = r.rejectText(element, err)
		case err != nil:
			err = r.unreadable(err)
		default:
			err = r.readObject(element, "object", t)
		}
		if err != nil {
			return err
		}
	}
}

// rejectText rejects a text that is no object, or only the beginning of one.
func (r *reader) rejectText(text []byte, err error) error {
	if r.Rows != nil {
		if err := r.Rows.keep(r.source, r.source.Line, nil, text); err != nil {
			return err
		}
	}
	return r.rejectLine(err)
}

var errLongLine = fmt.Errorf("the line is longer than %d bytes; shorten it, or divide it", maxLine)

// keptBegin is how many bytes are kept of a text that is too long.
const keptBegin = 1000

// begin is the beginning of a text that is too long.
func begin(text []byte) []byte { return bytes.ToValidUTF8(text[:min(len(text), keptBegin)], nil) }

// readLine returns the next line without surrounding space; it is valid until the next call. Of a line that is too long it
// returns the beginning, with an error; the rest is skipped.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = readLongLine(r, line)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return line, err
	}
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))), nil
}

// readLongLine reads a line that is longer than the buffer.
func readLongLine(r *bufio.Reader, first []byte) ([]byte, error) {
	line := append([]byte(nil), first...)
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine && (err == nil || errors.Is(err, io.EOF)) {
			return begin(line), errLongLine
		}
		return line, err
	}
}

// readObject reads the text of one object, named what in errors: a record or, with Type, the data of a node.
func (r *reader) readObject(text []byte, what string, t *schema.Type) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.each != nil {
		return r.giveObject(text, what)
	}
	if r.Rows != nil {
		if err := r.Rows.keep(r.source, r.source.Line, nil, text); err != nil {
			return err
		}
	}
	if t != nil {
		var data map[string]any
		if err := decodeObject(text, what, &data); err != nil {
			return r.rejectLine(err)
		}
		r.Records++
		return r.readData(t, data)
	}
	var rec record
	if err := decodeRecord(text, what, &rec); err != nil {
		if !isRecord(text) && !isNearlyRecord(text) {
			err = fmt.Errorf("the %s is no record {\"type\",\"id\",\"data\"} or {\"edge\",\"from\",\"to\"}; where all are nodes of one type, say which: type", what)
		}
		return r.rejectLine(err)
	}
	r.Records++
	if rec.Edge != "" {
		return r.readEdge(rec)
	}
	return r.readNode(rec)
}

func decodeRecord(text []byte, what string, r *record) error {
	err := decodeObject(text, what, r)
	if err != nil && !json.Valid(text) {
		return err
	}
	for name := range jsontext.OuterNames(text) { // encoding/json ignores the case of names
		known := func(member string) bool { return member == string(name) }
		if !known(RejectedBecause) && !slices.ContainsFunc(recordMembers, known) {
			return noMember(what, string(name))
		}
	}
	if err != nil {
		return err
	}
	if (r.Type == "") == (r.Edge == "") {
		return errors.New("a " + what + ` is a node {"type","id","data"} or an edge {"edge","from","to"}`)
	}
	return nil
}

// decodeObject reads text that is one JSON object.
func decodeObject(text []byte, what string, into any) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("the %s is not valid UTF-8", what)
	}
	if lone, found := jsontext.LoneSurrogate(text); found {
		return lone
	}
	if string(text) == "null" { // the message then names no Go type
		return fmt.Errorf("the %s must be a JSON object, not a JSON null", what)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return jsonProblem(err, what)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("there is more than one JSON value on the %s", what)
	}
	if name, twice := jsontext.Repeated(text); twice {
		return fmt.Errorf("the %s has the member %q twice; give it once, with an array where it has several values", what, name)
	}
	return nil
}

// jsonProblem describes an error in a line or an object in the terms of JSON, not of Go.
func jsonProblem(err error, what string) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("the %s must be a JSON object, not a JSON %s", what, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s must not be a JSON %s", kind.Field, kind.Value)
	case strings.HasSuffix(err.Error(), "exceeded max depth"):
		return fmt.Errorf("the %s has objects and arrays within each other more than %d deep; give it less of that", what, maxNesting)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object does not end on its " + what)
	}
	if quoted, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		name, _ := strconv.Unquote(quoted) // it is json's own
		return noMember(what, name)
	}
	return fmt.Errorf("the %s is not a JSON object that trails reads: %s", what, strings.TrimPrefix(err.Error(), "json: "))
}

func noMember(what, name string) error {
	return fmt.Errorf("the %s has the member %q, which no record has; a node has \"type\", \"id\" and \"data\", an edge \"edge\", \"from\" and \"to\"%s",
		what, name, fault.DidYouMean(name, recordMembers))
}

func (r *reader) readNode(rec record) error {
	if rec.From != "" || rec.To != "" {
		return r.rejectLine(errors.New("a node has only type, id and data"))
	}
	t, err := r.typeOf(rec.Type)
	if err != nil {
		return r.reject(fault.FieldError{Field: "type", Code: fault.Class, Message: err.Error(), Value: rec.Type})
	}
	values, problem := r.renamed(rec.Data)
	if problem != nil {
		problem.Node = nodeName(t, rec.ID)
		return r.reject(*problem)
	}
	return r.take(r.node(change.Entity{Type: t, ID: rec.ID, Values: values}), nodeName(t, rec.ID))
}

// renamed is the data of a record with its members renamed by Map.
func (r *reader) renamed(data map[string]any) (map[string]any, *fault.FieldError) {
	if len(r.Map) == 0 {
		return data, nil
	}
	values := make(map[string]any, len(data))
	for name, v := range data {
		property, mapped := r.mapped(name)
		if !mapped {
			property = name
		} else if property == "" {
			continue
		}
		if _, twice := values[property]; twice {
			return nil, &fault.FieldError{Field: name, Code: fault.Unique, Message: fmt.Sprintf("two members are both %s; map %s= passes one over", property, name)}
		}
		values[property] = v
	}
	return values, nil
}

// node returns the edits of one node, and keeps it for the preview.
func (r *reader) node(n change.Entity) change.Edits {
	edits := change.UpsertEntity
	if r.Mode == Append {
		edits = change.AppendEntity
	}
	e := edits(r.schema, n)
	if r.Mode == Skip && e.IRI != "" {
		e.List = append(e.List, change.Edit{Op: change.Once, Quad: rdf.Quad{Subject: e.IRI}})
	}
	for _, f := range e.Fields {
		r.Told[[2]string{r.schema.NodeName(e.IRI), f.Field}] = true
	}
	if len(e.Fields) > 0 || len(r.Data.Preview) >= r.Options.Preview {
		return e
	}
	var quads []rdf.Quad
	for _, edit := range e.List {
		if q := edit.Quad; (edit.Op == change.Assert || edit.Op == change.Default) && q.Predicate != rdf.Type {
			quads = append(quads, q)
		}
	}
	shown := Node{Type: n.Type.Name}
	if n.ID != "" || r.schema.MintOf(n.Type) != schema.MintUUIDv7 {
		shown.ID = r.schema.IDOf(n.Type, e.IRI)
	}
	shown.Data, _ = r.schema.Object(n.Type, quads)
	for name, v := range shown.Data {
		shown.Data[name] = fault.Bounded(v)
	}
	r.Data.Preview = append(r.Data.Preview, shown)
	return e
}

// nodeName is how errors call a node that may have no id yet.
func nodeName(t *schema.Type, id string) string { return strings.TrimSuffix(t.Name+"/"+id, "/") }

func (r *reader) readEdge(rec record) error {
	from, p, problem := r.edgeEnds(rec)
	if problem != nil {
		return r.reject(*problem)
	}
	return r.take(change.LinkEntity(r.schema, from, p, rec.To), rec.From)
}

// edgeEnds returns the node at which an edge starts, and the property that it sets.
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
	name, mapped := r.mapped(rec.Edge)
	if !mapped {
		name = rec.Edge
	}
	p := r.schema.Property(t, name)
	if p == nil || p.Datatype != "iri" {
		message, known := r.schema.NoReference(t, name)
		return change.Entity{}, nil, &fault.FieldError{Field: "edge", Code: fault.Closed, Value: rec.Edge, Constraint: known, Message: message}
	}
	return change.Entity{Type: t, ID: local}, p, nil
}

// take spools the edits of a line; of a line with errors it keeps what can still be validated.
func (r *reader) take(e change.Edits, node string) error {
	for i := range e.Fields {
		e.Fields[i].Node = node
	}
	if len(e.Fields) > 0 {
		if r.Rows != nil && e.IRI != "" {
			r.Rows.lose(r.schema.NodeName(e.IRI), r.source)
		}
		if err := r.reject(e.Fields...); err != nil || e.IRI == "" || r.Rejects {
			return err
		}
		delete(r.BadNodes, node)
		for _, edit := range e.List {
			edit.Source, edit.Quad = r.source, r.labels.Quad(edit.Quad)
			if err := r.Tried.Add(edit); err != nil {
				return err
			}
		}
		return nil
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
		return nil, fmt.Errorf("type %q is not in the schema%s", name, knownTypes(r.schema, name))
	}
	if t.Abstract {
		return nil, fmt.Errorf("type %s is abstract; say which of its subtypes it is: %s", name, strings.Join(schema.NamesOf(r.schema.Concrete(t)), ", "))
	}
	return t, nil
}

// knownTypes names the type that is nearest to a name, or lists all.
func knownTypes(s *schema.Schema, name string) string {
	if len(s.Types) == 0 {
		return ", which has no types yet; apply one first"
	}
	var names []string
	for _, t := range s.Types {
		if !t.Abstract {
			names = append(names, t.Name)
		}
	}
	return cmp.Or(fault.DidYouMean(name, names), "; it has "+strings.Join(names, ", "))
}
