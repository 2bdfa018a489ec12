// Package surface chooses which capabilities a list of tools has. A model pays for every
// tool that it is shown, before its first call: a list has the typed tools where these are
// few, and else the generic ones that do the same for any type. What is not listed can be
// called by name all the same.
//
// Read [Mode] first.
package surface

import (
	"fmt"

	"trails/capability"
	"trails/capability/project"
	"trails/invoke"
	"trails/jsontext"
	"trails/tokens"
)

// Mode names a choice.
type Mode string

// The modes.
const (
	Auto    Mode = "auto"    // Full while it costs at most Budget tokens, else Compact
	Full    Mode = "full"    // a set of typed tools for each type
	Compact Mode = "compact" // generic tools, as many for any number of types
)

// Modes lists them.
func Modes() []Mode { return []Mode{Auto, Full, Compact} }

// Budget is how many tokens of a list Auto lets a model read: of names, descriptions and
// input schemas, counted as cl100k_base.
const Budget = 5_000

// Choose returns what lists tools in a mode.
func (m Mode) Choose(all []invoke.Capability) []invoke.Capability {
	full := without(all, func(c invoke.Capability) bool { return c.Generic })
	compact := without(all, func(c invoke.Capability) bool { return c.Typed })
	if m == Compact || m != Full && !affordable(full) {
		return compact
	}
	return full
}

func without(all []invoke.Capability, unwanted func(invoke.Capability) bool) []invoke.Capability {
	var out []invoke.Capability
	for _, c := range all {
		if !unwanted(c) {
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
