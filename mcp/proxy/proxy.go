// Package proxy connects a host that speaks MCP over stdio with a server that speaks it over Streamable HTTP
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports). It passes messages on as they are, in
// both directions, and keeps the server's session on behalf of the host.
//
// It is no MCP client and no MCP server: it reads of a message what the transport needs, and knows no capabilities.
//
// Start with [Run].
package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/fault"
	"trails/mcp/session"
)

// Options say where the server is. URL and Log are required.
type Options struct {
	URL *url.URL // of [ParseURL]
	// Token returns the bearer token to send, "" for none. It is asked for each request, by several goroutines at once;
	// its error is that of the request. Nil is no token.
	Token func() (string, error)
	// HowGiven tells where the token is put, for refusals: "set VARIABLE".
	HowGiven string
	// Silence is how long a server may send nothing while it owes an answer; 0 is [DefaultSilence].
	Silence time.Duration
	Log     *slog.Logger
}

// DefaultSilence is longer than the longest call of trails takes.
const DefaultSilence = 11 * time.Minute

// Bounds of what passes.
const (
	// maxMessage is the most bytes of a message, in both directions.
	maxMessage = 32 << 20
	// maxInFlight is the most messages of the host that wait for the server.
	maxInFlight = 256
	// maxKept is the most subscriptions that a new session takes over from a lost one.
	maxKept = 1024
)

// Times.
const (
	drainTime     = 30 * time.Second // for answers after the end of in
	stopTime      = 2 * time.Second  // for answers after the end of the context, and for what is said and cancelled at the end
	deleteTime    = 5 * time.Second  // to delete the session
	handshakeTime = 30 * time.Second // to replace a lost session
	noticeTime    = 30 * time.Second // for a message without an answer to be accepted
)

// Run passes messages until in ends or ctx does: a message a line on in and on out, nothing else on out. At the end of
// in it waits thirty seconds at most for answers, and at that of ctx two. Then it refuses and cancels the requests in
// flight, deletes the server's session, and returns nil. A read of in and a write to out that are under way cannot be broken
// off; they end with in and out. A token that may not be sent, and a failed write to out, are errors.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	living, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	p := &proxy{Options: o, origin: originOf(o.URL), stopped: ctx.Done(), living: living, end: end, out: out, calls: map[string]*call{}, current: &held{}}
	p.http = p.client()
	if _, err := p.token(); err != nil {
		return err
	}
	p.read(in)
	p.drain()
	var told sync.WaitGroup
	told.Go(p.refuseOpen)
	p.wait(stopTime, &told)
	failed := context.Cause(living) // nil unless a write has failed
	end(nil)
	p.wait(stopTime, &p.answering, &p.listening)
	p.deleteSession()
	if ctx.Err() != nil {
		return nil // the host may be gone
	}
	return failed
}

// proxy is one run.
type proxy struct {
	Options
	origin  string
	http    *http.Client
	stopped <-chan struct{} // is closed when the process is told to stop
	living  context.Context // ends with the run; its cause is a failed write
	end     context.CancelCauseFunc

	answering sync.WaitGroup // messages of the host
	listening sync.WaitGroup // streams that no answer ends

	outMu sync.Mutex
	out   io.Writer

	renewing sync.Mutex // held while a lost session is replaced

	mu       sync.Mutex
	inFlight int
	calls    map[string]*call // requests without an answer, by id
	current  *held
	version  string // of the last message that named one itself (2026-07-28)
}

// call is a request of the host, or a batch of them.
type call struct {
	message
	cancel    context.CancelCauseFunc // nil before it is passed on
	cancelled bool                    // by the host, which waits for no answer
}

var errCancelled = errors.New("cancelled by the host")

// read reads in to its end, or to that of the run.
func (p *proxy) read(in io.Reader) {
	type line struct {
		text  []byte
		whole bool
	}
	lines := make(chan line)
	go func() {
		defer close(lines)
		for r := bufio.NewReaderSize(in, 64<<10); ; {
			text, whole, err := session.ReadLine(r, maxMessage)
			select {
			case lines <- line{text, whole}:
			case <-p.stopped:
				return
			case <-p.living.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	before := make(chan struct{})
	close(before)
	for {
		select {
		case l, more := <-lines:
			if !more {
				return
			}
			before = p.take(bytes.TrimSpace(l.text), l.whole, before)
		case <-p.stopped:
			return
		case <-p.living.Done():
			return
		}
	}
}

// take begins to pass a message on. Answers pass at once. Other messages wait for the handshake and the notifications
// before them, until before is closed; take returns what the next ones wait for.
func (p *proxy) take(text []byte, whole bool, before chan struct{}) chan struct{} {
	if !whole {
		p.refuse(nullID, fault.New(fault.TooLarge, "the message is larger than %d bytes, and was not sent", maxMessage))
		return before
	}
	if len(text) == 0 {
		return before
	}
	m, bad := parse(text)
	if bad != nil {
		p.write(session.Failure(m.firstID(), bad))
		return before
	}
	c, err := p.open(m)
	if err != nil {
		p.refuseAll(m, err)
		return before
	}
	done, group := make(chan struct{}), &p.answering
	if m.is("subscriptions/listen") {
		group = &p.listening
	}
	group.Go(func() {
		defer close(done)
		defer p.leave()
		if !m.isAnswer() {
			select {
			case <-before:
			case <-p.living.Done():
			}
		}
		p.pass(m, c)
	})
	if m.is("initialize") || !m.isAnswer() && c == nil {
		return done
	}
	return before
}

// open reserves a place for a message in flight, and records its requests as unanswered. The call is nil if there are
// none.
func (p *proxy) open(m message) (*call, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight >= maxInFlight {
		return nil, fault.New(fault.Exhausted, "%d messages wait for the server, and no more are taken; wait for answers first", maxInFlight).With("limit", maxInFlight).With("retry_after", 1)
	}
	c, ids, requests := &call{message: m}, m.calls(), 0
	for _, h := range m.heads {
		if h.isCall() {
			requests++
		}
	}
	if len(ids) < requests {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: two requests of the batch have the same id, and nothing of it was sent"}
	}
	for id := range ids {
		if p.calls[id] != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: a request with this id is in flight already"}
		}
	}
	for id := range ids {
		p.calls[id] = c
	}
	p.inFlight++
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no requests is no error
	}
	return c, nil
}

func (p *proxy) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight--
}

