package capability_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/capability"
	"trails/rdf"
)

type inner struct {
	Name  string `json:"name"`
	Count int    `json:"count" default:"7"`
}

type values struct {
	inner
	Text   *string           `json:"text,omitempty"`
	Yes    bool              `json:"yes,omitempty"`
	Small  int8              `json:"small,omitempty"`
	Share  float64           `json:"share,omitempty"`
	Exact  json.Number       `json:"exact,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	At     time.Time         `json:"at,omitzero"`
	Of     rdf.IRI           `json:"of,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	List   []inner           `json:"list,omitempty"`
	Names  []rdf.IRI         `json:"names,omitempty"`
	Any    any               `json:"any,omitempty"`
	Object map[string]any    `json:"object,omitempty"`
	Texts  map[string]string `json:"texts,omitempty"`
	One    *inner            `json:"one,omitempty"`
}

// What is read of decoded arguments is what encoding/json reads of their text, and the defaults of
// what they leave out.
func TestValuesAreReadAsTheirText(t *testing.T) {
	read := capability.ValuesOf(reflect.TypeFor[values](), capability.FieldsOf[values]())
	for name, text := range map[string]string{
		"nothing":               `{}`,
		"scalars":               `{"name":"a","count":3,"text":"","yes":true,"small":-4,"share":0.5,"exact":1.50,"of":"urn:a"}`,
		"what reads itself":     `{"raw":{"b":[1,2]},"at":"2026-01-31T12:00:00Z","bytes":"AAEC"}`,
		"lists and objects":     `{"list":[{"name":"x"},{"name":"y","count":1}],"names":["urn:a","urn:b"],"object":{"n":1},"texts":{"a":"b"},"one":{"name":"z"}}`,
		"empty lists are there": `{"list":[],"names":[],"object":{},"any":[]}`,
		"null is left out":      `{"text":null,"any":null,"list":null}`,
		"any value":             `{"any":{"a":[1,"b",null,true]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var given map[string]any
			decode(t, text, &given)
			var got values
			if err := read(given, &got); err != nil {
				t.Fatal(err)
			}
			want := values{inner: inner{Count: 7}}
			decode(t, text, &want)
			for i := range want.List {
				if want.List[i].Count == 0 {
					want.List[i].Count = 7
				}
			}
			if want.One != nil && want.One.Count == 0 {
				want.One.Count = 7
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(values{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestANumberThatIsTooLargeIsNoValue(t *testing.T) {
	read := capability.ValuesOf(reflect.TypeFor[values](), capability.FieldsOf[values]())
	var v values
	if err := read(map[string]any{"small": json.Number("1000")}, &v); err == nil {
		t.Errorf("it was read as %d", v.Small)
	}
}

// What shapes do not check, such as the members of an object with any names, is refused by its place and in words of JSON.
func TestWhatCannotBeReadIsToldInWordsOfJSON(t *testing.T) {
	read := capability.ValuesOf(reflect.TypeFor[values](), capability.FieldsOf[values]())
	for text, want := range map[string]string{
		`{"texts":{"b":"x","a.b":1}}`: `texts: "a.b": must be a JSON string`,
		`{"texts":{"a":["x"]}}`:       `texts: "a": must be a JSON string`,
		`{"small":1000}`:              `small: 1000 is no whole number of 8 bits`,
		`{"share":1e999}`:             `share: a JSON number 1e999 does not fit there`,
	} {
		var given map[string]any
		decode(t, text, &given)
		var v values
		if err := read(given, &v); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// decode reads JSON with its numbers as they are written.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}
