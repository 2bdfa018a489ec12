package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"trails/policy"
)

// Bounds of sessions and of attempts to open one.
const (
	sessionIdle  = 12 * time.Hour
	sessionsMost = 1000

	attemptsMost  = 10              // at once
	attemptEvery  = 3 * time.Second // after that
	attemptsHosts = 1000
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

// tries bounds how often one host may guess.
type tries struct {
	mu     sync.Mutex
	byHost map[string]*try
}

type try struct {
	left float64
	at   time.Time
}

// take uses up one attempt; when there is none left it returns the seconds until
// there is.
func (t *tries) take(host string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.byHost == nil || len(t.byHost) > attemptsHosts {
		t.byHost = map[string]*try{}
	}
	it, ok := t.byHost[host]
	if !ok {
		it = &try{attemptsMost, now}
		t.byHost[host] = it
	}
	it.left = min(attemptsMost, it.left+now.Sub(it.at).Seconds()/attemptEvery.Seconds())
	it.at = now
	if it.left < 1 {
		return int((1-it.left)*attemptEvery.Seconds()) + 1
	}
	it.left--
	return 0
}

// forget gives a host all of its attempts back.
func (t *tries) forget(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byHost, host)
}
