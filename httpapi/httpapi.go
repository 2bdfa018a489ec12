// Package httpapi serves one graph over HTTP: the MCP endpoint, calls as plain JSON, and the graph's resources at
// addresses that people can type. It decodes a request, makes the call, and encodes the answer; permissions and
// semantics belong to [Engine]. Its errors are RFC 9457 problem documents.
//
// Read [New] first: it holds the list of routes and the list of stages that every request passes.
package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/capability/project"
	"trails/fault"
	"trails/invoke"
)

// Engine is what this package needs of the call path; *invoke.Engine is one.
type Engine interface {
	Call(ctx context.Context, c invoke.Call) (invoke.Result, error)
	Tools(ctx context.Context, p policy.Principal) (invoke.Tools, error)
	Read(ctx context.Context, uri string, c invoke.Call) (invoke.Document, error)
	Follow(ctx context.Context, c invoke.Call, while time.Duration, each func(*invoke.Result) error) error
	// Ready returns why calls would fail now, or nil.
	Ready(ctx context.Context) error
	// SeesAll reports whether a caller may see the whole graph.
	SeesAll(ctx context.Context, p policy.Principal) (bool, error)
}

// Options are the settings for serving a graph. The zero value serves everybody who can reach a loopback address,
// without scopes.
type Options struct {
	// MCP answers /mcp; nil leaves that address out.
	MCP http.Handler
	// Version is that of the program, and Revisions are those of the protocol that MCP speaks, for the server card.
	Version   string
	Revisions []string
	// SSE and Messages answer GET /sse and POST /messages, MCP's legacy transport;
	// nil leaves those addresses out.
	SSE, Messages http.Handler
	// Stop ends the streams of /mcp and /sse at shutdown, after the pending calls of their sessions; it is called
	// once and may wait. If it is nil they are ended like other streams.
	Stop func()
	// Admin answers /admin and everything below it, the pages for people. It is also reached without the token; then
	// the request's context has no principal (see [auth.Known]), and it asks for the token itself. Nil leaves
	// the pages out.
	Admin http.Handler
	// OAuth is the authorization server of the graph, at which people sign in for their clients; nil means that there is none.
	OAuth *oauth.Server
	// Metrics answers GET /metrics to who may see the whole graph; nil leaves that address out.
	Metrics http.Handler
	// Limits bound concurrency and times. They have no effect with Admission.
	Limits Limits
	// Path is that of the public address, see [CheckPath]; "" for none.
	Path string
	// Admission is shared with other servers of the process; nil means that there are none.
	Admission *Admission
	// Auth knows the callers. Where it needs a token, that must come with everything but
	// /health, /ready and the pages. Nil lets everybody in, without a scope.
	Auth *auth.Resolver
	// Log receives refusals at debug and internal errors at error; nil discards them.
	Log *slog.Logger
}

// Server answers every address. It is safe for concurrent use; [Server.Serve] runs
// it on a listener, and as an [http.Handler] it holds nothing that needs closing.
type Server struct {
	server *server
	http.Handler
}

type server struct {
	engine   Engine
	opts     Options
	limits   Limits
	auth     *auth.Resolver
	log      *slog.Logger
	traffic  *traffic
	held     held // of the traffic
	arrivals *arrivals
	shown    project.Cache // cache of descriptors in documents
}

// New returns the server of every address.
func New(e Engine, opts Options) *Server {
	s := newServer(opts)
	s.engine = e
	return &Server{s, behind(opts.Path, s.handler())}
}

