package auth

import (
	"net/http"
	"strings"

	"trails/auth/oidc"
	"trails/auth/policy"
)

// MetadataPath is the address of [Metadata]. Behind it stands the path of the resource, if it has one (RFC 9728, section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// ServerPath is the address of the metadata of the authorization server (RFC 8414, section 3).
const ServerPath = "/.well-known/oauth-authorization-server"

// AuthorizePath is the page on which a person decides about a client (RFC 6749, section 3.1).
const AuthorizePath = "/admin/authorize"

// mcpPath is the path of the resource that is for agents. Clients of MCP ask for tokens for its address, all others for
// tokens for the server's.
const mcpPath = "/mcp"

// Metadata is what clients read to find out where they get a token (RFC 9728, section 2).
type Metadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// Metadata returns what is at an address below [MetadataPath]; ok is false if there is nothing, and if there is neither an
// authorization server here nor an identity provider. With both it names the one here, where people sign in to the other. It
// says nothing of the graph, since it is for callers who have no token yet.
func (r *Resolver) Metadata(req *http.Request) (m Metadata, ok bool) {
	path, is := strings.CutPrefix(req.URL.Path, MetadataPath)
	if !is || r.opts.Provider == nil && r.opts.Server == "" || path != "" && path != mcpPath {
		return m, false
	}
	return Metadata{
		Resource: Base(req) + path,
		Servers:  []string{r.server()},
		Scopes:   r.scopeNames(r.opts.Scopes),
		Methods:  []string{"header"},
		Name:     "trails",
	}, true
}

// Server is the issuer of the authorization server of this process, "" if there is none.
func (r *Resolver) Server() string { return r.opts.Server }

// Provider is the identity provider, nil if there is none.
func (r *Resolver) Provider() *oidc.Provider { return r.opts.Provider }

// server is the issuer to which clients are sent.
func (r *Resolver) server() string {
	if r.opts.Server == "" && r.opts.Provider != nil {
		return r.opts.Provider.Issuer()
	}
	return r.opts.Server
}

// scopeNames are what scopes are called there.
func (r *Resolver) scopeNames(scopes policy.Scopes) []string {
	if r.opts.Server == "" {
		return r.opts.Provider.ScopeNames(scopes)
	}
	return scopes.List()
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
