package kg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

const staff = `
types:
  Team: {iri: preserve}
  Person:
    iri: preserve
    properties:
      name: {type: string, required: true}
      email: {type: string, pattern: '^[^@]+@[^@]+$'}
      age: {type: integer, min_value: 0}
      active: {type: boolean}
      level: {type: integer, required: true, min_value: 1}
      team: {class: Team}
      knows: {class: Person, many: true, min_count: 2}
      kind: {type: string, required: true, has_value: staff}
`

// mistakes are members of a Person that are wrong, by property, as JSON, and what each is
// reported as.
var mistakes = map[string][]struct{ json, code string }{
	"name":   {{"", "required"}, {`["a", "b"]`, "max_count"}},
	"email":  {{`"nowhere"`, "pattern"}, {`7`, "datatype"}},
	"age":    {{`"old"`, "datatype"}, {`-1`, "min_value"}},
	"active": {{`"yes"`, "datatype"}},
	"level":  {{`"high"`, "datatype"}, {`0`, "min_value"}, {"", "required"}},
	"team":   {{`"Team/none"`, "class"}, {`"none at all"`, "class"}},
	"knows":  {{`["Person/nobody", "Person/ann"]`, "class"}, {`["Person/nobody", "some one"]`, "class class"}, {`["Person/ann"]`, "min_count"}, {`[1, "Person/ann"]`, "node_kind"}},
	"kind":   {{"", "has_value"}, {`"guest"`, "has_value"}, {`7`, "datatype"}},
	"other":  {{`1`, "closed"}},
}

var right = map[string]string{"name": `"Bo"`, "email": `"bo@example.org"`, "age": "3", "active": "true", "level": "2", "team": `"Team/red"`, "knows": `["Person/ann", "Person/cy"]`, "kind": `"staff"`}

// A load that is refused reports what is wrong with every record, all of it, and nothing else:
// of records with mistakes in any of their members each mistake is there, as often as it was
// made.
func TestALoadReportsAllMistakesAtOnce(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, staff)
	mustLoad(t, g, "in", `{"type":"Team","id":"red","data":{}}
{"type":"Person","id":"ann","data":{"name":"Ann","kind":"staff","level":1,"knows":["Person/cy","Person/ann"]}}
{"type":"Person","id":"cy","data":{"name":"Cy","kind":"staff","level":1,"knows":["Person/cy","Person/ann"]}}
`)
	rapid.Check(t, func(rt *rapid.T) {
		want := map[string]int{}
		var text strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(rt, "records") {
			var members []string
			for _, name := range slices.Sorted(maps.Keys(mistakes)) {
				value := right[name]
				if rapid.Bool().Draw(rt, name) {
					wrong := rapid.SampledFrom(mistakes[name]).Draw(rt, "wrong")
					value = wrong.json
					for code := range strings.FieldsSeq(wrong.code) {
						want[name+" "+code]++
					}
				}
				if value != "" {
					members = append(members, fmt.Sprintf("%q:%s", name, value))
				}
			}
			fmt.Fprintf(&text, "{\"type\":\"Person\",\"id\":\"p%d\",\"data\":{%s}}\n", i, strings.Join(members, ","))
		}
		_, err := tryLoad(t, g, kg.Load{Options: load.Options{Format: load.NDJSON}, Set: kg.ChangeSet{DryRun: true}}, "in", text.String())
		got, count := map[string]int{}, 0
		if err != nil {
			for _, f := range fault.Of(err).Fields {
				got[f.Field+" "+string(f.Code)] += max(f.Times, 1)
				count += max(f.Times, 1)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil && fault.Of(err).Count != count {
			rt.Fatalf("%s\n%s\n%v", diff, text.String(), err)
		}
	})
}
