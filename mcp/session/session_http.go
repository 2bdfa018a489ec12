package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/auth"
	"trails/fault"
	"trails/httpapi/sse"
	"trails/invoke"
)

// The HTTP requests of a session.

// handshake answers the first request of a session. The session ends if the handshake failed, or its sender did not
// wait for it.
func (s *session) handshake(r *http.Request, m Message) (text []byte, welcome bool) {
	st := s.events.open(rand.Text(), m.id)
	reader := st.attach(0)
	defer st.detach(reader)
	if err := s.pending.add(&m); err != nil || !s.deliver(s.request(r, m)) {
		return Failure(m.idText, s.Refuse(r.Context(), m.Method, shuttingDown())), false
	}
	for {
		events, _, done := st.next(reader)
		if done && len(events) > 0 {
			st.forget(st.last())
			text := events[len(events)-1].data
			var answer struct {
				Error json.RawMessage `json:"error"`
			}
			return text, json.Unmarshal(text, &answer) == nil && answer.Error == nil
		}
		select {
		case <-reader.more:
		case <-r.Context().Done():
			return nil, false
		case <-s.over:
			return Failure(m.idText, s.Refuse(r.Context(), m.Method, shuttingDown())), false
		}
	}
}

// request returns the message for the SDK, with its envelope.
func (s *session) request(r *http.Request, m Message) *jsonrpc.Request {
	req := m.request()
	extra := envelope{
		request: m.id, id: m.idText, principal: auth.PrincipalOf(r.Context()), trace: invoke.TraceOf(r.Context()),
		caller:      invoke.CallerOf(r.Context()) + "/" + s.id,
		credentials: auth.CredentialsOf(r.Context()),
	}.extra()
	extra.Header = r.Header
	req.Extra = extra
	return req
}

// post handles one message.
func (s *session) post(w http.ResponseWriter, r *http.Request, m Message) {
	leave, ok := s.enter()
	if !ok {
		refuseHTTP(w, http.StatusNotFound, m.idText, sessionEnded())
		return
	}
	defer leave()
	if m.response {
		s.answered(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if err := s.admit(&m); err != nil {
		s.refuseMessage(w, r, m, err)
		return
	}
	if m.isCall() {
		s.call(w, r, m)
		return
	}
	s.deliver(s.request(r, m))
	w.WriteHeader(http.StatusAccepted)
}

func sessionEnded() *jsonrpc.Error {
	return invalid("there is no such session, or it has ended; initialize again")
}

// answered passes on a response to a request of the server, and drops others.
func (s *session) answered(m Message) {
	if s.pending.answered(m) {
		s.deliver(m.answer())
	}
}

// admit checks a message like every transport, and records a request as pending.
func (s *session) admit(m *Message) error {
	if err := s.check(m); err != nil {
		return err
	}
	return s.pending.add(m)
}

// call passes a request to the SDK and streams the messages until its answer. If its sender disconnects it goes on:
// the stream can be resumed.
func (s *session) call(w http.ResponseWriter, r *http.Request, m Message) {
	st := s.events.open(rand.Text(), m.id)
	f := s.follow(w, st, 0)
	defer f.leave()
	if !s.deliver(s.request(r, m)) {
		refuseHTTP(w, http.StatusNotFound, m.idText, sessionEnded())
		return
	}
	f.serve(r.Context(), f.isSlow)
}

// get streams messages without a request, or resumes a stream where the client lost it.
func (s *session) get(w http.ResponseWriter, r *http.Request) {
	leave, ok := s.enter()
	if !ok {
		refuseHTTP(w, http.StatusNotFound, nullID, sessionEnded())
		return
	}
	defer leave()
	st, at, err := s.resume(r)
	if err != nil {
		refuseHTTP(w, http.StatusBadRequest, nullID, s.Refuse(r.Context(), "", err))
		return
	}
	f := s.follow(w, st, at)
	defer f.leave()
	f.serve(r.Context(), func(context.Context) bool { return r.Header.Get(resumeHeader) == "" })
}

// resume finds the stream to resume, and the position.
func (s *session) resume(r *http.Request) (st *stream, at int, err error) {
	id := r.Header.Get(resumeHeader)
	if id == "" {
		st, _ := s.events.find("")
		return st, st.unread(), nil
	}
	name, at, ok := parseEventID(id)
	if !ok {
		return nil, 0, invalid(fmt.Sprintf("%.100q is no Last-Event-ID of ours", id))
	}
	st, ok = s.events.find(name)
	if !ok {
		return nil, 0, lost(id)
	}
	if at > st.last() {
		return nil, 0, invalid(fmt.Sprintf("%.100q is no Last-Event-ID of ours", id))
	}
	if name != "" && !st.holds(at) {
		return nil, 0, lost(id)
	}
	return st, at, nil
}

// lost is the answer for a stream that cannot be resumed. It is not 404, which would mean that the session does not
// exist.
func lost(id string) error {
	return fault.New(fault.Precondition, "the events after %.100s are gone; ask again", id).With("last_event_id", id)
}

// follow makes the HTTP request read a stream from event at on.
func (s *session) follow(w http.ResponseWriter, st *stream, at int) *follower {
	reader := st.attach(at)
	out := sse.NewWriter(w, s.Options.WriteTimeout)
	return &follower{session: s, stream: st, reader: reader, out: out, named: !s.oneStream}
}

func (f *follower) leave() { f.stream.detach(f.reader) }

// serve sends the header, an event to resume after if wanted, and the stream.
func (f *follower) serve(ctx context.Context, wanted func(context.Context) bool) {
	err := f.out.Open()
	if err == nil && f.protocol() >= primed && wanted(ctx) {
		err = f.out.Retry("prime", f.name(f.reader.at), retryAfterCut)
	}
	if err == nil {
		_ = f.run(ctx)
	}
}

// slowAfter is the time after which a client gets an event id, so that it can resume if the stream breaks.
const slowAfter = 50 * time.Millisecond

// isSlow reports that the answer takes long, or that other messages come before it. The TypeScript client takes the
// end of a resumable stream for a broken connection if the answer was an error, and reconnects.
func (f *follower) isSlow(ctx context.Context) bool {
	late := time.NewTimer(slowAfter)
	defer late.Stop()
	select {
	case <-f.reader.more:
	case <-late.C:
	case <-ctx.Done():
	case <-f.over:
	}
	events, _, done := f.stream.next(f.reader)
	return !done || len(events) > 1
}

// retryAfterCut is how long a client whose stream was cut should wait.
const retryAfterCut = time.Second

// parseEventID reads the id of an event of a session: the stream's name and the event's
// number.
func parseEventID(id string) (stream string, number int, ok bool) {
	stream, digits, ok := strings.Cut(id, "_")
	number, err := strconv.Atoi(digits)
	return stream, number, ok && err == nil && number >= 0
}
