package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// session is one client's conversation over HTTP. To the SDK it is a connection: it
// reads what requests have brought, and what it writes is kept until the client's
// streams take it (see history.go), so no write ever waits for a reader. A session
// ends when it was silent for too long, when its client or the server says so, or,
// on the legacy transport, with its one stream.
type session struct {
	*door
	id    string
	owner string // the ID of the principal that opened it
	// oneStream means that everything goes to the one stream there is.
	oneStream bool

	pending  *pendingRequests
	box      *mailbox
	events   *sessionEvents
	incoming chan jsonrpc.Message
	over     chan struct{}

	mu       sync.Mutex
	version  string       // of the protocol; "" before the handshake
	active   int          // requests and streams of the client's that are open
	idle     *time.Timer  // ends the session; runs while no request and no stream is open
	ending   bool         // the session ends when nothing is pending
	ended    bool         // over is closed
	closeBox func()       // nil before the handshake
	release  func()       // gives back what the session holds
	wait     func() error // until the SDK has let go of the session
}

// newSession opens a session for the caller, if there is room, and connects it to the
// SDK. It ends after IdleTimeout without a request or a stream.
func (d *door) newSession(r *http.Request, oneStream bool) (*session, error) {
	owner := callerOf(r)
	leave, err := d.slots.acquire(d.via, owner)
	if err != nil {
		return nil, err
	}
	s := &session{
		door: d, id: rand.Text(), owner: owner, oneStream: oneStream,
		pending: newPending(), box: newMailbox(), events: d.Doors.events.openSession(),
		incoming: make(chan jsonrpc.Message), over: make(chan struct{}),
	}
	s.release = func() {
		d.sessions.remove(s)
		leave()
	}
	s.idle = time.AfterFunc(d.Options.IdleTimeout, s.end)
	// The values of r's context are those of one request, not of the session.
	conn, err := d.SDK().Connect(d.Context(withMailbox(context.Background(), s.box)), onConn{s}, nil)
	if err != nil {
		s.end()
		return nil, err
	}
	s.wait = conn.Wait
	if !d.sessions.add(s) {
		s.end()
		return nil, shuttingDown()
	}
	return s, nil
}

// SessionID is the name by which the client comes back.
func (s *session) SessionID() string { return s.id }

// Read returns the next message that the client has sent.
func (s *session) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-s.incoming:
		return m, nil
	case <-s.over:
		return nil, io.EOF
	}
}

// Close ends the session.
func (s *session) Close() error {
	s.end()
	return nil
}

// deliver shows the SDK a message, unless the session is over.
func (s *session) deliver(msg jsonrpc.Message) bool {
	select {
	case s.incoming <- msg:
		return true
	case <-s.over:
		return false
	}
}

// Write keeps an answer, a notification, or a request of ours for the client.
func (s *session) Write(ctx context.Context, msg jsonrpc.Message) error {
	select {
	case <-s.over:
		return io.ErrClosedPipe
	default:
	}
	if res, ok := msg.(*jsonrpc.Response); ok {
		return s.answer(res)
	}
	req, _ := msg.(*jsonrpc.Request)
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	s.pending.sent(req)
	if s.oneStream {
		s.events.add(noRequest, text)
	} else {
		s.events.add(envelopeOf(ctx).request, text)
	}
	return nil
}

// noRequest names the stream that belongs to none.
var noRequest jsonrpc.ID

func (s *session) answer(res *jsonrpc.Response) error {
	was := s.pending.get(res.ID)
	defer s.done(res.ID)
	if res.Error != nil && was.cancelled {
		s.events.answer(res.ID, nil) // a cancelled request has no answer (MCP, cancellation)
		return nil
	}
	if res.Error != nil {
		res.Error = TidyError(res.Error)
	} else if was.method == "initialize" {
		s.opened(res.Result)
	}
	text, err := jsonrpc.EncodeMessage(res)
	if err != nil {
		return err
	}
	s.reply(res.ID, text)
	return nil
}

// reply says the answer to a request.
func (s *session) reply(request jsonrpc.ID, text []byte) {
	if s.oneStream {
		s.events.add(noRequest, text)
		return
	}
	s.events.answer(request, text)
}

// done removes a request, and ends the session after the last one if finish was called.
func (s *session) done(request jsonrpc.ID) {
	s.pending.done(request)
	s.mu.Lock()
	last := s.ending && s.pending.unanswered() == 0
	s.mu.Unlock()
	if last {
		s.end()
	}
}

// opened opens the mailbox, when the handshake is done, and keeps its version.
func (s *session) opened(hello json.RawMessage) {
	version := agreedVersion(hello)
	closeBox := s.hub.open(s.box, kinds{tools: true, resources: true})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	if s.ended {
		defer closeBox()
		return
	}
	s.closeBox = closeBox
}

// agreedVersion is the version of the protocol in the answer to a handshake.
func agreedVersion(hello json.RawMessage) string {
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(hello, &agreed) // the SDK's own JSON
	return agreed.Version
}

// protocol is the version of the protocol that the handshake agreed on, "" before it.
func (s *session) protocol() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// enter keeps the session from ending while a request or a stream is open; leave ends
// that. It is false when the session is over.
func (s *session) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, false
	}
	s.active++
	s.idle.Stop()
	return s.leave, true
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	switch {
	case s.active > 0:
	case s.ended:
		s.events.clear()
	default:
		s.idle.Reset(s.Options.IdleTimeout)
	}
}

// finish ends the session when every pending request is answered.
func (s *session) finish() {
	s.mu.Lock()
	s.ending = true
	idle := s.pending.unanswered() == 0
	s.mu.Unlock()
	if idle {
		s.end()
	}
}

// end ends the session: pending requests are cancelled, and streams write what they
// still have. It may be called more than once.
func (s *session) end() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	s.idle.Stop()
	close(s.over)
	if s.active == 0 {
		s.events.clear()
	}
	closeBox := s.closeBox
	s.mu.Unlock()
	if closeBox != nil {
		closeBox()
	}
	s.release()
}
