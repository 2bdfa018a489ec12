// Package tools has the capabilities of the gateway: to search thousands of tools, call one, and read its results.
// The tools are the capabilities of the file and those of its upstream servers. All calls go through package invoke,
// which forwards a call to the tool, so that policy, budget and provenance apply to that tool.
//
// Read [Tools] first, then the steps of an execution in execute.go.
package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"trails/auth"
	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/servers"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/kg"
	"trails/text/quote"
)

// Tools are the gateway of one process, an [invoke.Provider]; make one with [New].
type Tools struct {
	pool     *upstream.Pool
	embedder *embed.Embedder
	// listAll means that lists have every tool, so that the offer depends on the servers.
	listAll bool

	mu sync.Mutex
	// recent are recently used directories, by what they were made from.
	recent   []directory
	sessions map[string]*session // by caller and credential
	meters   map[string]counted  // by caller
	stripped []invoke.Capability // what a list has that has every tool
}

// New returns the gateway of a process with a pool of servers and an embedder. With listAll, for the surface proxy,
// [Tools.Listed] adds every tool to a list.
func New(pool *upstream.Pool, embedder *embed.Embedder, listAll bool) *Tools {
	return &Tools{pool: pool, embedder: embedder, listAll: listAll, sessions: map[string]*session{}, meters: map[string]counted{}}
}

// names are the gateway's own tools, which are not in its catalogs.
var names = []string{"tool_browse", "tool_execute", "tool_view", "tool_hydrate", "resource_browse", "resource_read", "prompt_browse", "prompt_get"}

// Version changes when the file gets its first server or loses its last, when settings change descriptions and, if
// every tool is listed, when a server offers something else.
func (t *Tools) Version(s *kg.Snapshot) string {
	settings, _ := servers.Settings(s) // unreadable settings are reported by each call
	kinds := t.pool.Kinds(servers.Of(s))
	version := fmt.Sprint(len(servers.Of(s)) > 0, settings.TolerantArgs, kinds[gateway.Resource], kinds[gateway.Prompt])
	if t.listAll {
		version += fmt.Sprint(" ", t.pool.Generation(), s.Head().SchemaSeq)
	}
	return version
}

// surfaces returns the lists of a tool: if the file has servers, auto prefers the gateway, and lists of the file's
// own tools include the tools for searching and calling those of servers, whose ids many hosts refuse as names.
func surfaces(s *kg.Snapshot, named ...string) []string {
	if len(servers.Of(s)) > 0 && slices.Contains(named, "gateway") {
		named = append(named, "auto", "full", "compact")
	}
	return named
}

// Offer returns the tools, including those for resources and prompts if the file has servers.
func (t *Tools) Offer(s *kg.Snapshot) (invoke.Offer, error) {
	settings, _ := servers.Settings(s)
	one := func(c invoke.Capability, named ...string) invoke.Capability {
		c.Descriptor, c.Surfaces = c.Completed(), surfaces(s, named...)
		return c
	}
	offer := invoke.Offer{Capabilities: []invoke.Capability{
		one(t.browseTools(), "gateway"), one(t.executeTool(settings.TolerantArgs), "gateway", "proxy"),
		one(t.viewArtifact(), "gateway", "proxy"), one(t.hydrateTool(), "proxy"),
	}}
	if named := servers.Of(s); len(named) > 0 {
		ask := sync.OnceFunc(func() {
			ctx, cancel := context.WithTimeout(context.Background(), listPatience)
			defer cancel()
			_, _, _ = t.pool.Listings(ctx, named) // if the kinds are not known, all are listed
		})
		for _, c := range []struct {
			kind gateway.Kind
			invoke.Capability
		}{
			{gateway.Resource, t.browseResources()}, {gateway.Resource, t.readResource()}, {gateway.Prompt, t.browsePrompts()}, {gateway.Prompt, t.getPrompt()},
		} {
			c.Wanted = func() bool { ask(); return t.pool.Kinds(named)[c.kind] }
			offer.Capabilities = append(offer.Capabilities, one(c.Capability, "gateway", "proxy"))
		}
	}
	if t.listAll {
		t.strip(s)
	}
	return offer, nil
}

// listPatience bounds how long a list waits for servers.
const listPatience = 5 * time.Second

