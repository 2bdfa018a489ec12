// Package upstream speaks to the MCP servers that a file names: commands over their standard
// input and output, and addresses over HTTP. It starts a server when it is first needed,
// notices when one ends, and lets a server that fails rest longer each time. What a server
// says comes out bounded, and every failure as a gateway.Error.
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

// Config is how a process reaches upstream servers. The zero Config trusts none.
type Config struct {
	// Version is the program's, which each server is told.
	Version string
	// Trusts reports whether somebody at this machine has agreed that this server is
	// reached, which may run a command; nil trusts none.
	Trusts func(gateway.Server) bool
	// Program is what the command of a server runs here, as somebody has agreed to it; nil finds it
	// as a shell would, in the directory of this process.
	Program func(gateway.Server) (Program, error)
	// Lookup gives the variables that ${NAME} stands for; nil means os.LookupEnv.
	Lookup func(string) (string, bool)
	// Changed, when set, is called when a server says that its offer is another one. It
	// must not wait.
	Changed func(server string)
	// Lingering is how long a server goes on that [Pool.Listings] is not asked for any more; 0
	// is a minute.
	Lingering time.Duration
	// Patience is how long [Pool.Listings] waits for servers that are not required; 0 is five seconds.
	Patience time.Duration
	// Idle is how long a connection with a caller's own credential goes on that the caller does
	// not use any more; 0 is five minutes. Callers bounds those connections; 0 is 64.
	Idle    time.Duration
	Callers int
	// Log hears what servers write to their standard error, and why they ended; nil means
	// slog.Default().
	Log *slog.Logger
}

