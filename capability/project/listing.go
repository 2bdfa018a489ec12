package project

import (
	"fmt"

	"trails/capability"
)

// Listing is the capabilities that one caller may see, from one registry. Every document is made from a Listing, so
// documents of the same one always show the same versions.
type Listing struct {
	// Version is that of the registry.
	Version string
	// Descriptors are in the order in which documents have them.
	Descriptors []capability.Descriptor
	Process     Process
	// Base is where the graph's addresses begin for the caller, without a slash at the end.
	Base string
	// Cache caches encoded entries; nil encodes all anew.
	Cache *Cache
}

// encode returns what a view shows of each capability, and how many bytes that is.
func (l Listing) encode(v Encoding) (texts [][]byte, size int, err error) {
	texts = make([][]byte, len(l.Descriptors))
	for i, d := range l.Descriptors {
		text, err := l.Cache.Encode(v, d)
		if err != nil {
			return nil, 0, fmt.Errorf("%s in %s: %w", d.ID, v.Name, err)
		}
		texts[i] = text
		size += len(text)
	}
	return texts, size, nil
}
