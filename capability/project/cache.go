package project

import (
	"sync"

	"trails/capability"
)

// maxCached bounds a cache; past it, everything is forgotten. A file with more
// tools than that is slow to list, not wrong.
const maxCached = 4096

// Cache keeps the tools of descriptors by id and version, which name a
// descriptor's content: a changed one is another key, so nothing is ever stale.
// The zero value is ready, and it is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	tools map[key]Tool
}

type key struct {
	id, version string
	in          Process
}

// MCPTool is the function of that name, remembered.
func (c *Cache) MCPTool(d capability.Descriptor, in Process) Tool {
	k := key{d.ID, d.Version, in}
	c.mu.Lock()
	defer c.mu.Unlock()
	if tool, ok := c.tools[k]; ok {
		return tool
	}
	if c.tools == nil || len(c.tools) >= maxCached {
		c.tools = make(map[key]Tool)
	}
	tool := MCPTool(d, in)
	c.tools[k] = tool
	return tool
}