// pass passes a message to the server, and what comes back to the host.
func (p *proxy) pass(m message, c *call) {
	if c == nil {
		p.notify(m)
		return
	}
	ctx, cancel := context.WithCancelCause(p.living)
	defer cancel(nil)
	p.mu.Lock()
	c.cancel = cancel
	cancelled := c.cancelled
	p.mu.Unlock()
	var err error
	switch {
	case cancelled:
	case m.is("initialize"):
		err = p.initialize(ctx, m)
	default:
		err = p.ask(ctx, m)
	}
	for _, h := range p.close(c) {
		if p.living.Err() == nil {
			p.refuse(h.ID, err)
		}
	}
}

// close returns the requests of a call that are still unanswered and not cancelled, and forgets them.
func (p *proxy) close(c *call) (left []head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range c.heads {
		if h.isCall() && p.calls[key(h.ID)] == c {
			delete(p.calls, key(h.ID))
			if !c.cancelled {
				left = append(left, h)
			}
		}
	}
	return left
}

// notify passes on a message that has no answer. Nobody can be told that it failed but the log.
func (p *proxy) notify(m message) {
	ctx, cancel := context.WithTimeout(p.living, noticeTime)
	defer cancel()
	if m.is("notifications/cancelled") {
		defer p.cancel(m.heads[0])()
	}
	err := p.ask(ctx, m)
	if m.is("notifications/initialized") {
		p.welcome(m, err)
	}
	if err != nil && p.living.Err() == nil {
		p.Log.Warn("a message of the host did not reach the server", "method", m.heads[0].Method, "error", fault.Whole(err))
	}
}

// cancel marks the request that the host cancels. The returned function ends it, once the server has been told.
func (p *proxy) cancel(h head) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[key(h.params().RequestID)]
	if c == nil {
		return func() {}
	}
	c.cancelled = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.cancel != nil {
			c.cancel(errCancelled)
		}
	}
}

// deliver writes a message of the server to the host. An answer to no open request is dropped, also of a batch, because
// each request gets one.
func (p *proxy) deliver(m message) {
	var expected []int
	for i, h := range m.heads {
		if !h.isAnswer() {
			expected = append(expected, i)
			continue
		}
		p.mu.Lock()
		c, open := p.calls[key(h.ID)]
		delete(p.calls, key(h.ID))
		p.mu.Unlock()
		if !open {
			p.Log.Debug("the server answers no request that is open", "id", string(h.ID))
			continue
		}
		expected = append(expected, i)
		p.remember(c.message, h)
	}
	switch {
	case len(expected) == len(m.heads):
		p.write(m.text)
	case len(expected) > 0:
		p.write(m.only(expected))
	}
}

// refuse answers a request of the host in the place of the server, after which it is no longer open.
func (p *proxy) refuse(id []byte, err error) {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		e = wireError(err)
	}
	p.write(session.Failure(id, e))
}

// refuseAll refuses all requests of a message, and logs that others were dropped.
func (p *proxy) refuseAll(m message, err error) {
	refused := map[string]bool{}
	for _, h := range m.heads {
		switch id := key(h.ID); {
		case h.isCall() && !refused[id]:
			refused[id] = true
			p.refuse(h.ID, err)
		case !h.isCall():
			p.Log.Warn("a message of the host was dropped", "method", h.Method, "error", fault.Whole(err))
		}
	}
}

// write writes one line. Lines never mix. A failed write ends the run.
func (p *proxy) write(text []byte) {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if p.living.Err() != nil {
		return // somebody who reads answers of a run that has ended would miss others
	}
	if _, err := p.out.Write(append(text, '\n')); err != nil {
		p.end(err)
	}
}

// drain waits for the answers in flight, not as long once the process is told to stop.
func (p *proxy) drain() {
	timed, cancel := context.WithTimeout(p.living, drainTime)
	defer cancel()
	over := make(chan struct{})
	go func() { p.answering.Wait(); close(over) }()
	select {
	case <-over:
		return
	case <-timed.Done():
		return
	case <-p.stopped:
	}
	select {
	case <-over:
	case <-time.After(stopTime):
	case <-timed.Done():
	}
}

// refuseOpen answers the requests whose answers are not waited for any more. A subscription has none.
func (p *proxy) refuseOpen() {
	p.mu.Lock()
	open := map[*call]bool{}
	for _, c := range p.calls {
		open[c] = !c.is("subscriptions/listen")
	}
	p.mu.Unlock()
	for c, waited := range open {
		if !waited {
			continue
		}
		for _, h := range p.close(c) {
			p.refuse(h.ID, fault.New(fault.TimedOut, "the proxy was ended before the server at %s had answered, which may have done what was requested: look before you repeat it", p.origin))
		}
	}
}

// wait waits for groups, but not for ever: a write to a host that does not read may be under way.
func (p *proxy) wait(limit time.Duration, groups ...*sync.WaitGroup) {
	over := make(chan struct{})
	go func() {
		for _, g := range groups {
			g.Wait()
		}
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(limit):
	}
}
