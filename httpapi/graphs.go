package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/auth"
	"trails/capability/project"
	"trails/fault"
	"trails/httpapi/accept"
)

// graphsPath is where the graphs of a process are listed, and each has its addresses below it.
const graphsPath = "/graphs"

// GraphPrefix is the path below which the addresses of a graph stand, in a process that serves several.
func GraphPrefix(id string) string { return graphsPath + "/" + id }

// Graphs are the graphs of a process that serves several. They are safe for concurrent use.
type Graphs interface {
	// Use returns what serves a graph, at addresses that begin at /, and opens it if it is not open. It stays open until
	// done is called. An unknown graph is the fault NotFound, one that cannot be served Unusable, and too many at once
	// are Busy.
	Use(ctx context.Context, id string) (h http.Handler, done func(), err error)
	// List returns the graphs that the sender of a request may use, by their ids, and whether there are others.
	List(r *http.Request) (graphs []ServedGraph, others bool)
	// LeftOut returns the files that are not served, by their names.
	LeftOut() []LeftOut
}

// ServedGraph is a graph that is served.
type ServedGraph struct {
	ID string `json:"id"`
	// File is the name of its file in the folder.
	File string `json:"file"`
	// Open means that its file is open now. It is opened for the first request.
	Open bool `json:"open"`
	// URL is where its addresses begin, Pages where its pages do, and MCP is that of agents.
	URL   string `json:"url"`
	Pages string `json:"pages"`
	MCP   string `json:"mcp"`
}

// LeftOut is a file that is not served.
type LeftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// GraphList is the answer of GET /graphs: what its reader may see.
type GraphList struct {
	Graphs []ServedGraph `json:"graphs"`
	// LeftOut are for those whom the process knows, not a graph alone.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Others says that there may be other graphs, and how they are seen; "" if all are listed.
	Others string `json:"others,omitempty"`
}

// GraphsPage is what a person sees at /graphs.
type GraphsPage struct {
	GraphList
	// Who is the reader, "" for nobody known. SignedIn means that they signed in to the process, and AsksForToken that they
	// could by its token.
	Who                    string
	SignedIn, AsksForToken bool
	// Message is why they were not signed in.
	Message string
}

// GraphsOptions are the settings for serving several graphs. The servers of these have the same Admission.
type GraphsOptions struct {
	// Options are those of the process. Admin, MCP, SSE and Messages have no effect; Admission is needed.
	Options
	Graphs Graphs
	// Page answers with the page of /graphs for people; nil means that there is none. Static answers /admin/static/{file}
	// for it.
	Page   func(w http.ResponseWriter, r *http.Request, status int, p GraphsPage) error
	Static http.Handler
}

// NewGraphs returns the server of several graphs: each below /graphs/{id}, with all addresses that one alone has at /, and
// their list at /graphs. See docs/decisions/0145-many-graphs.md.
func NewGraphs(o GraphsOptions) *Server {
	s := &graphsServer{newServer(o.Options), o}
	return &Server{s.server, behind(o.Path, s.choose(s.handler()))}
}

// choose lets a request to the server of its graph, or to own, if it is of none that is served.
func (s *graphsServer) choose(own http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = atGraph(r)
		id := graphID(r.URL)
		if id == "" || s.auth.CheckHost(r.Host) != nil {
			own.ServeHTTP(w, r)
			return
		}
		h, done, err := s.opts.Graphs.Use(r.Context(), id)
		if err != nil {
			own.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), unservedKey{}, err)))
			return
		}
		defer done()
		Under(GraphPrefix(id), h).ServeHTTP(w, r)
	})
}

// atGraph returns a request for a document about a graph that came at the root of the host as one for the same document below
// the graph's path.
func atGraph(r *http.Request) *http.Request {
	_, rest, _ := strings.Cut(r.URL.EscapedPath(), graphsPath+"/")
	id, _, _ := strings.Cut(rest, "/")
	document, is := inserted(r.URL.EscapedPath(), GraphPrefix(id))
	if !is || id == "" {
		return r
	}
	out := r.Clone(r.Context())
	out.URL.Path, out.URL.RawPath = document, ""
	return out
}

// unservedKey is the key of why the graph of a request is not served.
type unservedKey struct{}

