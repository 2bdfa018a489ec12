package load

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/schema/infer"
)

// maxColumns bounds the cells of one row of a table.
const maxColumns = 10_000

// table reads CSV (RFC 4180), also with another separator, or the sheet of a workbook: a header with the names of the
// columns, and rows. It holds one row in memory.
type table struct {
	rows    *csv.Reader
	book    *workbook // set instead of rows
	header  []string
	named   []string        // the cells of the header
	unnamed map[string]bool // columns whose names are not in the table
	line    int             // line of the current row
	guard   *rowGuard       // of rows
	passed  int64           // bytes of the previous rows
	above   int             // lines before the header that are not rows
}

// A breakError is an error of a table behind which no row can be read. It stands at a line and a column in bytes; a column of
// 0 is that of the whole row.
type breakError struct {
	line, column int
	reason       string
}

func (e *breakError) Error() string { return e.reason }

// A rowError is an error in one row, at a line and a column in bytes; the next row can be read.
type rowError struct {
	line, column int
	reason       string
	cells        []string // cells of the row, or its text if that is all
}

// last is the line on which the row ends, if known.
func (e *rowError) last(rows *table) uint64 { return uint64(max(rows.line, e.line)) }

func (e *rowError) Error() string { return e.reason }

// newTable reads the header. Of a workbook it is that of the sheet, or of the first one.
func (r *reader) newTable(text *bufio.Reader, format Format) (*table, error) {
	t, err := r.beginTable(text, format)
	if err != nil {
		return t, err
	}
	header, err := t.read()
	if err == io.EOF {
		err = &rowError{1, 1, "there is no header, whose cells name the columns", nil}
	}
	if err != nil {
		return t, err
	}
	t.named = header
	t.header, t.unnamed = columnNames(header)
	if t.book != nil {
		t.book.columns, t.book.head = len(header), t.book.row
	}
	return t, err
}

func (r *reader) beginTable(text *bufio.Reader, format Format) (*table, error) {
	if format == XLSX {
		book, err := openWorkbook(text, r.Sheet, r.ctx.Err)
		if err == nil {
			book.decimal = r.Conventions.Decimal // numbers are read as its texts are
		}
		return &table{book: book}, err
	}
	guard := &rowGuard{in: text, comma: '\t', line: 1}
	begun := 1
	head, _ := text.Peek(Sniffed)
	guard.loneCR = bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0
	if format == CSV {
		if declared, length := declaredComma(head); length > 0 { // as spreadsheets write it
			guard.comma, guard.line, begun = declared, 2, 2
			_, _ = text.Discard(length) // it is in the buffer
		} else {
			guard.comma = commaOf(head)
		}
	}
	guard.keeps = r.Rejects
	t := &table{rows: csv.NewReader(guard), guard: guard, line: begun, above: begun - 1}
	t.rows.Comma, t.rows.FieldsPerRecord = rune(guard.comma), -1
	return t, nil
}

// columnNames are distinct names for the columns of a header: a column without a name is named after its position,
// and a repeated name gets a number.
func columnNames(cells []string) (names []string, unnamed map[string]bool) {
	taken := map[string]bool{}
	for _, cell := range cells {
		taken[infer.ColumnName(cell)] = true
	}
	names, unnamed = make([]string, len(cells)), map[string]bool{}
	seen := map[string]bool{}
	for i, cell := range cells {
		name := infer.ColumnName(cell)
		if name != "" && !seen[name] {
			names[i], seen[name] = name, true
			continue
		}
		free := fmt.Sprintf("%s %d", name, 2)
		if name == "" {
			name, free = "column", fmt.Sprintf("column %d", i+1)
		}
		for n := 2; taken[free]; n++ {
			free = fmt.Sprintf("%s %d", name, n)
		}
		names[i], taken[free] = free, true
		unnamed[free] = cell == "" || name == "column"
	}
	return names, unnamed
}

// commas are possible separators of CSV, the likeliest first.
const commas = ",;\t|"

// declaredComma reads the line "sep=;" with which some spreadsheets begin a table, and returns its length.
func declaredComma(head []byte) (comma byte, length int) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	text := strings.TrimRight(string(line), "\r")
	if len(text) == len("sep=;") && strings.EqualFold(text[:4], "sep=") && len(line) < len(head) {
		return text[4], len(line) + 1
	}
	return 0, 0
}

