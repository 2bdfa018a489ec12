package rdfio_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

func readJSONLD(text string, limits rdfio.Limits, load rdfio.ContextLoader) ([]rdf.Quad, error) {
	return readAll(rdfio.NewJSONLDReader(strings.NewReader(text), "http://a/b", limits, load))
}

func TestJSONLDReading(t *testing.T) {
	stored := func(iri string) ([]byte, bool) {
		text, ok := map[string]string{
			"http://a/context": `{"@context": {"p": "urn:p", "big": "urn:big"}}`,
			"http://a/itself":  `{"@context": ["http://a/itself", {"p": "urn:p"}]}`,
			"http://a/terms":   `{"p": "urn:p"}`,
			"http://a/text":    `"{\"@context\": {\"p\": \"urn:p\"}}"`,
			"http://a/list":    `[{"@context": {"p": "urn:p"}}]`,
		}[iri]
		return []byte(text), ok
	}
	for _, c := range []struct{ says, text, want string }{
		{"a stored context", `{"@context": "context", "@id": "c", "p": 1}`, `<http://a/c> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .` + "\n"},
		{"digits that a float64 cannot hold", `{"@context": "context", "@id": "c", "big": 9007199254740993}`, `<http://a/c> <urn:big> "9007199254740993"^^<http://www.w3.org/2001/XMLSchema#integer> .` + "\n"},
		{"a host without a dot", `{"@id": "http://localhost/x", "http://intranet/p": {"@id": "http://[::1]/"}}`, "<http://localhost/x> <http://intranet/p> <http://[::1]/> .\n"},
		{"named graphs", `{"@id": "urn:g", "@graph": {"@id": "urn:s", "urn:p": "x"}}`, `<urn:s> <urn:p> "x" <urn:g> .` + "\n"},
		{"nothing", `[]`, ""},
	} {
		t.Run(c.says, func(t *testing.T) {
			got, err := readJSONLD(c.text, rdfio.Limits{}, stored)
			if err != nil || nquadsText(got) != c.want {
				t.Errorf("got %v, %s, want %s", err, nquadsText(got), c.want)
			}
		})
	}
	for _, c := range []struct {
		says, text string
		limits     rdfio.Limits
		want       fault.Kind
		message    string
	}{
		{"no network", `{"@context": "https://schema.org/", "p": 1}`, rdfio.Limits{}, fault.Missing, "none is fetched from the network"},
		{"a context that includes itself", `{"@context": "http://a/itself", "p": 1}`, rdfio.Limits{}, fault.TooLarge, "include itself"},
		{"a context without @context", `{"@context": "http://a/terms", "p": 1}`, rdfio.Limits{}, fault.Malformed, `<http://a/terms> must be a JSON object with the member "@context"`},
		{"a context that is a text", `{"@context": ["http://a/text"], "p": 1}`, rdfio.Limits{}, fault.Malformed, `<http://a/text> must be a JSON object with the member "@context"`},
		{"a context of a part that is a list", `{"urn:p": {"@context": "http://a/list", "p": 1}}`, rdfio.Limits{}, fault.Malformed, `<http://a/list> must be a JSON object with the member "@context"`},
		{"a document that is an address", `"http://a/text"`, rdfio.Limits{}, fault.Malformed, "object"},
		{"no JSON", "{\n  \"a\": é}", rdfio.Limits{}, fault.Malformed, "line 2, column 8"},
		{"cut off", `{"a": `, rdfio.Limits{}, fault.Malformed, "the end of the input"},
		{"more than one document", `{} {}`, rdfio.Limits{}, fault.Malformed, "line 1, column"},
		{"no JSON-LD", `{"@id": 5}`, rdfio.Limits{}, fault.Malformed, "invalid @id value"},
		{"too large", `{"@id": "urn:s"}`, rdfio.Limits{DocumentBytes: 10}, fault.TooLarge, "10 bytes"},
		{"too deep", strings.Repeat("[", 20) + strings.Repeat("]", 20), rdfio.Limits{Nesting: 10}, fault.TooLarge, "10 nested"},
		{"too many", `{"@id": "urn:s", "urn:p": [1, 2, 3]}`, rdfio.Limits{Quads: 2}, fault.TooLarge, "2 quads"},
	} {
		t.Run(c.says, func(t *testing.T) {
			_, err := readJSONLD(c.text, c.limits, stored)
			if !fault.Is(err, c.want) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.message)
			}
		})
	}
}

// TestWrittenJSONLDReadsBack goes through every form, with lexical forms, lists,
// graphs and blank nodes.
func TestWrittenJSONLDReadsBack(t *testing.T) {
	context := []byte(`{"d": "urn:trails:demo:", "rank": {"@id": "urn:trails:demo:rank", "@type": "http://www.w3.org/2001/XMLSchema#integer"}, "@language": "en"}`)
	forms := map[string]func(io.Writer, []rdf.Quad) error{
		"compacted": func(w io.Writer, q []rdf.Quad) error { return rdfio.WriteJSONLD(w, q, context, nil) },
		"expanded":  rdfio.WriteExpandedJSONLD,
		"by our own hand": func(w io.Writer, q []rdf.Quad) error {
			text, err := rdfio.DatasetJSONLD(q, noteContext())
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(turtleQuadGen(), 0, 8).Draw(t, "quads")
		for name, write := range forms {
			var text bytes.Buffer
			if err := write(&text, quads); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := readAll(rdfio.NewJSONLDReader(&text, "", rdfio.Limits{}, nil))
			if err != nil || !rdf.Isomorphic(quads, got) {
				var again bytes.Buffer
				_ = write(&again, quads)
				t.Fatalf("%s: %v: got\n%swant\n%s%s", name, err, nquadsText(got), nquadsText(quads), again.String())
			}
		}
	})
}

// TestListsThatHoldEachOtherStay: as lists they would stand nowhere but in each
// other, and be lost.
func TestListsThatHoldEachOtherStay(t *testing.T) {
	for _, text := range []string{
		"_:a rdf:first _:a ; rdf:rest () .",
		"_:a rdf:first _:b ; rdf:rest () . _:b rdf:first _:a ; rdf:rest () .",
		"_:a rdf:first 1 ; rdf:rest _:c . _:c rdf:first _:b ; rdf:rest () . _:b rdf:first _:a ; rdf:rest () . <urn:s> <urn:p> ((2) 3) .",
	} {
		want, err := readAll(rdfio.NewTurtleReader(strings.NewReader("@prefix rdf: <"+rdf.RDFNS+"> . "+text), "", rdfio.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := rdfio.WriteExpandedJSONLD(&written, want); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(rdfio.NewJSONLDReader(&written, "", rdfio.Limits{}, nil))
		if err != nil || !rdf.Isomorphic(want, got) {
			t.Errorf("%s: %v\n%s", text, err, nquadsText(got))
		}
	}
}

// TestJSONLDWithManyValuesOfOneProperty would take minutes if each was compared with
// every other.
func TestJSONLDWithManyValuesOfOneProperty(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"@id": "urn:s", "urn:p": [0`)
	for i := range 50_000 {
		fmt.Fprintf(&text, ", %d", i+1)
	}
	text.WriteString(`]}`)
	if got, err := readJSONLD(text.String(), rdfio.Limits{}, nil); err != nil || len(got) != 50_001 {
		t.Errorf("%d quads, %v", len(got), err)
	}
}
