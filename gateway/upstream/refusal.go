package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/kg/remote"
)

// refusal is an HTTP answer with an error status. It belongs to one request, and does not mean that the server is
// down.
type refusal struct {
	status int
	// detail is the JSON-RPC error in its body. Other bodies are for the server's operators.
	detail string
	fields []fault.FieldError
	after  time.Duration // of Retry-After, 0 for none
	// session means that the server does not know the session, and has not done what was requested.
	session bool
}

// mostRefusal is how many bytes of the body are read.
const mostRefusal = 64 << 10

// refused reads an error answer, and closes its body.
func refused(r *http.Request, res *http.Response) *refusal {
	body, _ := io.ReadAll(io.LimitReader(res.Body, mostRefusal)) // its status counts, whatever else comes
	_ = res.Body.Close()
	f := &refusal{status: res.StatusCode, after: retryAfter(res.Header.Get("Retry-After"))}
	var message struct {
		Error struct {
			Message string
			Data    json.RawMessage
		}
	}
	if json.Unmarshal(body, &message) == nil {
		f.detail, f.fields = message.Error.Message, fieldsOf(message.Error.Data)
	}
	// For an unknown session servers answer 404 by the standard, and 400 with widely used libraries.
	f.session = r.Header.Get("Mcp-Session-Id") != "" && (f.status == http.StatusNotFound || f.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session")))
	return f
}

// longestAfter is the most that a server is told to have said.
const longestAfter = 24 * time.Hour

// retryAfter reads seconds or a time (RFC 9110, section 10.2.3).
func retryAfter(header string) time.Duration {
	wait := 0.0
	if seconds, err := strconv.ParseFloat(header, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = seconds
	} else if at, err := http.ParseTime(header); err == nil {
		wait = time.Until(at).Seconds()
	}
	if !(wait > 0) { // nor is it a number
		return 0
	}
	return time.Duration(min(wait, longestAfter.Seconds()) * float64(time.Second))
}

// inSeconds is a time to wait as an agent is told: in tenths of a second, and not too early.
func inSeconds(wait time.Duration) float64 { return math.Ceil(wait.Seconds()*10) / 10 }

// fieldsOf are the wrong fields that the data of an error of JSON-RPC names, as this program and
// others like it do.
func fieldsOf(data json.RawMessage) []fault.FieldError {
	var known struct{ Fields []fault.FieldError }
	if json.Unmarshal(data, &known) != nil {
		return nil
	}
	for i := range known.Fields {
		if f := &known.Fields[i]; !strings.Contains(f.Message, f.Field) {
			f.Message = f.Field + ": " + f.Message
		}
	}
	return known.Fields
}

// Error says what the server answered.
func (f *refusal) Error() string {
	text := fmt.Sprintf("it answered %d %s", f.status, http.StatusText(f.status))
	if f.detail != "" {
		text += ": " + f.detail
	}
	return text
}

// code converts a status to a code.
func (f *refusal) code() gateway.Code {
	switch f.status {
	case http.StatusUnauthorized:
		return gateway.AuthFailed
	case http.StatusForbidden:
		return gateway.PermissionDenied
	case http.StatusTooManyRequests:
		return gateway.RateLimited
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return gateway.UpstreamTimeout
	}
	if f.status >= http.StatusInternalServerError || f.session {
		return gateway.UpstreamUnavailable
	}
	return gateway.UpstreamError
}

// failure converts the refusal for agents.
func (f *refusal) failure(s gateway.Server, clean redactor) *gateway.Error {
	detail := fmt.Sprintf("the upstream %s: %s", s.Name, clean.shown(f.Error()))
	switch {
	case f.status == http.StatusUnauthorized && s.PerCaller():
		detail += " to the credential of your own; " + auth.HowGiven(s.Name)
	case f.status == http.StatusUnauthorized:
		detail += "; name it anew with gateway add and a credential (--header, --caller-header)"
	case f.after > 0:
		detail += fmt.Sprintf("; try again in %v s", inSeconds(f.after))
	}
	e := gateway.Fail(f.code(), s.Name, "%s", detail)
	if f.after > 0 {
		e.Details = map[string]any{"retry_after": inSeconds(f.after)}
	}
	return e.WithFields(clean.fields(f.fields))
}

// answer converts an answer to an error if the client would otherwise end its session: an error status, or something
// other than messages.
func (t toOrigin) answer(r *http.Request, res *http.Response) (*http.Response, error) {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // "" for what is none
	isStream := media == "text/event-stream"
	if !isStream {
		res.Body = &boundedBody{res.Body, maxAnswer}
	}
	res.Body = t.clean.Reader(res.Body)
	redirects := res.StatusCode/100 == 3
	if r.Method == http.MethodGet && res.StatusCode == http.StatusMethodNotAllowed {
		t.oneTime.Store(true) // streams are resumed by GET, which the client would repeat for half a minute
	}
	switch {
	case r.Method == http.MethodGet && t.server.HTTP != "" && res.StatusCode >= 400 && r.Header.Get("Last-Event-ID") == "":
		res.StatusCode = http.StatusMethodNotAllowed // the stream is optional, and servers say so in various ways
	case r.Method != http.MethodDelete && res.StatusCode/100 != 2 && !redirects:
		return nil, refused(r, res)
	case isStream:
		events := newEvents(res.Body, t.log, t.notified, asks(r))
		events.oneTime = t.oneTime.Load()
		res.Body = events
	case r.Method == http.MethodPost && t.server.HTTP != "" && !redirects && asks(r) != nil:
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(byteOrderMark)))
		var detail wire
		switch {
		case errors.Is(err, errTooLong) || r.Context().Err() != nil:
			return nil, cmp.Or(r.Context().Err(), err)
		case err != nil:
			return nil, &noMessage{"something that breaks off: " + err.Error(), true}
		case len(body) == 0:
			return nil, &noMessage{fmt.Sprintf("%s, and with no message", strings.TrimSpace(res.Status)), false}
		}
		body, _, _, _ = mended(body, asks(r)) // whatever its media type
		switch {
		case json.Unmarshal(body, &detail) == nil && string(detail.ID) != string(asks(r)) && detail.ID != nil:
			return nil, &noMessage{"an answer to another request", false}
		case detail.ID == nil && media == "text/html":
			return nil, &noMessage{"a page (text/html); " + remote.SignIn, false}
		case detail.ID == nil && media != "application/json":
			return nil, &noMessage{fmt.Sprintf("something of the type %q", res.Header.Get("Content-Type")), false}
		case detail.ID == nil:
			return nil, &noMessage{"something that is no message of JSON-RPC", false}
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		res.Header.Del("Content-Length")
		res.Header.Set("Content-Type", "application/json")
	}
	return res, nil
}

// asks returns the id of a JSON-RPC request, nil for other messages.
func asks(r *http.Request) json.RawMessage {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	var message wire
	if json.NewDecoder(body).Decode(&message) != nil || message.Method == nil {
		return nil
	}
	return message.ID
}

// noMessage is an answer that is not a message.
type noMessage struct {
	detail string
	broken bool // the request may have been executed
}

func (n *noMessage) Error() string { return "it answered with " + n.detail }
