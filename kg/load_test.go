package kg_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/sparql"
)

const notes = `
types:
  Note:
    label: title
    iri: preserve
    properties:
      title: {type: string, required: true}
      tags: {type: string, many: true}
      cites: {class: Note, many: true}
`

func note(id, title string) string {
	return fmt.Sprintf("{\"type\":\"Note\",\"id\":%q,\"data\":{\"title\":%q}}\n", id, title)
}

// problems are the places and messages of a refused load; the graph must be as before.
func problems(t *testing.T, g *kg.Graph, l kg.Load, text string) []string {
	t.Helper()
	before := export(t, g, load.NQuads)
	_, err := tryLoad(t, g, l, "in", text)
	if !fault.Is(err, fault.InvalidData) {
		t.Fatalf("got %v, want invalid data", err)
	}
	if export(t, g, load.NQuads) != before {
		t.Error("a refused load changed the graph")
	}
	var all []string
	for _, f := range fault.Of(err).Fields {
		all = append(all, f.String())
	}
	return all
}

func TestLinesThatNoTextFileCanShow(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, notes)
	long := note("long", strings.Repeat("x", 17<<20))
	for name, c := range map[string]struct {
		line, want string
	}{
		"invalid UTF-8":      {"{\"type\":\"Note\",\"id\":\"n\",\"data\":{\"title\":\"\xff\"}}\n", "the line is not valid UTF-8"},
		"half a character":   {`{"type":"Note","id":"n","data":{"tags":["a","\ud800"]}}` + "\n", "data.tags has half of a surrogate pair, such as \\ud800 by itself, which is no character"},
		"UTF-16":             {"\xff\xfe{\x00}\x00\n", "the line is not valid UTF-8"},
		"NUL":                {"{\"type\":\"Note\",\x00}\n", "the line is not a JSON object that trails reads: invalid character '\\x00' looking for beginning of object key string"},
		"deep nesting":       {`{"type":"Note","data":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}\n", "the line has objects and arrays within each other more than 10000 deep; give it less of that"},
		"a deep value":       {`{"type":"Note","id":"n","data":{"title":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}}\n", "Note/n: title takes one value, not an array"},
		"a line of 17 MiB":   {long, "the line is longer than 16777216 bytes; shorten it, or divide it"},
		"without an end":     {strings.TrimSuffix(long, "\n"), "the line is longer than 16777216 bytes; shorten it, or divide it"},
		"no quote at an end": {`{"type":"Note` + "\n", "the JSON object does not end on its line"},
	} {
		t.Run(name, func(t *testing.T) {
			got := problems(t, g, kg.Load{Options: load.Options{Format: load.NDJSON}}, note("a", "A")+c.line)
			if diff := cmp.Diff([]string{"in:2: " + c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAfterALineThatIsTooLongTheNextOneIsRead(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, notes)
	for format, lines := range map[load.Format][2]string{
		load.NDJSON: {note("long", strings.Repeat("x", 17<<20)), `{"type":"Nota"}`},
		load.NQuads: {`<urn:s> <urn:p> "` + strings.Repeat("x", 17<<20) + "\" .\n", "<urn:s>"},
	} {
		got := problems(t, g, kg.Load{Options: load.Options{Format: format}}, lines[1]+"\n"+lines[0]+"\n"+lines[1]+"\n"+lines[0])
		places := regexp.MustCompile(`in:\d+`).FindAllString(strings.Join(got, "\n"), -1)
		slices.Sort(places)
		if diff := cmp.Diff([]string{"in:1", "in:2", "in:4", "in:5"}, places); diff != "" {
			t.Errorf("%s: %s\n%s", format, diff, strings.Join(got, "\n"))
		}
	}
}

func TestALineMayBeAsLongAsTheLimit(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, notes)
	mustLoad(t, g, "in.ndjson", note("long", strings.Repeat("x", 16<<20-60)))
	if got := len(export(t, g, load.NDJSON)); got < 16<<20-60 {
		t.Errorf("the export has %d bytes", got)
	}
}

func TestBadLinesAreReportedUpToALimit(t *testing.T) {
	g := newGraph(t, notes)
	text := note("a", "A") + strings.Repeat("?\n", 5000)
	if got := problems(t, g, kg.Load{Options: load.Options{Format: load.NDJSON}}, text); len(got) != 1 || !strings.HasPrefix(got[0], "in:2: ") || !strings.HasSuffix(got[0], " (and so 4999 more: in:3, in:4, …)") {
		t.Errorf("got %q", got)
	}
	if got := problems(t, g, kg.Load{Options: load.Options{Format: load.NDJSON}}, text+text+text); len(got) != 1 || !strings.HasSuffix(got[0], " (and so 9999 more: in:3, in:4, …)") {
		t.Errorf("got %q", got)
	}
	var twice strings.Builder
	for i := range 3000 {
		twice.WriteString(note(fmt.Sprint(i%1500), "T"))
	}
	if got := problems(t, g, kg.Load{Options: load.Options{Format: load.NDJSON, Mode: load.Append}}, twice.String()); len(got) != 1 || !strings.Contains(got[0], "and so 1499 more") {
		t.Errorf("of nodes given twice: %q", got)
	}
}

func TestAValueThatIsTooLongToRepeatIsCut(t *testing.T) {
	g := newGraph(t, strings.Replace(notes, "required: true", "required: true, max_length: 5", 1))
	for name, line := range map[string]string{
		"a value that breaks the schema": note("a", strings.Repeat("é", 10_000)),
		"a value that cannot be read":    `{"type":"Note","id":"a","data":{"title":"A","tags":{"x":"` + strings.Repeat("é", 10_000) + `"}}}`,
	} {
		_, err := tryLoad(t, g, kg.Load{Options: load.Options{Format: load.NDJSON}}, "in", line)
		for _, f := range fault.Of(err).Fields {
			text, _ := f.Value.(string)
			if len(text) > 1010 || !strings.HasSuffix(text, "é…") || len(f.Message) > 1000 {
				t.Errorf("%s: a value of %d bytes, a message of %d", name, len(text), len(f.Message))
			}
		}
	}
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzipIsToldByItsContent(t *testing.T) {
	g := newGraph(t, notes)
	nquads := "<" + base + "Note/c> <urn:seen> \"1\" .\n"
	two := append(zip(t, note("a", "A")), zip(t, note("b", "B"))...) // two members make one stream
	_, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{
		{Name: "notes.ndjson.gz", Reader: bytes.NewReader(two)},
		{Name: "stdin", Reader: bytes.NewReader(zip(t, note("c", "C")))},
		{Name: "more", Reader: iotest.OneByteReader(strings.NewReader(note("d", "D")))},
		{Name: "seen.NQ.GZ", Reader: bytes.NewReader(zip(t, nquads))},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := note("a", "A") + note("b", "B") + note("c", "C") + note("d", "D")
	if diff := cmp.Diff(want, export(t, g, load.NDJSON)); diff != "" {
		t.Error(diff)
	}
	if got := head(t, g); got.Seq != 2 || got.Added != 9 {
		t.Errorf("several inputs made commit %d, +%d", got.Seq, got.Added)
	}
}

func TestInputThatCannotBeReadToItsEndIsRefused(t *testing.T) {
	g := newGraph(t, notes)
	before := head(t, g)
	whole := zip(t, note("a", "A")+strings.Repeat(note("b", "B"), 100))
	damaged := slices.Clone(whole)
	damaged[len(damaged)-6] ^= 1 // the checksum
	broken := errors.New("the cable is out")
	for name, c := range map[string]struct {
		in   io.Reader
		kind fault.Kind
		says string
	}{
		"gzip cut short":           {bytes.NewReader(whole[:len(whole)-10]), fault.Malformed, "in.ndjson: the gzip data is damaged or cut short"},
		"gzip cut in its header":   {bytes.NewReader(whole[:5]), fault.Malformed, "in.ndjson: the gzip data is damaged or cut short"},
		"gzip with bad checksum":   {bytes.NewReader(damaged), fault.Malformed, "in.ndjson: the gzip data is damaged or cut short"},
		"gzip and something else":  {io.MultiReader(bytes.NewReader(whole), strings.NewReader("?")), fault.Malformed, "in.ndjson: the gzip data is damaged or cut short"},
		"a read error":             {io.MultiReader(strings.NewReader(note("a", "A")), iotest.ErrReader(broken)), fault.Unusable, "in.ndjson cannot be read"},
		"a read error in a line":   {io.MultiReader(strings.NewReader(`{"type":`), iotest.ErrReader(broken)), fault.Unusable, "in.ndjson cannot be read"},
		"a fault of who gave it":   {iotest.ErrReader(fault.New(fault.TooLarge, "the body has more than 32 MiB")), fault.TooLarge, "the body has more than 32 MiB"},
		"a read error, keep going": {io.MultiReader(strings.NewReader("?\n"), iotest.ErrReader(broken)), fault.Unusable, "in.ndjson cannot be read"},
	} {
		_, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Format: load.NDJSON, Inputs: []load.Input{{Name: "in.ndjson", Reader: c.in}}}})
		if !fault.Is(err, c.kind) || !strings.HasPrefix(fault.Of(err).Message, c.says) {
			t.Errorf("%s: got %v", name, err)
		}
		if c.kind == fault.Unusable && !errors.Is(err, broken) {
			t.Errorf("%s: %v has lost its cause", name, err)
		}
	}
	_, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "in.nq", Reader: iotest.ErrReader(broken)}}}})
	if !fault.Is(err, fault.Unusable) {
		t.Errorf("N-Quads: got %v", err)
	}
	if head(t, g).ID != before.ID {
		t.Error("something was committed")
	}
}

