package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"trails/invoke"
)

// maxHeld is how many bytes of an answer are kept before it begins: a shorter one
// has an ETag, and a fault has its own status.
const maxHeld = 32 << 10

// streamedAnswer is an answer that is written while it is found.
type streamedAnswer struct {
	w     http.ResponseWriter
	form  form
	held  []byte
	begun bool
}

// readerTimeout is how long the receiver of an answer may take nothing: meanwhile the
// answer holds a reader of the file.
const readerTimeout = 30 * time.Second

// Write holds the beginning back and passes on what comes after it.
func (a *streamedAnswer) Write(p []byte) (int, error) {
	if !a.begun && len(a.held)+len(p) <= maxHeld {
		a.held = append(a.held, p...)
		return len(p), nil
	}
	_ = http.NewResponseController(a.w).SetWriteDeadline(time.Now().Add(readerTimeout)) // a writer without deadlines needs none
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", a.form.contentType())
		if _, err := a.w.Write(a.held); err != nil {
			return 0, err
		}
		a.held = nil
	}
	return a.w.Write(p)
}

// stream makes a call whose output is the answer.
func (s *server) stream(w http.ResponseWriter, r *http.Request, c invoke.Call, f form) error {
	a, result, err := s.startStreamed(w, r, c, f)
	if err != nil {
		return err
	}
	return s.finishStreamed(w, r, a, result)
}

// startStreamed makes the call; an answer that is short is still held back after it.
func (s *server) startStreamed(w http.ResponseWriter, r *http.Request, c invoke.Call, f form) (*streamedAnswer, invoke.Result, error) {
	a := &streamedAnswer{w: w, form: f}
	c.Output = a
	result, err := s.engine.Call(r.Context(), c)
	if err != nil && a.begun {
		s.abort(r, err)
	}
	return a, result, err
}

// finishStreamed sends what was held back.
func (s *server) finishStreamed(w http.ResponseWriter, r *http.Request, a *streamedAnswer, result invoke.Result) error {
	if a.begun {
		return nil
	}
	w.Header().Set("Content-Type", a.form.contentType())
	return s.reply(w, r, streamTag(r, result.Head, a.held), a.held)
}

// streamTag names an answer by the commit that it is true of and by its content,
// for a query may ask for the time, or for provenance, which no commit holds. Only
// what was read with GET is kept by caches.
func streamTag(r *http.Request, head string, body []byte) string {
	if head == "" || !isRead(r) {
		return ""
	}
	sum := sha256.Sum256(body)
	return entityTag(head, hex.EncodeToString(sum[:8]))
}

// abort ends the connection of an answer that has begun and cannot be finished, so
// that nobody takes it for a whole one. It does not return.
func (s *server) abort(r *http.Request, err error) {
	f := s.faultOf(r, err)
	s.log.DebugContext(r.Context(), "answer cut", "trace_id", traceIn(f, r), "kind", f.Kind.String(), "reason", f.Message)
	panic(http.ErrAbortHandler)
}
