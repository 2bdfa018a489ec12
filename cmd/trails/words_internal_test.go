package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/capability"
	"trails/text/jsontext"
)

var noteShape = capability.Shape{Closed: true, Fields: []capability.Field{
	{Name: "title", Type: capability.String},
	{Name: "tag", Type: capability.String, Many: true},
	{Name: "stars", Type: capability.Integer},
	{Name: "weight", Type: capability.Number},
	{Name: "done", Type: capability.Boolean},
	{Name: "size", Type: capability.BigInteger},
	{Name: "where", Type: capability.Vector},
	{Name: "extra", Type: capability.Any},
	{Name: "parts", Type: capability.Object, Many: true},
}}

func TestWordsAreReadAsTheShapeAsks(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		want  string
	}{
		{"nothing", nil, `{}`},
		{"text stays text, whatever it looks like", []string{"title=12"}, `{"title":"12"}`},
		{"a value may hold an equals sign", []string{"title=a=b"}, `{"title":"a=b"}`},
		{"empty text", []string{"title="}, `{"title":""}`},
		{"one of many is an array", []string{"tag=a"}, `{"tag":["a"]}`},
		{"repeats keep their order", []string{"tag=b", "tag=a"}, `{"tag":["b","a"]}`},
		{"numbers", []string{"stars=3", "weight=1.5e3"}, `{"stars":3,"weight":1.5e3}`},
		{"what is no number goes on as text", []string{"stars=many"}, `{"stars":"many"}`},
		{"nor is null", []string{"stars=null"}, `{"stars":"null"}`},
		{"booleans", []string{"done=true"}, `{"done":true}`},
		{"what is no boolean goes on as text", []string{"done=yes"}, `{"done":"yes"}`},
		{"big integers travel as text", []string{"size=123456789012345678901"}, `{"size":"123456789012345678901"}`},
		{"vectors", []string{"where=[1,2]"}, `{"where":[1,2]}`},
		{"anything is JSON if it can", []string{"extra={\"a\":1}"}, `{"extra":{"a":1}}`},
		{"and text otherwise", []string{"extra=a b"}, `{"extra":"a b"}`},
		{"objects one by one", []string{`parts={"n":1}`, `parts={"n":2}`}, `{"parts":[{"n":1},{"n":2}]}`},
		{"or all at once", []string{`parts= [{"n":1},{"n":2}]`}, `{"parts":[{"n":1},{"n":2}]}`},
		{"raw JSON", []string{"title:=null", "tag:=[]"}, `{"tag":[],"title":null}`},
		{"no HTML escapes", []string{"title=<a&b>"}, `{"title":"<a&b>"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, err := parseWords(noteShape, c.words)
			if err != nil {
				t.Fatal(err)
			}
			got, err := jsontext.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWordsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"title"}, "argument title is not NAME=VALUE or NAME:=JSON, nor one JSON object with all arguments"},
		{[]string{"=x"}, "argument =x is not NAME=VALUE or NAME:=JSON, nor one JSON object with all arguments"},
		{[]string{":=1"}, "argument :=1 is not NAME=VALUE or NAME:=JSON, nor one JSON object with all arguments"},
		{[]string{"titel=x"}, `unknown argument titel; did you mean "title"?`},
		{[]string{"title:=x"}, "argument title: x is not JSON"},
		{[]string{`parts=[{"n":1}`}, `argument parts: [{"n":1} is not JSON`},
		{[]string{"title=x", "title:=1"}, "argument title is given both as text and as JSON"},
	} {
		if _, err := parseWords(noteShape, c.words); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.words, err, c.want)
		}
	}
}

func TestValuesForPeople(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"members are aligned in their order", `{"zeta":1,"a":"x","none":null}`, "zeta  1\na     x\nnone  -\n"},
		{"arrays of flat objects are tables", `[{"n":1,"s":"a"},{"n":22}]`, "N   S\n1   a\n22  \n"},
		{"nested values stand below their name", `{"a":{"b":[1,2]}}`, "a\n  b  1, 2\n"},
		{"a terminal is not steered", `{"a":"x\u001b[2Jy\nz","b":1}`, "a  x\ufffd[2Jy z\nb  1\n"},
		{"a text alone keeps its lines", `{"text":"x\u001b[2Jy\n\n  - z\n"}`, "x\ufffd[2Jy\n\n  - z\n"},
		{"a scalar", `"x"`, "x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b writer
			if err := writeValue(&b, json.RawMessage(c.value)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

func TestTextOfTheManual(t *testing.T) {
	for text, want := range map[string]string{
		"a-b \\n":       `a\-b \en`,
		".TH\n'x\na.b'": "\\&.TH\n\\&'x\na.b'",
		"list(…) 😀":     `list(\[u2026]) \[u1F600]`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
