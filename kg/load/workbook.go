package load

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"trails/fault"
)

// Limits on a workbook, which is a zip of XML: its size, and the sizes of its unpacked parts.
const (
	maxWorkbook    = 64 << 20  // bytes of the zip, which is held
	maxParts       = 10_000    // files in it
	maxSheets      = 1000      // that it names
	maxSheet       = 1 << 30   // bytes of the XML of a sheet, which streams
	maxStrings     = 256 << 20 // bytes of the XML of the shared strings, which are held
	maxSharedCount = 5_000_000 // of them
	maxSmallPart   = 16 << 20  // bytes of the XML of other parts
	maxRatio       = 400       // unpacked size divided by packed size, for parts of more than looseRatio bytes
	looseRatio     = 32 << 20
	maxDepth       = 64      // of elements
	maxSheetRows   = 1 << 20 // that spreadsheets have
)

// workbook reads the rows of one sheet of an Office Open XML workbook (ECMA-376, part 1, §18). Cells become the text
// that CSV would have: numbers with the digits that are shown, dates in the notation of XSD, and for formulas the
// saved value.
type workbook struct {
	files   map[string]*zip.File
	sheets  []sheet
	sheet   sheet
	strings []string
	styles  []dateStyle
	is1904  bool
	xml     *partReader
	stop    func() error // returns why to stop reading
	row     int          // number of the current row
	columns int          // of the header, once it is read
	head    int          // number of the header's row
	merged  int64        // areas of merged cells below the header
	area    string       // the first of them
	decimal string       // what stands before the fraction of numbers; "" is a point
}

// sheet is one sheet of a workbook.
type sheet struct {
	name, path string
	hidden     bool
}

// dateStyle says how a number with a style is shown.
type dateStyle byte

const (
	plainNumber dateStyle = iota
	dateNumber
	dateTimeNumber
	timeNumber
)

// partReader reads the XML of a part token by token, each within bounds.
type partReader struct {
	*xml.Decoder
	in           *bufio.Reader
	name         string
	stop         func() error
	left, packed int64 // bytes that may still be read, and packed size
	read         int64
	token, depth int
}

// ReadByte implements [io.ByteReader], which keeps the decoder from reading ahead.
func (p *partReader) ReadByte() (byte, error) {
	if p.token++; p.token > maxLine {
		return 0, fault.New(fault.TooLarge, "%s has a piece of more than %d bytes; shorten that text, or save the sheet as CSV without it", p.name, maxLine)
	}
	if p.read++; p.read > p.left || p.read > looseRatio && p.read > p.packed*maxRatio {
		return 0, fault.New(fault.TooLarge, "%s becomes more than %d bytes when it is unpacked, which is too much for a workbook; save the sheet as CSV", p.name, p.read-1)
	}
	return p.in.ReadByte()
}

// Read implements [io.Reader]; the decoder uses ReadByte instead.
func (p *partReader) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// next is the next token. Elements that are nested too deep are refused.
func (p *partReader) next() (xml.Token, error) {
	if err := p.stop(); err != nil {
		return nil, err
	}
	p.token = 0
	token, err := p.Token()
	switch token.(type) {
	case xml.Directive:
		return nil, fault.New(fault.Malformed, "%s has a document type declaration (DOCTYPE), which no part of a workbook may have; open it in a spreadsheet program and save it again", p.name)
	case xml.StartElement:
		if p.depth++; p.depth > maxDepth {
			return nil, fault.New(fault.TooLarge, "%s has elements within each other more than %d deep", p.name, maxDepth)
		}
	case xml.EndElement:
		p.depth--
	}
	return token, err
}

