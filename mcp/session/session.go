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

// session is a session of one client over HTTP. For the SDK it is a connection: the SDK reads the messages of HTTP
// requests, and its output is buffered until the client's streams read it (see event_store.go), so writing never
// waits for a reader. A session ends after a time without activity, by request of the client or the server or, on the
// legacy transport, with its stream.
type session struct {
	*door
	id    string
	owner string // the ID of the principal that opened it
	// oneStream means that all messages use the only stream.
	oneStream bool

	pending  *pendingRequests
	box      *mailbox
	events   *sessionEvents
	incoming chan jsonrpc.Message
	over     chan struct{}

	mu       sync.Mutex
	version  string       // of the protocol; "" before the handshake
	active   int          // number of open requests and streams of the client
	idle     *time.Timer  // timer that ends the session; runs while no request or stream is open
	ending   bool         // the session ends when no request is pending
	ended    bool         // over is closed
	closeBox func()       // nil before the handshake
	release  func()       // releases the session's slot
	wait     func() error // waits until the SDK has closed the session
}

// newSession opens a session for the caller, if there is room, and connects it to the SDK. It ends after IdleTimeout
// without a request or stream.
func (d *door) newSession(r *http.Request, oneStream bool) (*session, error) {
	owner := callerID(r)
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

// SessionID is the id that the client sends with its requests.
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

// deliver passes a message to the SDK, unless the session has ended.
func (s *session) deliver(msg jsonrpc.Message) bool {
	select {
	case s.incoming <- msg:
		return true
	case <-s.over:
		return false
	}
}

// Write buffers an answer, a notification, or a request of the server for the client.
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

// noRequest stands for the stream without a request.
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

// reply writes the answer to a request.
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

// opened opens the mailbox after the handshake, and records the protocol version.
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

// enter keeps the session from ending while a request or stream is open; leave ends that. It returns false if the
// session has ended.
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

// finish ends the session when every pending request has been answered.
func (s *session) finish() {
	s.mu.Lock()
	s.ending = true
	idle := s.pending.unanswered() == 0
	s.mu.Unlock()
	if idle {
		s.end()
	}
}

// end ends the session: pending requests are cancelled, and streams write their remaining events. It may be called
// more than once.
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