// commaOf finds the separator of CSV text: at least half of the first rows must have as many cells as the header, and
// it gives the most cells. If the quotes of the text are valid for one separator, no other for which they are invalid
// is taken.
func commaOf(head []byte) byte {
	best, most := byte(','), 1
	for _, wrongQuotes := range []bool{false, true} {
		for _, comma := range []byte(commas) {
			r := csv.NewReader(&rowGuard{in: bufio.NewReader(bytes.NewReader(head)), comma: comma, loneCR: bytes.IndexByte(head, '\n') < 0})
			r.Comma, r.FieldsPerRecord, r.LazyQuotes = rune(comma), -1, wrongQuotes
			header, err := r.Read()
			if err == nil && len(header) > most && fitsHalf(r, len(header)) {
				best, most = comma, len(header)
			}
		}
		if most > 1 {
			break
		}
	}
	return best
}

// fitsHalf reports whether at least half of the first rows have so many cells.
func fitsHalf(r *csv.Reader, cells int) bool {
	alike, rows := 0, 0
	for ; rows < sampledRows; rows++ {
		row, err := r.Read()
		var bad *csv.ParseError
		if err != nil && !errors.As(err, &bad) {
			break
		}
		if err == nil && len(row) == cells {
			alike++
		}
	}
	return alike*2 >= rows
}

// sampledRows is the number of rows by which the separator is found.
const sampledRows = 20

// next returns the cells of the next row, as many as the header has; they are new each time. Empty rows are skipped.
// An error other than a *rowError ends the table.
func (t *table) next() ([]string, error) {
	cells, err := t.read()
	for err == nil && len(cells) > 1 && !slices.ContainsFunc(cells, func(text string) bool { return text != "" }) {
		cells, err = t.read()
	}
	switch {
	case err != nil:
		return nil, err
	case len(cells) > 1 && slices.Equal(cells, t.named):
		line, column := t.at(0)
		return nil, &rowError{line, column, "the row is the header again; take it out", cells}
	case len(cells) < len(t.header):
		line, column := t.at(len(cells) - 1)
		return nil, &rowError{line, column + len(cells[len(cells)-1]),
			fmt.Sprintf("the row has %d cells and the header %d: %q and what follows is missing", len(cells), len(t.header), t.header[len(cells)]), cells}
	case len(cells) > len(t.header):
		line, column := t.at(len(t.header))
		if t.book != nil {
			return nil, &rowError{line, column, fmt.Sprintf("the row has a cell right of the header, which is the first row and ends with %q; give its column a name, empty the cell, or take out the rows above the names of the columns", t.header[len(t.header)-1]), cells}
		}
		reason := fmt.Sprintf("the row has %d cells and the header %d; a cell that holds a separator is quoted", len(cells), len(t.header))
		if slices.ContainsFunc(cells, func(text string) bool { return strings.Contains(text, "\r") }) {
			reason += ", and lines that end with CR alone, as some here, do not stand beside those that end with LF"
		}
		return nil, &rowError{line, column, reason, cells}
	}
	return cells, nil
}

// at is the place of a cell of the current row.
func (t *table) at(cell int) (line, column int) {
	if t.book != nil {
		return t.book.row, cell + 1
	}
	line, column = t.rows.FieldPos(cell)
	return line + t.above, column
}

func (t *table) read() ([]string, error) {
	if t.book != nil {
		cells, err := t.book.read()
		t.line = t.book.row
		return cells, err
	}
	cells, err := t.rows.Read()
	text := t.text()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		t.line = parse.StartLine + t.above
		return nil, &rowError{parse.Line + t.above, parse.Column, quoteProblem(parse), []string{text}}
	case err != nil:
		return nil, err
	}
	t.line, _ = t.at(0)
	for i, text := range cells {
		if !utf8.ValidString(text) {
			line, column := t.at(i)
			return nil, &rowError{line, column, "the cell is not valid UTF-8; save the table as UTF-8", cells}
		}
		if strings.IndexByte(text, 0) >= 0 {
			line, column := t.at(i)
			return nil, &rowError{line, column, "the cell has a NUL character (U+0000), as text in UTF-16 seems to have many; save the table as UTF-8, or take the character out", cells}
		}
	}
	return cells, nil
}

// unreadableTable reports an error that ends a table. For a workbook it names the row, and a bound that is exceeded is a
// mistake in the data, as in other tables.
func (r *reader) unreadableTable(rows *table, err error) error {
	if r.format != XLSX || r.ctx.Err() != nil || fault.Is(err, fault.InvalidArguments) || fault.Is(err, fault.InvalidData) {
		return r.unreadable(err)
	}
	place := r.input.Name
	if rows != nil && rows.book != nil && rows.book.row > 0 {
		place = fmt.Sprintf("%s:%d", place, rows.book.row)
	}
	var f *fault.Error
	switch {
	case !errors.As(err, &f):
		return fault.New(fault.Malformed, "%s: the workbook is damaged or cut short: %v; open it in a spreadsheet program and save it again", place, err)
	case f.Kind == fault.TooLarge:
		return fault.Invalid([]fault.FieldError{{Code: fault.Shape, Message: f.Message, Source: place}})
	}
	return fault.New(f.Kind, "%s: %s", place, f.Message)
}

