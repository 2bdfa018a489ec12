package project

import (
	_ "embed" // for icon
	"encoding/base64"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
)

// ServerTitle and ServerDescription are of the server in its handshake, in the server card, in the entry of the registry
// (server.json) and in the bundle. They say nothing of a graph, because whoever reads them may have no rights yet.
const (
	ServerTitle       = "Trails knowledge graph"
	ServerDescription = "A versioned, typed knowledge graph in one SQLite file that agents read and write."
)

//go:embed icon.png
var icon []byte

// IconSize is the width and height of the icon.
const IconSize = "48x48"

// Icon returns the icon of the server as a data: URI: a PNG, which every client that shows icons can show. It is that of
// the pages (admin/static/icon.svg).
func Icon() string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(icon) }

// Media types of what clients read before they connect.
const (
	MediaCard    = "application/mcp-server-card+json"
	MediaCatalog = "application/ai-catalog+json"
)

// Addresses of them. The first is that of the endpoint of MCP with a suffix, as the specification reserves it.
const (
	CardPath    = "/mcp/server-card"
	CatalogPath = "/.well-known/ai-catalog.json"
)

// Card is what a client needs to connect to a server over HTTP. As the specification wants, and because anybody may read
// it, it names nothing that is in the graph: no tools, and no types.
type Card struct {
	// Base is where the server's addresses begin, without a slash at the end.
	Base string
	// Version is the program's.
	Version string
	// Revisions are those of the protocol that the endpoint speaks.
	Revisions []string
	// Token means that callers bring a token, which no authorization server gives them.
	Token bool
}

// Document returns the server card (https://modelcontextprotocol.io/seps/2127-mcp-server-cards) as JSON.
func (c Card) Document() []byte {
	remote := object{"type": "streamable-http", "url": c.Base + "/mcp", "supportedProtocolVersions": c.Revisions}
	if c.Token {
		remote["headers"] = []object{{
			"name": "Authorization", "value": "Bearer {token}", "isRequired": true, "isSecret": true,
			"variables": object{"token": object{"description": "A token of the graph", "isRequired": true, "isSecret": true}},
		}}
	}
	publisher, name := c.names()
	labels := strings.Split(publisher, ".")
	if _, err := netip.ParseAddr(publisher); err != nil {
		slices.Reverse(labels)
	}
	return encode(object{
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    portableName(strings.Join(labels, ".")) + "/" + name, "version": c.Version,
		"title": ServerTitle, "description": ServerDescription, "remotes": []object{remote},
	})
}

// Entry returns the entry of the server in the catalog of its host: its card.
func (c Card) Entry() CatalogEntry { return c.entry(MediaCard, CardPath, "mcp") }

// Nested returns the entry of the server's own catalog in another one.
func (c Card) Nested() CatalogEntry { return c.entry(MediaCatalog, CatalogPath, "catalog") }

func (c Card) entry(media, at, kind string) CatalogEntry {
	publisher, name := c.names()
	return CatalogEntry{ID: "urn:air:" + portableName(publisher) + ":" + name + ":" + kind, Name: name, Type: media, URL: c.Base + at}
}

// names returns the host of the server, and its name among those of this host.
func (c Card) names() (publisher, name string) {
	u, err := url.Parse(c.Base)
	if err != nil {
		return "localhost", "trails" // the base of a request always parses
	}
	if name = path.Base(u.Path); name == "." || name == "/" {
		name = "trails"
	}
	return u.Hostname(), portableName(name)
}

// portableName replaces the characters that names in a card and in a catalog cannot have.
func portableName(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, text)
}

// CatalogEntry is an entry of an AI Catalog.
type CatalogEntry struct {
	ID   string `json:"identifier"`
	Name string `json:"displayName"`
	Type string `json:"type"` // a media type
	URL  string `json:"url"`
}

// Catalog returns an AI Catalog (https://ai-catalog.io/spec, version 0.9) as JSON.
func Catalog(entries []CatalogEntry) []byte {
	return encode(object{"specVersion": "0.9", "host": object{"displayName": ServerTitle}, "entries": entries})
}
