package kg_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// anyQuadGen draws quads of every kind of term, with few names so that they meet.
func anyQuadGen() *rapid.Generator[rdf.Quad] {
	node := rapid.SampledFrom([]rdf.Term{
		rdf.IRI("urn:a"), rdf.IRI("urn:a/b"), rdf.IRI("http://example.org/é#x"), rdf.BNode("a"), rdf.BNode("b.c"), rdf.BNode("0"), rdf.BNode("gabcdefghijklm-x"),
	})
	literal := rapid.Custom(func(t *rapid.T) rdf.Term {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "1", "01", "-0", "1.50", "1.0E0", "true", "2026-01-02", "2026-01-02T24:00:00Z", "a\x00b\r\n\"\\"})).Draw(t, "text")
		kind := rapid.SampledFrom([]rdf.IRI{"", rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean, rdf.XSDDate, rdf.XSDDateTime, "urn:datatype", "@"}).Draw(t, "datatype")
		if kind == "@" {
			return rdf.LangLiteral(text, rapid.SampledFrom([]string{"en", "de-CH"}).Draw(t, "language"))
		}
		return rdf.Literal(text, kind)
	})
	return rapid.Custom(func(t *rapid.T) rdf.Quad {
		return rdf.Quad{
			Subject:   node.Draw(t, "subject"),
			Predicate: rapid.SampledFrom([]rdf.Term{rdf.IRI("urn:p"), rdf.Type, rdf.Label}).Draw(t, "predicate"),
			Object:    rapid.OneOf(node, literal).Draw(t, "object"),
			Label:     rapid.SampledFrom([]rdf.Term{nil, nil, rdf.IRI("urn:g"), rdf.BNode("g")}).Draw(t, "graph"),
		}
	})
}