func TestALoadCanBeCancelled(t *testing.T) {
	g := newGraph(t, notes)
	before := head(t, g)
	for _, format := range []load.Format{load.NDJSON, load.NQuads} {
		ctx, cancel := context.WithCancel(t.Context())
		endless := &endlessLines{format: format, after: 100_000, then: cancel}
		_, err := g.Session(ana).Load(ctx, kg.Load{Options: load.Options{Format: format, Inputs: []load.Input{{Name: "endless", Reader: endless}}}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", format, err)
		}
	}
	if head(t, g).ID != before.ID {
		t.Error("something was committed")
	}
}

// endlessLines never ends; after some lines it calls then.
type endlessLines struct {
	format load.Format
	after  int
	then   func()
	n      int
	rest   []byte
}

func (e *endlessLines) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.n++; e.n == e.after {
			e.then()
		}
		e.rest = []byte(note("n", "N"))
		if e.format == load.NQuads {
			e.rest = []byte("<urn:s> <urn:p> <urn:o> .\n")
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestALoadSaysHowFarItIs(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, notes)
	var text strings.Builder
	for i := range 10_000 {
		text.WriteString(note(fmt.Sprint(i), "T"))
	}
	last := map[string]kg.Progress{}
	l := kg.Load{Options: load.Options{Format: load.NDJSON}, Progress: func(p kg.Progress) {
		if p.Done <= last[p.Phase].Done {
			t.Errorf("%s went from %d to %d", p.Phase, last[p.Phase].Done, p.Done)
		}
		last[p.Phase] = p
	}}
	l.Inputs = []load.Input{{Name: "in", Reader: strings.NewReader(text.String()), Size: int64(text.Len())}}
	if _, err := g.Session(ana).Load(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got := last["read"]; got.Unit != "bytes" || got.Total != int64(text.Len()) || got.Done > got.Total {
		t.Errorf("read: %+v", got)
	}
	if got := last["write"]; got.Unit != "edits" || got.Done > got.Total {
		t.Errorf("write: %+v", got)
	}
	if got := last["validate"]; got.Unit != "nodes" || got.Done < 4096 {
		t.Errorf("validate: %+v", got)
	}
}

func TestAModeThatThereIsNotIsRefused(t *testing.T) {
	g := newGraph(t, notes)
	_, err := tryLoad(t, g, kg.Load{Options: load.Options{Mode: "mix"}}, "in", note("a", "A"))
	if !fault.Is(err, fault.InvalidArguments) || fault.Of(err).Fields[0].Message != `mode "mix" is not one of merge, append, skip, overwrite, replace` {
		t.Errorf("got %v", err)
	}
}

func TestOverwritingTooManyTypesIsRefused(t *testing.T) {
	g := newGraph(t, "")
	var text strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&text, "<urn:s> <%s> <urn:t:%d> .\n", string(rdf.Type), i)
	}
	if _, err := tryLoad(t, g, kg.Load{Options: load.Options{Mode: load.Overwrite}}, "in.nq", text.String()); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := tryLoad(t, g, kg.Load{Options: load.Options{Mode: load.Merge}}, "in.nq", text.String()); err != nil {
		t.Error(err)
	}
}

