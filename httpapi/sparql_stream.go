package httpapi

import (
	"net/http"
	"time"

	"trails/invoke"
)

// maxHeld is how many bytes of an answer are buffered before it begins: a shorter one has an ETag, and an error its
// own status.
const maxHeld = 32 << 10

// streamedAnswer is an answer that is written while it is computed.
type streamedAnswer struct {
	w     http.ResponseWriter
	form  form
	held  []byte
	begun bool
}

// readerTimeout is how long the receiver may stall, because the answer holds a reader of the file meanwhile.
const readerTimeout = 30 * time.Second

// Write buffers the beginning, and then passes everything on.
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

// stream makes a call whose output is the answer. A short answer is buffered until the call has ended and check,
// which may be nil, has accepted its result; for GET it then has an ETag. See [invoke.Tag].
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
		etag = entityTag(invoke.Tag(result.Head, a.held), "")
	}
	return s.reply(w, r, etag, a.held)
}

// abort cuts the connection of an answer that cannot be completed, so that it is not taken for complete. It does not
// return.
func (s *server) abort(r *http.Request, err error) {
	f := s.faultOf(r, err)
	s.log.DebugContext(r.Context(), "answer cut", "trace_id", traceIn(f, r), "kind", f.Kind.String(), "reason", f.Message)
	panic(http.ErrAbortHandler)
}
