package rdfio_test

import (
	"strings"
	"testing"

	"trails/rdf/rdfio"
)

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		says, name, head string
		want             rdfio.Format
	}{
		{"an extension says enough", "a/b.TTL", `{"@id": 1}`, rdfio.Turtle},
		{"behind .gz too", "x.nq.gz", "", rdfio.NQuads},
		{"RDF/XML by its extension", "x.rdf", "", rdfio.RDFXML},
		{".json may be JSON-LD", "x.json", ` {"@context": {}}`, rdfio.JSONLD},
		{".json may be another JSON", "x.json", `{"type": "Note"}`, ""},
		{"JSON that speaks of JSON-LD", "", `{"type": "Note", "data": {"title": "\"@id\": x", "by": "@id", "to": ["@id"]}}`, ""},
		{"an array of JSON-LD", "", `[ {"@id": "a:b"} ]`, rdfio.JSONLD},
		{"an empty array", "", `[ ]`, ""},
		{"XML", "stdin", "\xEF\xBB\xBF<?xml version='1.0'?>", rdfio.RDFXML},
		{"XML without a declaration", "x.owl", "<rdf:RDF\n xmlns:rdf='x'>", rdfio.RDFXML},
		{"N-Quads", "", "# comment\n\n<a:s> <a:p> \"x\" <a:g> .\n", rdfio.NQuads},
		{"N-Quads with a bad line first", "", "<a:s> <a:p> x .\n<a:s> <a:p> <a:o> .\n", rdfio.NQuads},
		{"Turtle with full IRIs", "", "<a:s> <a:p> <a:o> ;\n <a:q> 1 .", rdfio.TriG},
		{"Turtle with prefixes", "x.owl", "@prefix a: <a:> .", rdfio.TriG},
		{"SPARQL's prefixes", "", "prefix : <a:>", rdfio.TriG},
		{"SPARQL's base", "", "BASE <http://a/>", rdfio.TriG},
		{"a prefixed name", "", "ex:s a ex:T .", rdfio.TriG},
		{"a blank node", "", "[] a <a:T> .", rdfio.TriG},
		{"a collection", "", "(1 2) <a:p> 3 .", rdfio.TriG},
		{"a graph", "", "{ <a:s> <a:p> 1 }", rdfio.TriG},
		{"a named graph", "", "GRAPH <a:g> {}", rdfio.TriG},
		{"nothing", "", "  # only a comment", ""},
		{"something else", "", "id,name\n1,x", ""},
		{"prose", "", "Dear reader: this is prose.", ""},
	} {
		t.Run(c.says, func(t *testing.T) {
			if got := rdfio.Sniff([]byte(c.head), c.name); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatIsSniffedIsRead(t *testing.T) {
	for _, text := range []string{
		"<a:s> <a:p> <a:o> .", "@prefix a: <a:> . a:s a:p a:o .", `{"@id": "a:s", "a:p": {"@id": "a:o"}}`,
		`<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="a:"><r:Description r:about="a:s"><a:p r:resource="a:o"/></r:Description></r:RDF>`,
	} {
		r, err := rdfio.NewReader(rdfio.Sniff([]byte(text), ""), strings.NewReader(text), "", rdfio.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if quads, err := readAll(r); err != nil || nquadsText(quads) != "<a:s> <a:p> <a:o> .\n" {
			t.Errorf("%s: got %v, %v", text, quads, err)
		}
	}
	if _, err := rdfio.NewReader("csv", strings.NewReader(""), "", rdfio.Limits{}, nil); err == nil {
		t.Error("a format that is none has a reader")
	}
}
