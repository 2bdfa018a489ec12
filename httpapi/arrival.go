package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"trails/auth"
)

// Bounds on bodies while they are received; see docs/decisions/0028-admission.md.
const (
	// arrivalGrace is how long a body may take, and arrivalRate for how many bytes it may take another second, up to
	// [Limits.Arrival].
	arrivalGrace = 10 * time.Second
	arrivalRate  = 16 << 10
	// slowAfter is the age from which a body may be aborted to make room for another one.
	slowAfter = time.Second
	// freeBytes of each body are not counted, so that short calls always have room.
	freeBytes = 64 << 10
	// maxUnknownBody is the most bytes of a body whose sender has not shown the token.
	maxUnknownBody = 1 << 20
)

// arrivals are the bodies being received, with the number of bytes in memory.
type arrivals struct {
	limits Limits

	mu    sync.Mutex
	now   map[*arrival]struct{}
	bytes int64
}

// arrival is one body, guarded by the lock of arrivals.
type arrival struct {
	conn  *http.ResponseController
	began time.Time
	read  int64
	cut   bool // aborted to make room
}

var errNoRoom = errors.New("more is arriving than there is room for")

// readWhole reads the body of a request before the request counts as in flight, so that slow bodies do not block
// others. Handlers read it again from memory, with its error at the end.
func (s *server) readWhole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		most := int64(MaxBody)
		if !auth.Known(r.Context()) {
			most = maxUnknownBody
		}
		text, err := s.arrivals.take(w, r, most)
		defer s.arrivals.free(int64(len(text)))
		if errors.Is(err, errNoRoom) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // the rest is not waited for
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", "1")
			refuseOutside(w, r, http.StatusServiceUnavailable, "more request bodies are arriving than there is room for; try again")
			return
		}
		r.Body = io.NopCloser(&body{bytes.NewReader(text), err})
		if err == nil {
			r.ContentLength = int64(len(text))
		}
		next.ServeHTTP(w, r)
	})
}

// body is a body in memory with the error at its end, or nil.
type body struct {
	*bytes.Reader
	err error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

// WriteTo replaces that of the embedded reader, which would drop the error.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Reader.WriteTo(w)
	if err == nil {
		err = b.err
	}
	return n, err
}

// take reads a whole body. Its bytes are counted until they are freed.
func (a *arrivals) take(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	it := &arrival{conn: http.NewResponseController(w), began: time.Now()}
	if !a.enter(it) {
		return nil, errNoRoom
	}
	defer a.leave(it)
	var text []byte
	if r.ContentLength > 0 {
		text = make([]byte, 0, min(r.ContentLength, freeBytes)+1)
	}
	for {
		if int64(len(text)) > most {
			return text[:most], &http.MaxBytesError{Limit: most}
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		if !a.mayRead(it) {
			return text, os.ErrDeadlineExceeded
		}
		n, err := r.Body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if n > 0 && !a.count(it, int64(n)) {
			return text, errNoRoom
		}
		if errors.Is(err, io.EOF) {
			_ = it.conn.SetReadDeadline(time.Time{}) // a reader without deadlines needs none
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}

// enter starts receiving a body, replacing the slowest one if there is no room.
func (a *arrivals) enter(it *arrival) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.now) >= a.limits.Arriving && !a.cutSlowest(it) {
		return false
	}
	a.now[it] = struct{}{}
	return true
}

func (a *arrivals) leave(it *arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.now, it)
}

// mayRead extends the deadline for the next bytes of a body; false if it was aborted.
func (a *arrivals) mayRead(it *arrival) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if it.cut {
		return false
	}
	patience := min(a.limits.Arrival, arrivalGrace+time.Duration(float64(it.read)/arrivalRate*float64(time.Second)))
	_ = it.conn.SetReadDeadline(it.began.Add(patience)) // a reader without deadlines needs none
	return true
}

// count counts received bytes; false if there is no room for them.
func (a *arrivals) count(it *arrival, n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := max(0, it.read-freeBytes)
	it.read += n
	a.bytes += max(0, it.read-freeBytes) - before
	return a.bytes <= a.limits.BodyBytes || it.read <= freeBytes || a.cutSlowest(it)
}

// free gives back the bytes of a body of this length.
func (a *arrivals) free(length int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= max(0, length-freeBytes)
}

// cutSlowest aborts the slowest body, unless that is the caller's own or all are younger than slowAfter. The lock
// must be held.
func (a *arrivals) cutSlowest(asks *arrival) bool {
	var slowest *arrival
	worst, now := 0.0, time.Now()
	for it := range a.now {
		age := now.Sub(it.began)
		if wait := age.Seconds() / float64(it.read+1); age > slowAfter && wait > worst {
			slowest, worst = it, wait
		}
	}
	if slowest == nil || slowest == asks {
		return false
	}
	slowest.cut = true
	delete(a.now, slowest)
	_ = slowest.conn.SetReadDeadline(now) // a reader without deadlines needs none
	return true
}
