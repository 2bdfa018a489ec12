// Package surface chooses the capabilities in a list of tools. A model pays for every listed tool before its first
// call. So a list has the typed tools if they are few, otherwise the generic ones that do the same for any type, and
// with very many tools those of the gateway, with which a model finds and calls the others. Tools that are not listed
// can still be called by name.
//
// Read [Mode] first.
package surface

import (
	"fmt"
	"slices"

	"trails/capability"
	"trails/capability/project"
	"trails/invoke"
	"trails/text/jsontext"
	"trails/text/tokens"
)

// Mode is a way to choose.
type Mode string

// The modes.
const (
	Auto    Mode = "auto"    // Gateway if a capability asks for it, else the first of Full and Compact that costs at most Budget tokens, else Gateway
	Full    Mode = "full"    // a set of typed tools for each type
	Compact Mode = "compact" // generic tools, as many for any number of types
	Gateway Mode = "gateway" // tools that search for others and call them
	Proxy   Mode = "proxy"   // every tool without its arguments, and tools that return the arguments and call it
)

// Modes lists them.
func Modes() []Mode { return []Mode{Auto, Full, Compact, Gateway, Proxy} }

// Budget is the maximum number of tokens of a list in mode Auto: names, descriptions and input schemas, counted as
// cl100k_base.
const Budget = 5_000

// Choose returns the function that selects the listed tools in a mode.
func (m Mode) Choose(all []invoke.Capability) []invoke.Capability {
	has := func(m Mode) []invoke.Capability {
		return with(all, func(c invoke.Capability) bool {
			if c.Surfaces != nil {
				return slices.Contains(c.Surfaces, string(m)) && (c.Wanted == nil || c.Wanted())
			}
			return m == Full || m == Compact && !c.Typed
		})
	}
	if m != Auto {
		return has(m)
	}
	if len(has(Auto)) > 0 {
		return has(Gateway)
	}
	for _, choice := range []Mode{Full, Compact} {
		if list := has(choice); affordable(list) {
			return list
		}
	}
	if list := has(Gateway); len(list) > 0 {
		return list
	}
	return has(Compact)
}

func with(all []invoke.Capability, wanted func(invoke.Capability) bool) []invoke.Capability {
	var out []invoke.Capability
	for _, c := range all {
		if wanted(c) {
			out = append(out, c)
		}
	}
	return out
}

// affordable reports whether a list costs at most Budget tokens. A token has between one and about eight bytes in
// tool lists, so most lists are decided without counting.
func affordable(list []invoke.Capability) bool {
	text := ""
	for _, c := range list {
		text += Shown(c.Descriptor)
	}
	return len(text) <= Budget || len(text) <= 8*Budget && tokens.Count(text) <= Budget
}

// Shown is what a model sees of a tool: name, description and input schema. Hosts keep the title for people, and _meta
// for themselves.
func Shown(d capability.Descriptor) string {
	tool := project.MCPTool(d, project.Process{})
	text, err := jsontext.Marshal(struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		InputSchema any    `json:"inputSchema"`
	}{tool.Name, tool.Description, tool.InputSchema})
	if err != nil {
		panic(fmt.Sprintf("surface: %s is no JSON: %v", d.ID, err)) // the projection has written it
	}
	return string(text)
}
