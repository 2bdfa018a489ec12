package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/text/jsontext"
)

// wire is a message whose members have not been interpreted yet.
type wire struct {
	JSONRPC json.RawMessage `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  json.RawMessage `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// mostNested is how deep a message may nest. The client ends its connection over a deeper one.
const mostNested = 1000

// idInside finds the id in a message that cannot be parsed. Our requests have numbers.
var idInside = regexp.MustCompile(`"id"\s*:\s*"?(\d+)"?\s*[,}]`)

// mended converts a server's message to one that the client can parse; waiting is the request to which it may be the
// answer. A notification is returned with its method. An error in one answer only affects its request; odd describes
// text that is not a message.
func mended(text []byte, waiting json.RawMessage) (message []byte, method string, params json.RawMessage, odd string) {
	var m wire
	var batch []json.RawMessage
	if text[0] == '[' && json.Unmarshal(text, &batch) == nil && len(batch) > 0 {
		if len(batch) > 1 {
			return text, "", nil, "" // the client knows those of older revisions
		}
		text = batch[0]
	}
	if text[0] != '{' {
		return nil, "", nil, string(text[:min(len(text), maxComplaint)])
	}
	failed := func(why string) []byte {
		m.Error = written(jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "it answered with something that is no message of JSON-RPC: " + why})
		return written(wire{JSONRPC: json.RawMessage(`"2.0"`), ID: m.ID, Error: m.Error})
	}
	if err := json.Unmarshal(text, &m); err != nil {
		if at := bytes.LastIndex(text, []byte(`{"jsonrpc"`)); at > 0 && json.Valid(text[at:]) { // after a message that was cut off
			message, method, params, _ = mended(text[at:], waiting)
			return message, method, params, string(text[:min(at, maxComplaint)])
		}
		if inside := idInside.FindSubmatch(text); waiting == nil && inside != nil && bytes.Contains(text, []byte(`"jsonrpc"`)) {
			waiting = inside[1]
		}
		if m.ID = waiting; waiting == nil {
			return nil, "", nil, string(text[:min(len(text), maxComplaint)])
		}
		return failed(err.Error()), "", nil, ""
	}
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) > mostNested && jsontext.TooDeep(text, mostNested) {
		if m.ID == nil || m.Method != nil {
			return nil, "", nil, string(text[:min(len(text), maxComplaint)])
		}
		return failed(fmt.Sprintf("it nests deeper than %d brackets", mostNested)), "", nil, ""
	}
	if m.Method == nil && m.ID == nil && m.Result == nil && m.Error == nil {
		if m.ID = waiting; waiting == nil {
			return nil, "", nil, string(text[:min(len(text), maxComplaint)])
		}
		return failed("it has none of its members"), "", nil, ""
	}
	whole := string(m.JSONRPC) == `"2.0"`
	m.JSONRPC = json.RawMessage(`"2.0"`)
	if m.Method != nil {
		if m.ID == nil && json.Unmarshal(m.Method, &method) == nil {
			params = m.Params
		}
		if whole {
			return text, method, params, ""
		}
		return written(m), method, params, ""
	}
	id := bytes.Trim(m.ID, `"`)
	if _, err := strconv.Atoi(string(id)); err == nil {
		whole = whole && len(id) == len(m.ID)
		m.ID = id
	} else if waiting != nil && (m.ID == nil || string(m.ID) == "null") { // the server could not parse the request
		m.ID, whole = waiting, false
	}
	var known *jsonrpc.Error
	hasError := m.Error != nil && string(m.Error) != "null"
	switch {
	case m.ID == nil || string(m.ID) == "null":
		return nil, "", nil, string(text[:min(len(text), maxComplaint)])
	case hasError && json.Unmarshal(m.Error, &known) != nil:
		var failure struct{ Message string }
		if json.Unmarshal(m.Error, &failure.Message) != nil {
			_ = json.Unmarshal(m.Error, &failure) // the message may be valid where the code is not
		}
		if failure.Message == "" {
			failure.Message = "an error that says nothing"
		}
		m.Error = written(jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failure.Message})
		whole = false
	case !hasError && m.Result == nil:
		return failed("it has neither a result nor an error"), "", nil, ""
	case !hasError:
		if better := mendedResult(m.Result); better != nil {
			m.Result, whole = better, false
		}
	}
	if whole {
		return text, "", nil, ""
	}
	return written(m), "", nil, ""
}