// open begins to read a part, which is in memory: there is nothing to close.
func (w *workbook) open(name string, limit int64) (*partReader, error) {
	f := w.files[name]
	if f == nil {
		return nil, fmt.Errorf("it has no %s", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &partReader{in: bufio.NewReader(in), name: name, stop: w.stop, left: limit, packed: int64(min(f.CompressedSize64, math.MaxInt64/maxRatio))}
	p.Decoder = xml.NewDecoder(p)
	p.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fault.New(fault.Malformed, "%s is written in %.40q, and only UTF-8 is read; open the workbook in a spreadsheet program and save it again", name, charset)
	}
	return p, nil
}

// elements gives each the elements of a small part as they begin.
func (w *workbook) elements(name string, each func(e xml.StartElement)) error {
	p, err := w.open(name, maxSmallPart)
	if err != nil {
		return err
	}
	for {
		switch token, err := p.next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		default:
			if e, isStart := token.(xml.StartElement); isStart {
				each(e)
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// shown are the names of the sheets that are not hidden.
func (w *workbook) shown() (names []string) {
	for _, s := range w.sheets {
		if !s.hidden {
			names = append(names, s.name)
		}
	}
	return names
}

// openWorkbook reads everything but the rows. The sheet is the named one, or the first that is not hidden. An error
// of stop ends the reading.
func openWorkbook(in io.Reader, named string, stop func() error) (*workbook, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxWorkbook+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxWorkbook {
		return nil, fault.New(fault.TooLarge, "the workbook has more than %d bytes; save its sheet as CSV", maxWorkbook)
	}
	if bytes.Count(data, []byte(zipEntry)) > maxParts {
		return nil, fault.New(fault.TooLarge, "the workbook has more than %d parts; save its sheet as CSV", maxParts)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("it is no zip that can be read: %w", err)
	}
	w := &workbook{files: map[string]*zip.File{}, stop: stop}
	folded := make(map[string]string, len(archive.File))
	for _, f := range archive.File {
		name := strings.TrimPrefix(f.Name, "/")
		if other, twice := folded[strings.ToLower(name)]; twice {
			return nil, fault.New(fault.Malformed, "two of its parts have the name %.80q and %.80q, so that programs may read different ones; open it in a spreadsheet program and save it again", other, name)
		}
		w.files[name], folded[strings.ToLower(name)] = f, name
	}
	if f := w.files["xl/workbook.xml"]; f == nil {
		return nil, w.isNone()
	} else if f.Flags&encryptedPart != 0 {
		return nil, fault.New(fault.Malformed, "the workbook has a password; save it as .xlsx without one, or as CSV")
	}
	if err := w.readParts(); err != nil {
		return nil, err
	}
	var names, shown []string
	found := false
	for _, s := range w.sheets {
		names, shown = append(names, s.name), append(shown, strconv.Quote(s.name))
		if !found && (named == "" && !s.hidden || named != "" && s.name == named) {
			w.sheet, found = s, true
		}
	}
	has := "; it has " + strings.Join(shown[:min(len(shown), maxShownSheets)], ", ")
	switch {
	case found:
		w.xml, err = w.open(w.sheet.path, maxSheet)
		return w, err
	case len(names) == 0:
		return nil, errors.New("it has no sheets with cells")
	case named == "":
		return nil, fault.Argument("sheet", fault.Required, nil, "all sheets of the workbook are hidden: say sheet"+has)
	}
	return nil, fault.Argument("sheet", fault.OneOf, named, fmt.Sprintf("the workbook has no sheet %q%s", named, cmp.Or(fault.DidYouMean(named, names), has)))
}

// encryptedPart is the flag of a part of a zip that needs a password.
const encryptedPart = 1

// otherZips are parts by which zips that are no workbooks are known, with what those are and where they are saved otherwise.
var otherZips = []struct{ part, what string }{
	{"xl/workbook.bin", "a binary workbook (.xlsb); open it in a spreadsheet program and save it as .xlsx or CSV"},
	{"content.xml", "a document of OpenDocument (as .ods is); open it in a spreadsheet program and save it as .xlsx or CSV"},
	{"Index/Document.iwa", "a document of Numbers or Pages; export it as .xlsx or CSV"},
	{"word/document.xml", "a text document (.docx); copy its table to a spreadsheet, and save that as .xlsx or CSV"},
	{"ppt/presentation.xml", "a presentation (.pptx); copy its table to a spreadsheet, and save that as .xlsx or CSV"},
}

// isNone says what a zip is that is no workbook.
func (w *workbook) isNone() error {
	for _, z := range otherZips {
		if w.files[z.part] != nil {
			return fault.New(fault.Malformed, "it is %s", z.what)
		}
	}
	return fault.New(fault.Malformed, "it is a zip archive and no workbook, because it has no xl/workbook.xml; unpack it, and take a file from it")
}

// maxShownSheets is how many sheets a message names.
const maxShownSheets = 10

// zipEntry begins each entry of the list of files of a zip.
const zipEntry = "PK\x01\x02"

// readParts reads the list of sheets, the styles and the shared strings.
func (w *workbook) readParts() error {
	targets := map[string]string{} // of sheets with cells, by the ids of their relationships
	stylesPart, stringsPart := "xl/styles.xml", "xl/sharedStrings.xml"
	if err := w.elements("xl/_rels/workbook.xml.rels", func(e xml.StartElement) {
		target, rooted := strings.CutPrefix(attribute(e, "Target"), "/")
		if !rooted {
			target = path.Join("xl", target)
		}
		switch path.Base(attribute(e, "Type")) {
		case "worksheet":
			targets[attribute(e, "Id")] = target
		case "styles":
			stylesPart = target
		case "sharedStrings":
			stringsPart = target
		}
	}); err != nil {
		return err
	}
	if err := w.elements("xl/workbook.xml", func(e xml.StartElement) {
		switch e.Name.Local {
		case "workbookPr":
			on := attribute(e, "date1904")
			w.is1904 = on == "1" || on == "true"
		case "sheet":
			if p := targets[attribute(e, "id")]; p != "" && len(w.sheets) <= maxSheets {
				w.sheets = append(w.sheets, sheet{attribute(e, "name"), p, strings.Contains(strings.ToLower(attribute(e, "state")), "hidden")})
			}
		}
	}); err != nil {
		return err
	}
	if len(w.sheets) > maxSheets {
		return fault.New(fault.TooLarge, "the workbook has more than %d sheets; save the one to read as CSV", maxSheets)
	}
	if w.files[stylesPart] != nil {
		codes, within := map[string]string{}, false
		if err := w.elements(stylesPart, func(e xml.StartElement) {
			switch e.Name.Local {
			case "numFmt":
				codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
			case "cellXfs":
				within = true
			case "cellStyles", "dxfs":
				within = false
			case "xf":
				if within {
					id := attribute(e, "numFmtId")
					w.styles = append(w.styles, styleOf(id, codes[id]))
				}
			}
		}); err != nil {
			return err
		}
	}
	if w.files[stringsPart] == nil {
		return nil
	}
	p, err := w.open(stringsPart, maxStrings)
	if err != nil {
		return err
	}
	for {
		token, err := p.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", stringsPart, err)
		}
		if e, isStart := token.(xml.StartElement); isStart && e.Name.Local == "si" {
			text, err := p.text("si")
			if err != nil {
				return fmt.Errorf("%s: %w", stringsPart, err)
			}
			if len(w.strings) == maxSharedCount {
				return fault.New(fault.TooLarge, "the workbook has more than %d texts; save its sheet as CSV", maxSharedCount)
			}
			w.strings = append(w.strings, text)
		}
	}
}

// text collects the texts of the current element, without phonetic hints.
func (p *partReader) text(of string) (string, error) {
	var b strings.Builder
	inText, spoken := false, 0
	for {
		token, err := p.next()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "t"
			if token.Name.Local == "rPh" {
				spoken++
			}
		case xml.EndElement:
			inText = false
			switch token.Name.Local {
			case "rPh":
				spoken--
			case of:
				return unescaped(b.String()), nil
			}
		case xml.CharData:
			if inText && spoken == 0 {
				if b.Len()+len(token) > maxLine {
					return "", fault.New(fault.TooLarge, "a text has more than %d bytes; shorten it, or save the sheet as CSV without it", maxLine)
				}
				b.Write(token)
			}
		}
	}
}

var escapedUnit = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescaped decodes characters that XML cannot contain: _x000D_ is a CR (ECMA-376, §22.9.2.19).
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escapedUnit.ReplaceAllStringFunc(text, func(unit string) string {
		n, err := strconv.ParseUint(unit[2:6], 16, 16)
		if err != nil {
			return unit
		}
		return string(rune(n))
	})
}

// read returns the cells of the next row that has any, up to the last one.
func (w *workbook) read() ([]string, error) {
	for {
		token, err := w.xml.next()
		if err != nil {
			return nil, err
		}
		e, isStart := token.(xml.StartElement)
		if isStart && e.Name.Local == "mergeCell" {
			w.merge(attribute(e, "ref"))
		}
		if !isStart || e.Name.Local != "row" {
			continue
		}
		w.row++
		if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > w.row {
			w.row = n
		}
		if w.row > maxSheetRows {
			return nil, fault.New(fault.TooLarge, "%s has more than the %d rows that a sheet can have; save the sheet as CSV", w.sheet.path, maxSheetRows)
		}
		cells, err := w.cells()
		if err != nil {
			return nil, err
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			for len(cells) < w.columns {
				cells = append(cells, "")
			}
			return cells, nil
		}
	}
}

// merge counts an area of merged cells, such as A2:A5, unless it is of the header or above.
func (w *workbook) merge(area string) {
	from, _, _ := strings.Cut(area, ":")
	row, err := strconv.Atoi(strings.TrimLeft(strings.ToUpper(from), "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil || row <= w.head {
		return
	}
	w.merged++
	w.area = cmp.Or(w.area, area)
}

// cells reads the cells of the row that has begun.
func (w *workbook) cells() ([]string, error) {
	var cells []string
	var wrong *rowError
	size := 0
	for {
		token, err := w.xml.next()
		if err != nil {
			return nil, err
		}
		if end, isEnd := token.(xml.EndElement); isEnd && end.Name.Local == "row" {
			if wrong != nil {
				wrong.cells = cells
				return nil, wrong
			}
			return cells, nil
		}
		e, isStart := token.(xml.StartElement)
		if !isStart || e.Name.Local != "c" {
			continue
		}
		at := columnAt(attribute(e, "r"))
		if at < 0 {
			at = len(cells)
		}
		text, reason, err := w.cell(e)
		if err != nil {
			return nil, err
		}
		switch size += len(text); {
		case reason != "":
		case text != "" && at >= maxColumns:
			reason = fmt.Sprintf("the cell %.20s of the sheet %q is in no column that is read, of which a table has %d; take out columns, or empty the cell", attribute(e, "r"), w.sheet.name, maxColumns)
		case size > maxLine:
			reason = fmt.Sprintf("the cells of the row have more than %d bytes together; shorten them", maxLine)
		}
		if reason != "" && wrong == nil {
			wrong = &rowError{w.row, at + 1, reason, nil}
		}
		if text == "" || at >= maxColumns || size > maxLine {
			continue
		}
		for len(cells) <= at {
			cells = append(cells, "")
		}
		cells[at] = text
	}
}

// columnAt is the index of a cell by its name, such as 27 for AB7; -1 if it has none.
func columnAt(name string) int {
	at := 0
	for i := range len(name) {
		c := name[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		if at = at*26 + int(c-'A') + 1; at > maxColumns {
			return maxColumns
		}
	}
	return at - 1
}

// cell reads one cell, or says why it cannot.
func (w *workbook) cell(start xml.StartElement) (text, reason string, err error) {
	var value strings.Builder
	inValue, formula := false, false
	for {
		token, err := w.xml.next()
		if err != nil {
			return "", "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "is":
				text, err := w.xml.text("is")
				if err != nil {
					return "", "", err
				}
				value.WriteString(text)
			case "f":
				formula = true
			}
			inValue = token.Name.Local == "v"
		case xml.CharData:
			if inValue {
				value.Write(token)
			}
		case xml.EndElement:
			inValue = false
			if token.Name.Local != "c" {
				continue
			}
			if formula && value.Len() == 0 && attribute(start, "t") != "str" {
				return "", "the cell has a formula without its value; open the workbook in a spreadsheet and save it", nil
			}
			text, reason = w.value(value.String(), attribute(start, "t"), attribute(start, "s"))
			return text, reason, nil
		}
	}
}

// value interprets the text of a cell by its type and style.
func (w *workbook) value(text, of, style string) (_, reason string) {
	switch of {
	case "s":
		at, err := strconv.Atoi(text)
		if err != nil || at < 0 || at >= len(w.strings) {
			return "", "the cell names a text that the workbook does not have"
		}
		return w.strings[at], ""
	case "b":
		return cmp.Or(map[string]string{"1": "true", "0": "false"}[text], text), ""
	case "e":
		return "", fmt.Sprintf("the cell has the error %s in the place of a value; mend it, or empty the cell", text)
	case "str":
		return unescaped(text), ""
	case "n", "":
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return text, ""
		}
		if at, err := strconv.Atoi(style); err == nil && at >= 0 && at < len(w.styles) && w.styles[at] != plainNumber {
			return w.date(text, number, w.styles[at])
		}
		if strings.ContainsAny(text, "eE.") { // spreadsheets store 17 digits of a number and show 15
			shown, err := strconv.ParseFloat(strconv.FormatFloat(number, 'e', 14, 64), 64)
			if err == nil && math.Abs(shown) < 1e21 {
				return strings.Replace(strconv.FormatFloat(shown, 'f', -1, 64), ".", cmp.Or(w.decimal, "."), 1), ""
			}
		}
	}
	return text, "" // inline texts, and dates that XSD reads
}

// date writes a number of days in the notation of XSD; a number that no spreadsheet shows as a date stays a number.
func (w *workbook) date(text string, days float64, style dateStyle) (_, reason string) {
	if days < 0 || days >= 2_958_466 { // behind the year 9999
		return text, ""
	}
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch shown := noDays[int(days)]; {
	case w.is1904:
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case shown != "" && style != timeNumber:
		return "", fmt.Sprintf("the cell is shown as %s, a day that never was; give it another date, or empty it", shown)
	case days < 60 && style != timeNumber:
		days++ // spreadsheets count 1900 as a leap year
	}
	whole := math.Floor(days)
	at := begin.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*86_400_000)) * time.Millisecond)
	switch {
	case style == timeNumber && whole == 0:
		return at.Format("15:04:05.999"), ""
	case style == timeNumber:
		return text, "" // a number of hours beyond one day
	case style == dateNumber && days == whole:
		return at.Format(time.DateOnly), ""
	}
	return at.Format("2006-01-02T15:04:05.999"), ""
}

