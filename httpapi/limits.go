package httpapi

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"trails/fault"
)

// Limits bound what one process does for all its callers. Zero fields mean the default.
type Limits struct {
	// InFlight is the maximum number of requests answered at the same time, without streams; others get a retry
	// answer. One caller has seven eighths of them at most. Default 256.
	InFlight int
	// Streams is how many event streams are open at once. Default 4096.
	Streams int
	// Read is how long a GET may take, Call any other request. Default 30 seconds
	// and 10 minutes.
	Read, Call time.Duration
	// Arriving is the maximum number of request bodies received at the same time; beyond it the slowest is aborted.
	// Default 512.
	Arriving int
	// BodyBytes is the maximum memory of all request bodies, without the first 64 KiB of each. Default 256 MiB.
	BodyBytes int64
	// Arrival is how long receiving a request may take. Default 2 minutes.
	Arrival time.Duration
	// Grace is how long calls in flight may continue at shutdown. Default 10 seconds.
	Grace time.Duration
}

func (l Limits) withDefaults() Limits {
	return Limits{
		InFlight:  cmp.Or(l.InFlight, 256),
		Streams:   cmp.Or(l.Streams, 4096),
		Read:      cmp.Or(l.Read, 30*time.Second),
		Call:      cmp.Or(l.Call, 10*time.Minute),
		Arriving:  cmp.Or(l.Arriving, 512),
		BodyBytes: cmp.Or(l.BodyBytes, 256<<20),
		Arrival:   cmp.Or(l.Arrival, 2*time.Minute),
		Grace:     cmp.Or(l.Grace, 10*time.Second),
	}
}

// Admission is what the servers of a process that serves several graphs admit together. Each graph has at most as many
// requests in flight, and as many streams, as are still free, so that one alone leaves half of them to others.
type Admission struct {
	limits   Limits
	traffic  *traffic
	arrivals *arrivals
}

// NewAdmission returns what servers share. Zero limits are the defaults.
func NewAdmission(l Limits) *Admission {
	a := newAdmission(l)
	a.traffic.shared = true
	return a
}

func newAdmission(l Limits) *Admission {
	l = l.withDefaults()
	return &Admission{
		limits:   l,
		traffic:  &traffic{most: l.InFlight, mostOfOne: l.InFlight - l.InFlight/8, streams: map[*exchange]struct{}{}, maxStreams: l.Streams},
		arrivals: &arrivals{limits: l, now: map[*arrival]struct{}{}},
	}
}

// of returns the time limit of a request.
func (l Limits) of(r *http.Request) time.Duration {
	if isRead(r) {
		return l.Read
	}
	return l.Call
}

func isRead(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// tooSlow is the error of a request that reached its limit.
func (l Limits) tooSlow(r *http.Request) error {
	way := ""
	if r.URL.Path == "/sparql" && isRead(r) && l.Call > l.Read {
		way = fmt.Sprintf("; restrict the query, or send it by POST, which may take %s", l.Call)
	}
	return fault.New(fault.TimedOut, "the request took longer than %s and was stopped%s", l.of(r), way)
}

// maxAddress is the most bytes that a request's address may have.
const maxAddress = 16 << 10

// shortAddress refuses an address that is too long.
func (s *server) shortAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxAddress || len(r.URL.RawPath)+len(r.URL.RawQuery) > maxAddress {
			refuseOutside(w, r, http.StatusRequestURITooLong, "the address is longer than 16 KiB; long arguments go into the body of POST /invoke/{capability}")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// watched are addresses for monitoring, which are exempt from InFlight.
var watched = map[string]bool{"/health": true, "/ready": true, "/metrics": true}

// admitted accepts up to [Limits.InFlight] requests, and sets the time limit of each.
func (s *server) admitted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := 0
		if !watched[r.URL.Path] {
			refused = s.traffic.enter(&s.held, callerOf(r))
		}
		if refused != 0 {
			why := "more requests than can be answered at once; try again"
			if refused == http.StatusTooManyRequests {
				why = "more requests of yours than are answered at once; wait for answers before you send more"
			}
			w.Header().Set("Retry-After", "1")
			refuseOutside(w, r, refused, why)
			return
		}
		x, r := s.begin(w, r)
		defer x.end()
		next.ServeHTTP(x, r)
	})
}
