package rdfio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// TestRDFXMLReading reads every input of testdata/rdfxml, inside an rdf:RDF unless
// it is whole, up to its first error.
func TestRDFXMLReading(t *testing.T) {
	datadriven.RunTest(t, "testdata/rdfxml", func(t *testing.T, d *datadriven.TestData) string {
		var limits rdfio.Limits
		var quads int
		for name, to := range map[string]any{"term-bytes": &limits.TermBytes, "nesting": &limits.Nesting, "quads": &quads} {
			if d.HasArg(name) {
				d.ScanArgs(t, name, to)
			}
		}
		limits.Quads = int64(quads)
		input := d.Input
		if d.Cmd == "rdf" {
			input = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="a:">` + "\n" + input + "</rdf:RDF>"
		}
		if d.HasArg("latin1") {
			input = strings.ReplaceAll(input, "é", "\xe9")
		}
		return readTranscript(rdfio.NewRDFXMLReader(strings.NewReader(input), "http://a/b", limits))
	})
}

// TestEveryCharacterOfLatin1IsRead reads a text that is longer than any buffer.
func TestEveryCharacterOfLatin1IsRead(t *testing.T) {
	var bytes []byte
	var text strings.Builder
	for i := range 100_000 {
		if b := byte(0x20 + i%0xe0); !strings.ContainsRune("<&>\x7f", rune(b)) && (b < 0x80 || b > 0x9f) {
			bytes = append(bytes, b)
			text.WriteRune(rune(b))
		}
	}
	document := `<?xml version="1.0" encoding="latin1"?><e:T xmlns:e="a:"><e:p>` + string(bytes) + `</e:p></e:T>`
	quads, err := readAll(rdfio.NewRDFXMLReader(strings.NewReader(document), "", rdfio.Limits{}))
	if err != nil || len(quads) != 2 || rdf.Lexical(quads[1].Object) != text.String() {
		t.Errorf("%d statements, error %v", len(quads), err)
	}
}

// TestEntitiesDoNotExpandWithoutEnd reads the billion laughs and its flat sister.
func TestEntitiesDoNotExpandWithoutEnd(t *testing.T) {
	var nested, flat strings.Builder
	nested.WriteString(`<!DOCTYPE rdf:RDF [ <!ENTITY e0 "lol">`)
	for i := range 30 {
		nested.WriteString(`<!ENTITY e` + string(rune('a'+i)) + ` "` + strings.Repeat("&e"+string(rune('a'+i-1))+";", 10) + `">`)
	}
	nested.WriteString(`]><e:T xmlns:e="a:">&ej;</e:T>`)
	flat.WriteString(`<!DOCTYPE rdf:RDF [ <!ENTITY x "` + strings.Repeat("x", 4000) + `">]><e:T xmlns:e="a:"><e:p>` + strings.Repeat("&x;", 1_000_000) + `</e:p></e:T>`)
	if _, err := readAll(rdfio.NewRDFXMLReader(strings.NewReader(nested.String()), "", rdfio.Limits{})); err == nil {
		t.Error("nested entities: accepted")
	}
	if _, err := readAll(rdfio.NewRDFXMLReader(strings.NewReader(flat.String()), "", rdfio.Limits{})); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long entity often: got %v, want too_large", err)
	}
}

func TestWideTagsAndScopesAreRefused(t *testing.T) {
	var wide, deep strings.Builder
	wide.WriteString("<e:T xmlns:e='a:'")
	for i := range 2000 {
		fmt.Fprintf(&wide, " e:p%d=''", i)
	}
	wide.WriteString("/>")
	deep.WriteString("<e:T xmlns:e='a:'><e:p>")
	for i := range 400 {
		fmt.Fprintf(&deep, "<e:T xmlns:x%da='a:' xmlns:x%[1]db='a:' xmlns:x%[1]dc='a:'><e:p>", i)
	}
	for says, text := range map[string]string{"attributes": wide.String(), "namespaces": deep.String()} {
		if _, err := readAll(rdfio.NewRDFXMLReader(strings.NewReader(text), "", rdfio.Limits{})); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v, want too_large", says, err)
		}
	}
}

func TestRDFXMLReaderErrorsStay(t *testing.T) {
	broken := errors.New("disk on fire")
	r := rdfio.NewRDFXMLReader(iotest.ErrReader(broken), "", rdfio.Limits{})
	for range 2 {
		if _, err := r.Read(); !errors.Is(err, broken) {
			t.Fatalf("got %v, want %v", err, broken)
		}
	}
}

func BenchmarkReadRDFXML(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="a:">`)
	for range 10_000 {
		text.WriteString("<e:Note rdf:about=\"a:1\">\n  <e:title xml:lang=\"en\">A title</e:title>\n  <e:cites rdf:resource=\"a:2\"/>\n</e:Note>\n")
	}
	text.WriteString("</rdf:RDF>")
	benchmarkRead(b, text.Bytes(), func(r io.Reader) rdfio.Reader { return rdfio.NewRDFXMLReader(r, "", rdfio.Limits{}) })
}
