// Package view has the read capabilities for pages and agents: tables, nodes, their history and neighbourhood,
// commits, suggestions, and the trails:// addresses.
//
// Read [Providers] first, then list.go for a view and resource.go for an address.
package view

import (
	"trails/invoke"
)

// Providers returns the views. They can be called by id and are not tools, because an agent reads the same through
// resources with far fewer tokens.
func Providers() []invoke.Provider {
	return []invoke.Provider{
		invoke.Fixed(invoke.Offer{
			Capabilities: []invoke.Capability{resourceReadCapability, entitiesList, entityGet, entityHistory, commitPage, entityGraph, suggest},
			Resources: []invoke.Resource{
				Forms{Resource: invoke.Resource{URI: "trails://kg/types", Name: "kg-types", Title: "Types", MIME: mimeJSON,
					Description: "Every type with its description, address and number of instances."}, JSON: kgTypes}.Offered(),
				everyType,
				{URI: "trails://prov/latest", Name: "prov-latest", Title: "Latest provenance", MIME: mimeJSONLD,
					Description: "The latest 100 calls as PROV-O activities: who, what, when, with which outcome and commit.", Read: provLatest, Newest: true},
			},
		}),
		typeResources{},
	}
}
