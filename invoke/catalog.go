package invoke

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke/versioning"
	"trails/kg"
)

// catalog is everything that the providers offer at certain versions. It is immutable.
type catalog struct {
	key       string // the versions of the providers, in order
	ordered   []*Capability
	byID      map[string]*Capability
	registry  *capability.Registry
	resources []Resource
	byURI     map[string]*Resource
	prompts   []Prompt
	unknown   []kg.Offered // capabilities that the file does not know yet

	mu    sync.Mutex
	lists map[string][]capability.Descriptor // the lists of tools, by audience
}

// mostLists bounds the cached lists of a catalog, one for each kind of caller.
const mostLists = 64

// listed returns the list for an audience, computed once.
func (c *catalog) listed(audience string, choose func() []capability.Descriptor) []capability.Descriptor {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list, ok := c.lists[audience]; ok {
		return list
	}
	if c.lists == nil || len(c.lists) >= mostLists {
		c.lists = map[string][]capability.Descriptor{}
	}
	c.lists[audience] = choose()
	return c.lists[audience]
}

// mostCatalogs bounds the cached catalogs, one for each view in use.
const mostCatalogs = 8

// catalogs are the providers, and their recent catalogs.
type catalogs struct {
	mu         sync.Mutex
	providers  []Provider
	recent     []*catalog             // most recently used first
	bare       map[string]*Capability // by id and tool name
	versioning *versioning.Store
	// seen are, by the rights of readers, the keys of the catalogs when moved was last called, at first those of the first
	// ones.
	seen map[string]string
}

func newCatalogs(providers []Provider) *catalogs {
	return &catalogs{providers: slices.Clone(providers), bare: bareOf(providers), seen: map[string]string{}}
}

// bareOf finds the capabilities that need no snapshot.
func bareOf(providers []Provider) map[string]*Capability {
	bare := map[string]*Capability{}
	for _, p := range providers {
		f, is := p.(fixed)
		if !is {
			continue
		}
		offer := f.offer()
		for i, c := range offer.Capabilities {
			if c.Bare {
				bare[c.ID], bare[capability.ToolName(c.ID)] = &offer.Capabilities[i], &offer.Capabilities[i]
			}
		}
	}
	return bare
}

// of returns the catalog that belongs to a snapshot, built at most once per version.
func (cs *catalogs) of(ctx context.Context, s *kg.Snapshot) (*catalog, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	key := keyOf(cs.providers, s)
	if at := slices.IndexFunc(cs.recent, func(c *catalog) bool { return c.key == key }); at >= 0 {
		c := cs.recent[at]
		copy(cs.recent[1:], cs.recent[:at])
		cs.recent[0] = c
		return c, nil
	}
	c, err := cs.build(ctx, cs.providers, s)
	if err != nil {
		return nil, err
	}
	c.key = key
	for name := range cs.bare {
		cs.bare[name] = c.lookup(name)
	}
	if s.SeesAll() { // a part of the graph has other versions than the file
		cs.versioning.Save(c.unknown)
	}
	if _, seen := cs.seen[s.Rights()]; !seen {
		cs.seen[s.Rights()] = key
	}
	cs.recent = slices.Insert(cs.recent[:min(len(cs.recent), mostCatalogs-1)], 0, c)
	return c, nil
}

// withCatalog calls f with the catalog of a branch.
func (e *Engine) withCatalog(ctx context.Context, p policy.Principal, branch string, do func(*catalog, *kg.Authority) error) error {
	return e.session(p).On(branch).View(ctx, func(s *kg.Snapshot) error {
		c, err := e.catalogs.of(ctx, s)
		if err != nil {
			return err
		}
		return do(c, s.Authority())
	})
}

// keyOf joins the versions of the providers.
func keyOf(providers []Provider, s *kg.Snapshot) string {
	versions := make([]string, len(providers))
	for i, p := range providers {
		versions[i] = p.Version(s)
	}
	return strings.Join(versions, "\x00")
}

// add adds a provider, if its capabilities do not conflict with existing ones.
func (cs *catalogs) add(ctx context.Context, p Provider, s *kg.Snapshot) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	all := append(slices.Clip(cs.providers), p)
	if _, err := cs.build(ctx, all, s); err != nil {
		return err
	}
	cs.providers, cs.bare, cs.recent = all, bareOf(all), nil
	return nil
}

// forget drops the catalogs, because the file has given its capabilities other versions.
func (cs *catalogs) forget() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.recent = nil
}

