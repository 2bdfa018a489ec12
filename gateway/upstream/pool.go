// Package upstream is the client of the MCP servers in a file: commands over standard input and output, and addresses
// over HTTP. It starts a server on first use, detects its end, and pauses after failures, longer each time. Output of
// servers is bounded, and every failure is a gateway.Error.
//
// Read [Pool] first.
package upstream

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/gateway"
	"trails/text/quote"
)

// Config are the settings of a process for upstream servers. The zero Config trusts none.
type Config struct {
	// Version is the program's version, sent to each server.
	Version string
	// Trusts reports whether somebody at this machine has approved this server, which may run a command; nil trusts
	// none.
	Trusts func(gateway.Server) bool
	// Program returns the approved program for a server's command; nil finds it as a shell would, in the directory of
	// this process.
	Program func(gateway.Server) (Program, error)
	// Lookup returns the variables for ${NAME}; nil means os.LookupEnv.
	Lookup func(string) (string, bool)
	// Changed, when set, is called when a server's offer changes. It must not wait.
	Changed func(server string)
	// Lingering is how long a server keeps running that [Pool.Listings] does not name any more; 0 is a minute.
	Lingering time.Duration
	// Patience is how long [Pool.Listings] waits for optional servers; 0 is five seconds.
	Patience time.Duration
	// Idle is how long an unused connection with a caller's own credential stays open; 0 is five minutes. Callers
	// bounds these connections; 0 is 64.
	Idle    time.Duration
	Callers int
	// Log receives the standard error of servers, and why they ended; nil means slog.Default().
	Log *slog.Logger
}

// Pool are the upstream servers of a process. It is safe for concurrent use.
type Pool struct {
	config  Config
	mu      sync.Mutex
	links   map[string]*link // by digest of the server, and key of the caller's credential
	leavers sync.WaitGroup   // links that are being closed because nobody names them
	// accepted is, by server, what was accepted at the last listing.
	accepted map[string]gateway.Acceptance
	again    time.Time // time of the next retry; zero for none
	closed   bool

	generation atomic.Uint64
}

// Open returns a pool, which has started nothing yet.
func Open(c Config) *Pool {
	c.Log = cmp.Or(c.Log, slog.Default())
	c.Lingering, c.Idle, c.Callers = cmp.Or(c.Lingering, lingering), cmp.Or(c.Idle, idleEnd), cmp.Or(c.Callers, mostCallers)
	c.Patience = cmp.Or(c.Patience, listingPatience)
	if c.Trusts == nil {
		c.Trusts = func(gateway.Server) bool { return false }
	}
	if c.Program == nil {
		c.Program = func(s gateway.Server) (Program, error) { return FindProgram(s, "", c.Lookup) }
	}
	if c.Lookup == nil {
		c.Lookup = os.LookupEnv
	}
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	return &Pool{config: c, links: map[string]*link{}, accepted: map[string]gateway.Acceptance{}}
}

// Close ends every server. Running calls fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, l := range p.links {
		l.stay() // its end is not for a timer
		p.leavers.Go(l.close)
	}
	p.links = map[string]*link{}
	p.mu.Unlock()
	p.leavers.Wait()
}

// State is the state of a server.
type State string

// The states.
const (
	Untrusted State = "untrusted" // nobody at this machine has approved it
	Idle      State = "idle"      // it was not used yet
	Up        State = "up"
	Down      State = "down" // it failed, and is paused
)

// Health is the state of a server, with statistics.
type Health struct {
	State State
	// Problem is why it is down.
	Problem string
	// Until is the end of the pause.
	Until time.Time
	// Latency is that of the last answer; Calls and Failed count since the start of the process.
	Latency       time.Duration
	Calls, Failed int64
	// Says is the server's own name and version.
	Says string
	// LeftOut is how many things of its last listing are in no directory.
	LeftOut int
}

// Health returns the state of a server without contacting it. For a server with callers' credentials it counts all
// connections, and is Up if one is; failures of other callers are not shown.
func (p *Pool) Health(s gateway.Server) (h Health) {
	if !p.config.Trusts(s) {
		return Health{State: Untrusted, Problem: "nobody at this machine has agreed to it" + cameBy(s)}
	}
	h.State = Idle
	p.mu.Lock()
	defer p.mu.Unlock()
	digest := s.Digest()
	for _, l := range p.links {
		if l.digest != digest {
			continue
		}
		one := l.health()
		if !s.PerCaller() {
			return one
		}
		h.LeftOut = max(h.LeftOut, one.LeftOut)
		h.Calls, h.Failed, h.Latency = h.Calls+one.Calls, h.Failed+one.Failed, max(h.Latency, one.Latency)
		if one.State == Up {
			h.State, h.Says = Up, one.Says
		}
	}
	return h
}

