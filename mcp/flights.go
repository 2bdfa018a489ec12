package mcp

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

// flights are the requests of one session that have no answer yet: the client's,
// and the server's to it. They are safe for concurrent use.
type flights struct {
	landed chan struct{} // told, without waiting, that one of the client's has ended

	mu     sync.Mutex
	theirs map[jsonrpc.ID]flight
	ours   map[jsonrpc.ID]struct{}
	deaf   bool         // the client answers nothing any more
	lost   []jsonrpc.ID // of ours, those that it will not answer
}

// flight is a request of the client's.
type flight struct {
	method    string
	cancelled bool
}

func newFlights() *flights {
	return &flights{
		landed: make(chan struct{}, 1),
		theirs: map[jsonrpc.ID]flight{},
		ours:   map[jsonrpc.ID]struct{}{},
	}
}

// admit counts a call as in flight, and marks the one that a cancellation names.
func (f *flights) admit(m *message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !m.isCall() {
		return f.noteCancelled(m)
	}
	if _, taken := f.theirs[m.id]; taken {
		id := m.idText
		m.idText = nullID // the id belongs to the request in flight
		return invalid(fmt.Sprintf("id %s is in flight already", id))
	}
	if len(f.theirs) >= maxInFlight {
		return fault.New(fault.Exhausted, "too many requests in flight").
			With("limit", maxInFlight).With("used", len(f.theirs)).With("retry_after", 1)
	}
	f.theirs[m.id] = flight{method: m.method}
	return nil
}

// noteCancelled marks the request that a cancellation names. It must name it as a
// request can be named: the SDK would cut 1.5 to 1, and cancel that.
func (f *flights) noteCancelled(m *message) error {
	if m.method != cancelledNote {
		return nil
	}
	var named message
	text := m.member("requestId")
	if len(text) == 0 || !named.setID(text) {
		return invalid("requestId must be a request's id")
	}
	if its, ok := f.theirs[named.id]; ok {
		its.cancelled = true
		f.theirs[named.id] = its
	}
	return nil
}

// look returns a flight of the client's.
func (f *flights) look(id jsonrpc.ID) flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.theirs[id]
}

// land ends a flight of the client's.
func (f *flights) land(id jsonrpc.ID) {
	f.mu.Lock()
	delete(f.theirs, id)
	f.mu.Unlock()
	select {
	case f.landed <- struct{}{}:
	default: // whoever waits has not taken the last one yet, and will look
	}
}

// inFlight is the number of the client's requests that will have an answer:
// subscriptions have none to wait for.
func (f *flights) inFlight() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, its := range f.theirs {
		if its.method != "subscriptions/listen" {
			n++
		}
	}
	return n
}

// ask notes that the server sends a request of its own, or takes one back. It is
// false when the request is not to be sent, as there is nobody to answer it.
func (f *flights) ask(req *jsonrpc.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case req.IsCall() && f.deaf:
		f.lose(req.ID)
		return false
	case req.IsCall():
		f.ours[req.ID] = struct{}{}
	case req.Method == cancelledNote:
		var p struct {
			ID int64 `json:"requestId"` // the SDK counts its requests
		}
		if json.Unmarshal(req.Params, &p) != nil {
			return true
		}
		if id, err := jsonrpc.MakeID(float64(p.ID)); err == nil {
			delete(f.ours, id)
		}
	}
	return true
}

// hangUp notes that the client answers nothing any more.
func (f *flights) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = true
	for id := range f.ours {
		delete(f.ours, id)
		f.lose(id)
	}
}

// lose notes that a request of ours has no answer, and tells whoever waits.
func (f *flights) lose(id jsonrpc.ID) {
	f.lost = append(f.lost, id)
	select {
	case f.landed <- struct{}{}:
	default: // it has not taken the last one yet, and will look
	}
}

// unanswered returns, each once, what the server's requests are answered with that
// the client has no answer for.
func (f *flights) unanswered() []*jsonrpc.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*jsonrpc.Response
	for _, id := range f.lost {
		all = append(all, &jsonrpc.Response{ID: id, Error: invalid("the client has ended")})
	}
	f.lost = nil
	return all
}

// answers reports that the response answers a request of the server's that is
// open, which it then is no more. The SDK is shown no other.
func (f *flights) answers(m message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, asked := f.ours[m.id]
	delete(f.ours, m.id)
	return asked
}
