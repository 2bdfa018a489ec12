package admin

import (
	"net/http"

	"trails/auth"
	"trails/capability"
)

// capabilityGroup is the capabilities of one family.
type capabilityGroup struct {
	Title string
	// Anchor is what the group is linked by: "of-" and the first word of its ids, so that no
	// type has the id of another part of the page, as Main would.
	Anchor string
	Type   string // the node type that they are about; "" for others
	Items  []capability.Descriptor
}

// capabilitiesData is what the list of capabilities shows.
type capabilitiesData struct{ Groups []capabilityGroup }

// capabilities answers the list of all that this caller may do.
func (s *site) capabilities(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	tools, err := s.engine.ToolsOn(r.Context(), auth.PrincipalOf(r.Context()), stateOf(r).Branch)
	if err != nil {
		return err
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Capabilities", Nav: "capabilities", Main: capabilitiesData{grouped(tools.Descriptors)}.main, Live: live{Mode: "notice"},
		Twins: []twin{{"JSON", "application/json", "/capabilities?format=json"}, {"JSON-LD", "application/ld+json", "/capabilities?format=jsonld"}, {"Markdown", "text/markdown", "/capabilities?format=markdown"}},
	})
}

// grouped keeps the order of the list: built in, of each type, meta.
func grouped(list []capability.Descriptor) []capabilityGroup {
	var groups []capabilityGroup
	for _, d := range list {
		g := capabilityGroup{Title: "The graph", Anchor: "of-the-graph"}
		switch typeName := d.InputShape.NodeType; {
		case d.Kind() == capability.KindMeta:
			g = capabilityGroup{Title: "About trails itself", Anchor: "of-trails-itself"}
		case typeName != "":
			g = capabilityGroup{Title: typeName, Anchor: "of-" + d.Namespace(), Type: typeName}
		}
		if last := len(groups) - 1; last < 0 || groups[last].Title != g.Title {
			groups = append(groups, g)
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, d)
	}
	return groups
}

// effects say in words what a call does to the graph.
var effects = map[capability.SideEffects]string{
	capability.None: "reads", capability.Writes: "adds", capability.Destroys: "changes or removes",
}