// text is the text of the last row, if it is kept.
func (t *table) text() string {
	if !t.guard.keeps {
		return ""
	}
	end := t.rows.InputOffset()
	text := string(t.guard.kept[:end-t.passed])
	t.guard.kept, t.passed = t.guard.kept[end-t.passed:], end
	return strings.TrimRight(text, "\r\n")
}

// quoteProblem describes an error in the quotes of a row, and how they are written.
func quoteProblem(e *csv.ParseError) string {
	switch {
	case errors.Is(e.Err, csv.ErrBareQuote):
		return `a quote stands within a cell that does not begin with one; quote the whole cell and double the quotes in it: "5"" disk"`
	case errors.Is(e.Err, csv.ErrQuote) && e.StartLine != e.Line:
		return fmt.Sprintf("the quote that begins a cell on line %d is not closed, or is followed by more text", e.StartLine)
	case errors.Is(e.Err, csv.ErrQuote):
		return `a quoted cell is not closed, or goes on behind its quote; double the quotes in it: "5"" disk"`
	}
	return e.Err.Error()
}

// rowGuard passes the text of a table on while its rows are within bounds. Package csv drops the CR of a CR LF even
// within quotes, where it is text, so there it is doubled.
type rowGuard struct {
	in            *bufio.Reader
	comma         byte
	loneCR        bool // a lone CR ends a line
	state         cellState
	length, cells int // of the current row so far
	line          int // of the next byte, from 1
	opened, at    int // line and byte in it of the quote that was opened last
	inLine        int // bytes of the line so far
	cr            bool
	err           error

	keeps bool // kept is to collect the text that is passed on
	kept  []byte
}

// cellState is the position of a byte in a cell.
type cellState byte

const (
	atCell   cellState = iota // before its first byte
	inPlain                   // in an unquoted cell, or behind the quotes
	inQuotes                  // between its quotes
	atQuote                   // behind a quote that closes the cell or is half of a doubled one
)

// Read implements [io.Reader].
func (g *rowGuard) Read(p []byte) (n int, err error) {
	if g.err != nil {
		return 0, g.err
	}
	if _, err := g.in.Peek(1); err != nil {
		return 0, err
	}
	chunk, _ := g.in.Peek(g.in.Buffered())
	used := 0
	for ; used < len(chunk) && n < len(p) && g.err == nil; n++ {
		c := chunk[used]
		if c == '\n' && g.cr && g.state == inQuotes {
			p[n], g.cr = '\r', false
			continue
		}
		if c == '\r' && g.loneCR && g.state != inQuotes {
			c = '\n'
		}
		p[n], g.cr = c, c == '\r'
		used++
		if g.step(c); g.length > maxLine || g.cells >= maxColumns {
			g.err = g.tooLong()
		}
		if c == '\n' {
			g.line, g.inLine = g.line+1, 0
		}
	}
	_, _ = g.in.Discard(used) // they are in the buffer
	if g.keeps {
		g.kept = append(g.kept, p[:n]...)
	}
	return n, g.err
}

// tooLong is the error of a row that cannot be held.
func (g *rowGuard) tooLong() error {
	switch {
	case g.cells >= maxColumns:
		return &breakError{g.line, 1, fmt.Sprintf("the row has more than %d cells, which a table may have; take columns out", maxColumns)}
	case g.state == inQuotes:
		return &breakError{g.opened, g.at, fmt.Sprintf("the quote that begins a cell here is not closed before its row has %d bytes; close it, or double the quotes in the cell: \"5\"\" disk\"", maxLine)}
	}
	return &breakError{g.line, 1, fmt.Sprintf("the row is longer than %d bytes; shorten its cells, or end its lines as tables do", maxLine)}
}

func (g *rowGuard) step(c byte) {
	g.length++
	g.inLine++
	switch {
	case g.state == inQuotes:
		if c == '"' {
			g.state = atQuote
		}
	case c == '"' && (g.state == atCell || g.state == atQuote):
		if g.state == atCell {
			g.opened, g.at = g.line, g.inLine
		}
		g.state = inQuotes
	case c == '\n':
		g.state, g.length, g.cells = atCell, 0, 0
	case c == g.comma:
		g.state = atCell
		g.cells++
	default:
		g.state = inPlain
	}
}
