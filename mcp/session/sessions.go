package session

import (
	"sync"
	"time"
)

// closeGrace is how long Close lets calls in flight finish.
const closeGrace = 10 * time.Second

// sessions are those that are open over HTTP.
type sessions struct {
	mu     sync.Mutex
	open   map[string]*session // by door and id
	closed bool
}

func newSessions() *sessions { return &sessions{open: map[string]*session{}} }

func (all *sessions) add(s *session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return false
	}
	all.open[s.via+" "+s.id] = s
	return true
}

func (all *sessions) remove(s *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.open, s.via+" "+s.id)
}

// find returns the session of this id at a door.
func (all *sessions) find(via, id string) (*session, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s, ok := all.open[via+" "+id]
	return s, ok
}

// close lets no more in and returns those that are open.
func (all *sessions) close() []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = true
	left := make([]*session, 0, len(all.open))
	for _, s := range all.open {
		left = append(left, s)
	}
	return left
}

// Close ends every session and subscription over HTTP, and lets no new one in. A
// session with calls in flight ends when those are answered, or ten seconds later.
// Close returns when all have ended; it may be called more than once. The stateless
// door goes on answering.
func (d *Doors) Close() {
	d.slots.close()
	d.closeOnce.Do(func() { close(d.closing) })
	left := d.sessions.close()
	for _, one := range left {
		one.finish()
	}
	patience := time.AfterFunc(closeGrace, func() {
		for _, one := range left {
			one.end()
		}
	})
	defer patience.Stop()
	for _, one := range left {
		<-one.over
		_ = one.wait() // it ended as it was told to
	}
}

// Sessions is how many sessions and subscriptions are open, by transport:
// "mcp-stdio", "mcp-http", "mcp-sse", and "mcp-listen" for open requests of
// subscriptions/listen over HTTP. Those that have none are left out.
func (d *Doors) Sessions() map[string]int { return d.slots.open() }

// PendingNotifications is how many notifications wait for their readers.
func (d *Doors) PendingNotifications() int { return d.hub.waiting() }
