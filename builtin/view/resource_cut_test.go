package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// wide has a node with 3,000 values of one property, a text of 300,000 characters and a
// label of 10,000, and 200 more nodes.
func wide(t *testing.T) *invoketest.Engine {
	t.Helper()
	e := invoketest.New(t, `types:
  Doc:
    label: title
    properties:
      title: {type: string, required: true}
      body: {type: string}
      tags: {type: string, many: true}
      next: {class: Doc}
`, invoke.Config{})
	tags := make([]string, 3000)
	for i := range tags {
		tags[i] = fmt.Sprintf("a tag with the number %d", i)
	}
	lines := []string{line(t, "wide", map[string]any{"title": strings.Repeat("é", 10_000), "body": strings.Repeat("b", 300_000), "tags": tags})}
	for i := range 200 {
		lines = append(lines, line(t, fmt.Sprintf("n%03d", i), map[string]any{"title": strings.Repeat("long ", 60), "body": strings.Repeat("c", 500)}))
	}
	e.Must(t, "load", fmt.Sprintf(`{"data": %q}`, strings.Join(lines, "\n")))
	return e
}

func line(t *testing.T, id string, data map[string]any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": "Doc", "id": id, "data": data})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whatever the form, a document that is cut says so first, is one of its form, says
// nothing that the whole one does not, and has the characters that were asked for.
func TestADocumentThatIsCutIsTrue(t *testing.T) {
	testrun.Alone(t)
	e := wide(t)
	for _, c := range []struct{ uri, format, way string }{
		{"trails://kg/Doc/wide", "", "SELECT ?value"},
		{"trails://kg/Doc/wide", "json", "SELECT ?value"},
		{"trails://kg/Doc/wide", "turtle", "SELECT ?value"},
		{"trails://kg/Doc?limit=1000", "", "go on with trails://kg/Doc?limit="},
		{"trails://kg/Doc?limit=1000", "jsonld", "go on with trails://kg/Doc?limit="},
		{"trails://kg/Doc?limit=1000", "turtle", "go on with trails://kg/Doc?limit="},
		{"trails://kg/Doc?limit=1&offset=200", "jsonld", "body has 0 of 1 values (the longest of 300000 characters)"},
		{"trails://prov/latest?max_chars=2000", "", "read trails://prov/latest?max_chars="},
		{"trails://schema?max_chars=2000", "", ""},
	} {
		for _, most := range []int{0, 2_000, 50_000} {
			uri, limit := c.uri, capability.DefaultChars
			if _, asked, has := strings.Cut(uri, "max_chars="); has {
				if most != 0 {
					continue
				}
				_, _ = fmt.Sscan(asked, &limit)
			} else if most != 0 {
				separator := "?"
				if strings.Contains(uri, "?") {
					separator = "&"
				}
				uri, limit = fmt.Sprintf("%s%smax_chars=%d", uri, separator, most), most
			}
			t.Run(strings.TrimPrefix(uri, "trails://")+" "+c.format, func(t *testing.T) {
				call := invoke.Call{Principal: invoketest.Ana, Format: c.format}
				d, err := e.Read(t.Context(), uri, call)
				if err != nil {
					t.Fatal(err)
				}
				if n := utf8.RuneCount(d.Body); n > limit {
					t.Errorf("%d characters, want at most %d", n, limit)
				}
				first := string(d.Body[:min(len(d.Body), 1000)])
				if c.way != "" && (!strings.Contains(first, c.way) && most != 50_000 || !strings.Contains(first[:12], "cut")) {
					t.Errorf("it does not say first %q: %s", c.way, first)
				}
				if c.format == "turtle" || d.MIME == "application/ld+json" && strings.HasPrefix(uri, "trails://kg") {
					call.Whole = true
					plain, _, _ := strings.Cut(uri, "max_chars")
					whole, err := e.Read(t.Context(), strings.TrimRight(plain, "?&"), call)
					if err != nil {
						t.Fatal(err)
					}
					part, all := statements(t, d), statements(t, whole)
					for _, s := range part {
						if _, found := slices.BinarySearch(all, s); !found {
							t.Fatalf("%.200s is not so in %.900s", s, d.Body)
						}
					}
					if len(part) < 2 || len(part) >= len(all) {
						t.Errorf("%d of %d statements", len(part), len(all))
					}
				} else if !json.Valid(d.Body) {
					t.Errorf("no JSON: %.300s", d.Body)
				}
			})
		}
	}
}

// statements are the sorted statements of a document, as any processor reads it.
func statements(t *testing.T, d invoke.Document) (list []string) {
	t.Helper()
	format := rdfio.JSONLD
	if d.MIME == "text/turtle" {
		format = rdfio.Turtle
	}
	in, err := rdfio.NewReader(format, bytes.NewReader(d.Body), "", rdfio.Limits{}, nil) // no context is to be had
	for err == nil {
		var q rdf.Quad
		if q, err = in.Read(); err == nil {
			list = append(list, string(rdf.AppendQuad(nil, q)))
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatalf("%v: %.300s", err, d.Body)
	}
	slices.Sort(list)
	return list
}

// The address that a page names goes on where it ended.
func TestThePagesOfAListMeet(t *testing.T) {
	testrun.Alone(t)
	e := wide(t)
	var seen []string
	for uri := "trails://kg/Doc?limit=1000&max_chars=9000"; uri != ""; {
		d, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana})
		if err != nil {
			t.Fatal(err)
		}
		var page []struct{ Cut, IRI, Label string }
		if err := json.Unmarshal(d.Body, &page); err != nil {
			t.Fatal(err)
		}
		uri = ""
		for _, one := range page {
			if one.Cut != "" {
				_, uri, _ = strings.Cut(one.Cut, "go on with ")
				continue
			}
			if strings.Contains(one.Label, "long") && !strings.HasSuffix(one.Label, "… (300 characters)") {
				t.Errorf("label %q", one.Label)
			}
			seen = append(seen, one.IRI)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(seen)))); n != 201 || len(seen) != n {
		t.Errorf("%d nodes, %d of them different; want 201", len(seen), n)
	}
}

