package capability_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/capability"
	"trails/text/jsontext"
)

var lenientShape = capability.Shape{Closed: true, Fields: []capability.Field{
	{Name: "text", Type: capability.String},
	{Name: "count", Type: capability.Integer},
	{Name: "share", Type: capability.Number},
	{Name: "flag", Type: capability.Boolean, Required: true},
	{Name: "texts", Type: capability.String, Many: true},
	{Name: "counts", Type: capability.Integer, Many: true},
	{Name: "vector", Type: capability.Vector},
	{Name: "free", Type: capability.Object},
	{Name: "part", Type: capability.Object, Fields: []capability.Field{
		{Name: "count", Type: capability.Integer}, {Name: "texts", Type: capability.String, Many: true},
		{Name: "inner", Type: capability.Object, Many: true, Fields: []capability.Field{{Name: "count", Type: capability.Integer, Required: true}}},
	}},
}}

// drawn are arguments that fit fields.
func drawn(t *rapid.T, fields []capability.Field) map[string]any {
	out := map[string]any{}
	one := func(f capability.Field) any {
		switch f.Type { //nolint:exhaustive // the shape has no others
		case capability.Integer:
			return json.Number(rapid.SampledFrom([]string{"0", "-7", "12", "9007199254740992"}).Draw(t, "integer"))
		case capability.Number:
			return json.Number(rapid.SampledFrom([]string{"0.5", "2", "1e3"}).Draw(t, "number"))
		case capability.Boolean:
			return rapid.Bool().Draw(t, "truth")
		case capability.Vector:
			return []any{json.Number("1"), json.Number("2.5")}
		case capability.Object:
			return drawn(t, f.Fields)
		}
		return rapid.SampledFrom([]string{"", "a", "[", "{x}", "[red] herring", "é\"", "5.0"}).Draw(t, "text")
	}
	for _, f := range fields {
		if !f.Required && rapid.Bool().Draw(t, "left out") {
			continue
		}
		if out[f.Name] = one(f); f.Many {
			list := make([]any, rapid.IntRange(0, 3).Draw(t, "members"))
			for i := range list {
				list[i] = one(f)
			}
			out[f.Name] = list
		}
	}
	return out
}

// disguised writes arguments otherwise, as JSON Schema and hosts may.
func disguised(t *rapid.T, fields []capability.Field, values map[string]any) map[string]any {
	asText := func(v any) any {
		if !rapid.Bool().Draw(t, "as text") {
			return v
		}
		text, err := jsontext.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return " " + string(text)
	}
	one := func(f capability.Field, v any) any {
		switch v := v.(type) {
		case json.Number:
			if f.Type == capability.Integer && v != "0" {
				v = json.Number(rapid.SampledFrom([]string{string(v), string(v) + ".0", string(v) + "e0", string(v) + "0e-1", string(v) + ".000E+0"}).Draw(t, "number"))
			}
			return asText(v)
		case bool:
			return asText(v)
		case map[string]any:
			return asText(disguised(t, f.Fields, v))
		case []any:
			components := make([]any, len(v))
			for i := range v {
				components[i] = asText(v[i])
			}
			return asText(components)
		}
		return v
	}
	out := map[string]any{}
	for _, f := range fields {
		v, given := values[f.Name]
		list, isList := v.([]any)
		switch {
		case !given && rapid.Bool().Draw(t, "null"):
			out[f.Name] = nil
		case !given:
		case f.Many && isList:
			members := make([]any, len(list))
			for i := range list {
				members[i] = one(f, list[i])
			}
			out[f.Name] = asText(members)
		default:
			out[f.Name] = one(f, v)
		}
	}
	return out
}

// Whatever JSON Schema and hosts make of arguments, they are read as they were meant, and what
// was guessed is said.
func TestArgumentsThatHostsWriteOtherwiseAreReadAsMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		meant := drawn(t, lenientShape.Fields)
		given := disguised(t, lenientShape.Fields, meant)
		before, err := jsontext.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		got, said := lenientShape.Lenient(given)
		if diff := cmp.Diff(meant, got); diff != "" {
			t.Fatalf("%s\n%s", before, diff)
		}
		if wrong := lenientShape.Check(got); len(wrong) > 0 {
			t.Fatalf("%s: %v", before, wrong)
		}
		if after, _ := jsontext.Marshal(given); string(after) != string(before) {
			t.Fatalf("%s became %s", before, after)
		}
		texts := 0 // what was a text on the way, and is none
		for name, v := range given {
			if _, was := v.(string); was {
				if _, is := got[name].(string); !is {
					texts++
				}
			}
		}
		if len(said) < texts {
			t.Fatalf("%s: %d values were read of text, and said is %q", before, texts, said)
		}
		if again, more := lenientShape.Lenient(got); !cmp.Equal(got, again) || len(more) > 0 {
			t.Fatalf("%s: read twice it is %v, and said is %q", before, again, more)
		}
	})
}

