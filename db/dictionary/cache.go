package dictionary

import (
	"sync"

	"trails/db/inline"
	"trails/rdf"
)

// Cache caches committed terms and their ids, which never change. It has two generations: when the young one is
// full, the old one is dropped. So its size is bounded, and terms in use stay. It is safe for concurrent use.
type Cache struct {
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

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{young: newGeneration(), old: newGeneration()}
}

func (c *Cache) term(id inline.TermID) (rdf.Term, bool) {
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

func (c *Cache) id(t rdf.Term) (inline.TermID, bool) {
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

func (c *Cache) put(id inline.TermID, t rdf.Term) {
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
