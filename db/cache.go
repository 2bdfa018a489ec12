package db

import (
	"sync"
	"sync/atomic"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/wordindex"
)

// caches are what a process remembers of a file between transactions. They are valid for one epoch: restoring a
// backup begins another, in which commits and terms may have other numbers. Each transaction uses the caches of its
// epoch.
type caches struct {
	epoch string
	terms *dictionary.Cache
	// lastHead is the head that was read last.
	lastHead atomic.Pointer[history.Commit]
	// texts are sorted texts of whole properties, each as of a commit.
	texts textStore
	// fresh are the texts that are not in the index of words yet.
	fresh *freshCache
	// unindexed is the number and size of these texts, as of the last commit of this process.
	unindexed atomic.Pointer[wordindex.Unindexed]
	// facts and plans are for queries; see docs/decisions/0014-plans-by-shape.md.
	facts *facts
	plans *plans
	// past are the facts of the earlier commits that were asked last.
	past *pastFacts
	// decisions are for readers with rights.
	decisions *keptDecisions
	// origins are the classes of commits.
	origins *commitOrigins
}

func newCaches(epoch string) *caches {
	return &caches{epoch: epoch, terms: dictionary.NewCache(), fresh: &freshCache{}, facts: newFacts(), plans: newPlans(), past: &pastFacts{}, decisions: &keptDecisions{}, origins: &commitOrigins{}}
}

// ofView returns the caches for an earlier commit. Sorted texts are not kept for it, and facts are those of the commit, or of the
// rights of its reader.
func (c *caches) ofView(of *facts) *caches {
	return &caches{epoch: c.epoch, terms: c.terms, fresh: c.fresh, facts: of, plans: c.plans, past: c.past, decisions: c.decisions, origins: c.origins}
}

// maxPast bounds the earlier commits whose facts are kept. When there are more, all are dropped.
const maxPast = 8

// pastFacts keeps facts by the number of their commit. It is safe for concurrent use.
type pastFacts struct {
	mu     sync.Mutex
	commit map[history.Seq]*facts
}

func (p *pastFacts) of(seq history.Seq) *facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.commit[seq]; known != nil {
		return known
	}
	if p.commit == nil || len(p.commit) >= maxPast {
		p.commit = map[history.Seq]*facts{}
	}
	p.commit[seq] = newFacts()
	return p.commit[seq]
}

// cachesOf returns the caches of an epoch, empty ones for a new epoch.
func (f *File) cachesOf(epoch string) *caches {
	c := f.caches.Load()
	if c.epoch != epoch {
		c = newCaches(epoch)
		f.caches.Store(c)
	}
	return c
}
