package invoke

import (
	"slices"

	"trails/capability/project"
)

// Builtin returns the providers of what every graph has.
func Builtin() []Provider { return builtinProviders(nil) }

func builtinProviders(views []project.View) []Provider {
	d := &doctor{views: views}
	return []Provider{
		Fixed(Offer{Capabilities: builtins, Resources: d.resources()}),
		Fixed(Offer{Capabilities: viewCapabilities, Resources: viewResources}),
		typeResources{},
		Fixed(Offer{Capabilities: slices.Concat([]Capability{new(guides).capability()}, promptCapabilities), Prompts: prompts}),
		types{},
		Fixed(Offer{Capabilities: append(slices.Clone(metas), d.capability())}),
	}
}

// viewResources are those of the views.
var viewResources = []Resource{
	fixedResource{Resource{URI: "trails://kg/types", Name: "kg-types", Title: "Types", MIME: mimeJSON,
		Description: "Every type with its description, address and number of instances."}, kgTypes, nil, nil}.resource(),
	fixedResource{Resource{URI: "trails://prov/latest", Name: "prov-latest", Title: "Latest provenance", MIME: mimeJSONLD,
		Description: "The latest 100 calls as PROV-O activities: who, what, when, with which outcome and commit."}, provLatest, provTurtle, nil}.resource(),
}

// viewCapabilities are what pages and prompts ask: callable by id, and no tools, because an
// agent reads the same through resources at a fraction of the tokens.
var viewCapabilities = []Capability{resourceReadCapability, entitiesList, entityGet, entityHistory, commitPage, entityGraph, suggest}
