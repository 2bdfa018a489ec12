package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/mcp/session"
)

// Our results are our own types: the SDK's have no room for a tool's "trails", and
// escape <, > and & in text. What the SDK would add to its own, they add themselves.

// private is the cache scope of every answer: another caller may see other things.
const private = "private"

// complete is what the protocol without sessions wants in every result.
type complete struct {
	sdk.ResultBase
	ResultType string `json:"resultType,omitempty"`
}

func completeFor(r request) complete {
	if isSessionless(r) {
		return complete{ResultType: "complete"}
	}
	return complete{}
}

// cacheable is what it wants besides in results that a client may keep: that they
// are stale at once, and nobody else's.
type cacheable struct {
	TTL        *int   `json:"ttlMs,omitempty"`
	CacheScope string `json:"cacheScope,omitempty"`
}

func cacheableFor(r request) cacheable {
	if isSessionless(r) {
		return cacheable{TTL: new(int), CacheScope: private}
	}
	return cacheable{}
}

func isSessionless(r request) bool {
	v, ok := r.Request.(interface{ ProtocolVersion() string })
	return ok && v.ProtocolVersion() >= session.Sessionless
}

// listResult is the result of tools/list, resources/list, resources/templates/list or
// prompts/list, which differ in the name of their entries.
type listResult struct {
	complete
	cacheable
	Tools     []json.RawMessage `json:"tools,omitzero"`
	Resources []json.RawMessage `json:"resources,omitzero"`
	Templates []json.RawMessage `json:"resourceTemplates,omitzero"`
	Prompts   []json.RawMessage `json:"prompts,omitzero"`
	Next      string            `json:"nextCursor,omitempty"`
}

// answer is the page of a list that the request's cursor names; entries says under which
// name it goes out.
func (l list) answer(r request, size int, entries func(*listResult) *[]json.RawMessage) (sdk.Result, error) {
	var cursor string
	switch p := r.GetParams().(type) {
	case *sdk.ListToolsParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *sdk.ListResourcesParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *sdk.ListResourceTemplatesParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *sdk.ListPromptsParams:
		if p != nil {
			cursor = p.Cursor
		}
	}
	page, next, err := l.page(cursor, size)
	if err != nil {
		return nil, err
	}
	res := &listResult{complete: completeFor(r), cacheable: cacheableFor(r), Next: next}
	*entries(res) = page
	return res, nil
}

// contents is the result of resources/read.
type contents struct {
	complete
	cacheable
	Contents []content `json:"contents"`
}

// content is a document: text, or base64 of what is no text.
type content struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob []byte  `json:"blob,omitempty"`
}

// toolResult is the result of tools/call: one JSON object, and the same as text.
type toolResult struct {
	complete
	Content    []textContent   `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func newToolResult(r request, structured json.RawMessage, isError bool) *toolResult {
	return &toolResult{
		complete:   completeFor(r),
		Content:    []textContent{{Type: "text", Text: string(structured)}},
		Structured: structured,
		IsError:    isError,
	}
}

// list is something that is answered in pages: its name, what changes when any
// entry does, and the entries.
type list struct {
	name, version string
	entries       []json.RawMessage
}

// newList returns a list whose version is made of its entries.
func newList(name string, entries []json.RawMessage) list {
	h := sha256.New()
	for _, text := range entries {
		h.Write(text)
		h.Write([]byte{'\n'})
	}
	return list{name: name, version: hex.EncodeToString(h.Sum(nil)[:8]), entries: entries}
}

// page returns the entries that the cursor names, at most size, and the cursor of
// the next page, "" on the last one. A cursor is good for the list that it was made
// for: when that has changed, a page of it would skip entries or repeat them.
func (l list) page(cursor string, size int) ([]json.RawMessage, string, error) {
	from, err := l.start(cursor)
	if err != nil {
		return nil, "", err
	}
	if rest := len(l.entries) - from; rest <= size {
		return l.entries[from:], "", nil
	}
	return l.entries[from : from+size], l.cursor(from + size), nil
}

func (l list) cursor(from int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(l.name + " " + l.version + " " + strconv.Itoa(from)))
}

func (l list) start(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, ours := strings.CutPrefix(string(text), l.name+" "+l.version+" ")
	from, notNumber := strconv.Atoi(number)
	if err != nil || !ours || notNumber != nil || from <= 0 || from >= len(l.entries) || l.cursor(from) != cursor {
		return 0, fault.New(fault.InvalidArguments, "invalid cursor: it is not ours, or the list has changed; list again without one").
			With("field", "cursor")
	}
	return from, nil
}
