package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/schema"
)

// datatypesOfRDF are all that RDF 1.1 Concepts section 5 lists, each with a value.
var datatypesOfRDF = map[string]string{
	"string": `"a"`, "boolean": `true`, "decimal": `1.5`, "integer": `7`, "double": `1.5`, "float": `1.5`,
	"date": `"2024-05-31"`, "time": `"12:00:00"`, "dateTime": `"2024-05-31T12:00:00"`, "dateTimeStamp": `"2024-05-31T12:00:00Z"`,
	"gYear": `"2024"`, "gMonth": `"--05"`, "gDay": `"---31"`, "gYearMonth": `"2024-05"`, "gMonthDay": `"--05-31"`,
	"duration": `"P1DT2H"`, "yearMonthDuration": `"P1Y"`, "dayTimeDuration": `"PT1H"`,
	"byte": `-128`, "short": `-32768`, "int": `-2147483648`, "long": `"-9223372036854775808"`,
	"unsignedByte": `255`, "unsignedShort": `65535`, "unsignedInt": `4294967295`, "unsignedLong": `"18446744073709551615"`,
	"positiveInteger": `1`, "nonNegativeInteger": `0`, "negativeInteger": `-1`, "nonPositiveInteger": `0`,
	"hexBinary": `"FF"`, "base64Binary": `"AA=="`, "anyURI": `"https://example.org/"`,
	"language": `"en-GB"`, "normalizedString": `"a  b"`, "token": `"a b"`, "NMTOKEN": `"1a"`, "Name": `"a:b"`, "NCName": `"ab"`,
	"HTML": `"<b>a</b>"`, "XMLLiteral": `"<b>a</b>"`, "langString": `{"value":"a","lang":"en"}`,
}

func TestEveryDatatypeOfRDFHasAWord(t *testing.T) {
	words := map[string]bool{}
	for name, example := range datatypesOfRDF {
		iri := rdf.IRI(rdf.XSDNS + name)
		if name == "HTML" || name == "XMLLiteral" || name == "langString" {
			iri = rdf.RDFNS + rdf.IRI(name)
		}
		for _, spelled := range []string{name, strings.Replace(string(iri), rdf.XSDNS, "xsd:", 1), string(iri)} {
			if spelled == "int" {
				continue // most who write it mean any whole number
			}
			s := parse(t, fmt.Sprintf("{types: {A: {properties: {p: %q, many: {type: %q, many: true}}}}}", spelled, spelled))
			p := s.Property(s.Type("A"), "p")
			words[p.Datatype] = true
			if got := schema.Datatypes[p.Datatype].IRI; got != iri {
				t.Errorf("type: %s is %s, want %s", spelled, got, iri)
			}
			again, err := schema.FromQuads(s.Quads(), s.Base)
			if err != nil || len(schema.Diff(s, again)) > 0 || len(again.Foreign()) > 0 {
				t.Errorf("%s from SHACL: %v, %v, %v", spelled, err, schema.Diff(s, again), again.Foreign())
			}
			var v any
			d := json.NewDecoder(strings.NewReader(example))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			term, problem := s.Term(p, v)
			if problem != nil {
				t.Errorf("%s: %s", spelled, problem.Message)
				continue
			}
			if diff := cmp.Diff(v, s.JSONValue(p, term)); diff != "" {
				t.Errorf("%s: %s came back otherwise: %s", spelled, example, diff)
			}
			for _, in := range []*schema.Property{p, s.Property(s.Type("A"), "many")} {
				cell, ok := s.Cell(in, []rdf.Term{term})
				terms, problems := s.Values(in, in.CellValue(cell))
				if !ok || len(problems) > 0 || len(terms) != 1 || terms[0] != term {
					t.Errorf("%s: the cell %q is %v, %v", spelled, cell, terms, problems)
				}
			}
		}
	}
	for word := range schema.Datatypes {
		if !words[word] && word != "big_integer" && word != "vector" && word != "iri" && word != "int32" {
			t.Errorf("%s is of none of RDF's datatypes", word)
		}
	}
}