// strip prepares the list of the servers' tools, contacting them.
func (t *Tools) strip(s *kg.Snapshot) {
	ctx, cancel := context.WithTimeout(context.Background(), listPatience)
	defer cancel()
	listings, _, err := t.pool.Listings(ctx, servers.Of(s))
	if err != nil {
		return // reported when browsing
	}
	catalog := gateway.NewDirectory(nil, listings).Catalog(gateway.Tool)
	var all []invoke.Capability
	for i := range catalog.Len() {
		all = append(all, strippedOf(catalog.At(i), true))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stripped = all
}

// Listed adds every tool without an entry of its own, without arguments, to a list: those of the file, and those of
// the servers.
func (t *Tools) Listed(list, all []invoke.Capability) []invoke.Capability {
	list = slices.Clone(list)
	for _, c := range all {
		if c.Surfaces == nil {
			list = append(list, strippedOf(itemOf(c.Descriptor), c.PolicyRequired.Upstream))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(list, t.stripped...)
}

// strippedOf is a list entry for a tool. It is never called, because its name is an id. Its version is a digest of
// its content.
func strippedOf(item gateway.Item, upstream bool) invoke.Capability {
	line := item.Strip()
	d := capability.Descriptor{ID: line.Name, Description: line.Description, SideEffects: capability.None}
	d.PolicyRequired.Upstream = upstream
	sum := sha256.Sum256(fmt.Append(nil, line.Description, item.SideEffects))
	d.Version = hex.EncodeToString(sum[:8])
	if item.SideEffects {
		d.SideEffects = capability.Destroys
	}
	return invoke.Capability{Descriptor: d}
}

// itemOf converts a capability of the file to an item of the catalog.
func itemOf(d capability.Descriptor) gateway.Item {
	// The version changes with descriptions, which does not make it another tool.
	var shape struct {
		Properties map[string]struct{} `json:"properties"`
		Required   []string            `json:"required"`
	}
	shape.Properties = map[string]struct{}{}
	for _, f := range d.InputShape.Fields {
		shape.Properties[f.Name] = struct{}{}
		if f.Required {
			shape.Required = append(shape.Required, f.Name)
		}
	}
	schema, err := json.Marshal(shape)
	if err != nil {
		panic(err) // it only contains names
	}
	id, err := gateway.ToolID(gateway.Signature{Server: gateway.OwnNamespace, Name: d.ID, InputSchema: schema})
	if err != nil {
		panic(fmt.Sprintf("gateway: %s can have no id: %v", d.ID, err)) // the registry would have refused it
	}
	item := gateway.Item{
		ID: id.String(), Kind: gateway.Tool, Namespace: id.Namespace, Name: d.ID, Description: d.Description,
		HasSchema: true, SideEffects: d.SideEffects != capability.None,
	}
	switch d.SideEffects {
	case capability.None:
		item.Tags = []string{"read-only"}
	case capability.Destroys:
		item.Tags = []string{"destructive"}
	case capability.Writes:
	}
	if d.InputShape.NodeType != "" {
		item.Types = []string{d.InputShape.NodeType}
	}
	for _, f := range d.InputShape.Fields {
		if f.Rare {
			continue
		}
		item.Parameters = append(item.Parameters, f.Name)
		if f.NodeType != "" && !slices.Contains(item.Types, f.NodeType) {
			item.Types = append(item.Types, f.NodeType)
		}
	}
	return item
}

// directory is what one kind of caller may browse.
type directory struct {
	key [sha256.Size]byte
	*gateway.Directory
	own     map[string]capability.Descriptor     // by tool id
	servers map[string]gateway.Server            // by name
	listed  map[string]string                    // ids of resources, by server name and address
	texts   map[gateway.Kind]func() *embed.Texts // made on first use
	down    []unavailable                        // unavailable servers in this call
}

// unavailable is an unavailable server with its namespace.
type unavailable struct {
	upstream.Unavailable
	space string
}

// isDown returns why a server of a namespace is unavailable, nil if none is.
func (d directory) isDown(space string) *gateway.Error {
	if at := slices.IndexFunc(d.down, func(u unavailable) bool { return u.space == space }); at >= 0 {
		return d.down[at].Problem
	}
	return nil
}

// resolve returns the entry for an id, see [gateway.Directory.Resolve]. The id of an unavailable server is not
// reported as wrong. Names of the file's own tools also count as ids.
func (d directory) resolve(s *session, kind gateway.Kind, id string) (gateway.Entry, *gateway.Selection, error) {
	names := map[string]string{}
	if kind == gateway.Tool {
		for item, own := range d.own {
			names[own.ID], names[capability.ToolName(own.ID)] = item, item
		}
	}
	if kind == gateway.Resource {
		if entry, is, err := d.linkedBy(id); is {
			return entry, nil, err
		}
	}
	entry, selected, err := d.Resolve(kind, id, s.shown(), names)
	if meant, malformed := gateway.ParseID(strings.TrimSpace(id)); err != nil && malformed == nil {
		if down := d.isDown(meant.Namespace); down != nil {
			return entry, selected, down
		}
	}
	if err != nil {
		_, rest, is := strings.Cut(id, "::")
		if !is {
			rest = id
		}
		space, name, _ := strings.Cut(strings.TrimSpace(rest), ":")
		name, _, _ = strings.Cut(name, "#")
		err = d.withLeftOut(err, space, name)
	}
	return entry, selected, err
}

// withLeftOut is the error of what is not there with why it may not be: what is left out of the server
// of a namespace, of this name before others.
func (d directory) withLeftOut(err error, space, name string) error {
	var why []string
	for _, p := range d.Problems() {
		if s, known := d.servers[p.Path]; !known || s.Space() != space {
			continue
		}
		if name != "" && strings.Contains(p.Message, quote.Text(gateway.Visible(name), 80)) {
			why = []string{p.Message}
			break
		}
		why = append(why, p.Message)
	}
	var e *gateway.Error
	if len(why) == 0 || !errors.As(err, &e) {
		return err
	}
	more := "; " + why[0]
	if len(why) > 1 {
		more += fmt.Sprintf(", and %d more, see gateway_show", len(why)-1)
	}
	copied := *e
	copied.Message = fault.Add(e.Message, more)
	return &copied
}

// permitted are listings without the tools that policies let the caller nowhere call; nil if these are all.
func permitted(a *kg.Authority, d *gateway.Directory, listings []gateway.Listing) (some []gateway.Listing) {
	forbidden := map[string]bool{}
	for i := range d.Catalog(gateway.Tool).Len() {
		e, err := d.Find(gateway.Tool, d.Catalog(gateway.Tool).At(i).ID)
		if err == nil && e.Server != "" && !a.Lists(descriptorOf(e, capability.Descriptor{PolicyRequired: executes})) {
			forbidden[e.Server+" "+e.Offered.Name] = true
		}
	}
	if len(forbidden) == 0 {
		return nil
	}
	for _, l := range listings {
		l.Offered = slices.DeleteFunc(slices.Clone(l.Offered), func(o gateway.Offered) bool {
			return o.Kind == gateway.Tool && forbidden[l.Server.Name+" "+o.Name]
		})
		some = append(some, l)
	}
	return some
}

// mostDirectories bounds those that are kept: as many kinds of callers can browse in turn.
const mostDirectories = 4

// directoryFor returns what the caller may browse. An unavailable server is in down; an unavailable required server
// is an error.
func (t *Tools) directoryFor(ctx context.Context, r *invoke.Request) (directory, error) {
	own, err := r.Tools(ctx)
	if err != nil {
		return directory{}, err
	}
	named, version := servers.Of(r.Snapshot), r.Snapshot.Head().SchemaSeq
	r.Release() // servers may have to be started
	generation := t.pool.Generation()
	listings, down, err := t.pool.Listings(ctx, named)
	if err != nil {
		return directory{}, gateway.AsFault(err)
	}
	var missing []unavailable
	for _, u := range down {
		if at := slices.IndexFunc(named, func(k gateway.Kept) bool { return k.Name == u.Server }); at >= 0 {
			missing = append(missing, unavailable{u, named[at].Space()})
		}
	}
	made := fmt.Appendln(nil, generation, version, r.Authority().Key()) // all of what the directory is made from
	for _, l := range listings {
		own, _ := auth.CredentialsOf(ctx).For(l.Server.Name)
		if !l.Server.PerCaller() {
			own = auth.Credential{}
		}
		made = fmt.Appendln(made, l.Server.Name, len(l.Offered), own.Key())
	}
	own = slices.DeleteFunc(own, func(d *capability.Descriptor) bool { return slices.Contains(names, d.ID) })
	for _, d := range own {
		made = append(append(append(append(made, d.ID...), ' '), d.Version...), '\n')
	}
	key := sha256.Sum256(made)
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.IndexFunc(t.recent, func(d directory) bool { return d.key == key }); at >= 0 {
		d := t.recent[at]
		copy(t.recent[1:], t.recent[:at])
		t.recent[0] = d
		d.down = missing
		return d, nil
	}
	d := directory{key: key, own: map[string]capability.Descriptor{}, servers: map[string]gateway.Server{}, texts: map[gateway.Kind]func() *embed.Texts{}}
	for _, l := range listings {
		d.servers[l.Server.Name] = l.Server
	}
	var items []gateway.Item
	for _, one := range own {
		item := itemOf(*one)
		items = append(items, item)
		d.own[item.ID] = *one
	}
	d.Directory = gateway.NewDirectory(items, listings)
	if permitted := permitted(r.Authority(), d.Directory, listings); permitted != nil {
		d.Directory = gateway.NewDirectory(items, permitted)
	}
	d.listed = map[string]string{}
	for i := range d.Catalog(gateway.Resource).Len() {
		if e, err := d.Find(gateway.Resource, d.Catalog(gateway.Resource).At(i).ID); err == nil && !e.Offered.Template {
			d.listed[e.Server+" "+e.Offered.URI] = e.Item.ID
		}
	}
	for _, kind := range []gateway.Kind{gateway.Tool, gateway.Resource, gateway.Prompt} {
		catalog := d.Catalog(kind)
		d.texts[kind] = sync.OnceValue(func() *embed.Texts { return embed.NewTexts(catalog.Texts()) })
	}
	t.recent = slices.Insert(t.recent[:min(len(t.recent), mostDirectories-1)], 0, d)
	d.down = missing
	return d, nil
}
