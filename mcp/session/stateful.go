package session

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/httpapi/accept"
	"trails/httpapi/sse"
)

const (
	sessionHeader = "Mcp-Session-Id"
	resumeHeader  = "Last-Event-ID"
	// primed is the first version in which a stream begins with an event to resume after.
	primed = "2025-11-25"
)

// StatefulHandler returns the Streamable HTTP endpoint with sessions: POST one
// message and get a stream with its answer, GET the stream of what is not an answer,
// DELETE the session. Streams can be resumed. A request of the protocol without
// sessions is answered as by [Server.Handler]. It looks at no path. [Server.Close]
// ends its sessions.
func (d *Doors) StatefulHandler() http.Handler {
	return d.sameOrigin(&statefulDoor{door: d.door(overHTTP, false), stateless: d.statelessDoor()})
}

// statefulDoor passes requests to their sessions.
type statefulDoor struct {
	*door
	stateless *statelessDoor
}

func (d *statefulDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, ok := d.admitted(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		d.post(w, r)
	case http.MethodGet:
		d.get(w, r)
	case http.MethodDelete:
		if s, ok := d.session(w, r, nullID); ok {
			s.end()
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		refuseMethod(w, r, "GET, POST, DELETE", "")
	}
}

func (d *statefulDoor) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if isBatch(body) && d.takesBatches(r) {
		serveBatch(w, r, body, d.postOne)
		return
	}
	if m, ok := readMessage(w, body); ok {
		d.postOne(w, r, m)
	}
}

// takesBatches reports that the request belongs to a session whose version has batches.
func (d *statefulDoor) takesBatches(r *http.Request) bool {
	s, ok := d.sessions.find(d.via, r.Header.Get(sessionHeader))
	version := r.Header.Get(protocolHeader)
	return ok && s.protocol() == batching && (version == "" || version == batching)
}

func (d *statefulDoor) postOne(w http.ResponseWriter, r *http.Request, m Message) {
	version := r.Header.Get(protocolHeader)
	switch {
	case version >= Sessionless || m.StandsAlone():
		d.stateless.take(w, r, m)
	case version != "" && !slices.Contains(sdk.SupportedProtocolVersions(), version):
		refuseHTTP(w, http.StatusBadRequest, m.idText, invalid(fmt.Sprintf("protocol version %q is not supported; there are %s",
			version, strings.Join(sdk.SupportedProtocolVersions(), ", "))))
	case accept.Choose(r, "application/json") < 0 || accept.Choose(r, sse.MediaType) < 0:
		refuseHTTP(w, http.StatusBadRequest, m.idText, invalid("Accept must allow application/json and text/event-stream"))
	case r.Header.Get(resumeHeader) != "":
		refuseHTTP(w, http.StatusBadRequest, m.idText, invalid("Last-Event-ID is for GET"))
	case r.Header.Get(sessionHeader) == "" && m.Method == "initialize" && m.isCall():
		d.open(w, r, m)
	default:
		if s, ok := d.session(w, r, m.idText); ok {
			s.post(w, r, m)
		}
	}
}

// session returns the session that the request names, if it is the sender's.
func (d *statefulDoor) session(w http.ResponseWriter, r *http.Request, id []byte) (*session, bool) {
	name := r.Header.Get(sessionHeader)
	if name == "" {
		refuseHTTP(w, http.StatusBadRequest, id, invalid("Mcp-Session-Id is missing; initialize first"))
		return nil, false
	}
	s, ok := d.sessions.find(d.via, name)
	if !ok {
		refuseHTTP(w, http.StatusNotFound, id, sessionEnded())
		return nil, false
	}
	return s, d.owns(w, r, s, id)
}

// owns refuses a session to everybody except its owner.
func (d *door) owns(w http.ResponseWriter, r *http.Request, s *session, id []byte) bool {
	if callerID(r) == s.owner {
		return true
	}
	refuseHTTP(w, http.StatusForbidden, id, d.Refuse(r.Context(), "", fault.New(fault.Denied, "the session belongs to another caller")))
	return false
}

// open opens a session. Its handshake is answered as plain JSON: no messages come before it, and there is nothing to
// resume.
func (d *statefulDoor) open(w http.ResponseWriter, r *http.Request, m Message) {
	if err := d.check(&m); err != nil {
		e := d.Refuse(r.Context(), m.Method, err)
		refuseHTTP(w, http.StatusOK, m.idText, e)
		return
	}
	s, err := d.newSession(r, false)
	if err != nil {
		d.refuseFull(w, r, m.idText, err)
		return
	}
	leave, ok := s.enter()
	if !ok {
		d.refuseFull(w, r, m.idText, shuttingDown())
		return
	}
	defer leave()
	text, welcome := s.handshake(r, m)
	if !welcome {
		s.end()
	} else {
		w.Header().Set(sessionHeader, s.id)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the connection may be closed
}

// refuseFull says that there is no room, and when to come again.
func (d *door) refuseFull(w http.ResponseWriter, r *http.Request, id []byte, err error) {
	status := http.StatusTooManyRequests
	var no fullError
	if !errors.As(err, &no) {
		status = http.StatusInternalServerError
	} else if no.everybody {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	refuseHTTP(w, status, id, d.Refuse(r.Context(), "", err))
}

// get opens the common stream, or resumes any stream of the session.
func (d *statefulDoor) get(w http.ResponseWriter, r *http.Request) {
	if accept.Choose(r, sse.MediaType) < 0 {
		refuseHTTP(w, http.StatusBadRequest, nullID, invalid("Accept must allow text/event-stream"))
		return
	}
	if s, ok := d.session(w, r, nullID); ok {
		s.get(w, r)
	}
}
