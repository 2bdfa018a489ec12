package session

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"trails/httpapi/sse"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const protocolHeader = "MCP-Protocol-Version"

// Handler returns the stateless Streamable HTTP endpoint: POST one message, get one
// JSON answer; a subscription, and a call that reports progress, answer with a stream
// of events. It looks at no path.
// What it starts ends with the requests.
func (d *Doors) Handler() http.Handler { return d.sameOrigin(d.statelessDoor()) }

// statusOf is the HTTP status of an error in the protocol's version: up to 2025-11-25 errors have the status of other
// answers.
func statusOf(e *jsonrpc.Error, r *http.Request) int {
	switch {
	case r.Header.Get(protocolHeader) < Sessionless:
		return http.StatusOK
	case e.Code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func refuseHTTP(w http.ResponseWriter, status int, id json.RawMessage, e *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(Failure(id, e)) // the status is sent; the connection may be closed
}

// refuseMethod answers an HTTP method that an address does not support.
func refuseMethod(w http.ResponseWriter, r *http.Request, allowed, instead string) {
	w.Header().Set("Allow", allowed)
	refuseHTTP(w, http.StatusMethodNotAllowed, nullID, invalid(r.Method+" is not for this address"+instead))
}

// reply is a ResponseWriter that converts the SDK's plain-text errors to JSON-RPC, corrects its early errors, sets a
// deadline for each event of a stream, and turns a stream with only an answer into plain JSON.
type reply struct {
	http.ResponseWriter
	id       json.RawMessage
	patience time.Duration // for each event

	mu sync.Mutex // a subscription writes from a goroutine of its own
	// over means that the request has been answered, and nothing may be written any more.
	over bool
	// held is the status of an error whose text is not complete yet; 0 for none.
	held int
	text bytes.Buffer
	// streams means that events have been sent, so that everything after them is an event, too.
	streams bool
	// answered means that something else has been sent.
	answered bool
}

// Unwrap is for [http.ResponseController].
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader delays the status of a plain-text error. If a stream has begun, its status has already been sent.
func (w *reply) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.streams:
	case status >= http.StatusBadRequest && w.sends("text/plain"):
		w.held = status
	default:
		w.answered = true
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write writes one JSON answer or one event; the SDK writes each in one piece.
func (w *reply) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(p)
}

func (w *reply) write(p []byte) (int, error) {
	switch {
	case w.held != 0:
		return w.text.Write(p)
	case w.streams || w.sends(sse.MediaType):
		return w.writeEvent(p)
	case w.isFailure(p):
		w.answered = true
		return w.writeTidied(p)
	}
	w.answered = true
	return w.ResponseWriter.Write(p)
}

// refuse answers with an error, unless there is an answer, or a stream has begun.
func (w *reply) refuse(e *jsonrpc.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answered && !w.streams && w.held == 0 {
		w.answered = true
		refuseHTTP(w.ResponseWriter, http.StatusOK, w.id, e)
	}
}

// writeEvent writes an event; the first one as plain JSON if it is the answer, because none follows. If events came
// before it, an answer that the SDK writes with a status becomes an event.
func (w *reply) writeEvent(p []byte) (int, error) {
	data, isEvent := bytes.CutPrefix(p, []byte("event: message\ndata: "))
	switch {
	case !isEvent && p[0] == '{':
		p = slices.Concat([]byte("event: message\ndata: "), p, []byte("\n\n"))
	case !w.streams && bytes.HasPrefix(data, []byte(`{"jsonrpc":"2.0","id":`)):
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.write(bytes.TrimSpace(data)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	w.streams = true
	sse.Extend(http.NewResponseController(w.ResponseWriter), w.patience)
	return w.ResponseWriter.Write(p)
}

func (w *reply) sends(media string) bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), media)
}

// notify writes notifications as events of the stream.
func (w *reply) notify(texts ...[]byte) error {
	return w.stream(func(out *sse.Writer) error {
		for _, text := range texts {
			if err := out.Add("message", "", text); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

func (w *reply) beat() error { return w.stream((*sse.Writer).Beat) }

func (w *reply) stream(write func(*sse.Writer) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || !w.sends(sse.MediaType) {
		return http.ErrHandlerTimeout
	}
	w.streams = true
	return write(sse.NewWriter(w.ResponseWriter, w.patience))
}

// reserve always succeeds: the stream is for one subscription request.
func (w *reply) reserve(int) (release func(), err error) { return func() {}, nil }

// isFailure reports whether an answer is an error, which follows the version and the id.
func (w *reply) isFailure(p []byte) bool {
	head := p[:min(len(p), len(`{"jsonrpc":"2.0","id":,"error":`)+6*len(w.id))]
	return bytes.Contains(head, []byte(`"error":{`))
}

func (w *reply) writeTidied(p []byte) (int, error) {
	var answer struct {
		Error *jsonrpc.Error `json:"error"`
	}
	if json.Unmarshal(p, &answer) != nil || answer.Error == nil {
		return w.ResponseWriter.Write(p)
	}
	if _, err := w.ResponseWriter.Write(Failure(w.id, tidy(answer.Error))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// finish writes a delayed error.
func (w *reply) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.held == 0 {
		return
	}
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(w.text.String())}
	if w.held >= http.StatusInternalServerError {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	}
	refuseHTTP(w.ResponseWriter, w.held, w.id, e)
}
