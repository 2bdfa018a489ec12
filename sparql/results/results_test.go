package results_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/results"
)

func write(t interface{ Fatal(...any) }, f results.Format, r results.Result) []byte {
	var out bytes.Buffer
	w, err := results.NewWriter(&out, f)
	if err != nil {
		t.Fatal(err)
	}
	if r.IsBoolean {
		err = w.Boolean(r.Boolean)
	} else {
		err = w.Head(r.Vars)
		for _, row := range r.Rows {
			err = errors.Join(err, w.Row(row))
		}
		err = errors.Join(err, w.End())
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var (
	iris    = rapid.StringMatching(`http://example\.org/[a-zé&]{0,8}`)
	labels  = rapid.StringMatching(`[a-z][a-z0-9]{0,5}`)
	texts   = rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune("a ,;\"'<>&\\\t\n\r?_:é食👪^@.0-"))), rapid.StringMatching(`[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9])?`))
	anyTerm = rapid.OneOf(
		rapid.Map(iris, func(s string) rdf.Term { return rdf.IRI(s) }),
		rapid.Map(labels, func(s string) rdf.Term { return rdf.BNode(s) }),
		rapid.Map(texts, func(s string) rdf.Term { return rdf.Literal(s, "") }),
		rapid.Custom(func(t *rapid.T) rdf.Term {
			return rdf.LangLiteral(texts.Draw(t, "text"), rapid.SampledFrom([]string{"en", "de-CH", "ja"}).Draw(t, "tag"))
		}),
		rapid.Custom(func(t *rapid.T) rdf.Term {
			types := []rdf.IRI{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean, "http://example.org/t"}
			return rdf.Literal(texts.Draw(t, "text"), rapid.SampledFrom(types).Draw(t, "type"))
		}),
		rapid.Just[rdf.Term](nil),
	)
	tables = rapid.Custom(func(t *rapid.T) results.Result {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé][a-z0-9_]{0,4}`), 0, 4, rapid.ID).Draw(t, "vars")
		out := results.Result{}
		for _, name := range names {
			out.Vars = append(out.Vars, sparql.Var(name))
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			row := make([]rdf.Term, len(names))
			for i := range row {
				row[i] = anyTerm.Draw(t, "term")
			}
			out.Rows = append(out.Rows, row)
		}
		return out
	})
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML, results.TSV} {
		t.Run(string(f), rapid.MakeCheck(func(t *rapid.T) {
			want := tables.Draw(t, "table")
			got, err := results.Read(bytes.NewReader(write(t, f, want)), f, results.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}))
	}
}

// TestCSVKeepsTexts: of a term, CSV keeps the text, and that it is a blank node.
func TestCSVKeepsTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := tables.Draw(t, "table")
		got, err := results.Read(bytes.NewReader(write(t, results.CSV, want)), results.CSV, results.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range want.Rows {
			for i, term := range row {
				if _, blank := term.(rdf.BNode); term != nil && !blank {
					row[i] = rdf.Literal(rdf.Lexical(term), "")
				}
				if s := rdf.Lexical(row[i]); rdf.IsLiteral(row[i]) && strings.HasPrefix(s, "_:") && !strings.ContainsAny(s, ",\"\r\n") {
					row[i] = rdf.BNode(s[2:]) // a text that looks like a blank node reads as one
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBooleans(t *testing.T) {
	for _, f := range results.Formats {
		for _, answer := range []bool{true, false} {
			want := results.Result{IsBoolean: true, Boolean: answer}
			got, err := results.Read(bytes.NewReader(write(t, f, want)), f, results.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", f, diff)
			}
		}
	}
}

var example = results.Result{
	Vars: []sparql.Var{"x", "y"},
	Rows: [][]rdf.Term{
		{rdf.IRI("http://example.org/a?b&c"), rdf.Literal("1", rdf.XSDInteger)},
		{rdf.BNode("b"), rdf.LangLiteral("a \"b\"\n<c>", "en")},
		{nil, rdf.Literal("", "")},
		{rdf.Literal("\r\x01", ""), nil},
		{nil, nil},
	},
}

func TestHowEachFormatLooks(t *testing.T) {
	for f, want := range map[results.Format]string{
		results.JSON: `{"head":{"vars":["x","y"]},"results":{"bindings":[
{"x":{"type":"uri","value":"http://example.org/a?b&c"},"y":{"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"1"}},
{"x":{"type":"bnode","value":"b"},"y":{"type":"literal","xml:lang":"en","value":"a \"b\"\n<c>"}},
{"y":{"type":"literal","value":""}},
{"x":{"type":"literal","value":"\r\u0001"}},
{}
]}}
`,
		results.XML: `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/><variable name="y"/></head>
<results>
<result><binding name="x"><uri>http://example.org/a?b&amp;c</uri></binding><binding name="y"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">1</literal></binding></result>
<result><binding name="x"><bnode>b</bnode></binding><binding name="y"><literal xml:lang="en">a &#34;b&#34;
&lt;c&gt;</literal></binding></result>
<result><binding name="y"><literal></literal></binding></result>
<result><binding name="x"><literal>&#13;` + "\uFFFD" + `</literal></binding></result>
<result></result>
</results>
</sparql>
`,
		results.CSV: "x,y\r\nhttp://example.org/a?b&c,1\r\n_:b,\"a \"\"b\"\"\n<c>\"\r\n,\"\"\r\n\"\r\x01\",\r\n,\r\n",
		results.TSV: "?x\t?y\n<http://example.org/a?b&c>\t1\n_:b\t\"a \\\"b\\\"\\n<c>\"@en\n\t\"\"\n\"\\r\\u0001\"\t\n\t\n",
	} {
		if diff := cmp.Diff(want, string(write(t, f, example))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
	}
}

func TestReadersSayWhere(t *testing.T) {
	const head = `<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head>`
	for _, c := range []struct {
		f          results.Format
		text, want string
	}{
		{results.JSON, "", "line 1, column 1: not JSON: it ends too early"},
		{results.JSON, "{\n \"head\" 1}", "line 2, column 9: not JSON: invalid character '1' after object key"},
		{results.JSON, `{}`, `line 1, column 3: expected one of "results" and "boolean"`},
		{results.JSON, `{"boolean":true,"results":{}}`, `line 1, column 30: expected one of "results" and "boolean"`},
		{results.JSON, `{"boolean":1}`, "line 1, column 13: expected true or false"},
		{results.JSON, `{"head":{"vars":["x","x"]}}`, `line 1, column 25: the variable "x" twice`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"y":{"type":"uri","value":"a:b"}}]}}`, `line 1, column 47: the variable "y" is not in the head`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"URI","value":"a:b"}}]}}`, `line 1, column 80: expected a term whose "type" is uri, literal or bnode`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri"}}]}}`, `line 1, column 66: expected a term with a "value"`},
		{results.JSON, `{"boolean":true} x`, "line 1, column 18: expected nothing more"},
		{results.JSON, `{"head":{"vars":["\udc00"]}}`, "line 1, column 19: head.vars has half of a surrogate pair, such as \\ud800 by itself, which is no character"},
		{results.JSON, "{\"é\xff", "line 1, column 4: not UTF-8"},
		{results.XML, "<a/>", "line 1, column 5: expected the element sparql of http://www.w3.org/2005/sparql-results#"},
		{results.XML, head, "line 1, column 89: not XML: unexpected EOF"},
		{results.XML, head + "</sparql>", "line 1, column 98: expected one of results and boolean"},
		{results.XML, head + "<boolean>yes</boolean></sparql>", "line 1, column 111: expected true or false"},
		{results.XML, head + "<results><result><binding name='y'><uri>a:b</uri></binding></result></results></sparql>", `line 1, column 124: the variable "y" is not in the head`},
		{results.XML, head + "<results><result><binding name='x'/></result></results></sparql>", "line 1, column 125: expected a term"},
		{results.XML, head + "<results>text</results></sparql>", "line 1, column 102: expected an element, not text"},
		{results.XML, head + "<boolean>true</boolean></sparql><x/>", "line 1, column 125: expected nothing more"},
		{results.XML, "<!DOCTYPE x [<!ENTITY a 'b'>]>" + head + "<boolean>&a;</boolean></sparql>", "line 1, column 131: not XML: invalid character entity &a;"},
		{results.CSV, "x,y\r\n1\r\n", "line 2, column 1: expected 2 fields, found 1"},
		{results.CSV, "x\r\na\"b\r\n", "line 2, column 2: a quotation mark inside of a field without them"},
		{results.CSV, "x\r\n\"a\r\n", "line 2, column 1: a quotation mark that nothing closes"},
		{results.CSV, "x\r\n\"a\"b\r\n", "line 2, column 4: expected a comma or the end of the line"},
		{results.TSV, "x\n", "line 1, column 1: expected a variable, with its question mark"},
		{results.TSV, "?x\t?x\n", `line 1, column 4: the variable "x" twice`},
		{results.TSV, "?x\t?y\n1\n", "line 2, column 1: expected 2 fields, found 1"},
		{results.TSV, "?x\t?y\n\t<http://a b>\n", "line 2, column 11: expected"},
		{results.TSV, "?x\n\"a\" . #\n", "line 2, column 1: expected one term"},
		{results.TSV, "?x\n\"a\" <x:y>\n", "line 2, column"},
		{results.TSV, "?x\nabc\n", "line 2, column 1: expected"},
	} {
		_, err := results.Read(strings.NewReader(c.text), c.f, results.Limits{})
		if !fault.Is(err, fault.Malformed) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %q:\n got %v\nwant %s", c.f, c.text, err, c.want)
		}
	}
}

