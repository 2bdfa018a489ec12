// Package builtin is what every graph offers: the capabilities that read and write it,
// those of each type, and those about the system itself.
//
// Read [Providers] first, then the table in builtin.go and one handler.
package builtin

import (
	"slices"

	"trails/brief"
	"trails/capability/project"
	"trails/invoke"
	"trails/view"
)

// Providers returns all that a graph offers by itself, with what pages and agents read
// (package view), and the instructions and prompts (package brief).
func Providers() []invoke.Provider { return providers(nil) }

// providers has a doctor that looks at these views of capabilities; nil means all.
func providers(views []project.View) []invoke.Provider {
	d := &doctor{views: views}
	return slices.Concat(
		[]invoke.Provider{invoke.Fixed(invoke.Offer{Capabilities: slices.Concat(builtins, verbs), Resources: d.resources()})},
		view.Providers(),
		brief.Providers(),
		[]invoke.Provider{types{}, invoke.Fixed(invoke.Offer{Capabilities: append(slices.Concat(metas, generators), d.capability())}), storedQueries{}},
	)
}
