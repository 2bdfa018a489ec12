package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message is a message of JSON-RPC 2.0 as it came, on one line, and what the proxy reads of it; or a batch of them
// (2025-03-26).
type message struct {
	text  []byte
	heads []head // one, or those of the batch
}

// head is what the proxy reads of a message.
type head struct {
	ID     json.RawMessage `json:"id"` // nil if there is none
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
}

// params is what the proxy reads of the params of a message.
type params struct {
	Name      string          `json:"name"`
	URI       string          `json:"uri"`
	RequestID json.RawMessage `json:"requestId"`
	Meta      struct {
		Version string `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
}

var nullID = json.RawMessage("null")

// parse reads a message. The error is for its sender.
func parse(text []byte) (message, *jsonrpc.Error) {
	m := message{text: text}
	for _, end := range []byte("\r\n") { // JSON has line ends between tokens alone, where they are white space
		if bytes.IndexByte(m.text, end) >= 0 {
			m.text = bytes.ReplaceAll(m.text, []byte{end}, []byte{' '})
		}
	}
	if !utf8.Valid(text) { // a host whose reader is strict would end
		return m, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: a message is written in UTF-8, and this one is not"}
	}
	var err error
	if bytes.HasPrefix(text, []byte{'['}) {
		err = json.Unmarshal(text, &m.heads)
	} else {
		m.heads = make([]head, 1)
		err = json.Unmarshal(text, &m.heads[0])
	}
	if _, broken := errors.AsType[*json.SyntaxError](err); broken {
		return m, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: a line is one message of JSON"}
	}
	if err != nil || len(m.heads) == 0 || slices.ContainsFunc(m.heads, func(h head) bool { return h.Method == "" && !h.isAnswer() }) {
		return m, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: a message is an object with a method, or with the id and the result or error of a request"}
	}
	return m, nil
}

// firstID is the id of the first request or answer, null if there is none.
func (m message) firstID() json.RawMessage {
	for _, h := range m.heads {
		if h.ID != nil {
			return h.ID
		}
	}
	return nullID
}

// is reports whether this is one message of a method.
func (m message) is(method string) bool { return len(m.heads) == 1 && m.heads[0].Method == method }

// isAnswer reports whether all of it answers requests.
func (m message) isAnswer() bool {
	for _, h := range m.heads {
		if !h.isAnswer() {
			return false
		}
	}
	return true
}

// only is a batch without the other members than those at the given places.
func (m message) only(places []int) []byte {
	var members []json.RawMessage
	_ = json.Unmarshal(m.text, &members) // it was read before
	out := []byte{'['}
	for n, i := range places {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, members[i]...)
	}
	return append(out, ']')
}

// calls are the keys of its requests.
func (m message) calls() map[string]bool {
	all := map[string]bool{}
	for _, h := range m.heads {
		if h.isCall() {
			all[key(h.ID)] = true
		}
	}
	return all
}

func (h head) isCall() bool { return h.ID != nil && h.Method != "" }
func (h head) isAnswer() bool {
	return h.ID != nil && h.Method == "" && (h.Result != nil || h.Error != nil)
}

// params reads the params; what has another type is left out.
func (h head) params() (p params) {
	_ = json.Unmarshal(h.Params, &p)
	return p
}

// key makes ids comparable that are written differently.
func key(id json.RawMessage) string {
	var text string
	if bytes.HasPrefix(id, []byte{'"'}) && json.Unmarshal(id, &text) == nil {
		return "text " + text
	}
	return string(id)
}
