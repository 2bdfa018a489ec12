package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trails/gateway"
)

// View is a part of an artifact that a model reads. It is bounded: Text has at most some
// 8,000 bytes.
type View struct {
	Text string `json:"text"`
	// Left says what else there is, "" when this is all.
	Left string `json:"left,omitempty"`
	// Next reads on, nil when this is all.
	Next Selector `json:"next,omitempty"`
}

// mostView is the length of the text of a view, in bytes.
const mostView = 8_000

// Selector says which part of an artifact to show. There are [Head], [Bytes], [Lines], [Grep],
// [Keys], [JSON], [Rows], [Stats] and [Image]; [ParseSelector] reads one.
type Selector interface {
	view(a Artifact) (View, error)
}

// kinds are the selectors by their types.
var kinds = map[string]func() Selector{
	"head": func() Selector { return &Head{} }, "bytes": func() Selector { return &Bytes{} }, "lines": func() Selector { return &Lines{} },
	"grep": func() Selector { return &Grep{} }, "json_keys": func() Selector { return &Keys{} }, "json": func() Selector { return &JSON{} },
	"rows": func() Selector { return &Rows{} }, "stats": func() Selector { return &Stats{} }, "image": func() Selector { return &Image{} },
}

// ParseSelector reads a selector: an object with a type, and with what that type has. What is
// wrong with it is a [*gateway.Error] of the handle.
func ParseSelector(handle string, text json.RawMessage) (Selector, error) {
	var head struct{ Type string }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, gateway.Fail(gateway.ViewFailed, handle, "the selector is no object: %v", err)
	}
	empty, known := kinds[head.Type]
	if !known {
		var list []string
		for kind := range kinds {
			list = append(list, kind)
		}
		slices.Sort(list)
		return nil, gateway.Fail(gateway.ViewFailed, handle, "%q is no type of a selector; there are %s", head.Type, strings.Join(list, ", "))
	}
	s := empty()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, gateway.Fail(gateway.ViewFailed, handle, "a selector of type %s: %s", head.Type, strings.TrimPrefix(err.Error(), "json: "))
	}
	return s, nil
}

// View shows a part of the artifact. What cannot be shown is a [*gateway.Error] that says what
// can.
func (a Artifact) View(s Selector) (View, error) {
	v, err := s.view(a)
	if err != nil {
		return View{}, gateway.Fail(gateway.ViewFailed, a.Handle, "%s: %v", a.Handle, err)
	}
	return v, nil
}

// within returns n, or what stands for none, when it is one of these.
func within(name string, n, none, least, most int) (int, error) {
	if n == 0 {
		return none, nil
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s is %d, and may be %d to %d", name, n, least, most)
	}
	return n, nil
}

// text returns the artifact as text.
func (a Artifact) text() (string, error) {
	if !isText(a.Data) {
		return "", fmt.Errorf("it is %s of %d bytes and no text; use bytes, stats or image", a.MediaType, len(a.Data))
	}
	return string(a.Data), nil
}
