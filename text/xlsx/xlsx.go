// Package xlsx writes a table as an Office Open XML workbook with one sheet (ECMA-376, part 1, §18), row by row, in
// memory that does not grow with the table. Read [Writer].
package xlsx

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a sheet, as every program that reads one has them.
const (
	MaxRows  = 1_048_576
	MaxRunes = 32_767 // of a cell
)

// Kind says what a cell is.
type Kind byte

// The kinds of a cell. One whose text is not of its kind, and a number that would lose digits, is written as [Text].
const (
	Text Kind = iota
	Number
	Boolean
	Date // as XML Schema writes it, without a time zone
)

// Cell is one cell; an empty text is an empty cell.
type Cell struct {
	Text string
	Kind Kind
}

// Writer writes the rows of the sheet, the first of which is the header and stays in sight. It is for one goroutine.
// Close ends the workbook and leaves what is under it open.
type Writer struct {
	zip *zip.Writer
	out *bufio.Writer
	row int
	err error // the first one
}

// parts are the files of the workbook but its sheet.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`},
}

// The indexes of cellXfs above.
const (
	styleHead = ` s="1"`
	styleDate = ` s="2"`
)

// NewWriter begins a workbook whose sheet has this name.
func NewWriter(out io.Writer, name string) *Writer {
	w := &Writer{zip: zip.NewWriter(out)}
	for _, p := range parts {
		w.part(p.name, p.text)
	}
	w.part("xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="`+
		escaped(sheetName(name))+`" sheetId="1" r:id="rId1"/></sheets></workbook>`)
	if sheet, err := w.zip.Create("xl/worksheets/sheet1.xml"); w.keep(err) {
		w.out = bufio.NewWriter(sheet)
		w.print(xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`)
	}
	return w
}

func (w *Writer) part(name, text string) {
	if out, err := w.zip.Create(name); w.keep(err) {
		_, err = io.WriteString(out, xml.Header+text)
		w.keep(err)
	}
}

// keep remembers the first error, and reports that there is none.
func (w *Writer) keep(err error) bool {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("write a workbook: %w", err)
	}
	return w.err == nil
}

func (w *Writer) print(text string) {
	if w.err == nil {
		_, err := w.out.WriteString(text)
		w.keep(err)
	}
}

// Row writes the next row. It is an error to write more than [MaxRows]; the text of a cell beyond [MaxRunes] is cut,
// and the cell ends by saying so.
func (w *Writer) Row(cells []Cell) error {
	if w.row++; w.row > MaxRows {
		w.keep(fmt.Errorf("a sheet has at most %d rows", MaxRows))
	}
	w.print(`<row r="` + strconv.Itoa(w.row) + `">`)
	for i, c := range cells {
		if c.Text != "" {
			w.print(c.xml(columnName(i)+strconv.Itoa(w.row), w.row == 1))
		}
	}
	w.print(`</row>`)
	return w.err
}

// Close ends the workbook.
func (w *Writer) Close() error {
	w.print(`</sheetData></worksheet>`)
	if w.err == nil {
		w.keep(w.out.Flush())
	}
	w.keep(w.zip.Close())
	return w.err
}

// xml is the cell at a place.
func (c Cell) xml(at string, head bool) string {
	begin := `<c r="` + at + `"`
	switch {
	case head:
		begin += styleHead
	case c.Kind == Number && number.MatchString(c.Text) && len(strings.Trim(c.Text, "-.")) <= 15:
		return begin + `><v>` + c.Text + `</v></c>`
	case c.Kind == Boolean && (c.Text == "true" || c.Text == "false"):
		return begin + ` t="b"><v>` + map[string]string{"true": "1", "false": "0"}[c.Text] + `</v></c>`
	case c.Kind == Date:
		if day, err := time.Parse(time.DateOnly, c.Text); err == nil && !day.Before(firstDay) {
			return begin + styleDate + `><v>` + strconv.FormatInt((day.Unix()-dayZero.Unix())/(24*60*60), 10) + `</v></c>`
		}
	}
	text := c.Text
	if n := utf8.RuneCountInString(text); n > MaxRunes {
		said := fmt.Sprintf("… (cut here: %d characters)", n)
		text = string([]rune(text)[:MaxRunes-utf8.RuneCountInString(said)]) + said
	}
	return begin + ` t="inlineStr"><is><t xml:space="preserve">` + escaped(text) + `</t></is></c>`
}

// number matches a number that reads the same in a cell; 007 would lose its zeros.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// Day 60 of a sheet is 29 February 1900, which never was (§18.17.4.1): dates are right from the day after.
var (
	dayZero  = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	firstDay = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)
)

// columnName is the letters of a column, counted from 0.
func columnName(i int) (name string) {
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// sheetName is a name as a sheet may have it.
func sheetName(name string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\'`, r) {
			return '_'
		}
		return r
	}, name))
	return string(runes[:min(len(runes), 31)])
}

// escapedCharacter matches what stands for a character of its own in a cell (ST_Xstring, §22.9.2.19).
var escapedCharacter = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// escaped is a text as XML, with characters that XML has not as ST_Xstring.
func escaped(text string) string {
	text = escapedCharacter.ReplaceAllString(text, `_x005F$0`)
	var plain, out strings.Builder
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' {
			fmt.Fprintf(&plain, "_x%04X_", r)
			continue
		}
		plain.WriteRune(r)
	}
	_ = xml.EscapeText(&out, []byte(plain.String())) // into memory
	return out.String()
}
