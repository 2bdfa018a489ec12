// Package results is the answers to SELECT and ASK as text: SPARQL 1.1 Query Results JSON
// (https://www.w3.org/TR/sparql11-results-json/), XML (https://www.w3.org/TR/rdf-sparql-XMLres/), CSV and TSV
// (https://www.w3.org/TR/sparql11-results-csv-tsv/). For answers that are graphs see package rdfio. Writers stream;
// start with [NewWriter], and with [Read] for the other way.
package results

import (
	"cmp"
	"fmt"
	"io"
	"mime"

	"trails/rdf"
	"trails/sparql"
)

// Format is one of the four formats.
type Format string

// The formats.
const (
	JSON Format = "json"
	XML  Format = "xml"
	CSV  Format = "csv"
	TSV  Format = "tsv"
)

// Formats lists them in the order of preference.
var Formats = []Format{JSON, XML, TSV, CSV}

var mediaTypes = map[Format]string{
	JSON: "application/sparql-results+json",
	XML:  "application/sparql-results+xml",
	CSV:  "text/csv; charset=utf-8",
	TSV:  "text/tab-separated-values; charset=utf-8",
}

var formatsByType = map[string]Format{
	"application/sparql-results+json": JSON, "application/json": JSON,
	"application/sparql-results+xml": XML, "application/xml": XML, "text/xml": XML,
	"text/csv":                  CSV,
	"text/tab-separated-values": TSV,
}

// MediaType returns the format's media type.
func (f Format) MediaType() string { return mediaTypes[f] }

// FormatOf returns the format of a media type, ignoring its parameters.
func FormatOf(mediaType string) (Format, bool) {
	name, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return "", false
	}
	f, ok := formatsByType[name]
	return f, ok
}

// Result is a whole answer.
type Result struct {
	// IsBoolean reports that this is the answer of ASK, in Boolean.
	IsBoolean, Boolean bool
	Vars               []sparql.Var
	// Rows have a term for each of Vars, nil where it is unbound.
	Rows [][]rdf.Term
}

// Default limits of a reader.
const (
	DefaultBytes = 64 << 20
	DefaultRows  = 1_000_000
	DefaultVars  = 1_000
)

// Limits bounds the input of a reader. The zero value means the defaults.
type Limits struct{ Bytes, Rows, Vars int }

// Read reads a whole answer. An invalid text is a [*fault.SyntaxError].
//
// CSV does not say what its values are: a field that begins with "_:" is a blank node, an empty one without quotation
// marks is unbound, and all others are plain strings. CSV and TSV have no booleans; a text of only true or false is
// read as one, as [NewWriter] writes it.
func Read(r io.Reader, f Format, limits Limits) (Result, error) {
	most := cmp.Or(limits.Bytes, DefaultBytes)
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return Result{}, fmt.Errorf("read results: %w", err)
	}
	in := &input{text: text, rows: cmp.Or(limits.Rows, DefaultRows), vars: cmp.Or(limits.Vars, DefaultVars)}
	if len(text) > most {
		return Result{}, in.tooLarge(most, "more than %d bytes", most)
	}
	return in.read(f)
}
