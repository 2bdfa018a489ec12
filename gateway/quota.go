package gateway

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Quota limits calls; 0 is unlimited.
type Quota struct {
	PerMinute  int // in any 60 seconds
	PerSession int
}

// Quotas are the limits of a session; others are unlimited.
type Quotas struct {
	Meta  map[string]Quota // of tool_browse, tool_execute, tool_view
	Tools map[string]Quota // by the id of a tool
}

// Meter counts the calls of one session. It is safe for concurrent use.
type Meter struct {
	quotas Quotas
	mu     sync.Mutex
	made   map[string]*calls
}

// calls counts calls: all, and those of the last minute.
type calls struct {
	all    int
	recent []time.Time
}

// NewMeter returns a meter without calls.
func NewMeter(quotas Quotas) *Meter {
	return &Meter{quotas: quotas, made: map[string]*calls{}}
}

// window is the period of PerMinute.
const window = time.Minute

// Spend counts a call of a meta-tool and, unless it is "", of the tool with an id, if both quotas allow it. Otherwise
// it counts nothing, and returns RATE_LIMITED, with the scope and, if waiting helps, retry_after in seconds in its
// details.
func (m *Meter) Spend(at time.Time, meta, id string) error { return m.weigh(at, meta, id, true) }

// Look returns the result of Spend without counting.
func (m *Meter) Look(at time.Time, meta, id string) error { return m.weigh(at, meta, id, false) }

func (m *Meter) weigh(at time.Time, meta, id string, spend bool) error {
	type scoped struct {
		name  string
		quota Quota
	}
	var scopes []scoped
	if q, has := m.quotas.Meta[meta]; has {
		scopes = append(scopes, scoped{meta, q})
	}
	if q, has := m.quotas.Tools[id]; has {
		scopes = append(scopes, scoped{id, q})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range scopes {
		made := m.made[s.name]
		if made == nil {
			made = &calls{}
			m.made[s.name] = made
		}
		made.recent = slices.DeleteFunc(made.recent, func(t time.Time) bool { return at.Sub(t) >= window })
		details := map[string]any{"scope": s.name}
		switch {
		case s.quota.PerSession > 0 && made.all >= s.quota.PerSession:
			failed := Fail(RateLimited, cmp.Or(id, meta), "%s was called %d times in this session, which is all it may be", s.name, made.all)
			failed.Details = details
			return failed
		case s.quota.PerMinute > 0 && len(made.recent) >= s.quota.PerMinute:
			wait := window - at.Sub(made.recent[len(made.recent)-s.quota.PerMinute])
			details["retry_after"] = wait.Seconds()
			failed := Fail(RateLimited, cmp.Or(id, meta), "%s was called %d times in a minute, which is all it may be; wait %.0f s", s.name, len(made.recent), wait.Seconds())
			failed.Details = details
			return failed
		}
	}
	if spend {
		for _, s := range scopes {
			made := m.made[s.name]
			made.all++
			if s.quota.PerMinute > 0 {
				made.recent = append(made.recent, at)
			}
		}
	}
	return nil
}
