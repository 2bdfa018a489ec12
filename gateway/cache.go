package gateway

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"trails/text/jsontext"
)

// Caching says which answers are kept. The zero Caching keeps none.
type Caching struct {
	// ReadOnly keeps answers of tools whose servers say that they only read. That is a hint of
	// a server: with Allow it is believed of those tools alone.
	ReadOnly bool
	Allow    []string      // ids of tools; none are all
	TTL      time.Duration // how long an answer is kept
	Entries  int           // how many at most; the one that was asked for last goes last
}

// Cache keeps answers of tools that only read. Any number of goroutines may use it at a time.
// It is for one catalog: when something is listed anew, another one takes its place.
type Cache[Answer any] struct {
	caching Caching
	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // the one that was asked for last is in front
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

// Key returns what answers of an item to arguments are kept under, "" when they are not. The
// order of members in the arguments does not matter.
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

// Get returns the answer under a key, if one is there that is not too old at a time.
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

// Put keeps an answer that was given at a time. That of a call that failed must not be kept.
// Under the key "" nothing is.
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
