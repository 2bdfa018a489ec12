package capability

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"trails/text/jsontext"
)

// A descriptor's JSON is what encoding/json makes of it by the tags of its fields, whatever
// any of them holds, also those that are added some day.
func TestTheJSONOfADescriptorIsThatOfItsTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Descriptor
		filled(t, reflect.ValueOf(&d).Elem(), 3)
		type plain Descriptor
		byTags := plain(d)
		if byTags.Preconditions == nil {
			byTags.Preconditions = []string{}
		}
		if byTags.Deprecates == nil {
			byTags.Deprecates = []string{}
		}
		want, err := jsontext.Marshal(byTags)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.MarshalJSON(); err != nil || string(got) != string(want) {
			t.Fatalf("got  %s, error %v\nwant %s", got, err, want)
		}
	})
}

// filled sets v to anything; a slice nests in others at most depth deep.
func filled(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			filled(t, v.Field(i), depth)
		}
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "plain", "<a & b>", "\"\\\n\u2028", "שלום", "\xff"}).Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int:
		v.SetInt(int64(rapid.IntRange(-1000, 1000).Draw(t, "int")))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			filled(t, v.Elem(), depth)
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 2).Draw(t, "length"); n >= 0 && depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				filled(t, v.Index(i), depth-1)
			}
		}
	case reflect.Interface:
		if value := rapid.SampledFrom([]any{nil, "text", true, false, json.Number("1.50"), []any{json.Number("1"), "<"}}).Draw(t, "value"); value != nil {
			v.Set(reflect.ValueOf(value))
		}
	default:
		t.Fatalf("a field of the kind %s", v.Kind())
	}
}