func TestReadersHaveLimits(t *testing.T) {
	table := results.Result{Vars: []sparql.Var{"x", "y"}, Rows: [][]rdf.Term{{nil, rdf.BNode("a")}, {nil, rdf.BNode("a")}}}
	for _, f := range results.Formats {
		text := write(t, f, table)
		for name, limits := range map[string]results.Limits{"bytes": {Bytes: len(text) - 1}, "rows": {Rows: 1}, "vars": {Vars: 1}} {
			if _, err := results.Read(bytes.NewReader(text), f, limits); !fault.Is(err, fault.TooLarge) {
				t.Errorf("%s, %s: got error %v", f, name, err)
			}
		}
		if _, err := results.Read(bytes.NewReader(text), f, results.Limits{Bytes: len(text), Rows: 2, Vars: 2}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestJSONMayHaveItsHeadLast(t *testing.T) {
	const text = `{"more":[{"a":[1]}],"results":{"distinct":true,"bindings":[{"x":{"value":"1","type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}]},"head":{"link":[],"vars":["x"]}}`
	got, err := results.Read(strings.NewReader(text), results.JSON, results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := results.Result{Vars: []sparql.Var{"x"}, Rows: [][]rdf.Term{{rdf.Literal("1", rdf.XSDInteger)}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMediaTypes(t *testing.T) {
	for _, f := range results.Formats {
		if got, ok := results.FormatOf(f.MediaType()); !ok || got != f {
			t.Errorf("%s: got %q, %v", f.MediaType(), got, ok)
		}
	}
	if _, ok := results.FormatOf("text/html"); ok {
		t.Error("text/html is a format")
	}
	if _, err := results.NewWriter(io.Discard, "yaml"); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("yaml: got error %v", err)
	}
}

type broken struct{ after int }

func (b *broken) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestAWriterStreamsAndRemembersAnError(t *testing.T) {
	w, _ := results.NewWriter(&broken{after: 2}, results.TSV)
	_ = w.Head([]sparql.Var{"x"})
	row := []rdf.Term{rdf.Literal(strings.Repeat("a", 20<<10), "")}
	for i := range 2 {
		if err := w.Row(row); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	for range 2 {
		if err := w.Row(row); err != io.ErrClosedPipe {
			t.Fatalf("got error %v", err)
		}
	}
	if err := w.End(); err != io.ErrClosedPipe {
		t.Errorf("got error %v", err)
	}
}

// TestAnswersOfTheSuiteAreRead reads every answer in the suites, and writes and
// reads it again.
func TestAnswersOfTheSuiteAreRead(t *testing.T) {
	root := os.Getenv("TRAILS_SUITES")
	if root == "" {
		root = "../../../shared/suites"
	}
	files := 0
	for ext, f := range map[string]results.Format{"srj": results.JSON, "srx": results.XML, "csv": results.CSV, "tsv": results.TSV} {
		found, err := filepath.Glob(filepath.Join(root, "rdf-tests/sparql/*/*/*."+ext))
		if err != nil {
			t.Fatal(err)
		}
		files += len(found)
		for _, path := range found {
			readAgain(t, path, f)
		}
	}
	if files == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no suites under %s", root)
		}
		t.Skipf("SKIPPED: no suites under %s; TRAILS_SUITES says where", root)
	}
	t.Logf("%d answers", files)
}

func readAgain(t *testing.T, path string, f results.Format) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := results.Read(bytes.NewReader(text), f, results.Limits{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	got, err := results.Read(bytes.NewReader(write(t, f, want)), f, results.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// FuzzRead: no text makes a reader panic, what is refused has a place, and what one
// reads is written so that it reads the same again, in its own format and in JSON.
func FuzzRead(f *testing.F) {
	for i, format := range results.Formats {
		f.Add(uint8(i), write(f, format, example))
		f.Add(uint8(i), write(f, format, results.Result{IsBoolean: true}))
		for _, text := range suiteFiles(f, format) {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		format := results.Formats[int(which)%len(results.Formats)]
		const rows = 1000
		want, err := results.Read(bytes.NewReader(text), format, results.Limits{Rows: rows})
		var syntax *fault.SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1) {
			t.Fatalf("got error %v", err)
		}
		if len(want.Rows) > rows {
			t.Fatalf("%d rows", len(want.Rows))
		}
		if err != nil || want.IsBoolean {
			return
		}
		for _, as := range []results.Format{format, results.JSON} {
			written := write(t, as, want)
			got, err := results.Read(bytes.NewReader(written), as, results.Limits{})
			if err != nil {
				t.Fatalf("%s: %v:\n%s", as, err, written)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: %s\n%s", as, diff, written)
			}
		}
	})
}

// suiteFiles are the answers of the suites in a format; none without the suites.
func suiteFiles(f *testing.F, format results.Format) [][]byte {
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "suites")
	}
	extension := map[results.Format]string{results.JSON: ".srj", results.XML: ".srx", results.CSV: ".csv", results.TSV: ".tsv"}[format]
	var texts [][]byte
	_ = filepath.WalkDir(filepath.Join(dir, "rdf-tests", "sparql"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != extension {
			return nil //nolint:nilerr // there may be no suites
		}
		text, err := os.ReadFile(name)
		texts = append(texts, text)
		return err
	})
	return texts
}

func BenchmarkWrite(b *testing.B) {
	row := []rdf.Term{rdf.IRI("http://example.org/things/1234"), rdf.Literal("a label of a thing", ""), rdf.Literal("42", rdf.XSDInteger)}
	for _, f := range results.Formats {
		b.Run(string(f), func(b *testing.B) {
			w, _ := results.NewWriter(io.Discard, f)
			_ = w.Head([]sparql.Var{"s", "label", "n"})
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Row(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