// written encodes values that were decoded from JSON.
func written(v any) json.RawMessage {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// reads reports whether the client can decode JSON as a T.
func reads[T any](text []byte) bool {
	var v T
	return json.Unmarshal(text, &v) == nil
}

// lost is the member of _meta with the names of unreadable members of a list element; taskSupport is the one that
// says whether a tool must be called as a task, which the client does not know.
const (
	lost        = "trails/lost"
	taskSupport = "trails/taskSupport"
)

// lists are the list members of results, with decoders for their elements.
var lists = map[string]struct {
	whole func([]byte) bool // decodes a result with the list
	one   func([]byte) bool
}{
	"tools":             {reads[mcp.ListToolsResult], reads[mcp.Tool]},
	"resources":         {reads[mcp.ListResourcesResult], reads[mcp.Resource]},
	"resourceTemplates": {reads[mcp.ListResourceTemplatesResult], reads[mcp.ResourceTemplate]},
	"prompts":           {reads[mcp.ListPromptsResult], reads[mcp.Prompt]},
	"contents":          {reads[mcp.ReadResourceResult], reads[mcp.ResourceContents]},
	"content":           {reads[mcp.CallToolResult], nil},
	"messages":          {reads[mcp.GetPromptResult], nil},
}

// mendedResult is a result that the client can decode, nil if it needs no change: one bad element must not hide the
// others.
func mendedResult(result json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil {
		return nil
	}
	if isPlain(members) {
		return nil
	}
	if members["protocolVersion"] != nil && !reads[mcp.InitializeResult](result) {
		return mendedGreeting(members)
	}
	name := ""
	for one := range lists {
		if members[one] != nil && one > name { // a result has one of them
			name = one
		}
	}
	tasks := name == "tools" && bytes.Contains(members[name], []byte(`"taskSupport"`))
	var list []json.RawMessage
	none := bytes.Contains(members[name], []byte("null")) && json.Unmarshal(members[name], &list) == nil &&
		slices.ContainsFunc(list, func(one json.RawMessage) bool { return string(one) == "null" }) // which the client passes over
	if name == "" || !tasks && !none && lists[name].whole(result) {
		return nil
	}
	if text := ""; name == "content" && json.Unmarshal(members[name], &text) == nil && string(members[name]) != "null" {
		members[name] = written([]json.RawMessage{textContent(text)})
	} else if name == "content" && members[name][0] == '{' {
		members[name] = written([]json.RawMessage{members[name]})
	}
	if json.Unmarshal(members[name], &list) == nil && list != nil {
		for i, one := range list {
			switch name {
			case "content":
				list[i] = mendedContent(one)
			case "messages":
				list[i] = mendedMessage(one)
			default:
				list[i] = mendedOne(one, lists[name].one)
			}
		}
		members[name] = written(list)
	}
	if failed := members["isError"]; failed != nil && !reads[bool](failed) {
		members["isError"] = written(!slices.Contains([]string{`"false"`, `0`, `""`}, string(failed)))
	}
	if next := members["nextCursor"]; next != nil && !reads[string](next) {
		members["nextCursor"] = written(string(next))
	}
	for member, value := range members {
		if member != name && !lists[name].whole(written(map[string]json.RawMessage{member: value})) {
			delete(members, member)
		}
	}
	return written(members)
}

// isPlain reports whether a result consists of texts and structured content only, as most do. This check is
// cheaper than decoding the result as the client does.
func isPlain(members map[string]json.RawMessage) bool {
	var list []struct {
		Type, Text  string
		Annotations json.RawMessage
		Meta        json.RawMessage `json:"_meta"`
	}
	for name, value := range members {
		switch name {
		case "content":
			if json.Unmarshal(value, &list) != nil {
				return false
			}
		case "isError":
			if string(value) != "true" && string(value) != "false" {
				return false
			}
		case "structuredContent":
		default:
			return false
		}
	}
	for _, one := range list {
		if one.Type != "text" || one.Annotations != nil || one.Meta != nil {
			return false
		}
	}
	return len(list) > 0
}

// mendedGreeting corrects what a server says of itself: an empty list, as some languages encode empty objects,
// becomes an empty object.
func mendedGreeting(members map[string]json.RawMessage) json.RawMessage {
	capabilities := map[string]json.RawMessage{}
	_ = json.Unmarshal(members["capabilities"], &capabilities) // none where it is a list
	for name, value := range capabilities {
		if value[0] != '{' && string(value) != "null" {
			capabilities[name] = json.RawMessage("{}")
		}
	}
	members["capabilities"] = written(capabilities)
	for name, value := range members {
		if !reads[mcp.InitializeResult](written(map[string]json.RawMessage{name: value})) {
			delete(members, name)
		}
	}
	return written(members)
}

// mendedOne is a list element without its unreadable members, whose names are put into _meta.
func mendedOne(one json.RawMessage, read func([]byte) bool) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(one, &members) != nil || members == nil {
		return json.RawMessage(`{}`) // a thing without a name, which is reported
	}
	meta := map[string]any{}
	_ = json.Unmarshal(members["_meta"], &meta) // an element that is not an object is replaced
	var execution struct{ TaskSupport string }
	if json.Unmarshal(members["execution"], &execution) == nil && execution.TaskSupport != "" {
		meta[taskSupport] = execution.TaskSupport
	}
	var without []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !read(written(map[string]json.RawMessage{name: members[name]})) {
			delete(members, name)
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		meta[lost] = without
	}
	if members["text"] == nil && (slices.Contains(without, "text") || slices.Contains(without, "blob")) { // of a resource
		members["text"] = written("(content that cannot be read)")
	}
	if len(meta) > 0 {
		members["_meta"] = written(meta)
	}
	return written(members)
}

