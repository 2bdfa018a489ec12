package artifact

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"

	"trails/text/jsontext"
	"trails/text/quote"
)

// Keys shows the members of an object, or of the items of a list, with descriptions of their values.
type Keys struct {
	Type    string `json:"type"`
	Pointer string `json:"pointer,omitempty"` // JSON Pointer (RFC 6901); "" is all
	Offset  int    `json:"offset,omitempty"`  // members or items to skip
	Limit   int    `json:"limit,omitempty"`   // 1 to 200; 50 when it is 0
}

func (s *Keys) view(a Artifact) (Excerpt, error) {
	v, err := a.at(s.Pointer)
	if err != nil {
		return Excerpt{}, err
	}
	limit, err := within("limit", s.Limit, 50, 1, 200)
	if err != nil {
		return Excerpt{}, err
	}
	var view Excerpt
	next := 0
	switch v := v.(type) {
	case map[string]any:
		members := names(v)
		view, next, err = page(len(v), s.Offset, limit, func(i int) string {
			return quote.Text(members[i], 100) + ": " + quote.Line(shapeOf(v[members[i]], 1), 200)
		})
	case []any:
		view, next, err = page(len(v), s.Offset, limit, func(i int) string {
			return fmt.Sprintf("%d: %s", i, quote.Line(shapeOf(v[i], 1), 200))
		})
	default:
		return Excerpt{}, fmt.Errorf("there is no object at %q, but %s", s.Pointer, shapeOf(v, 1))
	}
	if err == nil && next > 0 {
		view.Next = &Keys{Type: "json_keys", Pointer: s.Pointer, Offset: next, Limit: s.Limit}
	}
	return view, err
}

// page returns as many entries from offset on as fit into a view, one a line, and the next offset, 0 at the end.
func page(count, offset, limit int, entry func(i int) string) (v Excerpt, next int, err error) {
	if offset < 0 || offset > count {
		return v, 0, fmt.Errorf("offset is %d, and there are %d", offset, count)
	}
	var b strings.Builder
	for next = offset; next < count && next-offset < limit; next++ {
		text := entry(next)
		if len(text) > mostEntry {
			text = whole(text, mostEntry) + "…"
		}
		if b.Len()+len(text) >= mostExcerpt {
			break
		}
		b.WriteString(text + "\n")
	}
	v.Text = b.String()
	if next == count {
		return v, 0, nil
	}
	v.Left = fmt.Sprintf("%d of %d", count-next, count)
	return v, next, nil
}

// mostEntry is the maximum number of bytes shown of one value.
const mostEntry = mostExcerpt / 2

// JSON shows values of JSON data: the one at a pointer, the items of a list there, or those selected by a path, one a
// line.
type JSON struct {
	Type    string `json:"type"`
	Pointer string `json:"pointer,omitempty"` // JSON Pointer (RFC 6901); "" is all
	// Path is a JSONPath (RFC 9535), such as $.items[?@.open].id. It may have one .., four commas, and no $ in a
	// filter, so that it is about as fast as parsing the data.
	Path   string `json:"path,omitempty"`
	Offset int    `json:"offset,omitempty"` // values or items to skip
	Limit  int    `json:"limit,omitempty"`  // 1 to 1,000; 100 when it is 0
}

func (s *JSON) view(a Artifact) (Excerpt, error) {
	v, err := a.at(s.Pointer)
	if err != nil {
		return Excerpt{}, err
	}
	limit, err := within("limit", s.Limit, 100, 1, 1_000)
	if err != nil {
		return Excerpt{}, err
	}
	var values []any
	if s.Path != "" {
		if err := bounded(s.Path); err != nil {
			return Excerpt{}, err
		}
		path, err := jsonpath.Parse(s.Path)
		if err != nil {
			return Excerpt{}, fmt.Errorf("the path is none of RFC 9535, such as $.items[0].name: %s", strings.TrimPrefix(err.Error(), "jsonpath: "))
		}
		values = path.Select(v)
	} else if list, is := v.([]any); is {
		values = list
	} else {
		values = []any{v}
	}
	size := 0 // of the last one
	view, next, err := page(len(values), s.Offset, limit, func(i int) string {
		text, err := jsontext.Marshal(values[i])
		if err != nil {
			return "" // parsed values can be encoded
		}
		size = len(text)
		return string(text)
	})
	switch {
	case err != nil:
		return Excerpt{}, err
	case next > 0:
		view.Next = &JSON{Type: "json", Pointer: s.Pointer, Path: s.Path, Offset: next, Limit: s.Limit}
	case len(values) == 1 && size > mostEntry:
		view.Left = fmt.Sprintf("%d of %d bytes", size-mostEntry, size)
		if s.Path == "" && !isScalar(v) {
			view.Next = &Keys{Type: "json_keys", Pointer: s.Pointer}
		}
	}
	return view, nil
}

// bounded refuses a path that may be far slower than parsing the data: every .. visits everything below, each comma
// may double the selection, and a $ in a filter starts again for each value.
func bounded(path string) error {
	if len(path) > 500 {
		return fmt.Errorf("the path has %d bytes, and may have 500", len(path))
	}
	bare := unquoted(path)
	if strings.Count(bare, "..") > 1 || strings.Count(bare, ",") > 4 || strings.Count(bare, "$") > 1 {
		return errors.New("the path may have one .., four commas and one $, its first sign; take a smaller step, and a pointer to begin at")
	}
	return nil
}

// unquoted is a path without its quoted strings.
func unquoted(path string) string {
	var b strings.Builder
	quoted := rune(0)
	escaped := false
	for _, r := range path {
		switch {
		case escaped:
			escaped = false
		case quoted != 0 && r == '\\':
			escaped = true
		case quoted != 0 && r == quoted:
			quoted = 0
		case quoted != 0:
		case r == '"' || r == '\'':
			quoted = r
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// at returns the value at a pointer (RFC 6901).
func (a Artifact) at(pointer string) (any, error) {
	v, err := parse(a.Data)
	if err != nil {
		return nil, err
	}
	if pointer == "" {
		return v, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("%s is no pointer of RFC 6901: it is empty or begins with /", quote.Text(pointer, 100))
	}
	here := ""
	for step := range strings.SplitSeq(pointer[1:], "/") {
		name := jsontext.PointerName(step)
		var next any
		found := false
		switch v := v.(type) {
		case map[string]any:
			next, found = v[name]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) && strconv.Itoa(i) == step {
				next, found = v[i], true
			}
		}
		if !found {
			return nil, fmt.Errorf("nothing at %s; at %q is %s", quote.Text(here+"/"+step, 200), here, quote.Line(shapeOf(v, 1), 300))
		}
		v, here = next, here+"/"+step
	}
	return v, nil
}
