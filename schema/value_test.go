package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/schema"
)

const everyDatatype = `
types:
  Thing:
    properties:
      string: string
      boolean: boolean
      integer: integer
      big: big_integer
      decimal: decimal
      number: number
      float: float
      date: date
      datetime: datetime
      year: year
      bytes: bytes
      uri: uri
      vector: {type: vector, dim: 2}
      vectors: {type: vector, many: true}
      tags: {type: string, many: true}
      ref: {class: Thing}
      see: iri
`

func decode(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValuesFromJSON(t *testing.T) {
	s := parse(t, everyDatatype)
	for _, c := range []struct{ property, value, want string }{
		{"string", `"a\nb"`, `"a\nb"`},
		{"string", `1`, `string, datatype: string: 1 is not a valid string; give one such as "text"`},
		{"string", `null`, `string, datatype: string: null is not a valid string; give one such as "text"`},
		{"string", `["a"]`, `string, max_count: string takes one value, not an array`},
		{"tags", `"a"`, `"a"`},
		{"tags", `["a","b"]`, `"a" "b"`},
		{"tags", `[]`, ``},
		{"tags", `["a",1,["b"]]`, `tags, datatype: tags: 1 is not a valid string; give one such as "text"|tags, datatype: tags: ["b"] is not a valid string; give one such as "text"`},
		{"boolean", `true`, `"true"^^xsd:boolean`},
		{"boolean", `"true"`, `boolean, datatype: boolean: "true" is not a valid boolean; give one such as true`},
		{"integer", `42`, `"42"^^xsd:integer`},
		{"integer", `-0`, `"0"^^xsd:integer`},
		{"integer", `1.50e1`, `"15"^^xsd:integer`},
		{"integer", `1.5`, `integer, datatype: integer: 1.5 is not a valid integer; give one such as 42`},
		{"integer", `"42"`, `integer, datatype: integer: "42" is not a valid integer; give one such as 42`},
		{"integer", `9007199254740992`, `"9007199254740992"^^xsd:integer`},
		{"integer", `9007199254740993`, `integer, datatype: integer: 9007199254740993 is beyond 2^53, where JSON loses digits; declare integer as big_integer and give it as a string`},
		{"integer", `1e999999999`, `integer, datatype: integer: 1e999999999 is not a valid integer; give one such as 42`},
		{"big", `"9007199254740993"`, `"9007199254740993"^^xsd:integer`},
		{"big", `"-007"`, `"-7"^^xsd:integer`},
		{"big", `7`, `big, datatype: big: 7 is not a valid big_integer; give one such as "9007199254740993"`},
		{"big", `"+7"`, `big, datatype: big: "+7" is not a valid big_integer; give one such as "9007199254740993"`},
		{"decimal", `1.50`, `"1.50"^^xsd:decimal`}, {"decimal", `0.00`, `"0.00"^^xsd:decimal`}, {"decimal", `-0.0`, `"0"^^xsd:decimal`}, {"decimal", `1.50e1`, `"15"^^xsd:decimal`},
		{"decimal", `12345678901234567890.123456789`, `"12345678901234567890.123456789"^^xsd:decimal`},
		{"decimal", `25e-3`, `"0.025"^^xsd:decimal`},
		{"number", `0.1`, `"1.0E-1"^^xsd:double`},
		{"number", `"INF"`, `"INF"^^xsd:double`},
		{"number", `1e400`, `number, datatype: number: 1e400 is outside the range of number`},
		{"number", `"1"`, `number, datatype: number: "1" is not a valid number; give one such as 0.5`},
		{"float", `1e39`, `float, datatype: float: 1e39 is outside the range of float`},
		{"date", `"2024-02-29"`, `"2024-02-29"^^xsd:date`},
		{"date", `"2023-02-29"`, `date, datatype: date: "2023-02-29" is not a valid date; give one such as "2024-05-31"`},
		{"datetime", `"2024-02-29T10:00:00.000+02:00"`, `"2024-02-29T10:00:00.000+02:00"^^xsd:dateTime`},
		{"year", `"2024"`, `"2024"^^xsd:gYear`},
		{"bytes", `"aGk="`, `"aGk="^^xsd:base64Binary`},
		{"bytes", `"aGk"`, `bytes, datatype: bytes: "aGk" is not a valid bytes; give one such as "aGVsbG8="`},
		{"vector", `[1.0, 5e-1]`, `"[1,0.5]"^^<urn:trails:ns#vector>`},
		{"vector", `[1]`, `vector, datatype: vector: the vector has 1 components; vector has 2`},
		{"vector", `[1,"2"]`, `vector, datatype: vector: component 1 of the vector is not a number: "2"; give an array of numbers such as [0.1, 0.2]`},
		{"vector", `[]`, `vector, datatype: vector: the vector is empty`},
		{"vectors", `[1,2,3]`, `"[1,2,3]"^^<urn:trails:ns#vector>`},
		{"vectors", `[[1],[2]]`, `"[1]"^^<urn:trails:ns#vector> "[2]"^^<urn:trails:ns#vector>`},
		{"ref", `"a"`, `<urn:trails:test:Thing/a>`},
		{"ref", `"Thing/a"`, `<urn:trails:test:Thing/a>`},
		{"ref", `"Thng/a"`, `ref, class: ref: there is no type "Thng"; did you mean "Thing"?`},
		{"ref", `7`, `ref, node_kind: ref: a reference is a string: an IRI or Type/id`},
		{"see", `"https://example.org/a"`, `<https://example.org/a>`},
		{"see", `"https://example.org/ a"`, `see, node_kind: see: the IRI "https://example.org/ a" holds " ", which must be percent-encoded`},
		{"see", `"a"`, `see, node_kind: see: "a" is not an IRI; write the whole IRI or Type/id`},
	} {
		terms, problems := s.Values(s.Property(s.Type("Thing"), c.property), decode(t, c.value))
		var said []string
		for _, p := range problems {
			said = append(said, fmt.Sprintf("%s, %s: %s", p.Field, p.Code, p.Message))
		}
		got := strings.Join(said, "|")
		if len(problems) == 0 {
			got = texts(terms)
		}
		if got != c.want {
			t.Errorf("%s = %s\n got %s\nwant %s", c.property, c.value, got, c.want)
		}
	}
}

func texts(terms []rdf.Term) string {
	list := make([]string, len(terms))
	for i, term := range terms {
		list[i] = strings.NewReplacer("<"+rdf.XSDNS, "xsd:").Replace(string(rdf.AppendTerm(nil, term)))
		if strings.Contains(list[i], "xsd:") {
			list[i] = strings.TrimSuffix(list[i], ">")
		}
	}
	return strings.Join(list, " ")
}

func TestNumbersMayComeDecodedAsFloats(t *testing.T) {
	s := parse(t, everyDatatype)
	for property, v := range map[string]any{"integer": 42.0, "decimal": 0.5, "number": 1e21, "vector": []any{1.0, 2.5}} {
		if _, problem := s.Term(s.Property(s.Type("Thing"), property), v); problem != nil {
			t.Errorf("%s = %v: %s", property, v, problem.Message)
		}
	}
}

// Data may hold what its property does not allow; it is shown all the same.
func TestForeignTermsAsJSON(t *testing.T) {
	s := parse(t, everyDatatype)
	for _, c := range []struct {
		property string
		term     rdf.Term
		want     string
	}{
		{"integer", rdf.Literal("9007199254740993", rdf.XSDInteger), `"9007199254740993"`},
		{"integer", rdf.Literal("007", rdf.XSDInteger), `7`},
		{"integer", rdf.Literal("x", rdf.XSDInteger), `"x"`},
		{"string", rdf.LangLiteral("hallo", "de"), `{"lang":"de","value":"hallo"}`},
		{"number", rdf.Literal("INF", rdf.XSDDouble), `"INF"`},
		{"decimal", rdf.Literal("+01.50", rdf.XSDDecimal), `1.5`},
		{"decimal", rdf.Literal(".5", rdf.XSDDecimal), `0.5`},
		{"vector", rdf.Literal("nonsense", schema.Vector), `"nonsense"`},
		{"ref", rdf.BNode("b0"), `"_:b0"`},
		{"ref", rdf.IRI("urn:trails:test:Thing/a%20b"), `"Thing/a b"`},
		{"see", rdf.IRI("urn:trails:test:Gone/a"), `"urn:trails:test:Gone/a"`},
		{"string", rdf.Literal("P1D", "urn:unknown"), `"P1D"`},
	} {
		got, err := json.Marshal(s.JSONValue(s.Property(s.Type("Thing"), c.property), c.term))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", rdf.AppendTerm(nil, c.term), got, err, c.want)
		}
	}
}

