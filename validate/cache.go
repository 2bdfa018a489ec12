package validate

import "trails/rdf"

// Cache remembers which nodes are instances of which classes. It holds for one
// state of the data: make a new one when a node's types may have changed. A nil
// Cache remembers nothing. It is not safe for concurrent use.
type Cache struct {
	limit int
	known map[membership]bool
}

type membership struct {
	node  rdf.Term
	class rdf.IRI
}

// NewCache returns a cache of at most limit answers, about 150 bytes each. When it
// is full it forgets all of them: bulk runs refer to few nodes at a time.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, known: make(map[membership]bool)}
}

func (c *Cache) lookup(node rdf.Term, class rdf.IRI) (is, ok bool) {
	if c == nil {
		return false, false
	}
	is, ok = c.known[membership{node, class}]
	return is, ok
}

func (c *Cache) store(node rdf.Term, class rdf.IRI, is bool) {
	if c == nil || c.limit <= 0 {
		return
	}
	if len(c.known) >= c.limit {
		clear(c.known)
	}
	c.known[membership{node, class}] = is
}
