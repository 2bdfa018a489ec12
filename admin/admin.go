// Package admin is the graph for people: pages rendered on the server, which read
// it, fill in forms for every capability, and stay current while others write. It
// decodes an address into calls, makes them, and renders what they answer; what is
// allowed and what it means is decided behind [Engine]. Reading needs no script.
//
// Read [New] first, then the table of reading pages (pages.go), one page
// (overview.go with html_overview.go) and respond in render.go. Forms are
// in the files that begin with form, elements of pages in those that begin with html.
package admin

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
)

// Engine is what the pages need of the call path; *invoke.Engine is one.
type Engine interface {
	Call(ctx context.Context, c invoke.Call) (invoke.Result, error)
	Read(ctx context.Context, uri string, c invoke.Call) (invoke.Document, error)
	ToolsOn(ctx context.Context, p policy.Principal, branch string) (invoke.Tools, error)
	WatchOn(ctx context.Context, p policy.Principal, branch string) <-chan invoke.Change
}

// Options are the settings for serving the pages. The zero value works if every request's context has a principal.
type Options struct {
	// Auth recognizes signed-in browsers. It is used when a request's context has no principal; nil means that nobody
	// can sign in.
	Auth *auth.Resolver
	// OAuth is the authorization server of the graph; nil means that there is none.
	OAuth *oauth.Server
	// Log receives internal errors; nil discards them.
	Log *slog.Logger
}

// site is the pages of one engine.
type site struct {
	engine      Engine
	opts        Options
	log         *slog.Logger
	mux         *http.ServeMux
	colours     *typeColours
	watchers    atomic.Int64 // open event streams
	submissions *submissions
	staged      *staging
	shows       map[string]bool // by the patterns of routes
}

// route is one address and what answers it. The pattern is that of [http.ServeMux];
// GET patterns answer HEAD too.
type route struct {
	pattern string
	handle  func(*site, http.ResponseWriter, *http.Request) error
	open    bool // available without signing in
	part    bool // a part that an open page requests, not a page
	// shows means that a form which is sent here without what its button does is shown again with what was typed, and changes
	// nothing.
	shows bool
}

// New returns the handler of /admin and everything below it. It expects the path as the browser sent it. It is safe
// for concurrent use.
func New(e Engine, opts Options) http.Handler {
	s := &site{
		engine: e, opts: opts, log: opts.Log, mux: http.NewServeMux(),
		colours: &typeColours{}, submissions: newSubmissions(), staged: newStaging(), shows: map[string]bool{},
	}
	if s.opts.Auth == nil {
		s.opts.Auth = auth.New(auth.Options{})
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, r := range slices.Concat(pageRoutes, formRoutes) {
		s.mux.Handle(r.pattern, s.answer(r))
		s.shows[r.pattern] = r.shows
	}
	s.mux.Handle("/admin/", s.answer(route{handle: (*site).elsewhere}))
	return httpapi.Secured(contentPolicy, isolated(s.mux))
}

// contentPolicy lets a page load only what this process serves, and run no script
// or style that stands in the page itself.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// isolated isolates a page from windows of other sites that opened it. The answer to a form may be stored for going
// back, because a browser that requests it again would ask the person and send the form again.
func isolated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opener := "same-origin"
		if r.URL.Path == auth.AuthorizePath || r.URL.Path == loginURL { // a client may have opened a window for them, and waits for its end
			opener = "unsafe-none"
		}
		w.Header().Set("Cross-Origin-Opener-Policy", opener)
		if r.Method == http.MethodPost {
			w.Header().Set("Cache-Control", "private, no-cache")
		}
		next.ServeHTTP(w, r)
	})
}

// answer identifies the caller, and converts a handler's error to an error page. All calls of the handler are one
// visit.
func (s *site) answer(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, end := invoke.Visit(r.Context())
		defer end()
		if rt.part {
			ctx = invoke.Furniture(ctx)
		}
		r, known := s.withPrincipal(r.WithContext(ctx))
		if err := auth.Failure(ctx); err != nil {
			s.refuse(w, r, err)
			return
		}
		handle := rt.handle
		if !known && !rt.open {
			handle = (*site).askToSignIn
		}
		if err := handle(s, w, r); err != nil {
			s.refuse(w, r, err)
		}
	}
}

// withPrincipal identifies the caller: by the surrounding handler, otherwise by the sign-in cookie.
func (s *site) withPrincipal(r *http.Request) (*http.Request, bool) {
	if auth.PrincipalOf(r.Context()).Authenticated {
		return r, true
	}
	if signed, is, err := s.opts.Auth.SignedIn(r); is && err == nil {
		return r.WithContext(auth.WithPrincipal(r.Context(), signed)), true
	}
	return r, auth.Known(r.Context())
}

// elsewhere answers unknown addresses and methods.
func (s *site) elsewhere(w http.ResponseWriter, r *http.Request) error {
	if path, slash := strings.CutSuffix(r.URL.EscapedPath(), "/"); slash && r.Method == http.MethodGet {
		http.Redirect(w, r, path, http.StatusMovedPermanently)
		return nil
	}
	if allowed := s.allowed(r); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return s.respond(w, r, http.StatusMethodNotAllowed, page{
			Title: "Not that way", Main: failure{Message: r.Method + " is not for this address; allowed: " + strings.Join(allowed, ", ")}.main,
		})
	}
	return fault.New(fault.NotFound, "there is no page at this address")
}

// allowed lists the methods for which the address is in a table.
func (s *site) allowed(r *http.Request) []string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		try := r.Clone(r.Context())
		try.Method = method
		if _, pattern := s.mux.Handler(try); pattern != "/admin/" {
			out = append(out, method)
		}
	}
	return out
}

// status is what HTTP says of an error.
func status(err error) int { return httpapi.Status(fault.Of(err).Kind) }
