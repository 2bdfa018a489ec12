package proxy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"trails/fault"
	"trails/kg/remote"
	"trails/loopback"
	"trails/mcp"
	"trails/text/quote"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "MCP-Protocol-Version"
	eventStream   = "text/event-stream"
	mediaPage     = "text/html"
	// sessionless is the first version whose requests stand alone and repeat method and name in headers.
	sessionless = "2026-07-28"

	maxRedirects = 5
	maxRefusal   = 64 << 10 // bytes that are read of a refusal
	maxQuoted    = 300      // characters of the server's words in a sentence of ours
	maxResumes   = 5        // tries to resume a stream that bring no event
)

// ParseURL reads the address of a server: http or https, with the path /mcp if it has none. A name or a password in it
// is refused, because addresses are shown.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fault.New(fault.InvalidArguments, "%s is no address of a server: write it as https://kg.example.org/mcp, or http://127.0.0.1:8757", quote.Text(hideUser(text), maxQuoted))
	case u.User != nil:
		return nil, fault.New(fault.InvalidArguments, "the address of %s has a name or password, which everybody sees who lists processes: give a token in the environment or in the file of credentials", u.Host)
	case !portIsOne(u):
		return nil, fault.New(fault.InvalidArguments, "the address of %s has the port %s: a port is a number from 1 to 65535", quote.Text(u.Hostname(), maxQuoted), quote.Text(u.Port(), 40))
	case u.Fragment != "":
		return nil, fault.New(fault.InvalidArguments, "the address of %s has a fragment (#%s), which is not sent: leave it out", u.Host, quote.Line(u.Fragment, maxQuoted))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u, nil
}

// portIsOne reports whether an address has a port that servers can have, or none.
func portIsOne(u *url.URL) bool {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0 || u.Port() == ""
}

// hideUser leaves out what stands before an @.
func hideUser(text string) string { return text[strings.LastIndexByte(text, '@')+1:] }

// originOf is the scheme, the host and the port of an address.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		return u.Scheme + "://" + net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + host
}

// client follows redirects within the origin that keep the method.
func (p *proxy) client() *http.Client {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		base = &http.Transport{}
	}
	base = base.Clone()
	base.MaxIdleConnsPerHost = 16
	return &http.Client{Transport: base, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		const moved = "the server at %s %s. If the server has moved, start the proxy with the new URL of its MCP endpoint"
		switch {
		case originOf(r.URL) != p.origin:
			return fault.New(fault.Denied, moved, p.origin, remote.SendsOn(r))
		case r.Method != via[0].Method:
			return fault.New(fault.Unusable, moved, p.origin, remote.SendsOn(r))
		case len(via) > maxRedirects:
			return fault.New(fault.Unusable, "the server at %s redirects a request more than %d times", p.origin, maxRedirects)
		}
		return nil
	}}
}

// token is the bearer token to send, "" for none.
func (p *proxy) token() (string, error) {
	if p.Token == nil {
		return "", nil
	}
	token, err := p.Token()
	if err == nil && token != "" && p.URL.Scheme != "https" && !loopback.Is(p.URL.Hostname()) {
		return "", fault.New(fault.Denied, "%s is reached without TLS, where everybody on the way could read the token: use https, or a tunnel to an address of this machine", p.origin)
	}
	return token, err
}

// clean hides the token in what a server says.
func (p *proxy) clean(text string) string {
	if token, err := p.token(); err == nil && token != "" {
		return strings.ReplaceAll(text, token, "[token]")
	}
	return text
}

// send makes one HTTP request. The body of the response must be closed.
func (p *proxy) send(ctx context.Context, method string, m message, s *held, after string) (*http.Response, error) {
	var body io.Reader = http.NoBody
	if m.text != nil {
		body = bytes.NewReader(m.text)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.URL.String(), body)
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", p.origin, err)
	}
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("User-Agent", "trails")
	r.Header.Set("Accept", eventStream)
	if m.text != nil {
		r.Header.Set("Accept", "application/json, "+eventStream)
		r.Header.Set("Content-Type", "application/json")
	}
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	p.setVersion(r.Header, m, s)
	res, err := p.http.Do(r)
	if err != nil {
		return nil, p.unreached(ctx, err)
	}
	return res, nil
}

