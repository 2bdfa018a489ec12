package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"trails/httpapi/accept"
)

// guide is what GET / tells a program, or a person without pages.
var guide = [][2]string{
	{"GET  /admin", "pages for people"},
	{"POST /mcp", "Model Context Protocol, Streamable HTTP"},
	{"GET  /sse, POST /messages", "Model Context Protocol, for old clients"},
	{"POST /invoke/{capability}", "one call; the body is its arguments as JSON"},
	{"POST /invoke", `up to 100 calls in order: {"calls": [{"capability", "arguments"}]}`},
	{"GET  /capabilities", "what can be called"},
	{"GET  /.well-known/capabilities", "the same, as JSON-LD"},
	{"GET  /queries", "the stored queries"},
	{"GET  /queries/{name}?param=value", "the answer to a stored query"},
	{"POST /queries/{name}", `the same, and stored updates; the body is {"params": {…}}`},
	{"GET, POST /sparql", "SPARQL 1.1: queries, updates; without either, a description"},
	{"GET, PUT, POST, DELETE /rdf-graphs?graph=IRI", "SPARQL 1.1 Graph Store, or ?default"},
	{"GET  /kg", "the types"},
	{"GET  /kg/{Type}?where=field=value&limit=&offset=", "entities of a type"},
	{"GET  /kg/{Type}/{id}", "one entity, as JSON-LD"},
	{"GET  /schema", "types, properties and constraints"},
	{"GET  /commits?limit=&before=", "history, newest first"},
	{"GET  /commits/{id}", "one commit and its changes"},
	{"GET  /prov", "the latest activities, as PROV-O JSON-LD"},
	{"GET  /stats", "counts"},
	{"GET  /doctor", "what is wrong, if anything"},
	{"GET  /health", "alive, version, head commit"},
	{"GET  /ready", "whether calls are welcome now"},
	{"GET  /metrics", "numbers for Prometheus"},
}

const guideEnd = `
?format=json, jsonld, turtle, markdown or html chooses a form, as Accept does.
`

// index tells programs what there is and sends a browser to the pages.
func (s *server) index(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "Accept")
	if s.opts.Admin != nil && accept.Choose(r, "text/plain", "text/html") == 1 {
		w.Header().Set("Location", "/admin")
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	var b strings.Builder
	b.WriteString("trails: a versioned graph in one file\n\n")
	for _, a := range guide {
		fmt.Fprintf(&b, "%-50s %s\n", a[0], a[1])
	}
	b.WriteString(guideEnd)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the connection may be closed
	return nil
}
