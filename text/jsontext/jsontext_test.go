package jsontext_test

import (
	"strings"
	"testing"

	"trails/text/jsontext"
)

func TestMarshalKeepsWhatPeopleRead(t *testing.T) {
	got, err := jsontext.Marshal(map[string]string{"b": "<&>", "a": "\u2028é"})
	if want := `{"a":"\u2028é","b":"<&>"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := jsontext.Marshal(func() {}); err == nil {
		t.Error("a function is no JSON")
	}
}

func TestTooDeepCountsBracketsOutsideOfStrings(t *testing.T) {
	for text, want := range map[string]bool{
		`[[]]`:                         false,
		`[[[]]]`:                       true,
		`{"a":{"b":[]}}`:               true,
		`[[],[],[],[]]`:                false,
		`["[[[[", "\"[[[[", "\\", []]`: false,
		`"[[[[`:                        false,
		strings.Repeat("[", 3):         true,
		``:                             false,
	} {
		if got := jsontext.TooDeep([]byte(text), 2); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestTooWideCountsTheMembersOfEach(t *testing.T) {
	for text, want := range map[string]bool{
		`[1,2,3]`:                   false,
		`[1,2,3,4]`:                 true,
		`{"a":1,"b":2,"c":3}`:       false,
		`{"a":1,"b":2,"c":3,"d":4}`: true,
		`[[1,2],[1,2],[1,2]]`:       false,
		`{"a":{"b":[1,2,3,4]}}`:     true,
		`["a,b,c,d,\",\",", 1]`:     false,
		`]],,,,[1,2`:                false,
		``:                          false,
	} {
		if got := jsontext.TooWide([]byte(text), 3); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestAnObjectInATextIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`"{\"a\":1}"`: `{"a":1}`, ` " {} " `: `{}`, `{"a":1}`: "", `"a"`: "", `"[1]"`: "", `"{"`: "", `"{} x"`: "", ``: "", `"`: "",
	} {
		object, ok := jsontext.ObjectInText([]byte(text))
		if ok != (want != "") || ok && string(object) != want {
			t.Errorf("%s: %s, %t; want %q", text, object, ok, want)
		}
	}
}

func TestJoinedHasTheMembersOfBoth(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1}`, `{"b":2,"a":3}`, `{"a":1,"b":2,"a":3}`},
		{`{}`, `{"b":2}`, `{"b":2}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{}`, `{}`, `{}`},
	} {
		if got := string(jsontext.Joined([]byte(c[0]), []byte(c[1]))); got != c[2] {
			t.Errorf("%s and %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
