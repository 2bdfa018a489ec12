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
	"trails/invoke"
	"trails/mcp/session"
)

// Results have our own types: those of the SDK have no place for a tool's "trails", and escape <, > and & in text.
// What the SDK would add to its own types, these types add themselves.

// private is the cache scope of every answer, because other callers may see something else.
const private = "private"

// complete are the members that the protocol without sessions requires in every result.
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

// cacheable are the members that it also requires in cacheable results: immediately stale, and private.
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

func isSessionless(r request) bool { return versionOf(r) >= session.Sessionless }

// versionOf is the version of the protocol that a request speaks, "" if it does not say.
func versionOf(r request) string {
	if v, ok := r.Request.(interface{ ProtocolVersion() string }); ok {
		return v.ProtocolVersion()
	}
	return ""
}

// linksSince is the first version of the protocol in which a result may have links.
const linksSince = "2025-06-18"

// listResult is the result of tools/list, resources/list, resources/templates/list, prompts/list
// or skills/list, which differ in the name of their entries.
type listResult struct {
	complete
	cacheable
	Tools     []json.RawMessage `json:"tools,omitzero"`
	Resources []json.RawMessage `json:"resources,omitzero"`
	Templates []json.RawMessage `json:"resourceTemplates,omitzero"`
	Prompts   []json.RawMessage `json:"prompts,omitzero"`
	Skills    []json.RawMessage `json:"skills,omitzero"`
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
	case *skillsParams:
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

// toolResult is the result of tools/call: one JSON object, and the same as text, with other content of the answer.
// Hosts show models one of them.
type toolResult struct {
	complete
	Content    []any           `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError,omitempty"`
}

type textContent struct {
	Type invoke.Kind `json:"type"`
	Text string      `json:"text"`
}

func newToolResult(r request, done invoke.Result) *toolResult {
	res := &toolResult{complete: completeFor(r), Structured: done.Structured, IsError: done.Failed}
	for _, c := range done.Pieces() {
		if c.Kind() != invoke.LinkKind || versionOf(r) >= linksSince {
			res.Content = append(res.Content, contentOf(c))
		}
	}
	return res
}

// dataContent is an image or sound.
type dataContent struct {
	Type invoke.Kind `json:"type"`
	Data []byte      `json:"data"`
	MIME string      `json:"mimeType"`
}

// resourceContent is a document.
type resourceContent struct {
	Type     invoke.Kind `json:"type"`
	Resource content     `json:"resource"`
}

// linkContent names a resource that can be read. It is for the user: what a model reads says the way itself.
type linkContent struct {
	Type        invoke.Kind `json:"type"`
	URI         string      `json:"uri"`
	Name        string      `json:"name"`
	MIME        string      `json:"mimeType,omitempty"`
	Annotations annotations `json:"annotations"`
}

type annotations struct {
	Audience []string `json:"audience"`
}

// contentOf encodes a piece of an answer.
func contentOf(c invoke.Content) any {
	switch kind := c.Kind(); kind {
	case invoke.ImageKind, invoke.AudioKind:
		return dataContent{kind, c.Data, c.MIME}
	case invoke.LinkKind:
		return linkContent{kind, c.URI, c.Name, c.MIME, annotations{[]string{"user"}}}
	case invoke.DocumentKind:
		d := resourceContent{kind, content{URI: c.URI, MIME: c.MIME, Blob: c.Data}}
		if len(c.Data) == 0 {
			d.Resource.Text = &c.Text
		}
		return d
	case invoke.TextKind:
	}
	return textContent{invoke.TextKind, c.Text}
}

// list is a list that is answered in pages: its name, a version that changes when any entry does, and its entries.
type list struct {
	name, version string
	entries       []json.RawMessage
}

// newList returns a list, with a version made from its entries.
func newList(name string, entries []json.RawMessage) list {
	h := sha256.New()
	for _, text := range entries {
		h.Write(text)
		h.Write([]byte{'\n'})
	}
	return list{name: name, version: hex.EncodeToString(h.Sum(nil)[:8]), entries: entries}
}

// page returns up to size entries from the cursor on, and the cursor of the next page, "" on the last one. A cursor
// is only valid for the same version of a list: in a changed one a page could skip or repeat entries.
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
		return 0, fault.New(fault.InvalidArguments, "the cursor is not ours, or the list has changed; list again without one").
			With("field", "cursor")
	}
	return from, nil
}
