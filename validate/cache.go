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
