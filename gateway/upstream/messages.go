package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// messages reads JSON-RPC messages from a server: lines, or events of a stream, converted for the client. Other
// output, such as a banner, is logged and skipped, and notifications are passed to a handler, so that a misbehaving
// server can still be used. It must be used by one reader at a time.
type messages struct {
	io.Closer
	lines    *bufio.Reader
	log      func(line string)
	dispatch func(method string, params json.RawMessage) bool // handles a notification, or leaves it to the client
	event    *event                                           // the current event; nil if each line is a message
	waiting  json.RawMessage                                  // id of the request that a stream answers, nil for none
	notified int                                              // number of consecutive notifications
	ready    []byte
	begun    []byte // beginning of a line that the buffer of lines cannot hold
	passing  bool   // the rest of a long line, or of an event with one, which is passed on
	passed   bool   // the rest of a long line, which is skipped
	oneTime  bool   // no stream can be resumed, so events need no ids
	err      error
}

// event is the received part of an event.
type event struct {
	other, data []byte // the other lines, and the joined data lines
	name        string
}

// buffered is how many bytes of a line are read at a time; of a stream of events, which often is the answer to one call,
// eventBuffered. longLine is the length from which a line, or the data of an
// event, is passed on as it comes.
const (
	buffered      = 64 << 10
	eventBuffered = 8 << 10
	longLine      = 4 << 20
)

func newMessages(in io.ReadCloser, log func(string), dispatch func(string, json.RawMessage) bool) *messages {
	return &messages{Closer: in, lines: bufio.NewReaderSize(in, buffered), log: log, dispatch: dispatch}
}

// newEvents reads a stream of events, which may be the answer to a request.
func newEvents(in io.ReadCloser, log func(string), dispatch func(string, json.RawMessage) bool, waiting json.RawMessage) *messages {
	return &messages{Closer: in, lines: bufio.NewReaderSize(in, eventBuffered), log: log, dispatch: dispatch, event: &event{}, waiting: waiting}
}

// Read reads what is passed.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.ready) == 0 && m.err == nil {
		line, err := m.lines.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		if whole {
			m.err = err
		}
		if !m.passing && !m.passed {
			if !whole && len(m.begun)+len(line) < longLine {
				m.begun = append(m.begun, line...)
				continue
			}
			if m.begun != nil {
				line, m.begun = append(m.begun, line...), nil
			}
		}
		switch {
		case m.event != nil:
			m.ready = m.part(line, whole)
			continue
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

// part handles a line of an event, and returns the event after its last line. An event with a long line is passed on
// as it comes.
func (m *messages) part(line []byte, whole bool) []byte {
	e, text := m.event, bytes.TrimRight(line, "\r\n")
	name, value, known := bytes.Cut(text, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	ends := whole && len(text) == 0 || m.err != nil
	switch {
	case m.passing:
		m.passing = !ends
		return line
	case !whole || len(e.data)+len(value) > longLine:
		out := e.other
		if len(e.data) > 0 {
			out = append(append(append(out, "data: "...), e.data...), '\n')
		}
		m.event, m.passing = &event{}, true
		return append(out, line...)
	case string(name) == "data":
		e.data = append(append(e.data, value...), '\n')
	case known && len(name) > 0 && !(m.oneTime && string(name) == "id"): // a comment has no name
		if e.other = append(append(e.other, text...), '\n'); string(name) == "event" {
			e.name = string(value)
		}
	case len(text) > 0 && !known:
		m.log(string(text[:min(len(text), maxComplaint)]))
	}
	if !ends {
		return nil
	}
	m.event = &event{}
	data := bytes.TrimSpace(e.data)
	if len(data) > 0 && (e.name == "" || e.name == "message") {
		data = m.message(data)
	}
	if len(data) > 0 {
		// A line break between JSON tokens is white space, too.
		e.other = append(append(append(e.other, "data: "...), bytes.ReplaceAll(data, []byte{'\n'}, []byte{' '})...), '\n')
	}
	if len(e.other) == 0 {
		return nil
	}
	return append(e.other, '\n')
}

// take returns what is passed on of a line, or of the beginning of a long one.
func (m *messages) take(line []byte, whole bool) []byte {
	text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark)))
	at := bytes.Index(text, []byte(`{"jsonrpc"`))
	if at > 0 && text[0] != '{' && text[0] != '[' {
		m.log(string(text[:at])) // it has no end of line
		text = text[at:]
	}
	switch {
	case len(text) == 0:
		return nil
	case text[0] != '{' && text[0] != '[':
		m.log(string(text[:min(len(text), maxComplaint)]))
		return nil
	case !whole:
		_, rest, _ := bytes.Cut(line, text[:1])
		return append(text[:1:1], rest...)
	}
	if text = m.message(text); len(text) == 0 {
		return nil
	}
	return append(text, '\n')
}

// byteOrderMark says how a text is encoded, and is no part of a message.
const byteOrderMark = "\ufeff"

// A server that sends many notifications is read in portions, with pauses that grow with their number.
const (
	notifiedPart  = 256
	notifiedEach  = 10 * time.Nanosecond
	notifiedPause = 5 * time.Millisecond
)

// message converts a message for the client, nil if it is not for the client.
func (m *messages) message(text []byte) []byte {
	out, method, params, odd := mended(text, m.waiting)
	if odd != "" {
		m.log(odd)
	}
	if method == "" {
		m.notified = 0
		return out
	}
	if m.notified++; m.notified%notifiedPart == 0 {
		time.Sleep(min(notifiedPause, time.Duration(m.notified)*notifiedEach)) // then its output buffer fills up, and the server waits
	}
	if m.dispatch(method, params) {
		return nil
	}
	return out
}