// noDays are the days of spreadsheets that are in no calendar.
var noDays = map[int]string{0: "0 January 1900", 60: "29 February 1900"}

// literal matches the parts of a number format that are shown literally.
var literal = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.|\*.`)

// styleOf says whether a number format shows dates (ECMA-376, §18.8.30 and §18.8.31).
func styleOf(id, code string) dateStyle {
	n, _ := strconv.Atoi(id)
	switch {
	case code == "" && (n >= 14 && n <= 17 || n >= 27 && n <= 31 || n == 36 || n >= 50 && n <= 58):
		return dateNumber
	case code == "" && n == 22:
		return dateTimeNumber
	case code == "" && (n >= 18 && n <= 21 || n >= 32 && n <= 35 || n >= 45 && n <= 47):
		return timeNumber
	case code == "" || strings.EqualFold(code, "general"):
		return plainNumber
	}
	code = strings.ToLower(literal.ReplaceAllString(code, ""))
	code, _, _ = strings.Cut(code, ";")
	day, clock := strings.ContainsAny(code, "yd"), strings.ContainsAny(code, "hs")
	switch {
	case day && clock:
		return dateTimeNumber
	case day, strings.Contains(code, "m") && !clock && !strings.ContainsAny(code, "0#?"):
		return dateNumber
	case clock && !strings.ContainsAny(code, "0#?") || clock && strings.Contains(code, ":"):
		return timeNumber
	}
	return plainNumber
}
