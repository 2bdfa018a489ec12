package invoke

import (
	"context"
	"slices"
	"sync"

	"trails/capability"
	"trails/capability/project"
	"trails/kg"
	"trails/policy"
	"trails/schema"
)

// handler does what a capability says and returns what encodes as its result.
type handler func(context.Context, *running) (any, error)

// entry is a capability with its handler.
type entry struct {
	capability.Descriptor
	handle  handler
	loses   loses // nil when consent is not required
	typed   bool  // a write of one type: its arguments are read by the type's shape
	hidden  bool  // see builtin
	streams bool  // see builtin
}

// catalog is every capability under one version of the schema. But for what the doctor
// found it is immutable.
type catalog struct {
	schema   *schema.Schema
	version  string
	ordered  []*entry
	byID     map[string]*entry
	registry *capability.Registry

	// What the doctor has found, once: see checkCapabilities.
	viewed    sync.Once
	differing []project.Difference
	viewErr   error
}

// catalogOf returns the catalog that belongs to the snapshot's schema, built at
// most once per version.
func (e *Engine) catalogOf(s *kg.Snapshot) (*catalog, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.catalog != nil && e.catalog.schema == s.Schema() {
		return e.catalog, nil
	}
	c, err := newCatalog(s)
	if err != nil {
		return nil, err
	}
	e.catalog = c
	return c, nil
}

func newCatalog(s *kg.Snapshot) (*catalog, error) {
	c := &catalog{schema: s.Schema(), byID: map[string]*entry{}}
	c.addBuiltins(builtins)
	c.addBuiltins(views)
	c.addBuiltins(words)
	c.addBuiltins(promptCapabilities)
	c.addTypes(s)
	c.addBuiltins(metas)
	descriptors := make([]capability.Descriptor, len(c.ordered))
	for i, en := range c.ordered {
		descriptors[i] = en.Descriptor
	}
	registry, err := capability.New(descriptors)
	if err != nil {
		return nil, err
	}
	c.registry, c.version = registry, registry.Version()
	return c, nil
}

func (c *catalog) addBuiltins(list []builtin) {
	for _, b := range list {
		c.add(b.entry())
	}
}

func (b builtin) entry() *entry {
	return &entry{Descriptor: b.describe(), handle: b.handle, loses: b.loses, hidden: b.hidden, streams: b.streams}
}

// bareEntries returns the built-in capabilities that need no snapshot, by id and tool
// name: they are the same under every schema.
func bareEntries() map[string]*entry {
	bare := map[string]*entry{}
	for _, b := range slices.Concat(builtins, metas) {
		if b.bare {
			en := b.entry()
			bare[b.id], bare[capability.ToolName(b.id)] = en, en
		}
	}
	return bare
}

func (c *catalog) add(en *entry) {
	c.ordered = append(c.ordered, en)
	c.byID[en.ID] = en
}

// typedHandlers are the operations on nodes of a type, by the last word of their id.
var typedHandlers = map[string]func(typeName string) handler{
	"create": createNode,
	"update": updateNode,
	"delete": deleteNode,
}

func (c *catalog) addTypes(s *kg.Snapshot) {
	for _, d := range capability.ForSchema(s.Schema()) {
		en := &entry{Descriptor: d, typed: true, handle: typedHandlers[d.Op()](d.InputShape.NodeType)}
		if d.ConsentRequired {
			en.loses = deletionLoses
		}
		c.add(en)
	}
}

// lookup finds a capability by id or tool name.
func (c *catalog) lookup(name string) *entry {
	d, ok := c.registry.Find(name)
	if !ok {
		return nil
	}
	return c.byID[d.ID]
}

// visible lists the tools that p may see.
func (c *catalog) visible(p policy.Principal, env string) []capability.Descriptor {
	return c.list(p, env, func(en *entry) bool { return !en.hidden && !en.streams })
}

// helpers lists what p may call and is no tool.
func (c *catalog) helpers(p policy.Principal, env string) []capability.Descriptor {
	return c.list(p, env, func(en *entry) bool { return en.hidden })
}

func (c *catalog) list(p policy.Principal, env string, wanted func(*entry) bool) []capability.Descriptor {
	var out []capability.Descriptor
	for _, en := range c.ordered {
		scope := en.PolicyRequired.Scope
		if wanted(en) && policy.Visible(env, scope) && policy.Allow(p, scope, en.ID) == nil {
			out = append(out, en.Descriptor)
		}
	}
	return out
}
