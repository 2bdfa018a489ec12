package invoke

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"trails/capability"
	"trails/text/jsontext"
	"trails/text/outline"
)

// CutRoom is the number of characters reserved for the sentences about what was cut.
const CutRoom = 800

// Room is how many characters of JSON the answer may have; for capabilities that are not tools it is unlimited unless
// max_chars is given. A handler that can continue in another call fills no more, and says in Parts.Cut how to get the
// rest; a longer answer is shortened.
func (r *Request) Room() int {
	asTool := r.Capability != nil && (isTool(r.Capability) || r.catalog != nil && isTool(r.catalog.lookup(r.call.Capability)))
	if (r.call.Whole || !asTool) && !r.Args.Has(capability.MaxChars().Name) {
		return math.MaxInt
	}
	return r.Args.Integer(capability.MaxChars().Name, capability.DefaultChars) - CutRoom
}

// fitted shortens an answer to its room, and puts what is missing and the warnings before its members.
func (r *Request) fitted(answer []byte) ([]byte, error) {
	if size := utf8.RuneCount(answer); size > r.Room() {
		v, err := outline.Parse(answer)
		if err != nil {
			return nil, fmt.Errorf("shorten the answer: %w", err)
		}
		missing := strings.Join(v.Fit(r.Room()), ", ")
		way := "ask for less"
		most := min(size+2*CutRoom, capability.MostChars)
		if _, takes := r.Capability.InputShape.Field(capability.MaxChars().Name); takes && size < capability.MostChars && r.Args.Integer(capability.MaxChars().Name, 0) < most {
			way = fmt.Sprintf("call again with max_chars %d for all of it", most)
		}
		notes := []string{r.Parts.Cut, outline.Shorten(missing, CutRoom/2), way}
		answer, r.Parts.Cut = []byte(v.JSON()), strings.TrimPrefix(strings.Join(notes, "; "), "; ")
	}
	if r.Parts.Cut == "" && len(r.Parts.Warnings) == 0 {
		return answer, nil
	}
	first, err := jsontext.Marshal(struct {
		Cut      string   `json:"cut,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{r.Parts.Cut, r.Parts.Warnings})
	if err != nil || bytes.Equal(answer, []byte("{}")) {
		return first, err
	}
	return bytes.Join([][]byte{first[:len(first)-1], answer[1:]}, []byte{','}), nil
}
