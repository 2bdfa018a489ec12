package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"trails/fault"
	"trails/text/jsontext"
	"trails/text/quote"
)

// held is what the proxy holds of the server's session, and what it needs to replace it. The zero held is none: the
// protocol of 2026-07-28 has no sessions, and other servers need not. Its fields are guarded by [proxy.mu], but for
// those that are set before it is current.
type held struct {
	id, version string             // as the server has answered to initialize
	token       string             // that it began with
	hello       message            // initialize
	lists       []string           // notifications about lists that the server may send
	end         context.CancelFunc // ends its stream; nil before it has one

	welcome    *message           // notifications/initialized
	level      *message           // the last logging/setLevel
	subscribed map[string]message // resources/subscribe, by URI
	lost       bool               // the server has not taken the handshake to its end
}

func (p *proxy) session() *held {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// sessionLost means that the server does not know the session, and has not done what was requested.
type sessionLost struct{ fault *fault.Error }

func (s *sessionLost) Error() string { return s.fault.Error() }
func (s *sessionLost) Unwrap() error { return s.fault }

func isLost(err error) bool {
	_, is := errors.AsType[*sessionLost](err)
	return is
}

// ask passes a message to the server and what comes back to the host, in a new session if the server has lost this one
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).
func (p *proxy) ask(ctx context.Context, m message) error {
	p.mu.Lock()
	s, lost := p.current, p.current.lost
	p.mu.Unlock()
	if !lost {
		_, err := p.exchange(ctx, m, s, p.deliver)
		if !isLost(err) || m.isAnswer() { // nobody in a new session waits for an answer
			return err
		}
	}
	s, err := p.renew(ctx, s)
	if err == nil {
		_, err = p.exchange(ctx, m, s, p.deliver)
	}
	return err
}

// initialize passes on the first message of a session.
func (p *proxy) initialize(ctx context.Context, m message) error {
	p.drop(p.session())
	s := &held{hello: m, subscribed: map[string]message{}}
	s.token, _ = p.token() // the request has its error
	header, err := p.exchange(ctx, m, &held{}, func(got message) {
		s.accepted(got)
		p.deliver(got)
	})
	if err == nil && s.version != "" {
		s.id = header.Get(sessionHeader)
		p.mu.Lock()
		p.current = s
		p.mu.Unlock()
	}
	return err
}

// drop forgets a session that the host replaces.
func (p *proxy) drop(s *held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = &held{}
	if s.end != nil {
		s.end()
	}
}

// accepted reads what the server has answered to initialize.
func (s *held) accepted(m message) {
	var result struct {
		Version      string `json:"protocolVersion"`
		Capabilities map[string]struct {
			ListChanged bool `json:"listChanged"`
		} `json:"capabilities"`
	}
	if !m.isAnswer() || json.Unmarshal(m.heads[0].Result, &result) != nil && result.Version == "" {
		return
	}
	s.version, s.lists = result.Version, nil
	for _, kind := range []string{"tools", "resources", "prompts"} {
		if result.Capabilities[kind].ListChanged {
			s.lists = append(s.lists, "notifications/"+kind+"/list_changed")
		}
	}
}

// welcome keeps the end of a handshake, and opens the stream of the session if the server has taken it.
func (p *proxy) welcome(m message, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.current
	if s.version == "" || s.welcome != nil {
		return
	}
	s.welcome, s.lost = &m, err != nil
	if err == nil {
		p.follow(s)
	}
}

// remember keeps what a new session has to be told again. It belongs to the session in which the server answered.
func (p *proxy) remember(m message, answer head) {
	if len(m.heads) != 1 || answer.Error != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.current
	if s.version == "" {
		return
	}
	switch uri := m.heads[0].params().URI; m.heads[0].Method {
	case "logging/setLevel":
		s.level = &m
	case "resources/unsubscribe":
		delete(s.subscribed, uri)
	case "resources/subscribe":
		if len(s.subscribed) < maxKept {
			s.subscribed[uri] = m
		} else if _, kept := s.subscribed[uri]; !kept {
			p.Log.Warn("a subscription would end with the session, since as many as are kept are kept already", "uri", uri, "limit", maxKept)
		}
	}
}

