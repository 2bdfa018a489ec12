package results

import (
	"io"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// Writer writes one answer: Head, then Row for each solution, then End; or only Boolean. It buffers some kilobytes
// until Flush, End or Boolean. After an error of the underlying writer every call returns that error.
type Writer interface {
	Head(vars []sparql.Var) error
	// Row writes a solution: a term for each variable of the head, nil where it is
	// unbound.
	Row(row []rdf.Term) error
	End() error
	Boolean(answer bool) error
	Flush() error
}

// NewWriter returns a writer of the format. Where a format lacks something: XML gets U+FFFD for control characters
// other than tab and line ends; CSV and TSV, which have no booleans, get a line with true or false.
func NewWriter(w io.Writer, f Format) (Writer, error) {
	form, ok := forms[f]
	if !ok {
		return nil, fault.New(fault.InvalidArguments, "no results format %q", f)
	}
	return &writer{out: w, form: form}, nil
}

// form is the parts of a format.
type form struct {
	head    func(dst []byte, vars []sparql.Var) []byte
	row     func(dst []byte, vars []sparql.Var, row []rdf.Term, first bool) []byte
	end     string
	boolean map[bool]string
}

var forms = map[Format]form{
	JSON: {
		head: jsonHead, row: jsonRow, end: "\n]}}\n",
		boolean: map[bool]string{true: `{"head":{},"boolean":true}` + "\n", false: `{"head":{},"boolean":false}` + "\n"},
	},
	XML: {
		head: xmlHead, row: xmlRow, end: "</results>\n</sparql>\n",
		boolean: map[bool]string{true: xmlBoolean("true"), false: xmlBoolean("false")},
	},
	CSV: {head: csvHead, row: csvRow, boolean: map[bool]string{true: "true\r\n", false: "false\r\n"}},
	TSV: {head: tsvHead, row: tsvRow, boolean: map[bool]string{true: "true\n", false: "false\n"}},
}

const flushAt = 16 << 10

type writer struct {
	out   io.Writer
	form  form
	buf   []byte
	vars  []sparql.Var
	later bool // a row was written
	err   error
}

func (w *writer) Head(vars []sparql.Var) error {
	w.vars = vars
	w.buf = w.form.head(w.buf, vars)
	return w.err
}

func (w *writer) Row(row []rdf.Term) error {
	w.buf = w.form.row(w.buf, w.vars, row, !w.later)
	w.later = true
	if len(w.buf) < flushAt {
		return w.err
	}
	return w.Flush()
}

func (w *writer) End() error {
	w.buf = append(w.buf, w.form.end...)
	return w.Flush()
}

func (w *writer) Boolean(answer bool) error {
	w.buf = append(w.buf, w.form.boolean[answer]...)
	return w.Flush()
}

func (w *writer) Flush() error {
	if w.err == nil {
		_, w.err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}
