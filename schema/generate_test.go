package schema_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/schema"
)

// sameSchema compares what is declared; the indexes follow from it.
var sameSchema = cmpopts.IgnoreUnexported(schema.Schema{})

func sameSchemas(t *rapid.T, got, want *schema.Schema) {
	t.Helper()
	if diff := cmp.Diff(want, got, sameSchema); diff != "" {
		t.Fatalf("schema (-want +got):\n%s", diff)
	}
}

var (
	bases     = []string{"urn:trails:test:", "https://example.org/kg/", "http://example.org/ns#"}
	typeNames = []string{"Thing", "Person", "AttackPattern", "HTTPServer", "Note", "X1"}
	someText  = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[ -~]{0,12}`), rapid.String())
	localID   = rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9._~-]{1,8}x`), rapid.StringMatching(`x[ -~é漢]{0,10}`))
)

// generateSchema draws a valid schema: its types refer to and extend each other.
func generateSchema(t *rapid.T) *schema.Schema {
	base := rapid.SampledFrom(bases).Draw(t, "base")
	prefixes := rapid.MapOf(rapid.StringMatching(`[a-z][a-z0-9]{0,3}`), rapid.SampledFrom([]string{"http://xmlns.com/foaf/0.1/", "urn:x:", base})).Draw(t, "prefixes")
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(typeNames), 0, 4, rapid.ID[string]).Draw(t, "names")
	types := make([]*schema.Type, len(names))
	for i, name := range names {
		types[i] = generateType(t, i, name, names)
	}
	s, err := schema.New(base, prefixes, types)
	if err != nil {
		t.Fatalf("the generator made an invalid schema: %v", err)
	}
	return s
}

func generateType(t *rapid.T, i int, name string, names []string) *schema.Type {
	typ := &schema.Type{
		Name:        name,
		Description: someText.Draw(t, "description"),
		Mint:        rapid.SampledFrom([]schema.Mint{"", schema.MintUUIDv7, schema.MintContent, schema.MintPreserve}).Draw(t, "mint"),
		Abstract:    rapid.Bool().Draw(t, "abstract"),
		Open:        rapid.Bool().Draw(t, "open"),
	}
	if rapid.IntRange(0, 3).Draw(t, "ids") == 0 {
		typ.IDs = name + "Was"
	}
	if rapid.IntRange(0, 3).Draw(t, "rdf_type") == 0 {
		typ.IRI = rdf.IRI("http://xmlns.com/foaf/0.1/" + name)
	}
	typ.Embedded = rapid.Bool().Draw(t, "embeds")
	if i > 0 && rapid.Bool().Draw(t, "extends") {
		typ.Extends = []string{rapid.SampledFrom(names[:i]).Draw(t, "super")}
	}
	for j := range rapid.IntRange(0, 4).Draw(t, "properties") {
		typ.Properties = append(typ.Properties, generateProperty(t, fmt.Sprintf("p%d_%d", i, j), names))
	}
	nameProperties(t, typ)
	return typ
}

// nameProperties makes some single-valued properties the label, the key and a group.
func nameProperties(t *rapid.T, typ *schema.Type) {
	var single, required []string
	for _, p := range typ.Properties {
		if p.Many() || p.Datatype == "iri" || p.Datatype == "vector" {
			continue
		}
		single = append(single, p.Name)
		if p.Required() && !p.IsLang() {
			required = append(required, p.Name)
		}
	}
	if len(single) > 0 && rapid.Bool().Draw(t, "label") {
		typ.Label = single[0]
	}
	if len(single) > 1 && rapid.Bool().Draw(t, "unique") {
		typ.Unique = [][]string{{single[1], single[0]}, {single[0], single[1]}}
	}
	if len(required) > 0 && rapid.Bool().Draw(t, "key") {
		typ.Key, typ.Mint = required, schema.MintKey
	}
}

func generateProperty(t *rapid.T, name string, names []string) *schema.Property {
	p := &schema.Property{
		Name:        name,
		Description: someText.Draw(t, "description"),
		Label:       rapid.SampledFrom([]string{"", "Full name", "a \"label\": 名"}).Draw(t, "label"),
		Datatype:    rapid.SampledFrom(datatypeWords()).Draw(t, "datatype"),
		MinCount:    rapid.IntRange(0, 2).Draw(t, "min_count"),
		Unsearched:  rapid.Bool().Draw(t, "unsearched"),
	}
	if p.Datatype == "iri" && rapid.Bool().Draw(t, "reference") {
		p.Class = rapid.SampledFrom(names).Draw(t, "class")
	}
	if maxCount := rapid.IntRange(0, 3).Draw(t, "max_count"); maxCount > 0 {
		maxCount = max(maxCount, p.MinCount)
		p.MaxCount = &maxCount
	}
	if rapid.IntRange(0, 3).Draw(t, "predicate") == 0 {
		p.IRI = rdf.IRI("http://xmlns.com/foaf/0.1/" + name)
	}
	if !p.Unsearched && (p.Datatype == "string" || p.Datatype == "lang_string") && rapid.Bool().Draw(t, "says_embed") {
		said := rapid.Bool().Draw(t, "embedded")
		p.Embedded = &said
	}
	generateConstraints(t, p)
	return p
}

