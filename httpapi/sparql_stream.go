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

// stream makes a call whose output is the answer. One that is short is held back until the
// call has ended, and check, which may be nil, has nothing against its result; it has an
// ETag where it was read with GET, which caches keep. That names the answer by the commit
// that it is true of and by its content, for a query may ask for the time, or for
// provenance, which no commit holds.
func (s *server) stream(w http.ResponseWriter, r *http.Request, c invoke.Call, f form, check func(invoke.Result) error) error {
	a := &streamedAnswer{w: w, form: f}
	c.Output = a
	result, err := s.engine.Call(r.Context(), c)
	switch {
	case err != nil && a.begun:
		s.abort(r, err)
	case err == nil && check != nil:
		err = check(result)
	}
	if err != nil || a.begun {
		return err
	}
	nameWarnings(w.Header(), result.Warnings)
	w.Header().Set("Content-Type", a.form.contentType())
	etag := ""
	if result.Head != "" && isRead(r) {
		sum := sha256.Sum256(a.held)
		etag = entityTag(result.Head, hex.EncodeToString(sum[:8]))
	}
	return s.reply(w, r, etag, a.held)
}

// abort ends the connection of an answer that has begun and cannot be finished, so
// that nobody takes it for a whole one. It does not return.
func (s *server) abort(r *http.Request, err error) {
	f := s.faultOf(r, err)
	s.log.DebugContext(r.Context(), "answer cut", "trace_id", traceIn(f, r), "kind", f.Kind.String(), "reason", f.Message)
	panic(http.ErrAbortHandler)
}