// Pool is the upstream servers of a process. It is safe for concurrent use.
type Pool struct {
	config  Config
	mu      sync.Mutex
	links   map[string]*link // by the digest of a server, and the key of the caller's own credential
	leavers sync.WaitGroup   // the links that are closed because nobody names them
	// accepted is, by server, what was accepted when listings were asked for last.
	accepted map[string]gateway.Acceptance
	again    time.Time // when a failure may have passed; zero for none
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

// Close ends every server. Calls that run fail.
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

// State is how a server stands.
type State string

// The states.
const (
	Untrusted State = "untrusted" // nobody at this machine has agreed to it
	Idle      State = "idle"      // it was not needed yet
	Up        State = "up"
	Down      State = "down" // it failed, and rests
)

// Health is how a server stands, and how it answers.
type Health struct {
	State State
	// Problem is why it is down.
	Problem string
	// Until is when a server that is down is tried again.
	Until time.Time
	// Latency is that of the last answer; Calls and Failed count since the process began.
	Latency       time.Duration
	Calls, Failed int64
	// Says is the name and version that it gives itself.
	Says string
	// LeftOut is how much of what it offers is in no directory, by its last listing.
	LeftOut int
}

// Health tells how a server stands, without reaching it. Of one that callers reach with
// credentials of their own it counts all, and is Up when one of them has reached it; why another
// has not is not for everybody.
func (p *Pool) Health(s gateway.Server) (h Health) {
	if !p.config.Trusts(s) {
		return Health{State: Untrusted, Problem: "nobody at this machine has agreed to it" + cameBy(s)}
	}
	h.State = Idle
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		if l.server.Digest() != s.Digest() {
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

// link is one server, which may be up: for all callers, or for those who show the same
// credential of their own.
type link struct {
	pool   *Pool
	server gateway.Server
	own    auth.Credential // the caller's, the zero Credential when the server takes none
	clean  redactor        // of own, and of what the definition refers to
	slots  chan struct{}   // the calls at once
	turn   chan struct{}   // held by what subscribes to a resource or ends that
	living context.Context
	stop   context.CancelFunc // ends living, and a start with it
	asking sync.WaitGroup     // what asks for offers, and what subscribes

	// These are of the pool's mu.
	leaving *time.Timer // to its end, since nobody names it, or its caller does not use it
	users   int         // who may call it now, or listen
	used    time.Time   // when the last of them went
	// listeners are those users who only hear of changes of resources.
	listeners int

	ending atomic.Pointer[ending] // of the command that runs, or ran last

	mu       sync.Mutex
	session  *mcp.ClientSession // nil while it is not up
	end      func()             // kills what the session speaks to
	starting chan struct{}      // closed when a start is over; nil while there is none
	failure  *gateway.Error     // of the last start, or why it ended
	failures int                // one after another
	until    time.Time          // it rests until then
	began    time.Time
	closed   bool
	counts   Health
	calls    map[string]*running // by their progress token
	changed  time.Time           // when it was passed on last that a list has changed
	apart    time.Duration       // how long there is to the next one
	changing bool                // it is passed on in a while
	tokens   int64
	offers   map[string]*offer // by the text of a definition
	follows  map[string]*followed
	resuming bool // what was subscribed to, after an end
}

// Bounds of the connections with callers' own credentials.
const (
	idleEnd     = 5 * time.Minute
	mostCallers = 64
)

// link finds a server, or makes the link to it, which starts nothing. The link goes on until
// release is called, and after it as long as it may be needed. A server that callers reach with
// credentials of their own has a link for each credential.
func (p *Pool) link(ctx context.Context, s gateway.Server) (l *link, release func(), err error) {
	if !p.config.Trusts(s) {
		return nil, nil, gateway.Fail(gateway.PermissionDenied, s.Name, "nobody at this machine has agreed that the upstream %s is reached, see trails gateway trust%s", s.Name, cameBy(s))
	}
	key := s.Digest()
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
		return nil, nil, gateway.Fail(gateway.UpstreamUnavailable, s.Name, "the process ends")
	}
	if l = p.links[key]; l == nil {
		if s.PerCaller() && !p.makeRoom() {
			return nil, nil, gateway.Fail(gateway.RateLimited, s.Name, "%d callers use upstream servers with credentials of their own, and there is no room for another; try again", p.config.Callers)
		}
		l = &link{pool: p, server: s, own: own, clean: newRedactor(own, s.Secrets(p.config.Lookup)), slots: make(chan struct{}, s.AtOnce()), turn: make(chan struct{}, 1), calls: map[string]*running{}, offers: map[string]*offer{}, follows: map[string]*followed{}}
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

// cameBy says of a definition that came through another door than the command line that no
// setting agrees to it.
func cameBy(s gateway.Server) string {
	if s.Via == "" {
		return ""
	}
	return fmt.Sprintf("; its definition came by %s, and TRAILS_TRUST_UPSTREAMS agrees to none of those", quote.Line(s.Via, 40))
}

// makeRoom reports whether there is room for another link with a credential of a caller's own,
// and ends the one for it that nobody has used for the longest time; p.mu is held.
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

// Times of starting and resting.
const (
	startTimeout = 30 * time.Second
	firstRest    = 500 * time.Millisecond
	longestRest  = time.Minute
	soundLife    = 10 * time.Second // a server that lived so long has not failed to start
)

// up returns the session, and starts the server when there is none. A start goes on when the
// caller that asked for it has gone.
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
		l.another() // it can say what was not known while it was down
	}
	if r := session.InitializeResult(); r != nil && r.ServerInfo != nil {
		l.counts.Says = quote.Line(l.clean.shown(r.ServerInfo.Name+" "+r.ServerInfo.Version), maxSays)
	}
	go l.watch(session)
}

// maxSays bounds the name and version that a server gives itself, in characters.
const maxSays = 200

// watch waits until a session has ended.
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
	failure := l.classified(err) // it may wait for what a command wrote last
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == session {
		l.drop(failure)
	}
}

// drop forgets a session that is of no use any more; l.mu is held.
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

// finish kills what a session speaks to before it closes it, which would wait for calls.
func finish(session *mcp.ClientSession, end func()) {
	end()
	_ = session.Close() // it has ended
}

// rest notes a failure, and how long there is no other start; l.mu is held.
func (l *link) rest(failure *gateway.Error) {
	noted := *failure // which a call may have answered with already
	f := &noted
	if f.Code == gateway.UpstreamError {
		f.Code, f.Retryable = gateway.UpstreamUnavailable, true
	}
	pause := min(firstRest<<min(l.failures, 10), longestRest)
	l.failures++
	if after, said := f.Details["retry_after"].(float64); said {
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
		f.tell() // who reads it now is told that the server is not in use any more
	}
	l.mu.Unlock()
	l.stop()
	if starting != nil {
		<-starting // what was begun has been killed then
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
