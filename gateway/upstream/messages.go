package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"trails/text/jsontext"
)

// messages are the lines of a server that are messages of JSON-RPC, or the events of a stream
// that have one. Other lines, such as a banner, are told to a log and passed over: a server that
// prints them can be used for the rest. It is used by one reader at a time.
type messages struct {
	io.Closer
	lines   *bufio.Reader
	log     func(line string)
	changed func() // hears that a list has changed, in the place of the reader; nil for the reader
	flood   int    // such lines, one behind the other
	ready   []byte
	passing bool // the rest of a long line, which is passed
	passed  bool // the rest of a long line, which is not
	err     error
}

// longLine is the length from which a line is not looked at as a whole, in bytes.
const longLine = 512 << 10

func newMessages(in io.ReadCloser, log func(string), changed func()) *messages {
	return &messages{Closer: in, lines: bufio.NewReaderSize(in, longLine), log: log, changed: changed}
}

// Read reads what is passed.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.ready) == 0 && m.err == nil {
		line, err := m.lines.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		if whole {
			m.err = err
		}
		switch {
		case m.passing:
			m.ready = line
		case m.passed:
		default:
			m.ready = m.take(line, whole)
			m.passing, m.passed = len(m.ready) > 0, len(m.ready) == 0
		}
		if whole {
			m.passing, m.passed = false, false
		}
	}
	n := copy(p, m.ready)
	if m.ready = m.ready[n:]; n > 0 || len(m.ready) > 0 {
		return n, nil
	}
	return 0, m.err
}

// take returns what is passed of a line, or of the beginning of a long one.
func (m *messages) take(line []byte, whole bool) []byte {
	if m.changed == nil { // a stream of events, whose other lines belong to it
		data, is := bytes.CutPrefix(line, []byte("data:"))
		if !is || !whole {
			return line
		}
		if text := bytes.TrimSpace(data); len(text) > 0 {
			if better := mended(text); !bytes.Equal(better, text) {
				return slices.Concat([]byte("data: "), better, []byte("\n"))
			}
		}
		return line
	}
	text := bytes.TrimSpace(line)
	if whole && saysChange(text) {
		m.changed()
		if m.flood++; m.flood%floodPart == 0 {
			time.Sleep(floodPause) // the pipe is full then, and the server waits
		}
		return nil
	}
	m.flood = 0
	if len(text) == 0 {
		return nil
	}
	if text[0] == '{' || text[0] == '[' {
		if bytes.Contains(text, []byte(`"jsonrpc"`)) || !whole {
			if whole {
				return append(mended(text), '\n')
			}
			return line
		}
	} else if at := bytes.Index(text, []byte(`{"jsonrpc"`)); at > 0 {
		m.log(string(text[:at])) // it has no end of line
		if !whole {
			_, rest, _ := bytes.Cut(line, text[:at])
			return rest
		}
		return append(mended(text[at:]), '\n')
	}
	m.log(string(text[:min(len(text), maxComplaint)]))
	return nil
}

// A server that says without a pause that its lists have changed is read in parts.
const (
	floodPart  = 64
	floodPause = 5 * time.Millisecond
)

// saysChange reports that a line is a notification that a list has changed.
func saysChange(line []byte) bool {
	const most = 300
	if len(line) > most || !bytes.Contains(line, []byte("/list_changed")) {
		return false
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(line, &m) != nil || m.ID != nil {
		return false
	}
	return slices.Contains([]string{"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed"}, m.Method)
}

// contentTypes are those that the protocol has.
var contentTypes = []string{"text", "image", "audio", "resource", "resource_link"}

// mended is a message whose content the client can read: what is of another type, or none, is a
// text that says so, and what is beside it is as it was.
func mended(message []byte) []byte {
	if bytes.Contains(message, []byte(`"taskSupport"`)) {
		return withTaskSupport(message)
	}
	if !bytes.Contains(message, []byte(`"content"`)) {
		return message
	}
	var m map[string]json.RawMessage
	var result map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil || json.Unmarshal(m["result"], &result) != nil {
		return message
	}
	changed := false
	one := func(content json.RawMessage) json.RawMessage {
		var typed struct{ Type string }
		if json.Unmarshal(content, &typed) == nil && slices.Contains(contentTypes, typed.Type) {
			return content
		}
		changed = true
		return textContent(fmt.Sprintf("(content of a type that is not known: %q)", typed.Type))
	}
	var list []json.RawMessage
	var text string
	switch content := result["content"]; {
	case json.Unmarshal(content, &text) == nil && content != nil && string(content) != "null":
		changed, list = true, []json.RawMessage{textContent(text)}
	case json.Unmarshal(content, &list) == nil:
		for i := range list {
			list[i] = one(list[i])
		}
	}
	if !changed {
		return message
	}
	for _, step := range []struct {
		into  map[string]json.RawMessage
		name  string
		value any
	}{{result, "content", list}, {m, "result", result}} {
		written, err := jsontext.Marshal(step.value)
		if err != nil {
			return message
		}
		step.into[step.name] = written
	}
	written, err := jsontext.Marshal(m)
	if err != nil {
		return message
	}
	return written
}

// taskSupport is the member of _meta in which a tool says whether it is called as a task, which the
// client has no other member for.
const taskSupport = "trails/taskSupport"

// withTaskSupport is a list of tools in which that stands, too.
func withTaskSupport(message []byte) []byte {
	var m struct {
		rest
		Result map[string]json.RawMessage `json:"result"`
	}
	var tools []map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil || json.Unmarshal(m.Result["tools"], &tools) != nil {
		return message
	}
	for _, tool := range tools {
		var execution struct{ TaskSupport string }
		if json.Unmarshal(tool["execution"], &execution) != nil || execution.TaskSupport == "" {
			continue
		}
		meta := map[string]any{}
		_ = json.Unmarshal(tool["_meta"], &meta) // one that is none is replaced
		meta[taskSupport] = execution.TaskSupport
		if written, err := jsontext.Marshal(meta); err == nil {
			tool["_meta"] = written
		}
	}
	written, err := jsontext.Marshal(tools)
	if err != nil {
		return message
	}
	m.Result["tools"] = written
	if written, err = jsontext.Marshal(m); err != nil {
		return message
	}
	return written
}

// rest are the other members of an answer.
type rest struct {
	JSONRPC json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
}

func textContent(text string) json.RawMessage {
	written, err := jsontext.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		return json.RawMessage(`{"type":"text","text":""}`) // a text can be written
	}
	return written
}
