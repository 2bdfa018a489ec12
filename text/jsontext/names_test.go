package jsontext_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/text/jsontext"
)

// object writes an object with names drawn from few, some of them written with escapes, and
// reports whether one of its objects has a name twice.
func object(t *rapid.T, depth int) (text string, twice bool) {
	seen := map[string]bool{}
	var members []string
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		name := rapid.SampledFrom([]string{"a", "b", "\"", "é"}).Draw(t, "name")
		twice = twice || seen[name]
		seen[name] = true
		written, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "a" && rapid.Bool().Draw(t, "escaped") {
			written = []byte(`"\u0061"`)
		}
		value := rapid.SampledFrom([]string{`"a"`, `"\\"`, "1", "null", `["a", "a", {"a": 1}]`, "[]", "{}"}).Draw(t, "value")
		if depth > 0 && rapid.Bool().Draw(t, "nested") {
			inner, wrong := object(t, depth-1)
			value, twice = rapid.SampledFrom([]string{"%s", "[%s]", "[1, %s]"}).Draw(t, "as"), twice || wrong
			value = fmt.Sprintf(value, inner)
		}
		members = append(members, string(written)+": "+value)
	}
	return "{" + strings.Join(members, ", ") + "}", twice
}

func TestARepeatedNameIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, want := object(rt, 3)
		if !json.Valid([]byte(text)) {
			rt.Fatalf("%s is no JSON", text)
		}
		if name, got := jsontext.Repeated([]byte(text)); got != want {
			rt.Errorf("%s: got %q, %v", text, name, got)
		}
	})
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "%q: 1, ", fmt.Sprint(i))
	}
	if _, twice := jsontext.Repeated([]byte("{" + many.String() + `"x": 1}`)); twice {
		t.Error("of many names")
	}
	if name, twice := jsontext.Repeated([]byte("{" + many.String() + `"4999": 1}`)); !twice || name != "4999" {
		t.Error("of many names one is there twice")
	}
}

func TestOuterNamesAreThoseOfTheObjectItself(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"b":1},"\u0063":["d",{"e":"f"}],"G":"h"}`: "a c G", `[{"a":1}]`: "", `{}`: "", `"a"`: "", `{"a":`: "a",
	} {
		var got []string
		for name := range jsontext.OuterNames([]byte(text)) {
			got = append(got, string(name))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
