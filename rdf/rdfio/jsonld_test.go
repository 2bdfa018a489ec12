package rdfio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/google/go-cmp/cmp"
	"github.com/piprate/json-gold/ld"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

const demo = "urn:trails:demo:"

func noteContext() rdfio.JSONLDContext {
	return rdfio.JSONLDContext{
		Terms: map[rdf.IRI]rdfio.JSONLDTerm{
			demo + "title": {Name: "title", Type: rdf.XSDString},
			demo + "rank":  {Name: "rank", Type: rdf.XSDInteger},
			demo + "score": {Name: "score", Type: rdf.XSDDouble},
			demo + "made":  {Name: "made", Type: rdf.XSDDateTime},
			demo + "cites": {Name: "cites", Type: "@id", Many: true},
			rdf.Label:      {Name: "label"},
		},
		Prefixes: map[string]string{"demo": demo, "urn": "http://example.org/urn/", "title": demo},
	}
}

func parse(t testing.TB, text string) []rdf.Quad {
	t.Helper()
	quads, err := readAll(rdfio.NewNQuadsReader(strings.NewReader(text), rdfio.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

func TestEntityJSONLDReadsWell(t *testing.T) {
	quads := parse(t, `
<urn:trails:demo:Note/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:trails:demo:Note> .
<urn:trails:demo:Note/1> <urn:trails:demo:title> "On <graphs> & \"files\"" .
<urn:trails:demo:Note/1> <urn:trails:demo:rank> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:trails:demo:Note/1> <urn:trails:demo:score> "5.0E0"^^<http://www.w3.org/2001/XMLSchema#double> .
<urn:trails:demo:Note/1> <urn:trails:demo:made> "2024-05-01T10:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<urn:trails:demo:Note/1> <urn:trails:demo:cites> <urn:trails:demo:Note/2> .
<urn:trails:demo:Note/1> <http://www.w3.org/2000/01/rdf-schema#label> "one"@en .
<urn:trails:demo:Note/1> <http://www.w3.org/2000/01/rdf-schema#label> "uno"@es .
<urn:trails:demo:Note/1> <http://example.org/extra> _:b .
_:b <http://example.org/depth> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
`)
	got, err := rdfio.EntityJSONLD(rdf.IRI(demo+"Note/1"), quads, noteContext())
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/note.jsonld", pretty.Bytes())
	slices.Reverse(quads)
	again, err := rdfio.EntityJSONLD(rdf.IRI(demo+"Note/1"), quads, noteContext())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the order of quads shows: %s, %v", again, err)
	}
}

func TestEntityJSONLDIsAboutANode(t *testing.T) {
	if _, err := rdfio.EntityJSONLD(quad.String("x"), nil, rdfio.JSONLDContext{}); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("got %v, want invalid arguments", err)
	}
}

func TestEntityJSONLDMeansItsQuads(t *testing.T) {
	for _, object := range []string{
		`"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"01"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		`"9007199254740993"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"-0"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		`"5"^^<http://www.w3.org/2001/XMLSchema#long>`, `"5"^^<http://www.w3.org/2001/XMLSchema#decimal>`, `"5.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`,
		`"5.0E0"^^<http://www.w3.org/2001/XMLSchema#double>`, `"5.5E0"^^<http://www.w3.org/2001/XMLSchema#double>`, `"1.0E22"^^<http://www.w3.org/2001/XMLSchema#double>`,
		`"-0.0E0"^^<http://www.w3.org/2001/XMLSchema#double>`, `"3.3333333333333331E-1"^^<http://www.w3.org/2001/XMLSchema#double>`, `"INF"^^<http://www.w3.org/2001/XMLSchema#double>`,
		`"1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>`, `"1.5E300"^^<http://www.w3.org/2001/XMLSchema#double>`,
		`"true"^^<http://www.w3.org/2001/XMLSchema#boolean>`, `"1"^^<http://www.w3.org/2001/XMLSchema#boolean>`,
		`"2024-05-01T10:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`, `"x"`, `"@id"`, `"_:b"`, `"a:b"`, `""`, `"x"@en`, `"\u0000\u001F\u007F"`,
		`<urn:trails:demo:Note/1>`, `<title:x>`, `<http:x>`, `_:b`,
	} {
		for _, ctx := range append(contexts(), rdfio.JSONLDContext{}, noteContext()) {
			quads := parse(t, "<urn:trails:demo:Note/1> <urn:trails:demo:p> "+object+" .\n<urn:trails:demo:Note/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "+object+" .\n")
			checkMeaning(t, quads[0].Subject, quads, ctx)
		}
	}
}

// contexts coerce one predicate to each type that matters, under names that
// JSON-LD might mistake.
func contexts() []rdfio.JSONLDContext {
	var all []rdfio.JSONLDContext
	for _, datatype := range []rdf.IRI{"", "@id", "@vocab", rdf.XSDString, rdf.XSDInteger, rdf.XSDNS + "long", rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean, rdf.XSDDateTime} {
		for _, name := range []string{"p", "urn", "http", "title", "@id", "", "a:b", "urn:trails:demo:q", "id"} {
			all = append(all, rdfio.JSONLDContext{
				Terms:    map[rdf.IRI]rdfio.JSONLDTerm{demo + "p": {Name: name, Type: datatype, Many: name == "p"}, rdf.Type: {Name: "kind"}, demo + "other": {Name: "p"}},
				Prefixes: map[string]string{"urn": "http://example.org/", "http": "urn:x:", "d": demo, "e": "urn:trails", "@x": demo, "": demo, "rel": "x"},
			})
		}
	}
	return all
}

func TestGeneratedEntitiesRoundTripThroughJSONLD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subject := nodeGen().Draw(t, "subject")
		quads := rapid.SliceOfN(quadGen(), 0, 8).Filter(plainForJSONGold).Draw(t, "quads")
		for i := range quads {
			quads[i].Label = nil
			if rapid.Bool().Draw(t, "own") {
				quads[i].Subject = subject
			}
		}
		ctx := rapid.SampledFrom(append(contexts(), noteContext(), rdfio.JSONLDContext{})).Draw(t, "context")
		checkMeaning(t, subject, quads, ctx)
	})
}

