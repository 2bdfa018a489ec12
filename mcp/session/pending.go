package session

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/fault"
)

const (
	// maxInFlight is the most requests that one session may have unanswered.
	maxInFlight = 1024

	cancelledNote = "notifications/cancelled"
)

// pendingRequests are the requests of one session that have no answer yet: the client's,
// and the server's to it. They are safe for concurrent use.
type pendingRequests struct {
	changed chan struct{} // has a value after a request was answered, or cannot be any more

	mu          sync.Mutex
	clients     map[jsonrpc.ID]pendingRequest
	servers     map[jsonrpc.ID]struct{}
	clientEnded bool         // the client sends no answers any more
	failed      []jsonrpc.ID // requests of the server's that the client will not answer
}

// pendingRequest is a request of the client's that has no answer yet.
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

// add keeps a request of the client's, and marks the one that a cancellation names.
func (p *pendingRequests) add(m *Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !m.isCall() {
		return p.noteCancelled(m)
	}
	if _, taken := p.clients[m.id]; taken {
		id := m.idText
		m.idText = nullID // the id belongs to the request in flight
		return invalid(fmt.Sprintf("id %s is in flight already", id))
	}
	if len(p.clients) >= maxInFlight {
		return fault.New(fault.Exhausted, "too many requests in flight").
			With("limit", maxInFlight).With("used", len(p.clients)).With("retry_after", 1)
	}
	p.clients[m.id] = pendingRequest{method: m.Method}
	return nil
}

// noteCancelled marks the request that a cancellation names, and refuses an id that no
// request can have: the SDK would cut 1.5 to 1, and cancel that.
func (p *pendingRequests) noteCancelled(m *Message) error {
	if m.Method != cancelledNote {
		return nil
	}
	var named Message
	text := m.member("requestId")
	if len(text) == 0 || !named.setID(text) {
		return invalid("requestId must be a request's id")
	}
	if its, ok := p.clients[named.id]; ok {
		its.cancelled = true
		p.clients[named.id] = its
	}
	return nil
}

// get returns a request of the client's, the zero value when it has its answer.
func (p *pendingRequests) get(id jsonrpc.ID) pendingRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients[id]
}

// done removes a request of the client's: it has its answer, or will have none.
func (p *pendingRequests) done(id jsonrpc.ID) {
	p.mu.Lock()
	delete(p.clients, id)
	p.mu.Unlock()
	wake(p.changed)
}

// unanswered is the number of the client's requests that will have an answer:
// subscriptions have none to wait for.
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

// sent keeps a request of the server's, or removes one that a cancellation names. It is
// false when the request is not to be sent, because the client sends no answers any more.
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
			ID int64 `json:"requestId"` // the SDK counts its requests
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

// endClient fails the requests of the server's: the client sends no answers any more.
func (p *pendingRequests) endClient() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clientEnded = true
	for id := range p.servers {
		delete(p.servers, id)
		p.fail(id)
	}
}

// fail keeps a request of the server's for takeFailed.
func (p *pendingRequests) fail(id jsonrpc.ID) {
	p.failed = append(p.failed, id)
	wake(p.changed)
}

// takeFailed returns, once each, the errors that stand for answers which the client will
// not send.
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

// answered removes the request of the server's that a response answers; false when there
// is none. The SDK is given no other response.
func (p *pendingRequests) answered(m Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, asked := p.servers[m.id]
	delete(p.servers, m.id)
	return asked
}
