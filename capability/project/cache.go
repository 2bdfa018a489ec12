package project

import (
	"sync"

	"trails/capability"
)

// maxCached bounds a cache; past it, everything is forgotten. A file with more
// capabilities than a quarter of that is slow to list in four views, not wrong.
const maxCached = 4 * 4096

// Cache keeps what views show of descriptors by id and version, which name a
// descriptor's content: a changed one is another key, so nothing is ever stale.
// The zero value is ready, and it is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	texts map[key][]byte
}

type key struct {
	view, id, version string
	in                Process
}

// Encode returns what v.Encode does, remembered; a nil cache remembers nothing. The text is
// shared by everyone who asks for the same one: do not change it.
func (c *Cache) Encode(v View, d capability.Descriptor) ([]byte, error) {
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
