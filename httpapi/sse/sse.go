// Package sse writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
package sse

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// MediaType is that of a stream of events.
const MediaType = "text/event-stream"

// maxChunk is how many bytes of events are written at once, with one deadline.
const maxChunk = 64 << 10

// Writer writes events. Each chunk has its own deadline, regardless of the server's: a reader that stalls for that
// long is cut off. It must be used by one goroutine.
type Writer struct {
	w       http.ResponseWriter
	timeout time.Duration // of one chunk
	buf     bytes.Buffer
}

// NewWriter returns a writer with this deadline for each chunk.
func NewWriter(w http.ResponseWriter, timeout time.Duration) *Writer {
	return &Writer{w: w, timeout: timeout}
}

// Open sends the header, and a comment after it: a proxy may hold back a header until
// something follows.
func (w *Writer) Open() error {
	h := w.w.Header()
	h.Set("Content-Type", MediaType)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache, no-transform")
	}
	h.Set("X-Accel-Buffering", "no") // nginx would wait for more
	w.w.WriteHeader(http.StatusOK)
	return w.Beat()
}

// Beat sends a comment, which readers ignore, to keep the stream alive.
func (w *Writer) Beat() error {
	w.buf.WriteString(": ok\n\n")
	return w.Flush()
}

// Retry sends an event with only an id to resume after, and the time to wait before reconnecting.
func (w *Writer) Retry(name, id string, wait time.Duration) error {
	w.buf.WriteString("event: " + name + "\nid: " + id + "\nretry: " + strconv.FormatInt(wait.Milliseconds(), 10) + "\ndata: \n\n")
	return w.Flush()
}

// Add appends an event, whose data is one line, and sends a full chunk. An empty id is left out.
func (w *Writer) Add(name, id string, data []byte) error {
	w.buf.WriteString("event: " + name + "\n")
	if id != "" {
		w.buf.WriteString("id: " + id + "\n")
	}
	w.buf.WriteString("data: ")
	w.buf.Write(data)
	w.buf.WriteString("\n\n")
	if w.buf.Len() < maxChunk {
		return nil
	}
	return w.Flush()
}

// Flush sends what was added.
func (w *Writer) Flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	defer w.buf.Reset()
	rc := http.NewResponseController(w.w)
	Extend(rc, w.timeout)
	if _, err := w.w.Write(w.buf.Bytes()); err != nil {
		return err
	}
	return rc.Flush()
}

// Extend sets the deadline for the next write of a stream, and removes that for reading its request.
func Extend(rc *http.ResponseController, timeout time.Duration) {
	_ = rc.SetReadDeadline(time.Time{})              // a writer without deadlines needs none
	_ = rc.SetWriteDeadline(time.Now().Add(timeout)) // likewise
}
