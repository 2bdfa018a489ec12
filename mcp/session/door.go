package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/loopback"
)

func (d *Doors) statelessDoor() *statelessDoor {
	here := d.door(overHTTP, true)
	server := here.SDK()
	return &statelessDoor{door: here, next: sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			Stateless:                    true,
			MaxRequestBodyBytes:          maxBody,
			PropagateRequestCancellation: true,
			DisableLocalhostProtection:   true, // this package has its own check, which knows proxies
		})}
}

// sameOrigin refuses requests that pages of other sites make a browser send. A GET can open a stream here, and is no
// safer than a POST.
func (d *Doors) sameOrigin(h http.Handler) http.Handler {
	origin := d.Auth.CrossOrigin()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asPost := &http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host, URL: r.URL}
		if origin.Check(asPost) != nil {
			refuseHTTP(w, http.StatusForbidden, nullID, invalid(fmt.Sprintf("origin %q may not post here", r.Header.Get("Origin"))))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// statelessDoor passes one message for each request to the SDK's handler. The SDK reports many errors as plain text,
// which it converts to JSON-RPC.
type statelessDoor struct {
	*door
	next http.Handler
}

func (d *statelessDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		refuseMethod(w, r, http.MethodPost, "; POST a message")
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

// admitted identifies the caller before the request is read. It refuses a request over loopback with another host
// name, which a page elsewhere may have bound to this address (DNS rebinding), and one without the token. The
// caller's credentials for other servers are moved from the headers to the context.
func (d *door) admitted(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host, _, _ := net.SplitHostPort(addr.String())
		if loopback.Is(host) && d.Auth.CheckHost(r.Host) != nil {
			refuseHTTP(w, http.StatusForbidden, nullID, invalid(fmt.Sprintf("host %q is not served here", r.Host)))
			return nil, false
		}
	}
	r = auth.TakeCredentials(r)
	if auth.Known(r.Context()) {
		return r, true
	}
	p, known, err := policy.Principal{}, false, auth.Failure(r.Context())
	if err == nil {
		p, known, err = d.Auth.Request(r, false)
	}
	if err != nil {
		e := d.Refuse(r.Context(), "", err)
		refuseHTTP(w, statusOf(e, r), nullID, e)
		return nil, false
	}
	if !known {
		refusal := d.Auth.RefuseAtOnce(r, d.via)
		w.Header().Set("WWW-Authenticate", d.Auth.Challenge(r, fault.Of(refusal)))
		refuseHTTP(w, http.StatusUnauthorized, nullID, d.Refuse(r.Context(), "", refusal))
		return nil, false
	}
	return r.WithContext(auth.WithPrincipal(r.Context(), p)), true
}

// readBody reads the body of a request, or refuses it.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		refuseHTTP(w, http.StatusUnsupportedMediaType, nullID, invalid("Content-Type must be application/json"))
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuseHTTP(w, http.StatusRequestEntityTooLarge, nullID, invalid(fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit)))
	case err != nil:
		refuseHTTP(w, http.StatusBadRequest, nullID, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the body is cut short"})
	}
	return body, err == nil
}

// readMessage reads the one message of a body, or refuses it.
func readMessage(w http.ResponseWriter, body []byte) (Message, bool) {
	m, bad := parse(body)
	if bad != nil {
		refuseHTTP(w, http.StatusBadRequest, m.idText, bad)
	}
	return m, bad == nil
}

// take answers one message. A response is ignored, because this transport sends no requests.
func (d *statelessDoor) take(w http.ResponseWriter, r *http.Request, m Message) {
	if m.response {
		w.WriteHeader(http.StatusAccepted)
	} else if err := d.check(&m); err != nil {
		d.refuseMessage(w, r, m, err)
	} else {
		d.pass(w, r, m)
	}
}

// refuseMessage answers a message that is refused. An unknown notification is not an error.
func (d *door) refuseMessage(w http.ResponseWriter, r *http.Request, m Message, err error) {
	e := d.Refuse(r.Context(), m.Method, err)
	switch {
	case isNote(m) && !m.isCall() && e.Code == jsonrpc.CodeMethodNotFound:
		w.WriteHeader(http.StatusAccepted)
	case !m.isCall() || string(m.idText) == "null":
		refuseHTTP(w, http.StatusBadRequest, m.idText, e)
	default:
		refuseHTTP(w, statusOf(e, r), m.idText, e)
	}
}

func isNote(m Message) bool { return strings.HasPrefix(m.Method, "notifications/") }

// check checks a message as for stdio. A token in it is ignored and removed: the header is used instead.
func (d *door) check(m *Message) error {
	m.takeBearer()
	if !m.isCall() && !isNote(*m) {
		return invalid("id is missing")
	}
	return d.Check(*m)
}

// pass passes the message to the SDK. A subscription takes a slot meanwhile.
func (d *statelessDoor) pass(w http.ResponseWriter, r *http.Request, m Message) {
	if m.Method == "subscriptions/listen" {
		leave, err := d.slots.acquire(overListen, callerID(r))
		if err != nil {
			d.refuseFull(w, r, m.idText, err)
			return
		}
		defer leave()
	}
	text := m.encode()
	out := &reply{ResponseWriter: w, id: m.idText, patience: d.Options.WriteTimeout}
	defer out.finish()
	r = r.WithContext(withOutlet(withEnvelope(r.Context(), envelope{request: m.id, id: m.idText, over: r.Context}), out))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	if len(r.Header.Values("Accept")) == 0 { // any (RFC 9110, section 12.5.1), which the SDK refuses
		r.Header = r.Header.Clone()
		r.Header.Set("Accept", "*/*")
	}
	d.next.ServeHTTP(out, r)
	if why := whyCut(r.Context()); why != nil && m.isCall() {
		out.refuse(d.Refuse(context.WithoutCancel(r.Context()), m.Method, why)) // the SDK answers nothing then
	}
}
