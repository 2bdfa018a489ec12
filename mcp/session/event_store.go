package session

import (
	linked "container/list"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// eventOverhead is what an event costs besides its bytes.
const eventOverhead = 256

// eventStore stores the events of the streams of all sessions: those that a connected reader has not read yet, those
// for a disconnected client, and some that were sent, for a client that resumes. All but the first kind and the
// latest event are bounded, for each session and in total. A client that resumes after a dropped event gets an error.
// It is safe for concurrent use.
type eventStore struct {
	max, maxPerSession int

	mu     sync.Mutex
	size   int
	events linked.List // of *event, of all sessions, oldest first
}

// sessionEvents is the part of one session, guarded by the store's lock.
type sessionEvents struct {
	*eventStore
	size    int
	events  linked.List        // of *event, oldest first
	streams map[string]*stream // by name, while they have unread events
	// byRequest maps a request to the stream for its answer.
	byRequest map[jsonrpc.ID]*stream
	cleared   bool // the session has ended, and nothing is stored any more
}

// stream is a sequence of messages to the client: the answer to one request and the
// notifications before it, or, with the name "", what belongs to no request.
type stream struct {
	owner    *sessionEvents
	name     string
	events   []*event
	first    int  // the number of events[0]
	done     bool // no more events come
	reader   *reader
	lastRead int // number of the last event that any reader has written
}

// event is one message. Numbers begin with 1: 0 is the beginning of the stream.
type event struct {
	stream           *stream
	number           int
	data             []byte
	inAll, inSession *linked.Element
}

func (e *event) cost() int { return len(e.data) + eventOverhead }

// reader is the connection that reads a stream now.
type reader struct {
	more chan struct{} // receives a value when there is more to read
	gone chan struct{} // closed when another connection takes over the stream
	at   int           // the number of the last event that it has written
}

func (h *eventStore) openSession() *sessionEvents {
	s := &sessionEvents{eventStore: h, streams: map[string]*stream{}, byRequest: map[jsonrpc.ID]*stream{}}
	s.open("", jsonrpc.ID{})
	return s
}

// open begins a stream; if request is valid, the one for its answer.
func (s *sessionEvents) open(name string, request jsonrpc.ID) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &stream{owner: s, name: name, first: 1}
	s.streams[name] = st
	if request.IsValid() {
		s.byRequest[request] = st
	}
	return st
}

// find returns a stream that has something to read.
func (s *sessionEvents) find(name string) (*stream, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.streams[name]
	return st, ok
}

// add appends a message to the stream of a request, or to the common stream. A message for a request that was
// answered is dropped.
func (s *sessionEvents) add(request jsonrpc.ID, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !request.IsValid() {
		s.append(s.streams[""], data)
	} else if st := s.byRequest[request]; st != nil {
		s.append(st, data)
	}
	s.trim()
}

// answer appends the answer to a request, unless it is nil, and ends its stream.
func (s *sessionEvents) answer(request jsonrpc.ID, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.byRequest[request]
	if st == nil {
		return
	}
	delete(s.byRequest, request)
	st.done = true
	if data != nil {
		s.append(st, data)
	}
	if st.reader != nil {
		wake(st.reader.more)
	}
	st.forgetWhenEmpty()
	s.trim()
}

// append adds an event. The caller must call trim afterwards.
func (s *sessionEvents) append(st *stream, data []byte) {
	if s.cleared {
		return
	}
	e := &event{stream: st, number: st.first + len(st.events), data: data}
	st.events = append(st.events, e)
	e.inAll, e.inSession = s.eventStore.events.PushBack(e), s.events.PushBack(e)
	s.size += e.cost()
	s.eventStore.size += e.cost()
	if st.reader != nil {
		wake(st.reader.more)
	}
}

// trim drops the oldest events until the session and the whole store are within their bounds.
func (s *sessionEvents) trim() {
	trim(&s.events, func() bool { return s.size > s.maxPerSession })
	trim(&s.eventStore.events, func() bool { return s.eventStore.size > s.max })
}

func trim(events *linked.List, tooMuch func() bool) {
	for at := events.Front(); at != events.Back() && tooMuch(); {
		e := at.Value.(*event)
		at = at.Next()
		if !e.isAwaited() {
			e.purge()
		}
	}
}

// isAwaited reports that a connected reader has not read the event yet.
func (e *event) isAwaited() bool {
	r := e.stream.reader
	return r != nil && e.number > r.at
}

// purge drops an event, which must be the oldest of its stream.
func (e *event) purge() {
	st, s := e.stream, e.stream.owner
	st.events[0] = nil
	st.events = st.events[1:]
	st.first++
	s.events.Remove(e.inSession)
	s.eventStore.events.Remove(e.inAll)
	s.size -= e.cost()
	s.eventStore.size -= e.cost()
	st.forgetWhenEmpty()
}

func (st *stream) forgetWhenEmpty() {
	if st.done && len(st.events) == 0 {
		delete(st.owner.streams, st.name)
	}
}

// attach makes the caller the stream's reader, starting after event number at. The previous reader ends: its client
// has lost that connection, and no longer keeps what the new one does not ask for.
func (st *stream) attach(at int) *reader {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	if st.reader != nil {
		close(st.reader.gone)
	}
	st.reader = &reader{more: make(chan struct{}, 1), gone: make(chan struct{}), at: at}
	st.owner.trim()
	return st.reader
}

func (st *stream) detach(r *reader) {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	if st.reader == r {
		st.reader = nil
		st.owner.trim()
	}
}

// next appends news to the stream and returns the events that its reader has not read, whether some of these were
// dropped, and whether the stream is complete.
func (st *stream) next(r *reader, news ...[]byte) (events []*event, lost, done bool) {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	for _, text := range news {
		st.owner.append(st, text)
	}
	if r.at < st.first-1 {
		lost, r.at = true, st.first-1
	}
	if from := r.at + 1 - st.first; from < len(st.events) {
		events = append(events, st.events[from:]...)
	}
	return events, lost, st.done
}

// read records the last event that a reader has read.
func (st *stream) read(r *reader, at int) {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	r.at, st.lastRead = at, max(st.lastRead, at)
	st.owner.trim()
}

// unread is the number of the last event that any reader has read.
func (st *stream) unread() int {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	return st.lastRead
}

// holds reports whether all events after number n are still stored.
func (st *stream) holds(n int) bool {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	return n >= st.first-1
}

// last is the number of the latest event, 0 when there was none.
func (st *stream) last() int {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	return st.first + len(st.events) - 1
}

// forget drops the events up to number n, for streams that cannot be resumed.
func (st *stream) forget(n int) {
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	for len(st.events) > 0 && st.first <= n {
		st.events[0].purge()
	}
}

// clear drops the events of a session for good.
func (s *sessionEvents) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleared = true
	for s.events.Len() > 0 {
		s.events.Front().Value.(*event).purge()
	}
}
