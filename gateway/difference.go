package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"trails/text/jsontext"
	"trails/text/quote"
)

// Difference is a place where two definitions differ.
type Difference struct {
	Path   string `json:"path"`             // a JSON Pointer (RFC 6901)
	Before string `json:"before,omitempty"` // "" when there was nothing
	After  string `json:"after,omitempty"`  // "" when there is nothing any more
}

// mostDifferences is how many places are named.
const mostDifferences = 50

// Differences returns the differences between two definitions, sorted by place, for somebody who decides about
// accepting them. Texts of the server are quoted. more is the number of further differences.
func Differences(before, after Offered) (places []Difference, more int) {
	differ(&places, "", decoded(before), decoded(after))
	if more = len(places) - mostDifferences; more > 0 {
		return places[:mostDifferences], more
	}
	return places, 0
}

// decoded is what is offered as JSON.
func decoded(o Offered) (v any) {
	text, err := jsontext.Marshal(o)
	if err != nil {
		return o.Name // invalid JSON was refused before
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return o.Name
	}
	return v
}

// absent stands for a missing value, which differs from null.
type absent struct{}

func member(object map[string]any, name string) any {
	if v, is := object[name]; is {
		return v
	}
	return absent{}
}

// differ adds the differences of two values, at their place and below it.
func differ(places *[]Difference, at string, before, after any) {
	x, isObject := before.(map[string]any)
	y, areObjects := after.(map[string]any)
	if isObject && areObjects {
		names := slices.Sorted(maps.Keys(x))
		for name := range y {
			if _, known := x[name]; !known {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			differ(places, at+"/"+jsontext.PointerToken(name), member(x, name), member(y, name))
		}
		return
	}
	p, isList := before.([]any)
	q, areLists := after.([]any)
	if isList && areLists && len(p) == len(q) {
		for i := range p {
			differ(places, fmt.Sprintf("%s/%d", at, i), p[i], q[i])
		}
		return
	}
	_, added := before.(absent)
	_, removed := after.(absent)
	if added || removed || !jsontext.Equal(before, after) {
		*places = append(*places, Difference{quote.Line(at, 200), quoted(before), quoted(after)})
	}
}

func quoted(v any) string {
	if v == (absent{}) {
		return ""
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "" // decoded values can always be encoded
	}
	return quote.Line(string(text), maxProse) // in full: a part that is not shown could contain anything
}
