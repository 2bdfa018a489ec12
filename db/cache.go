package db

import (
	"sync"
	"sync/atomic"

	"trails/db/inline"
	"trails/rdf"
)

// caches are what a process remembers of a file from one transaction to the next. They
// are good for one epoch, which ends when a backup is restored: then commits and terms
// have their numbers anew. Each transaction uses those of the epoch that it sees.
type caches struct {
	epoch string
	terms *termCache
	// lastHead is the head that was read last.
	lastHead atomic.Pointer[Commit]
	// texts are those of whole properties, as of the commits they say.
	texts textStore
	// fresh are the texts that the index of words does not have yet.
	fresh freshCache
	// unindexed says how long these are, as of the last commit of this process.
	unindexed atomic.Pointer[unindexed]
	// facts and plans are of queries; see docs/decisions/0014-plans-by-shape.md.
	facts *facts
	plans *plans
}

func newCaches(epoch string) *caches {
	return &caches{epoch: epoch, terms: newTermCache(), facts: newFacts(), plans: newPlans()}
}

// cachesOf returns the caches of an epoch, empty ones when it is another than the last.
func (f *File) cachesOf(epoch string) *caches {
	c := f.caches.Load()
	if c.epoch != epoch {
		c = newCaches(epoch)
		f.caches.Store(c)
	}
	return c
}

// termCache remembers committed terms and their ids, which never change. It keeps
// two generations: when the young one is full the old one is dropped, so that its
// size is bounded and what is used stays. It is safe for concurrent use.
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
	longTerm        = 1 << 10 // longer terms are not remembered
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