// TestAnExportLoadedAgainExportsTheSame holds for any quads, and loading it where it
// came from changes nothing.
func TestAnExportLoadedAgainExportsTheSame(t *testing.T) {
	testrun.Alone(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		var text []byte
		for _, q := range rapid.SliceOfN(anyQuadGen(), 0, 30).Draw(rt, "quads") {
			text = append(rdf.AppendQuad(text, q), '\n')
		}
		n++
		g := createAt(t, filepath.Join(dir, fmt.Sprint(n, "a.db")), notes)
		defer g.Close()
		mustLoad(t, g, "in.nq", string(text))
		first := export(t, g, load.NQuads)
		if again := mustLoad(t, g, "export.nq", first); again.Changed {
			rt.Fatalf("loaded where it came from: +%d -%d", again.AddedCount, again.RemovedCount)
		}
		other := createAt(t, filepath.Join(dir, fmt.Sprint(n, "b.db")), "")
		defer other.Close()
		if err := importInto(t, other, load.NQuads, first); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(first, export(t, other, load.NQuads)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

const everything = `
types:
  Thing:
    iri: preserve
    properties:
      text: {type: string, default: none}
      words: {type: string, many: true}
      flag: {type: boolean, default: true}
      n: {type: integer}
      big: {type: big_integer}
      d: {type: decimal}
      x: {type: number}
      xs: {type: number, many: true}
      day: {type: date}
      moment: {type: datetime}
      link: {type: uri}
      raw: {type: bytes}
      vec: {type: vector, dim: 2}
      ref: {class: Thing}
      refs: {class: Thing, many: true}
      any: {type: iri}
`

// TestNDJSONLoadedAgainExportsTheSame holds for every datatype and for ids of all kinds,
// also where a default was taken away.
func TestNDJSONLoadedAgainExportsTheSame(t *testing.T) {
	testrun.Alone(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		g := createAt(t, filepath.Join(dir, fmt.Sprint(n, "a.db")), everything)
		defer g.Close()
		ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b c", "é/ü", "%41", "urn:other:1", "http://example.org/x?y=z", "Thing", "urn:a:b"}), 1, 5, rapid.ID[string]).Draw(rt, "ids")
		var text strings.Builder
		for _, id := range ids {
			text.WriteString(thing(rt, id, ids))
		}
		if _, err := tryLoad(t, g, kg.Load{}, "in.ndjson", text.String()); err != nil {
			rt.Fatalf("%v\n%s", err, text.String())
		}
		first := export(t, g, load.NDJSON)
		if again := mustLoad(t, g, "export.ndjson", first); again.Changed {
			rt.Fatalf("loaded where it came from: %v %v\n%s", again.Added, again.Removed, first)
		}
		other := createAt(t, filepath.Join(dir, fmt.Sprint(n, "b.db")), everything)
		defer other.Close()
		mustLoad(t, other, "export.ndjson", first)
		for _, format := range []load.Format{load.NDJSON, load.NQuads} {
			if diff := cmp.Diff(export(t, g, format), export(t, other, format)); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

// thing draws a line with some values of each kind.
func thing(t *rapid.T, id string, ids []string) string {
	ref := rapid.Map(rapid.SampledFrom(ids), func(id string) string {
		if strings.Contains(id, ":") {
			return fmt.Sprintf("%q", id)
		}
		return fmt.Sprintf("%q", "Thing/"+id)
	})
	kinds := map[string]*rapid.Generator[string]{
		"text": rapid.SampledFrom([]string{`null`, `""`, `"a\u0000b"`, `"é\n"`}), "words": rapid.SampledFrom([]string{`[]`, `["a","b"]`, `"c"`, `null`}),
		"flag": rapid.SampledFrom([]string{`null`, `true`, `false`}), "n": rapid.SampledFrom([]string{`0`, `-7`, `9007199254740992`, `1.0`}),
		"big": rapid.SampledFrom([]string{`"9007199254740993"`, `"-1"`}), "d": rapid.SampledFrom([]string{`1.50`, `0.1`, `123456789.987654321`, `1e2`}),
		"x": rapid.SampledFrom([]string{`1`, `0.1`, `1e300`, `-0`, `3.333333333333333`}), "xs": rapid.SampledFrom([]string{`[1,1.0,2]`, `[]`, `0.5`}),
		"day": rapid.SampledFrom([]string{`"2026-01-02"`, `"2026-01-02Z"`}), "moment": rapid.SampledFrom([]string{`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.100+02:00"`}),
		"link": rapid.SampledFrom([]string{`"https://example.org/a b"`, `"https://example.org/"`}), "raw": rapid.SampledFrom([]string{`"aGVsbG8="`, `""`}),
		"vec": rapid.SampledFrom([]string{`[1,2.5]`, `[0.10,1e-3]`}), "ref": ref, "refs": rapid.Map(rapid.SliceOfN(ref, 0, 3), func(l []string) string { return "[" + strings.Join(l, ",") + "]" }),
		"any": rapid.SampledFrom([]string{`"urn:x"`, `"http://example.org/é"`}),
	}
	var members []string
	for _, name := range []string{"text", "words", "flag", "n", "big", "d", "x", "xs", "day", "moment", "link", "raw", "vec", "ref", "refs", "any"} {
		if rapid.IntRange(0, 2).Draw(t, "give "+name) == 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, kinds[name].Draw(t, name)))
		}
	}
	return fmt.Sprintf("{\"type\":\"Thing\",\"id\":%q,\"data\":{%s}}\n", id, strings.Join(members, ","))
}

// What leaves the graph's file is whole, or says which statements it is without, and why.
func TestAnExportSaysWhatItLeavesOut(t *testing.T) {
	g := newGraph(t, notes)
	mustLoad(t, g, "in.ndjson", note("a", "A"))
	mustLoad(t, g, "more.nq", `
<urn:x> <urn:p> "not of a type" .
_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Unknown> .
<urn:trails:t:Note/a> <urn:p> "not of the type" .
<urn:trails:t:Note/a> <urn:trails:t:title> "in another graph" <urn:g> .
`)
	var out bytes.Buffer
	view(t, g, func(s *kg.Snapshot) error {
		got, err := s.Export(t.Context(), &out, load.NDJSON, nil)
		schema := s.Head().Quads - 6
		if got.Records != 1 || got.Left != schema+4 {
			t.Errorf("%d records, %d left out, %d of them of the schema", got.Records, got.Left, schema)
		}
		return err
	})
	for format, want := range map[load.Format]string{
		load.NDJSON: "4 statements were left out: Note has no such property: " + `<urn:trails:t:Note/a> <urn:p> "not of the type"; ndjson has the default graph alone: <urn:trails:t:Note/a> <urn:trails:t:title> "in another graph" <urn:g>; ` +
			`ndjson has nodes of the types of the schema alone: <urn:x> <urn:p> "not of a type" (and 1 like it)`,
		load.Turtle:   `1 statement was left out: turtle has one graph, and this is of another than the default graph: <urn:trails:t:Note/a> <urn:trails:t:title> "in another graph" <urn:g>`,
		load.NTriples: `1 statement was left out: ntriples has one graph, and this is of another than the default graph: <urn:trails:t:Note/a> <urn:trails:t:title> "in another graph" <urn:g>`,
		load.NQuads:   "",
		load.TriG:     "",
		load.JSONLD:   "",
	} {
		view(t, g, func(s *kg.Snapshot) error {
			got, err := s.Export(t.Context(), io.Discard, format, nil)
			if text := got.LeftOut.String(); text != want {
				t.Errorf("%s: got %s\nwant %s", format, text, want)
			}
			return err
		})
	}
	if got := out.String(); got != note("a", "A") {
		t.Errorf("got %s", got)
	}
}

func TestAnExportInAnUnknownFormatIsRefused(t *testing.T) {
	g := newGraph(t, notes)
	err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		_, err := s.Export(t.Context(), &bytes.Buffer{}, "xls", nil)
		return err
	})
	if !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("got %v", err)
	}
}

