package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	protocolHeader = "MCP-Protocol-Version"
	// streamWriteTimeout is how long one event may take to reach a subscriber. The
	// SDK writes to one after the other, so one that stops reading stops them all.
	streamWriteTimeout = 5 * time.Second
)

// Handler returns the stateless Streamable HTTP endpoint: POST one message, get one
// JSON answer; a subscription, and a call that reports progress, answer with a stream
// of events. It looks at no path.
// It holds nothing that needs closing: what it starts ends with the requests.
func (s *Server) Handler() http.Handler {
	e := s.endpoint("mcp-http", true)
	d := &door{endpoint: e, next: sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return e.sdk },
		&sdk.StreamableHTTPOptions{
			Stateless:                    true,
			MaxRequestBodyBytes:          maxBody,
			PropagateRequestCancellation: true,
		})}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuseHTTP(w, http.StatusForbidden, nullID, invalid(fmt.Sprintf("origin %q may not post here", r.Header.Get("Origin"))))
	}))
	return origin.Handler(d)
}

// door admits one message a request to the SDK's handler, which answers much of
// what it refuses as plain text, and speaks JSON-RPC in its place.
type door struct {
	*endpoint
	next http.Handler
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.knows(w, r) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuseBody(w, err)
		return
	}
	m, bad := parse(body)
	if bad != nil {
		refuseHTTP(w, http.StatusBadRequest, m.idText, bad)
		return
	}
	if m.response {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	d.pass(w, r, m)
}

// knows refuses what can be refused before the body is read.
func (d *door) knows(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuseHTTP(w, http.StatusMethodNotAllowed, nullID, invalid(r.Method+" is not for this address; POST a message"))
	case !d.gate.accepts(bearerHeader(r)):
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuseHTTP(w, http.StatusUnauthorized, nullID, d.refuse(r.Context(), "", unauthenticated()))
	case !isJSON(r):
		refuseHTTP(w, http.StatusUnsupportedMediaType, nullID, invalid("Content-Type must be application/json"))
	default:
		return true
	}
	return false
}

// bearerHeader returns the token of the Authorization header, or "" (RFC 6750,
// section 2.1).
func bearerHeader(r *http.Request) string {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

func isJSON(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

func refuseBody(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		refuseHTTP(w, http.StatusRequestEntityTooLarge, nullID, invalid(fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit)))
		return
	}
	refuseHTTP(w, http.StatusBadRequest, nullID, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the body is cut short"})
}

// pass checks the message as stdio does, and lets the SDK answer it.
func (d *door) pass(w http.ResponseWriter, r *http.Request, m message) {
	m.takeBearer() // the header speaks for this request
	_, served := methods[m.method]
	isNote := strings.HasPrefix(m.method, "notifications/")
	switch {
	case !m.isCall() && !isNote:
		refuseHTTP(w, http.StatusBadRequest, nullID, invalid("id is missing"))
		return
	case !m.isCall() && !served:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if err := m.check(); err != nil {
		e := d.refuse(r.Context(), m.method, err)
		refuseHTTP(w, statusOf(e, r), m.idText, e)
		return
	}
	text := m.encode()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	out := &reply{ResponseWriter: w, id: m.idText}
	defer out.finish()
	d.next.ServeHTTP(out, r)
}

// statusOf is the HTTP status of an error as the protocol's version wants it: up to
// 2025-11-25 an error is an answer like any other.
func statusOf(e *jsonrpc.Error, r *http.Request) int {
	switch {
	case r.Header.Get(protocolHeader) < sessionless:
		return http.StatusOK
	case e.Code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func refuseHTTP(w http.ResponseWriter, status int, id json.RawMessage, e *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(failure(id, e)) // the status is sent: a reader that left is no concern of ours
}

// reply is a ResponseWriter that turns the SDK's plain-text refusals into JSON-RPC
// errors, repairs those that it makes before any middleware, gives each event of a
// stream its own deadline, and makes no stream of an answer that comes alone.
type reply struct {
	http.ResponseWriter
	id json.RawMessage
	// held is the status of a refusal whose text is not complete yet; 0 means none.
	held int
	text bytes.Buffer
	// streams means that events have gone out: what follows is one, too.
	streams bool
}

// Unwrap is for [http.ResponseController].
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader holds the status of a plain-text refusal back. A stream has its own
// already, when an answer comes that would have another.
func (w *reply) WriteHeader(status int) {
	switch {
	case w.streams:
	case status >= http.StatusBadRequest && w.sends("text/plain"):
		w.held = status
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write writes one JSON answer or one event; the SDK writes each in one piece.
func (w *reply) Write(p []byte) (int, error) {
	switch {
	case w.held != 0:
		return w.text.Write(p)
	case w.streams || w.sends("text/event-stream"):
		return w.writeEvent(p)
	case w.isFailure(p):
		return w.writeTidied(p)
	}
	return w.ResponseWriter.Write(p)
}

// writeEvent writes an event, and the first one as plain JSON when it is the answer:
// none follows. An answer that the SDK does not write as an event, to give it a
// status, becomes one here, when events came before it.
func (w *reply) writeEvent(p []byte) (int, error) {
	data, isEvent := bytes.CutPrefix(p, []byte("event: message\ndata: "))
	switch {
	case !isEvent && p[0] == '{':
		p = slices.Concat([]byte("event: message\ndata: "), p, []byte("\n\n"))
	case !w.streams && bytes.HasPrefix(data, []byte(`{"jsonrpc":"2.0","id":`)):
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(bytes.TrimSpace(data)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	w.streams = true
	w.extend()
	return w.ResponseWriter.Write(p)
}

func (w *reply) sends(media string) bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), media)
}

// extend lets a stream live as long as its reader reads: the deadlines of the
// server are for requests that end.
func (w *reply) extend() {
	rc := http.NewResponseController(w.ResponseWriter)
	_ = rc.SetReadDeadline(time.Time{})                         // a writer without deadlines needs none
	_ = rc.SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // likewise
}

// isFailure looks where an answer has its error: behind the version and the id.
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
	if _, err := w.ResponseWriter.Write(failure(w.id, tidy(answer.Error))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// finish writes a refusal that was held.
func (w *reply) finish() {
	if w.held == 0 {
		return
	}
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(w.text.String())}
	if w.held >= http.StatusInternalServerError {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	}
	refuseHTTP(w.ResponseWriter, w.held, w.id, e)
}
