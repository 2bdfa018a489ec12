package httpapi

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/auth"
	"trails/capability/project"
	"trails/fault"
)

// listing is an address with a document made from the descriptors that the caller may see. All listings have the same
// entity tag, so a caller of one can read another one with If-Match, and gets the same descriptors or 412.
type listing struct {
	address // without uri
	write   func(l project.Listing, form string) ([]byte, error)
}

// listings are all of them.
var listings = []listing{
	{address{pattern: "/capabilities", forms: []string{"json", "jsonld", "markdown"}, page: pageAt("/admin/capabilities")}, writeManifest},
	{address{pattern: "/.well-known/capabilities", forms: []string{"jsonld", "json", "markdown"}, page: pageAt("/admin/capabilities")}, writeManifest},
	{address{pattern: "/openapi.json", forms: []string{"json"}}, writeOpenAPI},
	{address{pattern: "/.well-known/wot", forms: things}, writeThing},
	{address{pattern: "/{agent}/card", forms: things}, writeThing},
}

// things are the forms of a Thing Description, which is JSON-LD.
var things = []string{"td", "jsonld", "json"}

func writeThing(l project.Listing, _ string) ([]byte, error) { return l.Thing() }

func writeOpenAPI(l project.Listing, _ string) ([]byte, error) { return l.OpenAPI(guide) }

func writeManifest(l project.Listing, form string) ([]byte, error) {
	switch form {
	case "jsonld":
		return l.LinkedManifest()
	case "markdown":
		return l.Markdown(), nil
	}
	return l.Manifest()
}

// list answers with a listing in the preferred form.
func (s *server) list(d listing) func(http.ResponseWriter, *http.Request) error {
	return s.negotiated(d.address, func(w http.ResponseWriter, r *http.Request, offers []form, chosen form) error {
		if _, err := parameters(r, "format"); err != nil {
			return err
		}
		tools, err := s.engine.Tools(r.Context(), auth.PrincipalOf(r.Context()).Through("http"))
		if err != nil {
			return err
		}
		if agent := chi.URLParam(r, "agent"); agent != "" && agent != tools.Process.Graph {
			return fault.New(fault.NotFound, "there is no agent %q here; there is %s", agent, tools.Process.Graph)
		}
		digest := tools.Version + "-" + tools.Audience
		if err := sameDescriptors(r, digest); err != nil {
			return err
		}
		l := project.Listing{Version: tools.Version, Descriptors: tools.Descriptors, Process: tools.Process, Base: auth.Base(r), Cache: &s.shown}
		if l.Process.Token, err = s.auth.AsksForToken(r.Context()); err != nil {
			return err
		}
		if s.opts.Admin != nil {
			l.Process.Changes = "admin/events"
		}
		body, err := d.write(l, chosen.name)
		if err != nil {
			return err
		}
		linkTwins(w, r, d.address, offers, chosen)
		media := chosen.media
		if strings.HasPrefix(media, "text/") {
			media += "; charset=utf-8"
		}
		w.Header().Set("Content-Type", media)
		tagged := ""
		if chosen != offers[0] {
			tagged = chosen.name
		}
		return s.reply(w, r, entityTag(digest, tagged), body)
	})
}

// sameDescriptors refuses a read if the descriptors are not those of If-Match (RFC 9110, section 13.1.1).
func sameDescriptors(r *http.Request, digest string) error {
	tags, any, err := tagsOf(r.Header, "If-Match")
	if err != nil || any || len(tags) == 0 || names(tags, digest) {
		return err
	}
	return fault.New(fault.Precondition, "what can be called is not as you read it: it is now %s; read the documents again, the first without If-Match", digest)
}
