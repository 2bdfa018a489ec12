package session

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/fault"
)

const (
	// maxInFlight is the maximum number of unanswered requests of one session.
	maxInFlight = 1024

	cancelledNote = "notifications/cancelled"
)

// pendingRequests are the unanswered requests of one session: from the client, and from the server to the client.
// They are safe for concurrent use.
type pendingRequests struct {
	changed chan struct{} // signalled after a request was answered or became unanswerable

	mu          sync.Mutex
	clients     map[jsonrpc.ID]pendingRequest
	servers     map[jsonrpc.ID]struct{}
	clientEnded bool         // the client sends no more answers
	failed      []jsonrpc.ID // requests of the server that the client will not answer
}

// pendingRequest is an unanswered request of the client.
type pendingRequest struct {
	method    string
	cancelled bool
}

func newPending() *pendingRequests {
	return &pendingRequests{
		changed: make(chan struct{}, 1),
		clients: map[jsonrpc.ID]pendingRequest{},
		servers: map[jsonrpc.ID]struct{}{},
	}
}

// add records a request of the client; for a cancellation it marks the cancelled request.
func (p *pendingRequests) add(m *Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !m.isCall() {
		return p.noteCancelled(m)
	}
	if _, taken := p.clients[m.id]; taken {
		id := m.idText
		m.idText = nullID // the id of an unanswered request is in use
		return invalid(fmt.Sprintf("id %s is in flight already", id))
	}
	if len(p.clients) >= maxInFlight {
		return fault.New(fault.Exhausted, "%d requests of this session are in flight, and no more are taken; wait for answers first", maxInFlight).
			With("limit", maxInFlight).With("used", len(p.clients)).With("retry_after", 1)
	}
	p.clients[m.id] = pendingRequest{method: m.Method}
	return nil
}

// noteCancelled marks the request that a cancellation names. It refuses an invalid id, because the SDK would cut 1.5
// to 1 and cancel that request.
func (p *pendingRequests) noteCancelled(m *Message) error {
	if m.Method != cancelledNote {
		return nil
	}
	var named Message
	text := m.member("requestId")
	if len(text) == 0 || !named.setID(text) {
		return invalid("requestId must be a request's id")
	}
	its, open := p.clients[named.id]
	if m.moot = !open; open {
		its.cancelled = true
		p.clients[named.id] = its
	}
	return nil
}

// get returns an unanswered request of the client, or the zero value.
func (p *pendingRequests) get(id jsonrpc.ID) pendingRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients[id]
}

// done removes a request of the client that was answered or never will be.
func (p *pendingRequests) done(id jsonrpc.ID) {
	p.mu.Lock()
	delete(p.clients, id)
	p.mu.Unlock()
	wake(p.changed)
}

// unanswered is the number of the client's requests that will be answered; subscriptions do not count.
func (p *pendingRequests) unanswered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, its := range p.clients {
		if its.method != "subscriptions/listen" {
			n++
		}
	}
	return n
}

// sent records a request of the server or, for a cancellation, removes one. It returns false if the request must not
// be sent because the client sends no more answers.
func (p *pendingRequests) sent(req *jsonrpc.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case req.IsCall() && p.clientEnded:
		p.fail(req.ID)
		return false
	case req.IsCall():
		p.servers[req.ID] = struct{}{}
	case req.Method == cancelledNote:
		var note struct {
			ID int64 `json:"requestId"` // the SDK numbers its requests
		}
		if json.Unmarshal(req.Params, &note) != nil {
			return true
		}
		if id, err := jsonrpc.MakeID(float64(note.ID)); err == nil {
			delete(p.servers, id)
		}
	}
	return true
}

// endClient fails the requests of the server, because the client sends no more answers.
func (p *pendingRequests) endClient() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clientEnded = true
	for id := range p.servers {
		delete(p.servers, id)
		p.fail(id)
	}
}

// fail adds a request of the server to those of takeFailed.
func (p *pendingRequests) fail(id jsonrpc.ID) {
	p.failed = append(p.failed, id)
	wake(p.changed)
}

// takeFailed returns, once each, error responses in place of answers that the client will not send.
func (p *pendingRequests) takeFailed() []*jsonrpc.Response {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*jsonrpc.Response
	for _, id := range p.failed {
		all = append(all, &jsonrpc.Response{ID: id, Error: invalid("the client has ended")})
	}
	p.failed = nil
	return all
}

// answered removes the request of the server that a response answers; it returns false if there is none, and the
// response is dropped.
func (p *pendingRequests) answered(m Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, asked := p.servers[m.id]
	delete(p.servers, m.id)
	return asked
}
