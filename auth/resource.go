package auth

import (
	"net/http"
	"strings"
)

// MetadataPath is the address of [Metadata]. Behind it stands the path of the resource, if it has one (RFC 9728, section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// mcpPath is the path of the resource that is for agents. Clients of MCP ask for tokens for its address, all others for
// tokens for the server's.
const mcpPath = "/mcp"

// Metadata is what clients read to find the identity provider (RFC 9728, section 2).
type Metadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// Metadata returns what is at an address below [MetadataPath]; ok is false if there is nothing, and without an identity
// provider. It says nothing of the graph, since it is for callers who have no token yet.
func (r *Resolver) Metadata(req *http.Request) (m Metadata, ok bool) {
	path, is := strings.CutPrefix(req.URL.Path, MetadataPath)
	if !is || r.opts.Provider == nil || path != "" && path != mcpPath {
		return m, false
	}
	return Metadata{
		Resource: Base(req) + path,
		Servers:  []string{r.opts.Provider.Issuer()},
		Scopes:   r.opts.Provider.ScopeNames(r.opts.Scopes),
		Methods:  []string{"header"},
		Name:     "trails",
	}, true
}

// Audiences returns what tokens for the server at an origin are for (RFC 8707): its address, and that for agents. Loopback
// addresses go by the name localhost, too.
func Audiences(origin string) []string {
	all := []string{origin, origin + mcpPath}
	if loopback := strings.Replace(origin, "://127.0.0.1", "://localhost", 1); loopback != origin {
		all = append(all, loopback, loopback+mcpPath)
	}
	return all
}

// resourceOf returns the path of the resource that an address belongs to.
func resourceOf(path string) string {
	if path == mcpPath {
		return mcpPath
	}
	return ""
}
