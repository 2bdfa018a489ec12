package capability_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/capability"
	"trails/rdf"
)

type place struct {
	City string `json:"city" min:"1"`
}

type apart struct {
	Inner string `json:"inner"`
}

type everything struct {
	place
	Text    string            `json:"text" doc:"A text." min:"2" max:"3" pattern:"^[a-z]+$"`
	Word    string            `json:"word,omitempty" oneof:"a,b"`
	Count   int               `json:"count" min:"1" max:"10" default:"3"`
	Share   float64           `json:"share" min:"0.5"`
	Exact   json.Number       `json:"exact" scope:"builder"`
	Flag    *bool             `json:"flag"`
	At      time.Time         `json:"at"`
	Of      rdf.IRI           `json:"of"`
	Bytes   []byte            `json:"bytes"`
	Places  []place           `json:"places" max:"5"`
	Names   []string          `json:"names"`
	Any     any               `json:"any"`
	Members map[string]string `json:"members"`
	Table   [][]any           `json:"table" type:"any" cells:"who:string,size:integer null,other"`
	Stamp   *string           `json:"stamp,omitempty" type:"date-time" is:"rare,brief"`
	Object  any               `json:"object" type:"object" is:"nullable"`
	Left    string            `json:"-"`
	*apart
	Plain  bool
	hidden int
}

func TestAShapeFollowsFromAStruct(t *testing.T) {
	_ = everything{}.hidden
	city := capability.Field{Name: "city", Type: capability.String, Required: true, MinLength: new(1)}
	want := capability.Shape{Closed: true, Fields: []capability.Field{
		city,
		{Name: "text", Description: "A text.", Type: capability.String, Required: true, MinLength: new(2), MaxLength: new(3), Pattern: "^[a-z]+$"},
		{Name: "word", Type: capability.String, OneOf: []any{"a", "b"}},
		{Name: "count", Type: capability.Integer, MinValue: 1, MaxValue: 10, Default: 3},
		{Name: "share", Type: capability.Number, Required: true, MinValue: json.Number("0.5")},
		{Name: "exact", Type: capability.Decimal, Required: true, Scope: "builder"},
		{Name: "flag", Type: capability.Boolean, Required: true, Nullable: true},
		{Name: "at", Type: capability.DateTime, Required: true},
		{Name: "of", Type: capability.IRI, Required: true},
		{Name: "bytes", Type: capability.Bytes, Required: true},
		{Name: "places", Type: capability.Object, Many: true, Required: true, MaxCount: new(5), Fields: []capability.Field{city}},
		{Name: "names", Type: capability.String, Many: true, Required: true},
		{Name: "any", Type: capability.Any, Required: true},
		{Name: "members", Type: capability.Object, Required: true},
		{Name: "table", Type: capability.Any, Required: true, Cells: []capability.Cell{{Name: "who", Types: []string{"string"}}, {Name: "size", Types: []string{"integer", "null"}}, {Name: "other", Types: []string{}}}},
		{Name: "stamp", Type: capability.DateTime, Rare: true, Brief: true},
		{Name: "object", Type: capability.Object, Required: true, Nullable: true},
		{Name: "inner", Type: capability.String},
		{Name: "Plain", Type: capability.Boolean, Required: true},
	}}
	if diff := cmp.Diff(want, capability.ShapeOf[everything]()); diff != "" {
		t.Error(diff)
	}
}

func TestDetailsAddToTheFieldOfTheirName(t *testing.T) {
	fields := capability.Detailed(capability.FieldsOf[place](), []capability.Field{{Name: "city", OneOf: []any{"Rome", "Oslo"}, Default: "Oslo"}})
	want := []capability.Field{{Name: "city", Type: capability.String, MinLength: new(1), OneOf: []any{"Rome", "Oslo"}, Default: "Oslo"}}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	if f := capability.FieldsOf[place]()[0]; f.Default != nil {
		t.Errorf("the field of the struct has %v", f.Default)
	}
}

func TestAStructThatIsNoShapeIsAMistake(t *testing.T) {
	for name, shape := range map[string]func() capability.Shape{
		"no struct": capability.ShapeOf[int],
		"a channel": capability.ShapeOf[struct{ C chan int }],
		"a bound of a bool": capability.ShapeOf[struct {
			B bool `min:"1"`
		}],
		"an unknown word": capability.ShapeOf[struct {
			N int `is:"seldom"`
		}],
		"a detail of nothing": func() capability.Shape {
			return capability.Shape{Fields: capability.Detailed(nil, []capability.Field{{Name: "n"}})}
		},
		"a default of letters": capability.ShapeOf[struct {
			N int `default:"many"`
		}],
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it has a shape")
				}
			}()
			shape()
		})
	}
}