// setVersion sets what the transport says of a message in headers: its session and version, and in the protocol
// without sessions its method and name. A name that no header can have is left out, and the server says so.
func (p *proxy) setVersion(h http.Header, m message, s *held) {
	var first head
	if len(m.heads) > 0 {
		first = m.heads[0]
	}
	its := first.params()
	p.mu.Lock()
	if its.Meta.Version != "" {
		p.version = its.Meta.Version
	}
	version := cmp.Or(its.Meta.Version, s.version)
	if version == "" && first.Method != "initialize" {
		version = p.version
	}
	p.mu.Unlock()
	if version != "" {
		h.Set(versionHeader, quote.Line(version, 100))
	}
	if s.id != "" {
		h.Set(sessionHeader, s.id)
	}
	if version < sessionless || first.Method == "" {
		return
	}
	name := its.Name
	if first.Method == "resources/read" {
		name = its.URI
	}
	for field, value := range map[string]string{"Mcp-Method": first.Method, "Mcp-Name": name} {
		if value != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			h.Set(field, value)
		}
	}
}

// watch returns a context that ends when alive was not called for the time that a server may be silent. A subscription,
// which is answered at its end, may be silent after the first call.
func (p *proxy) watch(ctx context.Context, subscription bool) (watched context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(p.Silence, func() {
		cancel(fault.New(fault.TimedOut, "the server at %s was silent for %s, and may have done what was requested; --timeout gives it longer", p.origin, p.Silence))
	})
	alive = func() { timer.Reset(p.Silence) }
	if subscription {
		alive = func() { timer.Stop() }
	}
	return ctx, alive, func() { timer.Stop(); cancel(nil) }
}