// contentTypes are the content types of the protocol.
var contentTypes = []string{"text", "image", "audio", "resource", "resource_link"}

// mendedContent is readable content, or a text that describes it.
func mendedContent(content json.RawMessage) json.RawMessage {
	readable := func(one json.RawMessage) bool {
		return reads[mcp.CallToolResult](slices.Concat([]byte(`{"content":[`), one, []byte(`]}`)))
	}
	var members map[string]json.RawMessage
	var typed struct{ Type string }
	_ = json.Unmarshal(content, &members) // none, and no type, where it is something else
	_ = json.Unmarshal(members["type"], &typed.Type)
	if !slices.Contains(contentTypes, typed.Type) {
		return textContent(fmt.Sprintf("(content of a type that is not known: %q)", typed.Type))
	}
	if readable(content) {
		return content
	}
	for _, name := range []string{"annotations", "_meta", "icons", "size", "title", "description", "mimeType"} { // it can be read without these
		delete(members, name)
	}
	if less := written(members); readable(less) {
		return less
	}
	return textContent(fmt.Sprintf("(content of the type %q that cannot be read)", typed.Type))
}

// mendedMessage is a prompt message with readable content.
func mendedMessage(message json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(message, &members) // none where it is something else
	var role, text string
	if json.Unmarshal(members["role"], &role) != nil {
		role = "user"
	}
	content := members["content"]
	if json.Unmarshal(content, &text) == nil && content != nil {
		content = textContent(text)
	}
	return written(map[string]any{"role": role, "content": mendedContent(content)})
}

func textContent(text string) json.RawMessage {
	return written(map[string]string{"type": "text", "text": text})
}
