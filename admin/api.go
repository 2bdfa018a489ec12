package admin

import (
	"net/http"
	"strings"

	"trails/auth"
	"trails/capability"
	"trails/capability/project"
	"trails/httpapi"
)

// apiData is what the page of operations shows.
type apiData struct {
	Groups []capabilityGroup
	Routes []project.Route
}

// api answers what programs call: every operation of /openapi.json with its fields. Its try-it
// is the form of the capability.
func (s *site) api(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	tools, err := s.engine.ToolsOn(r.Context(), auth.PrincipalOf(r.Context()), stateOf(r).Branch)
	if err != nil {
		return err
	}
	data := apiData{Groups: grouped(tools.Descriptors)}
	for _, route := range httpapi.Routes() {
		if len(route.Answers) > 0 {
			data.Routes = append(data.Routes, route)
		}
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "API", Nav: "capabilities", Main: data.main, Live: live{Mode: "notice"}, Crumbs: []link{{"Capabilities", "/admin/capabilities"}},
		Twins: []twin{
			{"OpenAPI 3.1", "application/json", "/openapi.json"}, {"WoT Thing Description", "application/td+json", "/.well-known/wot"},
			{"JSON-LD", "application/ld+json", "/.well-known/capabilities?format=jsonld"},
		},
	})
}

// fieldType says of a field what people call its type: "list of iri (Note)".
func fieldType(f capability.Field) string {
	name := string(f.Type)
	if f.NodeType != "" {
		name += " (" + f.NodeType + ")"
	}
	if f.Many {
		name = "list of " + name
	}
	return name
}

// isPlainGet reports a route that a link can follow as it is.
func isPlainGet(route project.Route) bool {
	return strings.HasPrefix(route.Methods, "GET") && !strings.Contains(route.Path, "{")
}
