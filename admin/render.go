package admin

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	h "trails/admin/html"
	"trails/admin/static"
	"trails/auth"
	"trails/fault"
	"trails/schema"
)

// page is what the layout shows around a page's own data.
type page struct {
	// Title is the page's heading for the browser's tab.
	Title string
	// Nav is the entry of the main navigation that the page belongs to.
	Nav string
	// Type is the type in the side list that the page belongs to.
	Type string
	// Crumbs lead from the overview to the page, which is not among them.
	Crumbs []link
	// Twins are the same for programs.
	Twins []twin
	// Live says when the page is out of date.
	Live live
	// Scripts are further static files that the page needs, in their order.
	Scripts []string
	// Styles are further style sheets, in their order.
	Styles []string
	// Find is the text that the page searched for.
	Find string
	// Main makes the page's own part of the page.
	Main func(page) h.Node
	// Frame, AsOf and colours are filled in by respond; AsOf is nil for a page of the newest commit.
	Frame   frame
	AsOf    *asOf
	colours *palette
}

type link struct{ Text, Href string }

// twin is a link to the same content in another form.
type twin struct{ Label, MIME, Href string }

// live says how an open page reacts to changes: it refreshes its main part, shows a notice, or does nothing (the zero
// value).
type live struct {
	// Mode is "any" (refresh on every change), "types" (on changes of Types),
	// "schema" (on changes of the schema), "notice" (a form: only say that Types or
	// Instances changed) or "".
	Mode string
	// Types are names; Instances are addresses as [invoke.Address] writes them.
	Types, Instances []string
	// Head is the commit that the page shows.
	Head string
}

// frame is what surrounds every page.
type frame struct {
	state
	Branches             []string // all of them
	Graph, Head, Version string
	Base                 string
	Types                []schema.TypeDocument
	Who                  string
	Known                bool
	SignedIn             bool // by our cookie, so that they can sign out
	Theme                string
	Path                 string // of this page, with its query
	Trace                string
	Address              string // where the graph's addresses begin, as the browser wrote it
}

// frameOf reads the surroundings of a page. If that fails the page is shown without them, with its own error.
func (s *site) frameOf(w http.ResponseWriter, r *http.Request) frame {
	a := s.asker(w, r)
	f := frame{state: a.state, Theme: themeOf(r), Path: r.URL.RequestURI(), Trace: a.call.TraceID, Address: auth.Base(r)}
	if _, known := s.withPrincipal(r); !known {
		return f
	}
	f.Known, f.Who = true, a.call.Principal.ID
	_, f.SignedIn, _ = s.opts.Auth.SignedIn(r) // the page says it if the file is away
	var health struct{ Graph, Version, Head string }
	if err := a.furnish("health", nil, &health); err == nil {
		f.Graph, f.Version, f.Head = health.Graph, health.Version, health.Head
	}
	if list, err := a.knownBranches(); err == nil {
		for _, b := range list {
			f.Branches = append(f.Branches, b.Name)
			if b.Name == f.Branch {
				f.Head = b.Head
			}
		}
	}
	if f.Branch != "" && !slices.Contains(f.Branches, f.Branch) { // the page says that there is none
		f.Branch, a.Branch = "", ""
	}
	if doc, err := a.schema(); err == nil {
		f.Base, f.Types = doc.Base, doc.Types
	}
	return f
}

// schema asks for types and properties, by which a page is laid out: what the page is
// about is asked apart.
func (a *asker) schema() (schemaDocument, error) {
	var answer struct{ Schema schemaDocument }
	err := a.furnish("schema_get", map[string]any{"format": "json"}, &answer)
	if err == nil {
		a.colours.learn(answer.Schema.Types)
	}
	return answer.Schema, err
}

// respond answers with a page.
func (s *site) respond(w http.ResponseWriter, r *http.Request, status int, p page) error {
	p.Frame = s.frameOf(w, r)
	p.colours = newPalette(s.colours, p.Frame.Types)
	if p.Live.Head == "" {
		p.Live.Head = p.Frame.Head
	}
	shows := p.Frame.state
	if status == http.StatusOK && shows.At != "" {
		shows.At = p.Live.Head
		p.AsOf, p.Live = asOfPage(r, p.Live.Head), live{} // nothing changes there
	}
	if name := r.URL.Query().Get(pictureParameter); name != "" && status == http.StatusOK {
		return sendPicture(w, p, name)
	}
	return send(w, r, status, layout(p), shows)
}

// send renders elements into memory, so that nothing is sent of a page that fails, and sends them: a page, or a part
// of one that a script asks for. Its links lead to pages of the state that it shows.
func send(w http.ResponseWriter, r *http.Request, status int, n h.Node, shows state) error {
	text := leading{state: shows, prefix: auth.Prefix(r)}
	if r.Method == http.MethodGet {
		text.location = r.URL.RequestURI()
	}
	if err := n.Render(&text); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Method == http.MethodGet && text.Len() > packedFrom && !strings.Contains(r.URL.Path, "/done/") {
		w.Header().Add("Vary", "Accept-Encoding")
		if static.TakesGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
			z, _ := packers.Get().(*gzip.Writer)
			defer packers.Put(z)
			z.Reset(w)
			_, _ = z.Write(text.Bytes()) // the connection may be closed
			_ = z.Close()
			return nil
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the connection may be closed
	return nil
}

// packedFrom is the size from which a page is packed. Answers to forms, which may show a secret beside what was sent, never
// are: the size of a packed text tells of what is in it.
const packedFrom = 1 << 10

var packers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// failure is the data of an error page.
type failure struct {
	Status      int
	Message     string
	Fields      []fault.FieldError
	Trace       string
	DeletedBy   string // the commit that removed what was asked for
	History     string // where its history is
	Suggestions []link
	NotOffered  bool // it is a capability that the caller may not call, or none
}
