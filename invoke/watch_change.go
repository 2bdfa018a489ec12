package invoke

import (
	"slices"

	"trails/kg"
)

// Change is a change of the graph, for watchers.
type Change struct {
	// Head is the new head commit's id in hex.
	Head string
	// Schema reports that tools and types may have changed. Then every address may have changed, including those of
	// removed types that are not listed here.
	Schema bool
	// Offer reports that providers offer other capabilities, resources or prompts. It is also set with Schema.
	Offer bool
	// Types names, sorted, the types of which an instance was made, changed or
	// removed, and their supertypes.
	Types []string
	// Instances are the addresses (see [Address]) of those instances, sorted, as
	// instances of each of their types and supertypes.
	Instances []string
	// Resync reports that Instances is empty although instances were changed: any of Types may have changed.
	Resync bool
}

// maxInstances bounds the addresses of one change.
const maxInstances = 4096

// changeOf converts changed instances to names and addresses.
func changeOf(m kg.Moved, touched kg.Touched) Change {
	c := Change{Head: m.Head.ID.String(), Schema: m.Schema, Resync: touched.Cut}
	for _, t := range touched.Types {
		c.Types = append(c.Types, t.Name)
		for _, super := range touched.Schema.Supertypes(t) {
			c.Types = append(c.Types, super.Name)
		}
	}
	for _, i := range touched.Instances {
		c.Instances = append(c.Instances, instanceAddresses(touched.Schema, i.Type, i.IRI)...)
	}
	return bounded(c)
}

// bounded sorts the lists and cuts instances that are too many.
func bounded(c Change) Change {
	c.Types, c.Instances = sorted(c.Types), sorted(c.Instances)
	c.Resync = c.Resync || len(c.Instances) > maxInstances
	if c.Resync {
		c.Instances = nil
	}
	return c
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}

// fold merges two changes, the older first, without changing them, because they may be shared.
func fold(old, news Change) Change {
	return bounded(Change{
		Head:      news.Head,
		Schema:    old.Schema || news.Schema,
		Offer:     old.Offer || news.Offer,
		Types:     slices.Concat(old.Types, news.Types),
		Instances: slices.Concat(old.Instances, news.Instances),
		Resync:    old.Resync || news.Resync,
	})
}
