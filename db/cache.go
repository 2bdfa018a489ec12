package db

import (
	"sync"

	"trails/kg/rdf"
)

// termCache remembers committed terms and their ids, which never change. It keeps
// two generations: when the young one is full the old one is dropped, so that its
// size is bounded and what is used stays. It is safe for concurrent use.
type termCache struct {
	mu         sync.RWMutex
	young, old generation
}

type generation struct {
	terms map[int64]rdf.Term
	ids   map[rdf.Term]int64
}

const (
	generationTerms = 16 << 10
	longTerm        = 1 << 10 // longer terms are not remembered
)

func newGeneration() generation {
	return generation{terms: map[int64]rdf.Term{}, ids: map[rdf.Term]int64{}}
}

func newTermCache() *termCache {
	return &termCache{young: newGeneration(), old: newGeneration()}
}

func (c *termCache) term(id int64) (rdf.Term, bool) {
	c.mu.RLock()
	t, ok := c.young.terms[id]
	if ok {
		c.mu.RUnlock()
		return t, true
	}
	t, ok = c.old.terms[id]
	c.mu.RUnlock()
	if ok {
		c.put(id, t)
	}
	return t, ok
}

func (c *termCache) id(t rdf.Term) (int64, bool) {
	c.mu.RLock()
	id, ok := c.young.ids[t]
	if ok {
		c.mu.RUnlock()
		return id, true
	}
	id, ok = c.old.ids[t]
	c.mu.RUnlock()
	if ok {
		c.put(id, t)
	}
	return id, ok
}

func (c *termCache) put(id int64, t rdf.Term) {
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