func newServer(opts Options) *server {
	admission := opts.Admission
	if admission == nil {
		admission = newAdmission(opts.Limits)
	}
	s := &server{opts: opts, limits: admission.limits, traffic: admission.traffic, arrivals: admission.arrivals, log: opts.Log, auth: opts.Auth}
	if s.auth == nil {
		s.auth = auth.New(auth.Options{})
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// EndStreams ends the event streams of this server that are open now; those of MCP's sessions are ended by their owners.
func (s *Server) EndStreams() { s.server.traffic.endStreams(&s.server.held) }

// handler routes every address. Mounted handlers have their own rules for methods, media types and bodies; those of
// RDF and SPARQL belong to this package, but their bodies are not JSON.
func (s *server) handler() http.Handler {
	outer, inner, protocols := chi.NewRouter(), chi.NewRouter(), chi.NewRouter()
	for _, stage := range s.stages() {
		outer.Use(stage.wrap)
	}
	for _, stage := range s.ownStages() {
		inner.Use(stage.wrap)
	}
	outer.MethodNotAllowed(s.methodNotAllowed(inner))
	s.routes(inner)
	protocols.MethodNotAllowed(s.methodNotAllowed(protocols))
	protocols.Get("/sparql", s.answer(s.sparql))
	protocols.Head("/sparql", s.answer(s.sparql))
	protocols.Post("/sparql", s.answer(s.sparql))
	protocols.Get("/reconcile", s.answer(s.reconcile))
	protocols.Head("/reconcile", s.answer(s.reconcile))
	protocols.Post("/reconcile", s.answer(s.reconcile))
	protocols.Post(oauth.TokenPath, s.answer(s.token))
	protocols.Post(oauth.RevokePath, s.answer(s.revoke))
	for _, pattern := range []string{graphStore, graphStore + "/*"} {
		protocols.Get(pattern, s.answer(s.getGraph))
		protocols.Head(pattern, s.answer(s.getGraph))
		protocols.Put(pattern, s.answer(s.putGraph))
		protocols.Post(pattern, s.answer(s.postGraph))
		protocols.Delete(pattern, s.answer(s.deleteGraph))
	}
	for _, mount := range []struct {
		pattern string
		handler http.Handler
	}{
		{"/mcp", s.opts.MCP},
		{"/sse", s.opts.SSE},
		{"/messages", s.opts.Messages},
		{"/admin", s.opts.Admin},
		{"/admin/*", s.opts.Admin},
		{"/metrics", s.measured(s.opts.Metrics)},
		{"/sparql", protocols},
		{"/reconcile", protocols},
		{oauth.TokenPath, protocols},
		{oauth.RevokePath, protocols},
		{graphStore, protocols},
		{graphStore + "/*", protocols},
	} {
		if mount.handler != nil {
			outer.Handle(mount.pattern, mount.handler)
		}
	}
	outer.Mount("/", inner)
	return outer
}

// routes are our own addresses.
func (s *server) routes(r chi.Router) {
	r.NotFound(s.answer(func(_ http.ResponseWriter, r *http.Request) error {
		return fault.New(fault.NotFound, "no address %s here; GET %s/ lists them", pathOf(r), auth.Prefix(r))
	}))
	r.MethodNotAllowed(s.methodNotAllowed(r))
	r.Get("/", s.answer(s.index))
	r.Get("/health", s.answer(s.health))
	r.Get("/ready", s.answer(s.ready))
	r.Get(auth.MetadataPath, s.answer(s.resource))
	r.Get(auth.MetadataPath+"/mcp", s.answer(s.resource))
	r.Get(auth.ServerPath, s.answer(s.authorizationServer))
	r.Get(project.CardPath, s.answer(s.card))
	r.Get(project.CatalogPath, s.answer(s.catalog))
	r.Post(oauth.RegisterPath, s.answer(s.register))
	r.Post("/invoke", s.answer(s.invokeBatch))
	r.Post("/invoke/{capability}", s.answer(s.invoke))
	r.Get("/invoke/{capability}", s.answer(s.ask))
	r.Get("/commits", s.answer(s.history("commits_list", "whole", "limit", "before")))
	r.Get("/changes", s.answer(s.changes))
	r.Get("/commits/{id}", s.answer(s.history("commits_get", "quads", "limit", "offset")))
	r.Get("/capabilities/{id}/history", s.answer(s.history("capability_history", "")))
	r.Get("/reconcile/suggest/{what}", s.answer(s.reconcileSuggest))
	r.Get("/reconcile/preview", s.answer(s.reconcilePreview))
	r.Get("/reconcile/view", s.answer(s.reconcileView))
	r.Get("/queries", s.answer(s.queryList))
	r.Get("/queries/{name}", s.answer(s.askQuery))
	r.Post("/queries/{name}", s.answer(s.postQuery))
	for _, d := range listings {
		r.Get(d.pattern, s.answer(s.list(d)))
	}
	for _, a := range addresses {
		r.Get(a.pattern, s.answer(s.read(a)))
	}
}

// stage is one middleware.
type stage struct {
	name string
	wrap func(http.Handler) http.Handler
}

// stages are the middleware for all requests, outermost first.
func (s *server) stages() []stage {
	return []stage{
		{"trace", traced},                 // first: every answer, including errors, has its trace
		{"headers", secured},              // before everything that may answer
		{"access log", s.logged},          // outside recover: it must see the 500
		{"recover", s.recovered},          // outside everything that may panic
		{"address", s.shortAddress},       // before whatever reads it
		{"plain address", s.plainAddress}, // before whatever repeats it in an answer
		{"host", s.ownHost},               // before origin: a rebound name makes every origin its own
		{"edge", s.arrived},               // before whoever asks for the caller's address
		{"cors", s.crossed},               // before origin: its refusals are seen, too, and a preflight has no token
		{"origin", s.ownOrigin},           // before token: a browser may send a cookie
		{"oauth", s.notOAuth},             // before token: these clients have none yet
		{"token", s.authenticated},        // before the body: bodies of unknown callers are not read
		{"arrival", s.readWhole},          // after the token: only short bodies are read without it
		{"traffic", s.admitted},           // after arrival: bodies in transit do not count as in flight
	}
}

// ownStages are the further middleware for our own addresses. The MCP handler has the same rules for bodies, with
// errors of its protocol.
func (s *server) ownStages() []stage {
	return []stage{
		{"media type", s.mediaType}, // before the body: a body of another type need not be read
		{"body", s.bounded},         // size, text and depth, once for all handlers
		{"head", headAsGet},         // HEAD is GET without the body
	}
}

// answer converts a handler that returns an error to one that answers with a problem document.
func (s *server) answer(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.refuse(w, r, err)
		}
	}
}

// call is the start of every call that this request makes: of this capability, with these
// arguments.
func (s *server) call(r *http.Request, capability string, args json.RawMessage) invoke.Call {
	return invoke.Call{
		Capability:     capability,
		Args:           args,
		Principal:      auth.PrincipalOf(r.Context()),
		Via:            "http",
		TraceID:        traceOf(r),
		ParentSpan:     invoke.TraceOf(r.Context()).Span,
		IdempotencyKey: r.Header.Get("Idempotency-Key"),
	}
}
