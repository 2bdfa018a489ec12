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
	Auto     Format = "auto"
	NDJSON   Format = "ndjson"
	NQuads   Format = Format(rdfio.NQuads)
	NTriples Format = Format(rdfio.NTriples)
	Turtle   Format = Format(rdfio.Turtle)
	TriG     Format = Format(rdfio.TriG)
	JSONLD   Format = Format(rdfio.JSONLD)
	RDFXML   Format = Format(rdfio.RDFXML)
)

// Formats are those that [Read] reads.
func Formats() []Format {
	return []Format{Auto, NDJSON, NQuads, NTriples, Turtle, TriG, JSONLD, RDFXML}
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

// Formats that are told, so that the refusal can name them, and not read.
const (
	csvTable Format = "csv"
	tsvTable Format = "tsv"
)

// formatOf decides by what the caller says, then the name, then the beginning. JSON
// that is no JSON-LD is NDJSON, and what is nothing known is refused as N-Quads.
func (r *reader) formatOf(name string, text *bufio.Reader) Format {
	if r.Format != "" && r.Format != Auto {
		return r.Format
	}
	switch path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv":
		return csvTable
	case ".tsv":
		return tsvTable
	}
	head, _ := text.Peek(Sniffed)
	if format := rdfio.Sniff(head, name); format != "" {
		return Format(format)
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("{")) {
		return NDJSON
	}
	switch {
	case looksLikeTable(head, ','), looksLikeTable(head, ';'):
		return csvTable
	case looksLikeTable(head, '\t'):
		return tsvTable
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