func TestASchemaThatChangesWhileALoadReadsIsAConflict(t *testing.T) {
	path := newFile(t, notes)
	g, other := open(t, path), open(t, path)
	slow := &hooked{Reader: strings.NewReader(note("a", "A")), hook: func() {
		if _, _, err := other.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(strings.Replace(notes, "title: {", "year: {type: year}\n      title: {", 1))}); err != nil {
			t.Error(err)
		}
	}}
	_, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Format: load.NDJSON, Inputs: []load.Input{{Name: "in", Reader: slow}}}})
	if !fault.Is(err, fault.Conflict) || fault.Of(err).Message != "the schema changed while the data was read; run it again" {
		t.Errorf("got %v", err)
	}
	mustLoad(t, g, "in.ndjson", note("a", "A"))
}

// hooked calls hook when its reader ends.
type hooked struct {
	io.Reader
	hook func()
}

func (h *hooked) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err == io.EOF && h.hook != nil {
		h.hook()
		h.hook = nil
	}
	return n, err
}

func TestAKeyStandsForTheDataOfALoad(t *testing.T) {
	g := newGraph(t, notes)
	put := func(line string) (kg.Loaded, error) {
		return g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "in.ndjson", Reader: strings.NewReader(line)}}}, Set: kg.ChangeSet{Key: kg.IdempotencyKey{Key: "nightly"}}})
	}
	first, err := put(note("a", "A title"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := put(note("a", "A title"))
	if err != nil || !again.Replayed || again.After.ID != first.After.ID {
		t.Errorf("the same data again: got %v, %v, want the first commit", again.Result, err)
	}
	if _, err := put(note("b", "Another title")); !fault.Is(err, fault.Precondition) {
		t.Errorf("other data under the same key: got %v, want a lost precondition", err)
	}
}

// What a document says and RDF has no terms for is counted by every way in.
func TestALoadCountsWhatItLeavesOut(t *testing.T) {
	const document = `{"@id":"urn:s","urn:p":[{"@id":"urn:a|b"},1],"rel":"lost"}`
	for _, mode := range []load.Mode{load.Merge, load.Append, load.Replace} {
		g := open(t, newFile(t, ""))
		done, err := tryLoad(t, g, kg.Load{Options: load.Options{Mode: mode, Graph: "urn:g"}}, "a.jsonld", document)
		if err != nil || done.AddedCount != 1 || done.LeftOut.Count != 2 || done.LeftOut.First[0].Source != "a.jsonld" {
			t.Errorf("%s: got +%d, left out %v, %v", mode, done.AddedCount, done.LeftOut, err)
		}
	}
	var heard kg.Loaded
	o := kg.CreateOptions{Base: base, By: ana, Now: clock(), Imported: func(done kg.Loaded) { heard = done }}
	o.Export = &kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "a.jsonld", Reader: strings.NewReader(document)}}}}
	if err := kg.Create(t.Context(), newPath(t, t.TempDir()), o); err != nil || heard.LeftOut.Count != 2 {
		t.Errorf("a new file: left out %v, %v", heard.LeftOut, err)
	}
}