func TestWhatIsNoFormOfAnArgumentIsLeftToTheCheck(t *testing.T) {
	typed := lenientShape
	typed.NodeType = "Note"
	for _, c := range []struct {
		name, given, want, said string
		shape                   capability.Shape
	}{
		{"a fraction is no integer", `{"count":5.5}`, `{"count":5.5}`, "", lenientShape},
		{"a number with an exponent that is too large", `{"count":1e999999999}`, `{"count":1e999999999}`, "", lenientShape},
		{"an integer as text", `{"count":"5"}`, `{"count":5}`, "count came as the text of a JSON number", lenientShape},
		{"an integer as text in a typed write", `{"count":" 5.0 "}`, `{"count":5}`, "the number", typed},
		{"a fraction as text is no integer", `{"count":"5.5"}`, `{"count":"5.5"}`, "", lenientShape},
		{"a number as text", `{"share":"-1.50"}`, `{"share":-1.50}`, "share came as the text of a JSON number", lenientShape},
		{"what Go has for numbers, and JSON has not", `{"share":"0x10","count":"+5"}`, `{"share":"0x10","count":"+5"}`, "", lenientShape},
		{"no number", `{"share":"NaN","count":""}`, `{"share":"NaN","count":""}`, "", lenientShape},
		{"a quoted number within a text", `{"count":"\"5\""}`, `{"count":"\"5\""}`, "", lenientShape},
		{"a boolean as text", `{"flag":"true"}`, `{"flag":true}`, "flag came as the text of a JSON boolean", lenientShape},
		{"other words for a boolean", `{"flag":"yes"}`, `{"flag":"yes"}`, "", lenientShape},
		{"a number where text is taken", `{"text":"5"}`, `{"text":"5"}`, "", lenientShape},
		{"numbers as texts in a list", `{"counts":["5",6]}`, `{"counts":[5,6]}`, "counts[0] came", lenientShape},
		{"a number as text in an object", `{"part":{"count":"5"}}`, `{"part":{"count":5}}`, "part.count came", lenientShape},
		{"null for what is required", `{"flag":null}`, `{"flag":null}`, "", lenientShape},
		{"null within a list", `{"counts":[null,5.0]}`, `{"counts":[null,5]}`, "", lenientShape},
		{"a list for one text", `{"text":"[\"a\"]"}`, `{"text":"[\"a\"]"}`, "", lenientShape},
		{"text that begins like a list", `{"texts":"[red] herring"}`, `{"texts":["[red] herring"]}`, "one text", lenientShape},
		{"one text for a list in a typed write", `{"texts":"[red] herring"}`, `{"texts":"[red] herring"}`, "", typed},
		{"one number as text for a list in a typed write", `{"counts":"5"}`, `{"counts":5}`, "counts came as the text of a JSON number", typed},
		{"one number as text for a list", `{"counts":"5"}`, `{"counts":"5"}`, "", lenientShape},
		{"a list with something behind it", `{"counts":"[1] [2]"}`, `{"counts":"[1] [2]"}`, "", lenientShape},
		{"a list as text in a typed write", `{"texts":"[\"a\",\"b\"]"}`, `{"texts":["a","b"]}`, "JSON array", typed},
		{"an object with a member twice", `{"free":"{\"a\":1,\"a\":2}"}`, `{"free":"{\"a\":1,\"a\":2}"}`, "", lenientShape},
		{"half a surrogate pair", `{"texts":"[\"\\ud800\"]"}`, `{"texts":["[\"\\ud800\"]"]}`, "one text", lenientShape},
		{"a list that nests too deep", `{"texts":"` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `"}`, `{"texts":["` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `"]}`, "one text", lenientShape},
		{"unknown arguments", `{"other":null,"more":"[1]"}`, `{"other":null,"more":"[1]"}`, "", lenientShape},
	} {
		decode := func(text string) (v map[string]any) {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(c.name, err)
			}
			return v
		}
		got, said := c.shape.Lenient(decode(c.given))
		if diff := cmp.Diff(decode(c.want), got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if told := strings.Join(said, "; "); !strings.Contains(told, c.said) || c.said == "" && told != "" {
			t.Errorf("%s: said is %q, want %q", c.name, told, c.said)
		}
	}
}

// However many values came as texts, what is said of them is bounded, and tells how many.
func TestWhatIsSaidOfGuessesIsBounded(t *testing.T) {
	texts := make([]any, 1536)
	for i := range texts {
		texts[i] = "0.5"
	}
	got, said := lenientShape.Lenient(map[string]any{"vector": texts, "flag": true})
	if wrong := lenientShape.Check(got); len(wrong) > 0 {
		t.Error(wrong)
	}
	if len(said) != 21 || !strings.HasPrefix(said[0], "vector[0] came as the text of a JSON number") || said[20] != "so did 1516 more of the values" {
		t.Errorf("said %d: %q … %q", len(said), said[0], said[len(said)-1])
	}
	for _, component := range []any{"", "x", "+1", " 1 2", "[1]", true, nil} {
		got, _ := lenientShape.Lenient(map[string]any{"vector": []any{"1", component}, "flag": true})
		if wrong := lenientShape.Check(got); len(wrong) != 1 {
			t.Errorf("%v as a component: %v", component, wrong)
		}
	}
}
