package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"trails/policy"
)

// Bounds of sessions.
const (
	sessionIdle  = 12 * time.Hour
	sessionsMost = 1000
)

// sessions are the people who signed in, by the hash of what their cookie holds.
// They end with the process.
type sessions struct {
	mu   sync.Mutex
	byID map[[sha256.Size]byte]*session
}

type session struct {
	principal policy.Principal
	used      time.Time
}

// open begins a session and returns its id.
func (s *sessions) open(p policy.Principal) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[[sha256.Size]byte]*session{}
	}
	if len(s.byID) >= sessionsMost {
		s.endOldest()
	}
	id := rand.Text() + rand.Text()
	s.byID[sha256.Sum256([]byte(id))] = &session{p, time.Now()}
	return id
}

func (s *sessions) endOldest() {
	var oldest [sha256.Size]byte
	var used time.Time
	for id, it := range s.byID {
		if used.IsZero() || it.used.Before(used) {
			oldest, used = id, it.used
		}
	}
	delete(s.byID, oldest)
}

// find returns whose session it is, and keeps it from ending for a while.
func (s *sessions) find(id string) (policy.Principal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(id))
	it, ok := s.byID[key]
	if !ok {
		return policy.Principal{}, false
	}
	now := time.Now()
	if now.Sub(it.used) > sessionIdle {
		delete(s.byID, key)
		return policy.Principal{}, false
	}
	it.used = now
	return it.principal, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, sha256.Sum256([]byte(id)))
}
