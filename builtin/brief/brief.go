// Package brief writes what agents and people read before their first call: the guide to a graph, prompts and skills,
// with examples from the graph.
//
// Read [Providers] first, then guide.go.
package brief

import (
	"slices"

	"trails/invoke"
)

// Providers returns the guide, the prompts, the skills, and the capabilities by which the doors reach them.
func Providers() []invoke.Provider {
	return []invoke.Provider{invoke.Fixed(invoke.Offer{
		Capabilities: slices.Concat([]invoke.Capability{describeType, new(guides).capability()}, promptCapabilities, skillCapabilities),
		Resources:    skillResources(),
		Prompts:      prompts,
	})}
}
