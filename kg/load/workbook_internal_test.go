package load

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/schema"
)

// parts are the files of a workbook by their names; those that are not given are plain ones.
type parts map[string]string

const (
	relations = `<Relationships><Relationship Id="r0" Type="http://x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://x/worksheet" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="r3" Type="http://x/sharedStrings" Target="SharedStrings.xml"/></Relationships>`
	twoSheets = `<workbook xmlns:r="r"><sheets><sheet name="Chart" r:id="r0"/><sheet name="Old" r:id="r2" state="hidden"/><sheet name="People" r:id="r1"/></sheets></workbook>`
	styles    = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\ mmm\ yyyy"/><numFmt numFmtId="165" formatCode="#,##0.00\ &quot;days&quot;"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="21"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
)

func (p parts) workbook(t testing.TB) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"xl/_rels/workbook.xml.rels": relations, "xl/workbook.xml": twoSheets, "xl/styles.xml": styles, "xl/worksheets/sheet1.xml": "<worksheet/>", "xl/worksheets/sheet2.xml": "<worksheet/>"} {
		if given, ok := p[name]; ok {
			text = given
		}
		p.add(t, z, name, text)
	}
	if text, ok := p["xl/SharedStrings.xml"]; ok {
		p.add(t, z, "xl/SharedStrings.xml", text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func (p parts) add(t testing.TB, z *zip.Writer, name, text string) {
	t.Helper()
	if text == "-" {
		return
	}
	w, err := z.Create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sheetOf is the XML of a sheet with these rows.
func sheetOf(rows string) string {
	return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData></worksheet>`
}

// allRows reads until the end or the first error that ends the table.
func allRows(w *workbook) (rows []string, err error) {
	for {
		cells, err := w.read()
		var wrong *rowError
		switch {
		case err == io.EOF:
			return rows, nil
		case errors.As(err, &wrong):
			rows = append(rows, fmt.Sprintf("%d:%d %s", wrong.line, wrong.column, wrong.reason))
		case err != nil:
			return rows, err
		default:
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
}

func TestCellsOfAWorkbookAreTexts(t *testing.T) {
	testrun.Alone(t)
	book := parts{
		"xl/SharedStrings.xml": `<sst><si><t>Ana</t></si><si><r><t xml:space="preserve">B </t></r><r><t>&lt;o_x000D_</t></r><rPh><t>spoken</t></rPh></si></sst>`,
		"xl/worksheets/sheet1.xml": sheetOf(`<row r="2"/><row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c><c r="D3" s="1"/></row>
<row r="5"><c r="A5" t="inlineStr"><is><t>in</t></is></c><c r="B5" t="b"><v>1</v></c><c r="C5" t="b"><v>true</v></c><c r="D5" t="str"><f>A1&amp;"x"</f><v>x</v></c></row>
<row><c><v>42</v></c><c><v>0.30000000000000004</v></c><c><v>1.5E+3</v></c><c><v>12345678901234567</v></c></row>
<row><c s="1"><v>45292</v></c><c s="2"><v>45292.5</v></c><c s="3"><v>0.25</v></c><c s="4"><v>59</v></c><c s="5"><v>1.5</v></c><c s="1"><v>61</v></c><c s="99"><v>7</v></c><c s="1"><v>-1</v></c></row>
<row><c t="s"><v>-1</v></c></row><row><c t="s"><v>2</v></c></row><row><c><f>1+1</f></c></row><row><c t="d"><v>2024-01-02</v></c></row><row><c><v>1</v></c><c t="e"><v>#DIV/0!</v></c></row>`),
	}
	w, err := openWorkbook(book.workbook(t), "", t.Context().Err)
	if err != nil {
		t.Fatal(err)
	}
	got, err := allRows(w)
	want := []string{
		"Ana||B <o\r", "in|true|true|x", "42|0.3|1500|12345678901234567",
		"2024-01-01|2024-01-01T12:00:00|06:00:00|1900-02-28|1.5|1900-03-01|7|-1",
		"8:1 the cell names a text that the workbook does not have", "9:1 the cell names a text that the workbook does not have",
		"10:1 the cell has a formula without its value; open the workbook in a spreadsheet and save it", "2024-01-02",
		"12:2 the cell has the error #DIV/0! in the place of a value; mend it, or empty the cell",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if w, err = openWorkbook(book.workbook(t), "", t.Context().Err); err != nil {
		t.Fatal(err)
	}
	w.decimal = "," // then a number is not read as thousands
	if got, err := allRows(w); err != nil || got[2] != "42|0,3|1500|12345678901234567" {
		t.Error(got, err)
	}
	book["xl/workbook.xml"] = strings.Replace(twoSheets, "<sheets>", `<workbookPr date1904="true"/><sheets>`, 1)
	if w, err = openWorkbook(book.workbook(t), "People", t.Context().Err); err != nil {
		t.Fatal(err)
	}
	if got, err := allRows(w); err != nil || !strings.HasPrefix(got[3], "2028-01-02|") {
		t.Error(got, err)
	}
	if _, err := openWorkbook(book.workbook(t), "Peple", t.Context().Err); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(fault.Of(err).Fields[0].Message, `did you mean "People"?`) {
		t.Error(err)
	}
}

// TestHostileWorkbooksAreRefused has what is too large for its place, or is no workbook.
func TestHostileWorkbooksAreRefused(t *testing.T) {
	testrun.Alone(t)
	long := strings.Repeat("x", maxLine+10)
	for name, c := range map[string]struct {
		book parts
		want string
	}{
		"texts that unpack to much":    {parts{"xl/SharedStrings.xml": "<sst>" + strings.Repeat("<si/>"+long[:1<<20], 33) + "</sst>"}, "when it is unpacked"},
		"a sheet that unpacks to much": {parts{"xl/worksheets/sheet1.xml": sheetOf(strings.Repeat("<row/>"+long[:1<<20], 33))}, "when it is unpacked"},
		"a cell that is too long":      {parts{"xl/worksheets/sheet1.xml": sheetOf("<row><c><v>" + long + "</v></c></row>")}, "a piece of more than"},
		"an attribute that is":         {parts{"xl/workbook.xml": `<workbook a="` + long + `"/>`}, "a piece of more than"},
		"a text of many pieces":        {parts{"xl/SharedStrings.xml": "<sst><si>" + strings.Repeat("<t>"+long[:1<<20]+"</t>", 17) + "</si></sst>"}, "more than"},
		"elements within elements":     {parts{"xl/worksheets/sheet1.xml": sheetOf(strings.Repeat("<a>", 1000))}, "more than 64 deep"},
		"entities":                     {parts{"xl/worksheets/sheet1.xml": sheetOf("<row><c><v>&a;</v></c></row>")}, "invalid character entity"},
		"entities that are declared":   {parts{"xl/worksheets/sheet1.xml": `<!DOCTYPE x [<!ENTITY a "aaaa">]>` + sheetOf("<row><c><v>&a;</v></c></row>")}, "xl/worksheets/sheet1.xml has a document type declaration"},
		"a document type of texts":     {parts{"xl/SharedStrings.xml": `<!DOCTYPE x SYSTEM "file:///etc/passwd"><sst/>`}, "xl/SharedStrings.xml has a document type declaration"},
		"another encoding":             {parts{"xl/worksheets/sheet1.xml": `<?xml version="1.0" encoding="ISO-8859-1"?>` + sheetOf("")}, `xl/worksheets/sheet1.xml is written in "ISO-8859-1", and only UTF-8 is read`},
		"a sheet that ends early":      {parts{"xl/worksheets/sheet1.xml": "<worksheet><sheetData><row><c>"}, "unexpected EOF"},
		"sheets without number":        {parts{"xl/workbook.xml": strings.Replace(twoSheets, "<sheets>", "<sheets>"+strings.Repeat(`<sheet name="S" r:id="r1"/>`, 5000), 1)}, "more than 1000 sheets"},
		"no sheets":                    {parts{"xl/workbook.xml": "<workbook/>"}, "has no sheets with cells"},
		"sheets that are all hidden":   {parts{"xl/workbook.xml": strings.Replace(twoSheets, `name="People"`, `name="People" state="veryHidden"`, 1)}, `are hidden: say sheet; it has "Old", "People"`},
		"an XML that is cut":           {parts{"xl/SharedStrings.xml": "<sst><si>"}, "xl/SharedStrings.xml: XML syntax error"},
		"no part of a sheet":           {parts{"xl/worksheets/sheet1.xml": "-"}, "it has no xl/worksheets/sheet1.xml"},
		"another zip":                  {parts{"xl/workbook.xml": "-"}, "it is a zip archive and no workbook"},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := openWorkbook(c.book.workbook(t), "", t.Context().Err)
			if err == nil {
				_, err = allRows(w)
			}
			if message := fmt.Sprint(err, fault.Of(err).Fields); err == nil || !strings.Contains(message, c.want) {
				t.Errorf("got %.300v, want %q", message, c.want)
			}
		})
	}
	for _, of := range otherZips {
		if _, err := openWorkbook(zipOf(t, of.part), "", t.Context().Err); !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), of.what) {
			t.Errorf("%s: got %v", of.part, err)
		}
	}
	if _, err := openWorkbook(zipOf(t, "xl/workbook.xml", "/XL/Workbook.xml"), "", t.Context().Err); !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "two of its parts") {
		t.Errorf("of two parts with one name: %v", err)
	}
	if _, err := openWorkbook(strings.NewReader("PK\x03\x04 and no more"), "", t.Context().Err); err == nil {
		t.Error("half a zip is taken")
	}
	whole, err := io.ReadAll(parts{"xl/worksheets/sheet1.xml": sheetOf("<row><c><v>1</v></c></row>")}.workbook(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 3 { // no byte of it makes more than an error
		broken := bytes.Clone(whole)
		broken[i] ^= 0x55
		if w, err := openWorkbook(bytes.NewReader(broken), "", t.Context().Err); err == nil {
			_, _ = allRows(w)
		}
	}
}

// TestAWorkbookOfManyPartsIsRefused reads no list of files that is longer than allowed.
func TestAWorkbookOfManyPartsIsRefused(t *testing.T) {
	testrun.Alone(t)
	names := make([]string, maxParts+1)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	if _, err := openWorkbook(zipOf(t, names...), "", t.Context().Err); !fault.Is(err, fault.TooLarge) {
		t.Error(err)
	}
}

// zipOf is a zip of empty files.
func zipOf(t testing.TB, names ...string) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestAWorkbookWithAPasswordIsNamed sets the flags of a zip whose parts are encrypted.
func TestAWorkbookWithAPasswordIsNamed(t *testing.T) {
	testrun.Alone(t)
	data, err := io.ReadAll(parts{}.workbook(t))
	if err != nil {
		t.Fatal(err)
	}
	for at := bytes.Index(data, []byte(zipEntry)); at >= 0; {
		data[at+len(zipEntry)+4] |= encryptedPart // behind the two versions
		next := bytes.Index(data[at+1:], []byte(zipEntry))
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if _, err := openWorkbook(bytes.NewReader(data), "", t.Context().Err); !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "has a password") {
		t.Errorf("got %v", err)
	}
}

// TestWhatIsTakenAsEmptyIsSaid has cells that are empty in a load and not in the spreadsheet.
func TestWhatIsTakenAsEmptyIsSaid(t *testing.T) {
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	rows := "<row>" + cell("id") + cell("n") + cell("t") + "</row><row>" + cell("a") + cell("N/A") + cell("N/A") + "</row><row>" + cell("b") + cell("-") + "</row>"
	sheet := "<worksheet><sheetData>" + rows + `</sheetData><mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="C2:C3"/></mergeCells></worksheet>`
	s, err := schema.ParseYAML([]byte("types: {Note: {iri: preserve, properties: {n: integer, t: string}}}"), "urn:notes:")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(t.Context(), Options{Type: "Note", Inputs: []Input{{Name: "in.xlsx", Reader: parts{"xl/worksheets/sheet1.xml": sheet}.workbook(t)}}}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	want := []string{
		`taken as empty: 2 cells of in.xlsx such as "N/A"`,
		"1 area of merged cells in in.xlsx, such as C2:C3: the first cell of an area has the value, the others are empty",
	}
	if diff := cmp.Diff(want, d.Notes); diff != "" || len(d.Bad) > 0 {
		t.Errorf("%v %s", d.Bad, diff)
	}
}

// TestWhatIsWrongWithAWorkbookHasItsPlace says file and row, with a cell its column.
func TestWhatIsWrongWithAWorkbookHasItsPlace(t *testing.T) {
	testrun.Alone(t)
	const head = `<row><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>title</t></is></c></row>`
	for name, c := range map[string]struct {
		sheet, asked, want string
	}{
		"a sheet that ends early":          {"<worksheet>" + head + "<row><c>", "", "in.xlsx:2: the workbook is damaged or cut short: XML syntax error"},
		"a cell far to the right":          {sheetOf(head + `<row><c><v>1</v></c><c r="ZZZZZZZZZZZZZZ2"><v>1</v></c></row>`), "", `in.xlsx:2:10001 the cell ZZZZZZZZZZZZZZ2 of the sheet "People" is in no column that is read`},
		"many cells":                       {sheetOf(head + "<row>" + strings.Repeat("<c><v>1</v></c>", maxColumns+1) + "</row>"), "", "in.xlsx:2:10001 the cell "},
		"long cells":                       {sheetOf(head + "<row>" + strings.Repeat("<c><v>"+strings.Repeat("1", 1<<20)+"</v></c>", 17) + "</row>"), "", "in.xlsx:2:17 the cells of the row have more than"},
		"a name that is an error":          {sheetOf(`<row><c t="e"><v>#REF!</v></c></row><row><c><v>1</v></c></row>`), "", "in.xlsx:1:1 the cell has the error #REF!"},
		"a day before the first one":       {"<worksheet>" + head + `<row><c><v>1</v></c><c s="1"><v>0</v></c></row></worksheet>`, "", "in.xlsx:2:2 the cell is shown as 0 January 1900"},
		"a day that never was":             {"<worksheet>" + head + `<row><c><v>1</v></c><c s="2"><v>60.5</v></c></row></worksheet>`, "", "in.xlsx:2:2 the cell is shown as 29 February 1900"},
		"a cell that is too long":          {sheetOf(head + "<row><c><v>" + strings.Repeat("1", maxLine+1) + "</v></c></row>"), "", "in.xlsx:2 xl/worksheets/sheet1.xml has a piece of more than"},
		"a formula without a value":        {sheetOf(head + "<row/><row><c><v>1</v></c><c><f>A1</f></c></row>"), "", "in.xlsx:3:2 the cell has a formula without its value"},
		"a cell right of the header":       {sheetOf(head + `<row><c><v>1</v></c><c r="D2"><v>2</v></c></row>`), "", `in.xlsx:2:3 the row has a cell right of the header, which is the first row and ends with "title"`},
		"a value that is none of its kind": {sheetOf(head + `<row><c><v>1</v></c><c t="inlineStr"><is><t>a b</t></is></c></row>`), "", "in.xlsx:2:2 title: "},
		"a sheet that there is not":        {sheetOf(head), "Peple", `the workbook has no sheet "Peple"; did you mean "People"?`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := schema.ParseYAML([]byte("types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: integer}\n"), "urn:notes:")
			if err != nil {
				t.Fatal(err)
			}
			d, err := Read(t.Context(), Options{Type: "Note", Sheet: c.asked, Inputs: []Input{{Name: "in.xlsx", Reader: parts{"xl/worksheets/sheet1.xml": c.sheet}.workbook(t)}}}, s, nil)
			if err == nil {
				err = fault.Invalid(d.Bad)
				d.Close()
			}
			got := fmt.Sprint(err)
			for _, f := range fault.Of(err).Fields {
				got += "\n" + f.Source + " " + f.Message
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %.400s, want %q", got, c.want)
			}
		})
	}
}

// TestASheetHasAsManyRowsAsSpreadsheetsHave holds that a sheet of empty rows without end, and a number of a row that no sheet
// has, are refused, and that the last row of a whole sheet is read.
func TestASheetHasAsManyRowsAsSpreadsheetsHave(t *testing.T) {
	for name, c := range map[string]struct {
		rows  string
		wrong bool
	}{
		"the last row":          {`<row r="1048576"><c r="A1048576"><v>7</v></c></row>`, false},
		"a row behind the last": {`<row r="1048577"><c r="A1048577"><v>7</v></c></row>`, true},
		"empty rows":            {`<row r="1048570"/>` + strings.Repeat("<row/>", 10), true},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := openWorkbook(parts{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + c.rows + "</sheetData></worksheet>"}.workbook(t), "", func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.read()
			if fault.Is(err, fault.TooLarge) != c.wrong || !c.wrong && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
