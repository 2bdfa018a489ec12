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
	changed chan struct{} // told, without waiting, that one of the client's has ended

	mu          sync.Mutex
	clients     map[jsonrpc.ID]pendingRequest
	servers     map[jsonrpc.ID]struct{}
	clientEnded bool         // the client answers nothing any more
	failed      []jsonrpc.ID // of ours, those that it will not answer
}

// pendingRequest is a request of the client's.
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

// add counts a call as in flight, and marks the one that a cancellation names.
func (f *pendingRequests) add(m *Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !m.isCall() {
		return f.noteCancelled(m)
	}
	if _, taken := f.clients[m.id]; taken {
		id := m.idText
		m.idText = nullID // the id belongs to the request in flight
		return invalid(fmt.Sprintf("id %s is in flight already", id))
	}
	if len(f.clients) >= maxInFlight {
		return fault.New(fault.Exhausted, "too many requests in flight").
			With("limit", maxInFlight).With("used", len(f.clients)).With("retry_after", 1)
	}
	f.clients[m.id] = pendingRequest{method: m.Method}
	return nil
}

// noteCancelled marks the request that a cancellation names. It must name it as a
// request can be named: the SDK would cut 1.5 to 1, and cancel that.
func (f *pendingRequests) noteCancelled(m *Message) error {
	if m.Method != cancelledNote {
		return nil
	}
	var named Message
	text := m.member("requestId")
	if len(text) == 0 || !named.setID(text) {
		return invalid("requestId must be a request's id")
	}
	if its, ok := f.clients[named.id]; ok {
		its.cancelled = true
		f.clients[named.id] = its
	}
	return nil
}

// get returns a flight of the client's.
func (f *pendingRequests) get(id jsonrpc.ID) pendingRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clients[id]
}

// done ends a flight of the client's.
func (f *pendingRequests) done(id jsonrpc.ID) {
	f.mu.Lock()
	delete(f.clients, id)
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default: // whoever waits has not taken the last one yet, and will look
	}
}

// unanswered is the number of the client's requests that will have an answer:
// subscriptions have none to wait for.
func (f *pendingRequests) unanswered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, its := range f.clients {
		if its.method != "subscriptions/listen" {
			n++
		}
	}
	return n
}

// sent notes that the server sends a request of its own, or takes one back. It is
// false when the request is not to be sent, as there is nobody to answer it.
func (f *pendingRequests) sent(req *jsonrpc.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case req.IsCall() && f.clientEnded:
		f.fail(req.ID)
		return false
	case req.IsCall():
		f.servers[req.ID] = struct{}{}
	case req.Method == cancelledNote:
		var p struct {
			ID int64 `json:"requestId"` // the SDK counts its requests
		}
		if json.Unmarshal(req.Params, &p) != nil {
			return true
		}
		if id, err := jsonrpc.MakeID(float64(p.ID)); err == nil {
			delete(f.servers, id)
		}
	}
	return true
}

// endClient notes that the client answers nothing any more.
func (f *pendingRequests) endClient() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clientEnded = true
	for id := range f.servers {
		delete(f.servers, id)
		f.fail(id)
	}
}

// fail notes that a request of ours has no answer, and tells whoever waits.
func (f *pendingRequests) fail(id jsonrpc.ID) {
	f.failed = append(f.failed, id)
	select {
	case f.changed <- struct{}{}:
	default: // it has not taken the last one yet, and will look
	}
}

// takeFailed returns, each once, what the server's requests are answered with that
// the client has no answer for.
func (f *pendingRequests) takeFailed() []*jsonrpc.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*jsonrpc.Response
	for _, id := range f.failed {
		all = append(all, &jsonrpc.Response{ID: id, Error: invalid("the client has ended")})
	}
	f.failed = nil
	return all
}

// answered reports that the response answers a request of the server's that is
// open, which it then is no more. The SDK is shown no other.
func (f *pendingRequests) answered(m Message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, asked := f.servers[m.id]
	delete(f.servers, m.id)
	return asked
}