// link is the connection to one server: for all callers, or for those with the same credential of their own.
type link struct {
	pool   *Pool
	server gateway.Server
	digest string          // of server
	own    auth.Credential // the caller's credential, zero if the server takes none
	clean  redactor        // hides that credential and the variables of the definition
	slots  chan struct{}   // slots for concurrent calls
	turn   chan struct{}   // held while subscribing or unsubscribing
	living context.Context
	stop   context.CancelFunc // ends living, and a running start
	asking sync.WaitGroup     // background requests of offers and subscriptions

	// These are of the pool's mu.
	leaving *time.Timer // it is being closed, because nobody names or uses it
	users   int         // number of current users
	used    time.Time   // when the last user left
	// listeners is how many of the users only watch resources.
	listeners int

	ending atomic.Pointer[ending] // end of the last command

	mu       sync.Mutex
	session  *mcp.ClientSession // nil while it is not up
	end      func()             // kills the server process or connection
	starting chan struct{}      // closed at the end of a start; nil if there is none
	failure  *gateway.Error     // of the last start, or why it ended
	failures int                // number of consecutive failures
	until    time.Time          // end of the pause
	began    time.Time
	closed   bool
	counts   Health
	calls    map[string]*running // by progress token
	changed  time.Time           // when the last list change was passed on
	interval time.Duration       // time until the next one may be
	changing bool                // one will be passed on later
	tokens   int64
	asks     int               // questions of the server since the last call began
	taken    int               // questions that it took back since then
	offers   map[string]*offer // by text of the definition
	follows  map[string]*followed
	resuming bool // subscribing again after a restart
}

// Bounds of the connections with callers' own credentials.
const (
	idleEnd     = 5 * time.Minute
	mostCallers = 64
)

// link returns the link to a server, making it without starting the server. It stays until release is called, and for
// some time after that. For servers with callers' credentials there is one link for each credential.
func (p *Pool) link(ctx context.Context, s gateway.Server) (l *link, release func(), err error) {
	if !p.config.Trusts(s) {
		return nil, nil, gateway.Fail(gateway.PermissionDenied, s.Name, "nobody at this machine has agreed that the upstream %s is reached, see trails gateway trust%s", s.Name, cameBy(s))
	}
	digest := s.Digest()
	key := digest
	var own auth.Credential
	if s.PerCaller() {
		var given bool
		if own, given = auth.CredentialsOf(ctx).For(s.Name); !given {
			return nil, nil, gateway.Fail(gateway.AuthFailed, s.Name, "the upstream %s is reached with a credential of your own, and this call has none: %s", s.Name, auth.HowGiven(s.Name))
		}
		key += " " + own.Key()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, gateway.Fail(gateway.UpstreamUnavailable, s.Name, "the upstream %s is not asked any more, because the process ends", s.Name)
	}
	if l = p.links[key]; l == nil {
		if s.PerCaller() && !p.makeRoom() {
			return nil, nil, gateway.Fail(gateway.RateLimited, s.Name, "%d callers use upstream servers with credentials of their own, and there is no room for another; try again", p.config.Callers)
		}
		l = &link{pool: p, server: s, digest: digest, own: own, clean: newRedactor(own, s.Secrets(p.config.Lookup)), slots: make(chan struct{}, s.AtOnce()), turn: make(chan struct{}, 1), calls: map[string]*running{}, offers: map[string]*offer{}, follows: map[string]*followed{}}
		l.living, l.stop = context.WithCancel(context.Background())
		p.links[key] = l
	}
	l.stay()
	l.users++
	return l, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.users--; l.users == 0 && s.PerCaller() && p.links[key] == l {
			l.used, l.leaving = time.Now(), time.AfterFunc(p.config.Idle, func() { p.leave(key, l) })
		}
	}, nil
}

// cameBy explains that a definition made through another transport than the command line cannot be approved by a
// setting.
func cameBy(s gateway.Server) string {
	if s.Via == "" {
		return ""
	}
	return fmt.Sprintf("; its definition came by %s, and TRAILS_TRUST_UPSTREAMS agrees to none of those", quote.Line(s.Via, 40))
}

// makeRoom makes room for another link with a caller's credential, ending the least recently used idle one; it
// reports whether there is room. p.mu must be held.
func (p *Pool) makeRoom() bool {
	count, oldest := 0, ""
	for key, l := range p.links {
		if !l.server.PerCaller() {
			continue
		}
		if count++; l.users == 0 && (oldest == "" || l.used.Before(p.links[oldest].used)) {
			oldest = key
		}
	}
	if count < p.config.Callers {
		return true
	}
	if oldest == "" {
		return false
	}
	l := p.links[oldest]
	l.stay()
	delete(p.links, oldest)
	p.leavers.Go(l.close)
	return true
}

