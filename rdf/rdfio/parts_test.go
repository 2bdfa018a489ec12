package rdfio_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"trails/rdf/rdfio"
)

// TestWhatADocumentSaysAndItsStatementsDoNotIsNamed reads documents that say something which makes no statement and is no
// part of one: it is named with how often it is there, and the statements are read. What a document may say beside its
// statements is not named.
func TestWhatADocumentSaysAndItsStatementsDoNotIsNamed(t *testing.T) {
	const (
		vocab = `{"@context": {"@vocab": "http://example.org/"}, "@id": "http://example.org/a", `
		about = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/"><rdf:Description rdf:about="http://example.org/a">`
		end   = `</rdf:Description></rdf:RDF>`
	)
	for _, c := range []struct {
		text, told string
		statements int
	}{
		{vocab + `"p": {"@value": "x", "@direction": "rtl"}}`, "the base direction rtl of a text is not kept", 1},
		{vocab + `"p": {"@value": "x", "@language": "ar", "@direction": "rtl"}}`, "the base direction rtl", 1},
		{`{"@context": {"@vocab": "http://example.org/", "@direction": "ltr"}, "p": ["x", "y"], "q": {"@list": ["z"]}}`, "the base direction ltr of a text is not kept: base directions are of RDF 1.2, which is not read yet (3 times)", 5},
		{`{"@context": {"p": {"@id": "http://example.org/p", "@direction": "rtl"}}, "p": "x"}`, "the base direction rtl", 1},
		{`{"@context": {"p": {"@id": "http://example.org/p", "@direction": null}, "@direction": "rtl"}, "p": "x"}`, "", 1},
		{vocab + `"p": "x", "@languag": "en"}`, `the member "@languag", which is no keyword of JSON-LD, says nothing; did you mean @language?`, 1},
		{vocab + `"p": "x", "@foo": [{"@foo": 1}]}`, `the member "@foo", which is no keyword of JSON-LD, says nothing (2 times)`, 1},
		{vocab + `"p": {"@value": "x", "@index": "i"}, "@index": "j", "@included": [{"@id": "http://example.org/b", "q": 1}]}`, "", 2},
		{vocab + `"p": {"@type": "@json", "@value": {"@foo": 1}}}`, "", 1},
		{vocab + `"@": "x", "@1": "y", "p": 1}`, "", 3},
		{about + `<ex:p rdf:parseType="literal">x</ex:p>` + end, `rdf:parseType="literal" is read like Literal (did you mean Literal?)`, 1},
		{about + `<ex:p rdf:parseType="collection"><ex:T/></ex:p><ex:q rdf:parseType="collection"/>` + end, `rdf:parseType="collection" is read like Literal (did you mean Collection?) (2 times)`, 2},
		{about + `<ex:p rdf:parseType="Literal"><ex:T/></ex:p><ex:p rdf:parseType="Resource"/><ex:p rdf:parseType="Collection"/>` + end, "", 3},
		{about + `<ex:p xml:lan="en">x</ex:p>` + end, "the attribute xml:lan says nothing (did you mean xml:lang?)", 1},
		{about + `<ex:p xml:lang="en" xml:space="preserve">x</ex:p>` + end, "", 1},
	} {
		r := rdfio.Reader(rdfio.NewRDFXMLReader(strings.NewReader(c.text), "http://example.org/", rdfio.Limits{}))
		if c.text[0] == '{' {
			r = rdfio.NewJSONLDReader(strings.NewReader(c.text), "http://example.org/", rdfio.Limits{}, nil)
		}
		n := 0
		for {
			if _, err := r.Read(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v\n%s", err, c.text)
			}
			n++
		}
		out := r.(interface{ LeftOut() rdfio.LeftOut }).LeftOut()
		if text := out.String(); c.told == "" && out.Parts != nil || !strings.Contains(text, c.told) {
			t.Errorf("said is %q, and %q is due\n%s", text, c.told, c.text)
		}
		if n != c.statements {
			t.Errorf("%d statements and not %d\n%s", n, c.statements, c.text)
		}
	}
}

// TestAMisspeltAttributeIsNamedBesideContent gives properties an attribute of RDF that is none and content: the error
// names the attribute, and the one that was meant.
func TestAMisspeltAttributeIsNamedBesideContent(t *testing.T) {
	for attribute, meant := range map[string]string{
		"resourc": "resource", "Resource": "resource", "datatyp": "datatype", "Datatype": "datatype", "parsetype": "parseType", "nodeid": "nodeID", "abuot": "about",
	} {
		for _, content := range []string{"text", "<ex:T/>"} {
			text := `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/"><rdf:Description rdf:about="http://example.org/a"><ex:p rdf:` +
				attribute + `="x">` + content + `</ex:p></rdf:Description></rdf:RDF>`
			r := rdfio.NewRDFXMLReader(strings.NewReader(text), "", rdfio.Limits{})
			var err error
			for err == nil {
				_, err = r.Read()
			}
			if want := "the property rdf:" + attribute + " (did you mean rdf:" + meant + "?)"; !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}
