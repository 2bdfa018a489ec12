package rdfio_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// Letters of every script are letters of XML names, but for those that XML did not have at first.
func TestRDFXMLNamesPredicatesInEveryScript(t *testing.T) {
	for predicate, want := range map[rdf.IRI]bool{
		"http://ex/größeß": true, "http://ex/名前": true, "http://ex/قيمة": true, "http://ex/имя1": true, "http://ex/é": true, "http://ex/1é": true,
		"http://ex/\U00020000": false, "http://ex/Ƞ": false, "http://ex/": false, "http://ex/1": false, "é": false,
	} {
		if got := rdfio.RDFXMLSays(rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: predicate, Object: rdf.String("x")}); got != want {
			t.Errorf("%s: got %t, want %t", predicate, got, want)
		}
	}
}

// What RDF/XML can say reads back as the same graph, whatever its terms; what it cannot say
// is refused, and nothing is written that says something else.
func TestWrittenRDFXMLReadsBack(t *testing.T) {
	predicates := rapid.SampledFrom([]rdf.IRI{
		"urn:p", "http://ex/a#b", "http://ex/größe", "http://ex/größeß", "http://ex/名前", "http://ex/é1", "http://ex/1é", "http://ex/é·a", "http://ex/\U00020000", "http://ex/xȠ", "http://ex/Ƞ", "http://ex/é\u0301", "http://ex/", "http://ex/1", "http://ex/a/1b", "http://ex/a.b-c_d", "urn:a:_1",
		rdf.RDFNS + "type", rdf.RDFNS + "_1", rdf.RDFNS + "li", rdf.RDFNS + "about", rdf.RDFNS + "Description", "http://www.w3.org/XML/1998/namespacelang",
		"http://xmlns.com/foaf/0.1/name", "http://ex/a&b/c", "http://ex/?x=1&y",
	})
	texts := rapid.SampledFrom([]string{"", " ", "a\r\nb", "\r", "\t", "<a>&amp;\"'", "]]>", "\x01", "\u007f", "\ufffe", "é\U0001f600"})
	rapid.Check(t, func(t *rapid.T) {
		quads := graphFirst(inDefaultGraph(rapid.SliceOfN(turtleQuadGen(), 0, 8).Draw(t, "quads")))
		for i := range quads {
			if rapid.Bool().Draw(t, "odd predicate") {
				quads[i].Predicate = predicates.Draw(t, "predicate")
			}
			if rapid.Bool().Draw(t, "odd text") {
				quads[i].Object = rdf.LangLiteral(texts.Draw(t, "text"), "en")
			}
		}
		says := true
		for _, q := range quads {
			says = says && rdfio.RDFXMLSays(q)
		}
		var out strings.Builder
		err := rdfio.WriteRDFXML(&out, quads, map[string]string{"foaf": "http://xmlns.com/foaf/0.1/", "ns": "http://ex/a#", "xml": "urn:", "": "urn:", "a b": "urn:a:"})
		if !says {
			if !fault.Is(err, fault.InvalidData) {
				t.Fatalf("got %v, want a refusal\n%v", err, quads)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(rdfio.NewRDFXMLReader(strings.NewReader(out.String()), "", rdfio.Limits{}))
		if err != nil || !rdf.Isomorphic(quads, got) {
			t.Fatalf("%v\n%s\ngot\n%swant\n%s", err, out.String(), nquadsText(got), nquadsText(quads))
		}
	})
}
