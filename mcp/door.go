package mcp

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
)

func (s *Server) statelessDoor() *door {
	e := s.endpoint(overHTTP, true)
	return &door{endpoint: e, next: sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return e.sdk },
		&sdk.StreamableHTTPOptions{
			Stateless:                    true,
			MaxRequestBodyBytes:          maxBody,
			PropagateRequestCancellation: true,
			DisableLocalhostProtection:   true, // the door has its own, which knows of proxies
		})}
}

// sameOrigin refuses what another site's page makes a browser send. A GET may open a
// stream here, and is no safer than a POST.
func (s *Server) sameOrigin(h http.Handler) http.Handler {
	origin := s.opts.Auth.CrossOrigin()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asPost := &http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host, URL: r.URL}
		if origin.Check(asPost) != nil {
			refuseHTTP(w, http.StatusForbidden, nullID, invalid(fmt.Sprintf("origin %q may not post here", r.Header.Get("Origin"))))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// door admits one message a request to the SDK's handler, which answers much of
// what it refuses as plain text, and speaks JSON-RPC in its place.
type door struct {
	*endpoint
	next http.Handler
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuseHTTP(w, http.StatusMethodNotAllowed, nullID, invalid(r.Method+" is not for this address; POST a message"))
		return
	}
	r, ok := d.admitted(w, r)
	if !ok {
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if version := r.Header.Get(protocolHeader); isBatch(body) && (version == batching || version == "") {
		serveBatch(w, r, body, d.take)
		return
	}
	if m, ok := readMessage(w, body); ok {
		d.take(w, r, m)
	}
}

// admitted resolves the caller before anything of the request is read. It refuses one
// that came over loopback but was sent to another name, which a page elsewhere may have
// bound to this address, and one without the token.
func (e *endpoint) admitted(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host, _, _ := net.SplitHostPort(addr.String())
		if auth.IsLoopback(host) && e.opts.Auth.CheckHost(r.Host) != nil {
			refuseHTTP(w, http.StatusForbidden, nullID, invalid(fmt.Sprintf("host %q is not served here", r.Host)))
			return nil, false
		}
	}
	if _, known := auth.PrincipalOf(r.Context()); known {
		return r, true
	}
	p, known := e.opts.Auth.Request(r, false)
	if !known {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuseHTTP(w, http.StatusUnauthorized, nullID, e.refuse(r.Context(), "", auth.Unauthenticated()))
		return nil, false
	}
	return r.WithContext(auth.WithPrincipal(r.Context(), p)), true
}

// readBody reads what a request has, or refuses it.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if !isJSON(r) {
		refuseHTTP(w, http.StatusUnsupportedMediaType, nullID, invalid("Content-Type must be application/json"))
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuseBody(w, err)
	}
	return body, err == nil
}

// readMessage reads the one message of a body, or refuses it.
func readMessage(w http.ResponseWriter, body []byte) (message, bool) {
	m, bad := parse(body)
	if bad != nil {
		refuseHTTP(w, http.StatusBadRequest, m.idText, bad)
	}
	return m, bad == nil
}

// accepts reports that the sender reads answers of this media type.
func accepts(r *http.Request, media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	for _, header := range r.Header.Values("Accept") {
		for entry := range strings.SplitSeq(header, ",") {
			entry, _, _ = strings.Cut(entry, ";")
			switch strings.ToLower(strings.TrimSpace(entry)) {
			case media, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// take answers one message. A response answers nothing that we asked: here we ask
// nothing.
func (d *door) take(w http.ResponseWriter, r *http.Request, m message) {
	if m.response {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	err := d.check(&m)
	_, served := methods[m.method]
	switch {
	case err == nil:
		d.pass(w, r, m)
	case m.isCall():
		e := d.refuse(r.Context(), m.method, err)
		refuseHTTP(w, statusOf(e, r), m.idText, e)
	case !served && isNote(m):
		w.WriteHeader(http.StatusAccepted)
	default:
		refuseHTTP(w, http.StatusBadRequest, m.idText, d.refuse(r.Context(), m.method, err))
	}
}

func isNote(m message) bool { return strings.HasPrefix(m.method, "notifications/") }

// check checks a message as stdio does. The token in it counts for nothing here, and
// goes no further: the header speaks for the request.
func (e *endpoint) check(m *message) error {
	m.takeBearer()
	if !m.isCall() && !isNote(*m) {
		return invalid("id is missing")
	}
	return m.check()
}

// pass lets the SDK answer the message. A subscription takes a seat meanwhile.
func (d *door) pass(w http.ResponseWriter, r *http.Request, m message) {
	if m.method == "subscriptions/listen" {
		leave, err := d.slots.acquire(overListen, callerOf(r))
		if err != nil {
			d.refuseFull(w, r, m.idText, err)
			return
		}
		defer leave()
	}
	text := m.encode()
	out := &reply{ResponseWriter: w, id: m.idText, patience: d.opts.Sessions.WriteTimeout}
	defer out.finish()
	r = r.WithContext(withOutlet(withEnvelope(r.Context(), envelope{request: m.id, id: m.idText}), out))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	d.next.ServeHTTP(out, r)
}
