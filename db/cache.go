package db

import (
	"sync"
	"sync/atomic"

	"trails/db/history"
	"trails/db/inline"
	"trails/rdf"
)

// caches are what a process remembers of a file between transactions. They are valid for one epoch: restoring a
// backup begins another, in which commits and terms may have other numbers. Each transaction uses the caches of its
// epoch.
type caches struct {
	epoch string
	terms *termCache
	// lastHead is the head that was read last.
	lastHead atomic.Pointer[history.Commit]
	// texts are sorted texts of whole properties, each as of a commit.
	texts textStore
	// fresh are the texts that are not in the index of words yet.
	fresh freshCache
	// unindexed is the number and size of these texts, as of the last commit of this process.
	unindexed atomic.Pointer[unindexed]
	// facts and plans are for queries; see docs/decisions/0014-plans-by-shape.md.
	facts *facts
	plans *plans
}

func newCaches(epoch string) *caches {
	return &caches{epoch: epoch, terms: newTermCache(), facts: newFacts(), plans: newPlans()}
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

// termCache caches committed terms and their ids, which never change. It has two generations: when the young one is
// full, the old one is dropped. So its size is bounded, and terms in use stay. It is safe for concurrent use.
type termCache struct {
	mu         sync.RWMutex
	young, old generation
}

type generation struct {
	terms map[inline.TermID]rdf.Term
	ids   map[rdf.Term]inline.TermID
}

const (
	generationTerms = 16 << 10
	longTerm        = 1 << 10 // size of the longest term that is cached
)

func newGeneration() generation {
	return generation{terms: map[inline.TermID]rdf.Term{}, ids: map[rdf.Term]inline.TermID{}}
}

func newTermCache() *termCache {
	return &termCache{young: newGeneration(), old: newGeneration()}
}

func (c *termCache) term(id inline.TermID) (rdf.Term, bool) {
	c.mu.RLock()
	t, young := c.young.terms[id]
	old := false
	if !young {
		t, old = c.old.terms[id]
	}
	c.mu.RUnlock()
	if old {
		c.put(id, t)
	}
	return t, young || old
}

func (c *termCache) id(t rdf.Term) (inline.TermID, bool) {
	c.mu.RLock()
	id, young := c.young.ids[t]
	old := false
	if !young {
		id, old = c.old.ids[t]
	}
	c.mu.RUnlock()
	if old {
		c.put(id, t)
	}
	return id, young || old
}

func (c *termCache) put(id inline.TermID, t rdf.Term) {
	if len(rdf.Lexical(t)) > longTerm {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.young.terms) >= generationTerms {
		c.old, c.young = c.young, newGeneration()
	}
	c.young.terms[id] = t
	c.young.ids[t] = id
}
