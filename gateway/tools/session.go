package tools

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"trails/auth"
	"trails/gateway"
	"trails/invoke"
	"trails/kg"
)

// session is what the gateway remembers of one caller: how often they have called what, what
// they were shown, and what tools that only read have answered them. It ends with the process,
// and begins anew when the settings change. Callers of one name who show servers other
// credentials of their own have sessions apart, and are counted together.
type session struct {
	settings gateway.Settings
	text     string // of the settings
	meter    *gateway.Meter

	mu      sync.Mutex
	offered []string          // the ids of the last cards
	of      [sha256.Size]byte // the directory that stable and cache are of
	stable  *gateway.Stable
	cache   *gateway.Cache[outcome]
}

// mostSessions bounds the callers that are remembered. Of more, all are forgotten but those
// that call again: what is remembered makes answers cheaper, and limits are for a while.
const mostSessions = 10_000

// sessionOf returns what is remembered of the caller.
func (t *Tools) sessionOf(ctx context.Context, r *invoke.Request) (*session, error) {
	settings, err := r.Snapshot.GatewaySettings()
	if err != nil {
		return nil, err
	}
	caller, said := r.Principal.ID, settings.Text()
	apart := caller
	for _, k := range r.Snapshot.Upstreams() {
		if own, given := auth.CredentialsOf(ctx).For(k.Name); given && k.PerCaller() {
			apart += " " + k.Name + " " + own.Key()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[apart]; s != nil && s.text == said {
		return s, nil
	}
	t.embedder.Use(settings.Embeddings)
	m := t.meters[caller]
	if m.Meter == nil || m.text != said {
		if len(t.meters) >= mostSessions {
			clear(t.meters)
		}
		m = counted{gateway.NewMeter(settings.Quotas()), said}
		t.meters[caller] = m
	}
	if len(t.sessions) >= mostSessions {
		clear(t.sessions)
	}
	s := &session{settings: settings, text: said, meter: m.Meter}
	t.sessions[apart] = s
	return s, nil
}

// counted is how often a caller has called what, under the settings of a text.
type counted struct {
	*gateway.Meter
	text string
}

// offer notes the ids from which the caller may choose now.
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

// counted is a capability of the file each call of which spends the quota of the tool of an id:
// after policy and arguments, as a call of a tool of a server does.
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

// order puts cards into the order of a session that keeps its beginning.
func (s *session) order(of [sha256.Size]byte, cards []gateway.Card) []gateway.Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	return s.stable.Order(cards)
}

// hydrated notes that the caller has seen the schema of a tool.
func (s *session) hydrated(of [sha256.Size]byte, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	s.stable.Hydrated(id)
}

// answers is what tools have answered that only read.
func (s *session) answers(of [sha256.Size]byte) *gateway.Cache[outcome] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(of)
	return s.cache
}

// begin begins anew with another directory; s.mu is held.
func (s *session) begin(of [sha256.Size]byte) {
	if s.stable == nil || s.of != of {
		s.of, s.stable, s.cache = of, &gateway.Stable{}, gateway.NewCache[outcome](s.settings.Caching())
	}
}
