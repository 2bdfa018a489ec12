package kg_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/schema"
	"trails/text/jsontext"
)

const things = `
types:
  Any:
    abstract: true
    properties:
      label: {type: string, required: true}
  Thing:
    extends: Any
    iri: preserve
    properties:
      flag: boolean
      count: integer
      big: big_integer
      price: decimal
      size: number
      day: date
      moment: datetime
      see: uri
      raw: bytes
      vector: {type: vector, dim: 2}
      vectors: {type: vector, many: true}
      tags: {type: string, many: true}
      title: {type: lang_string, many: true, unique_lang: true}
      notes: {type: lang_string, many: true}
      motto: lang_string
      month: year_month
      long: int64
      counts: {type: integer, many: true}
      next: {class: Any}
      near: {class: Any, many: true}
      about: {type: iri, many: true}
  Part:
    extends: Thing
`

func exportType(t *testing.T, g *kg.Graph, format load.Format, of string) (text string, done kg.Exported) {
	t.Helper()
	var out bytes.Buffer
	view(t, g, func(s *kg.Snapshot) (err error) {
		done, err = s.ExportType(t.Context(), &out, format, of, nil)
		return err
	})
	return out.String(), done
}

// TestATableOfATypeLoadsAsTheSameNodes takes nodes with values of every datatype, of texts
// that mean something in tables.
func TestATableOfATypeLoadsAsTheSameNodes(t *testing.T) {
	random := testrun.Random(t)
	text := func() string {
		pieces := []string{"a", "é", "世界", ",", ";", "\t", `"`, "\n", "\r\n", "\r", " ", "[", "]", "=1+1", "null", `\`, "%", "/"}
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	var data strings.Builder
	ids := []string{"a", "b c", "x;y", `q"r`, "c,d", "e/f", "urn:n:1", "1"}
	for _, id := range ids {
		node := map[string]any{"label": text()}
		maybe := func(name string, v any) {
			if random.IntN(3) > 0 {
				node[name] = v
			}
		}
		ref := func() string {
			to := ids[random.IntN(len(ids)-2)]
			return "Thing/" + to
		}
		maybe("flag", random.IntN(2) == 0)
		maybe("count", random.IntN(1<<40)-1<<39)
		maybe("big", "-123456789012345678901234567890")
		maybe("price", 12.5)
		maybe("size", random.NormFloat64()*1e30)
		maybe("day", "2024-05-31")
		maybe("moment", "2024-05-31T12:00:00.5+02:00")
		maybe("see", "https://example.org/?a=1;b=2,3")
		maybe("raw", "aGVsbG8=")
		maybe("vector", []any{0.1, -2e9})
		maybe("vectors", []any{[]any{1, 2}, []any{3}})
		maybe("tags", []any{text(), text(), "plain"})
		maybe("title", []any{schema.LangJSON(text(), "en"), schema.LangJSON(text(), "de")})
		maybe("notes", []any{schema.LangJSON(text(), "zh-Hant"), schema.LangJSON(text(), "en"), schema.LangJSON("plain", "en")})
		maybe("motto", schema.LangJSON(text(), "pt-BR"))
		maybe("month", "2024-05")
		maybe("long", "-9223372036854775808")
		maybe("counts", []any{3, 1, -2})
		maybe("next", ref())
		maybe("near", []any{ref(), ref(), "urn:n:1"})
		maybe("about", []any{"urn:x;y", "https://example.org/"})
		line, err := jsontext.Marshal(map[string]any{"type": "Thing", "id": id, "data": node})
		if err != nil {
			t.Fatal(err)
		}
		data.Write(append(line, '\n'))
	}
	first := newGraph(t, things)
	mustLoad(t, first, "in.ndjson", data.String())
	want := export(t, first, load.NDJSON)
	for _, format := range []load.Format{load.CSV, load.TSV} {
		table, done := exportType(t, first, format, "Thing")
		if done.Records != int64(len(ids)) || done.Left != 0 {
			t.Errorf("%s: %+v", format, done)
		}
		second := newGraph(t, things)
		if _, err := tryLoad(t, second, kg.Load{Options: load.Options{Format: format, Type: "Thing"}}, "in", table); err != nil {
			t.Fatalf("%v\n%s", err, table)
		}
		if diff := cmp.Diff(want, export(t, second, load.NDJSON)); diff != "" {
			t.Errorf("%s:\n%s\n%s", format, table, diff)
		}
	}
	if lines, done := exportType(t, first, load.NDJSON, "Thing"); lines != want || done.Left != 0 {
		t.Errorf("as NDJSON: %+v\n%s", done, lines)
	}
}

func TestATableOfATypeSaysWhatItLeavesOut(t *testing.T) {
	g := newGraph(t, things)
	mustLoad(t, g, "in.ndjson", `{"type":"Thing","id":"b","data":{"label":"","tags":["y","x"]}}
{"type":"Part","id":"p","data":{"label":"P"}}
{"type":"Thing","id":"a","data":{"label":"A","next":"Part/p"}}
`)
	mustLoad(t, g, "more.nq", `<urn:trails:t:Thing/a> <urn:p> "not of the type" .
<urn:trails:t:Thing/a> <urn:trails:t:label> "in another graph" <urn:g> .
_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Unknown> .
`)
	table, done := exportType(t, g, load.CSV, "Thing")
	want := "id,label,flag,count,big,price,size,day,moment,see,raw,vector,vectors,tags,title,notes,motto,month,long,counts,next,near,about\n" +
		"a,A,,,,,,,,,,,,,,,,,,,Part/p,,\n" + "b,,,,,,,,,,,,,x;y,,,,,,,,,\n"
	if diff := cmp.Diff(want, table); diff != "" || done.Records != 2 || done.Left != 3 {
		t.Errorf("%+v %s", done, diff)
	}
	if want := `3 statements were left out: Thing has no such property: <urn:trails:t:Thing/a> <urn:p> "not of the type"; csv has the default graph alone: <urn:trails:t:Thing/a> <urn:trails:t:label> "in another graph" <urn:g>; no cell reads back as it: <urn:trails:t:Thing/b> <urn:trails:t:label> ""`; done.LeftOut.String() != want {
		t.Errorf("got %s\nwant %s", done.LeftOut, want)
	}
}

func TestATypeThatCannotBeExportedIsNamed(t *testing.T) {
	g := newGraph(t, things)
	for _, c := range []struct {
		format load.Format
		of     string
		want   string
	}{
		{load.CSV, "Thingy", `there is no type "Thingy"; did you mean "Thing"?`},
		{load.CSV, "Any", "Any is abstract and has no nodes of its own; export its subtypes"},
		{load.NQuads, "Thing", `format "nquads" is not one of csv, tsv, ndjson`},
	} {
		err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
			_, err := s.ExportType(t.Context(), &bytes.Buffer{}, c.format, c.of, nil)
			return err
		})
		if got := fmt.Sprint(err); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(got, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
