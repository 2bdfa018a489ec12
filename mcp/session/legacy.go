package session

import (
	"net/http"

	"trails/auth"
	"trails/httpapi/accept"
	"trails/httpapi/sse"
)

// messagesPath is where clients of the legacy transport post, next to where they
// have their stream.
const messagesPath = "/messages"

// SSEHandler returns both endpoints of the legacy transport (MCP 2024-11-05,
// HTTP with SSE), to be served at GET /sse and POST /messages: GET opens a session
// and is its one stream, POST with the session's id is a message to it. The session
// ends with the stream, or by [Server.Close].
func (d *Doors) SSEHandler() http.Handler {
	return d.sameOrigin(&sseDoor{d.door(overSSE, false)})
}

type sseDoor struct{ *door }

func (d *sseDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, ok := d.admitted(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodGet:
		d.open(w, r)
	case http.MethodPost:
		d.post(w, r)
	default:
		refuseMethod(w, r, "GET, POST", "")
	}
}

func (d *sseDoor) open(w http.ResponseWriter, r *http.Request) {
	if accept.Choose(r, sse.MediaType) < 0 {
		refuseHTTP(w, http.StatusBadRequest, nullID, invalid("Accept must allow text/event-stream"))
		return
	}
	s, err := d.newSession(r, true)
	if err != nil {
		d.refuseFull(w, r, nullID, err)
		return
	}
	defer s.end()
	leave, ok := s.enter()
	if !ok {
		return
	}
	defer leave()
	s.stream(w, r)
}

// stream sends the address for messages, and then every message of the session.
func (s *session) stream(w http.ResponseWriter, r *http.Request) {
	st, _ := s.events.find("")
	f := s.follow(w, st, 0)
	defer f.leave()
	if f.out.Open() != nil {
		return
	}
	if f.out.Add("endpoint", "", []byte(auth.Prefix(r)+messagesPath+"?sessionid="+s.id)) != nil {
		return
	}
	_ = f.run(r.Context())
}

// post accepts one message. Its answer, or an error, goes to the stream.
func (d *sseDoor) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	m, ok := readMessage(w, body)
	if !ok {
		return
	}
	s, ok := d.sessions.find(d.via, r.URL.Query().Get("sessionid"))
	if !ok {
		refuseHTTP(w, http.StatusNotFound, m.idText, sessionEnded())
		return
	}
	if !d.owns(w, r, s, m.idText) {
		return
	}
	s.take(w, r, m)
}

func (s *session) take(w http.ResponseWriter, r *http.Request, m Message) {
	if m.response {
		s.answered(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	err := s.admit(&m)
	switch {
	case err != nil && m.isCall():
		s.events.add(noRequest, Failure(m.idText, s.Refuse(r.Context(), m.Method, err)))
	case err != nil:
		s.refuseMessage(w, r, m, err)
		return
	case !s.deliver(s.request(r, m)):
		refuseHTTP(w, http.StatusNotFound, m.idText, sessionEnded())
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
