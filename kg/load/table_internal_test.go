package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
)

// rowsOf reads a whole table; a mistake in a row is the row "line:column: reason".
func rowsOf(format Format, in io.Reader) (rows [][]string, err error) {
	r := &reader{ctx: context.Background()}
	t, err := r.newTable(bufio.NewReaderSize(in, 32), format)
	if err != nil {
		return nil, err
	}
	rows = append(rows, t.header)
	for {
		cells, err := t.next()
		var wrong *rowError
		switch {
		case err == io.EOF:
			return rows, nil
		case errors.As(err, &wrong):
			rows = append(rows, []string{fmt.Sprintf("%d:%d: %s", wrong.line, wrong.column, wrong.reason)})
		case err != nil:
			return rows, err
		default:
			rows = append(rows, cells)
		}
	}
}

// TestTheSeparatorBetweenQuotedCellsIsFound draws cells that hold quotes, line ends and the other
// separators.
func TestTheSeparatorBetweenQuotedCellsIsFound(t *testing.T) {
	testrun.Alone(t)
	random := testrun.Random(t)
	pieces := []string{"a", `""`, ",", ";", "\t", "|", "\n", "\r\n", " ", "é"}
	for range 2000 {
		comma := commas[random.IntN(len(commas))]
		columns := 2 + random.IntN(3)
		var text strings.Builder
		for range 1 + random.IntN(5) {
			for i := range columns {
				if i > 0 {
					text.WriteByte(comma)
				}
				text.WriteByte('"')
				for range random.IntN(5) {
					text.WriteString(pieces[random.IntN(len(pieces))])
				}
				text.WriteByte('"')
			}
			text.WriteByte('\n')
		}
		if got := commaOf([]byte(text.String())); got != comma {
			t.Fatalf("%q for %q in %q", got, comma, text.String())
		}
	}
}

func TestRowsOfTables(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct {
		format Format
		text   string
		want   [][]string
	}{
		"a byte order mark and CR LF":  {CSV, "\ufeffa,b\r\n1,2\r\n", [][]string{{"a", "b"}, {"1", "2"}}},
		"no line end at the end":       {CSV, "a,b\n1,2", [][]string{{"a", "b"}, {"1", "2"}}},
		"empty lines":                  {CSV, "a,b\n\n\r\n1,2\n\n", [][]string{{"a", "b"}, {"1", "2"}}},
		"space around names":           {CSV, " a , b\n 1 ,2\n", [][]string{{"a", "b"}, {" 1 ", "2"}}},
		"quotes, commas and newlines":  {CSV, "a,b\n\"x \"\"y\"\", z\",\"1\n2\r\n3\r4\"\r\n", [][]string{{"a", "b"}, {`x "y", z`, "1\n2\r\n3\r4"}}},
		"semicolons":                   {CSV, "a;b\n1,5;2\n", [][]string{{"a", "b"}, {"1,5", "2"}}},
		"a comma decides":              {CSV, "a;b,c\n1,2\n", [][]string{{"a;b", "c"}, {"1", "2"}}},
		"tabs":                         {TSV, "a\tb,c\n\"1\t2\"\t3;4\n", [][]string{{"a", "b,c"}, {"1\t2", "3;4"}}},
		"one column":                   {CSV, "a\n1\n\"\"\n", [][]string{{"a"}, {"1"}, {""}}},
		"too few cells":                {CSV, "a,b,c\n1,é\n1,2,3\n", [][]string{{"a", "b", "c"}, {`2:5: the row has 2 cells and the header 3: "c" and what follows is missing`}, {"1", "2", "3"}}},
		"too many cells":               {CSV, "a,b\n\"1\n2\",é,3\n1,2\n", [][]string{{"a", "b"}, {"3:7: the row has 3 cells and the header 2; a cell that holds a separator is quoted"}, {"1", "2"}}},
		"a quote in the middle":        {CSV, "a,b\n1,5\" disk\r\n1,2\r\n", [][]string{{"a", "b"}, {`2:4: a quote stands within a cell that does not begin with one; quote the whole cell and double the quotes in it: "5"" disk"`}, {"1", "2"}}},
		"text behind a quote":          {CSV, "a,b\n\"1\"x,2\n1,2\n", [][]string{{"a", "b"}, {`2:3: a quoted cell is not closed, or goes on behind its quote; double the quotes in it: "5"" disk"`}, {"1", "2"}}},
		"a quote that is never closed": {CSV, "a,b\n1,\"2\n3,4\n", [][]string{{"a", "b"}, {"3:5: the quote that begins a cell on line 2 is not closed, or is followed by more text"}}},
		"the header again":             {CSV, "a,b\n1,2\na,b\n3,4\n", [][]string{{"a", "b"}, {"1", "2"}, {"3:1: the row is the header again; take it out"}, {"3", "4"}}},
		"a CR among lines of LF":       {CSV, "a,b\n1,2\r3,4\n5,6\n", [][]string{{"a", "b"}, {"2:7: the row has 3 cells and the header 2; a cell that holds a separator is quoted, and lines that end with CR alone, as some here, do not stand beside those that end with LF"}, {"5", "6"}}},
		"a NUL":                        {CSV, "a,b\n1,2\x00\n3,4\n", [][]string{{"a", "b"}, {"2:3: the cell has a NUL character (U+0000), as text in UTF-16 seems to have many; save the table as UTF-8, or take the character out"}, {"3", "4"}}},
		"another encoding":             {CSV, "a,b\n1,\xe9\n", [][]string{{"a", "b"}, {"2:3: the cell is not valid UTF-8; save the table as UTF-8"}}},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			got, err := rowsOf(c.format, in)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, diff)
			}
		}
	}
}