// Statements whose IRI or language tag is none are refused with the way to leave them out,
// and with lenient left out, counted and listed with their places.
func TestALenientLoadLeavesOutWhatIsOfOneStatement(t *testing.T) {
	for name, text := range map[string]string{
		"a.nt":  "<urn:s> <urn:p> <urn:a|b> .\n<urn:s> <urn:p> <urn:ok> .\n",
		"a.ttl": "<urn:s> <urn:p> \"z\"@zh-classical, <urn:ok> .\n",
		"a.rdf": `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:"><rdf:Description rdf:about="urn:s"><e:p rdf:resource="urn:a b"/><e:p rdf:resource="urn:ok"/></rdf:Description></rdf:RDF>`,
	} {
		g := open(t, newFile(t, ""))
		if _, err := tryLoad(t, g, kg.Load{}, name, text); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "--lenient") {
			t.Errorf("%s: got %v, want a refusal that names --lenient", name, err)
		}
		done, err := tryLoad(t, g, kg.Load{Options: load.Options{Lenient: true}}, name, text)
		if err != nil || done.AddedCount != 1 || done.LeftOut.Count != 1 || done.LeftOut.First[0].Line != 1 || done.LeftOut.First[0].Column == 0 || done.LeftOut.First[0].Source != name {
			t.Errorf("%s: got +%d, left out %+v, %v", name, done.AddedCount, done.LeftOut, err)
		}
	}
}

