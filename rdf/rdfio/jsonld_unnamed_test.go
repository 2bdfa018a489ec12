package rdfio_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf/rdfio"
)

// Members that contexts drop are named with their place, wherever the context is from.
func TestMembersOfJSONLDWithoutAContextHaveTheirPlace(t *testing.T) {
	stored := func(iri string) ([]byte, bool) {
		text, ok := map[string]string{
			"http://c/named":   `{"@context":{"name":"urn:name"}}`,
			"http://c/nothing": `{"@context":[null,{"T":{"@id":"urn:T","@context":null}}]}`,
		}[iri]
		return []byte(text), ok
	}
	for _, c := range []struct {
		says, document string
		places         []string
	}{
		{"no context", `{"@graph":[{"@id":"urn:a","urn:p":1},{"@id":"urn:b","knows":[1,2]}]}`, []string{"/@graph/1/knows", "/@graph/1/knows"}},
		{"names that a pointer escapes", `{"a/b":1,"c~d":2,"e f":3,"":4}`, []string{"/", "/a~1b", "/c~0d", "/e f"}},
		{"below a name", `{"a/b":{"x":{"y":1}}}`, []string{"/a~1b", "/a~1b/x", "/a~1b/x/y"}},
		{"a type's context beside the type", `{"@context":{"T":{"@id":"urn:T","@context":{"name":"urn:name"}},"p":"urn:p"},"@type":"T","name":1,"p":{"name":2}}`, []string{"/p/name"}},
		{"a type's context that goes on", `{"@context":{"T":{"@id":"urn:T","@context":{"@propagate":true,"name":"urn:name"}},"p":"urn:p"},"@type":"T","p":{"name":2}}`, nil},
		{"a property's context beside the property", `{"@context":{"p":{"@id":"urn:p","@context":{"name":"urn:name"}}},"name":1,"p":{"name":2}}`, []string{"/name"}},
		{"a property's context that forgets", `{"@context":{"name":"urn:name","p":{"@id":"urn:p","@context":null}},"name":1,"p":{"name":2}}`, []string{"/p/name"}},
		{"null", `{"@context":{"name":"urn:name","p":"urn:p"},"name":1,"p":{"@context":null,"name":2}}`, []string{"/p/name"}},
		{"null before others", `{"@context":{"name":"urn:name","p":"urn:p"},"p":{"@context":[null,{"q":"urn:q"}],"name":2,"q":1}}`, []string{"/p/name"}},
		{"a vocabulary that is taken away", `{"@context":{"@vocab":"urn:v:"},"p":{"@context":{"@vocab":null},"name":2}}`, []string{"/p/name"}},
		{"a vocabulary within", `{"@context":{"p":"urn:p"},"name":1,"p":{"@context":{"@vocab":"urn:v:"},"name":2}}`, []string{"/name"}},
		{"a relative vocabulary", `{"@context":{"@vocab":"#"},"name":1,"p":{"@context":null,"q":2}}`, []string{"/p/q"}},
		{"a term that means nothing on purpose", `{"@context":{"name":null},"urn:p":{"@context":{"q":"urn:q"}},"name":2}`, nil},
		{"two documents", `[{"@context":{"name":"urn:name"},"name":1},{"name":2}]`, []string{"/1/name"}},
		{"stored contexts", `{"@context":"http://c/named","@type":"T","name":1,"urn:p":{"@context":"http://c/nothing","@type":"T","name":2}}`, []string{"/urn:p/name"}},
		{"a reversed member", `{"@id":"urn:a","@reverse":{"of":{"@id":"urn:b","urn:p":1}}}`, []string{"/@reverse/of", "/@reverse/of"}},
		{"a map by id", `{"@context":{"m":{"@id":"urn:m","@container":"@id"}},"m":{"a/b":{"name":1}}}`, []string{"/m/a~1b/name"}},
		{"a map by index", `{"@context":{"m":{"@id":"urn:m","@container":"@index"}},"m":{"i":[{"urn:p":1},{"name":1}],"j":{"name":2}}}`, []string{"/m/i/1/name", "/m/j/name"}},
		{"a graph", `{"@context":{"g":{"@id":"urn:g","@container":"@graph"}},"g":{"name":1,"urn:p":2}}`, []string{"/g/name"}},
		{"what is nested", `{"@context":{"labels":"@nest","p":"urn:p"},"labels":[{"p":1},{"name":1,"@nest":{"d/e":2}}],"@nest":{"p":3,"other":4}}`,
			[]string{"/@nest/other", "/labels/1/@nest/d~1e", "/labels/1/name"}},
		{"a property defined anew after null", `{"@context":{"p":{"@id":"urn:p","@context":[null,{"p":"urn:q","q":"urn:q"}]}},"p":{"p":1,"q":{"p":2}}}`, nil},
		{"a property defined anew after null, and another", `{"@context":{"p":{"@id":"urn:p","@context":[null,{"p":"urn:q"}]}},"p":{"p":1,"name":2}}`, []string{"/p/name"}},
		{"a node without anything read", `{"@context":{"T":{"@id":"urn:T","@context":{"p":"urn:p"}}},"@graph":[{"@type":"T","p":1},{"name":1}]}`, []string{"/@graph/1/name"}},
		{"values beside nodes", `{"@graph":[{"urn:p":1},"stray",["other"]]}`, []string{"/@graph/1", "/@graph/2/0"}},
	} {
		r := rdfio.NewJSONLDReader(strings.NewReader(c.document), "http://a/b", rdfio.Limits{}, stored)
		if _, err := readAll(r); err != nil {
			t.Errorf("%s: %v", c.says, err)
			continue
		}
		var places []string
		for _, o := range r.LeftOut().First {
			_, place, _ := strings.Cut(o.Message, `, at "`)
			places = append(places, strings.TrimSuffix(place, `"`))
		}
		slices.Sort(places)
		if diff := cmp.Diff(c.places, places); diff != "" {
			t.Errorf("%s: %v\n%s", c.says, diff, r.LeftOut().String())
		}
	}
}

