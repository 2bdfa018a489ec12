package capability_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/capability"
	"trails/fault"
)

// shape has a field of each type, with constraints.
var shape = capability.Shape{Closed: true, Fields: []capability.Field{
	{Name: "text", Type: capability.String, MinLength: new(2), MaxLength: new(3), Pattern: "^[a-zé]+$"},
	{Name: "word", Type: capability.String, OneOf: []any{"a", "b"}},
	{Name: "flag", Type: capability.Boolean},
	{Name: "count", Type: capability.Integer, MinValue: 1, MaxValue: 10},
	{Name: "share", Type: capability.Number, MinValue: json.Number("0.5"), MaxValue: json.Number("1e2")},
	{Name: "exact", Type: capability.Decimal, OneOf: []any{json.Number("1.50"), 2}},
	{Name: "big", Type: capability.BigInteger, MinValue: "-5"},
	{Name: "day", Type: capability.Date, MinValue: "2026-01-01", MaxValue: "2026-12-31"},
	{Name: "at", Type: capability.DateTime},
	{Name: "hour", Type: capability.Time},
	{Name: "span", Type: capability.Duration},
	{Name: "year", Type: capability.Year},
	{Name: "uri", Type: capability.URI},
	{Name: "iri", Type: capability.IRI},
	{Name: "ref", Type: capability.IRI, NodeType: "Note"},
	{Name: "bytes", Type: capability.Bytes},
	{Name: "vector", Type: capability.Vector, Dim: new(2)},
	{Name: "fixed", Type: capability.String, HasValue: "x"},
	{Name: "list", Type: capability.Integer, Many: true, MinCount: new(1), MaxCount: new(2), HasValue: 7},
	{Name: "any", Type: capability.Any},
	{Name: "none", Type: capability.String, Nullable: true},
	{Name: "object", Type: capability.Object, Fields: []capability.Field{
		{Name: "name", Type: capability.String, Required: true},
		{Name: "deep", Type: capability.Object, Many: true, Fields: []capability.Field{{Name: "n", Type: capability.Integer}}},
	}},
}}

func TestArgumentsAreHeldAgainstTheWholeShape(t *testing.T) {
	for args, want := range map[string]string{
		`{"text":"éa","word":"a","flag":true,"count":10,"share":0.50,"exact":15e-1,"big":"-5","day":"2026-02-28"}`:                   "",
		`{"at":"2026-01-31T12:00:00+01:00","hour":"12:00:00","span":"P1D","year":"2026","uri":"urn:a","iri":"urn:b","ref":"Note/1"}`: "",
		`{"bytes":"AA==","vector":[1,2.5],"fixed":"x","list":[7],"any":[null],"none":null,"object":{"name":"n","deep":[{"n":1}]}}`:   "",
		`{"text":"é"}`:                       "text min_length: text has at least 2 characters",
		`{"text":"éééé"}`:                    "text max_length: text has at most 3 characters",
		`{"text":"a1"}`:                      "text pattern: text must match ^[a-zé]+$",
		`{"text":1}`:                         "text datatype: text must be a JSON string",
		`{"word":"c"}`:                       "word one_of: word must be one of a, b",
		`{"flag":"true"}`:                    "flag datatype: flag must be a JSON boolean",
		`{"count":0}`:                        "count min_value: count must be at least 1",
		`{"count":11}`:                       "count max_value: count must be at most 10",
		`{"count":1.5}`:                      "count datatype: count must be a JSON integer",
		`{"share":0.4999999999999999999999}`: "share min_value: share must be at least 0.5",
		`{"share":1e999999999}`:              "share max_value: share must be at most 1e2",
		`{"share":"1"}`:                      "share datatype: share must be a JSON number",
		`{"exact":1.51}`:                     "exact one_of: exact must be one of 1.50, 2",
		`{"big":"1.0"}`:                      "big datatype: big must be a whole number in decimal digits",
		`{"big":"-6"}`:                       "big min_value: big must be at least -5",
		`{"day":"2026-02-30"}`:               "day datatype: day must be a date, such as 2026-01-31",
		`{"day":"2025-12-31"}`:               "day min_value: day must be at least 2026-01-01",
		`{"day":"2027-01-01"}`:               "day max_value: day must be at most 2026-12-31",
		`{"at":"2026-01-31"}`:                "at datatype: at must be a date and time, such as 2026-01-31T12:00:00Z",
		`{"hour":"25:00:00"}`:                "hour datatype: hour must be a time, such as 12:00:00",
		`{"span":"1 day"}`:                   "span datatype: span must be a duration, such as P1D",
		`{"year":"last"}`:                    "year datatype: year must be a year, such as 2026",
		`{"uri":"no uri"}`:                   "uri datatype: uri must be an absolute URI",
		`{"iri":"no iri"}`:                   "iri node_kind: iri must be an absolute IRI",
		`{"bytes":"?"}`:                      "bytes datatype: bytes must be bytes in base64",
		`{"vector":[1]}`:                     "vector datatype: vector must have 2 components",
		`{"vector":[1,"2"]}`:                 "vector datatype: vector must be a JSON array of numbers",
		`{"fixed":"y"}`:                      "fixed has_value: fixed must be x",
		`{"list":7}`:                         "list datatype: list must be a JSON array",
		`{"list":[]}`:                        "list min_count: list has at least 1 members",
		`{"list":[7,8,9]}`:                   "list max_count: list has at most 2 members",
		`{"list":[8]}`:                       "list has_value: list must have the member 7",
		`{"list":[7,"a"]}`:                   "list[1] datatype: list[1] must be a JSON integer",
		`{"text":null}`:                      "text datatype: text must be a JSON string",
		`{"object":{}}`:                      "object.name required: object.name is required",
		`{"object":{"name":"n","x":1}}`:      `object.x closed: there is no argument "object.x"`,
		`{"object":{"name":"n","deep":[{"n":1},{"n":"2"}]}}`: "object.deep[1].n datatype: object.deep[1].n must be a JSON integer, such as 1",
		`{"nothing":1}`: `nothing closed: there is no argument "nothing"`,
	} {
		t.Run(args, func(t *testing.T) {
			d := json.NewDecoder(strings.NewReader(args))
			d.UseNumber()
			var values map[string]any
			if err := d.Decode(&values); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range fault.Sorted(shape.Check(values)) {
				got += f.Field + " " + string(f.Code) + ": " + f.Message
			}
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

func TestAPatternThatDoesNotCompileIsRefused(t *testing.T) {
	d := capability.Descriptor{ID: "test.it", InputShape: capability.Shape{Fields: []capability.Field{
		{Name: "o", Type: capability.Object, Fields: []capability.Field{{Name: "p", Type: capability.String, Pattern: "("}}},
	}}}.Completed()
	if _, err := capability.New([]capability.Descriptor{d}); !fault.Is(err, fault.InvalidData) {
		t.Errorf("got %v", err)
	}
}