// plainForJSONGold keeps away what json-gold itself changes: it canonicalizes
// rdf:JSON written with its IRI, which JSON-LD does for "@json" only.
func plainForJSONGold(quads []rdf.Quad) bool {
	return !slices.ContainsFunc(quads, func(q rdf.Quad) bool { return rdf.DatatypeOf(q.Object) == rdf.RDFNS+"JSON" })
}

type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkMeaning lets another implementation read the document back, with its context in it
// and at an address.
func checkMeaning(t reporter, subject rdf.Term, quads []rdf.Quad, ctx rdfio.JSONLDContext) {
	t.Helper()
	checkDocument(t, subject, quads, ctx)
	ctx.Address = "trails://schema"
	checkDocument(t, subject, quads, ctx)
}

func checkDocument(t reporter, subject rdf.Term, quads []rdf.Quad, ctx rdfio.JSONLDContext) {
	t.Helper()
	doc, err := rdfio.EntityJSONLD(subject, quads, ctx)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	options := jsonldOptions()
	options.DocumentLoader = onlyContext(ctx)
	got, err := ld.NewJsonLdProcessor().ToRDF(v, options)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	want := dataset(quads)
	if diff := cmp.Diff(normalized(want), normalized(got.(*ld.RDFDataset))); diff != "" {
		t.Fatalf("%s\n(-want +got):\n%s", doc, diff)
	}
}

// onlyContext loads a context from its own address, and nothing else.
type onlyContext rdfio.JSONLDContext

func (c onlyContext) LoadDocument(address string) (*ld.RemoteDocument, error) {
	if c.Address == "" || address != c.Address {
		return noNetwork{}.LoadDocument(address)
	}
	text, err := rdfio.JSONLDContext(c).Document()
	if err != nil {
		return nil, err
	}
	loaded := &ld.RemoteDocument{DocumentURL: address}
	return loaded, json.Unmarshal(text, &loaded.Document)
}

// noNetwork refuses every document, so that a context is never fetched.
type noNetwork struct{}

func (noNetwork) LoadDocument(string) (*ld.RemoteDocument, error) {
	return nil, errors.New("a test reached for the network")
}

func jsonldOptions() *ld.JsonLdOptions {
	options := ld.NewJsonLdOptions("")
	options.DocumentLoader = noNetwork{}
	options.ProcessingMode = ld.JsonLd_1_1
	return options
}

// dataset turns quads into json-gold's, each once, labels dropped.
func dataset(quads []rdf.Quad) *ld.RDFDataset {
	ds := ld.NewRDFDataset()
	seen := map[rdf.Quad]bool{}
	for _, q := range quads {
		q.Label = nil
		if !seen[q] {
			seen[q] = true
			ds.Graphs["@default"] = append(ds.Graphs["@default"], ld.NewQuad(ldNode(q.Subject), ldNode(q.Predicate), ldNode(q.Object), "@default"))
		}
	}
	return ds
}

func ldNode(t rdf.Term) ld.Node {
	switch v := t.(type) {
	case rdf.IRI:
		return ld.NewIRI(string(v))
	case rdf.BNode:
		return ld.NewBlankNode("_:" + string(v))
	case quad.LangString:
		return ld.NewLiteral(string(v.Value), string(rdf.RDFLangString), strings.ToLower(v.Lang)) // as json-gold reads it
	}
	return ld.NewLiteral(rdf.Lexical(t), string(rdf.DatatypeOf(t)), "")
}

// normalized returns the lines of a dataset with canonical blank node labels.
func normalized(ds *ld.RDFDataset) []string {
	options := jsonldOptions()
	options.Format = "application/n-quads"
	options.Algorithm = ld.AlgorithmURDNA2015
	text, err := ld.NewJsonLdApi().Normalize(ds, options)
	if err != nil {
		return []string{fmt.Sprint(err)}
	}
	return strings.Split(text.(string), "\n")
}

// A document names the address of its context, unless one of its IRIs would mean
// something else by that: then it has the terms that it uses.
func TestADocumentNamesTheAddressOfItsContext(t *testing.T) {
	ctx := noteContext()
	ctx.Address, ctx.Prefixes = "trails://schema", map[string]string{"doi": "https://doi.org/"}
	context, err := ctx.Document()
	if err != nil {
		t.Fatal(err)
	}
	for iri, want := range map[string]string{"http://a/1": `"@context":"trails://schema"`, "doi:10.1/x": `"@context":{"@version":1.1,`} {
		quads := []quad.Quad{{Subject: quad.IRI(iri), Predicate: quad.IRI(demo + "title"), Object: quad.String("x")}}
		document, err := rdfio.EntityJSONLD(quad.IRI(iri), quads, ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(document), want) {
			t.Errorf("%s, want %s", document, want)
		}
		in, err := rdfio.NewReader(rdfio.JSONLD, bytes.NewReader(document), "", rdfio.Limits{}, func(iri string) ([]byte, bool) { return context, iri == ctx.Address })
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Read(); err != nil || got != quads[0] {
			t.Errorf("%s means %v, %v; want %v", document, got, err, quads[0])
		}
	}
}