func datatypeWords() []string {
	words := make([]string, 0, len(schema.Datatypes))
	for word := range schema.Datatypes {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

func generateConstraints(t *rapid.T, p *schema.Property) {
	d := schema.Datatypes[p.Datatype]
	value := generateTerm(t, p)
	switch rapid.IntRange(0, 6).Draw(t, "constraint") {
	case 1:
		p.Default = value
	case 2:
		p.HasValue = value
	case 3:
		p.OneOf = []rdf.Term{value}
		p.MinCount = min(p.MinCount, 1)
	case 4:
		p.Unique = true
	case 5:
		if d.Ordered {
			p.MinValue, p.MaxValue = value, value
		}
	case 6:
		if d.Text && p.Class == "" {
			low, high := 1, 1<<20
			p.MinLength, p.MaxLength, p.Pattern = &low, &high, `^\s*\S`
		}
	}
	if p.IsLang() && rapid.Bool().Draw(t, "languages") {
		p.Languages, p.UniqueLang = []string{"en", "zh-Hant", "de"}, rapid.Bool().Draw(t, "unique_lang")
	}
	if p.Datatype == "vector" && rapid.Bool().Draw(t, "dim") {
		two := 2
		p.Dim = &two
	}
}

// generateTerm draws a value that is valid for p's datatype, as data would hold it.
func generateTerm(t *rapid.T, p *schema.Property) rdf.Term {
	if p.IsLang() {
		return rdf.LangLiteral(someText.Draw(t, "text"), rapid.SampledFrom([]string{"en", "en-GB", "zh-Hant"}).Draw(t, "lang"))
	}
	if p.Datatype != "iri" {
		return rdf.Literal(generateLexical(t, p), schema.Datatypes[p.Datatype].IRI)
	}
	local := localID.Draw(t, "local")
	if rapid.Bool().Draw(t, "foreign") {
		return rdf.IRI("https://example.org/kg/Unknown/" + fmt.Sprintf("%x", local))
	}
	s := schema.Empty(rapid.SampledFrom(bases).Draw(t, "base of the reference"))
	return s.EntityIRI(&schema.Type{Name: rapid.SampledFrom(typeNames).Draw(t, "type")}, local)
}

func generateLexical(t *rapid.T, p *schema.Property) string {
	whole := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "whole")
	year := rapid.IntRange(1, 9999).Draw(t, "year")
	double := rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) }).Draw(t, "double")
	switch p.Datatype {
	case "boolean":
		return strconv.FormatBool(whole%2 == 0)
	case "integer":
		return strconv.FormatInt(whole, 10)
	case "big_integer":
		return strconv.FormatInt(whole, 10) + "00000000000000000001"
	case "decimal":
		return fmt.Sprintf("%d.%03d", whole, year%1000)
	case "number":
		return strconv.FormatFloat(double, 'E', -1, 64)
	case "float":
		return strconv.FormatFloat(rapid.Float64Range(-1e38, 1e38).Draw(t, "float"), 'E', -1, 32)
	case "date":
		return fmt.Sprintf("%04d-02-28", year)
	case "datetime":
		return fmt.Sprintf("%04d-12-31T23:59:59.%d0Z", year, year)
	case "time":
		return "12:00:00+01:00"
	case "duration":
		return fmt.Sprintf("P%dDT2H", year)
	case "year":
		return fmt.Sprintf("%04d", year)
	case "uri":
		return "https://example.org/a?b=" + strconv.Itoa(year)
	case "bytes":
		return base64.StdEncoding.EncodeToString(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	case "vector":
		return fmt.Sprintf("[%d,-0.5]", whole)
	case "string", "html", "xml_literal":
		return someText.Draw(t, "text")
	}
	return strings.Trim(schema.Datatypes[p.Datatype].Example, `"`)
}

func TestGeneratedSchemas(t *testing.T) {
	t.Run("read back from their quads", rapid.MakeCheck(func(t *rapid.T) {
		s := generateSchema(t)
		got, err := schema.FromQuads(shuffled(t, s.Quads()), s.Base)
		if err != nil {
			t.Fatalf("FromQuads: %v", err)
		}
		sameSchemas(t, got, s)
		if diff := cmp.Diff(s.Quads(), got.Quads()); diff != "" {
			t.Fatalf("quads (-first +second):\n%s", diff)
		}
	}))
	t.Run("read back from their YAML", rapid.MakeCheck(func(t *rapid.T) {
		s := generateSchema(t)
		text := s.YAML()
		got, err := schema.ParseYAML(text, "")
		if err != nil {
			t.Fatalf("ParseYAML: %v\n%s", err, text)
		}
		sameSchemas(t, got, s)
	}))
	t.Run("have no steps between them exactly when their quads are the same", rapid.MakeCheck(func(t *rapid.T) {
		a, b := generateSchema(t), generateSchema(t)
		if steps := schema.Diff(a, a); len(steps) > 0 {
			t.Fatalf("a schema differs from itself: %v", steps)
		}
		same := cmp.Equal(a.Quads(), b.Quads())
		if steps := schema.Diff(a, b); (len(steps) == 0) != same {
			t.Fatalf("same quads: %t, steps: %v", same, steps)
		}
	}))
}

func shuffled(t *rapid.T, quads []rdf.Quad) []rdf.Quad {
	return rapid.Permutation(quads).Draw(t, "order")
}
