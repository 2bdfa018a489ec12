package jsontext_test

import (
	"testing"

	"trails/text/jsontext"
)

func TestHalfOfASurrogatePairIsFoundWithItsField(t *testing.T) {
	for text, want := range map[string]string{
		`{"data":{"title":"\ud800"}}`:            "data.title",
		`{"a":1,"data":{"x":["ok","\uDC00 "]}}`:  "data.x",
		`["\ud83d\u0041"]`:                       "",
		`{"a":"\ud83d","b":1}`:                   "a",
		`{"\udfff":1}`:                           `\udfff`,
		`{"a":"\\\ud800"}`:                       "a",
		`{"a":{"b":1},"c":"\ud83d\ud83d\ude00"}`: "c",
	} {
		if lone, found := jsontext.LoneSurrogate([]byte(text)); !found || lone.Field != want || text[lone.Offset:lone.Offset+2] != `\u` {
			t.Errorf("%s: got %+v, %v, want %q", text, lone, found, want)
		}
	}
	for _, text := range []string{`{"a":"\ud83d\ude00"}`, `"\u0041"`, `"\\ud800"`, `{"a":"\\\\ud800"}`, `"\u`, `"\ud8`, `}]"\u0041`, ``} {
		if lone, found := jsontext.LoneSurrogate([]byte(text)); found {
			t.Errorf("%s: found %+v", text, lone)
		}
	}
}