type graphsServer struct {
	*server
	opts GraphsOptions
}

// handler answers the addresses of the process.
func (s *graphsServer) handler() http.Handler {
	r := chi.NewRouter()
	for _, stage := range s.stages() {
		if stage.name == "token" {
			stage.wrap = s.identified
		}
		r.Use(stage.wrap)
	}
	r.Use(headAsGet)
	r.NotFound(s.answer(func(_ http.ResponseWriter, r *http.Request) error {
		return fault.New(fault.NotFound, "no address %s here; graphs stand below %s/{id}, and GET %s lists them", pathOf(r), auth.Prefix(r)+graphsPath, auth.Prefix(r)+graphsPath)
	}))
	r.MethodNotAllowed(s.methodNotAllowed(r))
	r.Get("/", s.answer(s.index))
	r.Get(graphsPath, s.answer(s.list))
	r.Handle(graphsPath+"/*", s.answer(s.unserved))
	r.Get("/health", s.answer(func(w http.ResponseWriter, _ *http.Request) error { return writeJSON(w, []byte(`{"status":"ok"}`)) }))
	r.Get("/ready", s.answer(s.ready))
	r.Get(project.CatalogPath, s.answer(s.catalog))
	if s.opts.Metrics != nil {
		r.Get("/metrics", s.answer(s.metrics))
	}
	if s.opts.Page != nil {
		r.Post(graphsPath, s.answer(s.sign))
		r.Get("/admin", s.answer(s.index))
		r.Method(http.MethodGet, "/admin/static/{file}", s.opts.Static)
	}
	return r
}

// identified identifies the caller of the process, who may be nobody: graphs have tokens of their own.
func (s *graphsServer) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, known, err := s.auth.Request(r, isRead(r)); err == nil && known {
			r = r.WithContext(auth.WithPrincipal(r.Context(), p))
		}
		next.ServeHTTP(w, r)
	})
}

// index leads browsers to the list, and tells programs of it.
func (s *graphsServer) index(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "Accept")
	if s.opts.Page != nil && accept.Choose(r, "text/plain", "text/html") == 1 {
		w.Header().Set("Location", graphsPath)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintf(w, "trails: versioned graphs, each in one file\n\nGET  %s  the graphs that you may use\nGET  %s  the addresses of one\n", // the connection may be closed
		auth.Prefix(r)+graphsPath, auth.Prefix(r)+GraphPrefix("{id}"))
	return nil
}

// unserved says why the graph of a request is not served. Whoever is unknown to the process is not told that a graph is
// there.
func (s *graphsServer) unserved(_ http.ResponseWriter, r *http.Request) error {
	why, failed := r.Context().Value(unservedKey{}).(error)
	if !failed {
		return fault.New(fault.NotFound, "no address %s here; GET %s lists the graphs", pathOf(r), auth.Prefix(r)+graphsPath)
	}
	switch {
	case auth.Known(r.Context()):
		return why
	case fault.Is(why, fault.NotFound): // as of a graph whose token was not shown
		return s.auth.Refuse(r, "http")
	case fault.Is(why, fault.Unusable):
		return fault.New(fault.Unusable, "the graph cannot be served now; the server's log says why")
	}
	return why
}

// listed returns the list for the sender of a request.
func (s *graphsServer) listed(r *http.Request) GraphList {
	graphs, others := s.opts.Graphs.List(r)
	out := GraphList{Graphs: []ServedGraph{}}
	for _, g := range graphs {
		g.URL = auth.Base(r) + GraphPrefix(g.ID)
		g.Pages, g.MCP = g.URL+"/admin", g.URL+"/mcp"
		out.Graphs = append(out.Graphs, g)
	}
	switch {
	case auth.Known(r.Context()):
		out.LeftOut = s.opts.Graphs.LeftOut()
		if others {
			out.Others = "graphs that issue tokens are listed for who shows one of theirs, and all for the operator or who shows the token of the process"
		}
	case others:
		out.Others = "graphs are listed for who shows a token of theirs, and all for who shows the token of the process"
	}
	return out
}