// exchange sends a message, and hands what comes back to take until its requests are answered, as they are if there is
// no error. The header is that of the response.
func (p *proxy) exchange(ctx context.Context, m message, s *held, take func(message)) (http.Header, error) {
	ctx, alive, stop := p.watch(ctx, m.is("subscriptions/listen"))
	defer stop()
	res, err := p.send(ctx, http.MethodPost, m, s, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // what it says is told already
	open := m.calls()
	taken := func(got message) (all bool) {
		take(got)
		for _, h := range got.heads {
			if h.isAnswer() {
				delete(open, key(h.ID))
			}
		}
		return len(open) == 0
	}
	switch {
	case res.StatusCode/100 != 2:
		return nil, p.refused(res, m, s, taken)
	case len(open) == 0:
		return res.Header, nil
	case mediaOf(res) == eventStream:
		return res.Header, p.readAnswer(ctx, res, s, alive, taken)
	}
	text, err := readBody(reading{res.Body, alive})
	if err != nil {
		return nil, p.broken(ctx, err)
	}
	got, bad := parse(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff"))))
	if bad != nil || !got.isAnswer() {
		hint := "is this the address of its MCP endpoint?"
		if mediaOf(res) == mediaPage {
			hint += " If it is, " + remote.SignIn
		}
		return nil, p.unusable("answered %d in the type %s with something that is no answer of MCP: %s; %s", res.StatusCode, quote.Text(mediaOf(res), 100), quote.Text(p.clean(string(text[:min(len(text), maxRefusal)])), maxQuoted), hint)
	}
	if len(m.heads) == 1 && key(got.firstID()) != key(m.firstID()) {
		if e := got.heads[0].Error; e != nil {
			return nil, &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data} // it could not read the id
		}
		return nil, p.unusable("answered another request than this one")
	}
	if !taken(got) {
		return nil, p.unusable("answered some of the requests that were sent at once, and not this one")
	}
	return res.Header, nil
}

// readAnswer reads the stream that answers a request. One that breaks off is resumed where it has ids.
func (p *proxy) readAnswer(ctx context.Context, res *http.Response, s *held, alive func(), take func(message) bool) error {
	at := place{}
	for tries := 0; ; tries++ {
		before := at.id
		err := readEvents(reading{res.Body, alive}, &at, func(data []byte) bool {
			got, ok := p.event(data)
			return ok && take(got)
		})
		if err == nil {
			drainBody(res.Body)
		}
		_ = res.Body.Close() // its end is told already
		if err == nil || ctx.Err() != nil || errors.Is(err, errTooLarge) {
			return cmp.Or(context.Cause(ctx), err)
		}
		if at.id != before {
			tries = 0
		}
		for res = nil; res == nil; tries++ {
			if at.id == "" || tries >= maxResumes || !pause(ctx, at.retry, tries) {
				return p.broken(ctx, err)
			}
			var again error
			if res, again = p.send(ctx, http.MethodGet, message{}, s, at.id); again != nil {
				continue // it may come back
			}
			if res.StatusCode != http.StatusOK || mediaOf(res) != eventStream {
				p.Log.Warn("the server does not resume a stream", "server", p.origin, "error", fault.Whole(p.refusal(res, s)))
				return p.broken(ctx, err)
			}
			p.Log.Debug("a stream was resumed", "after", at.id)
		}
	}
}

// drainBody reads the end of a stream that has the answer already, so that its connection can be used again. A server
// may leave it open.
func drainBody(body io.ReadCloser) {
	late := time.AfterFunc(100*time.Millisecond, func() { _ = body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, 4<<10) // the answer counts
}

// event reads a message of a stream. What is none is logged.
func (p *proxy) event(data []byte) (message, bool) {
	got, bad := parse(data)
	if bad != nil {
		p.Log.Warn("the server sent an event that is no message", "server", p.origin, "data", quote.Line(p.clean(string(data[:min(len(data), maxRefusal)])), maxQuoted))
	}
	return got, bad == nil
}

// pause waits before another try, the longer the more there were; false means that ctx has ended.
func pause(ctx context.Context, wanted time.Duration, tries int) bool {
	wait := cmp.Or(wanted, time.Second)
	for range min(tries, 20) {
		wait = min(wait*3/2, max(wanted, 30*time.Second))
	}
	wait += rand.N(wait/4 + 1) // many proxies may wait for one server
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// reading reads a body whose server is alive.
type reading struct {
	io.Reader
	alive func()
}

func (r reading) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.alive()
	}
	return n, err
}

func readBody(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxMessage+1))
	if err == nil && len(text) > maxMessage {
		err = errTooLarge
	}
	return text, err
}

func mediaOf(res *http.Response) string {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // "" for what is none
	return media
}

// refused hands over the answer of a response with an error status if it is the request's own, and returns the
// refusal otherwise.
func (p *proxy) refused(res *http.Response, m message, s *held, taken func(message) bool) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // its status counts, whatever else comes
	res.Body = io.NopCloser(bytes.NewReader(body))
	err := p.refusal(res, s)
	got, bad := parse(bytes.TrimSpace(body))
	its := bad == nil && got.isAnswer() && m.calls()[key(got.firstID())]
	switch {
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden, !its:
	case isLost(err) && (got.heads[0].Error == nil || got.heads[0].Error.Code != jsonrpc.CodeMethodNotFound): // some answer 404 to that, too
	case taken(got):
		return nil
	}
	return err
}

