package invoke

import (
	"context"

	"trails/capability"
	"trails/capability/project"
	"trails/policy"
)

// Callable lists what can be called, whether or not it is a tool.
func (e *Engine) Callable(ctx context.Context) ([]capability.Descriptor, error) {
	snap, err := e.graph.Session(policy.Local("test", "test")).Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	c, err := e.catalogs.of(snap)
	if err != nil {
		return nil, err
	}
	var out []capability.Descriptor
	for _, one := range c.ordered {
		out = append(out, one.Descriptor)
	}
	return out, nil
}

// BuiltinWithViews are the providers with a doctor that looks at these views.
func BuiltinWithViews(views []project.View) []Provider { return builtinProviders(views) }