// Times for starting and pausing.
const (
	startTimeout = 30 * time.Second
	firstRest    = 500 * time.Millisecond
	longestRest  = time.Minute
	soundLife    = 10 * time.Second // a server that ran for this long has not failed to start
)

// up returns the session, starting the server if needed. A start continues if the requesting caller leaves.
func (l *link) up(ctx context.Context) (*mcp.ClientSession, error) {
	for {
		l.mu.Lock()
		switch {
		case l.closed:
			l.mu.Unlock()
			return nil, gateway.Fail(gateway.UpstreamUnavailable, l.server.Name, "the upstream %s is not in use any more", l.server.Name)
		case l.session != nil:
			s := l.session
			l.mu.Unlock()
			return s, nil
		case l.starting == nil && time.Now().Before(l.until):
			f, wait := *l.failure, time.Until(l.until)
			l.mu.Unlock()
			f.Details = map[string]any{"retry_after": inSeconds(wait)}
			return nil, &f
		case l.starting == nil:
			l.starting = make(chan struct{})
			go l.start()
		}
		starting := l.starting
		l.mu.Unlock()
		select {
		case <-starting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// start connects, once.
func (l *link) start() {
	ctx, cancel := context.WithTimeout(l.living, startTimeout)
	defer cancel()
	session, end, err := l.connect(ctx)
	var failure *gateway.Error
	if err != nil {
		failure = l.classified(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { close(l.starting); l.starting = nil }()
	if failure != nil {
		l.rest(failure)
		return
	}
	if l.closed {
		finish(session, end)
		return
	}
	l.session, l.end, l.began = session, end, time.Now()
	if !l.asked() {
		l.another() // its offer may have been unknown while it was down
	}
	if r := session.InitializeResult(); r != nil && r.ServerInfo != nil {
		l.counts.Says = quote.Line(l.clean.shown(r.ServerInfo.Name+" "+r.ServerInfo.Version), maxSays)
	}
	go l.watch(session)
}

// maxSays bounds the server's own name and version, in characters.
const maxSays = 200

// watch waits for the end of a session.
func (l *link) watch(session *mcp.ClientSession) {
	err := session.Wait()
	if err == nil {
		err = io.EOF
	}
	l.mu.Lock()
	current := l.session == session
	l.mu.Unlock()
	if !current {
		return
	}
	failure := l.classified(err) // waits for the last output of a command
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == session {
		l.drop(failure)
	}
}

// drop forgets an unusable session; l.mu must be held.
func (l *link) drop(failure *gateway.Error) {
	session, end := l.session, l.end
	l.session, l.end = nil, nil
	l.another()
	go finish(session, end)
	if time.Since(l.began) > soundLife {
		l.failures = 0
	}
	l.rest(failure)
	if len(l.follows) > 0 && !l.resuming && !l.closed {
		l.resuming = true
		l.asking.Go(l.resume)
	}
}

// finish kills a session's server before closing it, because closing would wait for calls.
func finish(session *mcp.ClientSession, end func()) {
	end()
	_ = session.Close() // it has ended
}

// rest records a failure, and sets the pause; l.mu must be held.
func (l *link) rest(failure *gateway.Error) {
	noted := *failure // a call may have reported it already
	f := &noted
	if f.Code == gateway.UpstreamError {
		f.Code, f.Retryable = gateway.UpstreamUnavailable, true
	}
	pause := min(firstRest<<min(l.failures, 10), longestRest)
	l.failures++
	if after, has := f.Details["retry_after"].(float64); has {
		pause = max(pause, min(time.Duration(after*float64(time.Second)), longestRest))
	}
	l.failure, l.until = f, time.Now().Add(pause)
	l.pool.config.Log.Warn("an upstream server is down", "server", l.server.Name, "problem", l.clean.shown(f.Fault().Whole()), "rests", pause)
}

func (l *link) close() {
	l.mu.Lock()
	session, end := l.session, l.end
	l.closed, l.session, l.end = true, nil, nil
	starting := l.starting
	for _, f := range l.follows {
		f.tell() // waiters are told that the server is not in use any more
	}
	l.mu.Unlock()
	l.stop()
	if starting != nil {
		<-starting // anything started in between has been killed
	}
	if session != nil {
		finish(session, end)
	}
	l.asking.Wait()
}

func (l *link) health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.counts
	switch {
	case l.session != nil:
		h.State = Up
	case l.failure != nil:
		h.State, h.Problem, h.Until = Down, l.failure.Message, l.until
	default:
		h.State = Idle
	}
	return h
}