// A name with the form of a keyword says nothing, even when a context defines it.
func TestMembersLikeKeywordsAreNamed(t *testing.T) {
	const document = `{"@context":{"@foo":"urn:foo","T":{"@id":"urn:T","@context":{"@bar":"urn:bar"}}},"@type":"T","@foo":1,"@bar":2}`
	r := rdfio.NewJSONLDReader(strings.NewReader(document), "", rdfio.Limits{}, nil)
	if _, err := readAll(r); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, part := range r.LeftOut().Parts {
		told = append(told, fmt.Sprintf("%.17s %d", part.Message, part.Times))
	}
	slices.Sort(told)
	if diff := cmp.Diff([]string{`the member "@bar" 1`, `the member "@foo" 1`}, told); diff != "" {
		t.Error(diff)
	}
}

// Each value of a document is in a statement or among what is left out, whatever contexts stand
// where.
func TestEveryMemberOfJSONLDIsReadOrLeftOut(t *testing.T) {
	names := []string{"a", "b", "c", "d/e"}
	// A term that has a context, and within it another one, is among what json-gold reads otherwise.
	var context func(t *rapid.T, depth int, within string) any
	context = func(t *rapid.T, depth int, within string) any {
		switch rapid.IntRange(0, 9).Draw(t, "null") {
		case 0:
			return nil
		case 1:
			if depth > 0 {
				return []any{nil, context(t, depth-1, within)}
			}
		}
		terms := map[string]any{}
		for _, name := range slices.Concat(names[:3], []string{"T", "U"}) {
			switch rapid.IntRange(0, 3).Draw(t, "term "+name) {
			case 0:
				terms[name] = "urn:" + name
			case 1:
				definition := map[string]any{"@id": "urn:" + name}
				if depth > 0 && name != within {
					definition["@context"] = context(t, depth-1, name)
				}
				terms[name] = definition
			}
		}
		switch rapid.IntRange(0, 5).Draw(t, "vocab") {
		case 0:
			terms["@vocab"] = "urn:v:"
		case 1:
			terms["@vocab"] = nil
		case 2:
			terms["@propagate"] = rapid.Bool().Draw(t, "propagate")
		}
		return terms
	}
	var node func(t *rapid.T, depth int) (map[string]any, int)
	node = func(t *rapid.T, depth int) (map[string]any, int) {
		object, statements := map[string]any{}, 0
		if rapid.IntRange(0, 2).Draw(t, "has a context") == 0 {
			object["@context"] = context(t, 2, "")
		}
		if rapid.Bool().Draw(t, "typed") {
			object["@type"] = rapid.SampledFrom([]string{"T", "U"}).Draw(t, "type")
			statements++
		}
		if depth > 0 && rapid.IntRange(0, 4).Draw(t, "nests") == 0 {
			object["@nest"] = map[string]any{"a": 3, "c": []any{4, 5}}
			statements += 3
		}
		for _, name := range names {
			switch rapid.IntRange(0, 2).Draw(t, "member "+name) {
			case 1:
				object[name] = []any{1, 2}
				statements += 2
			case 2:
				if depth > 0 {
					below, more := node(t, depth-1)
					object[name] = below
					statements += more + 1
				}
			}
		}
		return object, statements
	}
	rapid.Check(t, func(t *rapid.T) {
		document, want := node(t, 3)
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		r := rdfio.NewJSONLDReader(strings.NewReader(string(text)), "", rdfio.Limits{}, nil)
		quads, err := readAll(r)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := len(quads) + int(r.LeftOut().Count); got != want {
			t.Fatalf("%s: %d read and %d left out, want %d\n%s", text, len(quads), r.LeftOut().Count, want, r.LeftOut().String())
		}
	})
}
