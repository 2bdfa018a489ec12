package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/text/jsontext"
)

const (
	// maxLine is the most bytes that a line on stdio may have, maxBody an HTTP body.
	maxLine = 16 << 20
	maxBody = 32 << 20
	// maxDepth is how deep arrays and objects may nest in a message.
	maxDepth = 100
	// maxID is the largest integer that JSON parsers with doubles represent exactly.
	maxID = 1<<53 - 1
)

// Message is one JSON-RPC message from a client (JSON-RPC 2.0, section 4).
type Message struct {
	id     jsonrpc.ID      // not valid for a notification
	idText json.RawMessage // as it came; "null" when there is none
	Method string
	Params map[string]json.RawMessage // nil when there are none
	// paramsText is the params as they came, without the token.
	paramsText json.RawMessage
	// BadParams means that the params are not an object.
	BadParams bool
	// response is true when the message answers a request of ours; then one of
	// result and failure is there.
	response        bool
	result, failure json.RawMessage
	// moot is true of a cancellation when no request is open that it names.
	moot bool
}

var nullID = json.RawMessage("null")

// isCall reports whether the sender expects an answer.
func (m Message) isCall() bool { return m.id.IsValid() && !m.response }

// parse parses text as one message. The SDK would end the session on malformed JSON and on batches, take "id":null
// for a notification, and cut 1.5 to 1. Errors are answered with the returned message's idText.
func parse(text []byte) (Message, *jsonrpc.Error) {
	m := Message{idText: nullID}
	if !utf8.Valid(text) {
		return m, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the message is not UTF-8"}
	}
	if lone, found := jsontext.LoneSurrogate(text); found {
		return m, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: " + lone.Error()}
	}
	if jsontext.TooDeep(text, maxDepth) {
		return m, invalid("the message nests deeper than " + strconv.Itoa(maxDepth) + " levels")
	}
	if jsontext.TooWide(text, jsontext.MaxMembers) {
		return m, invalid("an object or an array of the message has more than " + strconv.Itoa(jsontext.MaxMembers) + " members; send them in several calls, or as NDJSON or RDF with load")
	}
	var members map[string]json.RawMessage
	text = bytes.TrimLeft(text, " \t\r\n")
	switch isObject := bytes.HasPrefix(text, []byte("{")); {
	case isObject && json.Unmarshal(text, &members) == nil:
		return m, m.fill(members)
	case isObject || !json.Valid(text):
		return m, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error"}
	case text[0] == '[':
		return m, invalid("batches are for sessions of protocol " + batching + " alone; send each message by itself")
	}
	return m, invalid("a message is a JSON object")
}

func (m *Message) fill(members map[string]json.RawMessage) *jsonrpc.Error {
	if id, given := members["id"]; given {
		if !m.setID(id) {
			return invalid("id must be a string or an integer within ±(2^53-1)")
		}
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return invalid(`jsonrpc must be "2.0"`)
	}
	method, given := members["method"]
	if !given {
		return m.asResponse(members)
	}
	if json.Unmarshal(method, &m.Method) != nil || method[0] != '"' {
		return invalid("method must be a string")
	}
	if text := members["params"]; len(text) > 0 && string(text) != "null" {
		m.paramsText = text
		m.BadParams = json.Unmarshal(text, &m.Params) != nil
	}
	return nil
}

func (m *Message) setID(text json.RawMessage) bool {
	var value any
	if text[0] == '"' {
		var s string
		_ = json.Unmarshal(text, &s) // a valid string literal by now
		value = s
	} else {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || n > maxID || n < -maxID {
			return false
		}
		value = float64(n)
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return false
	}
	m.id, m.idText = id, text
	return true
}

func (m *Message) asResponse(members map[string]json.RawMessage) *jsonrpc.Error {
	var result, failure bool
	m.result, result = members["result"]
	m.failure, failure = members["error"]
	if !m.id.IsValid() || result == failure {
		return invalid("method is missing")
	}
	m.response = true
	return nil
}

// request returns the message as the SDK's own type.
func (m Message) request() *jsonrpc.Request {
	return &jsonrpc.Request{ID: m.id, Method: m.Method, Params: m.paramsText}
}

// answer returns a response as the SDK's own type. An error of another shape than
// the protocol's is an error all the same.
func (m Message) answer() *jsonrpc.Response {
	if m.failure == nil {
		return &jsonrpc.Response{ID: m.id, Result: m.result}
	}
	failure := &jsonrpc.Error{}
	if json.Unmarshal(m.failure, failure) != nil || failure.Message == "" {
		failure = invalid("the client answered with an error that says nothing")
	}
	return &jsonrpc.Response{ID: m.id, Error: failure}
}

// encode returns the message for the SDK, with only the members that were checked, so that the SDK cannot interpret
// others.
func (m Message) encode() []byte {
	text := []byte(`{"jsonrpc":"2.0"`)
	if m.id.IsValid() {
		text = append(append(text, `,"id":`...), m.idText...)
	}
	text = append(append(text, `,"method":`...), Marshal(m.Method)...)
	if m.paramsText != nil {
		text = append(append(text, `,"params":`...), m.paramsText...)
	}
	return append(text, '}')
}

// member returns params[name], nil when there is none.
func (m Message) member(name string) json.RawMessage { return m.Params[name] }

// meta returns the members of params._meta.
func (m Message) meta() map[string]json.RawMessage {
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(m.member("_meta"), &meta) // what is no object has no members
	return meta
}
