package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/text/jsontext"
	"trails/text/quote"
)

// Difference is a place where two definitions say something else.
type Difference struct {
	Path   string `json:"path"`             // a JSON Pointer (RFC 6901)
	Before string `json:"before,omitempty"` // "" when there was nothing
	After  string `json:"after,omitempty"`  // "" when there is nothing any more
}

// mostDifferences is how many places are named.
const mostDifferences = 50

// Differences returns where a server says something else of one thing than it said before, in
// the order of the places: what somebody reads before accepting it. What the server says is
// quoted. More is how many places there are beside those.
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
		return o.Name // a schema that is no JSON was refused before
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return o.Name
	}
	return v
}

// absent stands for a value that is not there, which is another thing than null.
type absent struct{}

func member(object map[string]any, name string) any {
	if v, is := object[name]; is {
		return v
	}
	return absent{}
}

// differ adds the places at and below one where two values are not the same.
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
			differ(places, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), member(x, name), member(y, name))
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
		return "" // what was decoded can be written
	}
	return quote.Line(string(text), maxProse) // a description whole: an end that nobody sees may say anything
}
