// Package surface chooses which capabilities a list of tools has. A model pays for every
// tool that it is shown, before its first call: a list has the typed tools where these are
// few, else the generic ones that do the same for any type, and where there are very many
// those of the gateway, by which a model finds and calls the others. What is not listed can
// be called by name all the same.
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

// Mode names a choice.
type Mode string

// The modes.
const (
	Auto    Mode = "auto"    // Gateway where a capability says so, else the first of Full and Compact that costs at most Budget tokens, else Gateway
	Full    Mode = "full"    // a set of typed tools for each type
	Compact Mode = "compact" // generic tools, as many for any number of types
	Gateway Mode = "gateway" // tools that find others and call them
	Proxy   Mode = "proxy"   // every tool without its arguments, and what asks for these and calls it
)

// Modes lists them.
func Modes() []Mode { return []Mode{Auto, Full, Compact, Gateway, Proxy} }

// Budget is how many tokens of a list Auto lets a model read: of names, descriptions and
// input schemas, counted as cl100k_base.
const Budget = 5_000

// Choose returns what lists tools in a mode.
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

// affordable reports that a list costs at most Budget tokens. A token is at least a byte,
// and of tool lists eight bytes at most, about: most lists are judged without counting.
func affordable(list []invoke.Capability) bool {
	text := ""
	for _, c := range list {
		text += Shown(c.Descriptor)
	}
	return len(text) <= Budget || len(text) <= 8*Budget && tokens.Count(text) <= Budget
}

// Shown is what a model reads of a tool: name, description and input schema.
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
