package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"trails/auth"
	"trails/capability/project"
	"trails/httpapi/accept"
	"trails/httpapi/sse"
)

// Media types of what routes answer and take.
var (
	mediaJSON      = []string{"application/json"}
	mediaLinked    = append([]string{"application/json"}, mediaOf(graphForms)...)
	mediaManifest  = []string{"application/json", "application/ld+json", "text/markdown", "text/html"}
	mediaThing     = []string{"application/td+json", "application/ld+json", "application/json"}
	mediaGraphs    = []string{"application/n-triples", "text/turtle", "application/n-quads", "application/trig", "application/ld+json", "application/rdf+xml"}
	mediaQuery     = []string{"application/sparql-query", "application/sparql-update", "application/x-www-form-urlencoded"}
	mediaForm      = []string{"application/x-www-form-urlencoded"}
	mediaSolutions = append([]string{"application/sparql-results+json", "application/sparql-results+xml", "text/csv", "text/tab-separated-values"}, mediaOf(graphForms)...)
	mediaStored    = append(mediaJSON[:1:1], mediaSolutions...)
)

// guide lists the fixed addresses, for GET / and /openapi.json.
var guide = []project.Route{
	{Methods: "GET", Path: "/admin", Says: "pages for people"},
	{Methods: "POST", Path: "/mcp", Says: "Model Context Protocol, Streamable HTTP"},
	{Methods: "GET", Path: project.CardPath, Says: "how to connect to that, before one does (SEP-2127)", Answers: []string{project.MediaCard}},
	{Methods: "GET", Path: project.CatalogPath, Says: "where that is, as an AI Catalog", Answers: []string{project.MediaCatalog}},
	{Methods: "GET", Path: "/sse", Says: "Model Context Protocol, for old clients"},
	{Methods: "POST", Path: "/messages", Says: "what those send"},
	{Methods: "POST", Path: "/invoke/{capability}", Says: "one call; the body is its arguments as JSON"},
	{Methods: "GET", Path: "/invoke/{capability}", Query: "arguments={…}", Says: "one call that only reads", Answers: mediaJSON},
	{Methods: "POST", Path: "/invoke", Says: `up to 100 calls in order: {"calls": [{"capability", "arguments"}]}`, Answers: mediaJSON, Takes: mediaJSON},
	{Methods: "GET", Path: "/capabilities", Says: "what can be called", Answers: mediaManifest},
	{Methods: "GET", Path: "/capabilities/{id}/history", Says: "the versions of one, newest first", Answers: mediaJSON},
	{Methods: "GET", Path: "/.well-known/capabilities", Says: "the same, as JSON-LD", Answers: mediaManifest},
	{Methods: "GET", Path: "/openapi.json", Says: "the same, as OpenAPI 3.1", Answers: mediaJSON},
	{Methods: "GET", Path: "/.well-known/wot", Says: "the same, as a Thing Description 1.1", Answers: mediaThing},
	{Methods: "GET", Path: "/{agent}/card", Says: "the same; the agent is the graph's name", Answers: mediaThing},
	{Methods: "GET", Path: "/queries", Says: "the stored queries", Answers: mediaJSON},
	{Methods: "GET", Path: "/queries/{name}", Query: "{param}=value", Says: "the answer to a stored query", Answers: mediaStored},
	{Methods: "POST", Path: "/queries/{name}", Says: `the same, and stored updates; the body is {"params": {…}}`, Answers: mediaJSON, Takes: mediaJSON},
	{Methods: "GET, POST", Path: "/sparql", Query: "query=", Says: "SPARQL 1.1: queries, updates; without either, a description", Answers: mediaSolutions, Takes: mediaQuery},
	{Methods: "GET, POST", Path: "/reconcile", Query: "queries=", Says: "Reconciliation API 0.2, for OpenRefine; without queries, its manifest", Answers: mediaJSON, Takes: mediaForm},
	{Methods: "GET", Path: "/reconcile/suggest/{what}", Query: "prefix=", Says: "its suggestions: entity, type or property", Answers: mediaJSON},
	{Methods: "GET", Path: "/reconcile/preview", Query: "id=", Says: "its preview of one entity", Answers: []string{"text/html"}},
	{Methods: "GET", Path: "/reconcile/view", Query: "id=", Says: "leads to the entity with an id"},
	{Methods: "GET, PUT, POST, DELETE", Path: graphStore, Query: "graph=IRI", Says: "SPARQL 1.1 Graph Store, or ?default", Answers: mediaOf(graphForms), Takes: mediaGraphs},
	{Methods: "GET", Path: "/kg", Says: "the types", Answers: mediaJSON},
	{Methods: "GET", Path: "/kg/{Type}", Query: "where=field=value&limit=&offset=", Says: "entities of a type", Answers: mediaLinked},
	{Methods: "GET", Path: "/kg/{Type}/{id}", Says: "one entity, as JSON-LD", Answers: mediaLinked},
	{Methods: "GET", Path: "/schema", Says: "types, properties and constraints", Answers: mediaLinked},
	{Methods: "GET", Path: "/commits", Query: "limit=&before=", Says: "history, newest first", Answers: mediaJSON},
	{Methods: "GET", Path: "/commits/{id}", Says: "one commit and its changes", Answers: mediaJSON},
	{Methods: "GET", Path: "/changes", Query: "start=&cursor=&branch=", Says: "what commits changed, oldest first; also as events", Answers: append(mediaJSON[:1:1], sse.MediaType)},
	{Methods: "GET", Path: "/prov", Says: "the latest activities, as PROV-O JSON-LD", Answers: mediaLinked},
	{Methods: "GET", Path: "/stats", Says: "counts", Answers: mediaJSON},
	{Methods: "GET", Path: "/branches", Says: "branches", Answers: mediaJSON},
	{Methods: "GET", Path: "/doctor", Says: "what is wrong, if anything", Answers: mediaJSON},
	{Methods: "GET", Path: "/health", Says: "alive, version, head commit", Answers: mediaJSON},
	{Methods: "GET", Path: "/ready", Says: "whether calls are welcome now", Answers: mediaJSON},
	{Methods: "GET", Path: "/.well-known/oauth-protected-resource", Says: "where tokens come from (RFC 9728), with an identity provider or --oauth", Answers: mediaJSON},
	{Methods: "GET", Path: "/.well-known/oauth-protected-resource/mcp", Says: "the same, for agents", Answers: mediaJSON},
	{Methods: "GET", Path: "/.well-known/oauth-authorization-server", Says: "the authorization server (RFC 8414), with --oauth; at the host's root, too, with the path behind", Answers: mediaJSON},
	{Methods: "POST", Path: "/token", Says: "tokens for clients, by a code or a refresh token", Answers: mediaJSON, Takes: mediaForm},
	{Methods: "POST", Path: "/register", Says: "a client_id for a client that has no document of its own (RFC 7591)", Answers: mediaJSON, Takes: mediaJSON},
	{Methods: "POST", Path: "/revoke", Says: "ends what a person gave a client (RFC 7009)", Answers: mediaJSON, Takes: mediaForm},
	{Methods: "GET", Path: "/metrics", Says: "numbers for Prometheus", Answers: []string{"text/plain"}},
}

// Routes returns the fixed addresses; the caller may keep them.
func Routes() []project.Route { return slices.Clone(guide) }

const guideEnd = `
?format=json, jsonld, turtle, markdown, td or html chooses a form, as Accept does.
`

// index lists the addresses for programs, and redirects browsers to the pages.
func (s *server) index(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "Accept")
	if s.opts.Admin != nil && accept.Choose(r, "text/plain", "text/html") == 1 {
		w.Header().Set("Location", "/admin")
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	var b strings.Builder
	b.WriteString("trails: a versioned graph in one file\n\n")
	for _, route := range guide {
		address := fmt.Sprintf("%-4s %s", route.Methods, auth.Prefix(r)+route.Path)
		if route.Query != "" {
			address += "?" + route.Query
		}
		fmt.Fprintf(&b, "%-50s %s\n", address, route.Says)
	}
	b.WriteString(guideEnd)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the connection may be closed
	return nil
}
