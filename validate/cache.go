package validate

import (
	"context"

	"trails/rdf"
)

// Cache caches which nodes are instances of which classes, for one state of the data: make a new one when types of
// nodes may have changed. A nil Cache caches nothing. It is not safe for concurrent use.
type Cache struct {
	// Shared, when set, returns the values of a predicate that several nodes have; whole is false if there are more
	// than limit. It is one pass over the predicate's statements. A run over most of the nodes sets it, because other
	// values need not be looked up node by node.
	Shared func(ctx context.Context, predicate rdf.IRI, limit int) (values []rdf.Term, whole bool, err error)

	// Instances, when set, returns a function that reports whether a node has one of some types, or nil if that would
	// cost too much. It is one pass over the instances.
	Instances func(ctx context.Context, classes []rdf.IRI) (has func(node rdf.Term) (bool, error), err error)

	limit     int
	known     map[membership]bool
	shared    map[rdf.IRI]sharing
	instances map[rdf.IRI]func(rdf.Term) (bool, error)
}

type membership struct {
	node  rdf.Term
	class rdf.IRI
}

// sharing are the values of one predicate that several nodes have; whole says that they are complete.
type sharing struct {
	whole  bool
	values map[rdf.Term]bool
}

// maxSets bounds the classes for which a cache has a set of instances.
const maxSets = 16

// maxShared bounds the values of a predicate that a cache remembers.
const maxShared = 1000

// NewCache returns a cache of at most limit answers, about 150 bytes each. When it is full it is emptied: bulk runs
// refer to few nodes at a time.
func NewCache(limit int) *Cache {
	return &Cache{
		limit: limit, known: make(map[membership]bool),
		shared: make(map[rdf.IRI]sharing), instances: make(map[rdf.IRI]func(rdf.Term) (bool, error)),
	}
}

// sharedBy returns which values of a predicate several nodes have.
func (c *Cache) sharedBy(ctx context.Context, predicate rdf.IRI) (sharing, error) {
	if known, ok := c.shared[predicate]; ok || c.Shared == nil {
		return known, nil
	}
	values, whole, err := c.Shared(ctx, predicate, maxShared)
	s := sharing{whole: whole, values: make(map[rdf.Term]bool, len(values))}
	for _, v := range values {
		s.values[v] = true
	}
	c.shared[predicate] = s
	return s, err
}

// instancesOf returns the function that tests for instances of a class, where within are the class and its
// subclasses; nil if there is none.
func (c *Cache) instancesOf(ctx context.Context, class rdf.IRI, within []rdf.IRI) (func(rdf.Term) (bool, error), error) {
	has, known := c.instances[class]
	if known || c.Instances == nil || len(c.instances) == maxSets {
		return has, nil
	}
	has, err := c.Instances(ctx, within)
	c.instances[class] = has
	return has, err
}
