package rdfio_test

import (
	"io"
	"strings"
	"testing"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// TestWhiteSpaceMayStandBetweenTheTokensOfALiteral reads what the grammars of N-Triples
// and N-Quads allow, which let white space stand between any two terminals.
func TestWhiteSpaceMayStandBetweenTheTokensOfALiteral(t *testing.T) {
	for text, want := range map[string]rdf.Term{
		`<urn:s> <urn:p> "a" @en .`:                                           rdf.LangLiteral("a", "en"),
		"<urn:s> <urn:p> \"a\"\t@en-GB.":                                      rdf.LangLiteral("a", "en-GB"),
		`<urn:s> <urn:p> "1" ^^ <http://www.w3.org/2001/XMLSchema#integer> .`: rdf.Literal("1", rdf.XSDInteger),
		`<urn:s> <urn:p> "1"^^  <http://www.w3.org/2001/XMLSchema#integer> .`: rdf.Literal("1", rdf.XSDInteger),
		`<urn:s> <urn:p> "a" .`:                                               rdf.Literal("a", ""),
	} {
		for name, read := range map[string]func(io.Reader, rdfio.Limits) *rdfio.NQuadsReader{"N-Triples": rdfio.NewNTriplesReader, "N-Quads": rdfio.NewNQuadsReader} {
			q, err := read(strings.NewReader(text), rdfio.Limits{}).Read()
			if err != nil || q.Object != want {
				t.Errorf("%s: %s is %v, %v", name, text, q.Object, err)
			}
		}
	}
}

// TestALanguageTagWithoutItsFormIsRefusedWithItsPlace goes through the texts that have
// language tags.
func TestALanguageTagWithoutItsFormIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ format, text, place string }{
		{"N-Triples", "\n<urn:s> <urn:p> \"a\"@en-123456789 .", "line 2, column 21"},
		{"Turtle", "\n<urn:s> <urn:p> \"a\"@abcdefghi .", "line 2, column 21"},
		{"RDF/XML", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="urn:"><rdf:Description rdf:about="urn:s"><x:p xml:lang="en-123456789">a</x:p></rdf:Description></rdf:RDF>`, "line 1"},
	} {
		var err error
		switch c.format {
		case "N-Triples":
			r := rdfio.NewNTriplesReader(strings.NewReader(c.text), rdfio.Limits{})
			_, err = r.Read()
		case "Turtle":
			r := rdfio.NewTurtleReader(strings.NewReader(c.text), "", rdfio.Limits{})
			_, err = r.Read()
		case "RDF/XML":
			r := rdfio.NewRDFXMLReader(strings.NewReader(c.text), "", rdfio.Limits{})
			_, err = r.Read()
		}
		if err == nil || !strings.Contains(err.Error(), c.place) || !strings.Contains(err.Error(), "language tag") {
			t.Errorf("%s: got %v, want an error at %s", c.format, err, c.place)
		}
	}
}
