package rdfio_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// references are drawn of what RFC 3986 has rules for, and of what net/url changes.
var (
	referenceParts = []string{"", "#", "?", "#f", "?q", "?q#f", "a", "a/", "/", "/a", "//h/p", "../", "./", "..", "a/../b", "a;p=1", "%C3%A9", "%zz", "é", "a,b", "x:y/z"[2:], "a.b", "~a", "a&b=c", "a+b", "(a)", "'a'"}
	jsonldBases    = []string{"http://ex/d/e", "http://ex/d/e#f", "http://ex/d/e?q", "http://ex", "http://ex/a/b/", "urn:x:y", "http://ex/%C3%A9/x", "http://ex/é?é#é", "file:///a/b"}
)

// Relative IRIs are resolved by [rdf.ResolveIRI] wherever JSON-LD resolves one.
func TestRelativeIRIsOfJSONLDAreResolvedByRFC3986(t *testing.T) {
	reference := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(referenceParts), 1, 2).Draw(t, "parts"), "")
	})
	text := func(s string) string {
		quoted, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(quoted)
	}
	rapid.Check(t, func(t *rapid.T) {
		base, ref, inner := rapid.SampledFrom(jsonldBases).Draw(t, "base"), reference.Draw(t, "reference"), reference.Draw(t, "inner base")
		if rdf.IsAbsoluteIRI(ref) || rdf.IsAbsoluteIRI(inner) {
			return
		}
		innerBase, err := rdf.ResolveIRI(base, inner)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ name, document, base string }{
			{"@id", `{"@id":%s,"urn:p":1}`, base},
			{"@id under @base", `{"@context":{"@base":` + text(base) + `},"@id":%s,"urn:p":1}`, base},
			{"@id under a relative @base", `{"@context":{"@base":` + text(inner) + `},"@id":%s,"urn:p":1}`, innerBase},
			{"@id under a relative @base in another", `{"@context":[{"@base":` + text(base) + `},{"@base":` + text(inner) + `}],"@id":%s,"urn:p":1}`, innerBase},
			{"a node within", `{"@context":{"@base":` + text(base) + `},"@graph":[{"@id":%s,"urn:p":1}]}`, base},
			{"a coerced value", `{"@context":{"p":{"@id":"urn:p","@type":"@id"}},"@id":"urn:s","p":%s}`, base},
			{"@type", `{"@id":"urn:s","@type":%s}`, base},
			{"a datatype", `{"@id":"urn:s","urn:p":{"@value":"x","@type":%s}}`, base},
			{"an id map", `{"@context":{"p":{"@id":"urn:p","@container":"@id"}},"@id":"urn:s","p":{%s:{"urn:q":1}}}`, base},
			{"a graph's name", `{"@id":%s,"@graph":[{"@id":"urn:s","urn:p":1}]}`, base},
			{"a relative vocabulary", `{"@context":{"@vocab":%s},"@id":"urn:s","/":1}`, base},
		} {
			want, err := rdf.ResolveIRI(c.base, ref)
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "a relative vocabulary" {
				want += "/"
			}
			document := strings.Replace(c.document, "%s", text(ref), 1)
			got, err := readAll(rdfio.NewJSONLDReader(strings.NewReader(document), base, rdfio.Limits{}, nil))
			if err != nil || !slices.ContainsFunc(got, func(q rdf.Quad) bool {
				datatype := rdf.DatatypeOf(q.Object)
				return slices.Contains([]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label, datatype}, rdf.Term(rdf.IRI(want)))
			}) {
				t.Fatalf("%s: %s against %s\ngot %v, %v, want <%s>", c.name, document, base, got, err, want)
			}
		}
	})
}