func TestGeneratedValuesReadBackFromTheirJSON(t *testing.T) {
	s := parse(t, everyDatatype)
	rapid.Check(t, func(t *rapid.T) {
		p := &schema.Property{Name: "p", Datatype: rapid.SampledFrom(datatypeWords()).Draw(t, "datatype")}
		term := generateTerm(t, p)
		first, problem := s.Term(p, s.JSONValue(p, term))
		if problem != nil {
			t.Fatalf("%s: %s", rdf.AppendTerm(nil, term), problem.Message)
		}
		text, err := json.Marshal(s.JSONValue(p, first))
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if second, problem := s.Term(p, v); problem != nil || second != first {
			t.Fatalf("%s became %v through %s", rdf.AppendTerm(nil, first), second, text)
		}
	})
}

func TestExampleSchemasAreValid(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.ParseYAML(text, "")
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		again, err := schema.FromQuads(s.Quads(), "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again, sameSchema); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func FuzzParseYAML(f *testing.F) {
	f.Add([]byte(family))
	f.Add([]byte(everyDatatype))
	f.Add([]byte("{a: [}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := schema.ParseYAML(src, "urn:trails:test:")
		if err != nil {
			return
		}
		again, err := schema.ParseYAML(s.YAML(), s.Base)
		if err != nil {
			t.Fatalf("its own YAML: %v\n%s", err, s.YAML())
		}
		if steps := schema.Diff(s, again); len(steps) > 0 {
			t.Fatalf("its own YAML differs: %v", steps)
		}
		if _, err := schema.FromQuads(s.Quads(), s.Base); err != nil {
			t.Fatalf("its own quads: %v", err)
		}
	})
}

// TestADecimalKeepsItsDigitsWhereItIsComparedWithNoOther holds that equal numbers are one term
// where values are told apart by their terms, and that all else is as it was written.
func TestADecimalKeepsItsDigitsWhereItIsComparedWithNoOther(t *testing.T) {
	s := parse(t, `
types:
  A:
    key: k
    unique: [[g, h]]
    properties:
      k: {type: decimal, required: true}
      g: decimal
      h: string
      own: {type: decimal, unique: true}
      list: {type: decimal, many: true}
      one: {type: decimal, one_of: [1.50, 2]}
      fixed: {type: decimal, has_value: 1.5}
      plain: {type: decimal, min_value: 1}
      whole: integer
      double: number
  B: {extends: A, properties: {more: decimal}}
  C: {iri: content, properties: {price: decimal}}
`)
	for name, want := range map[string]string{
		"k": "1.5", "g": "1.5", "own": "1.5", "list": "1.5", "one": "1.5", "fixed": "1.5", "plain": "1.50", "double": "1.5E0",
	} {
		term, problem := s.Term(s.Property(s.Type("B"), name), json.Number("1.50"))
		if problem != nil || rdf.Lexical(term) != want {
			t.Errorf("%s: got %v, %v, want %s", name, term, problem, want)
		}
	}
	if term, _ := s.Term(s.Property(s.Type("C"), "price"), json.Number("1.50")); rdf.Lexical(term) != "1.5" {
		t.Errorf("of a type whose ids are made of its content: %v", term)
	}
}