// list answers GET /graphs.
func (s *graphsServer) list(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("key") && s.opts.Page != nil {
		return s.signInOperator(w, r)
	}
	w.Header().Set("Vary", "Accept")
	list := s.listed(r)
	if s.opts.Page != nil && accept.Choose(r, "application/json", "text/html") == 1 {
		return s.page(w, r, http.StatusOK, list, "")
	}
	if len(list.Graphs) == 0 && !auth.Known(r.Context()) {
		return s.auth.Refuse(r, "http")
	}
	text, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return writeJSON(w, text)
}

func (s *graphsServer) page(w http.ResponseWriter, r *http.Request, status int, list GraphList, message string) error {
	p := GraphsPage{GraphList: list, AsksForToken: s.auth.NeedsToken(), Message: message}
	_, p.SignedIn, _ = s.auth.SignedIn(r) // without a file there is no error
	if auth.Known(r.Context()) {
		p.Who = auth.PrincipalOf(r.Context()).ID
	}
	return s.opts.Page(w, r, status, p)
}

// signInOperator opens the operator's session of the process, which counts in each graph, as admin does for one graph.
func (s *graphsServer) signInOperator(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	r.URL.RawQuery = "" // no page shows the key
	if in, signed, err := s.auth.SignedIn(r); err == nil && signed && in.Authenticated {
		http.Redirect(w, r, graphsPath, http.StatusSeeOther)
		return nil
	}
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		return fault.New(fault.Denied, "a person opens the sign-in link, once")
	}
	session, operator, err := s.auth.SignInOperator(r, key)
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "the operator's sign-in link was used", slog.String("by", auth.ClientAddr(r)), slog.String("agent", r.UserAgent()))
	http.SetCookie(w, session)
	w.Header().Set("Refresh", "0; url="+graphsPath) // after a redirect a browser would not send the cookie, see admin
	return s.opts.Page(w, r, http.StatusOK, GraphsPage{Who: operator.ID, SignedIn: true, Message: "You are the operator of this server, and signed in to each graph."})
}

// maxSignIn bounds the form of the sign-in.
const maxSignIn = 16 << 10

// sign signs a browser in by the token of the process, or out.
func (s *graphsServer) sign(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Malformed, "the form does not parse")
	}
	if r.PostForm.Has("sign-out") {
		http.SetCookie(w, s.auth.SignOut(r))
		http.Redirect(w, r, graphsPath, http.StatusSeeOther)
		return nil
	}
	secret := strings.TrimSpace(r.PostForm.Get("token"))
	_, ok, err := s.auth.Verify(r.Context(), secret)
	if err != nil {
		return err
	}
	if !ok {
		f := fault.Of(s.auth.RefuseToken(r, "http", secret))
		message, status := "This is not the token of the process. A token of one graph is for the pages of that graph.", http.StatusForbidden
		if f.Kind == fault.Exhausted {
			w.Header().Set("Retry-After", retryAfter(f.Details["retry_after"]))
			message, status = f.Message, http.StatusTooManyRequests
		}
		return s.page(w, r, status, s.listed(r), message)
	}
	http.SetCookie(w, s.auth.SignIn(r, secret))
	http.Redirect(w, r, graphsPath, http.StatusSeeOther)
	return nil
}

// ready answers GET /ready of the process: no during shutdown. A graph has its own.
func (s *graphsServer) ready(w http.ResponseWriter, r *http.Request) error {
	if s.traffic.stopping() {
		refuseOutside(w, r, http.StatusServiceUnavailable, "the process is stopping")
		return nil
	}
	return writeJSON(w, []byte(`{"status":"ready"}`))
}

// metrics answers GET /metrics with those of all graphs, for whom the process knows and each of them admits.
func (s *graphsServer) metrics(w http.ResponseWriter, r *http.Request) error {
	if !auth.Known(r.Context()) {
		return s.auth.Refuse(r, "http")
	}
	if _, others := s.opts.Graphs.List(r); others {
		return fault.New(fault.Denied, "the metrics are of all graphs, and some are for who shows a token of theirs; sign in by the link that the server printed, start it with TRAILS_MCP_TOKEN, or read %s/ID/metrics with a token of the graph", auth.Prefix(r)+graphsPath)
	}
	s.opts.Metrics.ServeHTTP(w, r)
	return nil
}