func TestNumbersOfAFixedSizeHaveTheirBounds(t *testing.T) {
	for word, outside := range map[string][]string{
		"int8": {"-129", "128"}, "int16": {"-32769", "32768"}, "int32": {"-2147483649", "2147483648"},
		"uint8": {"-1", "256"}, "uint16": {"-1", "65536"}, "uint32": {"-1", "4294967296"},
		"positive_integer": {"0"}, "non_negative_integer": {"-1"}, "negative_integer": {"0"}, "non_positive_integer": {"1"},
		"int64": {`"9223372036854775808"`, `1`}, "uint64": {`"-1"`, `"18446744073709551616"`},
	} {
		for _, text := range outside {
			var v any = json.Number(text)
			if inner, isText := strings.CutPrefix(text, `"`); isText {
				v = strings.TrimSuffix(inner, `"`)
			}
			if term, problem := schema.Empty("urn:x:").Term(&schema.Property{Name: "p", Datatype: word}, v); problem == nil {
				t.Errorf("%s took %s as %v", word, text, term)
			}
		}
	}
}

func TestWordsOfOtherLanguagesAreSuggested(t *testing.T) {
	for word, want := range map[string]string{
		"int": "integer", "Int": "integer", "INTEGER": "integer", "bigint": "big_integer", "str": "string", "text": "string", "varchar": "string",
		"bool": "boolean", "real": "number", "float64": "number", "numeric": "decimal", "timestamp": "datetime", "date_time": "datetime",
		"url": "uri", "blob": "bytes", "langstring": "lang_string", "lang-string": "lang_string", "localized": "lang_string", "daytimeduration": "day_time_duration",
		"unsigned_int": "uint32", "gyear": "year", "strin": "string",
	} {
		_, err := schema.ParseYAML([]byte("{types: {A: {properties: {p: "+word+"}}}}"), "urn:x:")
		if err == nil || !strings.Contains(problems(err), fmt.Sprintf("there is no datatype %q; did you mean %q?", word, want)) {
			t.Errorf("%s: %v", word, problems(err))
		}
		if _, err := schema.ParseYAML([]byte("{types: {A: {properties: {p: "+want+"}}}}"), "urn:x:"); err != nil {
			t.Errorf("the hint for %s does not work: %v", word, err)
		}
	}
}

// TestTextWithALanguageIsToldItsForm: what was meant is said, and works when it is followed.
func TestTextWithALanguageIsToldItsForm(t *testing.T) {
	s := parse(t, "{types: {A: {properties: {one: {type: lang_string, languages: [de, en]}, many: {type: lang_string, many: true}}}}}")
	for text, want := range map[string]string{
		`"Cat"`:                        `"Cat" has no language; write it as {"lang":"de","value":"Cat"}`,
		`"Cat@en"`:                     `text with a language is an object; write "Cat@en" as {"lang":"en","value":"Cat"}`,
		`{"en":"Cat"}`:                 `{"en":"Cat"} is by language; write it as {"lang":"en","value":"Cat"}`,
		`{"value":"Cat"}`:              `{"value":"Cat"} is not a valid lang_string; give one such as {"lang":"de","value":"text"}`,
		`{"value":"Cat","lang":"e n"}`: `the language tag "e n" has more than letters, digits and hyphens, or digits in its first part`,
		`7`:                            `7 is not a valid lang_string; give one such as {"lang":"de","value":"text"}`,
	} {
		var v any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		p := s.Property(s.Type("A"), "one")
		_, problem := s.Term(p, v)
		if problem == nil || problem.Message != "one: "+want {
			t.Errorf("%s: %v", text, problem)
			continue
		}
		if at := strings.LastIndex(problem.Message, `{"lang`); at >= 0 {
			var follow any
			if err := json.Unmarshal([]byte(problem.Message[at:]), &follow); err != nil {
				t.Fatal(err)
			}
			if _, problem := s.Term(p, follow); problem != nil {
				t.Errorf("%s: the hint is refused: %s", text, problem.Message)
			}
		}
	}
	many := s.Property(s.Type("A"), "many")
	if _, problem := s.Term(many, map[string]any{"en": "Cat", "de": "Katze"}); problem == nil || !strings.HasSuffix(problem.Message, `write it as [{"lang":"de","value":"Katze"},{"lang":"en","value":"Cat"}]`) {
		t.Errorf("got %v", problem)
	}
}
