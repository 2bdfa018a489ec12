package invoke

import (
	"context"

	"trails/capability"
	"trails/policy"
)

// Callable lists what can be called, whether or not it is a tool.
func (e *Engine) Callable(ctx context.Context) ([]capability.Descriptor, error) {
	snap, err := e.graph.Session(policy.Local("test", "test")).Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	c, err := e.catalogOf(snap)
	if err != nil {
		return nil, err
	}
	var out []capability.Descriptor
	for _, en := range c.ordered {
		out = append(out, en.Descriptor)
	}
	return out, nil
}
