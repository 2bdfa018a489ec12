package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/auth"
	"trails/fault"
	"trails/rdf/rdfio"
)

// address is a kind of address that can be read, in several forms.
type address struct {
	pattern string
	// uri is the trails:// address behind it, without a query.
	uri func(*http.Request) string
	// forms that it has, the default first.
	forms []string
	// page is the address of the page about it; nil when there is none.
	page func(*http.Request) string
	// steady means that the answer depends only on the head commit.
	steady bool
}

// addresses are the readable addresses of the graph.
var addresses = []address{
	{"/kg", fixed("trails://kg/types"), []string{"json"}, typesPage, true},
	{"/kg/{type}", entityURI, inGraphForms("json", "jsonld"), entityPage, true},
	{"/kg/{type}/*", entityURI, inGraphForms("jsonld", "json"), entityPage, true}, // a compound key contains slashes
	{"/schema", fixed("trails://schema"), inGraphForms("json"), pageAt("/admin/schema"), true},
	{"/prov", fixed("trails://prov/latest"), inGraphForms("jsonld"), nil, false},
	{"/stats", fixed("trails://stats"), []string{"json"}, nil, false},
	{"/branches", fixed("trails://branches"), []string{"json"}, nil, false},
	{"/doctor", fixed("trails://doctor"), []string{"json"}, nil, false},
}

// inGraphForms are the first forms, followed by all other formats of graphs.
func inGraphForms(first ...string) []string {
	for _, f := range rdfio.GraphForms {
		if !slices.Contains(first, f.Name) {
			first = append(first, f.Name)
		}
	}
	return first
}

func fixed(uri string) func(*http.Request) string {
	return func(*http.Request) string { return uri }
}

func pageAt(path string) func(*http.Request) string {
	return func(r *http.Request) string { return path + pageQuery(r) }
}

// pageQuery is the query of a page. A page is of a commit: that of a branch is of its head.
func pageQuery(r *http.Request) string {
	kept, err := url.ParseQuery(strings.TrimPrefix(query(r), "?"))
	if err != nil || !kept.Has("branch") {
		return query(r)
	}
	if !kept.Has("at") {
		kept.Set("at", kept.Get("branch"))
	}
	kept.Del("branch")
	return "?" + kept.Encode()
}

// typesPage is the overview, or the types of an earlier commit.
func typesPage(r *http.Request) string {
	if given := r.URL.Query(); given.Has("at") || given.Has("branch") {
		return pageAt("/admin/schema")(r)
	}
	return pageAt("/admin")(r)
}

// entityURI is the address of a type or an entity. The path stays escaped: an id that is a percent-encoded IRI is one
// segment with escaped slashes.
func entityURI(r *http.Request) string { return "trails:/" + r.URL.EscapedPath() }

// entityPage is the page of a type or an entity, whose id is one segment there.
func entityPage(r *http.Request) string {
	name, id, isEntity := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/kg/"), "/")
	if !isEntity {
		return "/admin/types/" + name + pageQuery(r)
	}
	if decoded, err := url.PathUnescape(id); err == nil {
		id = url.PathEscape(decoded)
	}
	return "/admin/types/" + name + "/" + id + pageQuery(r)
}

// read answers with the content of an address in the preferred form.
func (s *server) read(a address) func(http.ResponseWriter, *http.Request) error {
	return s.negotiated(a, func(w http.ResponseWriter, r *http.Request, offers []form, chosen form) error {
		return s.document(w, r, a, offers, chosen)
	})
}

// negotiated chooses a form of an address and calls write. Browsers are redirected to the page.
func (s *server) negotiated(a address, write func(w http.ResponseWriter, r *http.Request, offers []form, chosen form) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		offers := s.offers(a)
		w.Header().Add("Vary", "Accept")
		chosen, ok, err := negotiate(r, offers)
		switch {
		case err != nil:
			return err
		case !ok:
			refuseForms(w, r, a, offers)
			return nil
		case chosen.name == html:
			w.Header().Set("Location", a.page(r))
			w.WriteHeader(http.StatusSeeOther)
			return nil
		}
		return write(w, r, offers, chosen)
	}
}

func (s *server) document(w http.ResponseWriter, r *http.Request, a address, offers []form, chosen form) error {
	c := s.call(r, "", nil)
	c.Whole, c.Context = true, contextOf(r)
	if chosen != offers[0] {
		c.Format = chosen.name
	}
	doc, err := s.engine.Read(r.Context(), a.uri(r)+query(r), c)
	if err != nil {
		return err
	}
	linkTwins(w, r, a, offers, chosen)
	linkPages(w, r, doc.Page)
	nameWarnings(w.Header(), doc.Warnings)
	w.Header().Set("Content-Type", doc.MIME)
	etag := ""
	if a.steady && doc.Head != "" {
		etag = entityTag(doc.Head, c.Format)
	}
	return s.reply(w, r, etag, doc.Body)
}

// contextOf is the address of this server's JSON-LD context.
func contextOf(r *http.Request) string { return auth.Base(r) + "/schema?format=jsonld" }

// reply writes a document, or 304 if the caller has it; etag is empty if the content depends on more than the commit.
func (s *server) reply(w http.ResponseWriter, r *http.Request, etag string, body []byte) error {
	if etag != "" {
		return s.cached(w, r, etag, "private, no-cache", body) // private caches may store it, but must revalidate
	}
	_, _ = w.Write(body) // the connection may be closed
	return nil
}

// cached writes a document that caches may keep, or 304 if the caller has it.
func (s *server) cached(w http.ResponseWriter, r *http.Request, etag, control string, body []byte) error {
	same, err := unchanged(r, etag)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag)
	w.Header().Set("Cache-Control", control)
	if same {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	_, _ = w.Write(body) // the connection may be closed
	return nil
}

// segment returns a decoded path parameter.
func segment(r *http.Request, name string) (string, error) {
	raw := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return raw, nil // the router saw the decoded path
	}
	decoded, err := url.PathUnescape(raw)
	if err != nil {
		return "", fault.New(fault.Malformed, "the path does not parse: %s", err)
	}
	return decoded, nil
}