func TestMaxCharsOfAnAddress(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for _, uri := range []string{"trails://schema?max_chars=1", "trails://schema?max_chars=x", "trails://kg/Decision?max_chars=200001", "trails://prov/latest?max_chars="} {
		if _, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana}); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	d, err := e.Read(t.Context(), "trails://schema?max_chars=3000", invoke.Call{Principal: invoketest.Ana, Whole: true})
	if err != nil || !bytes.HasPrefix(d.Body, []byte(`{"cut":`)) || utf8.RuneCount(d.Body) > 3000 {
		t.Errorf("a program that asks for less: %d characters, %v: %.200s", utf8.RuneCount(d.Body), err, d.Body)
	}
}

func TestAnEmptyListSaysWhichValueWasProbablyMeant(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "types: {Doc: {label: title, properties: {title: string}}}", invoke.Config{})
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "doc.create", Principal: invoketest.Ana, Via: "go", Args: json.RawMessage(`{"id":"a","title":"On Trails"}`)}); err != nil {
		t.Fatal(err)
	}
	const warning = `no title is \"on trails\"; did you mean \"On Trails\"?`
	for format, begins := range map[string]string{
		"": `[{"warnings":["` + warning + `"]}]`, "jsonld": `{"warnings":["` + warning + `"],`, "turtle": "# warning: " + strings.ReplaceAll(warning, `\`, "") + "\n",
	} {
		d, err := e.Read(t.Context(), "trails://kg/Doc?where=title%3Don%20trails", invoke.Call{Principal: invoketest.Ana, Format: format})
		if err != nil || !strings.HasPrefix(string(d.Body), begins) || len(d.Warnings) != 1 {
			t.Errorf("%s: %v, %q: %s", format, err, d.Warnings, d.Body)
		}
		found, err := e.Read(t.Context(), "trails://kg/Doc?where=title%3DOn%20Trails", invoke.Call{Principal: invoketest.Ana, Format: format})
		if err != nil || bytes.Contains(found.Body, []byte("warning")) || len(found.Warnings) != 0 {
			t.Errorf("%s: %v, %q: %s", format, err, found.Warnings, found.Body)
		}
	}
}
