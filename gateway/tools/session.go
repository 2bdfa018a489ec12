package tools

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"trails/auth"
	"trails/gateway"
	"trails/gateway/servers"
	"trails/invoke"
	"trails/kg"
)

// session is the state of one caller: counts of calls, cards shown, and cached answers of read-only tools. It ends
// with the process, and starts again when the settings change. Callers of the same name with different credentials
// have separate sessions but common counts.
type session struct {
	settings gateway.Settings
	text     string // of the settings
	meter    *gateway.Meter

	mu      sync.Mutex
	offered []string          // ids of the last cards
	of      [sha256.Size]byte // directory to which stable and cache belong
	stable  *gateway.Stable
	cache   *gateway.Cache[outcome]
}

// mostSessions bounds the sessions. Beyond it all are dropped; they only save work, and limits are temporary.
const mostSessions = 10_000

// sessionOf returns the session of the caller.
func (t *Tools) sessionOf(ctx context.Context, r *invoke.Request) (*session, error) {
	settings, err := servers.Settings(r.Snapshot)
	if err != nil {
		return nil, err
	}
	caller, text := r.Principal.ID, settings.Text()
	identity := caller
	for _, k := range servers.Of(r.Snapshot) {
		if own, given := auth.CredentialsOf(ctx).For(k.Name); given && k.PerCaller() {
			identity += " " + k.Name + " " + own.Key()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[identity]; s != nil && s.text == text {
		return s, nil
	}
	t.embedder.Use(settings.Embeddings)
	m := t.meters[caller]
	if m.Meter == nil || m.text != text {
		if len(t.meters) >= mostSessions {
			clear(t.meters)
		}
		m = counted{gateway.NewMeter(settings.Quotas()), text}
		t.meters[caller] = m
	}
	if len(t.sessions) >= mostSessions {
		clear(t.sessions)
	}
	s := &session{settings: settings, text: text, meter: m.Meter}
	t.sessions[identity] = s
	return s, nil
}

// counted are the counts of a caller, under certain settings.
type counted struct {
	*gateway.Meter
	text string
}

// offer records the ids that the caller may now choose from.
func (s *session) offer(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = ids
}

// shown are the ids that the caller was shown last.
func (s *session) shown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offered
}

// counted wraps a capability of the file such that each call counts towards the quota of its tool id, after policy
// and arguments, like calls of server tools.
func (s *session) counted(c *invoke.Capability, id string) *invoke.Capability {
	counts := *c
	if c.Forward != nil {
		counts.Forward = func(ctx context.Context, r *invoke.Request) (*invoke.Capability, invoke.Arguments, error) {
			next, args, err := c.Forward(ctx, r)
			if next == nil || err != nil {
				return nil, nil, err
			}
			return s.counted(next, id), args, nil
		}
	}
	if c.Loses != nil {
		counts.Loses = func(ctx context.Context, r *invoke.Request, set kg.ChangeSet) (*invoke.Loss, error) {
			if err := s.meter.Look(time.Now(), "tool_execute", id); err != nil {
				return nil, gateway.AsFault(err) // before a person is asked
			}
			return c.Loses(ctx, r, set)
		}
	}
	counts.Handle = func(ctx context.Context, r *invoke.Request) (any, error) {
		if err := s.meter.Spend(time.Now(), "tool_execute", id); err != nil {
			return nil, gateway.AsFault(err)
		}
		return c.Handle(ctx, r)
	}
	return &counts
}

// order orders cards such that those shown before stay first.
func (s *session) order(of [sha256.Size]byte, cards []gateway.Card) []gateway.Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	return s.stable.Order(cards)
}

// hydrated records that the caller has seen the schema of a tool.
func (s *session) hydrated(of [sha256.Size]byte, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	s.stable.Hydrated(id)
}

// answers is the cache of read-only tools.
func (s *session) answers(of [sha256.Size]byte) *gateway.Cache[outcome] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	return s.cache
}

// begin resets the session for another directory; s.mu must be held.
func (s *session) begin(of [sha256.Size]byte) {
	if s.stable == nil || s.of != of {
		s.of, s.stable, s.cache = of, &gateway.Stable{}, gateway.NewCache[outcome](s.settings.Caching())
	}
}