// Texts that look like references and are none stay as they are written.
func TestTextsOfJSONLDStayAsTheyAre(t *testing.T) {
	const document = `{"@context":{"@vocab":"http://v/","my.term":"http://t/x","wörter:":"urn:no","tags":{"@container":"@language"},
		"json":{"@id":"http://t/json","@type":"@json"},"kind":{"@type":"@vocab"},"index":{"@container":"@index"}},
		"@id":"http://ex/s","a":["","3.5","v1.2","a/b","#x","?y","Zürich","..","1:2","x y","http://ex/a b"],
		"my.term":"z.","tags":{"EN":"a.b"},"json":{"a.b":["#","",{"@context":{"@base":"q"}}]},"kind":"my.term","index":{"a.b":"c.d"}}`
	got, err := readAll(rdfio.NewJSONLDReader(strings.NewReader(document), "http://ex/base", rdfio.Limits{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, q := range got {
		lines = append(lines, string(rdf.AppendTerm(nil, q.Predicate))+" "+string(rdf.AppendTerm(nil, q.Object)))
	}
	slices.Sort(lines)
	var want []string
	for _, text := range []string{"", "3.5", "v1.2", "a/b", "#x", "?y", "Zürich", "..", "1:2", "x y", "http://ex/a b"} {
		want = append(want, `<http://v/a> "`+text+`"`)
	}
	want = append(want, `<http://t/x> "z."`, `<http://v/tags> "a.b"@en`, `<http://v/index> "c.d"`, `<http://v/kind> <http://t/x>`,
		`<http://t/json> "{\"a.b\":[\"#\",\"\",{\"@context\":{\"@base\":\"q\"}}]}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>`)
	slices.Sort(want)
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// What a document says and has no quads is counted, whatever the reason.
func TestWhatJSONLDLeavesOutIsCounted(t *testing.T) {
	for _, c := range []struct {
		document string
		count    int64
		reason   string
	}{
		{`{"@id":"http://ex/s","http://ex/p":[{"@id":"http://ex/a|b"},{"@id":"http://ex/ok"},{"@id":"http://ex/a b"}],"http://ex/q r":"lost","rel":"lost2"}`, 4, `<http://ex/a|b> has the character '|'`},
		{`{"@id":"rel","http://ex/p":[1,2]}`, 2, `<rel> is relative`},
		{`{"@id":"http://ex/s","@type":["T","http://ex/T"]}`, 1, `<T> is relative`},
		{`{"@id":"http://ex/s","name":["a","b"],"near":{"@id":"http://ex/o","http://ex/p":1}}`, 4, `no context says what the member "name" is`},
		{`{"@context":{"name":null},"@id":"http://ex/s","name":"a"}`, 0, ""},
		{`{"@id":"http://ex/s","_:p":1}`, 1, "a blank node is no predicate"},
		{`{"@id":"http://ex/s","http://ex/p":{"@value":"a","@language":"a b"}}`, 1, `"a b" is no language tag`},
		{`{"@id":"http://ex/s","http://ex/p":{"@list":[{"@id":"http://ex/a b"},1]}}`, 1, `has the character ' '`},
		{`{"@id":"http://ex/a b","@graph":[{"@id":"http://ex/s","http://ex/p":[1,2,3]}]}`, 3, `has the character ' '`},
		{`{"@id":"http://ex/s","@reverse":{"http://ex/p q":{"@id":"http://ex/o"}}}`, 1, `has the character ' '`},
		{`{"@id":"http://ex/s","http://ex/p":1e999}`, 1, "beyond"},
		{`{"@id":"http://ex/s","http://ex/p":[null,1]}`, 0, ""},
		{`["stray",{"@id":"http://ex/s","http://ex/p":1},7,[true,[null]],null]`, 3, `the value "stray" stands beside nodes`},
		{`{"@graph":["stray",{"@id":"http://ex/s","http://ex/p":{"@value":1}},{"@value":"lone"},{"@value":null},{"@list":["a","b"]},{"@id":"http://ex/nothing"}]}`, 3, `the value "stray" stands beside nodes`},
		{`{"@graph":"stray"}`, 1, `the value "stray"`},
		{`{"@context":{"all":"@graph","some":{"@id":"@graph"}},"@id":"http://ex/g","all":[1,{"@id":"http://ex/s","some":[2]}]}`, 2, "the value 1 stands"},
		{`{"@context":{"g":{"@id":"http://ex/g","@container":"@graph"}},"@id":"http://ex/s","g":["stray",{"http://ex/p":1}]}`, 1, `the value "stray" stands`},
	} {
		r := rdfio.NewJSONLDReader(strings.NewReader(c.document), "", rdfio.Limits{}, nil)
		if _, err := readAll(r); err != nil {
			t.Errorf("%s: %v", c.document, err)
			continue
		}
		out := r.LeftOut()
		if out.Count != c.count || !strings.Contains(out.String(), c.reason) {
			t.Errorf("%s: got %d, %q, want %d, %q", c.document, out.Count, out.String(), c.count, c.reason)
		}
	}
}

// Members that no context says anything of change nothing in what the others say.
func TestMembersThatMeanNothingChangeNothing(t *testing.T) {
	const graph = `"@graph":[{"@id":"urn:a","urn:p":"x"},{"@id":"urn:b","urn:p":{"@id":"urn:a"}}]`
	for _, c := range []struct{ with, without string }{
		{`{"x":1,` + graph + `}`, `{` + graph + `}`},
		{`{"x":{"y":{"@id":"urn:n","urn:p":1}},"z":[1,2],` + graph + `}`, `{` + graph + `}`},
		{`{"@context":{"p":"urn:p"},"license":"x",` + graph + `}`, `{` + graph + `}`},
		{`[{"x":1,` + graph + `}]`, `[{` + graph + `}]`},
		{`{"x":1,"@id":"urn:g",` + graph + `}`, `{"@id":"urn:g",` + graph + `}`},
		{`{"x":1,"urn:q":2,` + graph + `}`, `{"urn:q":2,` + graph + `}`},
		{`{"x":1,"@graph":[{"y":1,` + graph + `}]}`, `{"@graph":[{` + graph + `}]}`},
		{`{"x":1,"@id":"urn:s","urn:p":{"y":1}}`, `{"@id":"urn:s","urn:p":{}}`},
	} {
		read := func(text string) []rdf.Quad {
			quads, err := readAll(rdfio.NewJSONLDReader(strings.NewReader(text), "", rdfio.Limits{}, nil))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return quads
		}
		if got, want := read(c.with), read(c.without); !rdf.Isomorphic(want, got) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", c.with, got, want)
		}
	}
}