// renew replaces a session that the server has lost: it repeats the host's handshake, log level and subscriptions. The
// host is told of what it may have missed.
func (p *proxy) renew(ctx context.Context, old *held) (*held, error) {
	p.renewing.Lock()
	defer p.renewing.Unlock()
	if s := p.session(); s != old {
		return s, nil // somebody else was first
	}
	ctx, cancel := context.WithTimeoutCause(ctx, handshakeTime, p.unusable("has lost its session, and does not begin a new one within %s", handshakeTime))
	defer cancel()
	s := &held{hello: old.hello, subscribed: map[string]message{}}
	s.token, _ = p.token() // the request has its error
	var refused error
	header, err := p.exchange(ctx, s.hello, &held{}, func(got message) {
		if !got.isAnswer() {
			p.deliver(got)
			return
		}
		s.accepted(got)
		if e := got.heads[0].Error; e != nil {
			refused = p.unusable("has lost its session and does not begin a new one: %s", quote.Line(p.clean(e.Message), maxQuoted))
		}
	})
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return nil, refused
	case s.version != old.version:
		return nil, p.unusable("has lost its session, and now speaks version %s of the protocol in the place of %s; restart the host's connection", quote.Line(s.version, 40), old.version)
	}
	s.id = header.Get(sessionHeader)
	p.mu.Lock()
	again, missed := []message{}, slices.Clone(s.lists)
	s.welcome = old.welcome
	if old.level != nil {
		again = append(again, *old.level)
	}
	for _, m := range old.subscribed {
		again = append(again, m)
	}
	p.mu.Unlock()
	if s.welcome != nil {
		if _, err := p.exchange(ctx, *s.welcome, s, p.deliver); err != nil {
			return nil, err
		}
	}
	var news [][]byte
	for _, method := range missed {
		news = append(news, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method))
	}
	for _, m := range again {
		if err := p.repeat(ctx, m, s); err != nil {
			p.Log.Warn("the new session does not have what the lost one had", "method", m.heads[0].Method, "uri", m.heads[0].params().URI, "error", fault.Whole(err))
			continue
		}
		if uri := m.heads[0].params().URI; uri != "" {
			s.subscribed[uri] = m
			news = append(news, updated(uri))
		} else {
			s.level = &m
		}
	}
	p.mu.Lock()
	p.current = s
	if old.end != nil {
		old.end()
	}
	if s.welcome != nil {
		p.follow(s)
	}
	p.mu.Unlock()
	p.Log.Info("the server had lost the session, and has a new one", "server", p.origin, "subscriptions", len(s.subscribed))
	for _, text := range news {
		p.write(text)
	}
	return s, nil
}

// repeat makes a request of the host again, whose answer the host does not see.
func (p *proxy) repeat(ctx context.Context, m message, s *held) error {
	var refused error
	_, err := p.exchange(ctx, m, s, func(got message) {
		if !got.isAnswer() {
			p.deliver(got)
		} else if e := got.heads[0].Error; e != nil {
			refused = e
		}
	})
	if err == nil {
		err = refused
	}
	return err
}

// updated is the notification that a resource has changed.
func updated(uri string) []byte {
	text := jsontext.AppendText([]byte(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":`), uri)
	return append(text, "}}"...)
}

// follow opens the stream of what the server sends without a request. p.mu is held.
func (p *proxy) follow(s *held) {
	ctx, cancel := context.WithCancel(p.living)
	s.end = cancel
	p.listening.Go(func() { p.listen(ctx, s) })
}

// listen reads that stream until the session ends, again and again. A server may have none.
func (p *proxy) listen(ctx context.Context, s *held) {
	at, told := place{}, ""
	for tries := 0; ; tries++ {
		before := at.id
		res, err := p.send(ctx, http.MethodGet, message{}, s, at.id)
		if err == nil {
			res, err = p.stream(res, s)
		}
		if err == nil && res == nil {
			return
		}
		if err == nil {
			began := time.Now()
			told = ""
			err = readEvents(res.Body, &at, func(data []byte) bool {
				if got, ok := p.event(data); ok {
					p.deliver(got)
				}
				return false
			})
			_ = res.Body.Close() // its end is told already
			if at.id != before || time.Since(began) > longStream {
				tries = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		if isLost(err) {
			if _, err = p.renew(p.living, s); err == nil {
				return // the new session has a stream of its own
			}
		}
		if text := fault.Whole(err); text != told {
			told = text
			level := slog.LevelDebug
			if at.id == "" {
				level = slog.LevelWarn // what is sent before it is opened again is lost
			}
			p.Log.Log(ctx, level, "the stream of what the server sends by itself was ended, and is opened again", "server", p.origin, "error", text, "resumed_after", at.id)
		}
		if !pause(ctx, at.retry, tries) {
			return
		}
	}
}

// longStream is how long a stream lasts that a server does not end at once.
const longStream = 10 * time.Second

// stream returns the answer to GET if it is a stream, and nil if the server has none.
func (p *proxy) stream(res *http.Response, s *held) (*http.Response, error) {
	isStream := mediaOf(res) == eventStream
	switch {
	case res.StatusCode == http.StatusOK && isStream:
		return res, nil
	case res.StatusCode/100 == 2, res.StatusCode == http.StatusMethodNotAllowed:
		_ = res.Body.Close() // what else it says does not matter
		p.Log.Debug("the server sends nothing by itself", "status", res.StatusCode)
		return nil, nil //nolint:nilnil // there is none, and that is no error
	}
	err := p.refusal(res, s)
	if !isLost(err) && res.StatusCode/100 == 4 && res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusTooManyRequests {
		p.Log.Warn("the server does not send what it has to say by itself", "server", p.origin, "error", fault.Whole(err))
		return nil, nil //nolint:nilnil // servers without one answer in various ways
	}
	return nil, err
}

// deleteSession tells the server that the session has ended.
func (p *proxy) deleteSession() {
	s := p.session()
	if s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.living), deleteTime)
	defer cancel()
	res, err := p.send(ctx, http.MethodDelete, message{}, s, "")
	if err != nil {
		p.Log.Debug("the session was not deleted", "error", fault.Whole(err))
		return
	}
	_ = res.Body.Close() // a server may refuse, and forgets the session in time
}
