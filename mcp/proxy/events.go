package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"trails/fault"
	"trails/mcp/session"
)

// place is where a stream of events is to be resumed.
type place struct {
	id    string        // of the last event that has one
	retry time.Duration // as the server wants it, 0 if it has not said
}

var errTooLarge = fault.New(fault.TooLarge, "the answer of the server is larger than %d bytes; ask for less", maxMessage)

// readEvents reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) and hands over
// the data of messages until take returns true. It returns nil then, and else why the stream ended: io.EOF if the
// server ended it. An event that breaks off is dropped; one without the empty line at the end of the stream is taken.
func readEvents(in io.Reader, at *place, take func(data []byte) bool) error {
	lines := bufio.NewReaderSize(in, 8<<10)
	var name, id string
	var data []byte
	for {
		line, whole, err := session.ReadLine(lines, maxMessage)
		if !whole || len(data)+len(line) > maxMessage {
			return errTooLarge
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 {
			field, value, _ := bytes.Cut(line, []byte{':'})
			value = bytes.TrimPrefix(value, []byte{' '})
			switch string(field) {
			case "event":
				name = string(value)
			case "data":
				data = append(append(data, value...), '\n')
			case "id":
				if id = string(value); strings.ContainsRune(id, 0) {
					id = ""
				}
			case "retry":
				if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
					at.retry = time.Duration(ms) * time.Millisecond
				}
			}
			continue
		}
		if id != "" && err == nil { // nothing tells whether an event without an empty line is whole
			at.id = id
		}
		if data = bytes.TrimSpace(data); len(data) > 0 && (name == "" || name == "message") && take(data) {
			return nil
		}
		if err != nil {
			return io.EOF
		}
		name, id, data = "", "", nil
	}
}
