package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"trails/auth"
	"trails/capability/project"
	"trails/fault"
)

// isDiscovery reports whether an address is that of a document by which clients find the server before they have a token.
func isDiscovery(path string) bool { return path == project.CardPath || path == project.CatalogPath }

// cardOf returns what clients read of the server that a request came to.
func (s *server) cardOf(r *http.Request) (project.Card, error) {
	if s.opts.MCP == nil {
		return project.Card{}, fault.New(fault.NotFound, "no agents are served here")
	}
	if _, err := parameters(r); err != nil {
		return project.Card{}, err
	}
	token, err := s.auth.AsksForToken(r.Context())
	if err != nil {
		return project.Card{}, err
	}
	gives := s.opts.OAuth != nil || s.auth.Provider() != nil // an authorization server, to which clients are led
	return project.Card{Base: auth.Base(r), Version: s.opts.Version, Revisions: s.opts.Revisions, Token: token && !gives}, nil
}

// card answers GET /mcp/server-card.
func (s *server) card(w http.ResponseWriter, r *http.Request) error {
	c, err := s.cardOf(r)
	if err != nil {
		return err
	}
	return s.discovered(w, r, project.MediaCard, c.Document())
}

// catalog answers GET /.well-known/ai-catalog.json.
func (s *server) catalog(w http.ResponseWriter, r *http.Request) error {
	c, err := s.cardOf(r)
	if err != nil {
		return err
	}
	return s.discovered(w, r, project.MediaCatalog, project.Catalog([]project.CatalogEntry{c.Entry()}))
}

// catalog answers the same address of the process: the graphs that the caller may use, each with its own catalog. Pages of
// other origins do not see it, because callers see different ones.
func (s *graphsServer) catalog(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	entries := []project.CatalogEntry{}
	for _, g := range s.listed(r).Graphs {
		entries = append(entries, project.Card{Base: g.URL}.Nested())
	}
	body := project.Catalog(entries)
	w.Header().Set("Content-Type", project.MediaCatalog)
	return s.reply(w, r, contentTag(body), body)
}

// discovered writes a document that is the same for every caller, and that pages of all origins may read, as its
// specification wants.
func (s *server) discovered(w http.ResponseWriter, r *http.Request, media string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", http.MethodGet)
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	return s.cached(w, r, contentTag(body), "public, max-age=300", body)
}

// contentTag is the entity tag of an answer that depends on more than a commit.
func contentTag(body []byte) string {
	sum := sha256.Sum256(body)
	return entityTag(hex.EncodeToString(sum[:8]), "")
}
