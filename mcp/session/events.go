package session

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryMillis is how long a client whose stream was cut should wait.
const retryMillis = "1000"

// maxChunk is how many bytes of events are written at once, and so have one deadline.
const maxChunk = 64 << 10

// eventWriter writes server-sent events, each chunk of them with a deadline of its
// own: a stream lives as long as its reader reads, whatever the server's timeouts
// for requests are. It is for one goroutine.
type eventWriter struct {
	http.ResponseWriter
	patience time.Duration
	buf      bytes.Buffer
}

// open sends the header, and something after it: a proxy may hold back a header
// until there is.
func (w *eventWriter) open() error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would wait for more
	w.WriteHeader(http.StatusOK)
	return w.beat()
}

// beat writes a comment, which every reader passes over.
func (w *eventWriter) beat() error {
	w.buf.WriteString(": ok\n\n")
	return w.flush()
}

// prime appends an event that has only an id, to resume the stream after, and says
// how many milliseconds to wait before that.
func (w *eventWriter) prime(id string) error {
	w.buf.WriteString("event: prime\nid: " + id + "\nretry: " + retryMillis + "\ndata: \n\n")
	return w.flush()
}

// add appends an event, and writes when there is a chunk full.
func (w *eventWriter) add(name, id string, data []byte) error {
	appendEvent(&w.buf, name, id, data)
	if w.buf.Len() < maxChunk {
		return nil
	}
	return w.flush()
}

func appendEvent(buf *bytes.Buffer, name, id string, data []byte) {
	buf.WriteString("event: " + name + "\n")
	if id != "" {
		buf.WriteString("id: " + id + "\n")
	}
	buf.WriteString("data: ")
	buf.Write(data) // JSON on one line
	buf.WriteString("\n\n")
}

// flush writes what was added.
func (w *eventWriter) flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	defer w.buf.Reset()
	rc := http.NewResponseController(w.ResponseWriter)
	extend(rc, w.patience)
	if _, err := w.Write(w.buf.Bytes()); err != nil {
		return err
	}
	return rc.Flush()
}

// extend gives the next write some time, and the reading of the request all of it.
func extend(rc *http.ResponseController, patience time.Duration) {
	_ = rc.SetReadDeadline(time.Time{})               // a writer without deadlines needs none
	_ = rc.SetWriteDeadline(time.Now().Add(patience)) // likewise
}

// eventID names an event of a session: the stream's name and the event's number.
func eventID(stream string, number int) string { return stream + "_" + strconv.Itoa(number) }

func parseEventID(id string) (stream string, number int, ok bool) {
	stream, digits, ok := strings.Cut(id, "_")
	number, err := strconv.Atoi(digits)
	return stream, number, ok && err == nil && number >= 0
}
