// Package builtin is what every graph offers: the capabilities that read and write it,
// those of each type, and those about the system itself.
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

// Providers returns all that a graph offers by itself, with what pages and agents read
// (package view), and the instructions and prompts (package brief).
func Providers() []invoke.Provider { return Options{}.Providers() }

// Options is what a process decides about what its graphs offer. The zero value is good.
type Options struct {
	// StoredTools is how many exposed stored queries are at most tools of their own; 0 is
	// [StoredTools], and less than 0 none. Beyond it a list has two tools for all of them.
	StoredTools int
	// Upstreams reaches the upstream servers that the file names; nil reaches none.
	Upstreams *upstream.Pool
	// Embedder reaches the endpoint of embeddings that the settings of the gateway name; nil
	// reaches none.
	Embedder *embed.Embedder
	// Gateway offers their tools and those of the graph to an agent that finds them; nil is
	// one on Upstreams and Embedder.
	Gateway *tools.Tools
}

// Providers is [Providers] with options.
func (o Options) Providers() []invoke.Provider { return o.providers(nil) }

// providers has a doctor that looks at these views of capabilities; nil means all.
func (o Options) providers(views []project.View) []invoke.Provider {
	d := &doctor{views: views}
	if o.Upstreams == nil {
		o.Upstreams = upstream.Open(upstream.Config{})
	}
	d.pool = o.Upstreams
	if o.Embedder == nil {
		o.Embedder = embed.Open(embed.Config{})
	}
	if o.Gateway == nil {
		o.Gateway = tools.New(o.Upstreams, o.Embedder, false)
	}
	return slices.Concat(
		[]invoke.Provider{invoke.Fixed(invoke.Offer{Capabilities: slices.Concat(builtins, found, verbs), Resources: d.resources()}), o.Gateway},
		view.Providers(),
		brief.Providers(),
		[]invoke.Provider{types{}, invoke.Fixed(invoke.Offer{Capabilities: append(slices.Concat(metas, generators, migrateMetas, promotions, upstreams{o.Upstreams, o.Embedder}.capabilities()), d.capability(), artifactsList)}), storedQueries{cmp.Or(o.StoredTools, StoredTools)}},
	)
}
