package validate

import (
	"context"

	"trails/rdf"
)

// Cache remembers which nodes are instances of which classes. It holds for one
// state of the data: make a new one when a node's types may have changed. A nil
// Cache remembers nothing. It is not safe for concurrent use.
type Cache struct {
	// Shared, when set, returns the values of a predicate that several nodes have, and
	// whether these are all of them: false when there are more than limit. It takes a pass
	// over the predicate's statements. A run over most of the nodes sets it: of what is not
	// among them need not be asked, node by node, who else has it.
	Shared func(ctx context.Context, predicate rdf.IRI, limit int) (values []rdf.Term, whole bool, err error)

	// Instances, when set, returns what tells whether a node has one of some types, or nil
	// when that would take too much. It takes a pass over the instances, as Shared does.
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

// sharing are the values of one predicate that several nodes have, when whole.
type sharing struct {
	whole  bool
	values map[rdf.Term]bool
}

// maxSets bounds the classes whose instances a cache has as sets.
const maxSets = 16

// maxShared bounds the values of a predicate that a cache remembers.
const maxShared = 1000

// NewCache returns a cache of at most limit answers, about 150 bytes each. When it
// is full it forgets all of them: bulk runs refer to few nodes at a time.
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

// instancesOf returns what tells whether a node is an instance of a class, whose subclasses and
// itself are within; nil when there is nothing.
func (c *Cache) instancesOf(ctx context.Context, class rdf.IRI, within []rdf.IRI) (func(rdf.Term) (bool, error), error) {
	has, known := c.instances[class]
	if known || c.Instances == nil || len(c.instances) == maxSets {
		return has, nil
	}
	has, err := c.Instances(ctx, within)
	c.instances[class] = has
	return has, err
}
