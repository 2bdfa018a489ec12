package rdfio_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// fuzzLimits are small enough for anything to reach them. Comparing many blank nodes
// that look alike takes long, so the quads are few.
var fuzzLimits = rdfio.Limits{LineBytes: 1 << 10, TermBytes: 1 << 10, DocumentBytes: 1 << 14, Nesting: 20, Quads: 100}

func FuzzNTriples(f *testing.F) {
	f.Add([]byte("<a:s> <a:p> \"o\\u0041\"@en-GB . # c\r\n_:b.c <a:p> _:1 ."))
	fuzz(f, rdfio.NTriples, ".nt")
}

func FuzzNQuads(f *testing.F) {
	f.Add([]byte("<a:s> <a:p> \"o\\u0041\"@en-GB <a:g> . # c\r\n_:b.c <a:p> _:1 .\n"))
	f.Add([]byte("\xEF\xBB\xBF<a:s><a:p>\"1\"^^<a:t>.\r\r\n<a:s> <b> <c> .\n_:x"))
	f.Add([]byte("<a:s> <a:p> \"\xff\" .\n\"\\U0010FFFF\" \x00"))
	fuzz(f, rdfio.NQuads, ".nq")
}

func FuzzTurtle(f *testing.F) {
	f.Add([]byte("@prefix e: <a:e/> . @base <http://a/b> .\ne:a.b a [ e:p (1 -2.5 'x'@en '''y''' [] ()) ; ; ] ."))
	f.Add([]byte("\xEF\xBB\xBF<a:s> <a:p> <../x>, 'a\\'b', .5e-3 .\r\n[ <a:p> 1. ] ."))
	fuzz(f, rdfio.Turtle, ".ttl")
}

func FuzzTriG(f *testing.F) {
	f.Add([]byte("PREFIX : <urn:> :g { :s :p \"\\u00e9\\\"\"^^:t, true } GRAPH _:g { [] :p _:anon-1 . } # end"))
	fuzz(f, rdfio.TriG, ".trig")
}

func FuzzRDFXML(f *testing.F) {
	const head = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="a:" xml:lang="en">`
	f.Add([]byte(head + `<e:T rdf:ID="x" e:p="y"><e:q rdf:parseType="Collection"><e:U/></e:q><rdf:li rdf:ID="r" xml:base="http://c/">z</rdf:li></e:T></rdf:RDF>`))
	f.Add([]byte(head + `<rdf:Description rdf:nodeID="n."><e:p rdf:parseType="Literal"> <a b="&#13;" xmlns="u:"><!--c--><?d e?></a></e:p><e:p rdf:resource="" e:q="1"/></rdf:Description></rdf:RDF>`))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "b:c">]>` + head + `<e:T rdf:about="&a;"><e:p rdf:datatype="&a;">1</e:p><e:q rdf:parseType="Resource"><e:r/></e:q></e:T></rdf:RDF>`))
	fuzz(f, rdfio.RDFXML, ".rdf")
}

func FuzzJSONLD(f *testing.F) {
	f.Add([]byte(`{"@context": {"@version": 1.1, "p": {"@id": "urn:p", "@type": "@json"}, "q": {"@reverse": "urn:q", "@container": "@index"}}, "@id": "a", "p": {"x": [1e30, "é"]}, "q": {"i": {"@type": "urn:T"}}}`))
	f.Add([]byte(`[{"@graph": [{"urn:p": {"@list": [1, 2.5, true, {"@value": "x", "@language": "en"}]}}], "@included": {"@id": "_:b"}}]`))
	f.Add([]byte(`{"@context": [{"@base": "http://x/", "@vocab": "urn:v#", "t": {"@id": "t", "@context": {"u": "urn:u"}, "@nest": "n"}}, null], "t": {"u": "@none"}}`))
	fuzz(f, rdfio.JSONLD, ".jsonld")
}

// fuzz reads anything: it is refused as a fault, with a place where the format has
// places, or is quads within the limits that every writer can say.
func fuzz(f *testing.F, format rdfio.Format, extension string) {
	for _, text := range suiteFiles(f, extension) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := rdfio.NewReader(format, bytes.NewReader(text), "http://example.org/base", fuzzLimits, nil)
		if err != nil {
			t.Fatal(err)
		}
		quads, err := readAll(r)
		checkRefusal(t, format, err)
		if int64(len(quads)) > fuzzLimits.Quads {
			t.Fatalf("%d quads", len(quads))
		}
		checkRoundTrip(t, quads)
		checkWriters(t, quads)
	})
}

func checkRefusal(t *testing.T, format rdfio.Format, err error) {
	t.Helper()
	var syntax *rdfio.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &syntax):
		if syntax.Line < 1 || syntax.Column < 1 || syntax.Expected == "" {
			t.Fatalf("an error without a place: %v", err)
		}
	case format != rdfio.JSONLD || fault.Of(err).Kind == fault.Internal:
		t.Fatalf("got %v, want a fault", err)
	}
}

// checkWriters writes the quads in every way and reads them again.
func checkWriters(t *testing.T, quads []rdf.Quad) {
	t.Helper()
	triples := inDefaultGraph(quads)
	sayable := !slices.ContainsFunc(quads, unlikeAnyURL)
	for name, s := range streams {
		if name == "JSON-LD" && !sayable {
			continue
		}
		want := graphFirst(quads)
		if name == "Turtle" {
			want = graphFirst(triples)
		}
		text := writeStream(t, s.open, want)
		got, err := s.read(text)
		if err != nil || !rdf.Isomorphic(want, got) {
			t.Fatalf("%s: %v: wrote\n%s", name, err, text)
		}
	}
	turtle := writeTurtle(t, triples, turtlePrefixes)
	if got, err := streams["Turtle"].read(turtle); err != nil || !rdf.Isomorphic(triples, got) {
		t.Fatalf("%v: wrote\n%s", err, turtle)
	}
	if !sayable {
		return
	}
	var expanded strings.Builder
	if err := rdfio.WriteExpandedJSONLD(&expanded, quads); err != nil {
		t.Fatal(err)
	}
	if got, err := streams["JSON-LD"].read(expanded.String()); err != nil || !rdf.Isomorphic(quads, got) {
		t.Fatalf("%v: wrote\n%s", err, expanded.String())
	}
}

// unlikeAnyURL tells a datatype without an authority that Go's URLs do not allow, with a
// control character for instance, which json-gold does not read.
func unlikeAnyURL(q rdf.Quad) bool {
	datatype := string(rdf.DatatypeOf(q.Object))
	_, err := url.Parse(datatype)
	return err != nil && !strings.Contains(datatype, "://")
}

// suiteFiles are the small files of the suites with an extension; none without the
// suites. Of the many of JSON-LD it takes some.
func suiteFiles(f *testing.F, extension string) [][]byte {
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "suites")
	}
	const smallBytes, most = 4 << 10, 400
	var texts [][]byte
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != extension {
			return nil //nolint:nilerr // there may be no suites
		}
		text, err := os.ReadFile(name)
		if err == nil && len(text) <= smallBytes {
			texts = append(texts, text)
		}
		return err
	})
	step := len(texts)/most + 1
	var some [][]byte
	for i := 0; i < len(texts); i += step {
		some = append(some, texts[i])
	}
	return some
}
