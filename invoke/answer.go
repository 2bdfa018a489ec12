package invoke

import (
	"encoding/json"
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
// max_chars is given. A handler that can continue in another call fills no more, see [Request.RoomBeside], and says in
// Parts.Cut how to get the rest; a longer answer is shortened.
func (r *Request) Room() int {
	asTool := r.Capability != nil && (isTool(r.Capability) || r.catalog != nil && isTool(r.catalog.lookup(r.call.Capability)))
	if (r.call.Whole || !asTool) && !r.Args.Has(capability.MaxChars().Name) {
		return math.MaxInt
	}
	return r.Args.Integer(capability.MaxChars().Name, capability.DefaultChars) - CutRoom
}

// roomOfPlace is the room for what follows from the rows of an answer: the place at which the next page begins, and what all
// rows have in common.
const roomOfPlace = 150

// RoomBeside is how much of [Request.Room] rows may take beside the rest of an answer, of which it has all members but those
// that follow from the rows. Rows that take no more are not shortened, so that the place that a handler names as the next one
// leaves out none.
func (r *Request) RoomBeside(answer any) int {
	room := r.Room()
	if room == math.MaxInt {
		return room
	}
	text, err := jsontext.Marshal(answer)
	if err != nil {
		return room // the answer is refused when it is encoded
	}
	return room - utf8.RuneCount(text) - roomOfPlace
}

// Shorten shortens JSON to a number of characters, and notes in Parts.Cut what is missing, and the way to all of it. way
// gets the characters of the whole.
func (r *Request) Shorten(body []byte, room int, way func(size int) string) ([]byte, error) {
	size := utf8.RuneCount(body)
	if size <= room {
		return body, nil
	}
	v, err := outline.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("shorten the answer: %w", err)
	}
	missing := strings.Join(v.Fit(room), ", ")
	r.Parts.AlsoCut("%s; %s", outline.Shorten(missing, CutRoom/2), way(size))
	return []byte(v.JSON()), nil
}

// wayToAll says how the call gets an answer of size characters.
func (r *Request) wayToAll(size int) string {
	most := min(size+2*CutRoom, capability.MostChars)
	if _, takes := r.Capability.InputShape.Field(capability.MaxChars().Name); takes && size < capability.MostChars && r.Args.Integer(capability.MaxChars().Name, 0) < most {
		return fmt.Sprintf("call again with max_chars %d for all of it", most)
	}
	return "ask for less"
}

// noted is an answer with what is missing from it and the warnings before its members.
func (p Parts) noted(answer []byte) json.RawMessage {
	if p.Cut == "" && len(p.Warnings) == 0 && p.Request == 0 {
		return answer
	}
	first, err := jsontext.Marshal(struct {
		Cut      string   `json:"cut,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
		Request  int64    `json:"request,omitempty"`
	}{p.Cut, p.Warnings, p.Request})
	if err != nil {
		panic("invoke: texts are no JSON: " + err.Error())
	}
	return jsontext.Joined(first, answer)
}
