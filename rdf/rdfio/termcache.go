package rdfio

import (
	"hash/maphash"

	"trails/rdf"
)

const (
	cacheSlots   = 2048
	cachedIRILen = 256
)

// termCache caches IRIs, so that predicates, classes, graphs and datatypes of a file are
// allocated about once. Each slot holds one IRI, and a new one replaces it, so memory is
// bounded. A nil cache is always empty.
type termCache struct {
	seed  maphash.Seed
	slots [cacheSlots]rdf.Term
}

func newTermCache() *termCache { return &termCache{seed: maphash.MakeSeed()} }

// lookup returns the IRI with this text, or nil.
func (c *termCache) lookup(text []byte) rdf.Term {
	if c == nil || len(text) > cachedIRILen {
		return nil
	}
	t := c.slots[maphash.Bytes(c.seed, text)%cacheSlots]
	if iri, ok := t.(rdf.IRI); ok && string(iri) == string(text) {
		return t
	}
	return nil
}

// keep adds iri, which must not share memory with a buffer that changes.
func (c *termCache) keep(iri rdf.IRI) rdf.Term {
	var t rdf.Term = iri
	if c != nil && len(iri) <= cachedIRILen {
		c.slots[maphash.String(c.seed, string(iri))%cacheSlots] = t
	}
	return t
}

// namespace is what a prefix stands for.
type namespace struct {
	iri  string
	hash uint64
}

// nameCache caches the IRIs of prefixed names by namespace and local name, without joining the
// two.
type nameCache struct {
	seed  maphash.Seed
	slots [cacheSlots]rdf.Term
}

func (c *nameCache) namespace(iri string) *namespace {
	return &namespace{iri: iri, hash: maphash.String(c.seed, iri)}
}

// term returns the IRI of a prefixed name.
func (c *nameCache) term(ns *namespace, local []byte) rdf.Term {
	slot := &c.slots[(ns.hash^maphash.Bytes(c.seed, local))%cacheSlots]
	if iri, ok := (*slot).(rdf.IRI); ok && len(iri) == len(ns.iri)+len(local) && string(iri[:len(ns.iri)]) == ns.iri && string(iri[len(ns.iri):]) == string(local) {
		return *slot
	}
	var t rdf.Term = rdf.IRI(ns.iri + string(local))
	if len(local) <= cachedIRILen {
		*slot = t
	}
	return t
}
