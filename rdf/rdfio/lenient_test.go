package rdfio_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"trails/rdf/rdfio"
)

// readLeniently counts the quads and the statements that are left out.
func readLeniently(t *testing.T, format rdfio.Format, text string) (quads, leftOut int, err error) {
	t.Helper()
	r, err := rdfio.NewReader(format, strings.NewReader(text), "", rdfio.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.(rdfio.Lenient).BeLenient()
	for {
		_, err := r.Read()
		var syntax *rdfio.SyntaxError
		switch {
		case err == io.EOF:
			return quads, leftOut, nil
		case errors.As(err, &syntax) && syntax.OneStatement:
			if syntax.Line != 2 || syntax.Column < 1 {
				t.Errorf("%s: the place is line %d, column %d, want line 2\n%s", format, syntax.Line, syntax.Column, text)
			}
			leftOut++
		case err != nil:
			return quads, leftOut, err
		default:
			quads++
		}
	}
}

// A lenient reader leaves out the statements of each IRI and language tag that is none, in
// every format, and reads all others; a strict one refuses, and says that it could.
func TestLenientReadersLeaveOutWhatIsOfOneStatement(t *testing.T) {
	const good = "<urn:s> <urn:p> <urn:o> .\n"
	const head, foot = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:"><rdf:Description rdf:about="urn:s"><e:p>good</e:p>` + "\n", `</rdf:Description></rdf:RDF>`
	lines := []string{
		`<urn:s> <urn:p> <urn:a|b> .`, `<urn:s> <urn:p> <urn:a b> .`, `<urn:s> <urn:p q> "x" .`, `<urn:s{}> <urn:p> "x" .`,
		`<urn:s> <urn:p> <rel> .`, `<urn:s> <urn:p> "x"^^<urn:a b> .`, `<urn:s> <urn:p> <urn:\u0020> .`, "<urn:s> <urn:p> <urn:a`b> .",
		`<urn:s> <urn:p> "z"@zh-classical .`, `<urn:s> <urn:p> "z"@zh-min-nan-classical .`, `<urn:s> <urn:p> "z"@en_US .`, `<urn:s> <urn:p> "z"@123 .`,
		`<urn:s> <urn:p> "z"@e%n .`, `<urn:s> <urn:p> "z"@en/US .`, `<urn:s> <urn:p> "z"@%en .`, `<urn:s> <urn:p> "z"@en=.`, "<urn:s> <urn:p> \"z\"@e`n .",
		`<urn:s> <urn:p> "z"@français .`, `<urn:s> <urn:p> "z"@中文 .`, `<urn:s> <urn:p> "z"@en-é .`, `<urn:s> <urn:p> "z"@*.`, `<urn:s> <urn:p> "z"@en\u0020 .`,
	}
	byFormat := map[rdfio.Format][]struct {
		text  string
		quads int
		out   int
	}{}
	for _, format := range []rdfio.Format{rdfio.NTriples, rdfio.NQuads, rdfio.Turtle, rdfio.TriG} {
		for _, line := range lines {
			byFormat[format] = append(byFormat[format], struct {
				text  string
				quads int
				out   int
			}{good + line + "\n" + good, 2, 1})
		}
	}
	more := func(format rdfio.Format, text string, quads, out int) {
		byFormat[format] = append(byFormat[format], struct {
			text  string
			quads int
			out   int
		}{text, quads, out})
	}
	more(rdfio.NQuads, good+`<urn:s> <urn:p> "x" <urn:g g> .`+"\n", 1, 1)
	more(rdfio.NQuads, good+`<urn:s> <urn:p> "z"@en_US <urn:g> .`+"\n", 1, 1)
	for _, format := range []rdfio.Format{rdfio.Turtle, rdfio.TriG} {
		more(format, good+`<urn:s> <urn:p> "a"@zh-classical, "b", <urn:x y>, 1 ; <urn:q r> 2, 3 ; <urn:t> 4 .`, 4, 4)
		more(format, good+`<urn:s s> <urn:p> 1, 2 ; <urn:q> 3 .`, 1, 3)
		more(format, good+`<urn:s> <urn:p> ( <urn:a b> 1 ) .`, 5, 1)
		more(format, good+`<urn:s> <urn:p> "z"@en_US, "y"@_x , "w"@en_GB-x , 1 .`, 2, 3)
		more(format, good+`<urn:s> <urn:p> [ <urn:q r> 1 ; <urn:t> 2 ] .`, 3, 1)
	}
	more(rdfio.TriG, good+`<urn:g g> { <urn:s> <urn:p> 1, 2 }`, 1, 2)
	more(rdfio.RDFXML, head+`<e:q rdf:resource="urn:a b"/>`+foot, 1, 1)
	more(rdfio.RDFXML, head+`<e:q rdf:resource="rel"/>`+foot, 1, 1)
	more(rdfio.RDFXML, head+`<e:q xml:lang="zh-classical">x</e:q>`+foot, 1, 1)
	more(rdfio.RDFXML, head+`<e:q rdf:datatype="urn:a b">x</e:q>`+foot, 1, 1)
	more(rdfio.RDFXML, head+`<e:q><rdf:Description rdf:about="urn:a|b" e:r="1" e:t="2"/></e:q>`+foot, 1, 3)
	for format, cases := range byFormat {
		for _, c := range cases {
			quads, out, err := readLeniently(t, format, c.text)
			if err != nil || quads != c.quads || out != c.out {
				t.Errorf("%s: %d quads, %d left out, %v; want %d and %d\n%s", format, quads, out, err, c.quads, c.out, c.text)
			}
			r, _ := rdfio.NewReader(format, strings.NewReader(c.text), "", rdfio.Limits{}, nil)
			_, err = readAll(r)
			var syntax *rdfio.SyntaxError
			if !errors.As(err, &syntax) || !syntax.OneStatement {
				t.Errorf("%s: read strictly: %v, want an error of one statement\n%s", format, err, c.text)
			}
		}
	}
	// A blank node or a name may follow a language tag without a blank.
	for format, text := range map[rdfio.Format]string{rdfio.NQuads: `<urn:s> <urn:p> "x"@en_:b .`, rdfio.Turtle: `<urn:s> <urn:p> ( "x"@en_:b ) .`, rdfio.TriG: `@prefix é: <urn:e> . <urn:s> <urn:p> ( "x"@ené:b "y"@en"z"@en<urn:a> ) .`} {
		if _, out, err := readLeniently(t, format, "\n"+text+"\n"); err != nil || out > 0 {
			t.Errorf("%s: %d left out, %v", text, out, err)
		}
	}
	// What is of more than one statement is refused all the same.
	for _, text := range []string{"@prefix a: <urn:a b> .\n", "@base <urn:a b> .\n", "<urn:s> <urn:p> <urn:a", "<urn:s> <urn:p> \"a .\n", "<urn:s> <urn:p> .\n"} {
		if _, _, err := readLeniently(t, rdfio.Turtle, "\n"+text); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}

// What is of RDF 1.2 or of N3 is refused by that name, in every format.
func TestLaterSyntaxIsNamed(t *testing.T) {
	turtle := map[string]string{
		`<< <urn:a> <urn:b> <urn:c> >> <urn:d> <urn:e> .`:       "RDF 1.2",
		`<urn:a> <urn:b> << <urn:a> <urn:b> <urn:c> >> .`:       "RDF 1.2",
		`<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .`:     "RDF 1.2",
		`<urn:a> <urn:b> ( <<( <urn:a> <urn:b> <urn:c> )>> ) .`: "RDF 1.2",
		`<urn:a> <urn:b> <urn:c> {| <urn:p> 1 |} .`:             "RDF 1.2",
		`<urn:a> <urn:b> <urn:c> ~ <urn:r> .`:                   "RDF 1.2",
		`<urn:a> <urn:b> "x"@en--ltr .`:                         "RDF 1.2",
		`<urn:a> <urn:b> "x"@ar--rtl .`:                         "RDF 1.2",
		`VERSION "1.2" <urn:a> <urn:b> <urn:c> .`:               "RDF 1.2",
		`@version "1.2" .`:                                      "RDF 1.2",
		`{ <urn:a> <urn:b> ?x } => { ?x <urn:c> 1 } .`:          "N3",
		`<urn:a> <urn:b> ?x .`:                                  "N3",
		`<urn:a> => <urn:c> .`:                                  "N3",
		`<urn:a> <= <urn:c> .`:                                  "N3",
		`<urn:a> = <urn:c> .`:                                   "N3",
		`@forAll <urn:a> .`:                                     "N3",
		`<urn:a>!<urn:b> <urn:c> 1 .`:                           "N3",
		`<urn:a>^<urn:b> <urn:c> 1 .`:                           "N3",
	}
	lines := map[string]string{
		`<< <urn:a> <urn:b> <urn:c> >> <urn:d> <urn:e> .`:   "RDF 1.2",
		`<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .`: "RDF 1.2",
		`<urn:a> <urn:b> "x"@en--ltr .`:                     "RDF 1.2",
		`VERSION "1.2"`:                                     "RDF 1.2",
	}
	const head, foot = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:its="http://www.w3.org/2005/11/its" xmlns:e="urn:e:"`, `</rdf:RDF>`
	xml := map[string]string{
		head + ` rdf:version="1.2">` + foot: "RDF 1.2",
		head + `><rdf:Description rdf:about="urn:a"><e:p rdf:parseType="Triple"><rdf:Description rdf:about="urn:a"/></e:p></rdf:Description>` + foot: "RDF 1.2",
		head + `><rdf:Description rdf:about="urn:a"><e:p rdf:annotation="urn:r">x</e:p></rdf:Description>` + foot:                                    "RDF 1.2",
		head + `><rdf:Description rdf:about="urn:a"><e:p its:dir="rtl" xml:lang="ar">x</e:p></rdf:Description>` + foot:                               "RDF 1.2",
	}
	json := map[string]string{
		`{"@id":{"@id":"urn:a","urn:b":1},"urn:c":2}`:           "RDF 1.2",
		`{"@id":"urn:a","urn:b":{"@value":1,"@annotation":{}}}`: "RDF 1.2",
	}
	for format, texts := range map[rdfio.Format]map[string]string{
		rdfio.Turtle: turtle, rdfio.NTriples: lines, rdfio.NQuads: lines, rdfio.RDFXML: xml, rdfio.JSONLD: json,
	} {
		for text, want := range texts {
			r, err := rdfio.NewReader(format, strings.NewReader(text), "", rdfio.Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := readAll(r); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s\ngot %v, want %s named", format, text, err, want)
			}
		}
	}
}

// TestEachReasonForWhichStatementsAreLeftOutIsNamed holds that many statements of one reason hide
// no other one.
func TestEachReasonForWhichStatementsAreLeftOutIsNamed(t *testing.T) {
	many := func(n int, message string) (list []rdfio.Omission) {
		for i := range n {
			list = append(list, rdfio.Omission{Source: "d", Line: i + 1, Message: fmt.Sprintf(message, i)})
		}
		return list
	}
	bad, member := many(700, "<http://e/a %d> has the character ' '"), many(2, `no context says what the member "m%d" is`)
	for name, c := range map[string]struct {
		omissions []rdfio.Omission
		want      string
	}{
		"one":                {bad[:1], "1 statement was left out: d:1: <http://e/a 0> has the character ' '"},
		"one reason":         {bad, "700 statements were left out: d:1: <http://e/a 0> has the character ' ' (and 699 like it)"},
		"the rare one last":  {append(bad[:len(bad):len(bad)], member...), `702 statements were left out: d:1: <http://e/a 0> has the character ' ' (and 699 like it); d:1: no context says what the member "m0" is (and 1 like it)`},
		"more than are kept": {slices.Repeat(bad, 2), "1400 statements were left out: d:1: <http://e/a 0> has the character ' ' (and 999 like it); and 400 more"},
		"six reasons": {slices.Concat(many(1, "a%d"), many(1, "b%d"), many(1, "c%d"), many(1, "d%d"), many(1, "e%d"), many(1, "f%d")),
			"6 statements were left out: d:1: a0; d:1: b0; d:1: c0; d:1: d0; d:1: e0; and 1 more"},
	} {
		var out rdfio.LeftOut
		for _, o := range c.omissions {
			out.Add(o)
		}
		if got := out.String(); got != c.want {
			t.Errorf("%s: got %s\nwant %s", name, got, c.want)
		}
	}
}
