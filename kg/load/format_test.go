package load_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg/load"
)

// asUTF16 writes a text in UTF-16, with its mark or without.
func asUTF16(text string, order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		text = "\ufeff" + text
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// TestEveryEncodingOfUnicodeIsRead takes each format in UTF-8 and UTF-16.
func TestEveryEncodingOfUnicodeIsRead(t *testing.T) {
	testrun.Alone(t)
	for name, text := range map[string]string{
		"in.ndjson": `{"type":"Note","id":"a","data":{"title":"é😀"}}`, "in.json": `[{"type":"Note","id":"a","data":{"title":"é😀"}}]`,
		"in.csv": "id,title\na,é😀\n", "in.tsv": "id\ttitle\na\té😀\n", "in.ttl": `<urn:s> <urn:p> "é😀" .`, "in.nq": `<urn:s> <urn:p> "é😀" .`, "in.jsonld": `{"@id":"urn:s","urn:p":"é😀"}`,
		"u16.json": `{"type":"Note","id":"a","data":{"title":"é😀"}}`,
	} {
		for encoding, data := range map[string]string{
			"UTF-8": text, "a mark": "\ufeff" + text,
			"UTF-16LE": asUTF16(text, binary.LittleEndian, true), "UTF-16BE": asUTF16(text, binary.BigEndian, true),
		} {
			o := load.Options{Inputs: []load.Input{{Name: name, Reader: strings.NewReader(data)}}}
			if strings.HasSuffix(name, "sv") {
				o.Type = "Note"
			}
			d, err := load.Read(t.Context(), o, notes(t), nil)
			if err != nil {
				t.Errorf("%s in %s: %v", name, encoding, err)
				continue
			}
			if got := edits(t, d); !strings.Contains(got, "é😀\n") {
				t.Errorf("%s in %s comes to %q", name, encoding, got)
			}
			d.Close()
		}
	}
	plain := asUTF16(`{"type":"Note","id":"a","data":{"title":"plain text without a mark"}}`, binary.LittleEndian, false)
	d, err := load.Read(t.Context(), load.Options{Inputs: []load.Input{{Name: "x", Reader: strings.NewReader(plain)}}}, notes(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// TestAGuessedFormatIsAGuess says what data looks like, and what is read.
func TestAGuessedFormatIsAGuess(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct{ name, text, of, want string }{
		{"x.xlsx", "id,title\na,b\n", "Note", "is no workbook: it does not begin as a zip does"},
		{"x.csv", "%PDF-1.7\n", "Note", "x.csv looks like PDF; a load reads NDJSON, JSON array, CSV, TSV, XLSX"},
		{"x.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "", "save it as .xlsx without one, or as CSV"},
		{"x.parquet", "PAR1", "", "looks like Parquet"},
		{"x", "SQLite format 3\x00", "", "looks like a SQLite file"},
		{"x.ndjson", "<!DOCTYPE html><html>", "", "looks like an HTML page"},
		{"x.zip", "PK\x03\x04nothing", "Note", "no zip that can be read"},
		{"x.txt", "just some prose", "", "begins as no format does that a load reads"},
		{"x", "id,title\na,b\n", "", "x looks like CSV, whose rows are all of one type: say type"},
		{"x.csv", "id,title\na,b\n", "", "x.csv is CSV, whose rows are all of one type: say type"},
		{"x", "@prefix : <urn:> .\n:a :b :c", "Note", "x looks like TRIG; type, map and id are for"},
		{"x", "@prefix : <urn:> .\n:a :b ", "", "it is read as TRIG because of how it begins"},
		{"x.csv", asUTF16("id,title\n", binary.LittleEndian, true) + "\x00\xd8a\x00", "Note", "not valid UTF-8"},
		{"x.csv", "\xFF\xFE\x00\x00", "Note", "is UTF-32"},
		{"x.xls", "PK\x03\x04", "Note", "x.xls: the workbook is damaged or cut short"},
		{"plain.json", `[{"name":"Ana"}]`, "", "where all are nodes of one type, say which: type"},
	} {
		o := load.Options{Type: c.of, Inputs: []load.Input{{Name: c.name, Reader: strings.NewReader(c.text)}}}
		d, err := load.Read(t.Context(), o, notes(t), nil)
		if err == nil {
			err = fault.Invalid(d.Bad)
			d.Close()
		}
		if message := fmt.Sprint(err, fault.Of(err).Fields); err == nil || !strings.Contains(message, c.want) {
			t.Errorf("%s of %q: %s, want %q", c.name, c.text, message, c.want)
		}
	}
}

// TestWhatIsNoDataIsNamed holds that a file is refused as what it is, whatever it is called, and not read as something else.
func TestWhatIsNoDataIsNamed(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct{ text, want string }{
		"staff.xlsx":   {"", "staff.xlsx is empty"},
		"staff.xls":    {`<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>`, "looks like a spreadsheet as XML"},
		"staff.fods":   {`<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>`, "looks like a spreadsheet as XML"},
		"page.xls":     {"<html><table>", "looks like an HTML page: open it in a spreadsheet program"},
		"cyrillic.csv": {asUTF16("имя,годы\nИван,42\n", binary.LittleEndian, false), "NUL character"},
		"arrays.json":  {"[[1,2],[3,4]]", "must be a JSON object, not a JSON array"},
		"numbers.json": {"[ 1,2]", "must be a JSON object, not a JSON number"},
		"deep.ndjson":  {`{"type":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "}", "within each other more than 10000 deep"},
	} {
		o := load.Options{Inputs: []load.Input{{Name: name, Reader: strings.NewReader(c.text)}}}
		if load.FormatByName(name) == load.CSV {
			o.Type = "Note"
		}
		d, err := load.Read(t.Context(), o, notes(t), nil)
		if err == nil {
			err = fault.Invalid(d.Bad)
			d.Close()
		}
		if err == nil || !strings.Contains(fmt.Sprint(err, fault.Of(err).Fields), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