func TestARowIsBounded(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct{ text, want string }{
		"an open quote":                {"a,b\n\"1\n2\",\"" + strings.Repeat("x,\n", 6<<20), "3:4: the quote that begins a cell here is not closed"},
		"an open quote of a header":    {"sep=,\na,\"b\n" + strings.Repeat("1,2\n", 5<<20), "2:3: the quote that begins a cell here is not closed"},
		"many cells":                   {"a,b\n" + strings.Repeat(",", 20_000), "2:1: the row has more than 10000 cells"},
		"a long cell":                  {"a,b\n1," + strings.Repeat("x", 17<<20) + "\n1,2\n", "2:1: the row is longer than"},
		"a long header":                {strings.Repeat("x", 17<<20), "1:1: the row is longer than"},
		"many cells below a bad quote": {"a,b\n1,2\" disk\n" + strings.Repeat(",", 20_000), "3:1: the row has more than 10000 cells"},
	} {
		_, err := rowsOf(CSV, strings.NewReader(c.text))
		broken := (*breakError)(nil)
		if !errors.As(err, &broken) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", broken.line, broken.column, broken.reason); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if rows, err := rowsOf(CSV, strings.NewReader("a,b\n1,"+strings.Repeat("x", 15<<20)+"\n1,2\n")); err != nil || len(rows) != 3 || len(rows[1][1]) != 15<<20 {
		t.Errorf("a row within the bounds: %v", err)
	}
}

// TestWhatAWriterWritesIsRead holds for cells of all characters that mean something in
// tables, however the text arrives.
func TestWhatAWriterWritesIsRead(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 4).Draw(t, "width")
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("ab,;\t\"\r\n é\ufeff")), 0, 6, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 0, 8).Draw(t, "rows")
		format, comma := CSV, ','
		if rapid.Bool().Draw(t, "tabs") {
			format, comma = TSV, '\t'
		}
		header := []string{"w", "x", "y", "z"}[:width] // of no characters of the cells, so that no row is the header again
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma = comma
		if err := w.WriteAll(append([][]string{header}, rows...)); err != nil {
			t.Fatal(err)
		}
		var in io.Reader = &text
		if rapid.Bool().Draw(t, "by bytes") {
			in = iotest.OneByteReader(in)
		}
		rows = slices.DeleteFunc(rows, func(cells []string) bool { return strings.Join(cells, "") == "" }) // they say nothing
		got, err := rowsOf(format, in)
		if diff := cmp.Diff(append([][]string{header}, rows...), got); diff != "" || err != nil {
			t.Fatalf("%v %s", err, diff)
		}
	})
}

// FuzzTable holds that any text is read to its end or to an error, with places in it.
func FuzzTable(f *testing.F) {
	testrun.Alone(f)
	f.Add("a,b\n1,\"2\"\"\r\n\"\r\n", true)
	f.Add("a\tb\n1\t\"2\n", false)
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		format := CSV
		if tabs {
			format = TSV
		}
		rows, err := rowsOf(format, strings.NewReader(text))
		var wrong *rowError
		if broken := (*breakError)(nil); err != nil && !errors.As(err, &wrong) && !errors.As(err, &broken) {
			t.Fatal(err)
		}
		if len(rows) > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
			t.Fatalf("%d rows of %q", len(rows), text)
		}
	})
}

// elementsOf cuts a text; what is wrong is an element, too.
func elementsOf(in io.Reader) (all []string) {
	o := objects{text: bufio.NewReaderSize(in, 16), line: 1}
	for {
		element, line, err := o.next()
		switch {
		case err == io.EOF:
			return all
		case err == errNoElement || err == errLongItem:
			all = append(all, fmt.Sprintf("%d: %v", line, err))
		case err != nil:
			return append(all, fmt.Sprintf("%d: %v", line, err))
		default:
			all = append(all, fmt.Sprintf("%d: %s", line, element))
		}
	}
}

func TestElementsOfArrays(t *testing.T) {
	testrun.Alone(t)
	for text, want := range map[string][]string{
		"[]":                             nil,
		" \n[ \n]\n":                     nil,
		"[{}, {\"a\": [1,{}]}\n,\n\n{}]": {"1: {}", `1: {"a": [1,{}]}`, "4: {}"},
		`[{"a":"]},\"[{"},"x\\",1 ]`:     {`1: {"a":"]},\"[{"}`, `1: "x\\"`, "1: 1"},
		"[,{},]":                         {"1: " + errNoElement.Error(), "1: {}", "1: " + errNoElement.Error()},
		"":                               {"1: " + errNoArray.Error()},
		"\n{}":                           {"2: " + errNoArray.Error()},
		"[\n{}":                          {"2: " + errOpenArray.Error()},
		"[{},\n":                         {"1: {}", "2: " + errOpenArray.Error()},
		"[{}]\n[{}]":                     {"1: {}", "2: " + errBehind.Error()},
		"[{}\n}, 1]":                     {"1: {}\n}", "2: 1"},
		"[\"" + strings.Repeat("x", maxLine) + "\",\n{}]": {"1: " + errLongItem.Error(), "2: {}"},
	} {
		if diff := cmp.Diff(want, elementsOf(strings.NewReader(text))); diff != "" {
			t.Errorf("%.40q: %s", text, diff)
		}
	}
}
