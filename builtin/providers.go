// Package builtin offers the capabilities that every graph has: those that read and write it, those of each type, and
// those about the system.
//
// Read [Providers] first, then the table in builtin.go and one handler.
package builtin

import (
	"cmp"
	"slices"

	"trails/builtin/brief"
	"trails/builtin/view"
	"trails/capability/project"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
)

// Providers returns the providers of every graph, including those for pages and agents (package view), and the
// instructions and prompts (package brief).
func Providers() []invoke.Provider { return Options{}.Providers() }

// Options are the settings of a process for its providers. The zero value works.
type Options struct {
	// StoredTools is the number of exposed stored queries up to which each is a tool; 0 is [StoredTools], less than 0
	// none. With more there are two tools for all of them.
	StoredTools int
	// Upstreams reaches the upstream servers of the file; nil reaches none.
	Upstreams *upstream.Pool
	// Embedder reaches the endpoint of embeddings in the gateway settings; nil reaches none.
	Embedder *embed.Embedder
	// Gateway offers upstream tools, and those of the graph, by search; nil makes one from Upstreams and Embedder.
	Gateway *tools.Tools
}

// Providers is [Providers] with options.
func (o Options) Providers() []invoke.Provider { return o.providers(nil) }

// providers uses these views of capabilities in the doctor; nil means all.
func (o Options) providers(views []project.Encoding) []invoke.Provider {
	d := &doctor{views: views}
	if o.Upstreams == nil {
		o.Upstreams = upstream.Open(upstream.Config{})
	}
	d.pool = o.Upstreams
	if o.Embedder == nil {
		o.Embedder = embed.Open(embed.Config{})
	}
	d.embedder = o.Embedder
	if o.Gateway == nil {
		o.Gateway = tools.New(o.Upstreams, o.Embedder, false)
	}
	searches := searcher{o.Embedder}
	return slices.Concat(
		[]invoke.Provider{invoke.Fixed(invoke.Offer{Capabilities: slices.Concat(searches.own(builtins), found, verbs), Resources: d.resources()}), o.Gateway},
		view.Providers(),
		brief.Providers(),
		[]invoke.Provider{types{}, invoke.Fixed(invoke.Offer{Capabilities: append(slices.Concat(metas, generators, migrateMetas, promotions, bundles, upstreams{o.Upstreams, o.Embedder}.capabilities()), d.capability(), artifactsList)}), storedQueries{cmp.Or(o.StoredTools, StoredTools), searches}},
	)
}