// A name that RDF or RDF Schema does not have is warned of, in every format, once.
func TestALoadWarnsOfNamesThatRDFDoesNotHave(t *testing.T) {
	const rdfxml = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:"><rdf:Description rdf:about="urn:s">%s</rdf:Description></rdf:RDF>`
	for text, want := range map[string]string{
		fmt.Sprintf(rdfxml, `<e:p rdf:resourc="urn:o"/>`):                                      "rdf:resourc is no name of that vocabulary (once in d:1); did you mean rdf:resource?",
		fmt.Sprintf(rdfxml, `<e:p rdf:datatyp="urn:o"/>`):                                      "did you mean rdf:datatype?",
		fmt.Sprintf(rdfxml, `<e:p rdf:resource="urn:o"/><rdf:_1>x</rdf:_1><rdf:li>y</rdf:li>`): "",
		`<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#tpye> <urn:T>, <urn:U> .`:         "rdf:tpye is no name of that vocabulary (2 times, first in d:1); did you mean rdf:type?",
		`<urn:s> <http://www.w3.org/2000/01/rdf-schema#lable> "x" .`:                           "did you mean rdfs:label?",
		`<urn:s> a <http://www.w3.org/2000/01/rdf-schema#class> .`:                             "did you mean rdfs:Class?",
		`<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#resource> <urn:o> .`:              "attributes alone",
		`<urn:s> a <http://www.w3.org/2000/01/rdf-schema#Class> ; <urn:p> ( 1 2 ) .`:           "",
		`{"@id":"urn:s","http://www.w3.org/2000/01/rdf-schema#coment":"x"}`:                    "did you mean rdfs:comment?",
	} {
		g := open(t, newFile(t, ""))
		done, err := tryLoad(t, g, kg.Load{}, "d", text)
		if err != nil || (want == "") != (len(done.Doubts) == 0) || !strings.Contains(strings.Join(done.Doubts, "\n"), want) {
			t.Errorf("%s: got %q, %v, want %q", text, done.Doubts, err, want)
		}
	}
}

// A subclass of a type that data declares makes no subtype, and every way to write one says so.
func TestASubclassOfATypeInDataIsWarnedOf(t *testing.T) {
	g := open(t, newFile(t, "types: {Person: {open: true, properties: {name: string}}}"))
	for text, warned := range map[string]bool{
		"<urn:x:B> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <" + base + "Person> .": true,
		"<urn:x:B> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:x:A> .":            false,
	} {
		done, err := tryLoad(t, g, kg.Load{}, "a.nt", text)
		if err != nil || (len(done.Doubts) == 1 && strings.Contains(done.Doubts[0], "extends Person")) != warned {
			t.Errorf("%s: got %q, %v", text, done.Doubts, err)
		}
		u, err := sparql.ParseUpdate("INSERT DATA { GRAPH <urn:g> { "+text+" } }", sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := g.Session(ana).Update(t.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
		if err != nil || (len(result.Doubts) > 0) != warned {
			t.Errorf("INSERT DATA %s: got %q, %v", text, result.Doubts, err)
		}
	}
}
