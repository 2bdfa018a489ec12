package xlsx_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"trails/text/xlsx"
)

// sheet writes a header and a row, and returns the XML of the sheet. Every part of the workbook must be XML.
func sheet(t *testing.T, row []xlsx.Cell) string {
	t.Helper()
	var file bytes.Buffer
	w := xlsx.NewWriter(&file, "a[b]/c")
	for _, cells := range [][]xlsx.Cell{{{Text: "head"}}, row} {
		if err := w.Row(cells); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var out string
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(text, new(struct{})); err != nil {
			t.Errorf("%s is no XML: %v", f.Name, err)
		}
		if strings.HasSuffix(f.Name, "sheet1.xml") {
			out = string(text)
		}
	}
	return out
}

func TestACellKeepsWhatItSays(t *testing.T) {
	for _, c := range []struct {
		name string
		cell xlsx.Cell
		want string
	}{
		{"a number", xlsx.Cell{Text: "-12.5", Kind: xlsx.Number}, `<v>-12.5</v>`},
		{"a number with more digits than a cell keeps", xlsx.Cell{Text: "12345678901234567", Kind: xlsx.Number}, `>12345678901234567</t>`},
		{"a number with zeros before it", xlsx.Cell{Text: "007", Kind: xlsx.Number}, `>007</t>`},
		{"a truth value", xlsx.Cell{Text: "true", Kind: xlsx.Boolean}, `t="b"><v>1</v>`},
		{"a date", xlsx.Cell{Text: "2024-02-29", Kind: xlsx.Date}, `s="2"><v>45351</v>`},
		{"the last date", xlsx.Cell{Text: "9999-12-31", Kind: xlsx.Date}, `s="2"><v>2958465</v>`},
		{"a date before those of a sheet", xlsx.Cell{Text: "1815-12-10", Kind: xlsx.Date}, `>1815-12-10</t>`},
		{"a formula", xlsx.Cell{Text: "=1+1"}, `t="inlineStr"><is><t xml:space="preserve">=1+1</t>`},
		{"markup", xlsx.Cell{Text: "a<b&c"}, `a&lt;b&amp;c`},
		{"a character that XML has not", xlsx.Cell{Text: "a\x01b"}, `a_x0001_b`},
		{"what looks like one", xlsx.Cell{Text: "a_x0001_b"}, `a_x005F_x0001_b`},
		{"a text that is too long", xlsx.Cell{Text: strings.Repeat("é", 40_000)}, `… (cut here: 40000 characters)</t>`},
	} {
		if got := sheet(t, []xlsx.Cell{c.cell}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in %.600s", c.name, c.want, got)
		}
	}
}

func TestColumnsHaveLetters(t *testing.T) {
	cells := make([]xlsx.Cell, 703)
	for i := range cells {
		cells[i].Text = "x"
	}
	got := sheet(t, cells)
	for _, at := range []string{`r="A2"`, `r="Z2"`, `r="AA2"`, `r="AAA2"`} {
		if !strings.Contains(got, at) {
			t.Errorf("no cell %s", at)
		}
	}
}