func TestAnExportEndsWhenItsOutputDoes(t *testing.T) {
	g := newGraph(t, notes)
	full := errors.New("the disk is full")
	for _, format := range kg.ExportFormats() {
		err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
			_, err := s.Export(t.Context(), failingWriter{full}, format, nil)
			return err
		})
		if format == load.NQuads && !errors.Is(err, full) { // the others have nothing to say yet, or say it in the buffer
			t.Errorf("%s: got %v", format, err)
		}
	}
	mustLoad(t, g, "in.ndjson", note("a", "A"))
	err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		_, err := s.Export(cancelled(t), &bytes.Buffer{}, load.NQuads, nil)
		return err
	})
	if err == nil {
		t.Error("a cancelled export went on")
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestEveryFormatSaysTheGraph loads what was exported into another graph.
func TestEveryFormatSaysTheGraph(t *testing.T) {
	g := newGraph(t, everything)
	mustLoad(t, g, "in.trig", `
@prefix e: <urn:e:> .
e:s a e:T ; e:p 01, "x"@en, 1.50, "a\nb", [ e:q ( 1 ( 2 ) ) ] .
e:g { e:s e:p _:shared, [ e:q true ] . }
_:shared e:q "in two graphs" .
_:named { e:s e:p _:named }
`)
	whole := quadsOf(t, export(t, g, load.NQuads))
	for _, format := range kg.ExportFormats() {
		t.Run(string(format), func(t *testing.T) {
			if format.OfNodes() {
				t.Skip("says nodes of declared types only; see above; TestATableOfATypeLoadsAsTheSameNodes has tables")
			}
			want := whole
			if format == load.NTriples || format == load.Turtle || format == load.RDFXML {
				want = slices.DeleteFunc(slices.Clone(whole), func(q rdf.Quad) bool { return q.Label != nil })
			}
			text := export(t, g, format)
			other := newGraph(t, "")
			if err := importInto(t, other, format, text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			got := quadsOf(t, export(t, other, load.NQuads))
			if !rdf.Isomorphic(want, got) {
				t.Errorf("got %d quads, want %d\n%s", len(got), len(want), text)
			}
			if again, err := tryLoad(t, g, kg.Load{Options: load.Options{Format: format}}, "again", text); err != nil || again.Changed {
				t.Errorf("loaded where it came from: %v, +%d -%d", err, again.AddedCount, again.RemovedCount)
			}
		})
	}
}

func TestOneGraphIsExported(t *testing.T) {
	g := newGraph(t, notes)
	mustLoad(t, g, "in.trig", `<urn:s> <urn:p> "default" . <urn:g> { <urn:s> <urn:p> "named" }`)
	for format, want := range map[load.Format]string{
		load.NTriples: "<urn:s> <urn:p> \"named\" .\n",
		load.NQuads:   "<urn:s> <urn:p> \"named\" <urn:g> .\n",
		load.Turtle:   "<urn:s> <urn:p> \"named\" .\n",
		load.TriG:     "<urn:g> {\n    <urn:s> <urn:p> \"named\" .\n}\n",
	} {
		var out strings.Builder
		view(t, g, func(s *kg.Snapshot) error {
			_, err := s.ExportGraph(t.Context(), &out, format, "urn:g", nil)
			return err
		})
		if out.String() != want {
			t.Errorf("%s: got %q, want %q", format, out.String(), want)
		}
	}
	var out strings.Builder
	view(t, g, func(s *kg.Snapshot) error {
		_, err := s.ExportGraph(t.Context(), &out, load.NQuads, rdf.DefaultGraph, nil)
		return err
	})
	if want := "<urn:s> <urn:p> \"default\" .\n"; out.String() != want {
		t.Errorf("the default graph: got %q, want %q", out.String(), want)
	}
}

func quadsOf(t *testing.T, text string) []rdf.Quad {
	t.Helper()
	r, quads := rdfio.NewNQuadsReader(strings.NewReader(text), rdfio.Limits{}), []rdf.Quad(nil)
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads
		}
		if err != nil {
			t.Fatal(err)
		}
		quads = append(quads, q)
	}
}
