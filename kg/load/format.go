package load

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf/rdfio"
	"trails/schema/infer"
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
	XLSX      Format = "xlsx"
	NQuads    Format = Format(rdfio.NQuads)
	NTriples  Format = Format(rdfio.NTriples)
	Turtle    Format = Format(rdfio.Turtle)
	TriG      Format = Format(rdfio.TriG)
	JSONLD    Format = Format(rdfio.JSONLD)
	RDFXML    Format = Format(rdfio.RDFXML)
)

// Formats are those that [Read] reads.
func Formats() []Format {
	return []Format{Auto, NDJSON, JSONArray, CSV, TSV, XLSX, NQuads, NTriples, Turtle, TriG, JSONLD, RDFXML}
}

// OfNodes reports whether a format contains nodes of declared types, not statements.
func (f Format) OfNodes() bool { return f == NDJSON || f == JSONArray || f.IsTable() }

// IsTable reports whether a format is rows of cells.
func (f Format) IsTable() bool { return f == CSV || f == TSV || f == XLSX }

// FormatByName returns the format for the name of a file, "" if the name does not tell.
func FormatByName(name string) Format {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch path.Ext(name) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	case ".xlsx", ".xlsm":
		return XLSX
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

// Sniffed is how many bytes of an input Auto examines.
const Sniffed = 64 << 10

// formatOf decides by the caller's choice, then the name, then the beginning of the text, which is a guess. JSON that
// is not JSON-LD is NDJSON or an array. Unrecognized text is a table if the caller gives a type, and refused
// otherwise.
func (r *reader) formatOf(name string, text *bufio.Reader) (format Format, err error) {
	head, _ := text.Peek(Sniffed)
	format, r.guessed = r.Format, false
	if format == "" || format == Auto {
		format = FormatByName(name)
	}
	switch what := binaryKind(head); {
	case what == aZip && (format == XLSX || r.Format == "" || r.Format == Auto):
		return XLSX, nil
	case what != "":
		return "", fault.New(fault.Malformed, "%s looks like %s; a load reads %s", name, what, titles())
	case format == XLSX && len(head) == 0:
		return "", fault.New(fault.Malformed, "%s is empty; save the workbook again", name)
	case format == XLSX:
		return "", fault.New(fault.Malformed, "%s is no workbook: it does not begin as a zip does, and looks like text; call it .csv, or say the format", name)
	case format != "":
		return format, nil
	}
	r.guessed = true
	if format := rdfio.Sniff(head, ""); format != "" {
		return Format(format), nil
	}
	switch begin := bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(begin, []byte("{")):
		return NDJSON, nil
	case bytes.HasPrefix(begin, []byte("[")):
		return JSONArray, nil
	case slices.ContainsFunc([]rune(",;|"), func(comma rune) bool { return looksLikeTable(head, comma) }):
		return CSV, nil
	case looksLikeTable(head, '\t'):
		return TSV, nil
	case r.Type != "" || r.each != nil:
		return CSV, nil // with a single column or a single row
	case len(begin) == 0, bytes.ContainsAny(begin[:1], "<_#"):
		return NQuads, nil
	}
	return "", fault.New(fault.Malformed, "%s begins as no format does that a load reads (%s), and its name tells none; say the format, or for a table of one column the type", name, titles())
}

// FormatOf tells the format of an input as a load with the options does. It reads the beginning of the input.
func FormatOf(o Options, in Input) (Format, error) {
	r := reader{Options: o, report: func(int64) {}, input: in, each: func(infer.Record) error { return nil }}
	text, err := r.decompress(in)
	if err != nil {
		return "", r.unreadable(err)
	}
	if text, err = decoded(in.Name, text); err != nil {
		return "", err
	}
	return r.formatOf(in.Name, text)
}

// titles are the formats in a sentence.
func titles() string {
	var names []string
	for _, f := range Formats()[1:] {
		names = append(names, strings.TrimPrefix(f.title(), "a "))
	}
	return strings.Join(names, ", ")
}

// says says in a sentence what an input is, or what it looks like if that is a guess.
func (r *reader) says(format Format) string {
	if r.guessed {
		return r.input.Name + " looks like " + format.title()
	}
	return r.input.Name + " is " + format.title()
}

// aZip is the description of workbooks.
const aZip = "a zip archive"

// binaryKind names the kind of binary data by its first bytes; "" for text.
func binaryKind(head []byte) string {
	for _, k := range []struct{ magic, what string }{
		{"PK\x03\x04", aZip}, {"PK\x05\x06", aZip},
		{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an old workbook (.xls), or one with a password: save it as .xlsx without one, or as CSV"},
		{"%PDF-", "PDF"}, {"{\\rtf", "RTF"}, {"\x89PNG", "an image"}, {"GIF8", "an image"}, {"\xFF\xD8\xFF", "an image"},
		{"SQLite format 3\x00", "a SQLite file"}, {"PAR1", "Parquet: export it as CSV"}, {"ARROW1", "Arrow: export it as CSV"},
		{"\x1F\x8B", "gzip within gzip: unpack it once"}, {"BZh", "bzip2: unpack it, or pack it with gzip"},
		{"\xFD7zXZ", "xz: unpack it, or pack it with gzip"}, {"\x28\xB5\x2F\xFD", "zstd: unpack it, or pack it with gzip"},
		{"7z\xBC\xAF", "7-Zip: unpack it"}, {"Rar!", "RAR: unpack it"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.what
		}
	}
	begin := strings.ToLower(string(bytes.TrimLeft(head, " \t\r\n")[:min(20, len(bytes.TrimLeft(head, " \t\r\n")))]))
	switch {
	case strings.HasPrefix(begin, "<!doctype html"), strings.HasPrefix(begin, "<html"):
		return "an HTML page: open it in a spreadsheet program and save its table as .xlsx or CSV"
	case strings.HasPrefix(begin, "<") && slices.ContainsFunc(spreadsheetXML, func(namespace string) bool { return bytes.Contains(head, []byte(namespace)) }):
		return "a spreadsheet as XML: open it in a spreadsheet program and save it as .xlsx or CSV"
	case bytes.Count(head, []byte{0}) > 8 && !utf8.Valid(head[:max(0, len(head)-3)]):
		return "binary data"
	}
	return ""
}

// spreadsheetXML are the namespaces of spreadsheets that are XML and no archive (SpreadsheetML 2003 and flat OpenDocument), which
// would else be taken for RDF/XML.
var spreadsheetXML = []string{"urn:schemas-microsoft-com:office:spreadsheet", "urn:oasis:names:tc:opendocument:xmlns:office"}

// looksLikeTable reports whether a text begins with a head and a row of as many cells,
// two at least.
func looksLikeTable(head []byte, separator rune) bool {
	r := csv.NewReader(bytes.NewReader(head))
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

// decompress counts the bytes read, and unpacks gzip, recognized by its magic number.
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