// moved reports whether the versions have changed.
func (cs *catalogs) moved(s *kg.Snapshot) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	key := keyOf(cs.providers, s)
	before, seen := cs.seen[s.Rights()]
	cs.seen[s.Rights()] = key
	return seen && key != before
}

// build makes the catalog of providers, with the versions that the file gives.
func (cs *catalogs) build(ctx context.Context, providers []Provider, s *kg.Snapshot) (c *catalog, err error) {
	c = &catalog{byID: map[string]*Capability{}, byURI: map[string]*Resource{}}
	versions, own := []kg.Offered{}, []bool{}
	offers, taken := make([]Offer, len(providers)), map[string]bool{} // by tool name: first capabilities that do not yield
	for i, p := range providers {
		if offers[i], err = p.Offer(s); err != nil {
			return nil, err
		}
		for _, one := range offers[i].Capabilities {
			taken[capability.ToolName(one.ID)] = taken[capability.ToolName(one.ID)] || !one.Yields
		}
	}
	for i, p := range providers {
		_, isFixed := p.(fixed)
		o := offers[i]
		for _, offered := range o.Capabilities {
			one, name := &offered, capability.ToolName(offered.ID)
			if one.Yields && taken[name] {
				continue
			}
			if one.Version == "" {
				*one = one.completed()
			}
			c.ordered, c.byID[one.ID], taken[name] = append(c.ordered, one), one, true
			versions, own = append(versions, kg.Offered{Descriptor: one.Descriptor}), append(own, isFixed)
		}
		for i := range o.Resources {
			one := &o.Resources[i]
			if c.byURI[one.URI] != nil {
				continue
			}
			if c.byURI[one.URI] = one; !one.Unlisted {
				c.resources = append(c.resources, *one)
			}
		}
		c.prompts = append(c.prompts, o.Prompts...)
	}
	if c.unknown, err = cs.versioning.Assign(ctx, s, versions, own); err != nil {
		return nil, err
	}
	all := make([]capability.Descriptor, len(versions))
	for i, one := range c.ordered {
		one.Version = versions[i].Version
		all[i] = one.Descriptor
	}
	c.registry, err = capability.New(all)
	return c, err
}

// lookup finds a capability by id or tool name.
func (c *catalog) lookup(name string) *Capability {
	d, _ := c.registry.Find(name) // no capability has an empty id
	return c.byID[d.ID]
}

// resource returns the resource for an address: the one with this address, or the nearest one above it with a
// template.
func (c *catalog) resource(uri string) (*Resource, *url.URL) {
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User != nil {
		return nil, nil
	}
	at := u.Scheme + "://" + u.Host + u.EscapedPath()
	if r := c.byURI[at]; r != nil && (r.Template != "" || r.takes(u.RawQuery)) {
		return r, u
	}
	for {
		slash := strings.LastIndexByte(at, '/')
		if slash < 0 {
			return nil, nil
		}
		at = at[:slash]
		if r := c.byURI[at]; r != nil && r.Template != "" {
			return r, u
		}
	}
}

// takes reports whether an address of the resource may have a query.
func (r *Resource) takes(query string) bool {
	params, err := url.ParseQuery(query)
	for name := range params {
		if !slices.Contains(r.Parameters, name) {
			return false
		}
	}
	return err == nil
}

// isTool reports what is listed as a tool, isHelper what can only be called.
func isTool(c *Capability) bool   { return !c.Hidden && !c.Streams }
func isHelper(c *Capability) bool { return c.Hidden }

// list returns what p may call, by policies too.
func (e *Engine) list(ctx context.Context, c *catalog, a *kg.Authority, p policy.Principal, wanted func(*Capability) bool) ([]*Capability, error) {
	out := make([]*Capability, 0, len(c.ordered))
	for _, one := range c.ordered {
		scope := one.PolicyRequired.Scope
		if !wanted(one) || !policy.Visible(e.config.Env, scope) || !policy.May(p, scope) || !one.listedBy(a) {
			continue
		}
		out = append(out, one)
	}
	return out, nil
}

func descriptors(list []*Capability) []capability.Descriptor {
	out := make([]capability.Descriptor, len(list))
	for i, c := range list {
		out[i] = c.Descriptor
	}
	return out
}

// bareNamed returns the capability without a snapshot that has a name, or nil.
func (cs *catalogs) bareNamed(name string) *Capability {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.bare[name]
}