// refusal is what a response with an error status means. It closes the body.
func (p *proxy) refusal(res *http.Response, s *held) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // its status counts, whatever else comes
	_ = res.Body.Close()
	var said struct {
		Error  struct{ Message string } // JSON-RPC
		Detail string                   // RFC 9457
	}
	_ = json.Unmarshal(body, &said) // others say nothing for callers
	detail := cmp.Or(said.Error.Message, said.Detail, challenged(res.Header))
	if detail != "" {
		detail = ": " + quote.Text(p.clean(detail), maxQuoted)
	}
	status := fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode))
	// For an unknown session servers answer 404 by the standard, and 400 with widely used libraries.
	if s.id != "" && (res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session"))) {
		return &sessionLost{p.unusable("has lost its session (%s%s); the next request begins another", status, detail)}
	}
	switch token, _ := p.token(); {
	case res.StatusCode == http.StatusForbidden && s.id != "" && token != s.token:
		return &sessionLost{fault.New(fault.Denied, "the server at %s refuses the token that is sent now in the session that began with another (%s%s); the next request begins another session", p.origin, status, detail)}
	case res.StatusCode == http.StatusUnauthorized && token == "":
		return fault.New(fault.Unauthenticated, "the server at %s wants a token (%s%s), and none was sent: %s; the file counts at once, the variable when the proxy is started", p.origin, status, detail, p.HowGiven)
	case res.StatusCode == http.StatusUnauthorized:
		return fault.New(fault.Unauthenticated, "the server at %s does not accept the token that was sent (%s%s): %s; the file counts at once, the variable when the proxy is started", p.origin, status, detail, p.HowGiven)
	case res.StatusCode == http.StatusForbidden:
		return fault.New(fault.Denied, "the server at %s refuses this caller (%s%s): for another token, %s", p.origin, status, detail, p.HowGiven)
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusMethodNotAllowed:
		return p.unusable("answered %s%s: nothing speaks MCP at %s; start the proxy with the URL of its MCP endpoint", status, detail, p.URL.Path)
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable:
		f := fault.New(fault.Busy, "the server at %s is busy (%s%s); try again later", p.origin, status, detail)
		if seconds := retryAfter(res.Header); seconds > 0 {
			f = f.With("retry_after", seconds)
		}
		return f
	}
	return p.unusable("answered %s%s", status, detail)
}

// challenged is what a server says of a token in the header of its refusal
// (https://www.rfc-editor.org/rfc/rfc6750#section-3), "" if it says nothing.
func challenged(h http.Header) string {
	all, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return ""
	}
	for _, c := range all {
		said := cmp.Or(c.Params["error_description"], c.Params["error"])
		if scope := c.Params["scope"]; scope != "" && said != "" {
			said += "; scope " + scope
		}
		if said != "" {
			return said
		}
	}
	return ""
}

// retryAfter is how many seconds the header Retry-After, a number of them or a date, asks to wait; 0 for none.
func retryAfter(h http.Header) int {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return seconds
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return int(time.Until(at) / time.Second)
}

func (p *proxy) unusable(format string, args ...any) *fault.Error {
	return fault.New(fault.Unusable, "the server at %s %s", p.origin, fmt.Sprintf(format, args...))
}

// unreached is why a request had no response.
func (p *proxy) unreached(ctx context.Context, err error) error {
	if f, is := errors.AsType[*fault.Error](err); is {
		return f
	}
	op, dialed := errors.AsType[*net.OpError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if (dialed && op.Op == "dial" || untrusted || errors.Is(err, http.ErrSchemeMismatch)) && ctx.Err() == nil {
		why := remote.WhyUnreached(err)
		return p.unusable("is not reached, and nothing was sent: %s; requests work once it is back, and at another address the proxy is started with that URL", why).Because(err)
	}
	return p.broken(ctx, err)
}

// broken is why a response ended before its time.
func (p *proxy) broken(ctx context.Context, err error) error {
	if f, is := errors.AsType[*fault.Error](cmp.Or(context.Cause(ctx), err)); is {
		return f
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	why := remote.WhyUnreached(err)
	return p.unusable("ended the connection before the answer (%s), and may have done what was requested: look before you repeat it", why).Because(err)
}

// wireError is a fault as JSON-RPC has it, with the codes of the server.
func wireError(err error) *jsonrpc.Error {
	f := fault.Of(err)
	code, result := mcp.Code(f.Kind)
	if result || f.Kind == fault.Internal {
		code = jsonrpc.CodeInternalError // only tools have results
	}
	data := map[string]any{"kind": f.Kind.String()}
	for name, value := range f.Details {
		data[name] = value
	}
	text, _ := json.Marshal(data) // of strings and numbers
	return &jsonrpc.Error{Code: code, Message: f.Message, Data: text}
}
