package project

import (
	"sync"

	"trails/capability"
)

// maxCached bounds a cache; when it is full, it is emptied. A file with more than a quarter as many capabilities is
// slow to list in four views, but not wrong.
const maxCached = 4 * 4096

// Cache caches views of descriptors by id and version. A version identifies the content of a descriptor, so entries
// are never stale. The zero value is ready, and it is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	texts map[key][]byte
}

type key struct {
	view, id, version string
	in                Process
}

// Encode returns the cached result of v.Encode; a nil cache caches nothing. The text is shared and must not be
// changed.
func (c *Cache) Encode(v Encoding, d capability.Descriptor) ([]byte, error) {
	if c == nil {
		return v.Encode(d)
	}
	k := key{v.Name, d.ID, d.Version, v.in}
	c.mu.Lock()
	defer c.mu.Unlock()
	if text, ok := c.texts[k]; ok {
		return text, nil
	}
	text, err := v.Encode(d)
	if err != nil {
		return nil, err
	}
	if c.texts == nil || len(c.texts) >= maxCached {
		c.texts = make(map[key][]byte)
	}
	c.texts[k] = text
	return text, nil
}
