package session

import (
	"net/http"
	"sync"
	"time"

	"trails/auth"
	"trails/fault"
)

// The transports, by their names in calls and metrics.
const (
	OverStdio  = "mcp-stdio"
	overHTTP   = "mcp-http"
	overSSE    = "mcp-sse"
	overListen = "mcp-listen" // open requests of subscriptions/listen, over HTTP
)

// Options bounds what clients may keep open. Zero values mean the defaults.
type Options struct {
	// Max is the most sessions and open subscriptions over HTTP, of everybody, and
	// MaxPerCaller of one principal; 4,096 and 1,024.
	Max, MaxPerCaller int
	// IdleTimeout is how long a session may be silent: without a request under way
	// and without an open stream; 30 minutes.
	IdleTimeout time.Duration
	// KeepAlive is how often a silent stream shows that it is alive; 25 seconds.
	KeepAlive time.Duration
	// WriteTimeout is how long one write to a stream may take before its reader is
	// taken for stalled and cut; 5 seconds.
	WriteTimeout time.Duration
	// History is how many bytes are kept, of all sessions, for clients that lost
	// their connection and resume; 64 MiB. HistoryPerSession is that of one; 2 MiB.
	History, HistoryPerSession int
}

// orDefaults fills in the defaults.
func (o Options) orDefaults() Options {
	return Options{
		Max:               or(o.Max, 4096),
		MaxPerCaller:      or(o.MaxPerCaller, 1024),
		IdleTimeout:       or(o.IdleTimeout, 30*time.Minute),
		KeepAlive:         or(o.KeepAlive, 25*time.Second),
		WriteTimeout:      or(o.WriteTimeout, 5*time.Second),
		History:           or(o.History, 64<<20),
		HistoryPerSession: or(o.HistoryPerSession, 2<<20),
	}
}

func or[T int | time.Duration](given, otherwise T) T {
	if given <= 0 {
		return otherwise
	}
	return given
}

// callerID is the ID of the principal that sent a request. What one caller opens, no
// other may use.
func callerID(r *http.Request) string { return auth.PrincipalOf(r.Context()).ID }

// slots counts what is open for each transport, and bounds what is open over HTTP. stdio sessions are counted but
// never refused.
type slots struct {
	max, maxPerCaller int

	mu       sync.Mutex
	byVia    map[string]int
	byCaller map[string]int
	taken    int  // over HTTP
	closed   bool // nothing more may be opened
}

// count counts one more at a transport, without a bound.
func (s *slots) count(via string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byVia[via]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.byVia[via]--
	})
}

// fullError says which bound has been reached: that of all, or of one caller.
type fullError struct {
	error
	everybody bool
}

func (f fullError) Unwrap() error { return f.error }

// retryAfter is how many seconds a client should wait before it tries again.
const retryAfter = 30

// acquire counts one more at an HTTP transport, or refuses it at a bound.
func (s *slots) acquire(via string, who string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, shuttingDown()
	case s.taken >= s.max:
		return nil, fullError{s.exhausted("too many sessions are open", s.max, s.taken), true}
	case s.byCaller[who] >= s.maxPerCaller:
		return nil, fullError{s.exhausted("you have too many sessions open; end some", s.maxPerCaller, s.byCaller[who]), false}
	}
	s.byVia[via]++
	s.byCaller[who]++
	s.taken++
	return sync.OnceFunc(func() { s.release(via, who) }), nil
}

func shuttingDown() error {
	return fullError{fault.New(fault.Exhausted, "the server is shutting down").With("retry_after", retryAfter), true}
}

func (s *slots) exhausted(what string, limit, used int) error {
	return fault.New(fault.Exhausted, "%s", what).With("limit", limit).With("used", used).With("retry_after", retryAfter)
}

func (s *slots) release(via string, who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byVia[via]--
	s.taken--
	if s.byCaller[who]--; s.byCaller[who] == 0 {
		delete(s.byCaller, who)
	}
}

func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// open is how many are open at each door that has any.
func (s *slots) open() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[string]int{}
	for via, n := range s.byVia {
		if n > 0 {
			open[via] = n
		}
	}
	return open
}
