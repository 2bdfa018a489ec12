package load

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"strings"

	"trails/fault"
	"trails/rdf/rdfio"
)

// Format is a syntax of data.
type Format string

// The formats. Auto looks at the name and the beginning.
const (
	Auto      Format = "auto"
	NDJSON    Format = "ndjson"
	JSONArray Format = "json-array"
	CSV       Format = "csv"
	TSV       Format = "tsv"
	NQuads    Format = Format(rdfio.NQuads)
	NTriples  Format = Format(rdfio.NTriples)
	Turtle    Format = Format(rdfio.Turtle)
	TriG      Format = Format(rdfio.TriG)
	JSONLD    Format = Format(rdfio.JSONLD)
	RDFXML    Format = Format(rdfio.RDFXML)
)

// Formats are those that [Read] reads.
func Formats() []Format {
	return []Format{Auto, NDJSON, JSONArray, CSV, TSV, NQuads, NTriples, Turtle, TriG, JSONLD, RDFXML}
}

// OfNodes reports whether a format is about nodes of declared types, and not about
// statements.
func (f Format) OfNodes() bool { return f == NDJSON || f == JSONArray || f.IsTable() }

// IsTable reports whether a format is rows of cells.
func (f Format) IsTable() bool { return f == CSV || f == TSV }

// FormatByName is the format that a file's name tells, "" when it does not.
func FormatByName(name string) Format {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch path.Ext(name) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	}
	return Format(rdfio.Sniff(nil, name))
}

// UnknownFormat refuses a format that is not among those that are known.
func UnknownFormat(format Format, known []Format) error {
	names := make([]string, 0, len(known))
	for _, f := range known {
		names = append(names, string(f))
	}
	return fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf, Value: string(format), Constraint: known,
		Message: fmt.Sprintf("format %q is not one of %s", format, strings.Join(names, ", "))})
}

// Sniffed is how many bytes of an input Auto looks at.
const Sniffed = 64 << 10

// formatOf decides by what the caller says, then the name, then the beginning. JSON
// that is no JSON-LD is NDJSON or an array; what is nothing known is a table where the
// caller says a type, and otherwise refused as N-Quads.
func (o *Options) formatOf(name string, text *bufio.Reader) Format {
	if o.Format != "" && o.Format != Auto {
		return o.Format
	}
	if format := FormatByName(name); format != "" {
		return format
	}
	head, _ := text.Peek(Sniffed)
	if format := rdfio.Sniff(head, ""); format != "" {
		return Format(format)
	}
	switch begin := bytes.TrimLeft(head, " \t\r\n\ufeff"); {
	case bytes.HasPrefix(begin, []byte("{")):
		return NDJSON
	case bytes.HasPrefix(begin, []byte("[")):
		return JSONArray
	case looksLikeTable(head, ','), looksLikeTable(head, ';'):
		return CSV
	case looksLikeTable(head, '\t'):
		return TSV
	case o.Type != "":
		return CSV // of one column, or of one row
	}
	return NQuads
}

// looksLikeTable reports whether a text begins with a head and a row of as many cells,
// two at least.
func looksLikeTable(head []byte, separator rune) bool {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))))
	r.Comma = separator
	names, err := r.Read()
	if err != nil || len(names) < 2 {
		return false
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "<>\"{}") {
			return false
		}
	}
	_, err = r.Read()
	return err == nil
}

// decompress counts the bytes as they come and unpacks gzip, told by its magic number.
func (r *reader) decompress(in io.Reader) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(&counting{in, r.report}, 1<<18)
	magic, _ := raw.Peek(2)
	if r.zipped = bytes.Equal(magic, []byte{0x1f, 0x8b}); !r.zipped {
		return raw, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 1<<18), nil
}

type counting struct {
	io.Reader
	report func(int64)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.report(int64(n))
	return n, err
}

// title names a format in a sentence.
func (f Format) title() string {
	if f == JSONArray {
		return "a JSON array"
	}
	return strings.ToUpper(string(f))
}
