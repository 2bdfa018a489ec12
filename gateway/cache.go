package gateway

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"trails/text/jsontext"
)

// Caching says which answers are cached. The zero Caching caches none.
type Caching struct {
	// ReadOnly caches answers of tools that their servers declare read-only. That is only a claim; with Allow it is
	// believed for those tools only.
	ReadOnly bool
	Allow    []string      // ids of tools; none are all
	TTL      time.Duration // how long an answer is kept
	Entries  int           // maximum number of entries; the least recently used one is dropped
}

// Cache caches answers of read-only tools. It is safe for concurrent use. It belongs to one catalog, and is replaced
// with it.
type Cache[Answer any] struct {
	caching Caching
	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // most recently used first
}

type entry[Answer any] struct {
	key    string
	answer Answer
	until  time.Time
}

// NewCache returns an empty cache.
func NewCache[Answer any](caching Caching) *Cache[Answer] {
	return &Cache[Answer]{caching: caching, entries: map[string]*list.Element{}, order: list.New()}
}

// Key returns the cache key for a call of an item with arguments, "" if its answers are not cached. The order of
// members does not matter.
func (c *Cache[Answer]) Key(item Item, args any) string {
	allowed := len(c.caching.Allow) == 0 || slices.Contains(c.caching.Allow, item.ID)
	if !c.caching.ReadOnly || !allowed || item.SideEffects || item.bare().Safety != ReadOnly {
		return ""
	}
	text, err := jsontext.Canonical(args)
	if err != nil {
		return ""
	}
	return item.ID + "\n" + string(text)
}

// Get returns the answer for a key, if there is one that is not too old.
func (c *Cache[Answer]) Get(at time.Time, key string) (answer Answer, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, kept := c.entries[key]
	if !kept {
		return answer, false
	}
	e := element.Value.(entry[Answer])
	if !at.Before(e.until) {
		c.drop(element)
		return answer, false
	}
	c.order.MoveToFront(element)
	return e.answer, true
}

// Put stores an answer with its time; not for the key "". Answers of failed calls must not be stored.
func (c *Cache[Answer]) Put(at time.Time, key string, answer Answer) {
	if key == "" || c.caching.Entries < 1 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, kept := c.entries[key]; kept {
		c.drop(element)
	}
	for len(c.entries) >= c.caching.Entries {
		c.drop(c.order.Back())
	}
	c.entries[key] = c.order.PushFront(entry[Answer]{key, answer, at.Add(c.caching.TTL)})
}

func (c *Cache[Answer]) drop(element *list.Element) {
	c.order.Remove(element)
	delete(c.entries, element.Value.(entry[Answer]).key)
}
